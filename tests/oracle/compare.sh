#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs a command under strace and under tallyman from equal starting states and compares what the two
# saw. The command runs in a copy of the current folder, at the same place each time.
#
#   compare.sh [--witness MODE] [--prepare COMMAND] [--built] [--keep FOLDER] [--list N]
#              [--summary FILE] [--] COMMAND [ARGUMENT...]
#
#   --witness MODE     gaps (the default), full or off
#   --prepare COMMAND  runs (sh -c) in the copy before each run, untraced: ./configure, say
#   --built            compares the files built: two plain runs tell which of them are reproducible
#   --keep FOLDER      work there and leave everything behind (default: a folder that is removed)
#   --list N           how many accesses of each kind to print
#   --summary FILE     leaves there, separated by tabs: accesses by strace, by the shim, by the witness,
#                      missed, invented, with another outcome, of another program, evidence, and
#                      reproducible files, changed files (- where not compared)
#
# Exit status: 0 nothing invented, no hole (with a witness: nothing missed at all), and reproducible
# files identical; 1 otherwise; 2 usage.
# TALLYMAN names the program under test.
set -u

usage() {
    sed -n '4,20s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
tallyman=${TALLYMAN:-tallyman}
witness=gaps prepare='' built='' keep='' list=15 summary=''
while [ $# -gt 0 ]; do
    case $1 in
        --witness) witness=${2:?}; shift 2 ;;
        --summary) summary=$(realpath -m "${2:?}"); shift 2 ;;
        --prepare) prepare=${2:?}; shift 2 ;;
        --built) built=1; shift ;;
        --keep) keep=${2:?}; shift 2 ;;
        --list) list=${2:?}; shift 2 ;;
        --) shift; break ;;
        -*) usage ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || usage

if [ -n "$keep" ]; then
    mkdir -p "$keep" && work=$(cd "$keep" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/oracle-XXXXX") # too short for a random name of the run
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work/logs"
rm -rf "$work/start" "$work/logs/"*
cp -a . "$work/start"

# one NAME COMMAND...: a run in a fresh copy; leaves its output, status and checksums in logs/.
one() {
    local name=$1 status
    shift
    rm -rf "$work/tree"
    cp -a "$work/start" "$work/tree"
    cd "$work/tree" || exit 2
    unset OLDPWD # bash looks at that folder, and it differs from run to run
    if [ -n "$prepare" ]; then
        if ! sh -c "$prepare" >"$work/logs/$name.prepare" 2>&1 </dev/null; then
            tail -n 5 "$work/logs/$name.prepare" >&2
            echo "compare.sh: this failed: $prepare" >&2
            exit 2
        fi
    fi
    "$@" >"$work/logs/$name.output" 2>"$work/logs/$name.errors" </dev/null
    status=$?
    echo "$status" >"$work/logs/$name.status"
    [ -z "$built" ] ||
        find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >"$work/logs/$name.sums"
}

calls=$(cd "$here" && python3 -c 'import strace_calls; print(",".join("?" + c for c in strace_calls.CALLS))')
trace=(strace -f --seccomp-bpf -q -y -e signal=none -e trace="$calls")
one strace "${trace[@]}" -o "$work/logs/calls" "$@"
one tallyman "$tallyman" run -q --witness "$witness" -o "$work/logs/run.db" -- "$@"
result=0
if [ "$(cat "$work/logs/strace.status")" != "$(cat "$work/logs/tallyman.status")" ]; then
    echo "exit status: strace $(cat "$work/logs/strace.status"), tallyman $(cat "$work/logs/tallyman.status")"
    tail -n 3 "$work/logs/tallyman.errors"
    result=1
fi

# What was missed is traced once more, with stacks: they tell why. That is slow, so for these paths alone.
compare=(python3 "$here/compare.py" --list "$list" "$work/logs/calls" "$work/logs/run.db" "$work/tree")
mapfile -d '' suspects < <("${compare[@]}" --suspects)
if [ "${#suspects[@]}" -gt 0 ]; then
    one stacks "${trace[@]}" -k "${suspects[@]/#/-P}" -o "$work/logs/frames" "$@"
    compare+=(--stacks "$work/logs/frames")
fi
"${compare[@]}" --summary "$work/logs/summary" || result=1
files=$'-\t-'

if [ -n "$built" ]; then
    one plain "$@"
    one again "$@"
    cd "$work/logs" || exit 2
    # Lines common to both plain runs are what a plain build reproduces.
    LC_ALL=C comm -12 <(LC_ALL=C sort plain.sums) <(LC_ALL=C sort again.sums) >stable.sums
    changed=$(LC_ALL=C comm -23 stable.sums <(LC_ALL=C sort tallyman.sums) | wc -l)
    total=$(wc -l <plain.sums)
    echo "files after the run: $total, reproducible $(wc -l <stable.sums), changed by tallyman $changed"
    files=$(wc -l <stable.sums)$'\t'$changed
    if [ "$changed" != 0 ]; then
        LC_ALL=C comm -23 stable.sums <(LC_ALL=C sort tallyman.sums) | cut -c67- | head -n "$list"
        result=1
    fi
fi
[ -z "$summary" ] || echo "$(cat "$work/logs/summary")"$'\t'"$files" >"$summary"
exit "$result"
