#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2317  # scripts in quotes, functions that fails calls by name
#
# Whatever is wrong around a run: one clear line that says what and where, the right exit status, and
# nothing lost.
. "$(dirname "$0")/tap.sh"

# fails NAME STATUS REGEX COMMAND...: that exit status, and one line of tallyman's that matches.
fails() {
    local name=$1 expected=$2 regex=$3 status
    shift 3
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    if [ "$status" != "$expected" ]; then
        report 1 "$name"
        echo "#   exit status $status, not $expected"
        head -n 5 "$work/err" | sed 's/^/#   /'
        return
    fi
    like "$name" "$(cat "$work/err")" "$regex"
}

as_root() {
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null
}

# kept: the folder of the run that the last message names.
kept() {
    grep -oE '/[^ :,"'\'']+' "$work/err" | while read -r path; do
        [ -d "$path" ] && [ -e "$path/log" ] && echo "$path" && break
    done
}

run() {
    "$TALLYMAN" run --quiet --witness off "$@"
}

# --- The manifest and the command line ---

fresh
fails "a missing manifest is named" 2 'none\.yaml' run -m none.yaml -o "$work/run.db" -- touch ran
is "a command is not started under a missing manifest" "$(ls ran 2>&1)" "ls: cannot access 'ran': No such file or directory"
fails "a folder is no manifest" 2 'u\.d' sh -c "mkdir u.d; '$TALLYMAN' run -m u.d -o '$work/run.db' -- true"
printf 'version: 1\ninputs:\n  - *.c\n' >bad.yaml
fails "an error of YAML is named with its line and column" 2 'bad\.yaml:3:[0-9]+: ' run -m bad.yaml -o "$work/run.db" -- true
printf 'version: 1\ninptus: [a]\n' >bad.yaml
fails "an unknown key is named with the nearest known one" 2 'bad\.yaml:2:1: .*inputs' run -m bad.yaml -o "$work/run.db" -- true
cp bad.yaml tallyman.yaml
fails "a manifest found in the current folder is checked, too" 2 'tallyman\.yaml:2:1: ' run -o "$work/run.db" -- true
rm -f tallyman.yaml
fails "an unknown subcommand is wrong usage" 2 'frobnicate' "$TALLYMAN" frobnicate
fails "an unknown option is wrong usage" 2 'frobnicate' "$TALLYMAN" run --frobnicate -- true
fails "run without a command is wrong usage" 2 'command|COMMAND' "$TALLYMAN" run
fails "a mode that does not exist is wrong usage" 2 'audit' "$TALLYMAN" run --mode none -- true
is "no database was made by any of these" "$(ls "$work"/*.db 2>/dev/null)" ""

# --- The command ---

fails "a command that is not there gives 127" 127 'surely-not-a-command' run -o "$work/run.db" -- surely-not-a-command
fails "a path that is not there gives 127" 127 '\./nope' run -o "$work/run.db" -- ./nope
fails "a file that is not executable gives 126" 126 'u\.txt' run -o "$work/run.db" -- ./u.txt
fails "a folder gives 126" 126 '/etc' run -o "$work/run.db" -- /etc
fails "a failing command's status is handed through" 42 '' run -o "$work/run.db" -- sh -c 'exit 42'
fails "a command killed by a signal gives 128 and the signal" 137 '' run -o "$work/run.db" -- sh -c 'kill -9 $$'

# --- The database ---

# recovers NAME: the folder that the last message names holds the records.
recovers() {
    local folder
    folder=$(kept)
    if [ -z "$folder" ]; then
        report 1 "$1"
        echo "#   no folder of a run is named in:"
        sed 's/^/#   /' "$work/err"
        return
    fi
    rm -f "$work/run.db"
    check "$1" "$TALLYMAN" recover "$folder" -o "$work/run.db"
    is "$1: the access is in it" "$(saw read u.txt)" 1
}

fresh
fails "a database in a missing folder gives 125 after the build" 125 "$work/no/run\\.db" run -o "$work/no/run.db" -- sh -c 'cat u.txt; touch ran'
check "the build ran to its end all the same" test -e ran
recovers "its records can be recovered"

