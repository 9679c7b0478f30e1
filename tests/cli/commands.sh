#!/bin/bash
# SPDX-License-Identifier: MIT
# Help, versions, mistakes on the command line, and the exit status of check.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

# status COMMAND...: its exit status; what it printed is in out and err.
status() {
    "$@" >out 2>err
    echo $?
}

is "help is asked for and is no mistake" "$(status "$TALLYMAN" --help)" 0
is "help is on standard output alone" "$(cat err)" ""
like "help names the commands" "$(cat out)" "run .*report .*check .*manifest .*recover "
is "no command is wrong usage" "$(status "$TALLYMAN")" 2
is "the version is printed" "$("$TALLYMAN" --version | cut -d' ' -f1)" tallyman

for command in run report check explain diff manifest doctor recover; do
    is "$command --help succeeds" "$(status "$TALLYMAN" $command --help)" 0
    like "$command --help shows its usage" "$(cat out)" "^Usage: tallyman $command "
    is "help $command is the same" "$("$TALLYMAN" help $command)" "$(cat out)"
    is "$command refuses an unknown option" "$(status "$TALLYMAN" $command --no-such-option)" 2
done
# shellcheck disable=SC2016
like "a command's own --help is the command's" "$("$TALLYMAN" run -o h.db -q -- sh -c 'echo "$1"' sh --help 2>&1)" "^--help$"

is "an unknown command is wrong usage" "$(status "$TALLYMAN" repotr)" 2
like "and the nearest one is named" "$(cat err)" "unknown command 'repotr'; did you mean 'report'"
"$TALLYMAN" $'\033[31mx' 2>err
is "an escape sequence in a command does not reach the terminal" "$(grep -c $'\033' err)" 0
is "a misspelt option is wrong usage" "$(status "$TALLYMAN" report --fromat json)" 2
like "and the nearest one is named" "$(cat err)" "unknown option '--fromat'; did you mean '--format'"
is "an unknown format is wrong usage" "$(status "$TALLYMAN" report --format yaml)" 2
like "and the known ones are named" "$(cat err)" "does not know 'yaml'; known: text, json"
is "a run is a number" "$(status "$TALLYMAN" report --run x)" 2
is "two databases are too many" "$(status "$TALLYMAN" report a b)" 2

for command in report check; do
    is "a missing database is a failure of $command" "$(status "$TALLYMAN" $command none.db)" 125
    like "and it is named, with what makes one" "$(cat err)" "^tallyman: none.db: no such database \\(tallyman run makes one\\)$"
done
echo "not a database, and longer than a header of a hundred bytes would be, if it were one: it goes on and on" >notes
is "a file that is no database is refused" "$(status "$TALLYMAN" report notes)" 125
like "and said to be none" "$(cat err)" "notes: not a tallyman database"

mkdir project && cd project || exit 1
echo secret >../undeclared
"$TALLYMAN" run -q -o ../a.db -- cat ../undeclared >/dev/null
is "a run hands the status of its command through" "$(status "$TALLYMAN" run -o ../b.db -- sh -c 'exit 5')" 5
like "and its summary states it" "$(cat err)" "^tallyman: the command exited 5; 1 process, "
like "and names the next command" "$(tail -n 1 err)" "^  see: tallyman report \.\./b\.db$"
is "with --quiet nothing is said" "$(status "$TALLYMAN" run -q -o ../b.db -- sh -c 'exit 5')$(cat out err)" 5
is "but what went wrong is" "$(status "$TALLYMAN" run -q -o none/b.db -- true)" 125
like "with its reason" "$(cat err)" "none"
rm -rf tallyman-run.* 2>/dev/null
cd ..
is "a missing run is wrong usage" "$(status "$TALLYMAN" report a.db --run 7)" 2
like "and those that exist are named" "$(cat err)" "no run 7; the database holds runs 1 to 1"

is "undeclared use is exit status 1" "$(status "$TALLYMAN" check a.db)" 1
like "and it is listed" "$(cat out)" "undeclared finding"
is "no line of it is wider than usual" "$(awk 'length > 110' out)" ""

cp a.db unjudged.db
sqlite3 unjudged.db "DELETE FROM judgement; DELETE FROM process_action; DELETE FROM rule;
    DELETE FROM access_summary; UPDATE access SET summary = NULL;
    UPDATE environment_variable SET verdict = NULL, rule = NULL;
    UPDATE run SET ended = NULL, evidence = NULL"
