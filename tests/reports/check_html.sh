#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The HTML report of strangers' builds, of names with any bytes and of a large run: its markup held against
# two validators, and the page used in headless Chromium (html_browser.mjs). Needs chromium, tidy, node and
# npm, which fetches what validates and what drives the browser.
#
#   check_html.sh [--tools FOLDER] [--shots FOLDER] SOURCES
#
#   SOURCES         has the unpacked Debian sources of lua5.4, hello and jq (scripts/fetch-sources.sh)
#   --tools FOLDER  where npm puts its packages, to be used again (default: a temporary folder)
#   --shots FOLDER  gets a screenshot of each page, wide and narrow, light and dark
#
# Exit status: 0 all fine; 1 otherwise; 2 usage. TALLYMAN names the program under test, TEST_HTML the test
# that writes the other pages (default: the one built beside it).
set -u

packages='puppeteer-core@24 axe-core@4 html-validate@9'

usage() {
    sed -n '4,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
tools=''
while [ $# -gt 0 ]; do
    case $1 in
        --tools) mkdir -p "${2:?}" && tools=$(cd "$2" && pwd); shift 2 ;;
        --shots) mkdir -p "${2:?}" && TALLYMAN_SHOTS=$(cd "$2" && pwd); export TALLYMAN_SHOTS; shift 2 ;;
        -*) usage ;;
        *) break ;;
    esac
done
if [ $# != 1 ] || [ ! -d "$1" ]; then usage; fi
sources=$(cd "$1" && pwd)
tallyman=${TALLYMAN:-tallyman}
test_html=${TEST_HTML:-$(dirname "$(dirname "$(command -v "$tallyman")")")/tests/reports/test_html}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: "${tools:=$scratch/tools}"
result=0

for program in chromium tidy node npm "$tallyman" "$test_html"; do
    command -v "$program" >/dev/null || { echo "check_html.sh: not there: $program" >&2; exit 1; }
done
mkdir -p "$tools" "$scratch/pages"
# shellcheck disable=SC2086  # a list
npm install --prefix "$tools" --no-save --no-audit --no-fund --loglevel error $packages >/dev/null || exit 1

# build NAME GLOB COMMAND: the report of the command in a copy of the sources.
build() {
    local name=$1 folder
    folder=$(find "$sources" -maxdepth 1 -type d -name "$2" | head -n 1)
    if [ -z "$folder" ]; then
        echo "check_html.sh: not there: $sources/$2" >&2
        result=1
        return
    fi
    cp -a "$folder" "$scratch/$name"
    (cd "$scratch/$name" && "$tallyman" run --quiet -o "$scratch/$name.db" -- sh -c "$3") \
        >"$scratch/$name.log" 2>&1
    "$tallyman" report "$scratch/$name.db" --format html -o "$scratch/pages/$name.html" &&
        "$tallyman" report "$scratch/$name.db" --format json -o "$scratch/pages/$name.json" &&
        pages+=("build=$scratch/pages/$name.html,$scratch/pages/$name.json") || result=1
}

pages=()
build lua 'lua5.4-*' 'make clean && make linux'
build hello 'hello-*' './configure && make'
build jq 'jq-*' 'autoreconf -fi && ./configure --disable-maintainer-mode && make -j2'
TALLYMAN_PAGES=$scratch/pages "$test_html" --jobs 2 >"$scratch/test_html.log" 2>&1 || {
    cat "$scratch/test_html.log"
    result=1
}
pages+=("hostile=$scratch/pages/hostile.html" "large=$scratch/pages/large.html"
    "known=$scratch/pages/known.html" "remedy=$scratch/pages/remedy.html"
    "other=$scratch/pages/waived.html" "other=$scratch/pages/empty.html")

for page in "$scratch"/pages/*.html; do
    tidy -quiet -errors "$page" || result=1
done
"$tools/node_modules/.bin/html-validate" --preset standard,a11y "$scratch"/pages/*.html || result=1

NODE_PATH=$tools/node_modules node "$here/html_browser.mjs" "${pages[@]}" || result=1
exit "$result"
