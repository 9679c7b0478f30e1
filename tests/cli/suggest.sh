#!/bin/bash
# SPDX-License-Identifier: MIT
# Manifests written from runs: clean for the run they were made from, short, and never in the way.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

# status COMMAND...: its exit status; what it printed is in out and err.
status() {
    "$@" >"$work/out" 2>"$work/err"
    echo $?
}

# recorded DB COMMAND...: a run whose environment is always the same.
recorded() {
    local db=$1
    shift
    env -i PATH=/usr/bin:/bin HOME="$work/home" "TALLYMAN_SHIM=$TALLYMAN_SHIM" MY_TOKEN=hunter2 \
        "$TALLYMAN" run -q -o "$db" -- "$@" >/dev/null 2>&1
}

# suggested OPTION...: the manifest of ../run.db in ./tallyman.yaml; then what check says of it.
suggested() {
    HOME=$work/home "$TALLYMAN" manifest suggest "$@" ../run.db >tallyman.yaml 2>"$work/score" || return
    HOME=$work/home status "$TALLYMAN" check ../run.db
}

# lines: those of ./tallyman.yaml that say something.
lines() {
    grep -vc '^ *#' tallyman.yaml
}

mkdir home
fresh
mkdir src
for name in one two three four; do
    echo "int $name(void) { return 1; }" >src/$name.c
done
echo 'int main(void) { return 0; }' >src/main.c
cat >Makefile <<'END'
objects := $(patsubst src/%.c,build/%.o,$(wildcard src/*.c))
build/program: $(objects)
	gcc -o $@ $^
build/%.o: src/%.c
	@mkdir -p build
	gcc -c -o $@ $<
END
recorded ../run.db make
is "the manifest of a small build is clean for it" "$(suggested)" 0
like "and says so" "$(cat "$work/out")" "^run 1: clean"
like "the score is said" "$(cat "$work/score")" "lines cover [0-9]+ uses .*excess: [0-9]+ files"
like "the sets of the tools that ran are used" "$(grep ^use: tallyman.yaml)" "\[base, gcc, make"
like "what was built is an output, as a folder" "$(grep -A1 ^outputs: tallyman.yaml)" '"build/\*\*" +# [0-9]+ uses, [0-9]+ times'
is "it is short" "$([ "$(lines)" -le 40 ] && echo short)" short
is "a secret's value is not in it" "$(grep -c hunter2 tallyman.yaml)" 0
like "but its name is" "$(cat tallyman.yaml)" "MY_TOKEN: \{pass: true\}"
is "lint has nothing to say" "$(HOME=$work/home "$TALLYMAN" manifest lint)" ""
plain=$(lines)
is "--loose is clean" "$(suggested --loose)" 0
is "and not longer" "$([ "$(lines)" -le "$plain" ] && echo short)" short
is "--tight is clean" "$(suggested --tight)" 0
is "and longer" "$([ "$(lines)" -gt "$plain" ] && echo long)" long
is "without named sets" "$(grep -c ^use: tallyman.yaml)" 0

# A new input is the one thing that is found under what was written before.
suggested >/dev/null
mkdir "$work/vendor"
echo '#define ONE 1' >"$work/vendor/extra.h"
sed -i '1i #include "../../vendor/extra.h"' src/one.c
rm -r build
recorded ../other.db make
is "a new input is a finding" "$(HOME=$work/home status "$TALLYMAN" check ../other.db)" 1
is "and nothing else is one" "$(sed -n 's/^  \([^ ]*\) .*filesystem,.*/\1/p' "$work/out" | sort -u)" "../vendor"
HOME=$work/home "$TALLYMAN" manifest suggest ../run.db ../other.db >tallyman.yaml 2>/dev/null
is "of two runs, one manifest is clean for the first" "$(HOME=$work/home status "$TALLYMAN" check ../run.db)" 0
is "and for the second" "$(HOME=$work/home status "$TALLYMAN" check ../other.db)" 0

# Objects beside their sources, names that end at random, a listed root, odd names.
fresh
mkdir src
for name in a b c; do echo "int $name;" >src/$name.c; done
printf 'x\n' >'src/odd "name" #1'
cat >build.sh <<'END'
ls . >/dev/null
cd src || exit 1
for name in a b c; do gcc -c -o $name.o $name.c; done
cat odd* >/dev/null
temporary=$(mktemp ./part-XXXXXX) && rm "$temporary"
mkdir -p . made
find /usr/share/doc/bash /etc/ld.so.conf.d >/dev/null
END
recorded ../run.db sh build.sh
is "outputs among sources are clean" "$(suggested)" 0
like "by a pattern" "$(cat tallyman.yaml)" '- "src/\*\.o"'
like "random names by another" "$(cat tallyman.yaml)" '- "?src/part-(\?{6}|\*)'
is "and tightly" "$(suggested --tight)" 0

# init
fresh
mkdir src
echo text >src/text
env -i PATH=/usr/bin:/bin HOME="$work/home" "TALLYMAN_SHIM=$TALLYMAN_SHIM" "$TALLYMAN" manifest init -- cat src/text \
    >"$work/out" 2>"$work/err"
is "init shows the command's own output alone" "$(cat "$work/out")" text
check "and writes ./tallyman.yaml" test -s tallyman.yaml
is "which is clean" "$(HOME=$work/home status "$TALLYMAN" check)" 0
before=$(sha256sum tallyman.yaml)
is "a manifest that is there is not replaced" "$(status "$TALLYMAN" manifest init true)" 2
like "which is said" "$(cat "$work/err")" "tallyman.yaml is there already; --force"
is "and it stays" "$(sha256sum tallyman.yaml)" "$before"
is "nothing is run for that" "$(sqlite3 tallyman.db 'SELECT count(*) FROM run')" 1
is "--force replaces it" "$(status "$TALLYMAN" manifest init --force -- cat src/text)" 0
is "init exits as its command" "$(status "$TALLYMAN" manifest init -o - -- sh -c 'exit 7')" 7
like "a failed command is noted at the top" "$(cat "$work/out")" "^# .*# This run FAILED \(exit status 7\)"
is "options behind the command are its own" "$(status "$TALLYMAN" manifest init -o - sh -c 'exit 3' --tight)" 3

# What cannot be done.
is "init needs a command" "$(status "$TALLYMAN" manifest init)" 2
is "tight and loose exclude each other" "$(status "$TALLYMAN" manifest suggest --tight --loose)" 2
is "a missing database is refused" "$(status "$TALLYMAN" manifest suggest none.db)" 125
is "in one line" "$(wc -l <"$work/err")" 1
is "a run that is not there as well" "$(status "$TALLYMAN" manifest suggest --run 99)" 2
is "suggest does not replace a file either" "$(status "$TALLYMAN" manifest suggest -o tallyman.yaml)" 2
mkdir elsewhere
HOME=$work/home "$TALLYMAN" manifest suggest -o elsewhere/tallyman.yaml 2>/dev/null
is "a manifest elsewhere names the root" "$(grep -c "^root: \"\?$PWD\"\?$" elsewhere/tallyman.yaml)" 1
finish
