#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fixture `opbench` of pytest, with pytest and pytest-xdist of this Python or from PyPI: measures, saves, compares, fails on
what is slower, and joins the results of several workers.

usage: test_pytest_fixture.py [OPBENCH [--pypi]]
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from checks import SKIPPED, check, exit_code  # noqa: E402
from pypi import environment_with, with_opbench  # noqa: E402

TESTS = """
import os
COUNT = int(os.environ.get("COUNT", "100"))

def work():
    return sum(range(COUNT))

def test_one(opbench):
    assert opbench(work) == sum(range(COUNT))

def test_two(opbench):
    assert opbench(sorted, [3, 1], reverse=True) == [3, 1]
    opbench(len, "abc", name="length")

def test_none():
    pass

if "COUNT" in os.environ:
    import pytest
    test_one = pytest.mark.xfail(os.environ.get("KNOWN") == "1", reason="slower, and known to be")(test_one)
"""


def run(python, folder, *words, **variables):
    plugin = subprocess.run([python, "-c", "import importlib.metadata as m; print(any(e.value == 'opbench.pytest_plugin' for e in "
                             "m.entry_points(group='pytest11')))"], capture_output=True, text=True, check=True, env=with_opbench())
    named = [] if plugin.stdout == "True\n" else ["-p", "opbench.pytest_plugin"]  # an installed package is found by itself
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *named, *words], cwd=folder, capture_output=True, text=True,
                          check=False, env={**with_opbench(), **variables})
    return done.returncode, done.stdout + done.stderr


def make_slow(path, to, keep=None):
    """The same results with times that are a thousand times as long, but for those of one case."""
    with open(to, "w", encoding="utf-8") as out:
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if "op_name" in line and line["id"] != keep:
                line["raw_times"] = [1000 * seconds for seconds in line["raw_times"]]
                line["metric"]["forward"]["measure.time"] = [1000 * ms for ms in line["metric"]["forward"]["measure.time"]]
            out.write(json.dumps(line) + "\n")


def main():
    build = pathlib.Path(sys.argv[1]).resolve().parent if len(sys.argv) > 1 else pathlib.Path(tempfile.gettempdir())
    python = environment_with(build, "pytest", "pytest-xdist")
    if python is None:
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "test_mine.py").write_text(TESTS, encoding="utf-8")
        quick = "--opbench-time=0.05"
        code, text = run(python, folder, quick, "--opbench-save=base.json")
        check(code == 0 and "3 passed" in text, text)
        check(re.search(r"test_mine.py::test_two length +ok", text) and "median" in text, f"the table is ours: {text}")
        lines = [json.loads(line) for line in (folder / "base.json").read_text(encoding="utf-8").splitlines()]
        ids = [line["id"] for line in lines if "op_name" in line]
        check(ids == ["test_mine.py::test_one", "test_mine.py::test_two", "test_mine.py::test_two length"], f"records: {ids}")
        code, text = run(python, folder, quick, "--opbench-save=base.json")
        check(code == 4 and "already exists" in text, text)
        code, text = run(python, folder, quick, "--opbench-compare=none.json")
        check(code == 4 and "there is no file" in text, text)
        # A hundred times as much, of which alone the verdict is certain.
        code, text = run(python, folder, quick, "--opbench-compare=base.json", "-k", "test_one", COUNT="10000")
        check(code == 1 and "1 failed" in text and "slower than in base.json: test_mine.py::test_one: " in text, text)
        check("1 slower" in text and "missing" not in text, text)
        # The test that is slower fails, and no other: those are measured as the base was, against times that are surely longer.
        make_slow(folder / "base.json", folder / "mixed.json", keep="test_mine.py::test_one")
        for workers in ((), ("-n", "2")):
            code, text = run(python, folder, quick, "--opbench-compare=mixed.json", *workers, COUNT="10000")
            check(code == 1 and "1 failed, 2 passed" in text and "FAILED test_mine.py::test_one" in text, f"{workers}: {text}")
            check("1 slower" in text and "2 faster" in text, f"{workers}: {text}")
            code, text = run(python, folder, quick, "--opbench-compare=mixed.json", *workers, COUNT="10000", KNOWN="1")
            check(code == 0 and "2 passed, 1 xpassed" in text and "1 slower" in text, f"what is known does not fail: {workers}: {text}")
        make_slow(folder / "base.json", folder / "slow.json")
        code, text = run(python, folder, quick, "--opbench-compare=slow.json", "--opbench-threshold=0.05")
        check(code == 0 and "3 faster" in text, text)
        code, text = run(python, folder, quick, "--opbench-compare=slow.json", "--opbench-threshold=5")
        check(code == 4 and "a fraction between 0 and 1" in text, text)
        code, text = run(python, folder, quick, "-n", "2", "--opbench-save=workers.json")
        check(code == 0 and "test_mine.py::test_one" in text and "test_mine.py::test_two length" in text, text)
        joined = opbench_ids(folder / "workers.json")
        check(joined == ids, f"workers are joined: {joined}")
        code, text = run(python, folder, "--opbench-skip")
        check(code == 0 and "3 passed" in text and "median" not in text, text)
    return exit_code()


def opbench_ids(path):
    return [line["id"] for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()) if "op_name" in line]


if __name__ == "__main__":
    sys.exit(main())
