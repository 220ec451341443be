#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/notebook.ipynb: runs in a kernel of Jupyter (nbclient by nbconvert, from PyPI); without it, its cells run one
after the other in this Python, and the rest is skipped.

usage: test_notebook.py [OPBENCH [--pypi]]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from checks import SKIPPED, check, exit_code  # noqa: E402
from pypi import environment_with, with_opbench  # noqa: E402

NOTEBOOK = HERE.parent.parent / "examples/notebook.ipynb"


def cells_alone(cells):
    """As a script: every cell computes."""
    script = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cells.py")
        path.write_text(script, encoding="utf-8")
        done = subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True, check=False, env=with_opbench())
    check(done.returncode == 0, f"the cells run: {done.stderr}")
    check("did you mean backend?" in done.stdout, done.stdout)


def in_kernel(python):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, "-m", "nbconvert", "--execute", "--to", "notebook", "--output-dir", folder, NOTEBOOK],
                              capture_output=True, text=True, check=False, env={**with_opbench(), "JUPYTER_PLATFORM_DIRS": "1"})
        check(done.returncode == 0, f"nbconvert: {done.stderr[-3000:]}")
        if done.returncode != 0:
            return
        ran = json.loads(pathlib.Path(folder, NOTEBOOK.name).read_text(encoding="utf-8"))
    outputs = [output for cell in ran["cells"] for output in cell.get("outputs", [])]
    check(all(output["output_type"] != "error" for output in outputs), "no cell fails")
    shown = [output.get("data", {}) for output in outputs]
    check(any("srcdoc" in "".join(data.get("text/html", "")) for data in shown), "a result shows its page")
    check(any("image/svg+xml" in data for data in shown), "a picture is shown")


def main():
    build = pathlib.Path(sys.argv[1]).resolve().parent if len(sys.argv) > 1 else pathlib.Path(tempfile.gettempdir())
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    check(not any(cell.get("outputs") for cell in cells), "the notebook is kept without outputs")
    cells_alone(cells)
    python = environment_with(build, "nbconvert", "ipykernel", "pandas")
    if python is None:
        return exit_code() or (SKIPPED if "--pypi" in sys.argv else 0)
    in_kernel(python)
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
