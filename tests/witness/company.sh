#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# Beside others that look into processes: strace and gdb in the build and around it, another run, and
# containers.
# shellcheck source-path=SCRIPTDIR source=witness.sh
. "$(dirname "$0")/witness.sh"

traced() { grep -c 'open.*"u.txt"' trace; }
spots() { ask "SELECT count(*) > 0 FROM blind_spot WHERE class = '$1'"; }

# --- in the build

fresh
is "strace of a static program in the build works" "$(audit strace -f -o trace busybox cat u.txt)" hi
is "it shows the program's calls" "$(traced)" 1
is "the witness sees them, too" "$(saw read u.txt)" 1
is "and says that it could not go with the program" "$(spots traced)" 1
fresh
is "strace of a program with the shim works" "$(audit strace -f -o trace sh -c 'cat u.txt; busybox cat u.txt')" "hi
hi"
is "each open is seen" "$(saw read u.txt)" 2

fresh
out=$(audit gdb -nx -batch -ex 'break open' -ex run -ex bt -ex delete -ex continue --args "$programs/opener" 3 2>&1)
like "gdb stops a static program where it is told to" "$out" "Breakpoint 1, "
like "and lets it end" "$out" "exited normally"
is "what it opens is seen" "$(saw read u.txt)" 3
fresh
"$programs/opener" &
opener=$!
out=$(audit gdb -nx -batch -ex 'info threads' -ex detach -p "$opener" 2>&1)
like "gdb attaches to a program that runs" "$out" "Thread|process"
kill "$opener"

# --- around it

fresh
is "a run under strace works" "$(strace -f -o trace "$TALLYMAN" run -q --witness gaps -o "$work/run.db" -- \
    sh -c 'cat u.txt; busybox cat d.txt')" "hi
d"
is "with all that it opens" "$(saw read u.txt) $(saw read d.txt)" "1 1"
is "but what strace keeps from it" "$(evidence) $(spots traced)" "incomplete 1"

# --- a run in a run

fresh
inner="$TALLYMAN run -q --witness gaps -o $work/inner.db -- sh -c 'cat u.txt; busybox cat d.txt'"
is "a run in a run works" "$(audit sh -c "$inner")" "hi
d"
is "the inner one has its shim" "$(sqlite3 "$work/inner.db" "SELECT sum(count) FROM v_access
    WHERE operation = 'read' AND subject = '$PWD/u.txt' AND source = 'shim'")" 1
like "and says why it has no witness" "$(sqlite3 "$work/inner.db" "SELECT detail FROM blind_spot
    WHERE class = 'witness-off'")" "has a listener already"
is "the outer one sees what the inner one misses" "$(saw read d.txt)" 1
is "and what it sees" "$(ask "SELECT count(*) > 0 FROM v_access WHERE operation = 'read' AND subject = '$PWD/u.txt'")" 1

# --- containers

if unshare -r -m true 2>/dev/null; then
    fresh
    is "a build in a container works" "$(audit unshare -r -m busybox cat u.txt)" hi
    is "what it opens is seen" "$(saw read u.txt)" 1
    fresh
    is "a run in a container works" "$(unshare -r "$TALLYMAN" run -q --witness gaps -o "$work/run.db" -- busybox cat u.txt)" hi
    is "what it opens there is seen" "$(saw read u.txt)" 1
else
    skip "a build in a container works" "no user namespace can be had here"
fi
finish
