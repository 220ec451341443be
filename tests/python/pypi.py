# SPDX-License-Identifier: Apache-2.0
"""A virtual environment with packages from PyPI, for tests of what works with them. Where PyPI does not answer, a test says
"skipped: no PyPI". The environment is kept in the build folder, so that packages are fetched once."""

import hashlib
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
# How long the index and a download may take to begin.
_ANSWER_S = 10


def environment_with(build, *packages):
    """The Python of an environment with the packages, that finds the package opbench of this Python too; None: PyPI does not
    answer, which was said."""
    name = hashlib.sha256(" ".join([sys.version, sys.executable, *packages]).encode()).hexdigest()[:12]
    folder = pathlib.Path(build, "python-pypi", name)
    python = folder / "bin/python"
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", str(_ANSWER_S),
                               "--retries", "1", *packages], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"skipped: no PyPI ({' '.join(packages)}: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]})")
            return None
        (folder / "complete").touch()
    return str(python)


def with_opbench():
    """Variables of a process that is to find the same package opbench."""
    import opbench

    place = str(pathlib.Path(opbench._core.__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": place, "PYTHONSAFEPATH": "1"}
