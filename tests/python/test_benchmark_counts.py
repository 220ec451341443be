#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timer.collect_callgrind, and statements in C++ and C. Needs valgrind and compilers; says so where there are none.

usage: test_benchmark_counts.py [OPBENCH]
"""

import pathlib
import pickle
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import SKIPPED, check, exit_code  # noqa: E402

import opbench  # noqa: E402
import opbench.benchmark as benchmark  # noqa: E402
from opbench.benchmark.utils.valgrind_wrapper.timer_interface import wrapper_singleton  # noqa: E402


def raised(function, kind):
    try:
        function()
    except kind as error:
        return str(error)
    except Exception as error:
        check(False, f"{kind.__name__} is wanted, got {error!r}")
    check(False, f"{kind.__name__} is wanted")
    return ""


def check_python():
    timer = benchmark.Timer("y = x + k", setup="x = z", label="sum", globals={
        "k": benchmark.CopyIfCallgrind(5), "z": benchmark.CopyIfCallgrind(2, setup="import os")})
    check(timer.timeit(3).median > 0, "wrapped globals are what they wrap")
    stats = timer.collect_callgrind(number=100)
    check(isinstance(stats, benchmark.CallgrindStats) and stats.counts() > 0, f"counts: {stats}")
    check(stats.task_spec == timer._task_spec and stats.number_per_run == 100, "the task is the Timer's")
    check(stats.baseline_exclusive_stats.sum() > 0, "a baseline")
    check(stats.delta(stats).sum() == 0 and len(stats.delta(stats)) == 0, "no difference from itself")
    check(stats.as_standardized().counts() == stats.counts(), "standard names, the same counts")
    check(stats.stats(inclusive=True).inclusive and not stats.stats().inclusive, "both tables")
    again = pickle.loads(pickle.dumps(stats))
    check(repr(again).split("\n")[1:] == repr(stats).split("\n")[1:], "counts pickle")
    two = benchmark.Timer("pass").collect_callgrind(number=50, repeats=2, collect_baseline=False)
    check(isinstance(two, tuple) and len(two) == 2 and two[0].baseline_exclusive_stats.sum() == 0, f"repeats: {two}")
    check(wrapper_singleton()._bindings_module is None, "no bindings are compiled")


class Word(str):
    """Of the program itself: a pickle finds it in __main__."""


def check_globals():
    here = f"""
        import sys
        sys.path.append({str(pathlib.Path(__file__).resolve().parent)!r})
        from test_benchmark_counts import Word
    """
    timer = benchmark.Timer("y = word + socket", globals={  # socket: a name that the other process uses itself
        "word": benchmark.CopyIfCallgrind(Word("ab"), setup=here), "socket": benchmark.CopyIfCallgrind("c")})
    check(timer.collect_callgrind(number=10, collect_baseline=False).counts() > 0, "classes of the program are found by its setup")
    lost = benchmark.Timer("word", globals={"word": benchmark.CopyIfCallgrind(Word("ab"))})
    text = raised(lambda: lost.collect_callgrind(collect_baseline=False), OSError)
    check("AttributeError" in text and "attribute 'Word'" in text, text)  # CPython 3.14 words the rest differently
    fails = benchmark.Timer("k", setup="import sys\nassert sys.argv[0] != '-c'", globals={"k": benchmark.CopyIfCallgrind(1)})
    text = raised(lambda: fails.collect_callgrind(collect_baseline=False), OSError)
    check("setup:2: AssertionError" in text, f"lines are counted from the setup's own first: {text}")


def check_refusals():
    text = raised(lambda: benchmark.Timer("pass", globals={"x": 1}).collect_callgrind(), ValueError)
    check("`collect_callgrind` requires that globals be wrapped in `CopyIfCallgrind`" in text, text)
    text = raised(lambda: benchmark.CopyIfCallgrind([1]), ValueError)
    check("Unsupported type: <class 'list'>" in text and "  complex" in text, text)
    raised(lambda: benchmark.Timer("pass").collect_callgrind(repeats=0), ValueError)
    raised(lambda: benchmark.Timer("pass").collect_callgrind(number=0), ValueError)
    raised(lambda: benchmark.Timer(lambda: None).collect_callgrind(), ValueError)
    raised(lambda: benchmark.Timer("1 / 0").collect_callgrind(), ZeroDivisionError)
    text = raised(lambda: benchmark.Timer("x", setup="import sys\nx = sys.argv[0]\n"
                                          "assert sys.flags.interactive or not sys.argv[0].startswith('-c')").collect_callgrind(),
                  OSError)
    check("Failed to collect callgrind profile:" in text and "AssertionError" in text, f"fails in the other process: {text}")


def check_compiled():
    for language, setup in (("c++", "volatile int x = 0;"), (benchmark.Language.CPP, "volatile int x = 0;"),
                            ("c", "volatile int x = 0;")):
        timer = benchmark.Timer("x += ADDEND;", setup=setup, global_setup="#define ADDEND 1", language=language)
        m = timer.timeit(1000)
        check(m.median > 0 and m.task_spec.global_setup == "#define ADDEND 1", f"{language}: {m}")
    counts = timer.collect_callgrind(number=100)
    check(counts.counts() > 0 and counts.counts() == counts.counts(denoise=True), f"counts of C: {counts}")
    bad = benchmark.Timer("x +=;", language="c++")
    check("does not compile" in raised(bad.blocked_autorange, opbench.Error), "code that does not compile")
    raised(lambda: benchmark.Timer("x;", language="c++", globals={"x": 1}), ValueError)
    raised(lambda: benchmark.Timer("x;", language="c++", timer=lambda: 0), NotImplementedError)


def main():
    for program in ("valgrind", "cc", "c++"):
        if not shutil.which(program):
            print(f"skipped: no {program}")
            return SKIPPED
    for each in (check_refusals, check_python, check_globals, check_compiled):
        each()
        print(each.__name__, flush=True)
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
