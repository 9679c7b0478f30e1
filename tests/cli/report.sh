#!/bin/bash
# SPDX-License-Identifier: MIT
# Names with any bytes go through the whole program: from a real run to JSON and back, byte for byte.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

cat >names.py <<'PYTHON'
import os
NAMES = [b"a\nb", b"\xff\xfe.c", b"tab\there", b"q'\"<&>]]>", b"\x1b[31m", b" lead", b"-rf",
         b"\xe2\x80\xae.txt", b"back\\slash\\x41", b"\xc3\xa9\xe2\x82\xac", b"%s%n", b"$(id)`id`",
         b"<script>alert(1)<!--", b"\x7f", b"new\r\n"]
PYTHON
cat >make_and_read.py <<'PYTHON'
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from names import NAMES
for name in NAMES:
    open(os.path.join(b"../outside", name), "rb").close()
PYTHON
mkdir outside project
python3 -B -c 'from names import NAMES
for name in NAMES: open(b"outside/" + name, "wb").close()'
cd project || exit 1
check "a program reads files with any names" "$TALLYMAN" run -q -o ../a.db -- python3 -B ../make_and_read.py
cd ..

check "the JSON report is written" "$TALLYMAN" report a.db --format json --all -o report.json
cat >check.py <<'PYTHON'
import json, os, re, sys
from names import NAMES
text = open("report.json", "rb").read()
report = json.loads(text.decode("utf-8"))

def back(name):
    """The bytes of a name: undoes the doubled backslash and \\xNN."""
    part = rb"\\(\\|x[0-9a-f]{2})"
    return re.sub(part, lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]),
                  name.encode("utf-8"))

outside = os.path.abspath(b"outside")
got = {back(m["subject"]) for f in report["findings"] for m in f["members"]
       if m["operation"] == "read"}
missing = [n for n in NAMES if os.path.join(outside, n) not in got]
if missing:
    sys.exit("not found: %r" % missing)
PYTHON
check "every name comes back byte for byte" python3 -B check.py
if python3 -c 'import jsonschema' 2>/dev/null; then
    cat >schema.py <<'PYTHON'
import json, os, jsonschema
schema = json.load(open(os.environ["TALLYMAN_SOURCE"] + "/docs/report.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(json.load(open("report.json")), schema)
PYTHON
    check "the JSON report is as its schema says" python3 -B schema.py
else
    skip "the JSON report is as its schema says" "no python3-jsonschema"
fi
is "jq reads it" "$(jq -r .schema_version report.json)" 1
is "the totals of the channels are those of the findings" \
    "$(jq '[.channels[].occurrences] | add' report.json)" \
    "$(jq '[.findings[] | select(.verdict == "undeclared") | .count] | add' report.json)"
is "the counts of a finding are those of its members" \
    "$(jq '[.findings[] | select(.count != ([.members[].count] | add))] | length' report.json)" 0
is "every process of a finding is in the list" \
    "$(jq '([.findings[].processes[]] | unique) - [.processes[].id] | length' report.json)" 0

"$TALLYMAN" report a.db --all >report.txt
is "no control character but the newline is printed" "$(LC_ALL=C tr -d '\n -~\200-\377' <report.txt | wc -c)" 0
iconv -f UTF-8 -t UTF-8 report.txt >valid.txt 2>/dev/null
check "the text is valid UTF-8" cmp report.txt valid.txt
is "text that goes to a file has no colours" "$("$TALLYMAN" report a.db | grep -c $'\033')" 0
if command -v script >/dev/null; then
    TERM=xterm script -qec "$TALLYMAN report a.db" /dev/null </dev/null >coloured 2>/dev/null
    check "a terminal gets colours" grep -q $'\033\\[1m' coloured
    NO_COLOR=1 TERM=xterm script -qec "$TALLYMAN report a.db" /dev/null </dev/null >plain 2>/dev/null
    is "but not with NO_COLOR" "$(grep -c $'\033' plain)" 0
else
    skip "a terminal gets colours" "no script"
fi

# The commands of the report read back in a shell.
jq -r '.processes[] | select(.argv[0] | test("python")) | .argv[2]' report.json >argument
sqlite3 a.db "SELECT command FROM process WHERE command LIKE '%make_and_read%' LIMIT 1" >command.txt
is "a printed command reads back to its arguments" \
    "$(sh -c "set -- $(cat command.txt); printf '%s\n' \"\$3\"")" "$(head -n 1 argument)"

cp -r project elsewhere
(cd elsewhere && "$TALLYMAN" run -q -o ../b.db -- python3 -B ../make_and_read.py)
fingerprints() { "$TALLYMAN" report "$1" --format json | jq -r '.findings[] | "\(.fingerprint) \(.subject)"' | sort; }
is "fingerprints are the same in another folder" \
    "$(fingerprints b.db | grep -v "outside\|elsewhere")" "$(fingerprints a.db | grep -v "outside\|project")"
"$TALLYMAN" report a.db -o none/report.txt 2>err
is "a report that cannot be written is a failure" "$?" 125
like "that names the file and the reason" "$(cat err)" "none/report.txt: No such file or directory"
finish
