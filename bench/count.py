#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What counting 100 runs of x + x (4 by 4) costs: opbench on its native backend, on libtorch and in Python, beside
torch.utils.benchmark's collect_callgrind in Python, in the same run. Prints seconds and instructions.

usage: bench/count.py OPBENCH [--no-torch]

Needs valgrind; without --no-torch also libtorch-dev and python3-torch. Each is run twice, and the second
one is shown: compiled statements are then in the cache, as they are for everybody who counts twice.
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
    ("opbench, C on native", False, ["--lang", "c", "--setup", ADD, "ob_op_call(add);"]),
    ("opbench, C++ on libtorch", True,
     ["--lang", "c++", "--setup", "auto x = torch::ones({4, 4});", "x + x;"]),
    ("opbench, Python", True, ["--lang", "python", "--setup", "x = torch.ones((4, 4))", "x + x"]),
]
ORIGINAL = """
from torch.utils.benchmark import Timer
print(Timer("x + x", "x = torch.ones((4, 4))").collect_callgrind(number=100).counts())
"""


def timed(words, environment):
    start = time.monotonic()
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    return time.monotonic() - start, done


def main():
    program, with_torch = sys.argv[1], "--no-torch" not in sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        # The original starts the program that is called "python".
        (home / "bin").mkdir()
        (home / "bin" / "python").symlink_to(PYTHON)
        environment = dict(os.environ, XDG_CACHE_HOME=str(home / "cache"),
                           PATH=f"{home / 'bin'}:{os.environ['PATH']}")
        for name, needs_torch, words in OURS:
            if needs_torch and not with_torch:
                continue
            for _ in range(2):
                seconds, done = timed([program, "count", *words, "--json"], environment)
            counts = json.loads(done.stdout)["counts"] if done.returncode == 0 else done.stderr
            print(f"{name:32} {seconds:8.2f} s  {counts}", flush=True)
        if with_torch:
            seconds, done = timed([PYTHON, "-c", ORIGINAL], environment)
            counts = done.stdout.strip() if done.returncode == 0 else done.stderr[-300:]
            print(f"{'collect_callgrind, Python':32} {seconds:8.2f} s  {counts}", flush=True)
    return 0


sys.exit(main())
