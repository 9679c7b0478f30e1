#!/bin/bash
# SPDX-License-Identifier: MIT
#
# freestanding.sh OBJECTS: none of the judge's objects may need a symbol that another of them does not
# define. CMake hands the objects over as one word, separated by semicolons.
set -u
IFS=';' read -ra objects <<<"$*"
defined=$("${NM:-nm}" --defined-only "${objects[@]}" | awk 'NF == 3 {print $3}' | sort -u)
needed=$("${NM:-nm}" -u "${objects[@]}" | awk '$1 == "U" {print $2}' | sort -u)
missing=$(comm -23 <(printf '%s\n' "$needed") <(printf '%s\n' "$defined") | grep -v '^$')
if [ -z "$defined" ]; then
    echo "not ok - the objects define nothing: $*"
    exit 1
fi
if [ -n "$missing" ]; then
    echo "not ok - the judge needs: $missing"
    exit 1
fi
echo "ok - the judge needs no symbol from outside"
