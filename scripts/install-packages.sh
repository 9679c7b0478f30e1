#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Installs Debian's packages that tallyman needs, as root or through sudo.
#
#   install-packages.sh [runtime] [build] [test] [long]      default: build test
#
#   runtime  to run an installed tallyman
#   build    to build it and the bundled example
#   test     to run every test, with both compilers
#   long     what scripts/test-long.sh needs beyond that
set -eu

runtime='libbsd0 libseccomp2 libsqlite3-0 libssl3 libyaml-0-2'
build='ca-certificates cmake dpkg-dev gcc hostname libbsd-dev libc6-dev libseccomp-dev libsqlite3-dev
    libssl-dev libyaml-dev make ninja-build pkg-config'
test='bindfs bsdutils busybox-static ccache clang clang-format eatmydata fakeroot faketime file g++
    gcc-multilib gdb git gnupg jq libcap2-bin libclang-rt-14-dev libcriterion-dev
    libgoogle-perftools4 libjemalloc2 llvm man-db mandoc mawk mount musl-tools nodejs openssh-client
    pacman-package-manager perl procps python3 python3-jsonschema python3-venv python3-yaml rpm
    shellcheck sqlite3 strace sudo universal-ctags util-linux xz-utils'
long='autoconf automake bison chromium curl flex golang-go libtool libxml2-utils python3-dev python3-setuptools
    tidy'
# A node from elsewhere brings its own npm, which Debian's cannot be installed beside.
command -v npm >/dev/null || long="$long npm"

wanted=
[ $# -gt 0 ] || set -- build test
for list in "$@"; do
    case $list in
        runtime) wanted="$wanted $runtime" ;;
        build) wanted="$wanted $build" ;;
        test) wanted="$wanted $test" ;;
        long) wanted="$wanted $long" ;;
        *)
            sed -n '4,11s/^# \{0,1\}//p' "$0" >&2
            exit 2
            ;;
    esac
done

missing=
for package in $wanted; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
        missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "install-packages.sh: all there"
    exit 0
fi
as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "install-packages.sh: be root, or install sudo; missing:$missing" >&2; exit 1; }
    as_root=sudo
fi
echo "install-packages.sh: installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
