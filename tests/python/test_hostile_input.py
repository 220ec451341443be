#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the package is given may mean harm: sequences that lie about their length, pickles, files of results, a Timer in several
threads. Each is an exception or an answer; nothing of a file is run, and nothing of this process is changed.

usage: test_hostile_input.py [OPBENCH]
"""

import io
import json
import os
import pathlib
import pickle
import shutil
import struct
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, exit_code  # noqa: E402

import opbench  # noqa: E402
import opbench.benchmark as benchmark  # noqa: E402

TASK = benchmark.TaskSpec("x", "pass", label="l", num_threads=2)


def outcome(function, *args):
    """What a call raises; None if it answers."""
    try:
        function(*args)
    except Exception as error:
        return error
    return None


# ---- sequences ----


class Liar:
    """Of one element, whatever its length."""

    def __init__(self, length, item):
        self.length, self.item = length, item

    def __len__(self):
        return self.length

    def __iter__(self):
        return iter([self.item])

    def __getitem__(self, index):
        return self.item


class Emptier:
    """A number that empties the list it stands in."""

    def __float__(self):
        self.list.clear()
        return 1.0


def sequences():
    counts = benchmark.FunctionCounts(Liar(10, (1, "a:f")), False)
    check("1  a:f" in repr(counts), "rows are counted, not believed")
    for length in (2**61, 2**62, 2**63 - 1):
        outcome(repr, benchmark.FunctionCounts(Liar(length, (1, "a")), False))
        outcome(repr, benchmark.Measurement(1, Liar(length, 1.0), TASK))
        outcome(opbench._core.statistics, Liar(length, 1.0))
    check(isinstance(outcome(repr, benchmark.FunctionCounts(([1, "a"],), False)), TypeError), "a row is a tuple")
    times = [Emptier() for _ in range(3)]
    for each in times:
        each.list = times
    check(outcome(opbench._core.statistics, times) is None and not times, "a list that is emptied meanwhile")
    error = outcome(repr, benchmark.Measurement(1, [1.0], benchmark.TaskSpec("x", "pass", label=5)))
    check(isinstance(error, TypeError) and "5" in str(error), f"a label that is no text: {error!r}")


# ---- pickles ----


class Reduced:
    """Pickles as a call of whatever it is given."""

    def __init__(self, *what):
        self.what = what

    def __reduce__(self):
        return self.what


def measured(metadata):
    return pickle.dumps(benchmark.Measurement(1, [1.0], TASK, metadata))


def refused(blob, what):
    error = outcome(benchmark.load_measurements, io.BytesIO(blob))
    check(isinstance(error, opbench.InputError) and error.fix, f"{what}: {error!r}")


def pickles():
    for callee, args in ((list, (range(10**12),)), (set, (range(10**12),)), (bytearray, (10**12,)), (eval, ("1",)),
                         (os.getpid, ())):
        refused(measured({"o": Reduced(callee, args)}), f"{callee.__name__}{args}")
    refused(b"\x80\x04" + b"]" * 100_000 + b"a" * 99_999 + b".", "very deep lists")
    refused(b"\x80\x02]q\x00h\x00a.", "a list in itself")
    task = b"copbench.benchmark.utils.common\nTaskSpec\n"
    refused(b"\x80\x02" + task + b"N}X\x05\x00\x00\x00titleK\x01s\x86b.", "one that sets attributes of a class")
    check(TASK.title == "l", "the class is as it was")
    for name in (b"Measurement", b"TaskSpec"):
        refused(b"\x80\x02copbench.benchmark.utils.common\n" + name + b"\n)\x81}b.", f"an empty {name}")
    whole = vars(benchmark.Measurement(1, [1.0], TASK)) | {"task_spec": TASK}
    for name, value in (("raw_times", "abc"), ("raw_times", [None]), ("number_per_run", 1.5), ("task_spec", 3), ("task_spec", None)):
        made = benchmark.Measurement.__new__(benchmark.Measurement)
        made.__dict__.update({**whole, name: value})
        refused(pickle.dumps(made), f"{name} is {value!r}")
    for protocol in range(2, 6):
        plain = {"a": [1, None, {2}, frozenset([3])], "b": b"", "c": bytearray(b"\xff"), "d": 1j, "e": slice(1, 2), "n": 10**50}
        made = benchmark.Measurement(10, [1.5, 2.0], TASK, plain)
        check(benchmark.load_measurements(io.BytesIO(pickle.dumps(made, protocol))) == [made], f"plain values, protocol {protocol}")


def arrays():
    import numpy

    reconstruct, args, _ = numpy.zeros(1).__reduce__()
    dtype = Reduced(numpy.dtype, ("O8", False, True), (3, "|", None, None, None, -1, -1, 0))
    pointers = Reduced(reconstruct, args, (1, (1,), dtype, False, struct.pack("<Q", 0x4141414141414141)))
    refused(measured({"o": pointers}), "an array of objects whose pointers are in the file")
    large = Reduced(reconstruct, args, (1, (2**40,), numpy.dtype("f8"), False, b"12345678"))
    refused(measured({"o": large}), "an array with a shape of its own")
    given = {"c": numpy.arange(6).reshape(2, 3), "f": numpy.asfortranarray(numpy.ones((2, 3), ">f4")), "e": numpy.zeros((0, 3)),
             "s": numpy.float32(2.5), "l": [(numpy.array([True]),)]}
    for protocol in range(2, 6):
        made = benchmark.Measurement(1, [numpy.float64(1)], TASK, given)
        got = benchmark.load_measurements(io.BytesIO(pickle.dumps(made, protocol)))[0].metadata
        same = all(type(got[name]) is type(given[name]) and numpy.array_equal(got[name], given[name]) for name in "cfes")
        check(same and got["l"][0][0].tolist() == [True] and got["f"].dtype == ">f4", f"arrays, protocol {protocol}: {got}")


# ---- files of results ----

HEADER = {"run_options": {"cmd_args": {}}, "cases": 1}
RECORD = {"op_name": "torch.add", "id": "0", "metric": {"forward": {"measure.time": [1, 2, 3]}}, "status": "ok"}


def results(folder):
    def write(text):
        path = folder / "r.json"
        path.write_text(text, encoding="utf-8")
        return path

    for text in ("", "5\n", "[" * 100_000, '{"a":' + "9" * 10_000 + "}\n"):
        error = outcome(opbench.load, write(text))
        check(isinstance(error, opbench.InputError) and error.line == 1, f"{text[:20]!r}: {error!r}")
    views = (repr, str, len, lambda r: r.to_csv(), lambda r: r.ok, lambda r: r.header, lambda r: r.plot(), lambda r: r._repr_html_(),
             lambda r: opbench._core.result_rows(r.paths, "call,median"))
    for change in ({"status": [1], "backend": {"a": 1}, "side": [2], "mode": "blocked"}, {"op_name": [1]}, {"status": "\x1b[31m"},
                   {"metric": {"forward": {"measure.time": [-1, 1e308, 1e308]}}}, {"metric": 7}, {"id": {}, "call": 3}):
        loaded = opbench.load(write(json.dumps(HEADER) + "\n" + json.dumps({**RECORD, **change}) + "\n"))
        for view in views:
            error = outcome(view, loaded)
            check(error is None or isinstance(error, opbench.Error), f"{change}: {error!r}")
            check("\x1b" not in str(error), f"no commands of terminals: {error!r}")
        check("\x1b" not in repr(loaded), repr(loaded))
    os.mkfifo(folder / "fifo")
    for path in (folder / "fifo", "/dev/zero", folder, b"x.json", 0, [0], None, "a\0b"):
        error = outcome(opbench.load, path)
        check(isinstance(error, opbench.InputError), f"{path!r}: {error!r}")
    check(sys.stdin is None or not sys.stdin.closed, "a number is no file that is open")


# ---- threads ----


def threads():
    if not shutil.which("cc"):
        print("skipped: no cc")
        return
    timer = benchmark.Timer("x += 1;", setup="volatile int x = 0;", language="c")
    timer.timeit(10)
    errors = []

    def work():
        for _ in range(10):
            errors.append(outcome(timer.timeit, 1_000_000))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    check(all(error is None or "another thread" in str(error) for error in errors), f"one Timer in four threads: {set(map(repr, errors))}")
    check(timer.timeit(10).median > 0, "and it measures afterwards")


def main():
    sequences()
    pickles()
    try:
        arrays()
    except ModuleNotFoundError:
        print("skipped: arrays: this Python has no numpy")
    with tempfile.TemporaryDirectory() as name:
        results(pathlib.Path(name))
    threads()
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
