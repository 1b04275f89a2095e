#!/usr/bin/env bash
# devquery_page.sh DOCS DEVQUERY SIMULATOR: the screens of DOCS/devquery.md are what DEVQUERY prints. Exit 77: there is no Python 3.
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    exit 77
fi
exec python3 "$1/regenerate_devquery.py" --check "$2" "$3"
