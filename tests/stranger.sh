# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by the scripts that run strangers' suites and builds plain and under tallyman: the same
# ordinary user, folder and environment for both. The caller has set `top`, the clone.
#
#   TALLYMAN         the program to test; without it build/dev/cli/tallyman
#   TALLYMAN_SUITES  where sources, builds and results go; without it /tmp/tallyman-suites
set -u

base=${TALLYMAN_SUITES:-/tmp/tallyman-suites}
as_user=()
user=$(id -un)

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# move_in NAME: a folder of its own, $work, with a copy of the program; and a user to whom it belongs.
move_in() {
    local shim
    TALLYMAN=${TALLYMAN:-$top/build/dev/cli/tallyman}
    [ -x "$TALLYMAN" ] || die "no program $TALLYMAN: build it or set TALLYMAN"
    work=$base/$1
    mkdir -p "$work/home" "$work/tmp" "$work/results" "$work/program" || exit 2
    # The user may have no way into the clone; and what is built there meanwhile stays out of it.
    shim=${TALLYMAN_SHIM:-$(dirname "$TALLYMAN")/../preload/libtallyman.so}
    if [ -f "$shim" ]; then
        install "$TALLYMAN" "$work/program/tallyman" && install "$shim" "$work/program/libtallyman.so" || exit 2
        TALLYMAN=$work/program/tallyman TALLYMAN_SHIM=$work/program/libtallyman.so
    fi
    # An ordinary user: many suites skip or change tests for root.
    if [ "$(id -u)" = 0 ]; then
        user=tally-$1
        getent passwd "$user" >/dev/null || useradd --system --no-create-home --home-dir "$base" "$user" || exit 2
        trap 'userdel "$user" 2>/dev/null' EXIT
        as_user=(setpriv --reuid "$user" --regid "$user" --clear-groups)
    fi
}

# enter FOLDER MINUTES COMMAND...: with nothing of the caller's but the time zone.
enter() {
    local folder=$1 limit=$2
    shift 2
    (cd "$folder" && exec setsid -w timeout --kill-after=10 "${limit}m" "${as_user[@]}" env -i \
        HOME="$work/home" TMPDIR="$work/tmp" PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 TERM=dumb \
        USER="$user" LOGNAME="$user" SHELL=/bin/bash \
        ${TALLYMAN_SHIM:+TALLYMAN_SHIM="$TALLYMAN_SHIM"} "$@" </dev/null)
}

# Two equal results would prove nothing if the shim were not there.
check_shim() {
    enter "$work" 1 "$TALLYMAN" run --quiet -o "$work/home/check.db" -- grep -q libtallyman /proc/self/maps ||
        die "the shim does not reach the user $user"
    rm -f "$work/home/check.db"
}

own() {
    [ ${#as_user[@]} = 0 ] || chown -R "$user:$user" "$work"
}

# install_packages PACKAGE...
install_packages() {
    local package missing=''
    for package; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] || die "be root to install:$missing"
    # shellcheck disable=SC2086  # a list
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
