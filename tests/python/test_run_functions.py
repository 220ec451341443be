#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python functions as sides of opbench.diff: in this process and in fresh ones; one that raises, exits or forks is an exception.

usage: test_run_functions.py [OPBENCH]
"""

import gc
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, exit_code  # noqa: E402

import opbench  # noqa: E402


def little():
    return sum(range(50))


def much():
    return sum(range(5000))


def raised(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except BaseException as error:
        return error
    return None


def in_turns(folder):
    collecting = gc.isenabled()
    made = opbench.diff(little, much, budget=0.1, records=folder / "kept.json")
    # A hundred times as much work: no machine is so noisy.
    check(made.verdict == "slower" and made.worse, made.table)
    check("Measure with processes=10" in made.table and "--" not in made.table, f"the advice is for Python: {made.table}")
    check([record["side"] for record in made.records] == ["little", "much"], "sides have the functions' names")
    check(all(len(record["raw_times"]) >= 10 for record in made.records), "each has its blocks")
    check(len(made.records[0]["raw_times"]) == len(made.records[1]["raw_times"]), "in turns")
    check(gc.isenabled() == collecting, "the collector is as it was")
    check(opbench.diff(folder / "kept.json").verdict == "slower", "the file is one of any diff")
    check("kept.json" in str(raised(opbench.diff, little, much, budget=0.01, records=folder / "kept.json")), "a file is not replaced")
    named = opbench.diff(lambda: 1, lambda: 2, little, names=["x", "y", "z"], budget=0.05)
    check([record["side"] for record in named.records] == ["x", "y", "z"] and len(named) == 2, "three sides")
    check(opbench.diff(much, little, budget=0.05, threshold=0.5).verdict == "faster", "options of verdicts")


def in_processes():
    made = opbench.diff(little, much, processes=3, budget=0.3)
    check(made.verdict == "slower", made.table)
    check([len(record["statistics"]["forward"]["process_samples"]) for record in made.records] == [3, 3], "three processes each")
    error = raised(opbench.diff, little, lambda: 0, processes=2)
    check(isinstance(error, opbench.InputError) and "def in a module" in error.fix, repr(error))
    # What is defined on standard input, as in a notebook, no other process can import.
    code = "import opbench\ndef f(): pass\ndef g(): pass\ntry:\n    opbench.diff(f, g, processes=2, budget=0.1)\nexcept opbench.Error as error:\n    print(error)\n"
    done = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True, check=False, timeout=120)
    check("def in a module" in done.stdout, f"it does not hang: {done}")


def mishaps():
    def fails():
        raise KeyError("mine")

    def leaves():
        sys.exit(3)

    def forks():
        if os.fork() == 0:
            return  # the child comes back; a loop of ours ends it with an exception
        os.wait()

    check(isinstance(raised(opbench.diff, little, fails, budget=0.01), KeyError), "its exception comes out")
    check(isinstance(raised(opbench.diff, little, leaves, budget=0.01), SystemExit), "sys.exit too")
    mine = os.getpid()
    error = raised(opbench.diff, little, forks, budget=0.01)
    if os.getpid() != mine:
        os._exit(0)
    check(isinstance(error, opbench.Error) and "forked" in str(error), repr(error))
    check("compares 2" in str(raised(opbench.diff, little)), "one function is no comparison")
    check("does not apply to functions" in str(raised(opbench.diff, little, much, backend="null")), "other options")
    check("budget" in str(raised(opbench.diff, little, much, budget=0)), "a budget is above 0")
    check("all different" in str(raised(opbench.diff, little, much, names=["a", "a"])), "names differ")


def main():
    with tempfile.TemporaryDirectory() as name:
        in_turns(pathlib.Path(name))
    in_processes()
    mishaps()
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
