#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pip makes a wheel from the tree without a network, and what it installs into a fresh virtual environment works.

Needs pip and venv, and a finished build; says so where they are missing.

usage: test_wheel_install.py OPBENCH
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import SKIPPED, check, exit_code  # noqa: E402

USE = """
import opbench, opbench.benchmark as benchmark, pathlib, sys
assert pathlib.Path(opbench.__file__).is_relative_to(sys.prefix), opbench.__file__
assert pathlib.Path(opbench.program_path()).is_relative_to(sys.prefix), opbench.program_path()
print(benchmark.Timer("pass").timeit(10).number_per_run)
"""


def run(*words, **more):
    got = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, **more)
    check(got.returncode == 0, f"{words}: {got.stdout[-1000:]}{got.stderr[-3000:]}")
    return got.stdout


def missing():
    for module in ("pip", "venv", "ensurepip"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode:
            return module
    return None


def main():
    if os.environ.get("OPBENCH_TEST_INSTALLED"):
        print("skipped: a wheel is under test already")
        return SKIPPED
    if missing():
        print(f"skipped: {sys.executable} has no {missing()}")
        return SKIPPED
    build = pathlib.Path(sys.argv[1]).resolve().parent
    environment = {**os.environ, "OPBENCH_PYTHON_BUILD_DIR": str(build), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1",
                   "PIP_ROOT_USER_ACTION": "ignore"}
    environment.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as folder:
        wheels = pathlib.Path(folder, "wheels")
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", wheels, HERE.parent.parent / "python",
            env=environment)
        wheel = next(wheels.glob("opbench-*.whl"))
        check("-cp311-abi3-linux_" in wheel.name, f"one wheel for all versions: {wheel.name}")
        names = zipfile.ZipFile(wheel).namelist()
        for name in ("opbench/py.typed", "opbench/_core.abi3.so", "opbench/_core.pyi", "opbench/_installed/bin/opbench",
                     "opbench/_installed/lib/opbench/plugins/native.so", "opbench/benchmark/op_fuzzers/unary.py"):
            check(name in names, f"the wheel has {name}")
        run(sys.executable, "-m", "venv", f"{folder}/fresh")
        python = f"{folder}/fresh/bin/python"
        run(python, "-m", "pip", "install", wheel, env=environment)
        check(run(python, "-c", USE, cwd=folder, env=environment) == "10\n", "the installed package measures")
        out = run(python, "-m", "opbench", "list", "backends", cwd=folder, env=environment)
        check("native" in out, f"the installed program finds its plug-ins: {out}")
        check(run(f"{folder}/fresh/bin/opbench", "--version", cwd=folder, env=environment).startswith("opbench "), "its script")
        run(python, "-m", "pip", "uninstall", "--yes", "opbench", env=environment)
        left = list(pathlib.Path(folder, "fresh").rglob("*opbench*"))
        check(not left, f"nothing is left of it: {left}")
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
