#!/bin/bash
# SPDX-License-Identifier: MIT
# Two runs of one build: the same twice, in another checkout, with something missing, changed or elsewhere.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

# A project that uses a header of another folder, names of temporary files and numbers of processes.
mkdir -p project dep/include home-a home-b elsewhere
echo '#define ANSWER 42' >dep/include/answer.h
for i in 1 2 3 4; do
    printf '#include <stdio.h>\n#include <answer.h>\nint part_%d(void) { return ANSWER; }\n' $i >project/part$i.c
done
cat >project/Makefile <<MAKEFILE
CFLAGS += -I$work/dep/include
all: parts.a stamp
parts.a: part1.o part2.o part3.o part4.o
	\$(AR) rcs \$@ \$^
stamp: parts.a
	sh stamp.sh
clean:
	rm -f *.o parts.a stamp
MAKEFILE
cat >project/stamp.sh <<'SCRIPT'
t=$(mktemp) && u=x$$.tmp && date >"$t" && cp "$t" "$u" && cat "$u" | head -n 1 >/dev/null && rm -f "$t" "$u"
test -e "/proc/$$/maps" && test -e .config-$$ || : >stamp
SCRIPT

# build NAME FOLDER [VARIABLE=VALUE...] [-- COMMAND...]: a clean build there under tallyman, into NAME.db.
build() {
    local name=$1 folder=$2 settings=()
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do settings+=("$1") && shift; done
    [ "${1:-}" = -- ] && shift
    [ $# -gt 0 ] || set -- make -j2
    (cd "$folder" && make -s clean && rm -f "$work/$name.db" &&
        env HOME="$work/home-a" "${settings[@]}" "$TALLYMAN" run --quiet -o "$work/$name.db" -- "$@" >/dev/null 2>&1)
}
# status A B [OPTION...]: the exit status of diff; what it printed is in out and err.
status() {
    "$TALLYMAN" diff "$@" >out 2>err
    echo $?
}
# first: the first difference as "kind side subject".
first() {
    jq -r '.differences[0] | "\(.kind) \(.side) \(.members[0].subject // .subject)"' out
}

build a project
build a2 project
is "two runs of the same build do not differ" "$(status a.db a2.db)" 0
like "and that is said" "$(cat out)" "No difference"
is "nothing at all is listed" "$(status a.db a2.db --format json; jq -r '.differences[] | select(.counts)' out)" 0
build jobs project -- make -j4
is "another number of jobs is no difference" "$(status a.db jobs.db)" 0
cp -r project elsewhere/checkout
build other elsewhere/checkout HOME="$work/home-b"
is "nor is another checkout and another home folder" "$(status a.db other.db)" 0
like "the places are shown" "$(cat out)" "elsewhere/checkout"

build failed project
mv dep/include/answer.h dep/include/answer.away
build failed elsewhere/checkout HOME="$work/home-b"
mv dep/include/answer.away dep/include/answer.h
is "a run that failed differs" "$(status a.db failed.db)" 1
like "the first screen names what is missing" "$(head -n 20 out)" "there in A, not in B +$work/dep/include/answer.h"
like "and the process that ended differently" "$(head -n 20 out)" "ended differently: exit status 0 in A, exit status 1 in B"
is "the page is a screenful" "$(($(wc -l <out) <= 50))" 1
status a.db failed.db --format json >/dev/null
is "it is the first difference in JSON, too" "$(first)" "missing a $work/dep/include/answer.h"
is "it was used by what failed itself" "$(jq '.differences[0].distance' out)" 0
like "which is the compiler, by its chain" "$(jq -r '.first.b.chain' out)" "make.*cc1"
is "what only the other run came to is a consequence" \
    "$(jq -c '[.differences[] | select(.kind == "process" and .subject == "ar") | .later]' out)" "[true]"
status failed.db a.db --format json >/dev/null
is "the other way around the sides are exchanged" "$(first)" "missing b $work/dep/include/answer.h"

mkdir bin
printf '#!/bin/sh\nexec /usr/bin/cc -DWRAPPED "$@"\n' >bin/cc
chmod +x bin/cc
build wrapped project PATH="$work/bin:$PATH"
is "a compiler behind a wrapper makes a difference" "$(status a.db wrapped.db --format json)" 1
is "its additional argument is named" \
    "$(jq -r '.differences[] | select(.kind == "arguments" and .subject == "cc").b.value' out)" "-DWRAPPED"
is "the processes behind it have their partners" "$(jq '.a.processes_alone' out)" 0
like "and PATH is named" "$(jq -r '.differences[] | select(.kind == "variable").members[].subject' out)" "PATH"
rm bin/cc
ln -s /usr/bin/cc bin/cc
build linked project PATH="$work/bin:$PATH"
status a.db linked.db --format json >/dev/null
is "a program from elsewhere is named with both places" \
    "$(jq -r '[.differences[] | select(.kind == "program" or (.kind == "use" and .side == "b")) | .b.value // .members[0].subject][0]' out)" \
    "{root}/../bin/cc"
build variable project CFLAGS=-O1
status a.db variable.db --format json >/dev/null
is "a variable of one run alone is named" \
    "$(jq -r '.differences[] | select(.kind == "variable" and .counts) | "\(.side) \(.members[].subject)"' out)" "b CFLAGS"
is "and what it leads to" "$(jq -r '.differences[] | select(.kind == "arguments" and .subject == "cc").b.value' out)" "-O1"
is "its value is not" "$(grep -c -- '-O1.*CFLAGS\|CFLAGS.*-O1' out)" 0

# One database with several runs.
cp a.db both.db
(cd project && make -s clean && HOME=$work/home-a "$TALLYMAN" run -q -o "$work/both.db" -- make -j2 >/dev/null 2>&1)
(cd project && make -s clean && HOME=$work/home-a "$TALLYMAN" run -q -o "$work/both.db" -- make CFLAGS=-g >/dev/null 2>&1)
is "two runs of one database" "$(status both.db --run-a 1 --run-b 2)" 0
is "without numbers the newest and the one before" "$(status both.db)" 1
like "whose commands are shown" "$(head -n 1 out)" "make -j2  and  make CFLAGS=-g"

# Incomplete evidence proves nothing.
cp failed.db incomplete.db
sqlite3 incomplete.db "UPDATE run SET evidence = 'incomplete'; INSERT INTO blind_spot (run, class) VALUES (1, 'static')"
status a.db incomplete.db >/dev/null
like "incomplete evidence is stated" "$(cat out)" "evidence incomplete \\(.*static"
like "and what follows from it" "$(tr '\n' ' ' <out)" "may have +been used unseen"

# Names with any bytes.
mkdir 'h|`"<b>' && cd 'h|`"<b>' || exit 1
"$TALLYMAN" run -q -o ../h1.db -- true
"$TALLYMAN" run -q -o ../h2.db -- sh -c ': <"$1"; : <"$2"; : <"$3"' sh "$(printf '/dev/../etc/\033[31mred')" \
    "$(printf '/etc/new\nline|`x`')" "$(printf '/etc/\377\376')" 2>/dev/null
cd ..
for format in text json markdown; do
    is "any name is harmless in $format" "$(status h1.db h2.db --format $format --all; grep -c $'\033' out; LC_ALL=C.UTF-8 grep -cvax '.*' out)" "1
0
0"
done
check "JSON with any name can be read" jq -e '.differences' <(
    "$TALLYMAN" diff h1.db h2.db --format json
)
is "every row of a Markdown table stays one row" \
    "$("$TALLYMAN" diff h1.db h2.db --format markdown | grep '^| [a-z]' | sed 's/\\|//g' | awk -F'|' 'NF != 6')" ""
if python3 -c 'import jsonschema' 2>/dev/null; then
    cat >schema.py <<'PYTHON'
import json, os, sys, jsonschema
schema = json.load(open(os.environ["TALLYMAN_SOURCE"] + "/docs/diff.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
for name in sys.argv[1:]:
    jsonschema.validate(json.load(open(name)), schema)
kinds = schema["$defs"]["difference"]["properties"]["kind"]["enum"]
rows = [line.split('"')[1] for line in open(os.environ["TALLYMAN_SOURCE"] + "/analyzer/differences.def")
        if line.startswith("DIFFERENCE(")]
assert kinds == rows, (kinds, rows)
PYTHON
    "$TALLYMAN" diff a.db failed.db --format json -o failed.json
    "$TALLYMAN" diff h1.db h2.db --format json -o hostile.json
    check "the documents follow the schema, which knows every kind" python3 schema.py failed.json hostile.json
else
    skip "the documents follow the schema, which knows every kind" "no python3-jsonschema"
fi

is "no database is wrong usage" "$(status)" 2
is "three are, too" "$(status a.db a.db a.db)" 2
is "so is a database with one run alone" "$(status a.db)" 2
is "and a run that is not there" "$(status a.db a2.db --run-b 7)" 2
like "those that exist are named" "$(cat err)" "no run 7; the database holds runs 1 to 1"
is "a missing database is a failure" "$(status a.db none.db)" 125
like "and named" "$(cat err)" "none.db: no such database"
is "a full disk is one, too" "$("$TALLYMAN" diff a.db failed.db >/dev/full 2>/dev/null; echo $?)" 125
before=$(sha256sum a.db failed.db)
"$TALLYMAN" diff a.db failed.db -o report.txt
is "the exit status is that of the difference with -o, too" "$?" 1
is "databases stay as they are" "$(sha256sum a.db failed.db)" "$before"
finish
