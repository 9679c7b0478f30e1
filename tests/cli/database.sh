#!/bin/bash
# SPDX-License-Identifier: MIT
# docs/database.md is about the database that is there, and databases that cannot be read are named.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"
page=${TALLYMAN_SOURCE:-$here/../..}/docs/database.md
cd "$work" || exit 1

cat >build.sh <<'SH'
id -un >out
cat /etc/passwd "$HOME/absent" 2>/dev/null >>out
printenv LANG >>out
SH
"$TALLYMAN" run -q -o runs.db -- sh build.sh

awk '/^```sql/ { query++; inside = 1; next } /^```/ { inside = 0 } inside { print >("query." query) }' "$page"
is "there are ten queries" "$(ls query.* | wc -l)" 10
for query in query.*; do
    title=$(grep -o "v_[a-z_]*\|process\|FROM run" "$query" | head -n 1)
    sqlite3 -readonly runs.db <"$query" >rows 2>err
    is "$query, of $title, is understood" "$(cat err)" ""
    check "and gives rows" test -s rows
done
for view in $(grep -o '^| `v_[a-z_]*`' "$page" | tr -d '|` '); do
    is "$view has the columns of the page" \
        "$(sqlite3 -readonly runs.db "SELECT group_concat(name, ', ') FROM pragma_table_info('$view')")" \
        "$(grep "^| \`$view\`" "$page" | cut -d'|' -f4 | sed 's/^ *//; s/ *$//')"
done
is "each table is on the page" "$(for name in $(sqlite3 -readonly runs.db \
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"); do
    grep -q "\`$name\`" "$page" || echo "$name"
done)" ""
is "the version is on the page" "$(sqlite3 -readonly runs.db 'PRAGMA user_version')" \
    "$(grep -o 'they are ([0-9]* today' "$page" | tr -dc 0-9)"

# --- what cannot be read: one line, and the file stays as it is
# refused WHAT FILE REASON
refused()
{
    cp "$2" before
    for command in report check explain; do
        case $command in
        explain) "$TALLYMAN" explain "$2" LANG >out 2>err ;;
        *) "$TALLYMAN" "$command" "$2" >out 2>err ;;
        esac
        is "$command: $1 is a failure" $? 125
        is "in one line" "$(grep -c . err)" 1
        like "that says why" "$(cat err)" "$3"
    done
    check "and it is left as it is" cmp "$2" before
}
cp runs.db older.db
sqlite3 older.db 'PRAGMA user_version = 1'
refused "an older version" older.db "older version.*record the build again"
cp runs.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 99'
refused "a newer version" newer.db "newer version"
head -c 9000 runs.db >cut.db
refused "a file that is cut off" cut.db "cut off"
echo "no database, only a line of text that somebody wrote" >text.db
refused "no database" text.db "not a tallyman database"
cp runs.db torn.db
size=$(stat -c %s torn.db)
dd if=/dev/urandom of=torn.db bs=4096 seek=3 count=$((size / 4096 - 4)) conv=notrunc 2>/dev/null
"$TALLYMAN" report torn.db >out 2>err
is "a file with nonsense in it is a failure" $? 125
is "in one line, too" "$(grep -c . err)" 1

cp runs.db locked.db
(echo 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;'; echo '.shell touch held'; until [ -e release ]; do sleep 0.1; done) |
    sqlite3 locked.db >/dev/null &
holder=$!
for _ in $(seq 50); do [ -e held ] && break; sleep 0.1; done
"$TALLYMAN" report locked.db >out 2>err
is "a locked database is a failure" $? 125
is "in one line as well" "$(grep -c . err)" 1
like "that says so" "$(cat err)" "locked"
touch release
wait $holder

cp runs.db fixed.db
chmod 444 fixed.db
mkdir -p shelf && cp fixed.db shelf && chmod 555 shelf
is "a read-only file is read" "$("$TALLYMAN" report fixed.db | tail -n +2 | head -n 3)" \
    "$("$TALLYMAN" report runs.db | tail -n +2 | head -n 3)"
is "so is one in a read-only folder" "$("$TALLYMAN" report shelf/fixed.db | head -n 3)" \
    "$("$TALLYMAN" report runs.db | head -n 3)"
is "also under another manifest" "$(printf 'version: 1\ninputs: ["**", /**]\n' >all.yaml
    "$TALLYMAN" check -m all.yaml shelf/fixed.db >/dev/null 2>err; grep -c 'cannot' err)" 0
chmod 755 shelf

# --- a run that has not ended
"$TALLYMAN" run -q -o going.db -- sh -c 'cat /etc/passwd >/dev/null; touch started; while ! [ -e over ]; do sleep 0.1; done' &
run=$!
for _ in $(seq 100); do [ -e started ] && break; sleep 0.1; done
sleep 1
like "a run that goes on can be looked at" "$("$TALLYMAN" report going.db 2>&1)" "never ended|has not ended|still|no run"
touch over
wait $run
is "and is complete when it has ended" "$(sqlite3 -readonly going.db 'SELECT ended IS NOT NULL FROM run')" 1
finish
