#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What torch.utils.benchmark computed and printed (tests/golden/torch), against the classes of opbench.benchmark.

Needs neither torch nor numpy. What differs on purpose is named case by case.

usage: test_benchmark_goldens.py [OPBENCH]
"""

import json
import math
import pathlib
import re
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, exit_code  # noqa: E402

import opbench.benchmark as benchmark  # noqa: E402

STYLES = {
    "plain": (),
    "trim": ("trim_significant_figures",),
    "color_columnwise": ("colorize",),
    "color_rowwise": ("colorize_rowwise",),
    "highlight_warnings": ("highlight_warnings",),
    "trim_color_warn": ("trim_significant_figures", "colorize", "highlight_warnings"),
}
# Times below 1 ns stay in ns.
UNITS = {"just_below_ns": "ns"}
# A missing env is printed where others are there; the original cannot compare it with them.
TABLES = {"env_none_and_str_other_threads"}


def golden(name):
    return json.loads((HERE.parent / "golden/torch" / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def equal(name, got, want):
    check(got == want, f"{name}: got\n{got!r}\nwant\n{want!r}")


def without_address(text):
    return re.sub(r"object at 0x[0-9a-fA-F]+>", "object at 0x0>", text)


def measurement(case):
    return benchmark.Measurement(case["number_per_run"], case["raw_times"], benchmark.TaskSpec(**case["task_spec"]))


def outcome(function):
    try:
        return {"value": function()}
    except Exception as error:
        return {"error": [type(error), str(error)]}


# ---- measurements ----


def check_measurement(case):
    name, want, m = case["name"], case["expect"], measurement(case)
    if name in UNITS:
        equal(f"{name}: unit", benchmark.select_unit(m.median)[0], UNITS[name])
        return
    # The first line of the recorded text has the original's own tag.
    equal(f"{name}: repr", without_address(repr(m)).split("\n", 1)[1:], want["repr"].split("\n", 1)[1:])
    for key in ("times", "median", "iqr", "significant_figures", "has_warnings", "title", "as_row_name"):
        equal(f"{name}: {key}", getattr(m, key), want[key])
    check(math.isclose(m.mean, want["mean"], rel_tol=1e-12), f"{name}: mean")
    equal(f"{name}: quartiles", (m._p25, m._p75), (want["p25"], want["p75"]))
    equal(f"{name}: warnings", list(m._warnings), want["warnings"])
    equal(f"{name}: unit", benchmark.select_unit(m.median)[0], want["unit"])


ODD = {"empty": [], "zero": [0.0, 0.0], "zeros": [0.0, 0.0], "negative": [-1.0, -2.0], "nan": [math.nan, 1.0]}


def check_helper(case):
    name, args, want = case["fn"], case["args"], case["expect"]
    where = f"{name}{args}"
    if name == "merge":
        merged = benchmark.Measurement.merge(
            benchmark.Measurement(n, times, benchmark.TaskSpec(**spec)) for n, times, spec in args[0])
        equal("merge", [m.raw_times for m in merged], [row[1] for row in want["value"]])
        return
    if name in ("select_unit", "trim_sigfig", "unit_to_english", "ordered_unique"):
        got = outcome(lambda: getattr(benchmark, name)(*args))
        if name == "select_unit" and want.get("value") == ["s", 1] and args[0] < 1e-9:
            want = {"value": ["ns", 1e-9]}
        if name == "trim_sigfig" and args[0] == 0:
            want = {"value": 0.0}
    elif args[0] in ODD:
        m = benchmark.Measurement(1, list(ODD[args[0]]), benchmark.TaskSpec("x", "pass"))
        got = outcome(lambda: repr(m) if name == "repr" else getattr(m, name.split(".")[1]))
        if args[0] not in ("empty", "nan") and "value" in want:
            return  # of samples that were not recorded
    else:
        return
    if "error" in want:
        check("error" in got, f"{where}: an error is wanted, got {got}")
    else:
        value = list(got["value"]) if isinstance(got.get("value"), tuple) else got.get("value")
        equal(where, "nan" if value != value else value, want["value"])


# ---- tables ----


def check_table(case):
    for style, calls in STYLES.items():
        name, want = f"{case['name']}: {style}", case["expect"][style]
        compare = benchmark.Compare([measurement(m) for m in case["measurements"]])
        for call in calls:
            if call == "colorize_rowwise":
                compare.colorize(rowwise=True)
            else:
                getattr(compare, call)()
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            got = str(compare)
        if case["name"] in TABLES:
            check("(Unspecified env)" in got, f"{name}: env")
        elif case["name"].startswith("same_cell"):
            check(len(noted) == 1 and "share a cell" in str(noted[0].message), f"{name}: a warning")
            check("Times are in" in got, name)
        else:
            equal(name, got, want["value"])
            check(not noted, f"{name}: no warning")


# ---- the Timer with a loop of the caller's ----


class Costs:
    """Seconds of a block by a model, as the recorder had it; remembers what was asked."""

    def __init__(self, model):
        self.model, self.calls, self.runs = model, [], 0

    def timeit(self, number=1000000):
        m, kind = self.model, self.model["kind"]
        index = len(self.calls)
        runs = self.runs
        self.runs += number > 0
        self.calls.append(number)
        if kind == "constant":
            return m["value"]
        if kind == "seq_overhead":
            overheads = m["overheads"]
            return overheads[index % len(overheads)] if number == 0 else overheads[0] + m["per_op"] * number
        seconds = m["overhead"] + m["per_op"] * number
        if kind == "first_slow" and number > 0 and runs == 0:
            seconds += m["penalty"]
        if kind == "cycle" and number > 0:
            seconds *= m["factors"][runs % len(m["factors"])]
        if kind == "decay" and number > 0:
            seconds *= 1 + m["amp"] * 2.0**-runs
        return seconds


def run_lengths(calls):
    found = []
    for call in calls:
        if found and found[-1][0] == call:
            found[-1][1] += 1
        else:
            found.append([call, 1])
    return found


def check_autorange(case):
    name, want = case["name"], case["expect"]
    timer, told = benchmark.Timer("pass"), []
    timer._timer = costs = Costs(case["model"])
    args = dict(case["args"])
    if case["method"] != "timeit":
        args["callback"] = lambda number, seconds: told.append(seconds)
    if "number" in args and args["number"] < 1:
        check("error" in outcome(lambda: timer.timeit(**args)), f"{name}: refused")
        return
    m = getattr(timer, case["method"])(**args)
    equal(f"{name}: number", m.number_per_run, want["number_per_run"])
    equal(f"{name}: blocks", len(m.raw_times), want["n_times"])
    equal(f"{name}: first times", m.raw_times[: len(want["raw_times_head"])], want["raw_times_head"])
    equal(f"{name}: calls", run_lengths(costs.calls), want["calls_rle"])
    equal(f"{name}: callbacks", len(told), want["callback_count"])
    equal(f"{name}: median", m.median, want["median"])


# ---- counts ----


def counts(rows, inclusive=False, **more):
    return benchmark.FunctionCounts(tuple(benchmark.FunctionCount(*row) for row in rows), inclusive, **more)


# What the recorded expressions say.
OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub_self_empty": lambda a: a - a,
    "add_inclusive_mismatch": lambda a, i: a + i,
    "filter": lambda a: a.filter(lambda name: name.startswith("b")),
    "transform_cancels": lambda a: a.transform(lambda name: "all"),
    "ties_sorted_by_name_desc": lambda x: x + counts([]),
    # A row of ours is a pair; the original makes a table of it that cannot be printed.
    "index_int_is_malformed": lambda a: ["FunctionCounts" if a[1] == (50, "b.c:g") else type(a[1]), list(a[1])],
    "slice": lambda a: a[:2],
    "sum": lambda a: a.sum(),
    "len": len,
}


def check_counts(case):
    kind, name = case["kind"], f"{case['kind']} {case.get('name', '')}"
    if kind == "op":
        tables = {key: counts(rows, inclusive) for key, (rows, inclusive) in case["inputs"].items()}
        got = outcome(lambda: OPERATIONS[case["name"]](*tables.values()))
        if "error" in case["expect"]:
            check("error" in got, f"{name}: an error is wanted")
        elif isinstance(got.get("value"), benchmark.FunctionCounts):
            made = got["value"]
            equal(name, [list(row) for row in made], case["expect"]["value"])
            equal(f"{name}: sum", made.sum(), case["expect"].get("sum", made.sum()))
            equal(f"{name}: rows", made.truncate_rows, case["expect"].get("truncate_rows", made.truncate_rows))
        else:
            equal(name, got, case["expect"])
    elif kind == "standardize":
        stats = make_stats([(1, case["input"])]).as_standardized()
        equal(name, [row.function for row in stats.stats()], [case["expect"]])
    elif kind == "repr_counts":
        table = counts(case["data"], case["inclusive"], truncate_rows=case["truncate_rows"], _linewidth=case["linewidth"])
        equal(name, without_address(repr(table)), case["expect"])
    elif kind == "repr_stats":
        stats = make_stats(case["stmt_exclusive"], case["baseline_exclusive"], case["task_spec"], case["number_per_run"],
                           case["debug"])
        check(stats.counts() == case["counts"], f"{name}: counts")
        equal(name, without_address(repr(stats)), case["expect"])


def make_stats(rows, baseline=(), task_spec=None, number=1, debug=True):
    return benchmark.CallgrindStats(
        benchmark.TaskSpec(**(task_spec or {"stmt": "x", "setup": "pass"})), number, debug, counts(baseline, True),
        counts(baseline), counts(rows, True), counts(rows), None)


def main():
    for name, function in (("measurement", check_measurement), ("helpers", check_helper), ("compare", check_table),
                           ("autorange", check_autorange), ("callgrind", check_counts)):
        cases = golden(name)
        for case in cases:
            function(case)
        print(f"{name}: {len(cases)} cases")
    check("torch" not in sys.modules and "numpy" not in sys.modules, "nothing of this needs torch or numpy")
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
