#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016  # scripts in quotes
#
# 32-bit programs on a 64-bit machine: with a shim for both, and with one for 64-bit programs alone.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

echo 'int main(void) { return 0; }' >try.c
if ! gcc -m32 try.c -o try 2>/dev/null || ! ./try; then
    skip "32-bit programs" "no gcc-multilib"
    finish
fi

# Kept between runs, so that only what changed is built again.
both=$TALLYMAN_BUILD/tests/pitfalls/both
if ! { cmake -G Ninja -S "$TALLYMAN_SOURCE" -B "$both" -DTALLYMAN_SHIM32=ON -DBUILD_TESTING=OFF \
    -DCMAKE_BUILD_TYPE=Debug && cmake --build "$both" -j 2 && cmake --install "$both" --prefix "$work/installed"; } >log 2>&1; then
    report 1 "a shim for 32-bit programs can be built and installed"
    tail -n 5 log | sed 's/^/#   /'
    finish
fi
one=$TALLYMAN one_shim=$TALLYMAN_SHIM
two=$work/installed/bin/tallyman
use_both() { unset TALLYMAN_SHIM; TALLYMAN=$two; }
use_one() { TALLYMAN_SHIM=$one_shim TALLYMAN=$one; export TALLYMAN_SHIM; }

# same NAME COMMAND...: output, errors and status as plainly.
same() {
    local name=$1 plain audited
    shift
    plain=$(timeout 100 "$@" 2>&1 </dev/null; echo "status $?")
    audited=$(audit timeout 100 "$@" 2>&1 </dev/null; echo "status $?")
    is "$name" "$audited" "$plain"
}
narrow() { gcc -w -m32 -D_GNU_SOURCE "${@:2}" "$1" -o narrow; }
sources=$TALLYMAN_SOURCE/tests/e2e/programs

# --- the doctor

doctor_says() { "$@" doctor --json -o "$work/tree/x.db" | jq -r '.probes[] | select(.id == "shim32") | .answer'; }
fresh
use_one
is "the doctor says that there is no shim for 32-bit programs" "$(doctor_says "$TALLYMAN")" no
use_both
is "the doctor has seen a 32-bit program report in" "$(doctor_says "$TALLYMAN")" yes
mv "$work/installed/lib32" "$work/installed/elsewhere"
mv "$work/installed/lib/i386-linux-gnu/tallyman/libtallyman.so" "$work/installed/elsewhere/kept"
cp "$work/installed/lib/x86_64-linux-gnu/tallyman/libtallyman.so" "$work/installed/lib/i386-linux-gnu/tallyman/"
is "the doctor has seen that a shim of the wrong kind is not loaded" "$(doctor_says "$TALLYMAN")" no
mv "$work/installed/elsewhere/kept" "$work/installed/lib/i386-linux-gnu/tallyman/libtallyman.so"
mv "$work/installed/elsewhere" "$work/installed/lib32"

# --- A15, A16

fresh
narrow "$sources/read_many.c"
gcc -w "$sources/read_many.c" -o wide
use_one
same "A15: without a shim for it a 32-bit program prints nothing that it would not" sh -c './narrow; echo $?; ./wide'
is "A15: it is a blind spot" "$(ask "SELECT count(*) FROM blind_spot WHERE class = 'foreign_abi'")" 1
is "A15: and its neighbour is seen" "$(saw read u.txt)" 1
same "A15: as the command itself, too" ./narrow
is "A15: it is a blind spot there, too" "$(ask "SELECT count(*) FROM blind_spot WHERE class = 'foreign_abi'")" 1
use_both
same "A15: with a shim for both it prints the same, too" sh -c './narrow 5; ./wide 7; exec ./narrow'
is "A15: it is observed like its neighbour" "$(saw read u.txt)" 13
is "A16: each loader finds its own shim" \
    "$(ask "SELECT group_concat(DISTINCT shim) FROM process") $(ask "SELECT count(*) FROM blind_spot WHERE class <> 'witness-off'")" "loaded 0"
same "A16: as the command itself, too" ./narrow
is "A16: it is observed there, too" "$(saw read u.txt)" 1

# --- B5

fresh
for times in 32 64; do
    narrow "$here/../pitfalls/programs/wide_times.c" -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=$times
    same "B5: a program with times of $times bits works" ./narrow
    is "B5: and what it asked for is seen ($times)" \
        "$(saw stat u.txt) $(saw stat d.txt) $(saw stat absent) $(saw utime d.txt) $(saw utime u.txt) $(ask "SELECT sum(count) FROM v_access WHERE operation = 'clock'")" \
        "1 1 1 1 1 3"
done

