#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `opbench show` and `opbench compare` over recorded cases of torch.utils.benchmark.

torch/measurement.json and torch/compare.json hold what the original computed and printed. MEASUREMENTS
and TABLES below state our result for each case that differs on purpose; all others are kept.

usage: run_torch.py OPBENCH
"""
import json
import math
import os
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch")
KEYS = ["times", "mean", "median", "p25", "p75", "iqr", "significant_figures", "has_warnings",
        "warnings", "unit", "title", "as_row_name"]
STYLES = {
    "plain": [],
    "trim": ["--trim"],
    "color_columnwise": ["--colorize", "columnwise", "--color", "always"],
    "color_rowwise": ["--colorize", "rowwise", "--color", "always"],
    "highlight_warnings": ["--highlight-warnings"],
    "trim_color_warn": ["--trim", "--colorize", "columnwise", "--color", "always",
                        "--highlight-warnings"],
}

# Times below 1 ns stay in ns.
MEASUREMENTS = {
    "just_below_ns": {
        "unit": "ns",
        "repr": "<>\n0.999 ns\n  Median: 1.00 ns\n  IQR:    0.00 ns (1.00 to 1.00)\n"
                "  5 measurements, 1 runs per measurement, 1 thread",
    },
}
# Two different tasks in one cell are an error; a missing env is printed.
TABLES = {
    "same_cell_different_stmt": "they differ in stmt; give them different sub_labels or descriptions",
    "same_cell_different_setup_warn": "they differ in setup; give them different sub_labels or descriptions",
    "env_none_and_str_other_threads": None,
}

failures = []


def check(name, got, want):
    if got != want:
        failures.append(name)
        print(f"{name}: got\n{got!r}\nwant\n{want!r}", file=sys.stderr)


def opbench(*arguments, text):
    done = subprocess.run([PROGRAM, *arguments, "-"], input=text, capture_output=True, text=True,
                          timeout=60)
    return done.returncode, done.stdout, done.stderr


def measurement(case):
    return {key: case[key] for key in ("number_per_run", "raw_times", "task_spec")}


def check_measurement(case):
    name, want = case["name"], {**case["expect"], **MEASUREMENTS.get(case["name"], {})}
    code, out, err = opbench("show", text=json.dumps(measurement(case)))
    check(f"{name}: text", (code, err, out.split("\n", 1)[1:]),
          (0, "", [want["repr"].split("\n", 1)[1] + "\n"]))
    code, out, err = opbench("show", "--json", text=json.dumps([measurement(case)], indent=1))
    got = json.loads(out)
    check(f"{name}: keys", list(got), KEYS)
    for key in KEYS:
        if key == "mean" and math.isclose(got[key], want[key], rel_tol=1e-12):
            continue
        check(f"{name}: {key}", got[key], want[key])


def check_table(case):
    name = case["name"]
    lines = "\n".join(json.dumps(m) for m in case["measurements"])
    for style, options in STYLES.items():
        code, out, err = opbench("compare", *options, text=json.dumps(case["measurements"]))
        check(f"{name}: lines: {style}", opbench("compare", *options, text=lines), (code, out, err))
        if name not in TABLES:
            check(f"{name}: {style}", (code, out, err), (0, case["expect"][style]["value"], ""))
        elif TABLES[name] is not None:
            check(f"{name}: {style}", (code, out, TABLES[name] in err), (2, "", True))
        else:
            check(f"{name}: {style}", (code, err, "(Unspecified env)" in out), (0, "", True))
    if name not in TABLES:
        rows = json.loads(opbench("compare", "--format", "json", text=lines)[1])
        check(f"{name}: json", len(rows), case["expect"]["plain"]["value"].count("Times are in"))


def main():
    for name, function in (("measurement", check_measurement), ("compare", check_table)):
        with open(os.path.join(HERE, f"{name}.json"), encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        for case in cases:
            function(case)
        print(f"{name}: {len(cases)} cases")
    return 1 if failures else 0


PROGRAM = sys.argv[1]
sys.exit(main())
