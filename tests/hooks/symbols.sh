#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the shim exports and needs, and whether every function of this machine's libc is accounted for:
# in hooks.def, in skips.def with its reason, or in no_channel.txt.
# shellcheck source=tests/e2e/tap.sh
. "$TALLYMAN_SOURCE/tests/e2e/tap.sh" || exit 1

contracts=$TALLYMAN_SOURCE/include/tallyman
variants=$TALLYMAN_BUILD/tests/hooks
lists=$TALLYMAN_SOURCE/tests/hooks
# shellcheck source=tests/hooks/libc_names.sh
. "$lists/libc_names.sh" || exit 1
read_lists "$TALLYMAN_SOURCE"

# --- the lists themselves

is 'no hook stands twice in hooks.def' "$(uniq -d hooked)" ''
is 'no symbol stands twice in skips.def' "$(uniq -d skipped)" ''
is 'no symbol is hooked and skipped' "$(comm -12 hooked skipped)" ''
is 'no symbol without a channel is hooked or skipped' \
    "$(LC_ALL=C sort -m hooked skipped | comm -12 - no_channel)" ''
is 'every reason in skips.def is used, and every row has one' \
    "$(sed -nE 's/^SKIP(_SINCE)?\([a-zA-Z0-9_]+, ([A-Z_]+)[,)].*/\2/p' "$contracts/skips.def" | sort -u)" \
    "$(sed -nE 's/^REASON\(([A-Z_]+),.*/\1/p' "$contracts/skips.def" | sort -u)"

# --- the shim

# names_in FILE: what it defines, without the versions, which are symbols themselves.
names_in() { symbols --defined-only "$1" | sed 's/@.*//' | grep -v '^GLIBC_' | LC_ALL=C sort -u; }

# examine FILE WORDS: all that is asked of one build of the shim.
examine() {
    local file=$1 how=$2 newest

    is "$how: it exports the table and nothing else" "$(names_in "$file")" "$(cat hooked)"
    is "$how: it needs libc.so.6 alone" \
        "$(readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')" libc.so.6
    is "$how: it calls no function that a program may own" \
        "$(symbols --undefined-only "$file" | sed 's/@.*//' |
            grep -vxE '__environ|environ|_environ|__errno_location|getauxval')" ''
    newest=$(objdump -T "$file" | grep -F '*UND*' | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
    is "$how: it loads with a libc as old as 2.17" \
        "$(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -n 1)" GLIBC_2.17
    check "$how: it has at most 64 bytes of thread-local data" \
        test $((0x$(readelf -lW "$file" | awk '$1 == "TLS" {sub("0x", "", $6); print $6}'))) -le 64
    is "$how: its stack is not executable" \
        "$(readelf -lW "$file" | awk '$1 == "GNU_STACK" {print $7 $8}')" RW0x10
    is "$how: no segment is writable and executable" \
        "$(readelf -lW "$file" | awk '$1 == "LOAD" && / RWE /')" ''
    is "$how: no relocation changes code" "$(readelf -dW "$file" | grep -E 'TEXTREL')" ''
}

examine "$TALLYMAN_SHIM" 'the shim'
for variant in O0 O3 lto; do
    [ -e "$variants/libshim_$variant.so" ] && examine "$variants/libshim_$variant.so" "built with $variant"
done
if [ -d "$variants/CMakeFiles/shim_stack.dir" ]; then
    check 'no wrapper needs 2 KiB of stack' \
        python3 "$lists/stack_depth.py" "$variants/CMakeFiles/shim_stack.dir" 2048
else
    skip 'no wrapper needs 2 KiB of stack' 'gcc did not build this'
fi

# --- libc

folder=$(dirname "$(ldd "$TALLYMAN_SHIM" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')")
read_libc "$folder"
check 'libc was found' test "$(wc -l <public)" -gt 1500
is "every public function of libc is hooked, skipped or without a channel" "$(unlisted)" ''
is 'no list names a function that libc does not have, unless a newer one has it' \
    "$(LC_ALL=C sort -mu public private newer | comm -13 - known)" ''

# A name without version in the shim stands for all versions, one with a version for that one alone.
symbols --defined-only "$TALLYMAN_SHIM" | grep @ >own_versions
is 'every version of a function in the shim is one of libc, and the current one where that is' \
    "$(LC_ALL=C comm -23 own_versions versioned)" ''
is 'a hooked function that libc has in versions that differ has versions in the shim' \
    "$(differing "$folder/libc.so.6" | LC_ALL=C comm -12 - hooked | grep -vxFf <(sed 's/@.*//' own_versions))" ''

is 'every other name of a hooked function is hooked or skipped' "$(unlisted_aliases)" ''
finish
