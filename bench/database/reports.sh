#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How long it takes to look at large runs, and how much memory: report, check, check under another
# manifest and explain, of databases that make_database makes.
#
#   reports.sh [ACCESSES...]      default 100000 1000000 10000000
#
# TALLYMAN and MAKE_DATABASE are the programs; DATABASES is a folder where the databases are kept from
# one time to the next (about 700 MB; default: a temporary one).
set -eu
: "${TALLYMAN:?}" "${MAKE_DATABASE:?}"
[ $# -gt 0 ] || set -- 100000 1000000 10000000
folder=${DATABASES:-$(mktemp -d)}
[ -n "${DATABASES:-}" ] || trap 'rm -rf "$folder"' EXIT
cat >"$folder/other.yaml" <<'YAML'
version: 1
root: /home/ann/project
inputs: ["**", "/usr/include/**", "/usr/bin/**"]
outputs: ["build/**"]
YAML

# The second of two times, as the first brings the file into memory: seconds, seconds of processor time
# (on a machine that is busy with other things they tell more), the largest memory.
measure()
{
    name=$1
    shift
    "$@" >/dev/null 2>&1 || true
    python3 - "$name" "$@" <<'PY'
import os, resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
seconds = time.monotonic() - start
if status not in (0, 1):
    sys.exit(f"{sys.argv[1]}: exit status {status}")
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
processor = usage.ru_utime + usage.ru_stime
print(f"  {sys.argv[1]:20} {seconds:6.2f} s {processor:6.2f} s {usage.ru_maxrss // 1024:6} MiB")
PY
}

for accesses; do
    database=$folder/$accesses.db
    if [ ! -e "$database" ]; then
        rm -f "$database.new"
        "$MAKE_DATABASE" "$database.new" "$accesses"
        mv "$database.new" "$database"
    fi
    echo "$accesses accesses, $(($(stat -c %s "$database") >> 20)) MiB"
    measure "report" "$TALLYMAN" report "$database"
    measure "report -f json" "$TALLYMAN" report -f json "$database"
    measure "report -m OTHER" "$TALLYMAN" report -m "$folder/other.yaml" "$database"
    measure "check" "$TALLYMAN" check "$database"
    measure "check -m OTHER" "$TALLYMAN" check -m "$folder/other.yaml" "$database"
    measure "explain a file" "$TALLYMAN" explain "$database" /usr/include/file-300-of-0.h
    measure "explain a variable" "$TALLYMAN" explain "$database" VARIABLE_1
done