echo 'not a database at all, but long enough to look like something' >"$work/notes"
cp "$work/notes" "$work/before"
fresh
fails "a file that is no database is refused" 125 "$work/notes" run -o "$work/notes" -- touch ran
check "and left untouched" cmp "$work/notes" "$work/before"
sqlite3 "$work/other.db" 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'
cp "$work/other.db" "$work/before"
fails "a database of another program is refused" 125 "$work/other\\.db" run -o "$work/other.db" -- touch ran
check "and left untouched, too" cmp "$work/other.db" "$work/before"
fails "report refuses it" 125 "$work/other\\.db" "$TALLYMAN" report "$work/other.db"
fails "report names a database that is not there" 125 "$work/absent\\.db" "$TALLYMAN" report "$work/absent.db"
audit cat u.txt >/dev/null
cp "$work/run.db" "$work/newer.db"
sqlite3 "$work/newer.db" 'PRAGMA user_version = 99'
cp "$work/newer.db" "$work/before"
fails "a newer database is refused" 125 'newer' run -o "$work/newer.db" -- touch ran
check "and left as it is" cmp "$work/newer.db" "$work/before"
fails "report refuses a newer database" 125 'newer' "$TALLYMAN" report "$work/newer.db"

if as_root; then
    fresh
    mkdir -p "$work/disk"
    in_small_disk='mount -t tmpfs -o "$1" none "$2"; [ "$1" != ro ] || mount -o remount,ro "$2"; shift 2; "$@"'
    fails "a read-only disk gives 125 after the build" 125 "$work/disk/run\\.db" \
        unshare -m sh -c "$in_small_disk" sh ro "$work/disk" "$TALLYMAN" run -q -o "$work/disk/run.db" -- sh -c 'cat u.txt; touch ran'
    check "the build ran to its end on a read-only disk" test -e ran
    recovers "records can be recovered after a read-only disk"
    fresh
    fails "a full disk gives 125 after the build" 125 "$work/disk/run\\.db" \
        unshare -m sh -c "$in_small_disk" sh size=16k "$work/disk" "$TALLYMAN" run -q -o "$work/disk/run.db" -- sh -c 'cat u.txt; touch ran'
    check "the build ran to its end on a full disk" test -e ran
    recovers "records can be recovered after a full disk"
    fresh
    fails "a run without /dev/shm works" 0 '' \
        unshare -m sh -c 'umount -l /dev/shm; exec "$@"' sh "$TALLYMAN" run -q -o "$work/shm.db" -- cat u.txt
    is "and records" "$(sqlite3 "$work/shm.db" "SELECT count(*) FROM v_access WHERE operation = 'read' AND subject LIKE '%/u.txt'")" 1
else
    skip "read-only and full disks" "not root, so no small file system can be mounted"
fi

# --- The installation ---

fresh
odd="$work/a b:c"
if cmake --install "$TALLYMAN_BUILD" --prefix "$odd" >"$work/install.log" 2>&1; then
    rm -f "$work/run.db"
    fails "tallyman runs from a folder with a space and a colon" 0 '' \
        env -u TALLYMAN_SHIM "$odd/bin/tallyman" run -q -o "$work/run.db" -- cat u.txt
    is "and records from there" "$(saw read u.txt)" 1
else
    report 1 "tallyman can be installed in a folder with a space and a colon"
    tail -n 3 "$work/install.log" | sed 's/^/#   /'
