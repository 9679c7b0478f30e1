#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Signals on their way through `tallyman run`.
# shellcheck source=../e2e/tap.sh disable=SC1091
. "$(dirname "$0")/../e2e/tap.sh"

# Each line of the file is one signal that reached the command.
command='trap "echo INT >>got" INT; trap "echo TERM >>got; exit 4" TERM; trap "echo HUP >>got; exit 5" HUP; touch ready; while :; do sleep 0.05; done'

# A shell without job control starts what is in the background with INT ignored; env undoes that.
# begin: the command runs in a group of its own; $tool is tallyman's pid.
begin() {
    fresh
    rm -f "$work/run.db"
    setsid env --default-signal=INT,QUIT "$TALLYMAN" run -q -o "$work/run.db" -- sh -c "$command" >/dev/null 2>&1 </dev/null &
    tool=$!
    for _ in $(seq 100); do
        [ -e ready ] && return
        sleep 0.05
    done
}

got() {
    cat got 2>/dev/null | tr '\n' ' '
}

begin
kill -TERM $tool
wait $tool
is "TERM to tallyman alone reaches the command, whose status counts" "$?" 4
is "once" "$(got)" "TERM "
is "the database says that it was interrupted" "$(ask 'SELECT interrupted, evidence FROM run')" "15|complete"

begin
kill -HUP $tool
wait $tool
is "HUP likewise" "$? $(got)" "5 HUP "

begin
kill -TERM -- -$tool
wait $tool
is "TERM to the whole group is not sent on a second time" "$? $(got)" "4 TERM "

begin
kill -INT $tool
sleep 0.6
is "a command may survive INT" "$(got)" "INT "
kill -TERM $tool
wait $tool
is "and end at another signal" "$?" 4

fresh
rm -f "$work/run.db"
setsid env --default-signal=INT,QUIT "$TALLYMAN" run -q -o "$work/run.db" -- sh -c 'trap "" INT TERM; touch ready; (trap "" TERM INT; while :; do sleep 0.05; done) & while :; do sleep 0.05; done' >/dev/null 2>&1 </dev/null &
tool=$!
for _ in $(seq 100); do [ -e ready ] && break; sleep 0.05; done
kill -INT $tool
sleep 0.5
start=$(date +%s%N)
kill -INT $tool
wait $tool
status=$?
elapsed=$((($(date +%s%N) - start) / 1000000))
is "the second INT ends a command that ignores it" "$status" 137
check "within seven seconds with all that it started" test "$elapsed" -lt 7000
is "and the database is complete as far as it went" "$(ask 'SELECT exit_status, signal, interrupted FROM run')" "137|9|2"

begin
kill -TSTP $tool
sleep 0.3
is "TSTP stops tallyman" "$(cut -d' ' -f3 /proc/$tool/stat)" T
kill -CONT $tool
sleep 0.2
kill -TERM $tool
wait $tool
is "and CONT lets it go on" "$?" 4

# A terminal: what is typed reaches the command once, by the kernel.
if command -v python3 >/dev/null; then
    fresh
    rm -f "$work/run.db"
    out=$(python3 - "$TALLYMAN" "$work/run.db" <<'PYTHON'
import os, pty, sys, time
pid, master = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["tallyman", "run", "-q", "-o", sys.argv[2], "--", "sh", "-c",
             'trap "echo INT >>got; exit 6" INT; touch ready; while :; do sleep 0.05; done'])
for _ in range(100):
    if os.path.exists("ready"):
        break
    time.sleep(0.05)
os.write(master, b"\x03")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON
)
    is "Ctrl-C at a terminal reaches the command once" "$out $(got)" "6 INT "
fi

# Of the shell's own `timeout`, which sends to its child and then to the group.
fresh
rm -f "$work/run.db"
timeout --preserve-status -s INT 1 "$TALLYMAN" run -q -o "$work/run.db" -- \
    sh -c 'trap "echo got >>got; exit 5" INT; sleep 9 & wait'
is "timeout(1) ends a run as it ends the command" "$? $(got)" "5 got "
finish
