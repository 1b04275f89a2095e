#!/usr/bin/env python3
"""Writes the tables of docs/benchmarks.md, the headline of README.md and the plots in docs/plots from docs/benchmarks.json.

    python3 docs/regenerate_benchmarks.py                   # writes them
    python3 docs/regenerate_benchmarks.py --add RUN.json... # first takes over what `cupool bench msm --json` measured
    python3 docs/regenerate_benchmarks.py --check           # writes nothing; fails where what lies there is not what it would write

A series is one line of benchmarks.json: milliseconds by the size's exponent, and what was measured. In both pages the text between
<!-- generated: NAME --> and <!-- end --> is generated; everything else is written by hand.
"""

import argparse
import json
import math
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent
CURVES = {"bn254": "BN254", "bls12-381": "BLS12-381", "bls12-377": "BLS12-377", "bn254-g2": "BN254 G2", "bls12-381-g2": "BLS12-381 G2"}
OURS = "cupool"
COLOURS = ["#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#7f7f7f"]


# The data


def what(series):
    """What a series measures: all but its times."""
    return {key: value for key, value in series.items() if key != "ms"}


def series_of_run(run):
    """What `cupool bench msm --json` printed, as a series."""
    if run.get("results_memory", "host") != "host":
        raise SystemExit("a run whose results stay on the device has no table here")
    scalars, points = run["memory"], run["points_memory"]
    series = {
        "library": OURS,
        "curve": run["curve"],
        "engine": run["engine"],
        "devices": len(run["devices"]),
        "operands": scalars if scalars == points else scalars + " scalars",
        "inputs": run["inputs"],
        "prepared": run["tables"] > 0,
    }
    if run["msms"] > 1:
        series["msms"] = run["msms"]
    series["ms"] = {exponent(result): round(result["median_ms"], 4) for result in run["results"]}
    return series


def exponent(result):
    return str(result["n"].bit_length() - 1)


def add_run(data, run):
    """Takes over a run: its times replace those of the same series and size."""
    new = series_of_run(run)
    for series in data["series"]:
        if what(series) == what(new):
            series["ms"].update(new["ms"])
            break
    else:
        data["series"].append(new)
    if len(run["devices"]) == 1:
        bounds = {exponent(result): round(result["bound_ms"], 4) for result in run["results"] if "bound_ms" in result}
        data["bound_ms"].setdefault(run["curve"], {}).update(bounds)


def sorted_sizes(times):
    return dict(sorted(times.items(), key=lambda size: int(size[0])))


def json_text(data):
    """A line a series, so that changes read well."""
    bounds = [f"    {json.dumps(curve)}: {json.dumps(sorted_sizes(times))}" for curve, times in data["bound_ms"].items()]
    def lines(series):
        return ",\n".join("    " + json.dumps({**what(one), "ms": sorted_sizes(one["ms"])}) for one in series)

    transforms = json.dumps(sorted_sizes(data["transform_bound_ms"]))
    return (
        '{\n  "bound_ms": {\n' + ",\n".join(bounds) + '\n  },\n  "series": [\n' + lines(data["series"]) + "\n  ],\n"
        f'  "transform_bound_ms": {transforms},\n  "transforms": [\n' + lines(data["transforms"]) + "\n  ]\n}\n"
    )


# The tables


def three_digits(milliseconds):
    decimals = max(0, 2 - math.floor(math.log10(milliseconds)))
    return f"{milliseconds:.{decimals}f}"


