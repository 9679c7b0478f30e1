#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2094  # the rows are read twice
#
# The bundled example: its report names everything that is planted there, and nothing else.
. "$(dirname "$0")/tap.sh"

cp -r "${TALLYMAN_SOURCE:?}/examples" "$work/examples"
cd "$work/examples/legacy" || exit 1
mkdir "$work/home"
echo 'CFLAGS += -DSETTINGS_OF_THE_BUILDER' >"$work/home/.tide.mk"

# serve: answers one connection on the port that the build tries; gone after a minute.
serve() {
    timeout 60 python3 -c '
import socket
server = socket.create_server(("127.0.0.1", 7411))
print("ready", flush=True)
connection, _ = server.accept()
connection.sendall(b"12\n")
connection.close()'
}

# in_clean_environment COMMAND...: what a build sees of the caller is planted, not inherited.
in_clean_environment() {
    env -i PATH=/usr/bin:/bin HOME="$work/home" TZ=Europe/Paris LANG=C.UTF-8 "$@"
}

coproc SERVER { serve 2>/dev/null; }
read -r -t 10 _ <&"${SERVER[0]}"
check "the example builds under tallyman" \
    in_clean_environment "$TALLYMAN" run --quiet -o "$work/run.db" -- make
like "a server that listens is heard" "$(cat table.h)" 'CORRECTION 12'
check "the report can be had as JSON" \
    in_clean_environment "$TALLYMAN" report "$work/run.db" --format json -o "$work/report.json"

while IFS=';' read -r channel _ _ _ what; do
    case $channel in '' | '#'*) continue ;; esac
    check "$channel: ${what# } is reported" python3 "$here/legacy.py" "$here/legacy.rows" "$work/report.json" planted "${what# }"
done <"$here/legacy.rows"
is "nothing else is reported" "$(python3 "$here/legacy.py" "$here/legacy.rows" "$work/report.json" others)" ""

text=$(in_clean_environment "$TALLYMAN" report "$work/run.db")
like "the text names the home folder's file" "$text" '\.tide\.mk'
like "the text names the server" "$text" '127\.0\.0\.1:7411'
in_clean_environment "$TALLYMAN" check "$work/run.db" >/dev/null 2>&1
is "check finds the build not hermetic" $? 1

make -s clean
check "the example builds where nobody listens" \
    in_clean_environment "$TALLYMAN" run --quiet -o "$work/run.db" -- make
like "and does without the server" "$(cat table.h)" 'CORRECTION 0'
finish
