#!/bin/bash
# SPDX-License-Identifier: MIT
# The gate: known findings, new ones, waivers, reports on the side, and files that are no baseline.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

# status COMMAND...: its exit status; what it printed is in out and err.
status() {
    "$@" >out 2>err
    echo $?
}

# recorded DB COMMAND...: a run of the project whose environment is always the same.
recorded() {
    local db=$1
    shift
    (cd project && env -i PATH=/usr/bin:/bin HOME="$work/home" "TALLYMAN_SHIM=$TALLYMAN_SHIM" \
        "$TALLYMAN" run -q --witness off -o "$db" -- "$@") >/dev/null
}

mkdir home project vendor
echo one >vendor/one
echo two >home/two
recorded ../a.db cat ../vendor/one
accept='--accept-blind-spot witness-off'

# --- writing and using it
# shellcheck disable=SC2086
is "what is written is accepted at once" "$(status "$TALLYMAN" check a.db $accept --write-baseline known)" 0
like "and counted" "$(cat out)" "^run 1: clean, but for [0-9]+ findings? known from the baseline"
is "the first line names the version" "$(head -n 1 known)" "# tallyman baseline 1"
check "the lines are sorted" env LC_ALL=C sort -c known
is "each has a fingerprint, a category and words" \
    "$(tail -n +2 known | grep -vcE '^[0-9a-f]{16} [a-z-]+ # [a-z]+ [a-z-]+')" 0
like "a file beside the project is told from the project's place" "$(cat known)" "beside \{root\}/\.\./vendor"
is "no line has the folder that the test is in" "$(grep -cF "$work" known)" 0
is "the last line ends" "$(tail -c 1 known | od -An -c | tr -d ' ')" '\n'
before=$(stat -c %i known)
# shellcheck disable=SC2086
is "it can be written anew" "$(status "$TALLYMAN" check a.db $accept --write-baseline known)" 0
is "in one step, as another file" "$([ "$(stat -c %i known)" != "$before" ] && echo another)" another
is "and no temporary file is left" "$(find . -maxdepth 1 -name 'known.*' | wc -l)" 0
is "to standard output, too" "$("$TALLYMAN" check a.db --write-baseline - 2>/dev/null)" "$(cat known)"
ln -s known link
"$TALLYMAN" check a.db --write-baseline link >/dev/null
is "through a link the file is written and the link stays" "$(readlink link)" known
# shellcheck disable=SC2086
is "the same run is clean against it" "$(status "$TALLYMAN" check a.db $accept --baseline known)" 0
like "with the known ones listed" "$(cat out)" "known from the baseline, [0-9]+: .*\.\./vendor"

recorded ../b.db cat ../vendor/one ../home/two
is "another run fails" "$(status "$TALLYMAN" check b.db --baseline known)" 1
like "for what is new" "$(head -n 1 out)" "^run 1: 1 undeclared finding not in the baseline, [0-9]+ known from it$"
is "which alone is listed by row" "$(grep -c '^  [^ ]* .*filesystem, ' out)" 1
like "with its name" "$(cat out)" "\.\./home +filesystem, "
is "a database is a baseline as well" "$(status "$TALLYMAN" check b.db --baseline a.db)" 1
is "and says the same" "$(head -n 1 out)" "run 1: 1 undeclared finding not in the baseline, $(($(wc -l <known) - 1)) known from it"
# shellcheck disable=SC2086
is "what is gone does not fail" "$(status "$TALLYMAN" check a.db $accept --baseline b.db)" 0
like "but is counted" "$(cat out)" "no longer found: 1 \(--strict names"
# shellcheck disable=SC2086
is "to --strict it is a failure" "$(status "$TALLYMAN" check a.db $accept --baseline b.db --strict)" 1
like "with its name" "$(cat out)" "no longer found: [0-9a-f]{16} installed # filesystem read, beside \{root\}/\.\./home"
"$TALLYMAN" check b.db --write-baseline more >/dev/null
# shellcheck disable=SC2086
"$TALLYMAN" check a.db $accept --baseline more --strict >out
like "and of a text with its line" "$(cat out)" "no longer found, line [0-9]+: [0-9a-f]{16} installed # filesystem read, beside"