def table(rows, label, heading, rival):
    """A row a series, a column a size; bold is the fastest of the series of one rival()."""
    sizes = sorted({int(size) for series in rows for size in series["ms"]})
    lines = [f"| {heading} | " + " | ".join(f"2^{size}" for size in sizes) + " |", "|" + "---|" * (heading.count("|") + 1 + len(sizes))]
    for series in rows:
        cells = []
        for size in map(str, sizes):
            if size not in series["ms"]:
                cells.append("-")
                continue
            rivals = [other["ms"][size] for other in rows if rival(other) == rival(series) and size in other["ms"]]
            cell = three_digits(series["ms"][size])
            cells.append(f"**{cell}**" if len(rivals) > 1 and series["ms"][size] == min(rivals) else cell)
        lines.append(f"| {label(series)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def by_curve(rows, key=lambda series: ()):
    order = list(CURVES)
    return sorted(rows, key=lambda series: (order.index(series["curve"]), *key(series)))


OPERANDS = ["device", "pinned scalars", "host scalars", "pinned", "host"]


def peers_table(data, prepared):
    rows = [s for s in on_one_gpu(data) if s["inputs"] == "uniform" and s["prepared"] == prepared]
    rows = by_curve(rows, lambda series: (OPERANDS.index(series["operands"]), series["library"] != OURS))
    return table(
        rows,
        lambda series: f"{CURVES[series['curve']]} | {series['operands']} | {series['library']}",
        "curve | operands | library",
        lambda series: (series["curve"], series["operands"]),
    )


def on_one_gpu(data):
    return [s for s in data["series"] if s["engine"] == "gpu" and s["devices"] == 1 and "msms" not in s]


def batches_table(data):
    rows = [s for s in data["series"] if "msms" in s]
    return table(
        by_curve(rows, lambda series: (series["msms"], series["library"] != OURS, series["prepared"])),
        lambda s: f"{CURVES[s['curve']]} | {s['msms']} | {s['operands']} | {s['library']}{', prepared' if s['prepared'] else ''}",
        "curve | MSMs | operands | library",
        lambda series: (series["curve"], series["msms"]),
    )


def devices_table(data):
    rows = [s for s in data["series"] if s["library"] == OURS and s["engine"] == "gpu" and s["inputs"] == "uniform" and s["operands"] == "pinned" and "msms" not in s]
    return table(
        by_curve(rows, lambda series: (series["devices"],)),
        lambda series: f"{CURVES[series['curve']]} | {series['devices']}",
        "curve | GPUs",
        lambda series: series["curve"],
    )


def skew_table(data):
    rows = [s for s in on_one_gpu(data) if s["library"] == OURS and s["operands"] == "device" and not s["prepared"]]
    if all(series["inputs"] == "uniform" for series in rows):
        return "None measured yet."
    return table(
        by_curve(rows, lambda series: (series["inputs"] != "uniform", series["inputs"])),
        lambda series: f"{CURVES[series['curve']]} | {series['inputs']}",
        "curve | inputs",
        lambda series: id(series),
    )


def host_table(data):
    rows = [series for series in data["series"] if series["engine"] == "host"]
    return table(
        by_curve(rows, lambda series: (series["library"] != OURS,)),
        lambda series: f"{CURVES[series['curve']]} | {series['library']}",
        "curve | library",
        lambda series: series["curve"],
    )


# The plots


class Panel:
    """Lines over the size's exponent, the other axis logarithmic, as SVG."""

    WIDTH, HEIGHT = 380, 300

    def __init__(self, left, title, sizes, ticks):
        self.left, self.sizes, self.low, self.high = left, sizes, ticks[0], ticks[-1]
        self.parts = [self.text(left + self.WIDTH / 2, 22, title, "middle", 14)]
        for tick in ticks:
            y = self.y(tick)
            self.parts.append(f'<path d="M{left} {y:.1f}H{left + self.WIDTH}" stroke="#ddd"/>')
            self.parts.append(self.text(left - 6, y + 4, f"{tick:g}", "end"))
        for size in sizes:
            self.parts.append(self.text(self.x(size), 36 + self.HEIGHT + 18, f"2^{size}", "middle"))

    @staticmethod
    def text(x, y, content, anchor, size=11):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{content}</text>'

    def x(self, size):
        return self.left + 12 + (self.WIDTH - 24) * (size - self.sizes[0]) / (self.sizes[-1] - self.sizes[0])

    def y(self, value):
        return 36 + self.HEIGHT * (1 - math.log(value / self.low) / math.log(self.high / self.low))

    def line(self, values, colour, style):
        points = [(self.x(size), self.y(value)) for size, value in sorted(values.items())]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" {style}/>')
        self.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points]


def powers(base, values):
    """Powers of a base that enclose the values."""
    first, last = (rounded(math.log(extreme, base)) for rounded, extreme in ((math.floor, min(values)), (math.ceil, max(values))))
    return [base**power for power in range(first, last + 1)]


def plot(data, curve):
    """Of all MSMs that ran on one GPU with operands on it."""
    rows = [s for s in on_one_gpu(data) if s["curve"] == curve and s["operands"] == "device"]
    rows = sorted((s for s in rows if s["inputs"] == "uniform"), key=lambda series: series["library"] != OURS)
    names = [s["library"] + (", prepared bases" if s["prepared"] else "") for s in rows]
    return chart(CURVES[curve], rows, names, [s["prepared"] for s in rows], data["bound_ms"][curve])


def transform_plot(data):
    rows = data["transforms"]
    return chart("NTT over BN254", rows, [s["library"] for s in rows], [False] * len(rows), data["transform_bound_ms"])


def chart(title, rows, names, are_dashed, bounds):
    """Time over size, and the share of the bound."""
    bound = {int(size): value for size, value in bounds.items()}
    times = [{int(size): value for size, value in series["ms"].items()} for series in rows]
    shares = [{size: 100 * bound[size] / value for size, value in line.items() if size in bound} for line in times]
    sizes = sorted({size for line in times for size in line} | set(bound))

    time_panel = Panel(60, f"{title}: milliseconds", sizes, powers(10, [v for line in [*times, bound] for v in line.values()]))
    share_panel = Panel(500, "share of the bound, %", sizes, powers(10, [v for line in shares for v in line.values()] + [100]))
    time_panel.line(bound, "#000", 'stroke-dasharray="2 3"')
    libraries = list(dict.fromkeys(series["library"] for series in rows))
    legend = [("#000", 'stroke-dasharray="2 3"', "bound")]
    for series, name, is_dashed, time, share in zip(rows, names, are_dashed, times, shares):
        colour = COLOURS[libraries.index(series["library"])]
        style = f'stroke-width="{3 if series["library"] == OURS else 1.5}"' + (' stroke-dasharray="6 3"' if is_dashed else "")
        time_panel.line(time, colour, style)
        share_panel.line(share, colour, style)
        legend.append((colour, style, name))
    height = 380 + 18 * ((len(legend) + 2) // 3)
    keys = []
    for i, (colour, style, name) in enumerate(legend):
        x, y = 60 + 280 * (i % 3), 380 + 18 * (i // 3)
        keys.append(f'<path d="M{x} {y}h28" stroke="{colour}" {style}/>' + Panel.text(x + 34, y + 4, name, "start"))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" font-family="sans-serif">',
            f'<rect width="900" height="{height}" fill="#fff"/>',
            *time_panel.parts,
            *share_panel.parts,
            *keys,
            "</svg>\n",
        ]
    )


