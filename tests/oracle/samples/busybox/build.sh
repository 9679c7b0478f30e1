#!/bin/sh
# SPDX-License-Identifier: MIT
# Run by a static busybox: everything here is one program that the shim is never loaded into.
set -e
mkdir -p out/parts
for number in 1 2 3 4 5; do
    echo "part $number" >"out/parts/$number"
done
cat out/parts/* | sort -r | sed 's/part/Part/' >out/all
test ! -e out/missing
[ "$(wc -l <out/all)" -eq 5 ]
cp -p out/all out/copy
ln -s all out/link
chmod 600 out/copy
touch -d '2020-01-01 00:00:00' out/copy
find out -type f | sort | xargs -n 1 md5sum >sums
touch -d '2020-01-01 00:00:00' out/parts/* out/parts
tar -cf out/parts.tar -C out parts
mkdir out/again
tar -xf out/parts.tar -C out/again
diff -r out/parts out/again/parts
mv out/again out/moved
rm -r out/moved
date >/dev/null
hostname >/dev/null
uname -a >/dev/null
dd if=/dev/urandom of=out/random bs=16 count=1 2>/dev/null
rm out/random
awk 'BEGIN { srand(); print "done" }'
