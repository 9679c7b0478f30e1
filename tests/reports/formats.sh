#!/bin/bash
# SPDX-License-Identifier: MIT
# A real run that uses files with names of any bytes, in every format, read back by readers of others:
# Python's for XML, CSV and JSON.
# shellcheck source-path=SCRIPTDIR/../e2e source=../e2e/tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

cat >names.py <<'PYTHON'
NAMES = [b"a\nb", b"\xff\xfe.c", b"tab\there", b"q'\"<&>]]>", b"\x1b[31m", b" lead", b"-rf", b"=1+1",
         b"@x", b"\xe2\x80\xae.txt", b"back\\slash\\x41", b"\xc3\xa9\xe2\x82\xac", b"%0A::error::x",
         b"\n::error file=x::y", b"<script>alert(1)<!--", b"\x7f", b"new\r\n", b"`a` | [b](c)",
         b"\xef\xbf\xbf", b",;", b"\xc2\x85"]
PYTHON
mkdir outside project
python3 -B -c 'from names import NAMES
for name in NAMES: open(b"outside/" + name, "wb").close()'
cat >project/use.py <<'PYTHON'
import sys
sys.path.insert(0, "..")
from names import NAMES
for name in NAMES:
    open(b"../outside/" + name, "rb").close()
PYTHON
cd project || exit 1
check "a program reads files with any names" "$TALLYMAN" run -q -o ../a.db -- python3 -B use.py
cd ..
for format in sarif junit github gitlab csv markdown; do
    check "$format is written" "$TALLYMAN" report a.db --format "$format" -o "report.$format"
done

cat >back.py <<'PYTHON'
import os, re
from names import NAMES

def back(name):
    """The bytes of a name: undoes the doubled backslash and \\xNN."""
    part = rb"\\(\\|x[0-9a-f]{2})"
    return re.sub(part, lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]), name.encode("utf-8"))

def all_there(got):
    outside = os.path.abspath(b"outside")
    missing = [name for name in NAMES if os.path.join(outside, name) not in got]
    if missing:
        raise SystemExit("not found: %r" % missing)
PYTHON
cat >csv_names.py <<'PYTHON'
import csv
from back import all_there, back
rows = list(csv.DictReader(open("report.csv", encoding="utf-8", newline=""), strict=True))
assert rows and all(None not in row and None not in row.values() for row in rows), "rows of another length"
assert not [v for row in rows for v in row.values() if v[:1] in ("=", "+", "-", "@", "\t", "\r")], "a formula"
all_there({back(row["name"]) for row in rows})
PYTHON
check "CSV: every name comes back byte for byte, and none is a formula" python3 -B csv_names.py
cat >sarif_names.py <<'PYTHON'
import json
from back import all_there, back
run = json.load(open("report.sarif", encoding="utf-8"))["runs"][0]
all_there({back(m["subject"]) for r in run["results"] for m in r["properties"]["members"]})
assert all(0x20 <= ord(c) < 0x7f for r in run["results"] for l in r["locations"]
           for c in l["physicalLocation"]["artifactLocation"]["uri"]), "a URI is ASCII"
assert run["invocations"][0]["executionSuccessful"] is True
PYTHON
check "SARIF: every name comes back byte for byte" python3 -B sarif_names.py
mkdir "project/a b:c#d%"
touch "project/a b:c#d%/e f:g#h%.c"
echo "version: 1" >project/all.yaml
(cd project && "$TALLYMAN" run -q -m all.yaml -o ../b.db -- cat "a b:c#d%/e f:g#h%.c")
"$TALLYMAN" report b.db --format sarif -o own.sarif
cat >sarif_place.py <<'PYTHON'
import json, urllib.parse
results = json.load(open("own.sarif", encoding="utf-8"))["runs"][0]["results"]
places = [l["physicalLocation"]["artifactLocation"] for r in results for l in r["locations"]]
assert all(place["uriBaseId"] == "SRCROOT" for place in places), places
# As a reader resolves it, a scheme or a fragment would show.
parts = [urllib.parse.urlsplit(place["uri"]) for place in places]
assert not [p for p in parts if p.scheme or p.netloc or p.query or p.fragment], parts
assert "a b:c#d%/e f:g#h%.c" in [urllib.parse.unquote(p.path) for p in parts], parts
PYTHON
check "SARIF: the place of a file with blanks, colons, # and % is a relative URI that leads to it" \
    python3 -B sarif_place.py
cat >junit_counts.py <<'PYTHON'
import xml.etree.ElementTree as tree
root = tree.parse("report.junit").getroot()
for suite in root:
    for attribute, tag in ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"):
        assert int(suite.get(attribute)) == len(suite.findall("testcase/" + tag)), suite.get("name")
    assert int(suite.get("tests")) == len(suite.findall("testcase")) > 0, suite.get("name")
for attribute in "tests", "failures", "errors":
    assert int(root.get(attribute)) == sum(int(suite.get(attribute)) for suite in root), attribute
names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
assert len(names) == len(set(names)), "two tests of one name"
PYTHON
check "JUnit: XML that holds what it counts, no two tests of one name" python3 -B junit_counts.py
cat >gitlab_fields.py <<'PYTHON'
import json, re
findings = json.load(open("report.gitlab", encoding="utf-8"))
assert findings
for finding in findings:
    assert set(finding) == {"description", "check_name", "fingerprint", "severity", "location"}
    assert finding["severity"] in ("info", "minor", "major", "critical", "blocker")
    assert not finding["location"]["path"].startswith(("/", "./")) and finding["location"]["lines"]["begin"] >= 1
    assert re.fullmatch("[0-9a-f]{16}", finding["fingerprint"])
assert len({finding["fingerprint"] for finding in findings}) == len(findings)
PYTHON
check "GitLab: the fields of its documentation, each fingerprint once" python3 -B gitlab_fields.py
is "GitHub: every line is a command or the count of the others" \
    "$(grep -cvE '^::(error|warning|notice) (file|title)=[^:]*::|^tallyman: [0-9]+ more:' report.github)" 0
like "Markdown: the name is code" "$(cat report.markdown)" '`[^`]*<script>alert\(1\)<!--'
for format in sarif junit github gitlab markdown; do
    is "$format: no control character" "$(LC_ALL=C tr -d '\n\040-\176\200-\377' <"report.$format" | wc -c)" 0
done
finish
