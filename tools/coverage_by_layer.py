#!/usr/bin/env python3
"""Prints the covered lines and branches of each layer, from what `llvm-cov export --summary-only` writes.

    python3 tools/coverage_by_layer.py FILES.json
"""

import json
import pathlib
import sys

KINDS = ("lines", "branches")
BUILD = pathlib.Path("build/coverage")
LAYERS = ("driver", "kernels", "pool", "simulator", "tools")


def layer_of(file):
    """The layer of a source, or None of a test or a header of the system. The build names sources relative to the repository, which
    llvm-cov takes for relative to the build folder."""
    path = pathlib.Path(file)
    if path.is_relative_to(BUILD):
        path = path.relative_to(BUILD)
    return path.parts[0] if path.parts[0] in LAYERS else None


def main(export):
    layers = {}
    for file in json.loads(pathlib.Path(export).read_text())["data"][0]["files"]:
        layer = layer_of(file["filename"])
        if layer is None:
            continue
        counts = layers.setdefault(layer, {kind: [0, 0] for kind in KINDS})
        for kind in KINDS:
            counts[kind][0] += file["summary"][kind]["covered"]
            counts[kind][1] += file["summary"][kind]["count"]
    print("| Layer | Lines | Branches |\n|---|---|---|")
    for layer, counts in sorted(layers.items()):
        cells = (f"{100 * covered / max(count, 1):.1f}% of {count:,}" for covered, count in counts.values())
        print(f"| {layer} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1])
