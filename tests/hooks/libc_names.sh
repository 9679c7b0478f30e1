# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by what compares a libc with the lists of functions: hooks.def, skips.def and no_channel.txt.
# Files go to the current folder.
#
# A function that only a libc newer than Debian 12's has is marked with the version that brought it: the
# row of a skipped one is SKIP_SINCE, that of a hooked one has the note "since glibc 2.NN", and in
# no_channel.txt the version follows the name.

# rows MACROS FILE: the names in the rows of these macros.
rows() { sed -nE "s/^($1)\\(([A-Za-z0-9_]+),.*/\\2/p" "$2" | LC_ALL=C sort; }

# marks SOURCE: "name version" for each function that is marked.
marks() {
    local contracts=$1/include/tallyman
    {
        sed -nE 's/^SKIP_SINCE\(([A-Za-z0-9_]+), [A-Z_]+, "([0-9.]+)"\)$/\1 \2/p' "$contracts/skips.def"
        sed -nE 's/^[A-Z]+\(([A-Za-z0-9_]+),.*"since glibc ([0-9.]+)"\)$/\1 \2/p' "$contracts/hooks.def"
        grep ' ' "$1/tests/hooks/no_channel.txt"
    } | LC_ALL=C sort
}

# read_lists SOURCE: makes the files hooked, skipped, no_channel, known (any of them) and newer (marked).
read_lists() {
    local contracts=$1/include/tallyman
    rows 'HOOK|CHANGE|CUSTOM' "$contracts/hooks.def" >hooked
    rows 'SKIP|SKIP_SINCE' "$contracts/skips.def" >skipped
    cut -d' ' -f1 "$1/tests/hooks/no_channel.txt" | LC_ALL=C sort >no_channel
    LC_ALL=C sort -u hooked skipped no_channel >known
    marks "$1" | cut -d' ' -f1 >newer
}

# symbols KIND FILE: names and versions in a library's dynamic table.
symbols() { nm -D --with-symbol-versions "$1" "$2" | sed 's/.* //' | LC_ALL=C sort -u; }

# read_libc FOLDER: makes the files versioned (name@version), and public and private (names).
read_libc() {
    local library
    for library in c.so.6 pthread.so.0 rt.so.1 dl.so.2 resolv.so.2 util.so.1 anl.so.1; do
        [ -e "$1/lib$library" ] && symbols --defined-only "$1/lib$library"
    done >versioned
    sed -n '/@/{/GLIBC_PRIVATE/!p}' versioned | sed 's/@.*//' | grep -vE '^GLIBC_' | LC_ALL=C sort -u >public
    sed -n '/GLIBC_PRIVATE/{s/@.*//;p}' versioned | LC_ALL=C sort -u >private
}

# differing FILE: names that it defines at more than one address.
differing() {
    nm -D --with-symbol-versions --defined-only "$1" | sed -nE 's/^([0-9a-f]+) [TWi] ([^@]+)@.*/\2 \1/p' |
        LC_ALL=C sort -u | cut -d' ' -f1 | uniq -d
}

# The functions that programs can call and that no list names.
unlisted() { LC_ALL=C comm -23 public known; }

# Names that libc has for a hooked function and that are neither hooked nor skipped.
unlisted_aliases() {
    sed -E 's/.*/&64\n__&\n__&64\n__&_chk\n__&_2\n__&64_2\n__x&\n__x&64\n__l&\n__&_time64\n__&64_time64\n__libc_&\n__&_nocancel/' \
        hooked | LC_ALL=C sort -u >aliases
    LC_ALL=C sort -m hooked skipped >hooked_or_skipped
    LC_ALL=C sort -mu public private | LC_ALL=C comm -12 - aliases | LC_ALL=C comm -23 - hooked_or_skipped
}
