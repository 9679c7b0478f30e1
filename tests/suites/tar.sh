# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
packages='gcc libc6-dev make'
sources=tar
minutes=20

build() {
    ./configure --quiet --disable-nls AUTOCONF=: AUTOHEADER=: AUTOMAKE=: ACLOCAL=: MAKEINFO=: && make -s -j2 && make -s -C tests check TESTSUITEFLAGS=--list
}

run_tests() {
    make -C tests check TESTSUITEFLAGS="$*"
}

#   1: tar version                                     ok
results() {
    sed -nE 's/^ *([0-9]+): (.*[^ ]) {2,}(ok|FAILED|skipped|expected failure|UNEXPECTED PASS)( \(.*\))?$/\1:\2\t\3/p'
}
