#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The loops that time Python code: what is called how often, and code that raises, forks, exits, leaves the loop or changes it.

usage: test_timer_loops.py [OPBENCH]
"""

import ast
import gc
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, exit_code  # noqa: E402

import opbench  # noqa: E402
import opbench.benchmark as benchmark  # noqa: E402

BRIEF = bool(os.environ.get("OPBENCH_TEST_BRIEF"))
MANY = 100_000 if BRIEF else 1_000_000


def raised(function, kind):
    try:
        function()
    except kind as error:
        return error
    except BaseException as error:
        check(False, f"{kind.__name__} is wanted, got {error!r}")
        return None
    check(False, f"{kind.__name__} is wanted")
    return None


# ---- what is called ----


class Counter:
    def __init__(self):
        self.runs = self.setups = 0

    def run(self):
        self.runs += 1

    def setup(self):
        self.setups += 1


def check_calls():
    counter = Counter()
    m = benchmark.Timer(counter.run, setup=counter.setup).timeit(500)
    check((counter.runs, counter.setups) == (505, 2), f"a callable: {counter.runs} runs, {counter.setups} setups")
    check(m.number_per_run == 500 and len(m.raw_times) == 1 and m.stmt == "Counter.run()", f"a callable's measurement: {m}")
    counter = Counter()
    benchmark.Timer("c.run()", setup="c.setup()", globals={"c": counter}).timeit(500)
    check((counter.runs, counter.setups) == (505, 2), f"a statement: {counter.runs} runs, {counter.setups} setups")
    counter = Counter()
    benchmark.Timer("c.run()", setup=counter.setup, globals={"c": counter}).timeit(4)
    check((counter.runs, counter.setups) == (6, 2), "a statement with a callable as its setup")
    benchmark.Timer(counter.run, setup="c.setup()", globals={"c": counter}).timeit(4)
    check((counter.runs, counter.setups) == (12, 4), "a callable with a text as its setup")
    values = {"x": 1}
    benchmark.Timer("y = x; x = y", setup="x = 5", globals=values).timeit(3)
    check(values == {"x": 1}, "the caller's globals stay as they are")
    check(benchmark.Timer(time.sleep.__class__).timeit.__name__ == "timeit", "builtin types are callables")


def check_clocks():
    """A clock of the caller's is read twice per block, and nothing else."""
    readings = []

    def clock():
        readings.append(len(readings) * 0.5)
        return readings[-1]

    for stmt in ("pass", lambda: None):
        readings.clear()
        m = benchmark.Timer(stmt, timer=clock).timeit(7)
        check(len(readings) == 4 and m.raw_times == [0.5], f"readings of a clock: {readings}, {m.raw_times}")
    readings.clear()
    m = benchmark.Timer("pass", timer=clock).blocked_autorange(min_run_time=0.4)
    # Five empty blocks, one to estimate the size, one that counts.
    check(len(readings) == 14 and m.number_per_run == 1 and m.raw_times == [0.5], f"autorange by a clock: {len(readings)}")
    check(type(raised(lambda: benchmark.Timer("pass", timer=lambda: "x").timeit(1), TypeError)) is TypeError, "a bad clock")


class Replaced:
    """In the place of timeit.Timer: keeps what it was made with and how often it was asked; a run takes a microsecond."""

    made = []

    def __init__(self, stmt, setup, timer, globals):
        self.made.append((stmt, setup, timer, globals))
        self.asked = []

    def timeit(self, number):
        self.asked.append(number)
        return number * 1e-6