HEADLINE_CURVES, HEADLINE_SIZE = ["bn254", "bls12-381"], "20"


def headline_series(data, curve):
    """Libraries on one GPU with operands on it and nothing prepared, fastest first."""
    rows = [s for s in on_one_gpu(data) if s["curve"] == curve and s["operands"] == "device" and s["inputs"] == "uniform" and not s["prepared"]]
    return sorted((s for s in rows if HEADLINE_SIZE in s["ms"]), key=lambda series: series["ms"][HEADLINE_SIZE])


def headline(data):
    times = []
    for curve in HEADLINE_CURVES:
        ours = next(s["ms"][HEADLINE_SIZE] for s in headline_series(data, curve) if s["library"] == OURS)
        peer = next(s for s in headline_series(data, curve) if s["library"] != OURS)
        times.append(f"{three_digits(ours)} ms on {CURVES[curve]} (fastest other library: {peer['library']}, {three_digits(peer['ms'][HEADLINE_SIZE])} ms)")
    return f"On one H200 an MSM of 2^{HEADLINE_SIZE} terms takes\n" + "\nand ".join(times) + "."


def headline_plot(data):
    """Bars of the headline's libraries."""
    parts, y = [], 0
    for curve in HEADLINE_CURVES:
        y += 30
        parts.append(Panel.text(20, y, f"MSM of 2^{HEADLINE_SIZE} terms over {CURVES[curve]}, one H200, operands on it, milliseconds", "start", 14))
        rows = headline_series(data, curve)
        slowest = rows[-1]["ms"][HEADLINE_SIZE]
        for series in rows:
            y += 22
            time = series["ms"][HEADLINE_SIZE]
            width = 480 * time / slowest
            colour = COLOURS[0] if series["library"] == OURS else "#9db4c8"
            parts.append(Panel.text(150, y, series["library"], "end", 12))
            parts.append(f'<rect x="158" y="{y - 12}" width="{width:.1f}" height="16" fill="{colour}"/>')
            parts.append(Panel.text(164 + width, y, three_digits(time), "start", 12))
        y += 10
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="700" height="{y + 6}" font-family="sans-serif">',
            f'<rect width="700" height="{y + 6}" fill="#fff"/>',
            *parts,
            "</svg>\n",
        ]
    )


# The files


def with_regions(path, regions):
    """The page with new text in its generated regions."""
    page = path.read_text()
    for name, text in regions.items():
        region = re.compile(rf"(<!-- generated: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, count = region.subn(lambda match, text=text: f"{match[1]}\n{text}\n\n{match[2]}", page)
        if count != 1:
            sys.exit(f"{path.name} has no region '{name}', or several")
    return page


def regenerated(data):
    """Every file's text by its path."""
    regions = {
        "one GPU": peers_table(data, prepared=False),
        "one GPU, prepared bases": peers_table(data, prepared=True),
        "several MSMs": batches_table(data),
        "skewed scalars": skew_table(data),
        "several GPUs": devices_table(data),
        "host": host_table(data),
    }
    readme, page = DOCS.parent / "README.md", DOCS / "benchmarks.md"
    files = {
        DOCS / "benchmarks.json": json_text(data),
        page: with_regions(page, regions),
        readme: with_regions(readme, {"headline": headline(data)}),
        DOCS / "plots" / "headline.svg": headline_plot(data),
        DOCS / "plots" / "ntt_bn254.svg": transform_plot(data),
    }
    files.update({DOCS / "plots" / f"msm_{curve}.svg": plot(data, curve) for curve in data["bound_ms"]})
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", nargs="+", default=[], metavar="RUN.json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    data = json.loads((DOCS / "benchmarks.json").read_text())
    for path in options.add:
        add_run(data, json.loads(pathlib.Path(path).read_text()))
    files = regenerated(data)
    if options.check:
        stale = [str(path.relative_to(DOCS.parent)) for path, text in files.items() if not path.exists() or path.read_text() != text]
        if stale:
            sys.exit("not what docs/benchmarks.json gives; run python3 docs/regenerate_benchmarks.py: " + ", ".join(stale))
        return
    for path, text in files.items():
        path.write_text(text)


main()
