#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opbench.benchmark beside torch.utils.benchmark itself: the same calls give the same measurements, texts, tables and draws,
and what one made is taken by the other. Needs a Python with torch and numpy; says so where there is none.

usage: test_benchmark_torch.py [OPBENCH]
"""

import io
import itertools
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import SKIPPED, check, exit_code  # noqa: E402

import opbench.benchmark as ours  # noqa: E402

try:
    import numpy as np
    import torch
    import torch.utils.benchmark as theirs
except ImportError as error:
    print(f"skipped: no torch in {sys.executable}: {error}")
    sys.exit(SKIPPED)


def text_of(value):
    return re.sub(r"object at 0x[0-9a-fA-F]+>", "object at 0x>", value if isinstance(value, str) else repr(value))


def equal(where, got, want):
    check(got == want, f"{where}: got\n{got!r}\nwant\n{want!r}")


# ---- the Timer, with a loop that draws its times ----


class Drawn:
    """Stands for timeit.Timer: blocks of a known cost with noise. What it draws depends on how often it is asked."""

    seed = 0
    reading = 100e-9
    costs = {"pass": 8e-9, "small()": 4e-6, "large()": 20e-6, "with torch.no_grad():\n    y = x + 1": 10e-6}

    def __init__(self, stmt, setup, timer, globals):
        self.state = np.random.RandomState(self.seed)
        self.cost = self.costs[stmt]

    def draw(self, mean):
        return max(self.state.normal(mean, mean * 0.05), 5e-9)

    def timeit(self, number):
        return sum((self.draw(self.reading), self.draw(self.cost * number), self.draw(self.reading)))


def drawn_timer(module, seed, reading):
    loop = type("Loop", (Drawn,), {"seed": seed, "reading": reading})
    return type("DrawnTimer", (module.Timer,), {"_timer_cls": loop})


TASKS = [
    {},
    {"label": "a label"},
    {"label": "", "sub_label": "a sub-label"},
    {"sub_label": "a sub-label", "description": "several\nlines", "num_threads": 3},
    {"setup": "\n    x = 1\n    y = 2\n", "description": "d", "env": "e"},
    {"setup": "x = 1", "label": "Größe", "sub_label": "μ"},
]


def check_drawn():
    for stmt, reading, (seed, task) in itertools.product(Drawn.costs, (100e-9, 10e-6), enumerate(TASKS)):
        stmt = "\n" + textwrap.indent(stmt, "        ") + "\n" if seed % 2 else stmt
        pair = []
        for module in (ours, theirs):
            make = drawn_timer(module, seed, reading)
            told = []
            pair.append((make(stmt, **task).blocked_autorange(lambda *args: told.append(args), min_run_time=1), told,
                         make(stmt, **task).adaptive_autorange(), make(stmt, **task).adaptive_autorange(0.03, max_run_time=0.2),
                         make(stmt, **task).timeit(500)))
        for got, want in zip(*pair):
            where = f"{stmt!r} {reading} {task}"
            if isinstance(want, list):
                equal(where, got, want)
                continue
            equal(where, text_of(got), text_of(want))
            for name in ("number_per_run", "raw_times", "times", "median", "iqr", "has_warnings", "significant_figures", "title",
                         "as_row_name", "label", "sub_label", "stmt", "setup", "env", "num_threads", "description"):
                equal(f"{where}: {name}", getattr(got, name), getattr(want, name))
            check(abs(got.mean - want.mean) <= 1e-12 * want.mean, f"{where}: mean")
            equal(f"{where}: summary", got.task_spec.summarize(), want.task_spec.summarize())
            equal(f"{where}: setup", got.task_spec.setup_str(), want.task_spec.setup_str())


# ---- tables ----


def random_measurements(module, draw):
    """A list of the given class, the same for both."""
    made = []
    for _ in range(draw.randint(1, 12)):
        median = 10 ** draw.uniform(-6, 1)  # not below 1 ns, where units differ
        times = [max(draw.gauss(median, median * draw.choice((0.01, 0.1, 0.4))), median / 50) for _ in range(draw.randint(1, 9))]
        spec = module.TaskSpec(
            stmt=draw.choice(("f(x)", "g(x)")), setup="pass", label=draw.choice((None, "", "one", "two")),
            sub_label=draw.choice((None, "left", "right")), description=draw.choice(("a", "bb", "column")),
            env=draw.choice(("", "main", "branch")) if draw.random() < 0.3 else "main", num_threads=draw.choice((1, 1, 4)))
        made.append(module.Measurement(draw.choice((1, 10)), times, spec))
    return made


def styled(module, measurements, style):
    compare = module.Compare(measurements)
    if style & 1:
        compare.trim_significant_figures()
    if style & 2:
        compare.colorize(rowwise=bool(style & 4))
    if style & 8:
        compare.highlight_warnings()
    return str(compare)


def shares_a_cell(measurements):
    tasks = {m.task_spec for m in measurements}
    return len({(t.label, t.num_threads, t.env, t.sub_label or t.stmt, t.description) for t in tasks}) < len(tasks)


def check_tables():
    compared = 0
    for seed in range(400):
        mine, its = (random_measurements(module, random.Random(seed)) for module in (ours, theirs))
        if shares_a_cell(its):
            continue
        compared += 1
        style = seed % 16
        want = styled(theirs, its, style)
        equal(f"table {seed}", styled(ours, mine, style), want)
        equal(f"table {seed} of the original's measurements", styled(ours, its, style), want)
        equal(f"table {seed} of ours by the original", styled(theirs, mine, style), want)
        equal(f"merge {seed}", [m.raw_times for m in ours.Measurement.merge(its)],
              [m.raw_times for m in theirs.Measurement.merge(mine)])
    check(compared > 50, f"{compared} tables were compared")


# ---- from one to the other ----

WITHOUT_TORCH = """
import sys, pickle
sys.modules["torch"] = None
import opbench.benchmark as b
m, = b.load_measurements(sys.argv[1])
print(repr(m).split(chr(10), 1)[1], m.metadata, type(m).__module__)
"""


def check_crossing():
    mine = ours.Timer("x + 1", setup="x = 1", label="l", description="d").timeit(100)
    mine.metadata = {"k": 1}
    its = mine.to_torch()
    check(type(its) is theirs.Measurement and type(its.task_spec) is theirs.TaskSpec, "to_torch gives the original's classes")
    equal("to_torch: text", text_of(its), text_of(mine))
    equal("from_torch", ours.Measurement.from_torch(its), mine)
    check(mine == its and its.task_spec == mine.task_spec and hash(its.task_spec) == hash(mine.task_spec), "both are equal")
    check(isinstance(mine, theirs.Measurement) and isinstance(mine, ours.Measurement), "ours passes for the original's")
    check(not isinstance(its, ours.Measurement), "the original's stays what it is")
    for module, m in ((ours, mine), (theirs, its)):
        again = pickle.loads(pickle.dumps(m))
        check(type(again) is module.Measurement and again == m and text_of(again) == text_of(m), f"{module.__name__}: pickles")
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            equal(f"{module.__name__}: protocol {protocol}", pickle.loads(pickle.dumps(m, protocol)), m)
    equal("load_measurements", ours.load_measurements(io.BytesIO(pickle.dumps(its) + pickle.dumps(mine))), [mine, mine])
    equal("__getstate__", sorted(mine.__getstate__()), sorted(its.__dict__))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "theirs.pkl")
        with open(path, "wb") as file:
            pickle.dump(its, file)
        got = subprocess.run([sys.executable, "-c", WITHOUT_TORCH, path], capture_output=True, text=True, timeout=300)
        equal("a pickle of the original without torch", (got.stdout, got.stderr),
              (f"{text_of(mine).split(chr(10), 1)[1]} {{'k': 1}} opbench.benchmark.utils.common\n", ""))
    try:
        theirs.Compare([3])
        check(False, "the original refuses numbers")
    except ValueError as error:
        want = str(error)
    try:
        ours.Compare([3])
        check(False, "ours refuses numbers")
    except ValueError as error:
        equal("what Compare refuses", str(error), want)


# ---- helpers ----


def check_helpers():
    draw = random.Random(1)
    for _ in range(500):
        t = 10 ** draw.uniform(-8.99, 4)
        equal(f"select_unit({t})", ours.select_unit(t), theirs.select_unit(t))
        x, n = draw.choice((-1, 1)) * 10 ** draw.uniform(-6, 6), draw.randint(1, 6)
        equal(f"trim_sigfig({x}, {n})", ours.trim_sigfig(x, n), theirs.trim_sigfig(x, n))
    equal("ordered_unique", ours.ordered_unique("abcab"), theirs.ordered_unique("abcab"))
    equal("names", sorted(set(theirs.__all__ if hasattr(theirs, "__all__") else ()) - set(ours.__all__)), [])
    for name in ("Timer", "timer", "Language", "TaskSpec", "Measurement", "select_unit", "unit_to_english", "trim_sigfig",
                 "ordered_unique", "set_torch_threads", "Colorize", "Compare", "Fuzzer", "FuzzedParameter", "ParameterAlias",
                 "FuzzedTensor", "FunctionCount", "FunctionCounts", "CallgrindStats", "CopyIfCallgrind", "FuzzedSparseTensor"):
        check(hasattr(ours, name) and hasattr(theirs, name), f"both have {name}")
    before = torch.get_num_threads()
    with ours.set_torch_threads(before + 1):
        equal("threads inside", torch.get_num_threads(), before + 1)
    equal("threads after", torch.get_num_threads(), before)
    threads = []
    ours.Timer(lambda: threads.append(torch.get_num_threads()), num_threads=before + 2).timeit(1)
    check(set(threads) == {before + 2}, f"threads of a Timer: {threads}")
    equal("torch is there", ours.Timer("torch.ones(())").timeit(2).number_per_run, 2)
    x = torch.ones(3)
    x_before = x
    ours.Timer("x += 1", setup="x = x0", globals={"x0": x}).timeit(5)
    check(x is x_before and x[0] == 8, "globals are shared: 5 runs, and 2 to warm up")


# ---- fuzzers ----


def same_draws(where, mine, its, count):
    for (t0, p0, v0), (t1, p1, v1) in zip(mine.take(count), its.take(count), strict=True):
        equal(f"{where}: parameters", v0, v1)
        for name in t1:
            check(t0[name].dtype == t1[name].dtype and t0[name].size() == t1[name].size(), f"{where}: {name}")
            if not t1[name].is_sparse:
                equal(f"{where}: strides", t0[name].stride(), t1[name].stride())
            for key, value in p1[name].items():
                check(np.all(value == p0[name][key]), f"{where}: {name}: {key}")
    equal(f"{where}: rejections", mine.rejection_rate, its.rejection_rate)


def small_fuzzer(module, seed):
    """All kinds of parameters and tensors."""
    parameter, alias, tensor = module.FuzzedParameter, module.ParameterAlias, module.FuzzedTensor
    return module.Fuzzer(
        parameters=[
            [parameter(f"k{i}", minval=4, maxval=64, distribution="loguniform") for i in range(3)],
            parameter("d", distribution={2: 0.6, 3: 0.4}, strict=True),
            parameter("step", distribution={1: 0.5, 2: 0.5}),
            parameter("same", distribution={alias("k0"): 0.5, alias("k1"): 0.5}),
            parameter("u", minval=1, maxval=9, distribution="uniform"),
            parameter("r", minval=0.5, maxval=2, distribution="uniform"),
        ],
        tensors=[tensor("x", size=("k0", "k1", "k2"), steps=("step", 1), dim_parameter="d", min_elements=64, max_elements=4096),
                 [tensor("y", size=("k0", 1, "same"), probability_contiguous=0.1, dtype=torch.int16),
                  tensor("z", size=(3, "k0"), dtype=torch.complex64, max_allocation_bytes=1024)]],
        constraints=[lambda params: params["k0"] != params["k1"]],
        seed=seed)


def takes_probabilities():
    """PyTorch 2.14 refuses just those that add up to one, and so all of its own fuzzers."""
    try:
        theirs.FuzzedParameter("d", distribution={1: 0.5, 2: 0.5})
    except AssertionError as error:
        print(f"fuzzers are not compared: this PyTorch refuses probabilities that add up to one ({error})")
        return False
    return True


def check_fuzzers():
    if not takes_probabilities():
        return
    for seed in (0, 7):
        same_draws(f"small {seed}", small_fuzzer(ours, seed), small_fuzzer(theirs, seed), 20)
    # One fuzzer at a time: both draw from torch's own generator.
    mine = [draw[0]["x"].clone() for draw in small_fuzzer(ours, 3).take(3)]
    its = [draw[0]["x"].clone() for draw in small_fuzzer(theirs, 3).take(3)]
    check(all(torch.equal(a, b) for a, b in zip(mine, its)), "the same elements")
    from torch.utils.benchmark.op_fuzzers import binary, sparse_binary, sparse_unary, spectral, unary

    from opbench.benchmark.op_fuzzers import binary as ob_binary
    from opbench.benchmark.op_fuzzers import sparse_binary as ob_sparse_binary
    from opbench.benchmark.op_fuzzers import sparse_unary as ob_sparse_unary
    from opbench.benchmark.op_fuzzers import spectral as ob_spectral
    from opbench.benchmark.op_fuzzers import unary as ob_unary

    equal("regular sizes", ob_spectral.REGULAR_SIZES, spectral.REGULAR_SIZES)
    for mine, its, name in ((ob_unary, unary, "UnaryOpFuzzer"), (ob_binary, binary, "BinaryOpFuzzer"),
                            (ob_spectral, spectral, "SpectralOpFuzzer"), (ob_sparse_unary, sparse_unary, "UnaryOpSparseFuzzer"),
                            (ob_sparse_binary, sparse_binary, "BinaryOpSparseFuzzer")):
        same_parameters(name, getattr(mine, name)(seed=5), getattr(its, name)(seed=5))


def same_parameters(where, mine, its):
    """Of large tensors the parameters are enough."""
    states = np.random.RandomState(5), np.random.RandomState(5)
    for _ in range(40):
        equal(where, mine._generate(states[0]), its._generate(states[1]))
    equal(f"{where}: rejections", mine.rejection_rate, its.rejection_rate)


def main():
    print(f"torch {torch.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}")
    for each in (check_drawn, check_tables, check_crossing, check_helpers, check_fuzzers):
        each()
        print(each.__name__, flush=True)
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
