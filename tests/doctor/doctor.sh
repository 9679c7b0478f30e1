#!/bin/bash
# SPDX-License-Identifier: MIT
# tallyman doctor on this machine, and on this machine made ill: by filters that refuse calls, limits,
# another listener, another user, missing folders.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"
: "${REFUSE:?names the program that refuses calls}"
fresh
status=

# examine [WRAPPER...]: the doctor under a wrapper; its JSON in out.json, its exit status in $status.
examine() {
    "$@" "$TALLYMAN" doctor --json --limit "${limit:-10}" -o "${database:-$work/tree/x.db}" >out.json 2>err
    status=$?
}

# of ID KEY: from the last examination.
of() {
    jq -r --arg id "$1" --arg key "$2" '.probes[] | select(.id == $id) | .[$key]' out.json
}

# refused RULE...: examines under a filter.
refused() {
    examine "$REFUSE" "$@" --
}

# --- as it is
examine
is "the machine of this test is well" "$status" 0
is "JSON has the version of its form" "$(jq .schema_version out.json)" 1
is "JSON has these keys" "$(jq -r 'keys | join(" ")' out.json)" \
    "administrator kernel machine probes schema_version seccomp_filters tool user works"
is "each trial has these keys" "$(jq -r '[.probes[] | keys | join(" ")] | unique | .[]' out.json)" \
    "answer cost cure detail essential id numbers title"
is "each trial has an answer" "$(jq '[.probes[] | select(.answer | IN("yes", "limited", "no") | not)] | length' out.json)" 0
is "ids are stable" "$(jq -r '[.probes[].id] | join(" ")' out.json)" \
    "runtime_directory database shim shim32 listener wait_killable sync_wake_up memory door notification static_program vdso user_namespace mount_namespace pid_namespace net_namespace ipc_namespace uts_namespace cgroup_namespace time_namespace bind_mount overlay_mount proc_mount landlock"
is "no trial that says yes has a cure" "$(jq '[.probes[] | select(.answer == "yes" and .cure)] | length' out.json)" 0
is "the shim reported in" "$(of shim answer)" yes
like "the witness got a call" "$(of listener answer)" "yes|limited"
check "a report costs a measured time" jq -e '.probes[] | select(.id == "notification") | .numbers |
    .median_us > .plain_us and .low_us <= .median_us and .median_us <= .high_us and .calls == 2000' out.json
is "a static program lost its vDSO" "$(of vdso answer)" yes
is "nothing is left in the folder" "$(find . -name '*tallyman*')" ""
"$TALLYMAN" doctor >text
is "text has a line for each trial" "$(grep -cE '^(yes|limited|no) ' text)" "$(jq '.probes | length' out.json)"
is "text has no colour in a file" "$(grep -c $'\033' text)" 0
if command -v script >/dev/null; then
    TERM=xterm script -qec "$TALLYMAN doctor" /dev/null </dev/null >coloured 2>/dev/null
    like "text has colour on a terminal" "$(cat coloured)" $'\033\\[32myes'
    TERM=xterm NO_COLOR=1 script -qec "$TALLYMAN doctor" /dev/null </dev/null >plain 2>/dev/null
    is "and none with NO_COLOR" "$(grep -c $'\033' plain)" 0
else
    skip "text has colour on a terminal" "no script(1)"
fi
"$TALLYMAN" doctor word >out 2>err
is "a word is wrong usage" $? 2
"$TALLYMAN" doctor --limit 0 >out 2>err
is "no time at all is wrong usage" $? 2
"$TALLYMAN" doctor >/dev/full 2>err
is "output that cannot be written is a failure" $? 125

# --- the listener
refused seccomp=ENOSYS
is "without seccomp(2) the main job cannot be done" "$status $(of listener answer)" "1 no"
like "and the kernel's age is named" "$(of listener detail)" "no seccomp listener"
is "the shim works all the same" "$(of shim answer)" yes
like "static programs are then not seen" "$(of static_program answer) $(of static_program cure)" "no see"
refused seccomp=EPERM
is "with seccomp(2) refused the main job cannot be done" "$status $(of listener answer)" "1 no"
like "and the container's option is named" "$(of listener cure)" "docker run --security-opt seccomp"
refused 'seccomp:1&32=EINVAL'
is "without WAIT_KILLABLE_RECV the witness works" "$status $(of wait_killable answer)" "0 no"
like "and the kernel to have is named" "$(of wait_killable cure)" "Linux 5.19"
refused 'ioctl:1&0x40082104=EINVAL'
is "without SYNC_WAKE_UP the witness works" "$status $(of sync_wake_up answer)" "0 no"
refused swapon=WAIT
is "a listener above us is in the way" "$status $(of listener answer)" "1 no"
like "which is explained" "$(of listener detail)" "has a listener already"
like "with a way out" "$(of listener cure)" "outside the other"

examine "$TALLYMAN" run --quiet --witness gaps -o run.db --
is "within another run the shim works and the witness does not" "$status $(of shim answer) $(of listener answer)" "1 yes no"
like "which is explained, too" "$(of listener detail)" "another tallyman"
like "as are the trials that need it" "$(of notification detail), $(of vdso detail)" "no listener, there is no listener"

