#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs that does nothing: opbench.benchmark beside timeit, torch.utils.benchmark and pyperf, and how long imports take.

All are measured in turns, in one process (pyperf, which starts its own, in turns with that), so that what changes on the machine
meets all. torch and pyperf are left out where they are not there, which is said. Bounds: an empty statement costs no more than
timeit's, but for what the clock can tell; `lambda: None` at most 1.5 times timeit's; `import opbench` takes 10 ms at most.

usage: python_loops.py [--rounds N] [--pyperf PYTHON]    with the package in PYTHONPATH, or installed
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import timeit

import opbench.benchmark as benchmark

# Short blocks, and many: on a busy machine some of them run undisturbed. pyperf's are of its own processes, a few longer ones.
NUMBER, PYPERF_NUMBER = 20_000, 200_000
SLACK_NS = 0.3
STATEMENT, CALLABLE = "pass", lambda: None
IMPORT = "import time\nt = time.perf_counter()\nimport {module}\nprint(time.perf_counter() - t)"


def blocks():
    """By column and row: a function that gives nanoseconds per run."""
    found = {}

    def add(who, what, loop):
        found[who, what] = lambda: loop.timeit(NUMBER) / NUMBER * 1e9

    for what, code in (("statement", STATEMENT), ("callable", CALLABLE)):
        add("timeit", what, timeit.Timer(code))
        add("opbench", what, benchmark.Timer(code)._timer)
    try:
        import torch.utils.benchmark as original
    except ImportError:
        print("torch is not there: left out")
        return found
    add("torch", "statement", original.Timer(STATEMENT)._timer)
    # It has no callables: one is a statement that calls.
    add("torch", "callable", original.Timer("f()", globals={"f": CALLABLE})._timer)
    return found


def pyperf_ns(python, setup, stmt):
    """One value of pyperf's, from a process of its own; None where it is not there."""
    with tempfile.TemporaryDirectory() as folder:
        words = [python, "-m", "pyperf", "timeit", "--quiet", "--processes", "1", "--values", "1", "--warmups", "1", "--loops",
                 str(PYPERF_NUMBER), "--setup", setup, "-o", f"{folder}/out.json", stmt]
        if subprocess.run(words, capture_output=True).returncode:
            return None
        with open(f"{folder}/out.json", encoding="utf-8") as file:
            runs = json.load(file)["benchmarks"][0]["runs"]
    return next(run["values"][0] for run in runs if "values" in run) * 1e9


def import_ms(module, times):
    """The best; None where it is not there."""
    found = []
    for _ in range(times):
        got = subprocess.run([sys.executable, "-c", IMPORT.format(module=module)], capture_output=True, text=True)
        if got.returncode:
            return None
        found.append(float(got.stdout.split()[-1]) * 1e3)
    return min(found)


def measure(rounds, python):
    loops = blocks()
    got = {key: [] for key in loops}
    extra = {"statement": ("pass", "pass"), "callable": ("f = lambda: None", "f()")}
    for number in range(rounds):
        for key, function in loops.items():
            got[key].append(function())
        if number < 5:
            for what, (setup, stmt) in extra.items():
                value = pyperf_ns(python, setup, stmt)
                if value is not None:
                    got.setdefault(("pyperf", what), []).append(value)
    if not any(who == "pyperf" for who, _ in got):
        print("pyperf is not there: left out")
    return got


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--pyperf", default=sys.executable, metavar="PYTHON", help="a Python that has pyperf")
    args = parser.parse_args()
    got = measure(args.rounds, args.pyperf)
    print(f"Python {sys.version.split()[0]}, ns per run: best and median of {args.rounds} blocks of {NUMBER}")
    for (who, what), values in sorted(got.items(), key=lambda item: (item[0][1], item[0][0])):
        print(f"  {what:<10} {who:<8} {min(values):7.2f} {statistics.median(values):7.2f}")
    imports = {module: import_ms(module, times) for module, times in
               (("opbench", 15), ("opbench.benchmark", 15), ("torch.utils.benchmark", 3))}
    for module, ms in imports.items():
        print(f"  import {module}: " + ("not there" if ms is None else f"{ms:.1f} ms"))
    missed = []
    best = {key: min(values) for key, values in got.items()}
    if best["opbench", "statement"] > best["timeit", "statement"] + SLACK_NS:
        missed.append("an empty statement costs more than timeit's")
    if best["opbench", "callable"] > 1.5 * best["timeit", "callable"]:
        missed.append("a callable costs more than 1.5 times timeit's")
    if imports["opbench"] > 10:
        missed.append("import opbench takes more than 10 ms")
    for text in missed:
        print(f"missed: {text}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