# What 32-bit libc offers for 64-bit times and touches no channel, or works on what is open already.
others='fseeko|ftello|libc_fcntl|aio_suspend|clock_getres|clock_nanosleep|clock_settime|cnd_timedwait|difftime|epoll_pwait2|fcntl|fstat|fstat64|
fts64_(children|close|read|set)|gai_suspend|getitimer|getrusage|getsockopt|globfree64|gmtime|ioctl|mq_timed(receive|send)|
msgctl|mtx_timedlock|nanosleep|adjtime|ppoll|pselect|pthread_.*|recvm?msg|recvmmsg|sched_rr_get_interval|select|
sem_(clock|timed)wait|semctl|semtimedop|setitimer|setsockopt|settimeofday|shmctl|sigtimedwait|thrd_sleep|timegm|
timer_.*|timerfd_.*|timespec_getres'
others=$(tr -d '\n' <<<"$others")
libc=$(ldd narrow | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
offered=$(nm -D --defined-only "$libc" | sed 's/.* //; s/@.*//' | grep -E '^__.*64(_r)?$' | sort -u)
# The names for 64-bit offsets are in hooks.def or skips.def already.
contracts=$TALLYMAN_SOURCE/include/tallyman
is "B5: every name for 64-bit times is hooked or touches no channel" \
    "$(grep -vxFf <(sed -nE 's/^[A-Z]+\(([A-Za-z0-9_]+),.*/\1/p' "$contracts"/{hooks_time64,hooks,skips}.def
        cat "$TALLYMAN_SOURCE/tests/hooks/no_channel.txt") <<<"$offered" | grep -vxE "_+($others)(64|_time64|64_r)")" ""

# --- C6 and the programs of the other tests, as 32-bit code

fresh
for f in u1 u2 u3; do cp u.txt $f.txt; done
ln -s u.txt l.txt
for name in exec_family exec_errors errno_kept mass_close null_paths own_allocator before_constructors \
    raw_calls temporary_mode thread_exec vfork_child shared_clone fork_beside_threads; do
    options=
    [ $name = own_allocator ] && options=-fno-builtin
    if ! narrow "$sources/$name.c" -pthread $options 2>log; then
        report 1 "C6: $name can be compiled"
        head -n 3 log | sed 's/^/#   /'
        continue
    fi
    same "C6: $name is the same as 32-bit code" sh -c './narrow; status=$?; rm -f plain empty loop; exit $status'
done
is "C6: the opens of 500 forks of a 32-bit program are all counted" "$(saw read u.txt)" 500

# --- A12

fresh
echo 'cat d.txt' >script
chmod +x script
ln -s nowhere dangling
narrow "$here/../pitfalls/programs/old_versions.c" -pthread -I"$TALLYMAN_SOURCE/include"
same "A12: a 32-bit program gets the versions of functions that it was linked with" ./narrow A=1
is "A12: and what it does by them is seen" "$(saw execute script) $(saw read d.txt) $(saw list "$PWD") $(saw realpath "$PWD")" "2 2 2 2"
# shellcheck source-path=SCRIPTDIR/../hooks source=libc_names.sh
. "$TALLYMAN_SOURCE/tests/hooks/libc_names.sh"
symbols --defined-only "$work/installed/lib/i386-linux-gnu/tallyman/libtallyman.so" | grep @ >own_versions
is "A12: every version of a function in the shim for 32-bit programs is one of libc" \
    "$(symbols --defined-only "$libc" | LC_ALL=C comm -23 own_versions -)" ""
# dlopen had another version before 1999; giving it one would hide every later one.
is "A12: and each hooked function that libc has in versions that differ has versions there" \
    "$(read_lists "$TALLYMAN_SOURCE"; differing "$libc" | LC_ALL=C comm -12 - hooked | grep -vxFf <(sed 's/@.*//' own_versions))" dlopen

# --- E12

fresh
narrow "$sources/read_many.c"
gcc -w "$sources/read_many.c" -o wide
check "E12: 32-bit and 64-bit processes that are killed at random leave the others alone" audit timeout 60 \
    sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do ./narrow 100000000 & k=$!; ./wide 100000000 & sleep 0.1; kill -9 $k $!; done
        ./narrow 1000; ./wide 1000; cat d.txt'
is "E12: and lose nothing of theirs" \
    "$(saw read d.txt) $(ask "SELECT sum(count) FROM v_access WHERE operation = 'read' AND command LIKE '%e 1000' OR command LIKE '%w 1000' AND operation = 'read' AND subject LIKE '%/u.txt'") $(ask "SELECT count(*) FROM blind_spot WHERE class IN ('lost-records', 'damaged-log')")" "1 2000 0"
finish
