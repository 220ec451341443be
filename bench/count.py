#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What counting 100 runs of x + x (4 by 4) costs: opbench on its native backend, on libtorch and in Python, beside
torch.utils.benchmark's collect_callgrind in C++ and in Python, in the same run. Prints seconds on the
clock and of the processors (the second hardly depends on what else the machine does), and instructions.

usage: bench/count.py OPBENCH [--no-torch] [--no-cpp]

Needs valgrind; without --no-torch also libtorch-dev and python3-torch. --no-cpp leaves out the original's C++,
which compiles for minutes. Ours are run twice: the first compiles what the second finds in the cache, as
everybody does who counts twice. The original's compiled statements live as long as its process.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PYTHON = "/usr/bin/python3"
ADD = 'ob_op *add = ob_op_prepare("torch.add", "f32[4,4]", "f32[4,4]");'
OURS = [
    ("c", ["--lang", "c", "--setup", ADD, "ob_op_call(add);"]),
    ("c++", ["--lang", "c++", "--setup", "auto x = torch::ones({4, 4});", "x + x;"]),
    ("python", ["--lang", "python", "--setup", "x = torch.ones((4, 4))", "x + x"]),
]
# Debian's flags hold -gsplit-dwarf, whose files valgrind cannot read.
ORIGINALS = [
    ("c++", """
import torch.utils.benchmark.utils.cpp_jit as jit
from torch.utils.benchmark import Language, Timer
jit.CXX_FLAGS = [flag for flag in jit.CXX_FLAGS if flag != "-gsplit-dwarf"]
print(Timer("x + x;", "auto x = torch::ones({4, 4});",
            language=Language.CPP).collect_callgrind(number=100).counts())
"""),
    ("python", """
from torch.utils.benchmark import Timer
print(Timer("x + x", "x = torch.ones((4, 4))").collect_callgrind(number=100).counts())
"""),
]


def timed(words, environment):
    """Seconds on the clock, seconds of processors, and what the program gave."""
    start, before = time.monotonic(), os.times()
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    after = os.times()
    cpu = (after.children_user - before.children_user
           + after.children_system - before.children_system)
    return time.monotonic() - start, cpu, done


def show(name, seconds, cpu, counts):
    print(f"{name:36} {seconds:8.2f} s  {cpu:8.2f} s of CPU  {counts}", flush=True)


def count_ours(program, environment, languages):
    costs = {}
    for language, words in OURS:
        if language not in languages:
            continue
        for attempt in ("compiled first", "compiled before"):
            seconds, cpu, done = timed([program, "count", *words, "--json", "--python", PYTHON], environment)
            counts = json.loads(done.stdout)["counts"] if done.returncode == 0 else done.stderr
            if language != "python" or attempt == "compiled before":
                show(f"opbench, {language}, {attempt}", seconds, cpu, counts)
            costs[language] = (seconds, cpu)
    return costs


def main():
    program, options = sys.argv[1], sys.argv[2:]
    with_torch = "--no-torch" not in options
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        # The original starts the program that is called "python".
        (home / "bin").mkdir()
        (home / "bin" / "python").symlink_to(PYTHON)
        environment = dict(os.environ, XDG_CACHE_HOME=str(home / "cache"),
                           PATH=f"{home / 'bin'}:{os.environ['PATH']}")
        ours = count_ours(program, environment, ("c", "c++", "python") if with_torch else ("c",))
        for language, source in ORIGINALS:
            if not with_torch or (language == "c++" and "--no-cpp" in options):
                continue
            seconds, cpu, done = timed([PYTHON, "-c", source], environment)
            failed = done.returncode != 0
            show(f"collect_callgrind, {language}", seconds, cpu,
                 done.stderr[-300:] if failed else done.stdout.strip())
            if not failed:
                print(f"{language}: {seconds / ours[language][0]:.1f} times as long on the clock, "
                      f"{cpu / ours[language][1]:.1f} times the CPU", flush=True)
    return 0


sys.exit(main())
