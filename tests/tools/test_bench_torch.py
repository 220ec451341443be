#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""That bench/timer_torch.py measures: nothing beside it has the name of a module that it imports (Python looks into the
script's own folder first), and it answers as bench/timer expects. The latter is skipped where /usr/bin/python3 has no torch.
"""

import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import checks  # noqa: E402
from checks import check  # noqa: E402

BENCH = ROOT / "bench"
PYTHON = "/usr/bin/python3"
# Beside the standard library: what scripts of the tree import.
PACKAGES = {"numpy", "onnx", "onnxruntime", "pandas", "setuptools", "torch"}


def main():
    scripts = {path.stem for path in BENCH.rglob("*.py")}
    hidden = scripts & (PACKAGES | set(sys.stdlib_module_names))
    check(not hidden, f"in place of these modules scripts of bench/ would be imported there: {sorted(hidden)}")
    if subprocess.run([PYTHON, "-c", "import torch"], cwd="/", capture_output=True, check=False).returncode != 0:
        print(f"skipped: {PYTHON} has no torch (Debian's package is python3-torch)")
        return checks.exit_code() or checks.SKIPPED
    got = subprocess.run([PYTHON, "-B", BENCH / "timer_torch.py", "python", BENCH], input="microsecond\n", capture_output=True,
                         text=True, check=False, timeout=600)
    lines = got.stdout.splitlines()
    check(got.returncode == 0 and len(lines) == 2 and lines[0] == "ready", f"it begins: {got.stdout} {got.stderr}")
    check(len(lines) == 2 and len([float(word) for word in lines[1].split()]) == 2, f"it measures: {got.stdout}")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
