#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two sides as torch.utils.benchmark tells them apart: the medians that its table shows, trimmed to their significant figures.

usage: torch_sides.py FOLDER STEPS OTHER_STEPS TIMES SECONDS   (a side; FOLDER has a/loop.so and b/loop.so)
Prints a JSON object: verdict, ratio.
"""

import ctypes
import json
import sys

from torch.utils.benchmark import Timer
from torch.utils.benchmark.utils import common


def measure(path, steps, times, seconds):
    loop = ctypes.CDLL(path).work_loop
    loop.argtypes = [ctypes.c_int64, ctypes.c_int64]
    timer = Timer(stmt="loop(steps, times)", globals={"loop": loop, "steps": steps, "times": times})
    return timer.blocked_autorange(min_run_time=seconds)


def main():
    folder, steps, other, times, seconds = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
    a = measure(f"{folder}/a/loop.so", steps, times, seconds)
    b = measure(f"{folder}/b/loop.so", other, times, seconds)
    figures = min(a.significant_figures, b.significant_figures)
    shown = [common.trim_sigfig(m.median, figures) for m in (a, b)]
    verdict = "same" if shown[0] == shown[1] else "slower" if shown[1] > shown[0] else "faster"
    print(json.dumps({"verdict": verdict, "ratio": b.median / a.median}))


if __name__ == "__main__":
    main()
