#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# Process ids of other namespaces and used again, a missing /proc, another root.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"
export TALLYMAN work

if [ "$(id -u)" != 0 ] || ! unshare -mpf true 2>/dev/null; then
    skip "namespaces and roots" "no mount namespace can be had here"
    finish
fi

# same NAME SCRIPT: as plainly; $A in the script is the prefix.
same() {
    local plain audited
    rm -f "$work/run.db"
    plain=$(A='' timeout 60 sh -c "$2" 2>&1 </dev/null; echo "status $?")
    audited=$(A="$TALLYMAN run -q --witness off -o $work/run.db --" timeout 60 sh -c "$2" 2>&1 </dev/null; echo "status $?")
    is "$1" "$audited" "$plain"
}

fresh
same "F12: a run works where /proc is that of other processes" 'unshare -pf $A sh -c "cat u.txt; exit 3"'
is "F12: and records there" "$(saw read u.txt)" 1
same "F12: a program with process ids of its own works" '$A unshare -rpf cat u.txt'
is "F12: and is seen" "$(saw read u.txt)" 1
same "F12: a program works where /proc is gone" \
    '$A unshare -m sh -c "umount -l /proc; cat u.txt; cd /; cat \"\$OLDPWD/d.txt\""'
is "F12: and is seen (no /proc)" "$(saw read u.txt) $(saw read d.txt)" "1 1"
same "F12: a run works where /proc is gone" 'unshare -m sh -c "umount -l /proc; \$A cat u.txt"'

same "F20: a tree of process ids below another works" '$A sh -c "unshare -rpf sh -c \"cat u.txt; sh -c \\\"cat d.txt\\\"; exit 4\""'
is "F20: what it did is joined to who did it" \
    "$(ask "SELECT count(*) FROM v_access WHERE operation = 'read' AND (command = 'cat u.txt' AND subject LIKE '%/u.txt'
        OR command = 'cat d.txt' AND subject LIKE '%/d.txt')")" 2
is "F20: and each process to its parent" \
    "$(ask "SELECT count(*) FROM process WHERE parent IS NULL")" 1

if unshare -pf --mount-proc sh -c 'echo 400 >/proc/sys/kernel/pid_max' 2>/dev/null &&
    [ "$(unshare -pf --mount-proc sh -c 'echo 400 >/proc/sys/kernel/pid_max; exec cat /proc/sys/kernel/pid_max')" = 400 ] &&
    [ "$(cat /proc/sys/kernel/pid_max)" != 400 ]; then
    rm -f "$work/run.db"
    unshare -pf --mount-proc sh -c 'echo 400 >/proc/sys/kernel/pid_max
        exec "$TALLYMAN" run -q --witness off -o "$work/run.db" -- sh -c "for i in \$(seq 2000); do /bin/true; done"'
    is "F19: two thousand processes with four hundred ids are two thousand" \
        "$(ask "SELECT count(*) || ' ' || (count(DISTINCT pid) < 400) FROM process WHERE command = '/bin/true'")" "2000 1"
else
    skip "F19: process ids that are used again" "no namespace with few process ids can be had here"
fi

# A root with cat, and one with busybox, which is static.
mkdir -p root/bin root/lib64 root/lib/x86_64-linux-gnu
cp /bin/cat root/bin
for file in $(ldd /bin/cat | grep -oE '/lib[^ ]+'); do cp -L "$file" "root$file"; done
echo inside >root/a
same "F21: a program in another root prints nothing that it would not" '$A chroot root /bin/cat /a'
is "F21: and the change of the root is a blind spot, or what it did is seen under the true name" \
    "$(ask "SELECT EXISTS (SELECT 1 FROM blind_spot WHERE class IN ('changed-root', 'stripped')) OR
        EXISTS (SELECT 1 FROM v_access WHERE operation = 'read' AND subject LIKE '%/root/a')")" 1
is "F21: never as a file of the same name outside" "$(ask "SELECT count(*) FROM v_access WHERE subject = '/a'")" 0
same "F21: a process that goes on in another root works" \
    '$A perl -e "chroot \"root\" or die; chdir \"/\"; open F, \"<\", \"/a\" or die; print <F>"'
is "F21: and is a blind spot, or seen under the true name" \
    "$(ask "SELECT EXISTS (SELECT 1 FROM blind_spot WHERE class = 'changed-root') OR
        EXISTS (SELECT 1 FROM v_access WHERE operation = 'read' AND subject LIKE '%/root/a')")" 1

mounts=$(cat /proc/self/mountinfo)
audit sh -c 'exit 0'
is "H4: a run leaves no mount behind" "$(cat /proc/self/mountinfo)" "$mounts"

# --- B10: a daemon that answers

if command -v nscd >/dev/null && [ ! -e /run/nscd/socket ]; then
    mkdir -p "$work/nscd"
    check "B10: asking nscd is a question that is seen" unshare -m sh -c '
        mount -t tmpfs none /run && mkdir /run/nscd && { nscd -F >/dev/null 2>&1 & } && nscd=$!
        for i in 1 2 3 4 5 6 7 8 9 10; do [ -S /run/nscd/socket ] && break; sleep 0.2; done
        [ -S /run/nscd/socket ] || { echo "nscd does not answer"; exit 1; }
        rm -f "$work/run.db"
        "$TALLYMAN" run -q --witness off -o "$work/run.db" -- getent passwd root
        kill $nscd
        sqlite3 -readonly "$work/run.db" "SELECT DISTINCT operation, subject FROM v_access WHERE channel IN (\"identity\", \"network\")"
        test "$(sqlite3 -readonly "$work/run.db" "SELECT count(*) FROM v_access WHERE subject LIKE \"%passwd:root\"")" = 1'
else
    skip "B10: answers from nscd" "no nscd that could be started"
fi
finish
