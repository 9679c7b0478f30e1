# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
packages='gcc libc6-dev make dejagnu'
sources=findutils
minutes=30

build() {
    ./configure --quiet --disable-nls AUTOCONF=: AUTOHEADER=: AUTOMAKE=: ACLOCAL=: MAKEINFO=: && make -s -j2 && make -s -C gnulib-tests check TESTS=
}

run_tests() {
    local folder
    [ $# -gt 0 ] || set -- gnulib-tests find xargs locate tests
    for folder; do
        echo "== $folder"
        case $folder in
            tests) make -k check SUBDIRS=. ;;
            *) make -k -C "$folder" check ;;
        esac
        cat "$folder"/testsuite/*.sum 2>/dev/null
    done
}

results() {
    sed -nE 's,^== ([^ ]+)$,\1,p; s/^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR|UNSUPPORTED|UNRESOLVED|UNTESTED): (.+)$/\1\t\2/p' |
        awk -F'\t' -vOFS='\t' 'NF == 1 {folder = $1; next} {print folder ":" $2, $1 == "PASS" ? "ok" : $1}'
}
