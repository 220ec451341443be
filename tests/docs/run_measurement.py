#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every `opbench run` command of docs/measurement.md, on the null backend, whose time is virtual,
and checks the page's table of one case in all modes to the digit.

usage: run_measurement.py OPBENCH
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "measurement.md"
UNITS = {"ns": 1e-6, "µs": 1e-3, "ms": 1.0}
ROW = re.compile(r"^\| (?:\(discrete\)|`(?P<options>--[^`]*)`) \| (?P<forward>[^|]*) \| "
                 r"(?P<backward>[^|]*) \|", re.MULTILINE)


def commands(text):
    """The commands of the page as lists of words, without the program's name."""
    found = re.findall(r"^ *opbench (run .*)$", text, re.MULTILINE)
    return [shlex.split(command) for command in found]


def on_null(words):
    """The same on the null backend, pinned to a CPU that there is."""
    words = [str(min(os.sched_getaffinity(0))) if before == "--pin" else word
             for before, word in zip([""] + words, words)]
    return words if "--backend" in words else words + ["--backend", "null"]


def without_torch(words):
    """Builds without libtorch compare with the null backend instead."""
    return [word.replace("torch", "null") if before == "--backend" else word
            for before, word in zip([""] + words, words)]


def has_torch(program):
    listed = subprocess.run([program, "list", "backends", "--json"], capture_output=True, text=True, check=True)
    return any(line["name"] == "torch" and line["available"]
               for line in map(json.loads, listed.stdout.splitlines()))


def run(program, words, folder):
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in words]
    if "--force" not in words and "--resume" not in words:
        words = words + ["--force"]  # the page is run from top to bottom, not in one folder
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        raise ValueError(f"opbench {shlex.join(words)}\ngave {done.returncode}:\n"
                         f"{done.stdout}{done.stderr}")


def milliseconds(cell):
    number, unit = cell.split()[:2]
    return float(number) * UNITS[unit]


def check_table(text, program, folder):
    exact = next(words for words in commands(text) if "--backend" in words)
    rows = list(ROW.finditer(text))
    if len(rows) != 5:
        raise ValueError(f"the page's table has {len(rows)} rows that can be read, not 5")
    for row in rows:
        run(program, exact + (row["options"] or "").split(), folder)
        lines = (folder / "exact.json").read_text(encoding="utf-8").splitlines()
        statistics = json.loads(lines[1])["statistics"]
        for name in ("forward", "backward"):
            got, want = statistics[name]["median"], milliseconds(row[name])
            if abs(got - want) > 1e-9:
                raise ValueError(f"{row['options']}: {name} is {got} ms, the page has {row[name]}")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="opbench-docs-") as name:
        folder = pathlib.Path(name)
        try:
            found = commands(text)
            if len(found) < 5:
                raise ValueError(f"{PAGE} has {len(found)} commands only")
            torch = has_torch(program)
            for words in found:
                run(program, on_null(words if torch else without_torch(words)), folder)
            check_table(text, program, folder)
        except ValueError as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