def check_replaced():
    class OwnTimer(benchmark.Timer):
        _timer_cls = Replaced

    clock, names = (lambda: 0.0), {"x": benchmark.CopyIfCallgrind(3), "y": [1]}
    timer = OwnTimer("""
        f(x)
        g()
    """, setup="    h()\n", timer=clock, globals=names, label="l", num_threads=3)
    check(Replaced.made == [("f(x)\ng()", "h()", clock, {"x": 3, "y": [1]})], f"what it is made with: {Replaced.made}")
    check(Replaced.made[0][3]["y"] is names["y"] and names["x"].value == 3, "globals are the caller's, in a dict of their own")
    m = timer.timeit(200)
    check(timer._timer.asked == [2, 200] and (m.number_per_run, m.raw_times) == (200, [200 * 1e-6]), f"timeit: {timer._timer.asked}")
    check(m.num_threads == 3 and m.title == "l", "the rest is the Timer's")
    OwnTimer("f()")
    check(Replaced.made[-1][2] is benchmark.timer and Replaced.made[-1][1] == "pass", "without a clock it gets the usual one")
    timer = OwnTimer("f()")
    timer.blocked_autorange(min_run_time=0.01)
    check(timer._timer.asked[:8] == [0] * 5 + [1, 10, 100] and set(timer._timer.asked[8:]) == {100}, f"blocks: {timer._timer.asked}")
    own = benchmark.Timer("pass", timer=clock)
    own._timer = Replaced("", "", None, None)
    check(own.timeit(100).raw_times == [100 * 1e-6], "an object in the place of the loop")
    error = raised(lambda: OwnTimer("x;", language="c++"), AssertionError)
    check("_timer_cls" in str(error), f"a loop of one's own times no C++: {error}")
    wide = benchmark.FunctionCounts(tuple(benchmark.FunctionCount(n, f"{n}:" + "f" * 300) for n in range(30)), False, _linewidth=60)
    check(max(map(len, repr(wide).splitlines()[1:])) <= 60, "lines are as wide as they are told to be")


def check_devices():
    """A GPU of torch's is waited for before each reading of the clock; with a stand-in for torch, in a process without it."""
    waits, before = [], sys.modules.get("torch")
    device = types.SimpleNamespace(is_available=lambda: True, synchronize=lambda: waits.append(1))
    for name in ("cuda", "accelerator"):
        sys.modules["torch"] = types.SimpleNamespace(**{name: device}, get_num_threads=lambda: 1, set_num_threads=lambda n: None)
        try:
            waits.clear()
            for stmt in ("pass", lambda: None):
                benchmark.Timer(stmt).timeit(3)
            check(len(waits) == 8, f"{name}: two readings per block, two blocks, twice: {len(waits)}")
            benchmark.timer()
            check(len(waits) == 9, f"{name}: the clock itself")
            raised(lambda: benchmark.Timer("x;", language="c++"), NotImplementedError)
        finally:
            del sys.modules["torch"]
            if before is not None:
                sys.modules["torch"] = before


def check_collector():
    states = []
    for stmt in ("states.append(gc.isenabled())", lambda: states.append(gc.isenabled())):
        for enabled in (True, False):
            (gc.enable if enabled else gc.disable)()
            benchmark.Timer(stmt, globals={"gc": gc, "states": states}).timeit(2)
            check(gc.isenabled() == enabled, f"the collector is as it was: {enabled}")
            raised(benchmark.Timer("1 / 0").timeit, ZeroDivisionError)
            check(gc.isenabled() == enabled, f"the collector is as it was after an error: {enabled}")
    gc.enable()
    check(len(states) == 16 and not any(states), "the collector is off in a block")


# ---- code that does not behave ----


