#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long 10,000 records take to become a data frame of pandas: Result.to_pandas() on a file, several times, and beside it what parsing
the same file in Python alone takes.

usage: PYTHONPATH=build/python bench/frames.py [--records N] [--times N]
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

import opbench

AIM_S = 0.2


def make(folder, count):
    tensor = {"type": "tensor", "dtype": "float", "shape": [64, 64]}
    config = {"torch.add": {"input_data_generator": "PyTorch:DefaultDataGenerator",
                            "config": [{"input": [{"args": [tensor, tensor]}] * count}]}}
    return opbench.run(config, backend="null", iteration=10, output=pathlib.Path(folder, "records.json"), progress=False)


def seconds(function, times):
    """Medians of wall and CPU time: on a busy machine the second is nearer to the truth."""
    taken = []
    for _ in range(times):
        began, used = time.perf_counter(), time.process_time()
        function()
        taken.append((time.perf_counter() - began, time.process_time() - used))
    return [statistics.median(column) for column in zip(*taken)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10000)
    parser.add_argument("--times", type=int, default=9)
    args = parser.parse_args()
    try:
        import pandas
    except ModuleNotFoundError:
        print("skipped: this Python has no pandas")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder, args.records).paths[0]
        size = pathlib.Path(path).stat().st_size
        rows = len(opbench.load(path).to_pandas())
        frame = seconds(lambda: opbench.load(path).to_pandas(), args.times)
        parsed = seconds(lambda: [json.loads(line) for line in open(path, "rb")], args.times)
    print(f"{rows} rows of {size / 1e6:.1f} MB, pandas {pandas.__version__}, Python {sys.version.split()[0]}")
    print(f"to_pandas          {frame[0]:.3f} s, of the CPU {frame[1]:.3f} s (aim: below {AIM_S} s)")
    print(f"json.loads alone   {parsed[0]:.3f} s, of the CPU {parsed[1]:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
