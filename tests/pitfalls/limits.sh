#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# Narrow places: thread-local storage, long arguments, left-over settings, file systems of other kinds,
# machines that refuse what is new.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

# --- A8: the largest library with static thread-local data that can still be loaded late

fresh
echo 'int main(int c, char **v) { extern void *dlopen(const char *, int); return c < 2 || !dlopen(v[1], 2); }' >load.c
gcc -w load.c -o load
# loads SIZE COMMAND...
loads() {
    echo "__thread char block[$1]; char *get(void) { return block; }" >tls.c
    gcc -w -shared -fPIC -ftls-model=initial-exec tls.c -o tls.so
    shift
    "$@" ./load ./tls.so
}
low=64 high=8192
while [ $((high - low)) -gt 64 ]; do
    middle=$(((low + high) / 128 * 64))
    if loads $middle env; then low=$middle; else high=$middle; fi
done
check "A8: a library of $((low - 64)) bytes of static thread-local data, 64 less than without, can be loaded" \
    loads $((low - 64)) audit

# --- A19: what was not observed fails the gate

fresh
printf 'version: 1\ninputs: [/**]\noutputs: [./**]\nenvironment: { "*": any }\n' >all.yaml
audit busybox true
"$TALLYMAN" check --accept-blind-spot witness-off "$work/run.db" >out 2>&1
like "A19: a process that was not observed is told by check" "$(cat out)" 'static'
"$TALLYMAN" run --quiet --witness off --check -o "$work/run.db" -- busybox true >/dev/null 2>&1
like "A19: and fails it" "$?" '^[13]$'

# --- C11: long arguments

fresh
audit python3 -c 'import subprocess; subprocess.run(["/bin/true"] + ["z" * 100000] * 10)'
is "C11: a command line of a megabyte is run" \
    "$(ask "SELECT count(*) FROM process WHERE command LIKE '/bin/true zzz%'")" 1
is "C11: and recorded cut, each argument at 4,096 bytes" \
    "$(ask "SELECT length(argv) FROM process WHERE command LIKE '/bin/true zzz%'")" $((10 + 10 * 4097))
audit env >within
env >without
is "C11: no variable is added to what programs see" "$(grep -v '^_=' within | wc -c)" "$(grep -v '^_=' without | wc -c)"

# --- C15: the settings of a run that has ended

fresh
audit sh -c 'exec cat /proc/self/environ' | tr '\0' '\n' | grep -aE '^(LD_PRELOAD|TALLYMAN_RUN)=' >settings
is "C15: the kernel knows both settings of a run" "$(wc -l <settings)" 2
start=$(date +%s%N)
mapfile -t settings <settings
output=$(env "${settings[@]}" sh -c 'cat u.txt; exit 3' 2>&1)
is "C15: left over from a run that has ended they do nothing" "$output $?" "hi 3"
check "C15: and cost nothing" test $((($(date +%s%N) - start) / 1000000)) -lt 500

# --- G4: no time of grace

fresh
rm -f "$work/run.db"
"$TALLYMAN" run -q --witness off --grace 0 -o "$work/run.db" -- sh -c '(sleep 2; cat u.txt) & exit 0' >/dev/null 2>&1
is "G4: without time of grace an orphan is called a survivor" \
    "$(ask "SELECT count(*) >= 1 FROM blind_spot WHERE class = 'survivor'")" 1

# --- G8: databases on other file systems

# stored NAME COMMAND...: a run whose database lies in $work/on, in a mount namespace that COMMAND makes.
stored() {
    local name=$1
    shift
    rm -rf "$work/on" "$work/under" && mkdir "$work/on" "$work/under"
    check "G8: a run works with its database on $name" unshare -m sh -c "$* && "'
        "$TALLYMAN" run -q --witness off -o "$work/on/x.db" -- cat u.txt &&
        test "$(sqlite3 -readonly "$work/on/x.db" "SELECT count(*) FROM v_access WHERE subject LIKE \"%/u.txt\"")" = 1 &&
        test "$(ls "$work/on")" = x.db; status=$?; umount "$work/on"; exit $status'
}

export TALLYMAN work
fresh
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    stored "an overlay" 'mount -t tmpfs none "$work/under" && mkdir "$work/under/l" "$work/under/u" "$work/under/w" &&
        mount -t overlay none -o "lowerdir=$work/under/l,upperdir=$work/under/u,workdir=$work/under/w" "$work/on"'
    if command -v bindfs >/dev/null && [ -w /dev/fuse ]; then
        stored "a FUSE file system that maps nothing" 'bindfs -o direct_io "$work/under" "$work/on"'
    else
        skip "G8: a database on a FUSE file system that maps nothing" "no FUSE here"
    fi
else
    skip "G8: databases on other file systems" "no mount namespace can be had here"
fi

# --- H1, H3, H5: machines that refuse

for refusal in "1 EPERM" "22 EINVAL" "38 ENOSYS"; do
    fresh
    rm -f "$work/run.db"
    "$programs/without_calls" "${refusal% *}" "$TALLYMAN" run -q --witness off -o "$work/run.db" -- \
        sh -c 'cat u.txt; test -r d.txt; exit 5' >out 2>err
    is "H5: where namespaces, mounts, filters and new calls give ${refusal#* }, a build runs as ever" \
        "$? $(cat out err)" "5 hi"
    is "H5: and is recorded (${refusal#* })" "$(saw read u.txt)" 1
    "$programs/without_calls" "${refusal% *}" python3 -c 'import threading; t = threading.Thread(); t.start(); t.join()' >plain 2>&1
    rm -f "$work/run.db"
    "$programs/without_calls" "${refusal% *}" "$TALLYMAN" run -q --witness off -o "$work/run.db" -- \
        python3 -c 'import threading; t = threading.Thread(); t.start(); t.join()' >audited 2>&1
    is "H6: threads start or not there as ever (${refusal#* })" "$(cat audited)" "$(cat plain)"
done

# --- H20: a server on this machine

fresh
mkdir served && echo hi >served/u.txt
python3 -m http.server 0 --bind 127.0.0.1 --directory served >server 2>&1 &
server=$!
for _ in $(seq 50); do
    port=$(sed -nE 's/.* port ([0-9]+).*/\1/p' server)
    [ -n "$port" ] && break
    sleep 0.1
done
audit python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:${port:-1}/u.txt').read()" 2>err
is "H20: asking a server that was there before is undeclared use of the network" \
    "$(ask "SELECT DISTINCT verdict FROM v_access WHERE operation = 'connect' AND subject = '127.0.0.1:${port:-1}'")" undeclared
kill "$server"
wait "$server" 2>/dev/null
finish
