#!/usr/bin/env python3
"""Prints the covered lines and branches of each layer, from what `llvm-cov export --summary-only` writes.

    python3 tools/coverage_by_layer.py REPOSITORY FILES.json
"""

import json
import pathlib
import sys

KINDS = ("lines", "branches")


def main(repository, export):
    layers = {}
    for file in json.loads(pathlib.Path(export).read_text())["data"][0]["files"]:
        layer = pathlib.Path(file["filename"]).resolve().relative_to(repository).parts[0]
        counts = layers.setdefault(layer, {kind: [0, 0] for kind in KINDS})
        for kind in KINDS:
            counts[kind][0] += file["summary"][kind]["covered"]
            counts[kind][1] += file["summary"][kind]["count"]
    print("| Layer | Lines | Branches |\n|---|---|---|")
    for layer, counts in sorted(layers.items()):
        cells = (f"{100 * covered / max(count, 1):.1f}% of {count:,}" for covered, count in counts.values())
        print(f"| {layer} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
