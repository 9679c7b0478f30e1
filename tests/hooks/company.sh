#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The shim beside other preloads, in programs that own libc's names, in sanitized programs, under
# limits, and with no run to report to: programs print and return the same as without it.
# shellcheck source=tests/e2e/tap.sh
. "$TALLYMAN_SOURCE/tests/e2e/tap.sh" || exit 1

bin=$TALLYMAN_BUILD/tests/hooks
tool=$bin/scratch_tool
log=$work/log
echo hi >u.txt

# both PRELOAD COMMAND...: the command without the shim and with it. PRELOAD holds @ where the shim goes.
# Leaves output and status in $plain and $watched, and the log.
both() {
    local preload=$1 without
    shift
    without=$(sed 's/@//; s/^://; s/:$//' <<<"$preload")
    plain=$(timeout 20 env LD_PRELOAD="$without" "$@" 2>&1 </dev/null)
    plain+=" status $?"
    "$tool" new "$log"
    watched=$(timeout 20 env LD_PRELOAD="${preload/@/$TALLYMAN_SHIM}" \
        TALLYMAN_RUN="$log:0000000000000000" "$@" 2>&1 </dev/null)
    watched+=" status $?"
}

# saw KIND SUBJECT
saw_in_log() { "$tool" count "$log" "$1" "$2"; }

# same NAME PRELOAD COMMAND...
same() {
    local name=$1
    shift
    both "$@"
    is "$name: same output and status" "$watched" "$plain"
    check "$name: nothing lost" "$tool" sound "$log"
}

# --- other preloads, on either side

libraries=$(dirname "$(ldd /bin/true | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')")
for name in libjemalloc.so.2 libtcmalloc.so.4 libtcmalloc_minimal.so.4 libeatmydata.so \
    libfakeroot/libfakeroot-sysv.so faketime/libfaketime.so.1; do
    library=$(find "$libraries" /usr/lib -path "*/$name" 2>/dev/null | head -n 1)
    if [ -z "$library" ]; then
        skip "beside $name" 'a library that is not installed'
        continue
    fi
    for order in "@:$library" "$library:@"; do
        same "beside $name (${order/$library/it})" "$order" /bin/cat u.txt
        is "beside $name (${order/$library/it}): the read is recorded once" \
            "$(saw_in_log READ "$work/u.txt")" 1
    done
done
both '@:libjemalloc.so.2' /bin/true
is 'the settings that an allocator looks for are recorded' \
    "$(saw_in_log READLINK /etc/malloc.conf)" 1
same 'fakeroot' @ fakeroot sh -c 'touch f; chown 12:34 f; stat -c "%u %g" f; rm f; id -u'
for order in "@:$bin/libearly_library.so" "$bin/libearly_library.so:@"; do
    same 'a preload with a constructor and a destructor' "$order" /bin/true
    is 'what its constructor opens is recorded' "$(saw_in_log READ "$work/constructor")" 1
    is 'what its destructor opens is recorded' "$(saw_in_log READ "$work/destructor")" 1
done

# --- programs with functions of their own

for program in own_functions own_getauxval; do
    same "$program" @ "$bin/$program"
    is "$program: calls are recorded" "$(saw_in_log STAT "$work/absent")" 1
    is "$program: its allocator's file is recorded" "$(saw_in_log STAT /etc/hostname)" 1
done

# --- sanitizers

for program in sanitized_gcc sanitized_clang; do
    if [ ! -x "$bin/$program" ]; then
        skip "$program" 'a compiler without AddressSanitizer'
        continue
    fi
    same "$program" @ "$bin/$program"
    is "$program: the read is recorded" "$(saw_in_log READ "$work/u.txt")" 1
    both @ "$bin/$program" 0
    like "$program: its errors are still found" "$watched" 'heap-buffer-overflow'
done

# --- limits

same 'an address space of 16 MiB' @ sh -c 'ulimit -v 16384; sort u.txt; cat u.txt'
is 'an address space of 16 MiB: still recorded' "$(saw_in_log READ "$work/u.txt")" 2
both @ sh -c 'ulimit -n 3; exec "$0"' "$bin/own_functions"
is 'no descriptor to spare: same output and status' "$watched" "$plain"
same 'standard streams closed' @ sh -c 'cat u.txt >out; exec cat u.txt <&- >&- 2>&-'
same 'standard input closed: the first open gets its number' @ \
    sh -c 'exec 3>&1 <&-; readlink /proc/self/fd/0 >&3; exec 0<u.txt; cat'

# --- nobody to report to

for run in '' /nowhere/log:0000000000000000 "$work/u.txt:0000000000000000" /etc:0000000000000000 nonsense; do
    output=$(env ${run:+TALLYMAN_RUN="$run"} LD_PRELOAD="$TALLYMAN_SHIM" sh -c 'cat u.txt; exit 4' 2>&1)
    is "a run named \"$run\": the program goes on as ever" "$output $?" 'hi 4'
done
finish
