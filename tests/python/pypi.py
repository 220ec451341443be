# SPDX-License-Identifier: Apache-2.0
"""Packages for tests of what works with them: those of this Python, or with --pypi a virtual environment that is fetched once and
kept in the build folder. Where PyPI does not answer, a test says "skipped: no PyPI"."""

import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
# How long the index and a download may take to begin.
_ANSWER_S = 10


_MODULES = {"pytest-xdist": "xdist"}


def _missing(packages):
    return [package for package in packages if importlib.util.find_spec(_MODULES.get(package, package)) is None]


def environment_with(build, *packages):
    """The Python of an environment with the packages; None: there is none, which was said."""
    missing = _missing(packages)
    if not missing:
        return sys.executable
    if "--pypi" not in sys.argv:
        print(f"skipped: this Python has no {', '.join(missing)}; --pypi fetches what is needed")
        return None
    # By the Python behind a virtual environment, which may be another one each time.
    name = hashlib.sha256(" ".join([sys.version, os.path.realpath(sys.executable), *packages]).encode()).hexdigest()[:12]
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
