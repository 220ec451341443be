#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own example programs with nothing but the import changed. Their text is read from the installed torch.

usage: test_benchmark_examples.py [OPBENCH] [--long]    (--long: also those that measure for minutes)
"""

import importlib.util
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import SKIPPED, check, exit_code  # noqa: E402

ORIGINAL, OURS = "torch.utils.benchmark", "opbench.benchmark"


def examples_folder():
    """Found without importing torch."""
    spec = importlib.util.find_spec("torch")
    folder = spec and spec.origin and pathlib.Path(spec.origin).parent / "utils/benchmark/examples"
    return folder if folder and folder.is_dir() else None


def with_import_changed(text):
    return "\n".join(line.replace(ORIGINAL, OURS) if line.lstrip().startswith(("import ", "from ")) else line
                     for line in text.split("\n"))


def run_example(name, folder, *args):
    text = (examples_folder() / f"{name}.py").read_text(encoding="utf-8")
    changed = with_import_changed(text)
    check(changed != text and f"import {ORIGINAL}" not in changed, f"{name}: the import is changed")
    program = pathlib.Path(folder, f"example_{name}.py")
    program.write_text(changed, encoding="utf-8")
    got = subprocess.run([sys.executable, program, *args], capture_output=True, text=True, cwd=folder, timeout=1500)
    check(got.returncode == 0, f"{name}: {got.returncode} {got.stderr[-2000:]}")
    print(name, flush=True)
    return got.stdout


def check_simple_timeit(folder):
    out = run_example("simple_timeit", folder)
    check(out.count("Broadcasting add (4x8)") == 6 and out.count("Median: ") == 3 and out.count("10000 runs ,") == 3,
          f"simple_timeit: {out}")


def check_end_to_end(folder):
    if not (examples_folder() / "end_to_end.py").exists():
        print("end_to_end: skipped, this torch came without it")
        return
    results = os.path.join(folder, "results.pkl")
    out = run_example("end_to_end", folder, "--pr", "39967", "--num_gpus", "0", "--DETAIL_context", "subprocess",
                      "--DETAIL_device", "cpu", "--DETAIL_env", "pr_39967", "--DETAIL_result_file", results,
                      "--DETAIL_seed", "3")
    check(out.count("object at 0x") == 6 and out.count("std") >= 6, f"end_to_end: {out}")
    found = []
    with open(results, "rb") as file:
        while file.peek(1):
            found.append(pickle.load(file))
    check(len(found) == 6 and all(m.env == "pr_39967" and m.metadata["params"]["dim"] in (1, 2, 3) for m in found),
          f"end_to_end: {len(found)} measurements")
    from opbench.benchmark import load_measurements

    check([m.raw_times for m in load_measurements(results)] == [m.raw_times for m in found], "end_to_end: read without pickle.load")


def check_compare(folder):
    out = run_example("compare", folder)
    check(out.count("[------") == 2 and "(severe_regression)" in out and "4 threads: ---" in out, f"compare: {out[-3000:]}")
    check("\033[92m\033[1m" in out, "compare: colours")


def check_fuzzer(folder):
    out = run_example("fuzzer", folder)
    check("250 / 250" in out and "Average attemts per valid config: " in out and out.count(" ns / element ") == 30,
          f"fuzzer: {out[-3000:]}")


def main():
    if examples_folder() is None or importlib.util.find_spec("numpy") is None:
        print(f"skipped: no torch with its examples, or no numpy, in {sys.executable}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check_simple_timeit(folder)
        check_end_to_end(folder)
        if "--long" in sys.argv:
            check_compare(folder)
            check_fuzzer(folder)
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
