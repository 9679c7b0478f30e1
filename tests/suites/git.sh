# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
packages='gcc libc6-dev make perl zlib1g-dev gettext'
sources=git
minutes=120

options='NO_CURL=1 NO_EXPAT=1 NO_TCLTK=1 NO_PYTHON=1 NO_OPENSSL=1 NO_GETTEXT=1'

build() {
    # shellcheck disable=SC2086  # a list
    make -s -j2 $options CFLAGS=-O1
}

run_tests() {
    local script
    cd t || return
    [ $# -gt 0 ] || set -- t[0-3]*.sh
    for script; do
        echo "== $script"
        timeout 900 bash "./$script" 2>&1
    done
}

# Not the numbers: a test that goes missing would change all names behind it.
results() {
    awk '$1 == "==" && NF == 2 {script = $2; next}
        match($0, /^(not )?ok [0-9]+ - /) {
            result = $0 ~ /^not/ ? "failed" : "ok"
            if ($0 ~ / # skip/) result = "skipped"
            if ($0 ~ / # TODO/) result = result " (known to fail)"
            name = substr($0, RLENGTH + 1)
            sub(/ # (skip|TODO).*/, "", name)
            print script ":" name "\t" result
        }
        /^# (still have|passed all|failed)/ {print script ":end\tok " $0}'
}
