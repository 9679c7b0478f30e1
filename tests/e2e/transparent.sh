#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A program must not be able to tell: each script of transparent.rows (or of the file that is named) runs
# once plainly and once with the audited command under tallyman; output, errors and exit status must be
# equal. TALLYMAN_WITNESS: the mode of the kernel witness. A script marked with a line "= off" is for runs
# without it.
. "$(dirname "$0")/tap.sh"

# both NAME SCRIPT
both() {
    local side prefix shim script
    [ "${TALLYMAN_WITNESS:-off}" = off ] || [ -z "$without_witness" ] || return 0
    for side in plain audited; do
        fresh
        prefix='' shim=''
        if [ $side = audited ]; then
            prefix="$TALLYMAN run --quiet --witness ${TALLYMAN_WITNESS:-off} -o $work/run.db --" shim=$TALLYMAN_SHIM
        fi
        # Put into the text, not into variables, so that nothing of it is inherited.
        script=${2//\$A/"$prefix"}
        script=${script//\$SHIM/"$shim"}
        script=${script//\$P\//"$programs/"}
        timeout 100 sh -c "$script" >"$work/$side.out" 2>"$work/$side.err" </dev/null
        { echo "exit status $?"; sed 's/^sh: [0-9]*: //' "$work/$side.err"; } >>"$work/$side.out"
    done
    check "$1" diff -u "$work/plain.out" "$work/audited.out"
}

name='' script='' without_witness=''
while IFS= read -r line; do
    case $line in
        '' | '#'*) ;;
        ' '*) script+=${line#    }$'\n' ;;
        '= off') without_witness=1 ;;
        *)
            [ -z "$name" ] || both "$name" "$script"
            name=$line script='' without_witness=''
            ;;
    esac
done <"${1:-$here/transparent.rows}"
both "$name" "$script"
finish