# --- memory and tracing
refused process_vm_readv=EPERM
is "without process_vm_readv memory is read from its file" "$status $(of memory answer)" "0 limited"
refused process_vm_readv=ENOSYS pread64:2:16=EACCES # sixteen bytes: what the trial reads
is "without both ways the main job cannot be done" "$status $(of memory answer)" "1 no"
refused ptrace=EPERM
is "without ptrace the vDSO stays" "$(jq .works out.json) $(of vdso answer)" "true no" # the leak checker needs ptrace, too
like "and the container's option is named" "$(of vdso cure)" "SYS_PTRACE"
refused ptrace=ENOSYS
like "a kernel without ptrace is told apart" "$(of vdso detail)" "not implemented"

# --- namespaces
refused unshare=EPERM
is "without unshare there are no namespaces" "$status $(of user_namespace answer) $(of net_namespace answer)" "0 no no"
like "and the container's option is named" "$(of user_namespace cure)" "seccomp=unconfined"
refused unshare=EINVAL
like "a kernel without namespaces is told apart" "$(of pid_namespace cure)" "a kernel that was built with it"
refused mount=EPERM
is "a namespace without rights is none" "$(of user_namespace answer) $(of mount_namespace answer)" "no no"
if unshare -Ur true 2>/dev/null; then
    like "and the step is named" "$(of user_namespace detail)" "a mount in it"
else
    skip "and the step is named" "no user namespace can be had here"
fi
refused 'unshare:0&0x10000000=EPERM'
if [ "$(id -u)" = 0 ]; then
    is "root has namespaces without a user namespace" "$(of user_namespace answer) $(of uts_namespace answer)" "no limited"
else
    is "without a user namespace there are no others" "$(of user_namespace answer) $(of uts_namespace answer)" "no no"
fi
for pair in mount:0x20000 pid:0x20000000 net:0x40000000 ipc:0x8000000 uts:0x4000000 cgroup:0x2000000 time:0x80; do
    refused "unshare:0&${pair#*:}=EINVAL"
    is "a kernel without ${pair%:*} namespaces is found out" "$(of "${pair%:*}_namespace" answer)" no
done
# shellcheck disable=SC2016  # the inner shell's
if unshare -Ur true 2>/dev/null; then
    examine unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"' -
    like "a limit of zero namespaces is named" "$(of user_namespace detail)" "max_user_namespaces is 0"
    like "with the command that lifts it" "$(of user_namespace cure)" "sysctl user.max_user_namespaces="
else
    skip "a limit of zero namespaces is named" "no user namespace can be had here"
fi

# --- Landlock
refused landlock_create_ruleset=ENOSYS
is "without Landlock the main job is done" "$status $(of landlock answer)" "0 no"
refused landlock_create_ruleset=EOPNOTSUPP
like "Landlock that was not started is told apart" "$(of landlock detail)" "started without it"
refused landlock_restrict_self=EPERM
like "Landlock that cannot be used is none" "$(of landlock detail)" "cannot be used"

# --- trials that do not come back
refused landlock_create_ruleset=KILL
is "a trial that is killed does not take the doctor along" "$status $(of landlock answer)" "0 no"
like "and the signal is named" "$(of landlock detail)" "SYS"
started=$SECONDS
limit=1 refused landlock_create_ruleset=WAIT
like "a trial that hangs is given up" "$(of landlock detail)" "no answer within 1 s"
check "in time" test $((SECONDS - started)) -lt 20
is "and the others are not affected" "$(of shim answer)" yes

# --- places
TALLYMAN_RUNTIME_DIR=/nonexistent examine
is "without a runtime folder nothing can be recorded" "$status $(of runtime_directory answer)" "1 no"
like "and the folder is named" "$(of runtime_directory detail)" "/nonexistent"
refused fallocate=ENOSPC
is "a full runtime folder is found out" "$status $(of runtime_directory answer)" "1 no"
# shellcheck disable=SC2016
examine bash -c '(ulimit -f 0; exec "$@") | cat' -
is "a limit on the size of files is found out" "$(of runtime_directory answer) $(of database answer)" "no no"
database=/nonexistent/x.db examine
is "a folder that is not there holds no database" "$status $(of database answer)" "1 no"
echo "not a database, and long enough to be told so by its first bytes, which are text" >x.db
examine
is "a file that is no database is left alone" "$status $(of database answer)" "1 no"
like "and is still what it was" "$(cat x.db)" "^not a database"
rm x.db
TALLYMAN_SHIM=/nonexistent examine
is "without the shim the main job cannot be done" "$status $(of shim answer)" "1 no"
echo >nothing.so
TALLYMAN_SHIM=$PWD/nothing.so examine
is "a shim that the loader refuses is found out" "$status $(of shim answer)" "1 no"
like "and the loader is quoted" "$(of shim detail)" "The loader says"

# --- another user
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work" "$work/tree"
    rm -f out.json
    examine setpriv --reuid 65534 --regid 65534 --clear-groups --
    is "a stranger's folder holds no database" "$status $(of database answer)" "1 no"
    is "an ordinary user's witness has its limits" "$(of listener answer)" limited
    like "which are named" "$(of listener detail)" "no_new_privs"
    mkdir -m 777 open
    database=$work/tree/open/x.db examine setpriv --reuid 65534 --regid 65534 --clear-groups --
    is "an ordinary user does the main job" "$status" 0
    # shellcheck disable=SC2016
    database=$work/tree/open/x.db examine setpriv --reuid 65534 --regid 65534 --clear-groups -- \
        bash -c 'ulimit -u 0; exec "$@"' -
    is "without room for a process there is an answer" "$status" 1
    like "and the reason" "$(of shim detail)" "cannot start a process"
else
    skip "an ordinary user does the main job" "not root, so there is no other user to be"
fi
finish
