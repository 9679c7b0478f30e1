#!/bin/bash
# SPDX-License-Identifier: MIT
# The man pages are well formed and name every option.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"
folder=$TALLYMAN_BUILD/docs/man

for page in "$folder"/*.[15]; do
    name=$(basename "$page")
    if command -v man >/dev/null; then
        is "$name has no warnings of man" "$(man --warnings -l "$page" 2>&1 >/dev/null)" ""
    else
        skip "$name has no warnings of man" "no man"
    fi
    if command -v mandoc >/dev/null; then
        is "$name has no errors of mandoc" "$(mandoc -Tlint -W warning "$page" 2>&1 | grep -v 'unusual Os\|missing date')" ""
    fi
    is "$name has no marker left" "$(grep -c '^@\|@VERSION@' "$page")" 0
done
for command in run report check explain diff manifest doctor recover; do
    missing=
    for option in $("$TALLYMAN" $command --help | grep -o '^ *\(-., \)\?--[a-z-]*' | grep -o -- '--[a-z-]*'); do
        grep -qF -- "$(printf '%s' "$option" | sed 's/-/\\-/g')" "$folder/tallyman-$command.1" || missing="$missing $option"
    done
    is "the page of $command has every option" "$missing" ""
    check "the main page names $command" grep -q "tallyman\\\\\?-$command" "$folder/tallyman.1"
done
for set in $("$TALLYMAN" manifest sets | cut -d' ' -f1); do
    check "the manifest's page names the rule set $set" grep -qF "$(printf '%s' "$set" | sed 's/-/\\-/g')" "$folder/tallyman.yaml.5"
done
finish