def check_exceptions():
    for bad, kind in (("1 / 0", ZeroDivisionError), ("raise SystemExit(3)", SystemExit), ("nothing_here", NameError),
                      ("raise KeyboardInterrupt", KeyboardInterrupt), ("raise StopIteration", StopIteration)):
        raised(benchmark.Timer(bad).timeit, kind)
        raised(benchmark.Timer(bad).blocked_autorange, kind)
        code = compile(bad, "bad", "exec")
        raised(benchmark.Timer(lambda: exec(code)).timeit, kind)
    raised(benchmark.Timer("pass", setup="1 / 0").adaptive_autorange, ZeroDivisionError)
    raised(lambda: benchmark.Timer("pass").blocked_autorange(callback=lambda n, t: 1 / 0), ZeroDivisionError)
    check(raised(lambda: benchmark.Timer("x = ("), SyntaxError).filename == "<stmt>", "a statement that is none")
    raised(lambda: benchmark.Timer("yield 1"), SyntaxError)
    raised(lambda: benchmark.Timer(7), ValueError)
    raised(lambda: benchmark.Timer("pass", language="fortran"), ValueError)
    raised(lambda: benchmark.Timer("pass", global_setup="int x;"), ValueError)
    raised(lambda: benchmark.Timer("pass").timeit(0), opbench.InputError)
    raised(benchmark.Timer("pass").repeat, NotImplementedError)
    for stmt in ("break", "return", "if x == 3: break\nx += 1"):
        error = raised(benchmark.Timer(stmt, setup="x = 0").timeit, opbench.InputError)
        check("leaves the loop" in str(error), f"{stmt!r} leaves the loop: {error}")
    check(benchmark.Timer("for i in range(3):\n    if i: break").timeit(3).median > 0, "a loop of its own may be left")
    check(benchmark.Timer("continue").timeit(3).median > 0, "continue stays in the loop")


def check_changes():
    """Code that changes what is being measured: what was begun is measured to its end."""
    timer = benchmark.Timer("change()", globals={"change": lambda: None})
    timer._timer.__init__("change()", "pass", None, {"change": lambda: timer._timer.__init__("pass", "pass", None, {})})
    check(timer.timeit(5).median > 0, "a statement that replaces its loop")
    holder = []

    class Vanishing:
        def __call__(self):
            holder[0].__init__(len, None, None)
            gc.collect()

    import opbench._core as core

    holder.append(core.Loop(Vanishing()))
    check(holder[0].timeit(1) > 0, "a callable that removes itself")
    raised(lambda: holder[0].timeit(1), TypeError)  # it is len() without an argument now
    inner = benchmark.Timer(lambda: benchmark.Timer("pass").timeit(2))
    check(inner.timeit(2).median > 0, "a Timer inside a Timer")
    loop = core.Loop.__new__(core.Loop)
    raised(loop.timeit, RuntimeError)
    raised(lambda: core.Loop(3), TypeError)
    raised(lambda: core.Loop(len).timeit("x"), TypeError)
    raised(lambda: core.Loop(len).timeit(1, 2), TypeError)
    raised(lambda: core.Loop(len).timeit(numbers=2), TypeError)
    raised(lambda: core.Loop(len).timeit(2**70), OverflowError)


def any_value(draw, depth=0):
    """Something that an argument may be, or not."""
    task = ("s", "p", "", None, None, "d", None, 1)
    kinds = [
        None, True, object(), {}, b"abc", task, task[1:], lambda *args: 0.5, range(3), "none", "rowwise", "text", "csv",
        draw.choice((0, 1, -1, 2**31, 2**63 - 1, 2**64, -(2**63), 10**30)),
        draw.choice((0.0, 1e-300, float("nan"), float("inf"), -1.5, 1e308)),
        draw.choice(("", "x", "a\nb", "\udcff", "é" * 300, "\0x")),
        [draw.random() for _ in range(draw.randrange(6))],
        [(draw.randrange(-9, 9), f"f{draw.randrange(4)}") for _ in range(draw.randrange(25))],
        [(1, [1e-6, 2e-6], task)] * draw.randrange(3),
    ]
    if depth < 3 and draw.random() < 0.2:
        return draw.choice((list, tuple))(any_value(draw, depth + 1) for _ in range(draw.randrange(4)))
    return draw.choice(kinds)