is "a run that was cut off is judged when it is looked at" \
    "$("$TALLYMAN" check unjudged.db | head -n 1)" "$("$TALLYMAN" check a.db | head -n 1)"
like "and said to be cut off" "$("$TALLYMAN" report unjudged.db)" "the run never ended"
is "but the database stays as it is" "$(sqlite3 unjudged.db 'SELECT count(verdict) FROM judged_access')" 0

cat >all.yaml <<'YAML'
version: 1
root: /
inputs: ["**"]
environment: {"*": {pass: true}}
network: ["*:*", "unix:**"]
clock: real
randomness: real
identity: real
resources: real
YAML
cat >waived.yaml <<'YAML'
waivers:
  - {channel: filesystem, subject: /nowhere/at/all, reason: none, owner: me, expires: 2099-01-01}
YAML
cat all.yaml waived.yaml >both.yaml
"$TALLYMAN" check -m all.yaml a.db >out 2>&1
like "with all declared only the evidence can be missing" "$?" '^[03]$'
spots=$(sqlite3 a.db "SELECT DISTINCT '--accept-blind-spot=' || class FROM blind_spot")
# shellcheck disable=SC2086
is "with its blind spots accepted the run is clean" "$(status "$TALLYMAN" check -m all.yaml $spots a.db)" 0
# shellcheck disable=SC2086
is "a waiver that matched nothing is no failure" "$(status "$TALLYMAN" check -m both.yaml $spots a.db)" 0
like "but is listed" "$(cat out)" "matched nothing"
# shellcheck disable=SC2086
is "but to --strict it is" "$(status "$TALLYMAN" check --strict -m both.yaml $spots a.db)" 1
sqlite3 a.db "INSERT INTO blind_spot (run, class) VALUES (1, 'damaged-log'); UPDATE run SET evidence = 'incomplete'"
# shellcheck disable=SC2086
is "incomplete evidence is exit status 3" "$(status "$TALLYMAN" check -m all.yaml $spots a.db)" 3
like "and the reason is given" "$(cat out)" "damaged-log"
like "and what to do about it" "$(cat out)" "what to do: run again"
# shellcheck disable=SC2086
is "a class that is accepted as well makes it clean" \
    "$(status "$TALLYMAN" check -m all.yaml $spots --accept-blind-spot damaged-log a.db)" 0
like "but it stays listed" "$(cat out)" "damaged-log, accepted: "
is "and the evidence stays what it is" "$(sqlite3 a.db "SELECT evidence FROM run")" incomplete
is "a report marks what is accepted" \
    "$("$TALLYMAN" report --accept-blind-spot damaged-log --format json a.db | jq -c '.certificate.blind_spots[] | select(.class == "damaged-log") | .accepted')" true
is "a run accepts by class, too" \
    "$(status "$TALLYMAN" run --check --witness off -m all.yaml $spots --accept-blind-spot witness-off -o c.db -- true)" 0
like "and its summary marks it" "$(cat err)" ", accepted: "
is "an unknown blind spot is refused" "$(status "$TALLYMAN" check --accept-blind-spot statics a.db)" 2
like "and the known ones are named" "$(cat err)" "does not know 'statics'; known: static, foreign_libc, "

printf 'version: 1\ninputs: [src/**]\nclokc: real\n' >bad.yaml
is "a manifest with errors is exit status 2" "$(status "$TALLYMAN" check -m bad.yaml a.db)" 2
like "with the line and the column" "$(cat err)" "bad.yaml:3:1: "
is "to lint, too" "$(status "$TALLYMAN" manifest lint -m bad.yaml)" 2
is "a good manifest passes lint" "$(status "$TALLYMAN" manifest lint -m all.yaml)" 0
is "manifest needs a word that it knows" "$(status "$TALLYMAN" manifest lnt)" 2
like "and names the nearest" "$(cat err)" "did you mean 'lint'"
like "the rule sets are listed" "$("$TALLYMAN" manifest sets)" "base .*gcc .*make "
like "a rule set is printed" "$("$TALLYMAN" manifest sets base)" "inputs:"
is "an unknown rule set is refused" "$(status "$TALLYMAN" manifest sets bsae)" 2
like "and the nearest is named" "$(cat err)" "did you mean 'base'"

before=$(sha256sum a.db)
"$TALLYMAN" report -m all.yaml a.db >/dev/null
is "judging by another manifest leaves the database as it is" "$(sha256sum a.db)" "$before"
"$TALLYMAN" report a.db >/dev/full 2>err
is "a full disk behind a report is a failure" "$?" 125
finish
