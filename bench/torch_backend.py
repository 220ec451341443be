#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the torch backend costs, beside at::add in C++ and torch in Python; and native against torch.

usage: torch_backend.py PROGRAM DIRECT [PYTHON]

PROGRAM is opbench, DIRECT the program bench/torch_direct.cpp, PYTHON one that has torch (left out without). One
element's aten::add is measured in blocks of 20,000 calls; starts are the median of seven. The operator set is PARAM's
(where its configs lie beside the project) and that of examples/configs/llama_block.json. For a quiet machine."""

import glob
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SHIPPED = os.path.join(os.path.dirname(ROOT), "shared", "goldens", "param", "shipped")
SKIPPED = ("alex_net.json", "resnet.json")  # minutes each
GENERATOR = "PyTorch:DefaultDataGenerator"
STARTS = 7
ADD_IN_PYTHON = """
import time, torch
torch.set_num_threads(1)
a, b = torch.rand(1), torch.rand(1)
blocks = []
for _ in range(50):
    start = time.perf_counter_ns()
    for _ in range(20000):
        torch.add(a, b)
    blocks.append((time.perf_counter_ns() - start) / 20000)
print(sorted(blocks)[25])
"""


def add_config():
    one = {"type": "tensor", "dtype": "float", "shape": [1], "requires_grad": False}
    return {"aten::add": {"input_data_generator": GENERATOR,
                          "config": [{"input": [{"args": [one, one]}]}]}}


def run(program, config, *options):
    with tempfile.TemporaryDirectory(prefix="opbench-bench-") as folder:
        output = os.path.join(folder, "records.json")
        if not isinstance(config, str):
            path = os.path.join(folder, "config.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(config, file)
            config = path
        subprocess.run([program, "run", "-c", config, "-q", "--output", output, *options],
                       capture_output=True, check=False)
        with open(output, encoding="utf-8") as file:
            return [r for r in map(json.loads, file) if "op_name" in r]


def median_ns(record):
    return statistics.median(record["metric"]["forward"]["measure.time"]) * 1e6


def output_of(*words):
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def seconds_of(*words):
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run(words, capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compare(program):
    """(ratio native/torch, case) of every case that both measure."""
    configs = [os.path.join(ROOT, "examples", "configs", "llama_block.json")]
    configs += sorted(c for c in glob.glob(os.path.join(SHIPPED, "*.json"))
                      if os.path.basename(c) not in SKIPPED)
    ratios = []
    for config in configs:
        times = {}
        for record in run(program, config, "--backend", "native,torch", "-w", "3", "-i", "20"):  # in turns
            if record["status"] == "ok":
                name = os.path.basename(config) + " " + record["op_name"] + "|" + record["id"]
                times.setdefault(name, {})[record["backend"]] = median_ns(record)
        ratios += [(t["native"] / t["torch"], name) for name, t in times.items() if len(t) == 2]
    return sorted(ratios)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    program, direct = map(os.path.abspath, sys.argv[1:3])
    python = sys.argv[3] if len(sys.argv) > 3 else None
    blocks = ("--backend", "torch", "--exec-mode", "continuous", "--block", "20000", "-w", "20000",
              "-i", "1000000")
    print(f"aten::add of one element, opbench: {median_ns(run(program, add_config(), *blocks)[0]):.0f} ns")
    print(f"                    at::add in C++: {output_of(direct):.0f} ns")
    if python:
        print(f"               torch.add in Python: {output_of(python, '-c', ADD_IN_PYTHON):.0f} ns")
    with tempfile.TemporaryDirectory(prefix="opbench-bench-") as folder:
        path = os.path.join(folder, "config.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(add_config(), file)
        words = [program, "run", "-c", path, "-q", "--backend", "torch", "--force", "--output",
                 os.path.join(folder, "records.json")]
        print(f"one case from start to end, opbench: {seconds_of(*words):.2f} s")
    if python:
        print(f"                      import torch: {seconds_of(python, '-c', 'import torch'):.2f} s")
    ratios = compare(program)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in ratios))
    print(f"native/torch over {len(ratios)} cases: geometric mean {mean:.2f}")
    for ratio, name in ratios[::-1][:3]:
        print(f"    {ratio:.2f}  {name}")


if __name__ == "__main__":
    main()
