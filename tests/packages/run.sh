#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Builds Debian source packages twice plain and once under tallyman, as the same ordinary user in the same
# folder, and compares all that they made byte by byte: each file beside the source (packages, debug
# packages) and each file in those packages. What differs between the two plain builds is not reproducible
# anyway: it is named and does not count. Exit status 1: a file that tallyman changed. As root, for the
# packages that the builds need.
#
#   run.sh [--witness MODE] [PACKAGE...]      default: all of packages.rows
#
#   --witness MODE   as for tallyman run
#
#   TALLYMAN         the program to test; without it build/dev/cli/tallyman
#   TALLYMAN_SUITES  where sources, builds and results go; without it /tmp/tallyman-suites
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
minutes=30
options=()
[ "${1:-}" != --witness ] || { options=(--witness "${2:?}"); shift 2; }
case ${1:-} in -*) sed -n '4,15s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
# shellcheck source=tests/stranger.sh
. "$here/../stranger.sh"

mapfile -t rows < <(grep -v '^#' "$here/packages.rows")

# language PACKAGE: what its row says.
language() {
    printf '%s\n' "${rows[@]}" | sed -n "s/^$1  *//p"
}

# prepare PACKAGE: its source unpacked, and what its build needs. The tests of a package are no part of it.
prepare() {
    compgen -G "$base/sources/$1-[0-9]*/" >/dev/null || "$top/scripts/fetch-sources.sh" "$base/sources" "$1" || return 1
    source=$(echo "$base/sources/$1"-[0-9]*/)
    source=${source%/}
    (cd "$source" && dpkg-checkbuilddeps -B -P nocheck >/dev/null 2>&1) ||
        DEBIAN_FRONTEND=noninteractive apt-get build-dep -y -qq --no-install-recommends --no-remove --arch-only \
            --build-profiles nocheck "$source/" >"$results/build-dep.log" 2>&1 || return 1
}

# contents: "sum<TAB>name" for each file of the current folder, and each file in its packages.
contents() {
    local package
    mkdir unpacked
    for package in *.deb; do
        dpkg-deb -R "$package" "unpacked/$package"
    done
    find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sed 's/  /\t/; s,\t\./,\t,; s,\tunpacked/,\t,'
}

# build NAME [LAUNCHER...]: leaves NAME/ with what was made, and NAME.list
build() {
    local name=$1 started=$SECONDS status
    shift
    rm -rf "${work:?}/run" "${work:?}/tmp" "${work:?}/home"
    mkdir -p "$work/run" "$work/tmp" "$work/home" "$results/$name"
    cp -a "$source" "$work/run/"
    own
    [ $# = 0 ] || check_shim
    enter "$work/run/$(basename "$source")" "$minutes" env DEB_BUILD_OPTIONS='nocheck parallel=2' DEB_BUILD_PROFILES=nocheck \
        "$@" dpkg-buildpackage -B -uc -us >"$results/$name.out" 2>&1
    status=$?
    echo "run.sh: $package: $name took $((SECONDS - started)) s" >&2
    [ "$status" = 0 ] || return "$status"
    find "$work/run" -maxdepth 1 -type f -exec cp -p {} "$results/$name/" \;
    (cd "$results/$name" && contents) >"$results/$name.list"
    [ -s "$results/$name.list" ]
}

# judge: "identical|different|unstable<TAB>name" for each file of the three lists.
judge() {
    awk -F'\t' -vOFS='\t' '
        FNR == 1 {build++}
        {sum[build, $2] = $1; names[$2]}
        END {
            for (name in names) {
                if (sum[1, name] != sum[2, name]) print "unstable", name
                else if (sum[1, name] == sum[3, name]) print "identical", name
                else print "different", name
            }
        }' "$results/plain1.list" "$results/plain2.list" "$results/tallyman.list" | LC_ALL=C sort
}

# give_up WORDS FILE: a row without numbers.
give_up() {
    echo "$package: $1: see $2"
    table+=("| $package | $(language "$package") | | | $1 | | |")
    return 1
}

# try PACKAGE: adds its row to the table; false if tallyman changed anything, or if that cannot be told.
try() {
    local package=$1 results=$work/results/$1 source='' processes count
    rm -rf "$results"
    mkdir -p "$results"
    prepare "$package" || { give_up 'not to be had' "$results/build-dep.log"; return; }
    build plain1 && build plain2 || { give_up 'does not build' "$results"; return; }
    build tallyman "$TALLYMAN" run --quiet "${options[@]}" -o "$work/home/run.db" -- ||
        { give_up 'does not build under tallyman' "$results/tallyman.out"; return; }
    judge >"$results/judged"
    processes=$(sqlite3 "$work/home/run.db" 'SELECT count(*) FROM process')
    count=$(grep -c '^identical' "$results/judged")
    sed -n 's/^different\t/DIFFERENT: /p; s/^unstable\t/not reproducible: /p' "$results/judged"
    table+=("| $package | $(language "$package") | $(wc -l <"$results/judged") | $count | $(
        grep -c '^different' "$results/judged") | $(grep -c '^unstable' "$results/judged") | $processes |")
    rm -rf "$results"/{plain1,plain2,tallyman}/unpacked
    # A build of which nothing is reproducible, or that nobody watched, shows nothing.
    [ "$count" -gt 0 ] && [ "$processes" -gt 10 ] && ! grep -q '^different' "$results/judged"
}

[ $# -gt 0 ] || mapfile -t selected < <(printf '%s\n' "${rows[@]%% *}")
[ $# = 0 ] || selected=("$@")
move_in packages
install_packages build-essential fakeroot sqlite3 || die "could not install what builds need"
status=0
table=('| package | language | files | identical | different | not reproducible anyway | processes |' '|---|---|--:|--:|--:|--:|--:|')
for package in "${selected[@]}"; do
    [ -n "$(language "$package")" ] || die "packages.rows has no '$package'"
    try "$package" || status=1
done
printf '%s\n' "${table[@]}"
exit "$status"
