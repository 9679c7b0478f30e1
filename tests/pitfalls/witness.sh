#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# The kernel witness where it is hard for it: processes that die while they wait, a second listener, a
# machine that has none, programs that gain privileges.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"
export TALLYMAN_WITNESS=gaps

# --- H9: a report whose process is gone

fresh
cat >kill.sh <<SHELL
i=0
while [ \$i -lt 300 ]; do
    "$programs/opener" & k=\$!
    [ \$((i % 3)) != 0 ] || busybox true
    kill -9 \$k
    wait \$k
    i=\$((i + 1))
done 2>/dev/null
cat d.txt >/dev/null
echo ended
SHELL
is "H9: three hundred processes killed while they wait do not stop a build" "$(audit timeout 200 sh kill.sh)" ended
is "H9: what comes after them is seen" "$(saw read d.txt)" 1
fresh
"$TALLYMAN" run -q --witness gaps -o "$work/run.db" -- sleep 3 &
sleep 2
ticks=$(awk '{print $14 + $15}' "/proc/$!/stat")
check "H9: a witness that has nothing to do does nothing ($ticks ticks)" test "$ticks" -lt 20
wait $!
is "H9: and ends with the build" "$?" 0

# --- H8: a name that changes

fresh
is "H8: a name that another thread changes is opened as without" "$(audit "$programs/flipped_path")" \
    "$("$programs/flipped_path")"
is "H8: and each of its opens is seen" "$(ask "SELECT sum(count) FROM v_access
    WHERE operation = 'read' AND command LIKE '%flipped_path'
    AND (subject LIKE '%/u.txt' OR subject LIKE '%/d.txt')")" 2000

# --- H10: a second listener

fresh
inner="$TALLYMAN run -q --witness gaps -o $work/inner.db -- cat u.txt"
is "H10: a run inside a run works" "$(audit sh -c "$inner")" hi
is "H10: the inner one goes on with the shim alone" \
    "$(sqlite3 -readonly "$work/inner.db" "SELECT count(*) FROM v_access WHERE operation = 'read' AND subject LIKE '%/u.txt'")" 1
is "H10: and says so" "$(sqlite3 -readonly "$work/inner.db" "SELECT count(*) FROM blind_spot WHERE class = 'witness-off'")" 1

# --- H5, H6: machines that refuse

fresh
for refusal in "1 EPERM" "38 ENOSYS" "22 EINVAL"; do
    is "H5: where no filter can be had (${refusal#* }) a run goes on with the shim alone" \
        "$("$programs/without_calls" "${refusal% *}" "$TALLYMAN" run -q --witness gaps -o "$work/$refusal.db" -- cat u.txt)" hi
    is "H5: and says that the witness was off (${refusal#* })" \
        "$(sqlite3 -readonly "$work/$refusal.db" "SELECT count(*) FROM blind_spot WHERE class = 'witness-off'")" 1
done
for call in 'python3 -c "import threading; t = threading.Thread(target=print, args=(1,)); t.start(); t.join()"' \
    'test -r u.txt && echo readable'; do
    is "H6: $(echo "$call" | cut -c 1-12)... falls back where calls are missing" \
        "$(audit "$programs/without_calls" 38 sh -c "$call")" "$(sh -c "$call")"
done

# --- C17, C19: privileges

if [ "$(id -u)" = 0 ]; then
    is "C19: root's build may still gain privileges" \
        "$(audit grep '^NoNewPrivs:' /proc/self/status | tr -s '\t ' ' ')" "NoNewPrivs: 0"
    chmod 755 "$work"
    chmod 777 .
    cp /bin/cat cat
    chmod 4755 cat
    said=$(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/ "$TALLYMAN" run -q --witness gaps \
        -o "$PWD/plain.db" -- sh -c './cat u.txt; grep ^NoNewPrivs: /proc/self/status' 2>&1 </dev/null)
    is "C19: a plain user's build may not, for the kernel asks for that" "$(echo "$said" | tr -s '\t ' ' ')" "hi
NoNewPrivs: 1"
    cp plain.db "$work/run.db"
    is "C17: what a program with another's identity reads is seen" "$(saw read u.txt)" 1
    is "C17: it has the shim, for the kernel gave it no privileges" \
        "$(ask "SELECT shim FROM process WHERE command = './cat u.txt'")" loaded
else
    skip "C17: programs with raised privileges" "not root, so no small file system can be mounted"
fi
finish
