#!/bin/bash
# SPDX-License-Identifier: MIT
#
# docs/pitfalls.md accounts for every entry of the catalogue: each id of ids.txt has one row there, each
# test that a row names is in the file that it names, and no test that carries an id is missing there.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

page=$TALLYMAN_SOURCE/docs/pitfalls.md
ids=$TALLYMAN_SOURCE/tests/pitfalls/ids.txt

# A row: | id | short name | `path` "name of a test", `path` ... or the reason, as sentences |
sed -nE 's/^\| ([A-I][0-9]+) \|.*/\1/p' "$page" | sort >rows
sort "$ids" >wanted
is "the catalogue has 156 entries" "$(wc -l <wanted)" 156
is "every entry has one row in docs/pitfalls.md" "$(cat rows)" "$(cat wanted)"
is "every row says where it is tested or why it is not" \
    "$(grep -E '^\| [A-I][0-9]+ \|' "$page" | grep -vE '^\| [A-I][0-9]+ \| [^|]{5,} \| [^|]{15,} \|$')" ""

# id, file and text of each test that is named
python3 - "$page" >named <<'PYTHON'
import re, sys
for line in open(sys.argv[1], encoding="utf-8"):
    row = re.match(r"\| ([A-I]\d+) \|[^|]*\|(.*)\|$", line)
    for path, names in re.findall(r'`(tests/[^`]+)`((?:,? "[^"]+")*)', row[2]) if row else []:
        for name in re.findall(r'"([^"]+)"', names) or [""]:
            print(row[1], path, name, sep="\t")
PYTHON
check "tests are named" test "$(wc -l <named)" -gt 156
while IFS=$'\t' read -r id path name; do
    if [ -z "$name" ] || ! grep -qF -- "$name" "$TALLYMAN_SOURCE/$path" 2>/dev/null; then
        echo "$id: ${name:-no test} in $path"
    fi
done <named >absent
is "every test that is named is there" "$(cat absent)" ""

# Tests that carry an id, by file.
(cd "$TALLYMAN_SOURCE" && grep -oE '^[A-I][0-9]+: ' tests/e2e/*.rows tests/pitfalls/*.rows &&
    grep -oE '"[A-I][0-9]+: ' tests/pitfalls/*.sh) | tr -d '": ' |
    sed -E 's/(rows|sh)([A-I])/\1 \2/' | awk '{print $2 "\t" $1}' | sort -u >carried
cut -f 1,2 named | sort -u >accounted
is "every test that carries an id stands in the row of that id" "$(comm -23 carried accounted)" ""
finish
