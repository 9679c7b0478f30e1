#!/bin/bash
# SPDX-License-Identifier: MIT
# One thing explained: what can be asked for, what is told, and that the advice holds.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

# status COMMAND...: its exit status; what it printed is in out and err.
status() {
    "$TALLYMAN" "$@" >out 2>err
    echo $?
}

mkdir home project vendor
echo one >vendor/one
cat >project/tallyman.yaml <<'YAML'
version: 1
use: [base]
inputs: [Makefile, /opt/none/x]
outputs: [out]
environment:
  PATH: {pass: true}
  HOME: {pass: true}
  TALLYMAN_SHIM: {pass: true}
YAML
cat >project/build.sh <<'SH'
cat ../vendor/one >out
date >/dev/null
: "$LANG"
SH
(cd project && env -i PATH=/usr/bin:/bin HOME="$work/home" LANG=C "TALLYMAN_SHIM=$TALLYMAN_SHIM" \
    "$TALLYMAN" run -q -o ../a.db -- sh build.sh)
cd project || exit 1

is "a path is explained" "$(status explain ../a.db ../vendor/one)" 0
text=$(cat out)
like "by its full name" "$(head -n 1 out)" "/vendor/one$"
like "with the verdict" "$text" "Undeclared: filesystem, read"
like "and why: the nearest rule" "$text" "why: no rule declares it; the nearest is "
like "with the digest of the file" "$text" "SHA-256 $(sha256sum ../vendor/one | cut -d' ' -f1)"
like "with the category and why it matters" "$text" "outside-file: Files outside the project\. Nobody who"
like "with who used it, and how often" "$text" "used: 1 time by 1 process: cat"
like "and when, with which outcome, and who saw it" "$text" "[0-9]+\.[0-9]{3} s  read ok, seen by the shim"
like "with the chain of commands" "$text" "sh build\.sh → cat \.\./vendor/one"
like "with the finding it belongs to" "$text" "finding: [0-9a-f]{16}"
fingerprint=$(sed -n 's/.*finding: //p' out)
is "the fingerprint leads to the same" "$("$TALLYMAN" explain ../a.db "$fingerprint")" "$text"
is "and so do its first digits" "$("$TALLYMAN" explain ../a.db "${fingerprint:0:6}")" "$text"
is "and the end of the path" "$("$TALLYMAN" explain ../a.db vendor/one | tail -n +2)" "$(tail -n +2 out)"
is "the database may be left out" "$(cp ../a.db tallyman.db && "$TALLYMAN" explain vendor/one | tail -n +2)" "$(tail -n +2 out)"
is "what the report calls it is explained" \
    "$("$TALLYMAN" report ../a.db --format json | jq -r '.findings[].fingerprint' |
        while read -r each; do "$TALLYMAN" explain ../a.db "$each" >/dev/null || echo "$each"; done)" ""

like "what is declared says by which rule and line" "$("$TALLYMAN" explain ../a.db out)" "why: outputs: out \(line 4\)"
like "a variable is explained" "$("$TALLYMAN" explain ../a.db LANG)" "Undeclared: environment"
like "a clock is explained" "$("$TALLYMAN" explain ../a.db realtime)" "does not have the key clock"
like "a category is explained" "$("$TALLYMAN" explain ../a.db wall-clock)" "wall-clock: Wall clock\."

# --- what is offered holds
advice() { sed -n '/to declare it:/,/or to accept/p' <<<"$text" | sed '1d;$d'; }
{ cat tallyman.yaml; advice | sed 's/^    //'; } | sed '/^inputs: \[/d' >declared.yaml
is "with the lines that declare it, it is declared" "$(status explain ../a.db -m declared.yaml ../vendor/one)" 0
like "by that rule" "$(cat out)" "Declared: filesystem, read
  why: inputs: \.\./vendor/one"
{ cat tallyman.yaml; echo waivers:; sed -n '/or to accept/,$p' <<<"$text" | sed -n 's/^    - /  - /p'; } >waived.yaml
is "with the line that waives it" "$(status explain ../a.db -m waived.yaml ../vendor/one)" 0
like "it is waived" "$(cat out)" "Waived: filesystem, read
  why: waiver: filesystem \.\./vendor/one \(line 10\)"
is "the database stays as it is" "$(cmp ../a.db tallyman.db)" ""

# --- every process
is "processes that are not shown are counted" \
    "$(sqlite3 ../a.db "SELECT count(DISTINCT process) FROM v_access WHERE subject = '/etc/ld.so.cache'")" \
    "$("$TALLYMAN" explain ../a.db -f json --all /etc/ld.so.cache | jq '[.parts[].processes[]] | length')"

# --- JSON
"$TALLYMAN" explain ../a.db -f json ../vendor/one >one.json
is "the JSON names the verdict" "$(jq -r '.parts[0].verdict' one.json)" undeclared
is "the chain ends at the first process" "$(jq -r '.parts[0].processes[0].chain[-1].how' one.json)" first
is "and starts at the one that used it" "$(jq -rc '.parts[0].processes[0].chain[0].argv' one.json)" '["cat","../vendor/one"]'
is "the fingerprint is the same as in text" "$(jq -r '.parts[0].fingerprint' one.json)" "$fingerprint"
"$TALLYMAN" explain ../a.db -f json --all .. >folder.json 2>/dev/null
if python3 -c 'import jsonschema' 2>/dev/null; then
    cat >schema.py <<'PYTHON'
