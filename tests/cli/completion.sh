#!/bin/bash
# SPDX-License-Identifier: MIT
# Completion knows every command and option, and only those.
# shellcheck source-path=SCRIPTDIR/../e2e source=tap.sh
. "$(dirname "$0")/../e2e/tap.sh"
folder=$TALLYMAN_BUILD/cli

check "bash reads the completion" bash -n "$folder/tallyman.bash"
# shellcheck disable=SC1091
. "$folder/tallyman.bash"

# complete_words WORD...: what is offered for the last word.
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _tallyman
    printf '%s\n' "${COMPREPLY[@]}"
}

is "a command is completed" "$(complete_words tallyman rep)" report
is "every command is offered" \
    "$(complete_words tallyman '' | grep -v '^-' | sort | tr '\n' ' ')" \
    "$("$TALLYMAN" --help | awk '/^Commands:/ {on=1; next} /^$/ {on=0} on {print $1}' | sort | tr '\n' ' ')"
for command in run report check explain manifest doctor recover; do
    is "every option of $command is offered" \
        "$(complete_words tallyman $command -- | sort | tr '\n' ' ')" \
        "$("$TALLYMAN" $command --help | grep -o '^ *\(-., \)\?--[a-z-]*' | grep -o -- '--[a-z-]*' | sort | tr '\n' ' ')"
    for shell in _tallyman tallyman.fish; do
        missing=
        for option in $(complete_words tallyman $command --); do
            grep -q -- "${option#--}" "$folder/$shell" || missing="$missing $option"
        done
        is "$shell has every option of $command" "$missing" ""
    done
done
is "choices are completed" "$(complete_words tallyman report --format js)" json
is "choices are completed after an equals sign" "$(complete_words tallyman report --format = js)" json
touch "a file.db"
is "files are completed" "$(complete_words tallyman report a)" "a file.db"
is "files are completed as values" "$(complete_words tallyman report -m a)" "a file.db"
is "nothing is offered for a number" "$(complete_words tallyman report --run '')" ""
finish
