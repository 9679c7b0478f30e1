#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# What outlives the run, and a log that the build cuts off.
# shellcheck source-path=SCRIPTDIR source=witness.sh
. "$(dirname "$0")/witness.sh"

# --- a process that is left behind

fresh
before=$(date +%s%N)
"$TALLYMAN" run --quiet --witness gaps --grace 100 -o "$work/run.db" -- bash -c \
    "\"$programs/left_behind\" >child; guard_of \$PPID >guard" 2>"$work/err" | cat
check "a run ends though a process that it leaves behind goes on" \
    test $(($(date +%s%N) - before)) -lt 8000000000
check "that process lives" test -e "/proc/$(cat child)"
check "and the one that answers its calls" test -e "/proc/$(cat guard)"
is "the evidence is not complete" "$(evidence)" incomplete
is "and says who is left" "$(ask "SELECT count(*) FROM blind_spot WHERE class = 'survivor'")" 1
: >go
check "what is left behind goes on working" until_so test -e went
is "as it would without" "$(cat went)" opened
check "the one that answers ends with it" until_so gone "$(cat guard)"

fresh
audit bash -c 'guard_of $PPID >guard; exit 3'
is "a run that leaves nothing behind ends" $? 3
check "and leaves no process of its own" gone "$(cat guard)"

# --- the log is cut off

# cut_log NAME COMMAND...: while a build without shim runs, its log the last argument of the command.
cut_log() {
    local name=$1 before
    shift
    start_busy busybox sh
    "$@" "$(echo "$TALLYMAN_RUNTIME_DIR"/tallyman-*/log)"
    before=$(turns)
    check "$name: the build goes on" until_so more_turns $((before + 2))
    end_run
    is "$name: and ends with its own status" "$status $(cat "$work/out")" "7 done"
    is "$name: the evidence is not complete" "$(evidence)" incomplete
    is "$name: records were lost" "$(ask "SELECT count(*) > 0 FROM blind_spot
        WHERE class IN ('lost-records', 'damaged-log')")" 1
}

cut_and_fill() { truncate -s 0 "$1" && truncate -s 64M "$1"; }
cut_log "cut off" truncate -s 0
cut_log "cut off and filled" cut_and_fill
finish
