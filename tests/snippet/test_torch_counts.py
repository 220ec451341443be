#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts on libtorch repeat: x + x in C++, in one process and in another, and as a case of the torch backend.

usage: test_torch_counts.py OPBENCH
"""

import subprocess
import sys

from program import SKIP, check, run_tests

ALLOWED = 1e-4  # 0.01 %
SNIPPET = ["--lang", "c++", "--setup", "auto x = torch::ones({4, 4});", "x + x;"]
CASE = ["--op", "torch.add", "f32[4,4]", "f32[4,4]", "--backend", "torch"]


def check_counts(program, words):
    got = program.counts(*words, "--repeats", "3", "--case-timeout", "1000")
    got += program.counts(*words, "--case-timeout", "1000")
    spread = (max(got) - min(got)) / min(got) if got else 1
    print(f"{words[1]}: {got}, {100 * spread:.4f} %")
    check(len(got) == 4 and spread < ALLOWED, f"counts of {words} repeat: {got}")


def test_torch(program):
    program.limit_s = 1500
    check_counts(program, SNIPPET)
    check_counts(program, CASE)


def has_torch():
    listed = subprocess.run([sys.argv[1], "list", "backends"], capture_output=True, text=True).stdout
    return any(line.split()[:1] == ["torch"] for line in listed.splitlines())


if __name__ == "__main__":
    if not has_torch():
        print("skipped: there is no libtorch")
        sys.exit(SKIP)
    sys.exit(run_tests([test_torch]))
