#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The standard suite runs: its statements in C and a few in Python, or with --full all of it, under valgrind.

usage: test_standard.py OPBENCH SUITE [--full]
"""

import importlib.util
import json
import os
import sys

from program import check, run_tests

SUITE = sys.argv[2]
IN_C = 44
ORIGINAL = 181
# PATH may begin with a python3 that has no torch: the one that apt installs it for is named.
SYSTEM_TORCH, SYSTEM_PYTHON = "/usr/lib/python3/dist-packages/torch", "/usr/bin/python3"
PYTHON = ["--python", SYSTEM_PYTHON if os.path.exists(SYSTEM_TORCH) else sys.executable]


def keys(lines):
    return [json.loads(line)["id"] for line in lines]


def test_c(program):
    """All statements on the native backend; no figure is judged."""
    done = program.command("time", "-s", SUITE, "--lang", "c", "--min-run-time", "0", "--retries", "0",
                           "--format", "json")
    check(done.returncode == 0, f"{done.returncode}: {done.stderr}")
    check(len(set(keys(done.stdout.splitlines()))) == IN_C, f"{len(done.stdout.splitlines())} in C")


def test_python(program):
    if importlib.util.find_spec("torch") is None and not os.path.exists(SYSTEM_TORCH):
        print("no torch for python3: not tested")
        return
    for only, count in (("Reduction", 3), ("ReLU  TorchScript", 1)):
        done = program.command("time", "-s", SUITE, "--lang", "python", "--only", only, "--min-run-time", "0",
                               "--format", "json", *PYTHON)
        check(done.returncode == 0 and len(done.stdout.splitlines()) == count, f"{only}: {done}")


def test_all(program):
    """Everything counted, and what changes from repeat to repeat."""
    output = program.home / "counts.jsonl"
    running = program.start("count", "-s", SUITE, "--repeats", "2", "--json", "-o", str(output), *PYTHON)
    stdout, stderr = running.communicate()
    check(running.returncode == 0, f"{running.returncode}: {stderr}")
    check(len(stdout.splitlines()) == ORIGINAL + IN_C, f"{len(stdout.splitlines())} counts")
    records = [json.loads(line) for line in output.read_text().splitlines()][1:]
    check(len({record["id"] for record in records}) == ORIGINAL + IN_C, "a record for each")
    check(all(record["instructions"]["forward"] > 0 for record in records), "all counted")


def test_repeats_on_libtorch(program):
    """x + x in C++ on libtorch: repeats differ by less than 0.01 %."""
    counts = program.counts("--lang", "c++", "--setup", "auto x = torch::ones({4, 4});", "x + x;",
                            "--repeats", "5")
    check(len(counts) == 5 and max(counts) - min(counts) < 1e-4 * min(counts), f"{counts}")


if __name__ == "__main__":
    full = "--full" in sys.argv[3:]
    sys.exit(run_tests([test_all, test_repeats_on_libtorch] if full else [test_c, test_python]))
