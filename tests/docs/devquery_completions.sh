#!/usr/bin/env bash
# devquery_completions.sh TOOLS DEVQUERY: the man page and the completions are what TOOLS/regenerate_completions.py makes. Exit 77: there
# is no Python 3.
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    exit 77
fi
exec python3 "$1/regenerate_completions.py" --check "$2"
