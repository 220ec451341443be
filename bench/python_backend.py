#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The python backend's price of a call: eager torch.add of one element here, beside torch.utils.benchmark in the same interpreter,
and beside the torch backend, which calls the same operator without Python. Then compiled against eager code over
examples/configs/llama_ops.json, side by side, where torch has torch.compile.

usage: python_backend.py PROGRAM [PYTHON] [ROUNDS]

PROGRAM is opbench, PYTHON an interpreter with torch (otherwise /usr/bin/python3). They take turns, so that what the machine does meets all
alike: in each of ROUNDS rounds (15) a process of torch's timer that stays measures for 0.3 s, then opbench runs one backend and the other, in
blocks of 2,000 calls. A round's time is that of its fastest block, which another process disturbed least. Shown are the medians over
the rounds and the quartiles of their ratios. What the loop itself costs is below the time of a call of operator.index, one of the cheapest that Python has."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

BLOCKS = ("--exec-mode", "continuous", "--block", "2000", "-w", "20000", "-i", "300000", "--num-threads", "1")
ONE = {"type": "tensor", "dtype": "float", "shape": [1], "requires_grad": False}  # as torch.rand makes it
TIMER = """
import sys, torch
from torch.utils.benchmark import Timer
timer = Timer("torch.add(a, b)", globals={"torch": torch, "a": torch.rand(1), "b": torch.rand(1)}, num_threads=1)
timer.timeit(1000)
print("ready", flush=True)
for line in sys.stdin:
    print("%.17g" % (min(timer.blocked_autorange(min_run_time=0.3).times) * 1e9), flush=True)
"""


def fastest(program, python, backend, name, arguments, *words):
    """ns of a call"""
    with tempfile.TemporaryDirectory(prefix="opbench-bench-") as folder:
        output, config = os.path.join(folder, "records.json"), os.path.join(folder, "config.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({name: {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [{"args": arguments}]}]}}, file)
        done = subprocess.run([program, "run", "-c", config, "--backend", backend, *words, *BLOCKS, "-q", "--output", output], capture_output=True, text=True,
                              env=dict(os.environ, OPBENCH_PYTHON=python))
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        with open(output, encoding="utf-8") as file:
            record = next(r for r in map(json.loads, file) if "op_name" in r)
    return min(record["metric"]["forward"]["measure.time"]) * 1e6


def ratio_line(label, upper, lower):
    ratios = [a / b for a, b in zip(upper, lower)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"{label}: {middle:.3f} (quartiles {low:.3f} to {high:.3f})")


LLAMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "configs", "llama_ops.json")


def compare_compiled(program, python):
    """Each case in turns, eager and compiled; the record has their ratio."""
    said = subprocess.run([python, "-c", "import torch; print(torch.__version__, hasattr(torch, 'compile'))"], capture_output=True, text=True).stdout.split()
    if len(said) != 2 or said[1] != "True":
        print(f"torch {said[0] if said else '(none)'} of {python} has no torch.compile; compiled code is not measured")
        return
    with tempfile.TemporaryDirectory(prefix="opbench-bench-") as folder:
        output = os.path.join(folder, "records.json")
        done = subprocess.run([program, "run", "-c", LLAMA, "--backend", "python:eager,python:compile", "--exec-mode", "continuous", "--min-time", "0.2", "-q",
                               "--output", output], capture_output=True, text=True, env=dict(os.environ, OPBENCH_PYTHON=python))
        if not os.path.exists(output):
            sys.exit(done.stdout + done.stderr)
        with open(output, encoding="utf-8") as file:
            records = [r for r in map(json.loads, file) if "op_name" in r]
    print(f"compiled / eager over llama_ops.json, torch {said[0]}:")
    medians, ratios, compiling = {}, [], []
    for r in records:
        key = (r["op_name"], r["id"])
        if r["status"] != "ok":
            print(f"  {r['op_name']} {r['id']}, {r['backend']}: {r['status']}: {r.get('reason')}")
            continue
        median = r["statistics"]["forward"]["median"]
        compiling += [float(text.split()[0]) for name, text in (r.get("implementation") or {}).items() if name == "compile"]
        if r["backend"] == "python:eager":
            medians[key] = median
        elif key in medians:
            ratios.append(median / medians[key])
            print(f"  {r['op_name']} {r['id']}: {medians[key] * 1e3:.1f} us eager, {median * 1e3:.1f} us compiled, {ratios[-1]:.3f}")
    if ratios:
        print(f"geometric mean over {len(ratios)} cases: {statistics.geometric_mean(ratios):.3f}; compiling took {statistics.median(compiling):.1f} s a case (median)")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    program = os.path.abspath(sys.argv[1])
    python = sys.argv[2] if len(sys.argv) > 2 else "/usr/bin/python3"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    timer = subprocess.Popen([python, "-c", TIMER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if timer.stdout.readline() != "ready\n":
        timer.wait()
        print(python + " has no torch.utils.benchmark; nothing is measured")
        return
    times = {"torch.utils.benchmark": [], "python": [], "torch": []}
    for _ in range(rounds):
        print("go", file=timer.stdin, flush=True)
        times["torch.utils.benchmark"].append(float(timer.stdout.readline()))
        for backend in ("python", "torch"):
            times[backend].append(fastest(program, python, backend, "torch.add", [ONE, ONE]))
    timer.stdin.close()
    timer.wait()
    index = fastest(program, python, "python", "python::operator.index", [{"type": "int", "value": 1}], "--python-module", "operator")
    for name, label in (("torch.utils.benchmark", "torch.utils.benchmark"), ("python", "opbench, backend python"),
                        ("torch", "opbench, backend torch")):
        print(f"torch.add of one element, {label}: {statistics.median(times[name]):.0f} ns")
    print(f"the price of Python: {statistics.median(a - b for a, b in zip(times['python'], times['torch'])):.0f} ns")
    print(f"a call of operator.index, with the loop: {index:.0f} ns")
    ratio_line("python backend / torch.utils.benchmark", times["python"], times["torch.utils.benchmark"])
    ratio_line("python backend / torch backend", times["python"], times["torch"])
    compare_compiled(program, python)


if __name__ == "__main__":
    main()
