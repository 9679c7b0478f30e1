#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs that are hard on the log, under a supervisor that drains it meanwhile: all that they did is
# in the database, once. And supervisors that stand still, or die.
# shellcheck source=../e2e/tap.sh disable=SC1091
. "$(dirname "$0")/../e2e/tap.sh"
stress=$TALLYMAN_BUILD/tests/faults/stress_work
work_names="operation = 'access' AND subject LIKE"

# losses: blind spots of the last run that mean that something is missing.
losses() {
    ask "SELECT group_concat(class) FROM blind_spot WHERE class <> 'witness-off'"
}

# begin SCRIPT: a shell script as the build, in the background; $tool is the supervisor's pid. The script
# writes to the pipe `ready` and reads from `gate`, so that nothing depends on the machine's speed.
begin() {
    rm -f "$work/run.db"
    "$TALLYMAN" run --quiet --witness off -o "$work/run.db" -- sh -c "$1" >"$work/output" 2>"$work/errors" &
    tool=$!
}

# await PIPE: until the build has come to where it opens that pipe.
await() {
    timeout 120 cat "$1" >/dev/null || echo "# the build did not come to $1"
}

fresh
audit "$stress" processes 64 500
is "64 processes that write at once end well" "$?" 0
is "every name of theirs is there" \
    "$(ask "SELECT count(DISTINCT subject) FROM v_access WHERE $work_names '/stress/name-%'")" 32000
is "once" "$(ask "SELECT sum(count) FROM v_access WHERE $work_names '/stress/name-%'")" 32000
is "and nothing is lost" "$(losses)" ""

handled=$(audit "$stress" timer 200000)
is "200000 opens beside a timer are counted" "$(saw read /etc/hostname)" 200000
is "and so are those of its handler" "$(saw read /etc/hosts)" "$handled"
is "without loss" "$(losses)" ""

audit "$stress" aloud 200 >"$work/said"
while read -r round last; do
    [ "$last" -lt 0 ] || echo "$round $((last + 1))"
done <"$work/said" >"$work/expected"
sqlite3 -readonly -separator ' ' "$work/run.db" "SELECT subject FROM v_access
    WHERE $work_names '/stress/aloud-%'" | sed 's/.*aloud-//; s/-/ /' | sort -k1n -k2n >"$work/there"
is "what 200 killed processes had said is in the database" "$(awk '
    NR == FNR { there[$1, $2] = 1; next }
    { for (i = 0; i < $2; i++) missing += !(($1, i) in there) }
    END { print missing + 0 }' "$work/there" "$work/expected")" 0
is "and each had come as far as that" "$(wc -l <"$work/expected")" 200

# Where a small tmpfs can be had, the log is small, too, and writers wait for the reader.
small=$work/small
mkdir "$small"
if mount -t tmpfs -o size=4m tmpfs "$small" 2>/dev/null; then
    trap 'umount -l "$small"; rm -rf "$work"' EXIT
    export TALLYMAN_RUNTIME_DIR=$small
    mkfifo ready gate
    begin ": >ready; read -r go <gate; exec $stress processes 8 5000"
    await ready
    kill -STOP $tool
    echo go >gate
    sleep 2
    kill -CONT $tool
    wait $tool
    is "a build goes on after its supervisor stood still for two seconds" "$?" 0
    is "and nothing is missing from a log of two MiB" "$(ask "SELECT count(DISTINCT subject),
        sum(count) FROM v_access WHERE $work_names '/stress/name-%'")" "40000|40000"
    is "or counted as lost" "$(losses)" ""

    audit "$stress" ticking 40000
    is "signals do not shorten the wait for room" \
        "$(ask "SELECT count(DISTINCT subject) FROM v_access WHERE $work_names '/stress/ticking-%'")" \
        40000
    is "and cost no record" "$(losses)" ""

    begin ": >ready; read -r go <gate; $stress processes 8 5000 && : >ready"
    await ready
    kill -STOP $tool
    echo go >gate
    check "a build does not wait for ever for a supervisor that stands still" timeout 120 cat ready
    kill -CONT $tool
    wait $tool
    is "and ends as without" "$?" 0
    like "and what it lost is not hidden" "$(losses)" lost-records

    begin "$stress processes 8 250; $stress processes 8 5000 & : >ready; wait; read -r go <gate
        echo the build went on >&2"
    await ready
    kill -KILL $tool
    wait $tool 2>/dev/null
    timeout 120 sh -c 'echo go >gate'
    for _ in $(seq 200); do
        grep -q 'went on' "$work/errors" && break
        sleep 0.1
    done
    like "a build goes on after its supervisor was killed" "$(cat "$work/errors")" 'went on'
    check "what there was can be recovered" "$TALLYMAN" recover "$small"/tallyman-* -o "$work/run.db"
    is "and says that it is not all" "$(evidence)" incomplete
    check "with all that was written" test "$(ask "SELECT count(*) FROM v_access
        WHERE $work_names '/stress/name-%'")" -gt 1000
else
    skip "a build goes on after its supervisor stood still" "no right to mount a tmpfs"
fi
finish
