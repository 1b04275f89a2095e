#!/usr/bin/env bash
# benchmarks_page.sh DOCS: DOCS/benchmarks.md, the headline of the README and DOCS/plots are what DOCS/benchmarks.json gives. Exit 77:
# there is no Python 3.
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    exit 77
fi
exec python3 "$1/regenerate_benchmarks.py" --check
