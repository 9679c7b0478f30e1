# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
packages='gcc libc6-dev make perl autoconf automake autopoint gettext pkg-config'
sources=make-dfsg
minutes=20

build() {
    autoreconf -fi && ./configure --quiet --disable-nls && make -s -j2
}

run_tests() {
    cd tests && perl run_make_tests.pl -srcdir .. -make ../make "$@"
}

# features/archives ..................... ok     (4 passed)
results() {
    sed -nE 's,^([a-z]+/[^ ]+) \.* *([a-zA-Z/]+) *(\(.*\))? *$,\1\t\2 \3,p'
}
