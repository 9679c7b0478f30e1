#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Compares tallyman with strace (compare.sh) on packages by strangers and on the projects in samples/, each
# of which has programs that the shim cannot be loaded into, and prints one table. What is wrong with one
# is printed as it is found.
#
#   all.sh [--witness MODE] [--logs FOLDER] SOURCES [PROJECT...]
#
#   SOURCES        has the unpacked Debian sources (scripts/fetch-sources.sh); those not there are left out
#   --logs FOLDER  keeps the whole output of each comparison (default: none)
#
# Exit status: 0 all fine; 1 otherwise; 2 usage. TALLYMAN names the program under test.
set -u

usage() {
    sed -n '4,14s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
witness=gaps logs=''
while [ $# -gt 0 ]; do
    case $1 in
        --witness) witness=${2:?}; shift 2 ;;
        --logs) mkdir -p "${2:?}" && logs=$(cd "$2" && pwd); shift 2 ;;
        -*) usage ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || usage
sources=$1
shift
chosen=" $* "
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: "${logs:=$scratch}"
result=0
table='project\tby strace\tby the shim\tby the witness\tmissed\tinvented\tother outcome\tother program\tevidence\tfiles\tchanged'

# project NAME FOLDER PREPARE COMMAND...
project() {
    local name=$1 folder=$2 prepare=$3 status
    shift 3
    [ "$chosen" = "  " ] || [[ $chosen == *" $name "* ]] || return 0
    if [ ! -d "$folder" ]; then
        echo "all.sh: $name: not there: $folder" >&2
        return 0
    fi
    rm -f "$scratch/summary"
    (cd "$folder" && "$here/compare.sh" --witness "$witness" --built --summary "$scratch/summary" \
        ${prepare:+--prepare "$prepare"} -- "$@") >"$logs/$name" 2>&1
    status=$?
    if [ "$status" != 0 ]; then
        echo "== $name"
        grep -E 'HOLE|INVENTED|OUTCOME|PLACE|execution|exit status|^ +[0-9]+ /|this failed|changed by' "$logs/$name"
        result=1
    fi
    table="$table\n$name\t$(cat "$scratch/summary" 2>/dev/null || echo failed)"
}

# source_of PACKAGE
source_of() {
    local folder
    for folder in "$sources/$1"-[0-9]*/; do
        [ -d "$folder" ] && { echo "$folder"; return; }
    done
    echo "$sources/$1"
}

samples=$here/samples
project calls "$samples/calls" '' make
project greet-musl "$samples/greet" '' make CC=musl-gcc
project greet-32 "$samples/greet" '' make 'CC=gcc -m32'
project busybox "$samples/busybox" '' busybox sh ./build.sh
project python "$samples/python" '' ./build.sh
# The first build fills the cache with the parts of Go that are not compiled yet.
project go "$samples/go" './build.sh 0 && rm sample' ./build.sh 0
project go-cgo "$samples/go" './build.sh 1 && rm sample' ./build.sh 1
project lua "$(source_of lua5.4)" '' make -C src linux MYCFLAGS=-fPIC
project zlib "$(source_of zlib)" ./configure make
project hello "$(source_of hello)" ./configure make
project hello-configure "$(source_of hello)" '' ./configure
project jq "$(source_of jq)" 'autoreconf -fi && ./configure --disable-maintainer-mode' make

printf "$table\n" | column -t -s $'\t'
exit "$result"
