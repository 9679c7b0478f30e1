#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a build leaves behind it: digests of what it used, inputs that changed under it, processes that
# live on.
. "$(dirname "$0")/tap.sh"

# A Makefile that makes itself anew, a header that is written after it was compiled, a process that stays.
cat >Makefile.in <<'MAKEFILE'
all: program late
Makefile: Makefile.in
	sed 's/@WHO@/builder/' Makefile.in >Makefile.new && mv Makefile.new Makefile
program: main.o
	cc -o program main.o
main.o: main.c config.h
	cc -c main.c
late: main.o
	echo '#define ANSWER 43' >config.h
	sleep 5 >sleep.log 2>&1 &
	echo >late
MAKEFILE
cp Makefile.in Makefile
echo '#define ANSWER 42' >config.h
printf '#include <stdlib.h>\n#include "config.h"\nint main(void) { return ANSWER - 42; }\n' >main.c
echo unused >README
sleep 0.05
touch Makefile.in

# findings CATEGORY FIELD: of each finding of that category in report.json, sorted.
findings() {
    jq -r --arg category "$1" ".findings[] | select(.category == \$category) | $2" report.json | sort
}

check "a build with all three runs" "$TALLYMAN" run -q --grace 50 -o run.db -- make
check "its report can be had as JSON" "$TALLYMAN" report run.db --format json -o report.json

# Folders can be opened for reading, too; the kernel's files have no content of their own.
without=$(sqlite3 run.db "
    SELECT DISTINCT s.name FROM access a JOIN subject s ON s.id = a.subject AND s.channel = 0
        LEFT JOIN artifact f ON f.subject = coalesce(s.resolved, s.id)
    WHERE a.verdict = 1 AND a.outcome = 0 AND f.digest IS NULL AND s.name NOT GLOB '/proc/*' AND s.name NOT GLOB '/sys/*'
        AND a.operation IN (SELECT id FROM operation WHERE channel = 0 AND name IN ('read', 'execute', 'load'))" |
    while read -r name; do [ ! -f "$name" ] || echo "$name"; done)
is "every undeclared file that was read has a digest" "$without" ""
like "of which there are many" "$(sqlite3 run.db "SELECT count(digest) FROM artifact")" '^[0-9]{2,}$'
header=/usr/include/stdlib.h
is "the digest is the one that sha256sum has" \
    "$(jq -r --arg header $header '[.findings[].members[] | select(.subject == $header).digest] | unique[]' report.json)" \
    "$(sha256sum $header | cut -d ' ' -f 1)"
is "what changed is named, as far as it matters" "$(findings input-changed '[.severity, .subject] | @tsv')" \
    "$(printf 'error\t%s\nnote\t%s' "$work/config.h" "$work/Makefile")"
is "with who read it and who wrote it" \
    "$(jq -r --arg file "$work/config.h" '. as $all | .findings[] | select(.subject == $file) | .processes[] as $id
        | $all.processes[] | select(.id == $id).argv[0] | split("/")[-1]' report.json | sort)" \
    "$(printf 'cc1\nsh')"
is "who lives on is named" "$(findings survivor '[.subject, .members[0].subject] | @tsv')" "$(printf 'sleep\tsleep 5')"

"$TALLYMAN" check run.db >check.txt
is "check fails for them" $? 1
first=$(findings input-changed .fingerprint; findings survivor .fingerprint)
rm -f program main.o late run.db Makefile
cp Makefile.in Makefile
echo '#define ANSWER 42' >config.h
sleep 0.05
touch Makefile.in
check "the build runs once more" "$TALLYMAN" run -q --grace 50 -o run.db -- make
check "and has a report" "$TALLYMAN" report run.db --format json -o report.json
is "in which fingerprints are the same" "$(findings input-changed .fingerprint; findings survivor .fingerprint)" "$first"

# Somebody else: not a process of the build.
(sleep 0.5; echo '#define ANSWER 44' >config.h) &
check "a build that is disturbed runs" "$TALLYMAN" run -q -o run.db -- sh -c 'cat config.h main.c; sleep 1'
wait
check "it has a report" "$TALLYMAN" report run.db --format json -o report.json
is "the file that somebody else changed is named" "$(findings input-changed '[.severity, .class, .subject] | @tsv')" \
    "$(printf 'error\tread\t%s' "$work/config.h")"

# A supervisor that dies takes the verdicts with it; recover brings them back, with the digests.
rm -f run.db
runtime=$work/runtime
mkdir "$runtime"
TALLYMAN_RUNTIME_DIR=$runtime "$TALLYMAN" run -q -o run.db -- sh -c 'cat /etc/passwd >/dev/null; sleep 1; kill -KILL $PPID; sleep 1' \
    >/dev/null 2>&1
folder=$(find "$runtime" -mindepth 1 -maxdepth 1 -type d | head -n 1)
check "a run whose supervisor died is recovered" "$TALLYMAN" recover "$folder" -o run.db
is "with verdicts and digests" \
    "$(sqlite3 run.db "SELECT digest FROM v_artifact WHERE path = '/etc/passwd'")" "$(sha256sum /etc/passwd | cut -d ' ' -f 1)"

finish
