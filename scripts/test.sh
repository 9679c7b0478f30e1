#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Installs what is needed, builds with both compilers (warnings are errors), runs every test, and the unit
# tests again under the address and undefined-behaviour sanitizers. A skipped test counts as failed,
# unless its reason stands in tests/e2e/allowed_skips.txt. Tests with the label "long" (faults injected
# into the supervisor) are left to scripts/test-long.sh, those with "slow" are not run with sanitizers.
#
#   test.sh [--no-install] [--quick]      --quick: one compiler, no sanitizers
set -u

cd "$(dirname "$0")/.." || exit 1
install=1 quick=''
for argument in "$@"; do
    case $argument in
        --no-install) install='' ;;
        --quick) quick=1 ;;
        *) sed -n '4,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
[ -z "$install" ] || scripts/install-packages.sh build test || exit 1
export TALLYMAN_MUST_WORK=1 CTEST_PARALLEL_LEVEL=2
mkdir -p build
failed=''

# step NAME COMMAND...: quiet unless it fails.
step() {
    local name=$1 start=$SECONDS
    shift
    if "$@" >build/step.log 2>&1; then
        echo "test.sh: $name: fine ($((SECONDS - start)) s)"
        return 0
    fi
    tail -n 60 build/step.log
    echo "test.sh: $name: FAILED ($((SECONDS - start)) s)"
    failed="$failed, $name"
    return 1
}

build() {
    cmake --preset "$1" && cmake --build --preset "$1"
}

step "style" scripts/check-style.sh
if [ -z "$quick" ]; then
    step "build with clang" build dev-clang
    step "build with sanitizers" build asan &&
        step "tests with sanitizers" ctest --preset asan --label-exclude "slow|long"
fi
step "build with gcc" build dev || exit 1

# Last, so that its own summary closes the output.
ctest --preset dev --label-exclude long
status=$?
if [ -n "$failed" ]; then
    echo "test.sh: failed before the tests above: ${failed#, }" >&2
    exit 1
fi
exit "$status"
