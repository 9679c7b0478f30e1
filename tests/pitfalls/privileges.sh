#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# Programs that gain privileges, run by a plain user: they work as ever, and are known not to be observed.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

if [ "$(id -u)" != 0 ]; then
    skip "programs with raised privileges" "not root, so no small file system can be mounted"
    finish
fi
plain_user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/ "$@"; }
chmod 755 "$work"

# same NAME COMMAND...: as a plain user, plainly and audited.
same() {
    local name=$1 plain audited
    shift
    chmod 777 .
    rm -f run.db
    plain=$(plain_user timeout 20 "$@" 2>&1 </dev/null; echo "status $?")
    audited=$(plain_user timeout 20 "$TALLYMAN" run -q --witness off -o "$PWD/run.db" -- "$@" 2>&1 </dev/null; echo "status $?")
    is "$name" "$audited" "$plain"
    cp run.db "$work/run.db"
}
secure="SELECT count(*) >= 1 FROM blind_spot WHERE class = 'secure'"

fresh
cp /bin/cat cat
chmod 4755 cat
echo secret >s.txt
chmod 600 s.txt
same "C17: a program with another's identity does what it may" sh -c './cat s.txt; exit 3'
is "C17: and is a blind spot" "$(ask "$secure")" 1
is "C17: the process is in the tree" "$(ask "SELECT count(*) FROM process WHERE shim = 'secure' AND command LIKE '%cat%'")" 1
chmod 755 cat
chgrp 0 cat
chmod 2755 cat
same "C17: so does one with another's group" sh -c './cat u.txt; exit 3'
is "C17: and is a blind spot, too" "$(ask "$secure")" 1
same "C17: mount lists, su and sudo refuse as ever" sh -c 'mount | head -n 1; su -c true; sudo -n true'
is "C17: they are blind spots" "$(ask "SELECT count(*) >= 3 FROM blind_spot WHERE class = 'secure'")" 1
chmod 755 cat
same "C17: a program that only has a mode bit of its own user is observed" sh -c 'cp cat own; chmod 4755 own; ./own u.txt'
is "C17: and no blind spot" "$(ask "SELECT count(*) FROM blind_spot WHERE class = 'secure'") $(saw read u.txt)" "0 1"

fresh
cp /bin/cat cat
if setcap cap_net_raw+ep cat 2>/dev/null; then
    same "C18: a program with file capabilities works" ./cat u.txt
    is "C18: and is a blind spot" "$(ask "$secure")" 1
    same "C18: from a shell, too" sh -c './cat u.txt; cat d.txt'
    is "C18: and is a blind spot, there too" "$(ask "$secure") $(saw read u.txt) $(saw read d.txt)" "1 0 1"
else
    skip "C18: file capabilities" "no file system with capabilities"
fi

fresh
same "C19: a plain user's command may still gain privileges" grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status
mkdir rules
echo '#65534 ALL=(ALL) NOPASSWD: ALL' >rules/all
echo 'Defaults !use_pty, !log_allowed' >>rules/all
chown -R 0:0 rules
chmod 755 rules
chmod 440 rules/all
chmod 777 .
for how in plain audited; do
    prefix='' && [ $how = audited ] && prefix="$TALLYMAN run -q --witness off -o $PWD/run.db --"
    unshare -m sh -c 'mount --bind rules /etc/sudoers.d && exec setpriv --reuid 65534 --regid 65534 --clear-groups '"$prefix"' sh -c "sudo -n id -u; echo \$?"' \
        >"$work/$how" 2>&1 </dev/null
done
is "C19: sudo gains privileges under tallyman as without" "$(cat "$work/audited")" "$(cat "$work/plain")"
like "C19: it does" "$(cat "$work/plain")" '^0'
finish
