#!/usr/bin/env python3
"""Puts the screens of devquery, run on two simulated devices, into docs/devquery.md.

    python3 docs/regenerate_devquery.py [--check] build/dev/bin/devquery build/dev/simulator/libcupool-sim.so

--check changes nothing: exit code 1 if the page is not up to date. Figures of `bw` and times of day vary from run to run, so only the
rest is compared.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

PAGE = pathlib.Path(__file__).with_name("devquery.md")
SCREEN = re.compile(r"<!-- screen: (devquery[^\n]*?) -->\n.*?<!-- end -->", re.DOTALL)


def screen_of(command, devquery, simulator):
    """The command and what it prints, as an indented block."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CUDA_", "CUPOOL_"))}
    environment.update(CUPOOL_DRIVER=os.path.abspath(simulator), CUPOOL_SIM_DEVICES="2", CUPOOL_SIM_SEED="1", COLUMNS="100")
    arguments = shlex.split(command)[1:]
    output = subprocess.run([devquery, *arguments], env=environment, check=True, capture_output=True, text=True).stdout
    output = output.replace(os.path.realpath(simulator), "/usr/lib/libcupool-sim.so")
    lines = [line for line in output.splitlines() if not line.startswith("kernel driver")]
    return "".join(("    " + line).rstrip() + "\n" for line in ["$ " + command, *lines])


def comparable(text):
    """The text without the figures of `bw`, times of day, and the blanks between columns."""
    text = re.sub(r"\d\d:\d\d:\d\d\n", "TIME\n", text)
    return re.sub(r" +", " ", re.sub(r"[0-9.]+ (GB/s|us) +[0-9.]+ to [0-9.]+", r"\1", text))


def main():
    check = "--check" in sys.argv
    devquery, simulator = [argument for argument in sys.argv[1:] if argument != "--check"]
    page = PAGE.read_text()

    def block(match):
        return f"<!-- screen: {match[1]} -->\n\n{screen_of(match[1], devquery, simulator)}\n<!-- end -->"

    new_page = SCREEN.sub(block, page)
    if not check:
        PAGE.write_text(new_page)
    elif comparable(page) != comparable(new_page):
        sys.exit(f"{PAGE} is not up to date: python3 docs/regenerate_devquery.py {devquery} {simulator}")


main()