import json, os, subprocess, sys, jsonschema
schema = json.load(open(os.environ["TALLYMAN_SOURCE"] + "/docs/explain.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
for subject in sys.argv[1:]:
    text = subprocess.run([os.environ["TALLYMAN"], "explain", "../a.db", "-f", "json", subject],
                          check=True, stdout=subprocess.PIPE).stdout
    jsonschema.validate(json.loads(text), schema)
PYTHON
    export TALLYMAN
    check "the JSON is as its schema says" python3 -B schema.py ../vendor/one out LANG realtime \
        wall-clock /etc/ld.so.cache ../ "$fingerprint" TALLYMAN_SHIM
else
    skip "the JSON is as its schema says" "no python3-jsonschema"
fi

# --- what is not there
is "what the run did not use is exit status 1" "$(status explain ../a.db ../vendor/onne)" 1
like "in one line with the nearest names" "$(cat err)" "^tallyman: run 1 used nothing that is called \.\./vendor/onne; the nearest names: /.*/vendor/one"
is "and nothing on standard output" "$(cat out)" ""
is "a variable that is misspelt, too" "$(status explain ../a.db LNAG)" 1
like "with the nearest" "$(cat err)" "the nearest names: LANG"
is "an empty name is not there" "$(status explain ../a.db '')" 1
is "no subject is wrong usage" "$(status explain)" 2
is "three words are wrong usage" "$(status explain a b c)" 2
is "a missing database is a failure" "$(status explain none.db x)" 125
like "and it is named" "$(cat err)" "^tallyman: none.db: no such database"
is "a missing run is wrong usage" "$(status explain ../a.db --run 9 x)" 2
is "a manifest with errors is exit status 2" "$(echo 'version: 7' >bad.yaml; status explain ../a.db -m bad.yaml LANG)" 2
head -c 5000 ../a.db >cut.db
is "a database that is cut off is a failure" "$(status explain cut.db LANG)" 125
is "in one line" "$(grep -c . err)" 1

# --- findings about no single use
mkdir ../changed && cd ../changed || exit 1
echo old >input
cat >build.sh <<'SH'
cat input >one
echo new >input
cat input >two
sleep 5 >/dev/null 2>&1 &
SH
env -i PATH=/usr/bin:/bin HOME="$work/home" "TALLYMAN_SHIM=$TALLYMAN_SHIM" \
    "$TALLYMAN" run -q --grace 50 -o ../changed.db -- sh build.sh
for category in input-changed survivor; do
    is "the category $category is explained" "$(status explain ../changed.db $category)" 0
    like "with its title" "$(cat out)" "Undeclared: (Inputs that changed|Processes that outlived)"
    digits=$("$TALLYMAN" report ../changed.db -f json |
        jq -r --arg category $category '[.findings[] | select(.category == $category)][0].fingerprint')
    is "and so is its fingerprint" "$("$TALLYMAN" explain ../changed.db "$digits" | tail -n +2)" "$(tail -n +2 out)"
    if python3 -c 'import jsonschema' 2>/dev/null; then
        "$TALLYMAN" explain ../changed.db -f json $category >told.json
        check "its JSON is as its schema says" python3 -B -c '
import json, os, jsonschema
schema = json.load(open(os.environ["TALLYMAN_SOURCE"] + "/docs/explain.schema.json"))
jsonschema.validate(json.load(open("told.json")), schema)'
    else
        skip "its JSON is as its schema says" "no python3-jsonschema"
    fi
done
like "with what became of the file that changed" "$("$TALLYMAN" explain ../changed.db input-changed)" "Declared: filesystem, write"
cd ../project || exit 1

# --- names with any bytes
cat >../any.py <<'PYTHON'
import os
for name in (b"../vendor/a\nb", b"../vendor/\xff\x1b[31m"):
    open(name, "wb").close()
    open(name, "rb").close()
PYTHON
env -i PATH=/usr/bin:/bin HOME="$work/home" "TALLYMAN_SHIM=$TALLYMAN_SHIM" \
    "$TALLYMAN" run -q -o ../any.db -- python3 -B ../any.py
is "a name with a newline is found" "$(status explain ../any.db "$(printf '../vendor/a\nb')")" 0
like "and shown in one line" "$(head -n 1 out)" 'vendor/a\\x0ab$'
is "a name that is no UTF-8 is found" "$(status explain ../any.db "$(printf '../vendor/\xff\033[31m')")" 0
is "and no escape sequence is printed" "$(grep -c $'\033' out)" 0
is "both are below their folder" \
    "$("$TALLYMAN" explain ../any.db -f json ../vendor/ | jq -c '[.parts[].members[].subject | sub(".*/"; "")] | unique')" \
    '["\\xff\u001b[31m","a\nb"]'
finish
