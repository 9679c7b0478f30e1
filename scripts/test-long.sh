#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What takes too long for every change: packages by strangers held against strace, the HTML report in a
# browser, the thread sanitizer, the fuzzers for a bounded time, and strangers' builds and test suites with
# and without tallyman (hours; as root, for their packages and their ordinary user). Run scripts/test.sh
# first.
#
#   test-long.sh [SECONDS]      for each fuzzer; default 60
#   test-long.sh --suites [SUITE...]      only the test suites; default all
#   test-long.sh --packages [PACKAGE...]      only the builds of Debian packages; default all
set -u

cd "$(dirname "$0")/.." || exit 1
top=$PWD
seconds=60 suites='' packages='' failed=''
case ${1:-} in
    --packages)
        shift
        packages=${*:-all}
        ;;
    --suites)
        shift
        suites=${*:-all}
        ;;
    ?*) seconds=$1 ;;
esac
export TALLYMAN_MUST_WORK=1

scripts/install-packages.sh build test long || exit 1

# verdict STATUS NAME
verdict() {
    if [ "$1" = 0 ]; then
        echo "test-long.sh: $2: fine"
    else
        echo "test-long.sh: $2: FAILED"
        failed="$failed, $2"
    fi
}

cmake --preset dev >/dev/null && cmake --build --preset dev >/dev/null || exit 1
export TALLYMAN=$top/build/dev/cli/tallyman TALLYMAN_SHIM=$top/build/dev/preload/libtallyman.so

# run_suites [SUITE...]: what differs as it is found, then one table.
run_suites() {
    local suite output table=''
    for suite; do
        output=$(tests/suites/run.sh "$suite")
        verdict $? "test suite of $suite"
        printf '%s\n' "$output" | sed '/^|/d'
        [ -n "$table" ] || table=$(printf '%s\n' "$output" | sed -n '/^| suite/p; /^|-/p')
        table="$table
$(printf '%s\n' "$output" | sed -n "/^| $suite |/p")"
    done
    printf '%s\n' "$table"
}

finish() {
    [ -n "$failed" ] || exit 0
    echo "test-long.sh: failed: ${failed#, }" >&2
    exit 1
}

every_suite='cpython bash mksh make perl findutils tar git coreutils httplib'
if [ -n "$suites" ]; then
    [ "$suites" != all ] || suites=$every_suite
    # shellcheck disable=SC2086  # a list
    run_suites $suites
    finish
fi

# build_packages [PACKAGE...]: default all
build_packages() {
    tests/packages/run.sh "$@"
    verdict $? "byte-identical builds"
}

if [ -n "$packages" ]; then
    # shellcheck disable=SC2086  # a list
    build_packages ${packages#all}
    finish
fi

{ cmake --preset tsan && cmake --build --preset tsan; } >/dev/null
ctest --preset tsan --label-exclude "slow|long"
verdict $? "thread sanitizer"

TALLYMAN_LONG=1 ctest --preset dev --tests-regex '_faults$' --timeout 14400
verdict $? "every call that can fail"

{ cmake --preset fuzz && cmake --build --preset fuzz; } >/dev/null
shopt -s globstar nullglob
for fuzzer in build/fuzz/**/fuzz_*; do
    [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
    mkdir -p "build/corpus/$(basename "$fuzzer")"
    "$fuzzer" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix=build/corpus/ \
        "build/corpus/$(basename "$fuzzer")" 2>&1 | tail -n 3
    verdict "${PIPESTATUS[0]}" "$(basename "$fuzzer")"
done

sources=$top/build/sources
if [ ! -d "$sources" ]; then
    scripts/fetch-sources.sh "$sources" zlib hello jq || exit 1
    # Debian's way of building lua needs a libtool that its rules make first.
    scripts/fetch-sources.sh --upstream "$sources" lua5.4 || exit 1
fi

tests/reports/check_html.sh --tools "$top/build/browser" "$sources"
verdict $? "the HTML report in a browser"

tests/oracle/all.sh "$sources"
verdict $? "what strace sees"
# The kernel reports every call then, too much for the larger ones.
tests/oracle/all.sh --witness full "$sources" calls greet-musl greet-32 busybox lua
verdict $? "what strace sees, with every call reported"
tests/packages/twice.sh "$sources"/*/
verdict $? "two runs of one build"
tests/reports/validate.sh "$sources"/*/
verdict $? "reports held against their formats"
build_packages
# shellcheck disable=SC2086  # a list
run_suites $every_suite
finish
