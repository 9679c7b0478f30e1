# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
#
# Each of bash's run-* scripts prints how its output differs from what it ought to be.
packages='gcc libc6-dev make bison'
sources=bash
minutes=30

build() {
    ./configure --quiet && make -s -j2 && make -s recho zecho printenv xcase &&
        cp recho zecho printenv xcase tests/
}

run_tests() {
    local tree=$PWD script output
    cd tests || return
    [ $# -gt 0 ] || set -- run-*
    for script; do
        case $script in
            run-all | run-minimal | run-gprof) continue ;;
        esac
        output=$(BUILD_DIR=$tree TMPDIR=${TMPDIR:-/tmp} BASH_TSTOUT=$tree/tstout PATH=$tree/tests:$PATH THIS_SH=$tree/bash timeout 300 sh "$script" 2>&1)
        echo "RESULT $script $? $(printf '%s' "$output" | wc -l)"
        printf '%s\n' "$output"
    done
}

# Many print notes without failing.
results() {
    awk '/^RESULT run-/ {print $2 "\t" ($3 ? "failed(" $3 "), " $4 " lines" : "ok, " $4 " lines")}'
}
