#!/bin/bash
# SPDX-License-Identifier: MIT
#
# sets.sh JUDGE_TRACE: runs real tools under strace and judges all that they touch by the named sets and
# the project's own tree. Environment and home are bare, so that the machine's user does not show.
set -u
judge=$1
skip() {
    echo "1..0 # SKIP $1"
    [ -n "${TALLYMAN_MUST_WORK:-}" ] && exit 1
    exit 77
}
command -v strace >/dev/null || skip "no strace"
strace -qq true 2>/dev/null || skip "strace may not trace here"
work=$(mktemp -d /tmp/tallyman-sets-XXXXXX)
trap 'rm -rf "$work"' EXIT
failed=0
number=0

# check NAME "set, set" COMMAND...: runs the command in the project's folder.
check() {
    local name=$1 sets=$2 status
    shift 2
    number=$((number + 1))
    mkdir -p "$work/p"
    printf 'version: 1\nuse: [%s]\noutputs: [.]\nrandomness: real\n' "$sets" >"$work/p/tallyman.yaml"
    (cd "$work/p" && env -i HOME=/nonexistent LANG=C PATH=/usr/bin:/bin \
        strace -f -qq -y -s 4096 -e trace=%file -o "$work/trace" "$@" >"$work/out" 2>&1)
    status=$?
    if [ $status -ne 0 ]; then
        echo "not ok $number - $name: the command itself failed ($status)"
        sed 's/^/# /' "$work/out" | tail -5
        failed=1
    elif "$judge" "$work/p/tallyman.yaml" "$work/p" <"$work/trace" >"$work/undeclared"; then
        echo "ok $number - $name touches only what is declared"
    else
        echo "not ok $number - $name touches something undeclared"
        sort "$work/undeclared" | uniq | head -20 | sed 's/^/# /'
        failed=1
    fi
}

mkdir -p "$work/p"
printf '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n' >"$work/p/hello.c"
printf '#include <vector>\nint main() { return (int)std::vector<int>(3).size() - 3; }\n' >"$work/p/v.cc"
printf 'all: hello v\nhello: hello.o\n\t$(CC) -o $@ $^\nv: v.cc\n\t$(CXX) -O2 -o $@ $<\n' >"$work/p/Makefile"

check "a build with make, gcc and g++" "base, gcc, make" make
check "a build with the locale of libc" "base, locale-c, gcc" sh -c 'LC_ALL=C gcc -c hello.c'
# Where CUDA is installed clang reads it, and that is a finding.
command -v clang >/dev/null && [ ! -e /usr/local/cuda ] && check "clang" "base, gcc, clang" clang -O1 -o hello hello.c
check "perl with its standard modules" "base, perl" perl -MFile::Spec -MData::Dumper -e 'print 1'
check "the shell's usual commands" "base" \
    sh -c 'sed s/a/b/ hello.c | sort | grep -c h; ls | wc -l; awk 1 hello.c; gzip -c hello.c | gunzip | diff - hello.c; find . -name x; mktemp -p .'
exit $failed