def check_arguments():
    """Whatever the extension is given, it answers or raises."""
    import opbench._core as core

    draw = random.Random(1)
    left_out = {"Error", "InputError", "version", "timeit", "blocked_autorange", "adaptive_autorange", "set_threads"}
    names = [name for name in dir(core) if not name.startswith("_") and name not in left_out]
    answered = 0
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # some of them write files
        for _ in range(20_000):
            try:
                getattr(core, draw.choice(names))(*(any_value(draw) for _ in range(draw.randrange(1, 6))))
                answered += 1
            except Exception:
                pass
        os.chdir(before)
    check(answered > 50, f"{answered} calls were answered")


FORKS = """
import os, sys, opbench, opbench.benchmark as benchmark
first = os.getpid()
code = {code}
try:
    benchmark.Timer(code, globals={{"os": os}}).timeit(2000)
    print("measured", os.getpid() == first, flush=True)
except opbench.Error as error:
    if os.getpid() != first:
        os._exit(0 if "returned in the child" in str(error) else 1)
    print("raised", "a child returned" in str(error), flush=True)
"""


def check_forks():
    for code in ('"os.fork()"', "os.fork"):
        got = subprocess.run([sys.executable, "-c", FORKS.format(code=code)], capture_output=True, text=True, timeout=300)
        # The parent learns of it at once, or has done its runs before.
        check(got.stdout in ("raised True\n", "measured True\n") and got.returncode == 0, f"forks of {code}: {got}")
    ends = '"os.fork() or os._exit(0)"'
    got = subprocess.run([sys.executable, "-c", FORKS.format(code=ends).replace("2000", "20")], capture_output=True, text=True,
                         timeout=300)
    check(got.stdout == "measured True\n", f"children that end inside the code are fine: {got}")


