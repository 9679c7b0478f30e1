#!/bin/bash
# SPDX-License-Identifier: MIT
# Daemons that were there before the build are findings of their own class; servers that the build
# starts for itself are none.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

cat >own.py <<'PYTHON'
import os, socket, subprocess, sys
def ask(address, family):
    # In a child, as a test suite's client would be.
    subprocess.run([sys.executable, "-c", "import socket, sys\n"
                    "s = socket.socket(%d, socket.SOCK_STREAM); s.connect(%r)" % (family, address)],
                   check=True)
for port in range(20000, 32000):
    server = socket.socket()
    try:
        server.bind(("127.0.0.1", port))
    except OSError:
        continue
    server.listen()
    ask(("127.0.0.1", port), socket.AF_INET)
    break
free = socket.socket()
free.bind(("127.0.0.1", 0))
free.listen()
ask(free.getsockname(), socket.AF_INET)
here = socket.socket(socket.AF_UNIX)
here.bind(os.path.abspath("own.sock"))
here.listen()
ask(os.path.abspath("own.sock"), socket.AF_UNIX)
name = socket.socket(socket.AF_UNIX)
name.bind("\0tallyman-test-%d" % os.getpid())
name.listen()
ask("\0tallyman-test-%d" % os.getpid(), socket.AF_UNIX)
PYTHON
mkdir project daemon
cd project || exit 1
check "a build talks to servers of its own" "$TALLYMAN" run -q -o ../own.db -- python3 -B ../own.py
cd ..
network='[.findings[] | select(.channel == "network")]'
is "and none of it is a finding" \
    "$("$TALLYMAN" report own.db --format json | jq -c "$network | map(.subject)")" "[]"
is "but all of it is recorded" "$(sqlite3 own.db "SELECT count(*) FROM v_access
    WHERE operation IN ('bind', 'connect') AND verdict = 'declared'")" 8

cat >daemon.py <<'PYTHON'
import socket, time
port = socket.create_server(("127.0.0.1", 0))
path = socket.socket(socket.AF_UNIX)
path.bind("daemon/docker.sock")
path.listen()
print(port.getsockname()[1], flush=True)
time.sleep(300)
PYTHON
exec 3< <(exec python3 -B daemon.py)
daemon=$!
read -r port <&3
trap 'kill $daemon; rm -rf "$work"' EXIT
cat >client.py <<'PYTHON'
import socket, sys
socket.socket().connect(("127.0.0.1", int(sys.argv[1])))
socket.socket(socket.AF_UNIX).connect(sys.argv[2])
PYTHON
cd project || exit 1
check "a build talks to daemons that were there" \
    "$TALLYMAN" run -q -o ../daemon.db -- python3 -B ../client.py "$port" "$work/daemon/docker.sock"
cd ..
"$TALLYMAN" report daemon.db --format json >daemon.json
is "each is a finding of the class ambient-service" \
    "$(jq -c "$network | map(.class) | sort" daemon.json)" '["ambient-service","ambient-service"]'
is "a known one has its name" "$(jq -r "$network | .[].service.name // empty" daemon.json)" docker
like "the report for people has a heading for them" "$("$TALLYMAN" report daemon.db)" "ambient services"
like "and the name" "$("$TALLYMAN" report daemon.db)" "  docker  *connect, 1 time by python3"
finish
