#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Strangers' validators over the reports of real builds. For the long suite: it fetches them with npm, and
# the schema of JUnit with curl, into a temporary folder.
#
#   validate.sh FOLDER...      each a source tree, which is copied and built by configure and make
#
# TALLYMAN_JUNIT_SCHEMA: a copy of Jenkins' junit-10.xsd, for machines that cannot fetch it.
# shellcheck source-path=SCRIPTDIR/../e2e source=../e2e/tap.sh
npm_path=$PATH
. "$(dirname "$0")/../e2e/tap.sh"

source=${TALLYMAN_SOURCE:-$(cd "$here/../.." && pwd)}
schema_of_junit=https://raw.githubusercontent.com/jenkinsci/xunit-plugin/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd

command -v xmllint >/dev/null || { echo "validate.sh: xmllint is missing (libxml2-utils)"; exit 1; }
[ -n "$(PATH=$npm_path command -v npm)" ] || { echo "validate.sh: npm is missing"; exit 1; }
mkdir tools
(cd tools && PATH=$npm_path npm install --silent --no-audit --no-fund \
    @microsoft/sarif-multitool@5 ajv-cli@5 >npm.log 2>&1) || { tail -n 5 tools/npm.log; exit 1; }
junit=${TALLYMAN_JUNIT_SCHEMA:-}
[ -n "$junit" ] || ! curl -sfL -m 60 -o tools/junit.xsd "$schema_of_junit" || junit=$work/tools/junit.xsd

# What the documentation of GitLab requires of a report.
cat >gitlab.schema.json <<'JSON'
{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array", "items": {"type": "object",
 "required": ["description", "check_name", "fingerprint", "severity", "location"], "properties": {
 "description": {"type": "string", "minLength": 1}, "check_name": {"type": "string", "minLength": 1},
 "fingerprint": {"type": "string", "minLength": 1},
 "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
 "location": {"type": "object", "required": ["path", "lines"], "properties": {
  "path": {"type": "string", "pattern": "^[^./]"},
  "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}}}}}}}
JSON
cat >read_csv.py <<'PYTHON'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], encoding="utf-8", newline=""), strict=True))
assert len(rows) > 1 and {len(row) for row in rows} == {len(rows[0])}, "rows of another length"
PYTHON

# multitool FILE: no error and no warning, but for the home page that this project does not have.
multitool() {
    local said
    said=$(PATH=$npm_path "$work/tools/node_modules/.bin/sarif-multitool" validate "$1" 2>&1) || { echo "$said"; return 1; }
    ! grep -E ': (error|warning) ' <<<"$said" | grep -v 'SARIF2005.*informationUri'
}

ajv() {
    PATH=$npm_path "$work/tools/node_modules/.bin/ajv" validate --spec=draft2020 -s "$1" -d "$2"
}

# reports NAME DATABASE [OPTION...]: a report in each format, held against its validator.
reports() {
    local name=$1 format
    shift
    for format in sarif junit json gitlab csv; do
        "$TALLYMAN" report "$@" --format "$format" -o "$name.$format" || report 1 "$name: $format is written"
    done
    mv "$name.gitlab" "$name.gitlab.json"
    check "$name: SARIF, by sarif-multitool" multitool "$name.sarif"
    check "$name: JSON, by ajv" ajv "$source/docs/report.schema.json" "$name.json"
    check "$name: Code Quality, by ajv" ajv gitlab.schema.json "$name.gitlab.json"
    check "$name: CSV, by Python" python3 -B read_csv.py "$name.csv"
    if [ -n "$junit" ]; then
        check "$name: JUnit, by xmllint" xmllint --noout --schema "$junit" "$name.junit"
    else
        skip "$name: JUnit, by xmllint" "the schema of JUnit cannot be fetched here"
    fi
}

for folder; do
    name=$(basename "$folder")
    cp -a "$folder" "$work/$name"
    # A build that fails is a run, too.
    (cd "$work/$name" && timeout 900 "$TALLYMAN" run -q -o "$work/$name.db" -- \
        sh -c '[ ! -x configure ] || ./configure; make' >/dev/null 2>&1)
    reports "$name" "$name.db"
    "$TALLYMAN" check "$name.db" --write-baseline "$name.baseline" >/dev/null 2>&1
    reports "$name-known" "$name.db" --baseline "$name.baseline"
    rm -rf "${work:?}/$name"
done
finish