def check_interrupts():
    """ctrl-c ends Python code, C code and waiting alike."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
    for stmt in ("pass", lambda: None, list, "time.sleep(0.01)"):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        raised(lambda stmt=stmt: benchmark.Timer(stmt, globals={"time": time}).blocked_autorange(min_run_time=600),
               KeyboardInterrupt)


# ---- leaks ----


def check_leaks():
    def work():
        pass

    loop = benchmark.Timer(work)._timer
    statement = benchmark.Timer("work()", globals={"work": work})._timer
    failing = benchmark.Timer("1 / 0")._timer

    def fail():
        try:
            failing.timeit(1)
        except ZeroDivisionError:
            pass

    m = benchmark.Measurement(1, [1e-6, 2e-6, 3e-6, 4e-6], benchmark.TaskSpec("x", "pass", label="a", description="d"))
    counts = benchmark.FunctionCounts((benchmark.FunctionCount(3, "a:f"), benchmark.FunctionCount(2, "b:g")), False)
    compare = benchmark.Compare([m])
    jobs = [(lambda: loop.timeit(100), MANY // 100), (lambda: statement.timeit(100), MANY // 100), (fail, MANY // 100),
            (lambda: loop.timeit(1), MANY // 10), (lambda: repr(m), MANY // 100), (lambda: str(compare), max(MANY // 200, 500)),
            (lambda: counts + counts - counts, max(MANY // 200, 500)), (lambda: repr(counts), max(MANY // 200, 500)),
            (lambda: pickle.loads(pickle.dumps(m)), max(MANY // 200, 500)), (lambda: benchmark.Timer("pass"), max(MANY // 1000, 500))]
    for index, (job, times) in enumerate(jobs):
        for _ in range(times // 2):  # until caches are as full as they get
            job()
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(times):
            job()
        gc.collect()
        grown = sys.getallocatedblocks() - before
        # Caches go on growing for a while, ever slower; a leak is a block each time.
        check(grown < max(120, times // 10), f"job {index} leaves {grown} blocks behind after {times} times")
    tracemalloc.start()
    for job, times in jobs[:4]:
        for _ in range(times // 10):
            job()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    check(grown < 20_000, f"traced memory grows by {grown} bytes")


# ---- the package ----


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)


def check_package():
    got = run_python("import sys, opbench\nprint(*[m for m in ('torch', 'numpy', 'dataclasses', 'inspect', 'subprocess', "
                     "'opbench.benchmark') if m in sys.modules])")
    check(got.stdout == "\n", f"import opbench imports little: {got}")
    got = run_python("import sys, opbench.benchmark\nprint(*[m for m in ('torch', 'numpy') if m in sys.modules])")
    check(got.stdout == "\n", f"import opbench.benchmark imports no torch: {got}")
    check(raised(lambda: opbench.nothing, AttributeError) is not None, "a name that is not there")
    check({"benchmark", "Error"} <= set(dir(opbench)), "dir(opbench)")
    got = subprocess.run([sys.executable, "-m", "opbench", "--version"], capture_output=True, text=True, timeout=300)
    check(got.stdout == f"opbench {opbench.__version__}\n", f"python -m opbench is the program: {got}")
    got = subprocess.run([sys.executable, "-m", "opbench", "--version"], capture_output=True, text=True, timeout=300,
                         env={**os.environ, "OPBENCH_PROGRAM": "/nowhere/opbench"})
    check(got.returncode == 2 and "/nowhere/opbench" in got.stderr, f"a program that is not there: {got}")


def names_of(stub):
    """What a stub says that its module has."""
    body = ast.parse(stub.read_text(encoding="utf-8")).body
    names = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    names |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    return names | {alias.asname for node in body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}


def check_stubs():
    import opbench._core as core

    folder = pathlib.Path(core.__file__).parent
    public = {name for name in dir(core) if not name.startswith("__")}
    check(names_of(folder / "_core.pyi") == public, f"_core.pyi: {names_of(folder / '_core.pyi') ^ public}")
    check(names_of(folder / "__init__.pyi") >= set(opbench.__all__), f"__init__.pyi: {set(opbench.__all__)}")
    check((folder / "py.typed").exists(), "py.typed")
    for name in sorted(public):
        check(getattr(core, name).__doc__, f"{name} says what it is")


def check_errors():
    check(issubclass(opbench.InputError, ValueError) and issubclass(opbench.InputError, opbench.Error), "kinds of errors")
    check(opbench.Error("x").line is None and opbench.Error("x").fix is None, "an error that says nothing")
    error = raised(lambda: benchmark.Timer("pass").timeit(-1), opbench.InputError)
    check((error.code, error.file, error.line) == ("OB_ERR_INVALID", None, None), f"an error of the library: {vars(error)}")
    error = raised(lambda: benchmark.Timer("pass", num_threads=0).timeit(1), opbench.InputError)
    check(error.fix == "give 1 or more", f"a fix: {error}, {error.fix!r}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "evil.pkl")
        path.write_bytes(b"cposix\nsystem\n(S'false'\ntR.")
        error = raised(lambda: benchmark.load_measurements(path), opbench.InputError)
        check(error.file == str(path) and "posix.system" in str(error), f"a pickle that runs things: {error}")
        path.write_bytes(b"no pickle")
        raised(lambda: benchmark.load_measurements(path), opbench.InputError)
        path.write_bytes(pickle.dumps([1, 2]))
        raised(lambda: benchmark.load_measurements(path), opbench.InputError)
        m = benchmark.Timer("pass").timeit(1)
        m.metadata = {"a": [1, None]}
        path.write_bytes(pickle.dumps(m) + pickle.dumps([m, m]))
        check(benchmark.load_measurements(path) == [m, m, m], "measurements of a file")
        with open(path, "rb") as file:
            check(len(benchmark.load_measurements(file)) == 3, "measurements of an open file")


def main():
    checks = [check_calls, check_clocks, check_replaced, check_devices, check_collector, check_exceptions, check_changes, check_arguments, check_interrupts, check_leaks,
              check_package, check_stubs, check_errors, check_forks]
    for each in checks:
        each()
        print(each.__name__, flush=True)
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