fi
fails "a missing shim gives 125 before the build" 125 "$work/no\\.so" env TALLYMAN_SHIM="$work/no.so" "$TALLYMAN" run -o "$work/run.db" -- touch ran
fails "a shim that is no library gives 125 before the build" 125 'u\.txt' env TALLYMAN_SHIM="$PWD/u.txt" "$TALLYMAN" run -o "$work/run.db" -- touch ran
if as_root; then
    cp "$TALLYMAN_SHIM" "$work/disk.so"
    fails "a shim on a noexec mount gives 125 before the build" 125 'noexec|map|load|report' \
        unshare -m sh -c 'mount -t tmpfs -o noexec none "$1"; cp "$2" "$1/shim.so"; export TALLYMAN_SHIM="$1/shim.so"; shift 2; "$@"' \
        sh "$work/disk" "$work/disk.so" "$TALLYMAN" run -o "$work/run.db" -- touch ran
    chmod 600 "$work/disk.so"
    chmod 777 "$work" "$work/tree"
    fails "a shim that the user cannot read gives 125 before the build" 125 'disk\.so' \
        setpriv --reuid 65534 --regid 65534 --clear-groups env TALLYMAN_SHIM="$work/disk.so" "$TALLYMAN" run -o "$work/tree/run.db" -- touch ran
else
    skip "shims that cannot be mapped or read" "not root, so no small file system can be mounted"
fi
is "no build was started without the shim" "$(ls ran 2>/dev/null)" ""

# --- Signals ---

fresh
rm -f "$work/run.db"
fails "SIGINT reaches the command once, whose status counts" 5 '' \
    timeout --foreground --preserve-status -s INT 1.5 "$TALLYMAN" run -q -o "$work/run.db" -- \
    sh -c 'trap "echo got >>got; exit 5" INT; cat u.txt; sleep 9 & wait'
is "once means once" "$(cat got)" got
is "the database of an interrupted run is complete" "$(ask "SELECT interrupted, ended IS NOT NULL, (SELECT count(*) FROM v_access WHERE operation = 'read' AND subject LIKE '%/u.txt') FROM run")" "2|1|1"
rm -f "$work/run.db"
fails "SIGTERM ends a command that does not catch it" 143 '' \
    timeout --foreground --preserve-status -s TERM 1.5 "$TALLYMAN" run -q -o "$work/run.db" -- \
    sh -c 'cat u.txt; exec sleep 9'
is "the database of a terminated run is complete" "$(ask "SELECT interrupted, ended IS NOT NULL, (SELECT count(*) FROM v_access WHERE operation = 'read' AND subject LIKE '%/u.txt') FROM run")" "15|1|1"

# --- A run that was cut off ---

fresh
rm -f "$work/run.db"
"$TALLYMAN" run -q -o "$work/no/run.db" -- sh -c 'cat u.txt; i=0; while [ $i -lt 200 ]; do cat d.txt; i=$((i+1)); done' >"$work/out" 2>"$work/err" </dev/null
folder=$(kept)
if [ -z "$folder" ]; then
    report 1 "a run whose database cannot be written keeps its log"
else
    for damage in truncated overwritten empty; do
        rm -rf "${work:?}/$damage" "$work/run.db"
        cp -a "$folder" "$work/$damage"
        size=$(stat -c %s "$folder/log")
        case $damage in
            truncated) truncate -s $((size * 2 / 3 / 8 * 8 + 3)) "$work/$damage/log" ;;
            overwritten) head -c 20000 /dev/urandom | dd of="$work/$damage/log" bs=1 seek=40000 conv=notrunc 2>/dev/null ;;
            empty) : >"$work/$damage/log" ;;
        esac
        "$TALLYMAN" recover "$work/$damage" -o "$work/run.db" >"$work/out" 2>"$work/err"
        status=$?
        if [ $damage = empty ]; then
            is "an empty log cannot be recovered, and that is said" "$status $([ -s "$work/err" ] && echo said)" "125 said"
            continue
        fi
        is "a log that was $damage is recovered as far as it goes" "$status" 0
        is "a log that was $damage makes the run incomplete" "$(evidence)" incomplete
    done
    rm -rf "$folder"
fi
fails "recover names a folder that is not there" 125 "$work/nothing" "$TALLYMAN" recover "$work/nothing" -o "$work/run.db"

fresh
"$TALLYMAN" run -q -o "$work/run.db" -- sh -c 'cat u.txt; sleep 2; cat d.txt; touch ran' >/dev/null 2>&1 </dev/null &
supervisor=$!
sleep 1
kill -9 "$supervisor"
wait "$supervisor" 2>/dev/null
sleep 3
check "a build goes on when the supervisor is killed" test -e ran

finish
