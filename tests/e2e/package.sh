#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The .deb: made from this build, unpacked, and run from where it was put.
. "$(dirname "$0")/tap.sh"

if ! (cd "$TALLYMAN_BUILD" && cpack -G DEB -B "$work/deb") >"$work/cpack.log" 2>&1; then
    report 1 "cpack makes a package"
    tail -n 5 "$work/cpack.log" | sed 's/^/#   /'
    finish
fi
package=$(echo "$work"/deb/*.deb)
report 0 "cpack makes a package"
fields=$(dpkg-deb -f "$package")
like "it is called tallyman" "$fields" 'Package: tallyman'
like "it depends on what it links" "$fields" 'Depends: .*libc6 .*libsqlite3-0 .*libyaml-0-2'
like "it has a description" "$fields" 'Description: .+'
dpkg-deb -x "$package" "$work/root"
for file in usr/bin/tallyman usr/lib/x86_64-linux-gnu/tallyman/libtallyman.so usr/share/man/man1/tallyman-run.1 \
    usr/share/man/man5/tallyman.yaml.5 usr/share/bash-completion/completions/tallyman \
    usr/share/doc/tallyman/examples/legacy/Makefile usr/share/doc/tallyman/copyright; do
    check "it holds /$file" test -s "$work/root/$file"
done
fresh
unset TALLYMAN_SHIM
TALLYMAN=$work/root/usr/bin/tallyman
check "its program runs" "$TALLYMAN" --version
check "its program audits" audit cat u.txt
is "and records" "$(saw read u.txt)" 1
finish
