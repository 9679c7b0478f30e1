#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# Many writers, many records, and processes that are killed, the supervisor among them.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"
runtime=$work/runtime
mkdir "$runtime"
export TALLYMAN_RUNTIME_DIR=$runtime

sound="SELECT count(*) FROM blind_spot WHERE class IN ('lost-records', 'damaged-log')"

# --- G1: long names

fresh
cat >names.py <<'PYTHON'
import os, subprocess, sys
folder = "deep/" + "/".join(["y" * 240] * 15)
os.makedirs(folder)
body = f"""
import os
for i in range(500):
    try:
        os.open({folder!r} + '/' + 'n' * (i % 240) + '-%d-%d-' % (os.getpid(), i), os.O_RDONLY)
    except OSError:
        pass
"""
running = [subprocess.Popen([sys.executable, "-S", "-c", body]) for _ in range(64)]
sys.exit(sum(process.wait() for process in running))
PYTHON
check "G1: 64 processes open 500 names of 3.6 to 3.9 KB each" audit python3 names.py
is "G1: every name arrives whole and once" "$(ask "SELECT count(DISTINCT subject) || ' ' || sum(count) FROM v_access
    WHERE subject GLOB '*yyyy/n*-[0-9]*-[0-9]*-' OR subject GLOB '*yyyy/-[0-9]*-[0-9]*-'")" "32000 32000"
is "G1: nothing is lost or damaged" "$(ask "$sound")" 0

# --- G2, G11: many records

fresh
check "G2: 32 processes look 100,000 times each" \
    audit sh -c "i=0; while [ \$i -lt 32 ]; do '$programs/stat_many' 100000 & i=\$((i+1)); done; wait"
is "G2: 3,200,000 times are counted" "$(saw stat u.txt)" 3200000
is "G2: nothing is lost or damaged" "$(ask "$sound")" 0

fresh
rm -f "$work"/run.db*
"$TALLYMAN" run -q --witness off -o "$work/run.db" -- "$programs/stat_many" 10000000 &
largest=0
while kill -0 $! 2>/dev/null; do
    size=$(du -sck "$runtime" "$work"/run.db* 2>/dev/null | tail -n 1 | cut -f 1)
    [ "$size" -gt "$largest" ] && largest=$size
    sleep 0.2
done
wait $!
is "G11: ten million equal accesses are counted" "$(saw stat u.txt)" 10000000
check "G11: and never took 50 MB ($largest KB)" test "$largest" -lt 51200
fresh
mkfifo ready gate hold
rm -f "$work"/run.db*
"$TALLYMAN" run -q --witness off -o "$work/run.db" -- python3 -c 'import os
for i in range(30000):
    try: os.stat("absent-%d" % i)
    except OSError: pass
    if i == 1000: open("ready", "w"), open("gate").read()' &
tool=$!
timeout 60 cat ready
for _ in $(seq 600); do
    [ "$(ask 'SELECT count(*) > 100 FROM access' 2>/dev/null)" = 1 ] && break
    sleep 0.1
done
{ printf '%s\n' 'BEGIN; SELECT count(*) FROM access;' '.shell : >reading'; cat hold; } |
    sqlite3 -readonly "$work/run.db" >reader 2>&1 &
timeout 60 sh -c 'until [ -e reading ]; do sleep 0.05; done'
timeout 60 sh -c 'echo go >gate'
wait $tool
is "G11: a reader that holds a transaction open does not stop the run" \
    "$(ask "SELECT count(*) FROM v_access WHERE subject LIKE '%/absent-%'")" 30000
: >hold
wait
check "G11: and sees what was there when it began ($(cat reader))" test "$(cat reader)" -gt 100

# --- E12: processes that are killed

fresh
cat >kill.py <<'PYTHON'
import os, random, subprocess, sys, time
loops = [subprocess.Popen(["sh", "-c", "while :; do cat u.txt >/dev/null; done"], stderr=subprocess.DEVNULL)
         for _ in range(20)]
end, killed = time.time() + 60, 0
while killed < 100 and time.time() < end:
    time.sleep(.01)
    loop = random.choice(loops).pid
    for child in open(f"/proc/{loop}/task/{loop}/children").read().split():
        try:
            os.kill(int(child), 9)
            killed += 1
        except OSError:
            pass
for loop in loops:
    loop.kill()
sys.exit(subprocess.run(["cat", "d.txt"], timeout=30, stdout=subprocess.DEVNULL).returncode or killed < 100)
PYTHON
check "E12: processes that are killed at random do not stop the others" audit timeout 120 python3 kill.py
# What a killed process was writing at that moment stays unfinished, and is counted as damage.
is "E12: and lose nothing of theirs" \
    "$(saw read d.txt) $(ask "SELECT count(*) FROM blind_spot WHERE class = 'lost-records'")" "1 0"

# --- G5, C14: the supervisor is killed

# build ROUND: says by opening `ready` that it has come to that round, and waits at `gate` near its end.
build() {
    echo "i=0; while [ \$i -lt 40 ]; do cat u.txt; [ \$i != $1 ] || : >ready; sleep 0.05; i=\$((i+1)); done
        read -r go <gate; cat d.txt; echo ended; exit 6"
}

# milliseconds COMMAND...: how long it takes.
milliseconds() {
    local start
    start=$(date +%s%N)
    "$@"
    echo $((($(date +%s%N) - start) / 1000000))
}

# open_gate: lets the build end, and waits for that.
open_gate() {
    timeout 60 sh -c 'echo go >gate' && timeout 60 sh -c 'until grep -q ended out; do sleep 0.02; done'
}

fresh
mkfifo ready gate
sh -c "$(build 0)" >out &
timeout 60 cat ready
plain=$(milliseconds open_gate)
wait
for round in 1 20; do
    fresh
    mkfifo ready gate
    rm -rf "${runtime:?}"/* "$work"/run.db*
    (exec "$TALLYMAN" run -q --witness off -o "$work/run.db" -- sh -c "$(build $round); echo never" >out 2>err </dev/null) &
    timeout 60 cat ready
    kill -9 $!
    wait $! 2>/dev/null
    took=$(milliseconds open_gate)
    check "G5: a build whose supervisor is killed in round $round goes on" grep -q ended out
    check "G5: within five seconds of what it takes ($took ms, plain $plain ms)" test $((took - 2 * plain)) -lt 5000
    is "C14: and nothing is written to its output ($round)" "$(sort out | uniq -c | tr -s ' \n' ' ')" " 1 d 1 ended 40 hi "
    is "C14: nor to its errors ($round)" "$(cat err)" ""
    check "G5: its records can be recovered ($round)" "$TALLYMAN" recover "$runtime"/* -o "$work/run.db"
    is "G5: and the run is incomplete ($round)" \
        "$(evidence) $(ask "SELECT count(*) FROM blind_spot WHERE class = 'supervisor-died'")" "incomplete 1"
done
finish
