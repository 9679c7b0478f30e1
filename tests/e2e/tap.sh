# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by the end-to-end scripts: TAP on standard output, a work folder, and questions to the
# database. A script calls check, is, like or skip for each test and ends with finish.
#
# Where TALLYMAN_MUST_WORK is set (as scripts/test.sh does) a skipped test counts as failed, unless its
# reason stands in allowed_skips.txt.
set -u

tap_count=0
tap_failed=0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${TALLYMAN:?names the program under test}" "${TALLYMAN_SHIM:?names its shim}"
export TALLYMAN_SHIM
# shellcheck disable=SC2034  # of the scripts
programs=${TALLYMAN_PROGRAMS:-${TALLYMAN_BUILD:-$here}/tests/e2e}
work=$(mktemp -d "${TMPDIR:-/tmp}/tallyman-e2e.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
cd "$work" || exit 1

# report STATUS NAME: one line of TAP.
report() {
    tap_count=$((tap_count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
    fi
}

# check NAME COMMAND...: the command succeeds. Its output is shown when it does not.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        report 0 "$name"
    else
        report 1 "$name"
        printf '%s\n' "$output" | head -n 20 | sed 's/^/#   /'
    fi
}

# is NAME GOT EXPECTED: equal texts.
is() {
    if [ "$2" = "$3" ]; then
        report 0 "$1"
    else
        report 1 "$1"
        diff <(printf '%s\n' "$3") <(printf '%s\n' "$2") | head -n 20 | sed 's/^</#   expected:/; s/^>/#   got:     /; /^#/!d'
    fi
}

# like NAME GOT REGEX: the text has a match.
like() {
    if [[ $2 =~ $3 ]]; then
        report 0 "$1"
    else
        report 1 "$1"
        printf '%s\n' "no match for: $3" "in: $2" | head -n 20 | sed 's/^/#   /'
    fi
}

# skip NAME REASON
skip() {
    if [ -n "${TALLYMAN_MUST_WORK:-}" ] && ! grep -qxF -- "$2" "$here/allowed_skips.txt"; then
        report 1 "$1"
        echo "#   would be skipped: $2"
        return
    fi
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

finish() {
    echo "1..$tap_count"
    [ "$tap_failed" = 0 ] || { echo "# $tap_failed of $tap_count failed"; exit 1; }
    exit 0
}

# fresh: an empty folder with the files that the programs open; becomes the current one.
fresh() {
    cd "$work" && rm -rf tree run.db && mkdir tree && cd tree || exit 1
    echo hi >u.txt
    echo d >d.txt
}

# audit COMMAND...: under tallyman, silently, into a new database. TALLYMAN_WITNESS: the mode of the
# kernel witness.
audit() {
    rm -f "$work/run.db"
    "$TALLYMAN" run --quiet --witness "${TALLYMAN_WITNESS:-off}" -o "$work/run.db" -- "$@"
}

# ask SQL: one value from the last run's database.
ask() {
    sqlite3 -readonly -batch "$work/run.db" "$1"
}

# saw OPERATION SUBJECT: how often the last run did that (0 when never). A relative name is in ./.
saw() {
    local subject=$2
    [[ $2 == /* ]] || subject=$PWD/$2
    ask "SELECT coalesce(sum(count), 0) FROM v_access WHERE operation = '$1' AND subject = '$subject'"
}

# evidence: complete or incomplete, of the last run.
evidence() {
    ask "SELECT evidence FROM run ORDER BY id DESC LIMIT 1"
}
