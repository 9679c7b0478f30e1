# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
#
# The MirBSD shell: dash, like most small shells, has no tests of its own.
packages='gcc libc6-dev perl ed'
sources=mksh
minutes=20

build() {
    CPPFLAGS=-DMKSH_BUILDMEAT sh Build.sh -r -Q
}

run_tests() {
    ./test.sh -v
}

results() {
    sed -nE 's,^(pass|FAIL|xfail) [^:]*:(.*)$,all:\2\t\1,p' | sed 's/\tpass$/\tok/'
}
