#!/bin/bash
# SPDX-License-Identifier: MIT
# What docs/ci.md tells people to do works: every command of its blocks is run, each block in the state
# that the blocks before it left, in a small project that is a git repository.
# shellcheck source-path=SCRIPTDIR/../e2e source=../e2e/tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

guide=$TALLYMAN_SOURCE/docs/ci.md
mkdir bin project
ln -s "$TALLYMAN" bin/tallyman
PATH=$work/bin:$PATH
cd project || exit 1
git init -q .
printf 'out: in\n\tcat in >out; date >>out\n' >Makefile
echo text >in
cat >tallyman.yaml <<'YAML'
version: 1
use: [base, make]
inputs: [.]
outputs: [out]
YAML

# blocks: "LANGUAGE FILE" for each block of code of the guide, which becomes a file.
blocks() {
    awk -v folder="$work" '/^```./ {language = substr($0, 4); file = folder "/block" ++count; printf "" >file; next}
        /^```$/ {if (file) {close(file); print language, file}; file = ""; next}
        file {print >file}' "$guide"
}

# commands FILE: the commands of tallyman in it, as they stand in YAML, Groovy and shell.
commands() {
    sed -nE "s/^[[:space:]]*sh '(tallyman .*)'\$/\\1/p; t; s/^[[:space:]]*(- )?((run|entry): )?(tallyman .*)\$/\\4/p" "$1"
}

# ran COMMAND...: the gate may say no (1), as the project has a finding; all else succeeds.
ran() {
    rm -f out
    bash -o pipefail -c "$1" >stdout 2>stderr </dev/null
    local status=$?
    case $1 in
        *check*) [ "$status" -le 1 ] ;;
        *) [ "$status" = 0 ] ;;
    esac || { echo "status $status"; cat stderr; return 1; }
    local file
    for file in $(grep -oE -- '(-o|--write-baseline) [^ ]+' <<<"$1" | cut -d ' ' -f 2); do
        [ -s "$file" ] || { echo "$file is missing or empty"; return 1; }
    done
}

count=0
while read -r language file; do
    while read -r command; do
        case $command in
            *diff*) cp tallyman.db server.db && cp tallyman.db home.db ;;
        esac
        check "$language: $command" ran "$command"
        count=$((count + 1))
    done < <(commands "$file")
    case $language in
        sh) check "the block is shell" bash -n "$file" ;;
        yaml) check "the block is YAML" python3 -B -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file" ;;
    esac
done < <(blocks)
is "every line of the guide's blocks with the program's name was run" "$count" \
    "$(sed -n '/^```./,/^```$/p' "$guide" | grep -cE '\btallyman (run|report|check|diff|manifest) ')"

# What the recipes promise.
rm -f out
"$TALLYMAN" run -q -- make >/dev/null
is "the gate lets what the baseline knows pass" \
    "$("$TALLYMAN" check --baseline tallyman.baseline --format github 2>/dev/null)" ""
check "and says so by its status" "$TALLYMAN" check --baseline tallyman.baseline
printf 'out: in\n\tcat in >out; date >>out; cat /etc/hostname >>out\n' >Makefile
rm -f out
"$TALLYMAN" run -q -- make >/dev/null
"$TALLYMAN" check --baseline tallyman.baseline --format gitlab -o quality.json >/dev/null 2>&1
is "something new fails" "$?" 1
is "and is in the file by then" "$(jq -r '.[].location.path' quality.json | sort -u)" Makefile
GITHUB_STEP_SUMMARY=$work/summary "$TALLYMAN" check --baseline tallyman.baseline --format github >annotations 2>/dev/null
like "an annotation names it" "$(cat annotations)" '::[a-z]+ file=Makefile,line=1,title=[^:]+::/etc'
echo before >"$work/summary"
GITHUB_STEP_SUMMARY=$work/summary "$TALLYMAN" report --format github >/dev/null
is "the summary of a step is added to" "$(head -n 1 "$work/summary")" before
like "and is Markdown" "$(cat "$work/summary")" '## tallyman: [0-9]+ undeclared finding'
GITHUB_STEP_SUMMARY=/nonexistent/summary "$TALLYMAN" report --format github >/dev/null 2>err
is "a summary that cannot be written is a failure" "$?" 125
like "with a reason" "$(cat err)" 'cannot add to the summary'
finish
