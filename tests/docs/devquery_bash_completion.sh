#!/usr/bin/env bash
# devquery_bash_completion.sh COMPLETION DEVQUERY: the completion offers the verbs and options that --help lists, and files where an
# option takes one.
set -euo pipefail
source "$1"
devquery=$2

# What is offered for the last word of a command line.
offered() {
    COMP_WORDS=(devquery "$@")
    COMP_CWORD=$#
    _devquery
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

require() {
    if [ "$2" != "$3" ]; then
        printf '%s\noffered:\n%s\nexpected:\n%s\n' "$1" "$2" "$3" >&2
        exit 1
    fi
}

# The options at the beginnings of the lines of a help text.
options_of_help() { grep -oE '^  (-[a-z], *)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort; }

verbs=$("$devquery" --help | sed -nE '/^subcommands:/I,/^$/s/^  ([a-z]+)( .*|$)/\1/p' | sort)
[ "$(wc -w <<<"$verbs")" -ge 5 ]
require "devquery" "$(offered "")" "$(printf '%s\n%s\n' "$verbs" "$("$devquery" --help | options_of_help)" | sort)"
for verb in $verbs; do
    require "devquery $verb" "$(offered "$verb" "")" "$("$devquery" "$verb" --help | options_of_help)"
done

require "devquery t" "$(offered t)" topo
require "devquery doctor --s" "$(offered doctor --s)" "$(printf '%s\n' --save --simulator)"
require "devquery bw --size" "$(offered bw --size "")" ""

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mkdir "$folder/a folder"
touch "$folder/a file"
require "devquery doctor --from" "$(offered doctor --from "$folder/a")" "$(printf '%s\n' "$folder/a file" "$folder/a folder")"
require "devquery doctor --root" "$(offered doctor --root "$folder/a")" "$folder/a folder"
