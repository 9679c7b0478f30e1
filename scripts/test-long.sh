#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What takes too long for every change: packages by strangers held against strace, the thread sanitizer,
# and the fuzzers for a bounded time. Run scripts/test.sh first.
#
#   test-long.sh [SECONDS]      for each fuzzer; default 60
set -u

cd "$(dirname "$0")/.." || exit 1
top=$PWD
seconds=${1:-60}
failed=''
export TALLYMAN_MUST_WORK=1

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

{ cmake --preset tsan && cmake --build --preset tsan; } >/dev/null
ctest --preset tsan --label-exclude slow
verdict $? "thread sanitizer"

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
[ -d "$sources" ] || scripts/fetch-sources.sh "$sources" lua5.4 zlib hello jq || exit 1

# compare PACKAGE PREPARE COMMAND...
compare() {
    local package=$1 prepare=$2
    shift 2
    echo "== $package: $*"
    (cd "$sources"/"$package"-[0-9]* && "$top/tests/oracle/compare.sh" --built ${prepare:+--prepare "$prepare"} -- "$@")
    verdict $? "$package against strace"
}

compare lua5.4 '' make -C src linux MYCFLAGS=-fPIC
compare zlib ./configure make
compare hello '' ./configure
compare hello ./configure make
[ -z "$failed" ] || { echo "test-long.sh: failed: ${failed#, }"; exit 1; }
