#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs another project's test suite plain and under tallyman, as the same ordinary user in the same
# folder, and compares what every test said. Exit status 1: a test that answers under tallyman as it
# never does plain.
#
#   run.sh SUITE [GROUP...]     SUITE: a file beside this one; GROUP: only these groups of its tests
#
#   TALLYMAN         the program to test; without it build/dev/cli/tallyman
#   TALLYMAN_SUITES  where sources, builds and results go; without it /tmp/tallyman-suites
#
# A suite file sets
#   packages   Debian's packages that it needs
#   sources    the Debian source package to build, '' for none
#   minutes    how long one run may take
# and defines
#   build                   in the unpacked source, once
#   run_tests [GROUP...]    in a fresh copy of the built tree; prints what the suite prints
#   results                 filter: that output to lines of "test<TAB>result"; a result that begins
#                           with "ok" passed; what precedes a colon in the test's name is its group
set -u

here=$(cd "$(dirname "$0")" && pwd)
repeats=5

[ $# -ge 1 ] || { sed -n '4,24s/^# \{0,1\}//p' "$0" >&2; exit 2; }
if [ "$1" = --inside ]; then
    # shellcheck disable=SC1090
    . "$2"
    shift 2
    run_tests "$@"
    exit
fi

suite=$1
shift
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/stranger.sh
. "$here/../stranger.sh"
[ -f "$here/$suite.sh" ] || die "no suite '$suite'; there are: $(basename -s .sh "$here"/*.sh | grep -vx run | xargs)"
packages='' sources='' minutes=0
# shellcheck disable=SC1090
. "$here/$suite.sh"
move_in "$suite"
cp "$here/run.sh" "$work/run.sh" && cp "$here/$suite.sh" "$work/" || exit 2

# The tree is built where it will run, because builds write their folder into what they make.
prepare() {
    # shellcheck disable=SC2086  # a list
    install_packages $packages || die "could not install what $suite needs"
    [ ! -e "$work/built" ] || return 0
    rm -rf "$work/run" "$work/tree"
    mkdir "$work/run"
    if [ -n "$sources" ]; then
        compgen -G "$base/sources/$sources-[0-9]*/" >/dev/null || "$top/scripts/fetch-sources.sh" "$base/sources" "$sources" || exit 2
        cp -a "$base/sources/$sources"-[0-9]*/. "$work/run/"
    fi
    own
    # shellcheck disable=SC2016  # for the inner shell
    enter "$work/run" 60 bash -c '. "$1" && build' build "$work/$suite.sh" >"$work/build.log" 2>&1 ||
        die "$suite does not build: see $work/build.log"
    cp -a "$work/run" "$work/tree" && touch "$work/built"
}

# try NAME plain|tallyman [GROUP...]: one run; leaves results/NAME.list
try() {
    local name=$1 how=$2 launch=() started=$SECONDS status
    shift 2
    [ "$how" = plain ] || launch=("$TALLYMAN" run --quiet -o "$work/home/$name.db" --)
    rm -rf "${work:?}/run" "${work:?}/tmp" "${work:?}/home"
    mkdir "$work/tmp" "$work/home"
    cp -a "$work/tree" "$work/run"
    own
    [ "$how" = plain ] || check_shim
    enter "$work/run" "$minutes" "${launch[@]}" bash "$work/run.sh" --inside "$work/$suite.sh" "$@" >"$work/results/$name.out" 2>&1
    status=$?
    echo "run.sh: $suite: $name took $((SECONDS - started)) s$([ $status != 124 ] || echo ', and was stopped')" >&2
    [ "$how" = plain ] || [ $status != 125 ] || die "tallyman itself failed: see $work/results/$name.out"
    # A name that comes twice gets a number.
    results <"$work/results/$name.out" | LC_ALL=C sort -s -t$'\t' -k1,1 |
        awk -F'\t' -vOFS='\t' '{name = $1; if (seen[name]++) name = name " #" seen[name]; print name, $2}' >"$work/results/$name.list"
}

# differences: "test<TAB>plain<TAB>tallyman" for the tests that two lists say different things about.
differences() {
    awk -F'\t' -vOFS='\t' '
        NR == FNR {plain[$1] = $2; next}
        {if (!($1 in plain)) print $1, "absent", $2; else if (plain[$1] != $2) print $1, plain[$1], $2; delete plain[$1]}
        END {for (test in plain) print test, plain[test], "absent"}' "$1" "$2" | LC_ALL=C sort
}

# judge: a line per differing test with all that was seen of it; only what plain never said counts.
judge() {
    local results=$work/results
    awk -F'\t' -vOFS='\t' -vrepeats="$repeats" -vfolder="$results" '
        function load(how, number,    file, line, part) {
            file = folder "/" how number ".list"
            while ((getline line <file) > 0) {
                split(line, part, "\t")
                said[how, number, part[1]] = part[2]
            }
        }
        function get(how, number, test) {
            return (how, number, test) in said ? said[how, number, test] : "absent"
        }
        BEGIN {for (i = 1; i <= repeats; i++) {load("plain", i); load("tallyman", i)}}
        {
            plain = under = ""
            new = 0
            for (i = 1; i <= repeats; i++) {
                plain = plain " " get("plain", i, $1)
                under = under " " get("tallyman", i, $1)
            }
            for (i = 1; i <= repeats; i++)
                if (!index(plain " ", " " get("tallyman", i, $1) " "))
                    new++
            print new ? "DIFFERENT" : "flaky", $1, "plain:" plain, "tallyman:" under
        }'
}

prepare
rm -f "$work/results"/*
try plain1 plain "$@"
try tallyman1 tallyman "$@"
differences "$work/results/plain1.list" "$work/results/tallyman1.list" >"$work/results/first"
: >"$work/results/judged"
if [ -s "$work/results/first" ]; then
    mapfile -t groups < <(cut -f1 "$work/results/first" | cut -d: -f1 | sort -u)
    for ((i = 2; i <= repeats; i++)); do
        try "plain$i" plain "${groups[@]}"
        try "tallyman$i" tallyman "${groups[@]}"
    done
    judge <"$work/results/first" >"$work/results/judged"
fi
count() {
    awk -F'\t' -vall="$2" 'all || $2 ~ /^ok/ {n++} END {print n + 0}' "$work/results/$1.list"
}
different=$(grep -c '^DIFFERENT' "$work/results/judged")
tests=$(count plain1 1)
cat "$work/results/judged"
echo '| suite | tests | passed plain | passed under tallyman | differences | flaky |'
echo '|---|--:|--:|--:|--:|--:|'
echo "| $suite | $tests | $(count plain1 '') | $(count tallyman1 '') | $different | $(grep -c '^flaky' "$work/results/judged") |"
[ "$tests" -gt 0 ] || die "$suite ran no test: see $work/results/plain1.out"
[ "$different" = 0 ]
