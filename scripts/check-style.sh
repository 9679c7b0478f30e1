#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The part of the house style that can be counted: prints what breaks it; exit status 1 if anything does.
set -u

cd "$(dirname "$0")/.." || exit 1
failed=0

# complain TITLE: prints standard input below the title, if there is any.
complain() {
    local lines
    lines=$(cat)
    [ -n "$lines" ] || return 0
    printf '%s\n' "$1" "$lines" | sed '2,$s/^/    /'
    failed=1
}

# The files of the project, in a clone or out of one.
files() {
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -co --exclude-standard -- "$@"
    else
        local pattern
        for pattern in "$@"; do find . -path ./build -prune -o -name "$pattern" -type f -print | sed 's,^\./,,'; done
    fi
}

complain "No SPDX line at the head of:" < <(
    files '*.c' '*.h' '*.S' '*.def' '*.sql' '*.sh' '*.py' .ci/run | while read -r file; do
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file"
    done)
complain "Longer than 600 lines:" < <(files '*.c' '*.h' '*.S' '*.sql' '*.sh' '*.py' | xargs wc -l | awk '$2 != "total" && $1 > 600 {print $2 ": " $1}')
complain 'Includes by "../":' < <(files '*.c' '*.h' | xargs grep -nE '#[[:space:]]*include "\.\./')

if ctags --version 2>/dev/null | grep -q Universal; then
    complain "Functions over 60 lines:" < <(files '*.c' '*.h' | ctags -L - --kinds-C=f --fields=+ne -o - |
        awk -F'\t' '{line = end = 0
            for (i = 4; i <= NF; i++) {
                if ($i ~ /^line:/) line = substr($i, 6)
                if ($i ~ /^end:/) end = substr($i, 5)
            }
            if (end - line >= 60) print $2 ":" line ": " $1 " has " end - line + 1}')
else
    complain "Not checked:" <<<"lengths of functions: no universal-ctags here"
fi

# Other versions format differently. The comments of record.h are tables, which it would fill like text.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    complain "Not as clang-format has it:" < <(files '*.c' '*.h' | grep -vx include/tallyman/record.h | xargs clang-format --dry-run 2>&1 |
        sed -n 's/^\([^: ]*:[0-9]*\):.*clang-format-violations.*/\1/p' | uniq | head -n 20)
fi
if command -v shellcheck >/dev/null; then
    complain "shellcheck:" < <(files '*.sh' .ci/run | xargs shellcheck -x -P SCRIPTDIR -S warning -f gcc)
fi

[ "$failed" = 0 ] && echo "check-style.sh: nothing to complain about"
exit "$failed"
