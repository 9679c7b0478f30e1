#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# Runs of root and of others: programs that gain privileges, and those that hide their memory.
# shellcheck source-path=SCRIPTDIR source=witness.sh
. "$(dirname "$0")/witness.sh"

if [ "$(id -u)" != 0 ]; then
    skip "programs that gain privileges" "not root, so nobody else can be acted as"
    finish
fi
other=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/ TALLYMAN_RUNTIME_DIR=/tmp)
spots() { ask "SELECT count(*) > 0 FROM blind_spot WHERE class = '$1'"; }

# others COMMAND...: a run of another user's.
others() {
    rm -f "$work/run.db" run.db
    "${other[@]}" "$TALLYMAN" run -q --witness gaps -o "$PWD/run.db" -- "$@"
    cp run.db "$work/run.db"
}

# set_id NAME: a copy of that program that acts as root for everybody.
set_id() {
    fresh
    chmod 777 .
    cp "$(command -v "$1")" .
    chmod 4755 "$1"
}

# --- root's

set_id id
is "in root's run a program gains privileges" "$(audit "${other[@]}" ./id -u)" 0
is "the record says what kind of program it is" \
    "$(ask "SELECT DISTINCT shim FROM process WHERE exe IN (SELECT id FROM subject WHERE name LIKE '%/id')")" secure
is "and that its variables were not watched" "$(spots unread-environment)" 1
set_id id
is "what has its rights already gains none" "$(audit ./id -u)" 0
is "and gets the shim" "$(ask "SELECT DISTINCT shim FROM process WHERE command = './id -u'")" loaded
set_id cat
chmod 600 u.txt
is "what it alone may read it reads" "$(audit "${other[@]}" ./cat u.txt)" hi
is "and that is seen" "$(saw read u.txt)" 1
fresh
is "in root's run a program may hide its memory" "$(audit "$programs/other_cases" hidden && echo did)" did
is "what it opens is seen" "$(saw read u.txt)" 1

# --- another user's

set_id id
is "in another user's run no program gains privileges" "$(others ./id -u)" 65534
is "the record says so" "$(spots unprivileged)" 1
like "and which one" "$(ask "SELECT detail FROM blind_spot WHERE class = 'unprivileged'")" "/id$"
fresh
chmod 777 .
is "a static program works there" "$(others busybox cat u.txt)" hi
is "what it opens is seen" "$(saw read u.txt)" 1
fresh
chmod 777 .
is "a program that hides its memory works" "$(others "$programs/other_cases" hidden && echo did)" did
is "what it opens cannot be read" "$(saw read u.txt)" 0
is "and that is never taken for clean" "$(spots unreadable) $(evidence)" "1 incomplete"
fresh
chmod 777 .
rm -f run.db
is "a run in another user's container works" \
    "$("${other[@]}" unshare -r "$TALLYMAN" run -q --witness gaps -o "$PWD/run.db" -- busybox cat u.txt)" hi
cp run.db "$work/run.db"
is "what it opens there is seen" "$(saw read u.txt)" 1

# --- yama: only those above a process may trace it, which a supervisor is

scope=/proc/sys/kernel/yama/ptrace_scope
if [ ! -w "$scope" ]; then
    skip "another user's run under yama" "this kernel has no yama"
    finish
fi
before=$(cat "$scope")
trap 'echo "$before" >"$scope"; rm -rf "$work"' EXIT
echo 1 >"$scope"
fresh
chmod 777 .
is "a static program works under yama" "$(others busybox date +%Y >/dev/null && echo did)" did
is "its clock is seen" "$(ask "SELECT count(*) > 0 FROM v_access WHERE channel = 'clock'")" 1
is "for its vDSO was taken away" "$(spots vdso-clock)" 0
finish
