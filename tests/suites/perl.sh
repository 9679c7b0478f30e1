# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
packages='gcc libc6-dev make'
sources=perl
minutes=40

build() {
    ./Configure -des -Doptimize=-O1 -Dusethreads >/dev/null && make -s -j2 test_prep
}

run_tests() {
    local script
    cd t || return
    [ $# -gt 0 ] || set -- io/*.t op/*.t
    for script; do
        echo "== $script"
        timeout 600 ./perl TEST -v "$script" 2>&1
    done
}

results() {
    awk '$1 == "==" && NF == 2 {script = $2; next}
        match($0, /^(not )?ok [0-9]+/) {
            result = $0 ~ /^not/ ? "failed" : "ok"
            number = $0
            sub(/^(not )?ok /, "", number)
            sub(/[^0-9].*/, "", number)
            if ($0 ~ / # skip/) result = "skipped"
            if ($0 ~ / # TODO/) result = result " (to do)"
            print script ":" number "\t" result
        }'
}
