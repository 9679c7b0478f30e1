#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The supervisor, or the process that stands by for it, stands still or dies while the build's calls
# wait for it.
# shellcheck source-path=SCRIPTDIR source=witness.sh
. "$(dirname "$0")/witness.sh"

# --- stopped

start_busy
kill -STOP "$run"
sleep 0.3
before=$(turns)
sleep 0.5
is "while the supervisor stands still the build waits" "$(turns)" "$before"
kill -CONT "$run"
check "and goes on with it" until_so more_turns "$before"
end_run
is "the build's own status is handed on" "$status" 7
is "no call failed" "$(cat "$work/out")" "done"
is "and every one was recorded" "$(saw read u.txt)" $((50 * $(turns)))

# --- killed

# kill_supervisor NAME: in the state that it is in; what must hold then.
kill_supervisor() {
    local before
    before=$(turns)
    guard=$(guard_of "$run")
    kill -KILL "$run"
    check "$1: the build goes on" until_so more_turns $((before + 2))
    end_run
    is "$1: the run ends as it was ended" "$status" 137
    check "$1: the build ends" until_so test -e ended
    is "$1: no call of the build failed" "$(cat "$work/out")" "done"
    check "$1: the process that stood by ends with the build" until_so gone "$guard"
}

start_busy
kill_supervisor "killed"
like "killed: a message says what to do" "$(cat "$work/err")" "the supervisor was killed.*tallyman recover"
check "killed: that makes a database" \
    "$TALLYMAN" recover "$TALLYMAN_RUNTIME_DIR"/tallyman-* -o "$work/run.db"
is "killed: with what was seen until then" "$(ask "SELECT count(*) > 0 FROM v_access
    WHERE operation = 'read' AND subject = '$PWD/u.txt' AND source = 'witness'")" 1
is "killed: which is not complete" "$(evidence)" incomplete
is "killed: for that reason" "$(ask "SELECT count(*) FROM blind_spot WHERE class = 'supervisor-died'")" 1

# With a call in its hands that it has not answered, and with programs on their way over an exec.
for moment in 00 01 03 07 13; do
    start_busy
    sleep "0.0$moment"
    kill -STOP "$run"
    sleep 0.1
    kill_supervisor "killed after ${moment#0} hundredths, with a call that waits"
done

# --- a caller that dies

fresh
start sh -c "\"$programs/opener\" & echo \$! >child; wait \$!; echo \$?; \"$programs/opener\" 3; exit 7"
until_so test -s child
child=$(cat child)
kill -STOP "$run"
sleep 0.1
kill -KILL "$child"
check "a caller can be killed while its call waits" until_so test -s "$work/out"
kill -CONT "$run"
wait "$run"
is "and the run goes on" "$? $(cat "$work/out")" "7 137"

# --- the one that stands by

start_busy
kill -KILL "$(guard_of "$run")"
before=$(turns)
check "without the process that stands by the build goes on" until_so more_turns $((before + 2))
end_run
is "and ends as it would" "$status $(cat "$work/out")" "7 done"
is "with all that it did" "$(saw read u.txt)" $((50 * $(turns)))

start_busy
kill -KILL "$(guard_of "$run")" "$run"
check "with nobody left calls fail, and nothing hangs" until_so grep -q failed "$work/out"
end_run
is "the run ends as it was ended" "$status" 137
check "and so does the build" until_so test -e ended
finish
