#!/bin/bash
# SPDX-License-Identifier: MIT
#
# `tallyman run` around its command: statuses, descriptors, environment, where the shim lies, what is
# left behind.
# shellcheck source=../e2e/tap.sh disable=SC1091
. "$(dirname "$0")/../e2e/tap.sh"
runtime=$work/runtime
mkdir "$runtime"
export TALLYMAN_RUNTIME_DIR=$runtime

# gives NAME STATUS COMMAND...: the status of the run.
gives() {
    local name=$1 expected=$2
    shift 2
    audit "$@" >/dev/null 2>&1
    is "$name" "$?" "$expected"
}

fresh
gives "the command's status is the run's" 7 sh -c 'exit 7'
gives "death by a signal is 128 and its number" 143 sh -c 'kill -TERM $$'
gives "death by SIGKILL, too" 137 sh -c 'kill -KILL $$'
gives "a command that is not there gives 127" 127 ./nothing-here
gives "a command that is not in PATH gives 127" 127 nothing-here
gives "a file that may not be executed gives 126" 126 ./u.txt
gives "a folder gives 126" 126 ./
printf 'exit 9' >script && chmod +x script
gives "a script without #! runs as a shell would run it" 9 ./script

audit sh -c 'kill -TERM $$' 2>/dev/null
is "the database has status and signal" "$(ask 'SELECT exit_status, signal FROM run')" "143|15"
is "and so has the process" "$(ask 'SELECT signal FROM process')" 15

# What the command finds.
env >"$work/before"
audit env >"$work/after"
is "the environment is the same, byte by byte" "$(grep -v '^_=' "$work/after")" "$(grep -v '^_=' "$work/before")"
is "descriptors 3 to 9 pass through" \
    "$(audit bash -c 'for i in 3 4 5 6 7 8 9; do cat <&$i; done' 3<u.txt 4<u.txt 5<u.txt 6<u.txt 7<u.txt 8<u.txt 9<u.txt | wc -l)" 7
list='import os; print(sorted(int(f) for f in os.listdir("/proc/self/fd")))'
is "no other descriptor is open" "$(audit python3 -c "$list")" "$(python3 -c "$list")"
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    eval "python3 -c 'import os,sys; open(sys.argv[1], \"w\").write(str([os.path.exists(\"/proc/self/fd/%d\" % i) for i in range(3)]))' $work/plain $closed"
    eval "audit python3 -c 'import os,sys; open(sys.argv[1], \"w\").write(str([os.path.exists(\"/proc/self/fd/%d\" % i) for i in range(3)]))' $work/audited $closed"
    is "a caller without $closed has a command without it" "$(cat "$work/audited")" "$(cat "$work/plain")"
    is "and its records are kept ($closed)" "$(evidence)" incomplete
done
"$TALLYMAN" run -q -o "$work/run.db" -- sh -c 'sleep 4 >/dev/null 2>&1 7>&- & echo now' 7>&1 |
    { cat >/dev/null; date +%s%N >"$work/eof"; }
check "a pipe ends with the command, not with what tallyman does after it" \
    test $(($(date +%s%N) - $(cat "$work/eof"))) -gt 1000000000
signals='grep -E "^Sig(Ign|Blk)" /proc/self/status'
is "ignored and blocked signals are the same" "$(audit sh -c "$signals")" "$(sh -c "$signals")"
is "also where the caller ignores SIGCHLD" \
    "$(trap '' CHLD; audit sh -c "$signals")" "$(trap '' CHLD; sh -c "$signals")"
(trap '' CHLD; exec "$TALLYMAN" run -q -o "$work/run.db" -- sh -c 'exit 7')
is "whose status still counts" "$?" 7
is "standard output and error are the command's alone" \
    "$(audit sh -c 'echo out; echo err >&2' 2>&1)" $'out\nerr'

# Survivors.
start=$(date +%s%N)
"$TALLYMAN" run -q --grace 200 -o "$work/run.db" -- sh -c 'sleep 30 & :' </dev/null
elapsed=$((($(date +%s%N) - start) / 1000000))
check "a process that stays does not hold the run" test "$elapsed" -lt 3000
like "but is listed" "$(sqlite3 "$work/run.db" "SELECT detail FROM blind_spot WHERE class = 'survivor'")" 'pid [0-9]+: sleep 30'
rm -f "$work/run.db"
audit sh -c '(sleep 0.5; cat u.txt) & exit 3' >/dev/null
is "what a child does within the grace time is there" "$(saw read u.txt)" 1
is "without a survivor" "$(ask "SELECT count(*) FROM blind_spot WHERE class = 'survivor'")" 0
(sleep 20 & exec "$TALLYMAN" run -q -o "$work/own.db" -- true)
is "a child that the caller had is no survivor" \
    "$(sqlite3 "$work/own.db" "SELECT count(*) FROM blind_spot WHERE class = 'survivor'")" 0
is "no folder is left behind" "$(ls "$runtime")" ""

# Where things lie.
odd="$work/a b:c"
mkdir -p "$odd"
cp "$TALLYMAN_SHIM" "$odd/libtallyman.so"
TALLYMAN_SHIM="$odd/libtallyman.so" audit cat u.txt >/dev/null
is "a shim in a folder with a blank and a colon works" "$(saw read u.txt)" 1
is "and its link is removed" "$(ls "$runtime")" ""
TALLYMAN_RUNTIME_DIR=$odd audit cat u.txt >/dev/null
is "a runtime folder with a blank and a colon works" "$(saw read u.txt)" 1
long=$work/$(printf 'q%.0s' $(seq 220))
mkdir "$long"
TALLYMAN_RUNTIME_DIR=$long audit cat u.txt >/dev/null
is "a runtime folder with a long name works" "$(saw read u.txt)" 1
TALLYMAN_SHIM="$odd/libtallyman.so" TALLYMAN_RUNTIME_DIR=$odd audit cat u.txt >/dev/null 2>"$work/err"
is "where no link can be had the run is refused" "$?" 125
like "with the reason" "$(cat "$work/err")" 'blank or a colon'

# Database.
audit true && "$TALLYMAN" run -q -o "$work/run.db" -- sh -c 'cat u.txt' >/dev/null
is "a second run is appended" "$(ask 'SELECT count(*) FROM run')" 2
is "with its own processes" "$(ask 'SELECT count(DISTINCT run) FROM process')" 2
is "and the index of accesses is there" "$(ask "SELECT count(*) FROM sqlite_schema WHERE name = 'access_subject'")" 1
rm -f "$work/two.db"
"$TALLYMAN" run -q -o "$work/two.db" -- sh -c 'sleep 0.3; cat u.txt' >/dev/null &
"$TALLYMAN" run -q -o "$work/two.db" -- sh -c 'sleep 0.3; cat d.txt' >/dev/null
first=$?
wait $!
is "two runs at once into one database both end well" "$first$?" 00
is "and both are in it" "$(sqlite3 "$work/two.db" 'SELECT count(*) FROM run WHERE evidence IS NOT NULL')" 2
is "with no process twice" "$(sqlite3 "$work/two.db" 'SELECT count(*) = count(DISTINCT id) FROM process')" 1
finish
