# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by the scripts of this folder: tap.sh, runs in the background, and the processes they are
# made of.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/tap.sh"
export TALLYMAN_WITNESS=gaps TALLYMAN_RUNTIME_DIR=$work/runtime
mkdir "$TALLYMAN_RUNTIME_DIR"
chmod 755 "$work"

# Until the command succeeds, ten seconds at most.
until_so() {
    local i=0
    while ! "$@" >/dev/null 2>&1; do
        i=$((i + 1))
        [ "$i" -lt 500 ] || { echo "never: $*"; return 1; }
        sleep 0.02
    done
}

gone() { [ ! -e "/proc/$1" ]; }

# start COMMAND...: a run in the background, $run; its output in $work/out and $work/err.
start() {
    rm -rf "$work/run.db" "${TALLYMAN_RUNTIME_DIR:?}"/*
    "$TALLYMAN" run --quiet --witness "$TALLYMAN_WITNESS" -o "$work/run.db" -- "$@" \
        >"$work/out" 2>"$work/err" </dev/null &
    run=$!
}

# guard_of PID: the process that stands by for that run. It takes its name once it runs itself.
guard_of() {
    local i=0
    until pgrep -P "$1" -x tallyman-guard; do
        i=$((i + 1))
        [ "$i" -lt 500 ] || break
        sleep 0.02
    done
}
export -f guard_of

# A build that opens u.txt 50 times a turn, in a static program, and writes a line to "turns" before;
# until there is a file "stop". Its status is 7, its last file "ended".
busy_build() {
    cat >busy.sh <<SHELL
while [ ! -e stop ]; do
    echo turn >>turns
    "$programs/opener" 50 || echo "failed: \$?"
done
echo done
: >ended
exit 7
SHELL
}

turns() { wc -l <turns; }
more_turns() { [ "$(turns)" -gt "$1" ]; }
# start_busy [SHELL...]
start_busy() {
    fresh
    busy_build
    start "${@:-sh}" busy.sh
    until_so test -s turns
}

# end_run: lets the busy build end; $status is that of the run.
end_run() {
    : >stop
    wait "$run" 2>/dev/null
    # shellcheck disable=SC2034  # of the scripts
    status=$?
}
