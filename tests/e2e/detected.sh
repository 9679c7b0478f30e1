#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2317  # functions that check calls by name
#
# What programs do must be in the record: audits each script of detected.rows (or of the file that is
# named) and asks the database.
. "$(dirname "$0")/tap.sh"

# expect KIND REST: 0 when the record is as that line says; else says how it is.
expect() {
    local kind=$1 operation subject count found value query
    if [ "$kind" = '?' ]; then
        read -r value query <<<"$2"
        found=$(ask "$query")
        [ "$found" = "$value" ] || { echo "$found, not $value: $query"; return 1; }
        return 0
    fi
    read -r operation subject count <<<"$2"
    case $operation in
        clock | locale | user | visible) ;;
        read-variable) operation="read" ;;
        *) subject=$(realpath -sm "$subject") ;;
    esac
    found=$(ask "SELECT coalesce(sum(count), 0) FROM v_access WHERE operation = '$operation' AND subject = '$subject'")
    case $kind in
        +) [ "$found" -gt 0 ] && [ "$found" = "${count:-$found}" ] ;;
        -) [ "$found" = 0 ] ;;
    esac || { echo "$operation $subject: $found times"; return 1; }
}

# All lines of one test, as the variables of the loop below.
run_row() {
    local status=0 kind text
    fresh
    [ -z "$before" ] || sh -c "$before" || return 1
    text=${script//\$P\//"$programs/"}
    audit timeout 100 sh -c "$text" >"$work/out" 2>&1 </dev/null
    if [ ! -e "$work/run.db" ]; then
        cat "$work/out"
        return 1
    fi
    for line in "${expectations[@]}"; do
        kind=${line%% *}
        expect "$kind" "${line#? }" || status=1
    done
    [ "$status" = 0 ] || head -n 3 "$work/out"
    return "$status"
}

name='' script='' before='' expectations=()
while IFS= read -r line; do
    case $line in
        '' | '#'*) ;;
        '    '*) script+=${line#    }$'\n' ;;
        '< '*) before+=${line#< }$'\n' ;;
        [+?-]' '*) expectations+=("$line") ;;
        *)
            [ -z "$name" ] || check "$name" run_row
            name=$line script='' before='' expectations=()
            ;;
    esac
done < <(cat "${1:-$here/detected.rows}"; echo end)
finish
