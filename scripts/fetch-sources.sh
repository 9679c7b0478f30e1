#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Unpacks Debian source packages, to try tallyman on. Needs no change of the machine's own sources: it
# asks the same archives for sources through a configuration of its own.
#
#   fetch-sources.sh [--upstream] FOLDER PACKAGE...      --upstream: without Debian's patches
set -eu

upstream=
[ "${1:-}" != --upstream ] || { upstream=1; shift; }
[ $# -ge 2 ] || { sed -n '4,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/parts" "$scratch/lists/partial"
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$scratch/parts/$(basename "$list")"
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >>"$scratch/parts/one-line.list"
done
cat >"$scratch/apt.conf" <<CONFIGURATION
Dir::Etc::sourceparts "$scratch/parts";
Dir::Etc::sourcelist "/dev/null";
Dir::State::lists "$scratch/lists";
Dir::Cache::srcpkgcache "";
Dir::Cache::pkgcache "";
APT::Sandbox::User "root";
CONFIGURATION
export APT_CONFIG="$scratch/apt.conf"
apt-get update -qq
cd "$folder"
status=0
for package in "$@"; do
    apt-get source -qq "$package" >"$scratch/log" 2>&1 || {
        # The newest version may be gone from a mirror that lags; an older one will do.
        version=$(apt-cache showsrc "$package" 2>/dev/null | sed -n 's/^Version: //p' | sort -uV | head -n 1)
        apt-get source -qq "$package=$version" >"$scratch/log" 2>&1 || {
            tail -n 2 "$scratch/log" >&2
            status=1
            continue
        }
    }
    if [ -n "$upstream" ]; then
        rm -rf "$package"-[0-9]*/
        dpkg-source --skip-patches -x "$package"_*.dsc >/dev/null
    fi
done
exit "$status"