# --- the same database
recorded ../both.db cat ../vendor/one
is "a run is not its own baseline" "$(status "$TALLYMAN" check both.db --baseline both.db)" 2
like "and that is said" "$(cat err)" "both.db: holds no run before run 1 that could be its baseline"
recorded ../both.db cat ../vendor/one ../home/two
is "in one database the run before is the baseline" "$(status "$TALLYMAN" check both.db --baseline both.db)" 1
like "and what it has not is new" "$(head -n 1 out)" "^run 2: 1 undeclared finding not in"
is "the run can be named" "$(status "$TALLYMAN" check both.db --baseline both.db --baseline-run 1)" 1
is "but not the one that is checked" "$(status "$TALLYMAN" check both.db --baseline both.db --baseline-run 2)" 2
like "which is said" "$(cat err)" "run 2 is the one that is checked"
is "nor one that is not there" "$(status "$TALLYMAN" check both.db --baseline a.db --baseline-run 7)" 2
like "which is said, too" "$(cat err)" "no run 7; the database holds runs 1 to 1"

# --- another checkout, the same manifest
mkdir -p elsewhere/deep
cp -r project vendor elsewhere/deep
echo 'version: 1
use: [base]
inputs: [src/**]
environment: {"*": {pass: true}}
identity: real
resources: real' >project/tallyman.yaml
cp project/tallyman.yaml elsewhere/deep/project
mkdir elsewhere/deep/project/docs
echo x >elsewhere/deep/project/docs/x
(cd elsewhere/deep/project && env -i PATH=/usr/bin:/bin HOME="$work/home" "TALLYMAN_SHIM=$TALLYMAN_SHIM" \
    "$TALLYMAN" run -q --witness off -o ../../../there.db -- cat docs/x ../vendor/one) >/dev/null
mkdir project/docs
echo x >project/docs/x
recorded ../here.db cat docs/x ../vendor/one
cd project || exit 1
# shellcheck disable=SC2086
is "a run of another checkout is a baseline" "$(status "$TALLYMAN" check ../here.db $accept --baseline ../there.db)" 0
like "of which everything is known" "$(cat out)" "^run 1: clean, but for 2 findings known"
rm out err
cd ..

# --- merging
mkdir repository
cd repository || exit 1
git init -q -b main . 2>/dev/null
git config user.name t
git config user.email t@example.org
echo '*.baseline merge=union' >.gitattributes
cp ../known t.baseline
git add . && git commit -qm one
git checkout -qb left
{ cat t.baseline; echo "fffffffffffffff1 installed # filesystem read, package left"; } >new && mv new t.baseline
git commit -qam left
git checkout -q main
{ cat t.baseline; echo "fffffffffffffff2 installed # filesystem read, package right"; } >new && mv new t.baseline
git commit -qam right
check "branches that add lines merge" git merge -q --no-edit left
is "with the lines of both" "$(grep -c '^fffffffffffffff' t.baseline)" 2
# shellcheck disable=SC2086
is "and the result is a baseline" "$(status "$TALLYMAN" check ../a.db $accept --baseline t.baseline)" 0
cd ..

# --- files that are none
# refused NAME FILE MESSAGE
refused() {
    is "$1 is refused" "$(status "$TALLYMAN" check a.db --baseline "$2")" 2
    like "in one line that says why" "$(cat err)" "^tallyman: $3$"
    is "and nothing is printed" "$(cat out)" ""
}
{ head -n 2 known; echo '<<<<<<< HEAD'; tail -n 1 known; echo =======; echo '>>>>>>> left'; } >conflict
refused "a conflict of a merge" conflict "conflict:3: a conflict of a merge: keep the lines of both sides, in any order, and remove the marker lines"
sed 's/baseline 1/baseline 2/' known >newer
refused "a newer version" newer "newer:1: a baseline of version 2; this tallyman reads version 1: use the tallyman that wrote it, or write it anew with check --write-baseline"
refused "a missing file" none "none: cannot read the baseline: No such file or directory"
refused "a folder" project "project: cannot read the baseline: Is a directory"
refused "a binary file" "$TALLYMAN" ".*: not a baseline: its first line is not \"# tallyman baseline 1\""
: >empty
refused "an empty file" empty "empty: not a baseline: its first line is not \"# tallyman baseline 1\""
printf '# tallyman baseline 1\nsomething\n' >words
refused "a line without fingerprint" words 'words:2: expected a fingerprint of 16 hexadecimal digits, not \"something\"'
{ echo '# tallyman baseline 1'; head -c 70000000 /dev/zero; } >huge
refused "a huge file" huge "huge: too large for a baseline, which has at most 64 MiB"
rm huge
printf 'SQLite format 3\0and no more' >damaged
is "a damaged database is refused" "$(status "$TALLYMAN" check a.db --baseline damaged)" 125
is "in one line" "$(grep -c . err)" 1
sed 's/$/\r/' known >dos
# shellcheck disable=SC2086
is "carriage returns are none of its business" "$(status "$TALLYMAN" check a.db $accept --baseline dos)" 0
{ cat known; tail -n 3 known; } >twice
# shellcheck disable=SC2086
is "nor are lines that are there twice" "$(status "$TALLYMAN" check a.db $accept --baseline twice --strict)" 0
# shellcheck disable=SC2086
is "it may come from a pipe" "$("$TALLYMAN" check a.db $accept --baseline <(cat known) >/dev/null; echo $?)" 0
echo 'version: 1' >precious.yaml
is "a file that is no baseline is not overwritten" "$(status "$TALLYMAN" check a.db --write-baseline precious.yaml)" 2
like "which is said" "$(cat err)" "precious.yaml: not overwritten, for it is no baseline"
is "and it stays what it was" "$(cat precious.yaml)" "version: 1"
is "a place that cannot be written to is a failure" "$(status "$TALLYMAN" check a.db --write-baseline no/where)" 125
like "with its reason" "$(cat err)" "cannot write the baseline to no/where: No such file or directory"
printf '\033]0;x\a' >"$(printf 'esc\033[31m')"
"$TALLYMAN" check a.db --baseline "$(printf 'esc\033[31m')" 2>err
is "no escape sequence of a name reaches the terminal" "$(grep -c $'\033' err)" 0

# --- a report on the side
is "one call is the gate and writes a report" "$(status "$TALLYMAN" check b.db --baseline known --format json -o report.json)" 1
is "with what is known marked" "$(jq '[.findings[] | select(.known)] | length' report.json)" "$(($(wc -l <known) - 1))"
is "and what is new" "$(jq -r '[.findings[] | select(.known == false)] | map(.category) | .[]' report.json)" outside-file
like "people are told on standard error" "$(cat err)" "^run 1: 1 undeclared finding not in"
is "and nothing on standard output" "$(cat out)" ""
is "the report goes to standard output when no file is named" \
    "$("$TALLYMAN" check b.db --baseline known -f json 2>/dev/null | jq -r .schema_version)" 1
is "a report that cannot be written is a failure" "$(status "$TALLYMAN" check b.db -f json -o no/where)" 125
is "a file without format is wrong usage" "$(status "$TALLYMAN" check b.db -o report.json)" 2
is "a run of the baseline without baseline as well" "$(status "$TALLYMAN" check b.db --baseline-run 1)" 2
is "and two documents in one place" "$(status "$TALLYMAN" check b.db -f json --write-baseline -)" 2
"$TALLYMAN" report a.db --baseline more --format json >report.json
is "report marks what is known" "$(jq '[.findings[] | select(.known | not)] | length' report.json)" 0
like "and names what the baseline has in vain" "$(jq -r '.stale_baseline[].text' report.json)" "^installed # filesystem read, beside"
is "without baseline nothing is marked" "$("$TALLYMAN" report a.db -f json | jq '[.findings[] | select(has("known"))] | length')" 0
like "the report for people counts" "$("$TALLYMAN" report b.db --baseline known)" "Baseline: [0-9]+ findings? known from it, 1 new"
if python3 -c 'import jsonschema' 2>/dev/null; then
    check "the JSON report is as its schema says" python3 -B -c '
import json, os, jsonschema
schema = json.load(open(os.environ["TALLYMAN_SOURCE"] + "/docs/report.schema.json"))
jsonschema.validate(json.load(open("report.json")), schema)'
else
    skip "the JSON report is as its schema says" "no python3-jsonschema"
fi

# --- the run itself as the gate
cd project || exit 1
rm tallyman.yaml
run() { env -i PATH=/usr/bin:/bin HOME="$work/home" "TALLYMAN_SHIM=$TALLYMAN_SHIM" "$TALLYMAN" run --witness off "$@"; }
is "a run can be the gate" "$(status run --check --accept-blind-spot witness-off --baseline ../known -o ../c.db -- cat ../vendor/one)" 0
like "and its summary counts what is known" "$(cat err)" "of them known from the baseline"
is "which fails for what is new" "$(status run --check --baseline ../known -o ../c.db -- cat ../home/two)" 1
is "a baseline with errors stops it before it starts" "$(status run --check --baseline ../conflict -o ../c.db -- touch started)" 2
is "so that nothing was started" "$(ls started 2>/dev/null)" ""
is "a baseline without --check is wrong usage" "$(status run --baseline ../known -o ../c.db -- true)" 2
rm -f out err
cd ..

# --- waivers
recorded ../w.db cat ../vendor/one
cat >declared.yaml <<YAML
version: 1
root: project
use: [base]
environment: {"*": {pass: true}}
identity: real
resources: real
YAML
waiver() {
    { cat declared.yaml; printf 'waivers:\n'; printf '%s\n' "$@"; } >waived.yaml
}
waiver '  - {channel: filesystem, subject: "../vendor/**", reason: "TEAM-1", owner: build-team, expires: 2199-12-31}'
# shellcheck disable=SC2086
is "what is waived does not fail" "$(status "$TALLYMAN" check w.db -m waived.yaml $accept --strict)" 0
"$TALLYMAN" check w.db -m waived.yaml --write-baseline waived >/dev/null
is "and is not written into a baseline" "$(grep -c vendor waived)" 0
waiver '  - {channel: filesystem, subject: "../vendor/**", reason: "TEAM-1", owner: build-team, expires: 2001-12-31}'
is "an expired waiver is an error" "$(status "$TALLYMAN" check w.db -m waived.yaml)" 2
like "that names its owner, its place and its date" "$(cat err)" "waived.yaml:8:[0-9]+: .*expired on 2001-12-31; its owner is build-team"
waiver '  - {channel: filesystem, subject: "../vendor/**", reason: "TEAM-1", owner: o}' \
    '  - {channel: environment, subject: NOBODY_READS_IT, reason: "TEAM-2", owner: o}'
# shellcheck disable=SC2086
is "a waiver that matched nothing fails with --strict" "$(status "$TALLYMAN" check w.db -m waived.yaml $accept --strict)" 1
like "and is named with its line" "$(cat out)" "matched nothing, line 9: waiver: environment NOBODY_READS_IT"
waiver '  - {channel: filesystem, subject: "../vendor/**", owner: o}'
is "a waiver needs a reason" "$(status "$TALLYMAN" check w.db -m waived.yaml)" 2
like "which is said with its place" "$(cat err)" "waived.yaml:8:[0-9]+: .*reason"
finish
