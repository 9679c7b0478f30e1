#!/bin/bash
# SPDX-License-Identifier: MIT
#
# twice.sh FOLDER...: builds the sources in each folder twice at one place and once at another, with another
# home folder and another number of jobs, and asks tallyman diff what differs: nothing. Where a folder can be
# hidden (as root, or with user namespaces), lua is built without readline's headers, too, and that is what
# has to be named first.
#
#   TALLYMAN   the program to test; TALLYMAN_SHIM its shim
set -u

: "${TALLYMAN:?names the program under test}" "${TALLYMAN_SHIM:?names its shim}"
export TALLYMAN_SHIM
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tallyman-twice.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

# result STATUS NAME [FILE]: a line, and the head of the file when it failed.
result() {
    if [ "$1" = 0 ]; then
        echo "twice.sh: $2: fine"
    else
        echo "twice.sh: $2: FAILED"
        head -n 40 "${3:-/dev/null}" | sed 's/^/    /'
        failed=1
    fi
}

# build NAME SOURCES PLACE JOBS: copies the sources to the place and builds them there, into NAME.db.
build() {
    local command="./configure && make -j$4"
    rm -rf "$3" && mkdir -p "$3" "$work/home-of-$1" && cp -a "$2/." "$3" || exit 2
    [ -x "$3/configure" ] || command="make -s clean && make -j$4 linux-readline"
    (cd "$3" && env -u BASH_FUNC_build%% -u work HOME="$work/home-of-$1" timeout 900 "$TALLYMAN" run --quiet -o "$work/$1.db" -- sh -c "$command" \
        >"$work/$1.log" 2>&1)
}

for folder; do
    name=$(basename "$folder")
    [ -x "$folder/configure" ] || [ -f "$folder/src/lua.c" ] || continue
    rm -f "$work"/*.db
    build one "$folder" "$work/place/$name" 2
    result $? "$name is built" "$work/one.log"
    build again "$folder" "$work/place/$name" 2
    build other "$folder" "$work/elsewhere/deep/$name" 3
    "$TALLYMAN" diff "$work/one.db" "$work/again.db" >"$work/out"
    result $? "$name built twice does not differ" "$work/out"
    "$TALLYMAN" diff "$work/one.db" "$work/other.db" >"$work/out"
    result $? "nor does it in another checkout" "$work/out"

    [ -f "$folder/src/lua.c" ] || continue
    export -f build
    export work
    if ! unshare -m mount -t tmpfs none /usr/include/readline 2>/dev/null; then
        echo "twice.sh: no folder can be hidden here: $name is not built without its headers"
        continue
    fi
    unshare -m bash -c 'mount -t tmpfs none /usr/include/readline && build hidden "$1" "$2" 2' bash "$folder" \
        "$work/elsewhere/$name"
    "$TALLYMAN" diff "$work/one.db" "$work/hidden.db" >"$work/out"
    [ $? = 1 ] && head -n 24 "$work/out" | grep -A 1 "there in A, not in B" | grep -q "libreadline-dev\|readline/readline.h"
    result $? "what $name lacks is named on the first screen" "$work/out"
done
exit $failed
