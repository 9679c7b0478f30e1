#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Compares the C libraries of newer Debian releases with the lists of functions, as the test of hooks does
# with this machine's: prints each function that is in neither hooks.def, skips.def nor no_channel.txt,
# and each that is marked with another version than the one that brought it. Exit status 1 if there is any.
# Needs no change of the machine: apt works in a folder of its own.
#
#   check-newer-libc.sh [RELEASE|FILE.deb]...      default: trixie sid
#
#   RELEASE    of Debian; its package libc6 is fetched from where this machine gets its packages
#   FILE.deb   a package libc6 that is here already
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in -*) sed -n '4,12s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
# shellcheck source=tests/hooks/libc_names.sh
. "$top/tests/hooks/libc_names.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    grep -oE 'https?://[^ ]*/debian/?( |$)' | head -n 1 | tr -d ' ')

# fetch RELEASE: prints the name of its libc6.
fetch() {
    local folder=$scratch/$1
    mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$folder/parts"
    : >"$folder/status"
    echo "deb [signed-by=$keyring] ${mirror:-http://deb.debian.org/debian} $1 main" >"$folder/sources.list"
    cat >"$folder/apt.conf" <<CONFIGURATION
Dir::Etc::sourceparts "$folder/parts";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::State::lists "$folder/lists";
Dir::State::status "$folder/status";
Dir::Cache "$folder";
APT::Sandbox::User "root";
CONFIGURATION
    (cd "$folder" && export APT_CONFIG=$folder/apt.conf && apt-get update -qq && apt-get download -qq libc6) >&2 &&
        echo "$folder"/libc6_*.deb
}

# misdated: names that this libc has since another version than their mark says.
misdated() {
    local name since version
    sort -u "$scratch/marks" | while read -r name since; do
        version=$(sed -n "s/^$name@@*GLIBC_//p" versioned | sort -V | head -n 1)
        [ -z "$version" ] || [ "$version" = "$since" ] || echo "$name is marked $since, and came with $version"
    done
}

cd "$scratch"
read_lists "$top"
marks "$top" >marks
status=0
[ $# -gt 0 ] || set -- trixie sid
for libc; do
    file=$libc
    case $libc in
        */*.deb | *.deb) file=$(cd "$OLDPWD" && realpath "$libc") ;;
        *) file=$(fetch "$libc") || { echo "check-newer-libc.sh: $libc: its libc6 cannot be had" >&2; exit 2; } ;;
    esac
    rm -rf root
    dpkg-deb -x "$file" root
    read_libc "$(dirname "$(find root -name libc.so.6 | head -n 1)")"
    [ "$(wc -l <public)" -gt 1500 ] || { echo "check-newer-libc.sh: $libc: no libc in $file" >&2; exit 2; }
    LC_ALL=C sort -u <(unlisted) <(unlisted_aliases) >missing
    misdated >wrong
    echo "libc6 $(dpkg-deb -f "$file" Version) ($libc): $(wc -l <public) functions and objects, in no list $(wc -l <missing)"
    while read -r name; do
        sed -n "s/^\($name\)@@*\(.*\)/    \1 \2/p" versioned
    done <missing
    sed 's/^/    /' wrong
    [ ! -s missing ] && [ ! -s wrong ] || status=1
done
exit "$status"
