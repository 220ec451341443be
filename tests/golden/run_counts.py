#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of counts beside those of torch.utils.benchmark itself: random tables through every operation and both text
forms, in our library and in FunctionCounts and CallgrindStats. Skipped where no python3 has torch.

usage: run_counts.py LIBOPBENCH [SEED]
"""

import ctypes
import json
import os
import random
import sys

SKIP = 77
CASES = 400
SYSTEM = "/usr/bin/python3"

try:
    import torch.utils.benchmark as original
    from torch.utils.benchmark.utils.valgrind_wrapper.timer_interface import FunctionCount
except ImportError:
    if sys.executable != SYSTEM and os.path.exists(SYSTEM) and "OPBENCH_TEST_AGAIN" not in os.environ:
        os.environ["OPBENCH_TEST_AGAIN"] = "1"
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    print("skipped: no python3 with torch")
    sys.exit(SKIP)


# ---- ours ----

class Row(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int64), ("function", ctypes.c_char_p)]


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("capacity", ctypes.c_size_t)]


class Style(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("line_width", ctypes.c_size_t), ("all_rows", ctypes.c_bool)]


with open(sys.argv[1], "rb") as file:
    if b"__asan_init" in file.read():
        print("skipped: a library with AddressSanitizer cannot be loaded here")
        sys.exit(SKIP)
KEEP = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_char_p)
library = ctypes.CDLL(sys.argv[1])
library.ob_counts_row.restype = Row
library.ob_counts_size.restype = ctypes.c_size_t
library.ob_counts_sum.restype = ctypes.c_int64
library.ob_counts_is_truncated.restype = ctypes.c_bool
library.ob_counts_is_inclusive.restype = ctypes.c_bool
library.ob_count_stats_counts.restype = ctypes.c_int64
library.ob_count_file_part.restype = ctypes.c_void_p


class Table:
    """An ob_counts with the operations of FunctionCounts."""

    def __init__(self, pointer):
        self.pointer = pointer

    @classmethod
    def make(cls, rows, inclusive):
        array = (Row * max(len(rows), 1))(*[Row(count, name.encode()) for count, name in rows])
        return cls.call("ob_counts_create", array, ctypes.c_size_t(len(rows)), inclusive)

    @classmethod
    def call(cls, name, *args):
        out = ctypes.c_void_p()
        status = getattr(library, name)(*args, ctypes.byref(out), None)
        if status != 0:
            raise ValueError(f"{name} gave {status}")
        return cls(out)

    def rows(self):
        size = library.ob_counts_size(self.pointer)
        rows = [library.ob_counts_row(self.pointer, ctypes.c_size_t(i)) for i in range(size)]
        return [(row.count, row.function.decode()) for row in rows]

    def plus(self, other):
        return self.call("ob_counts_add", self.pointer, other.pointer)

    def minus(self, other):
        return self.call("ob_counts_subtract", self.pointer, other.pointer)

    def times(self, factor):
        return self.call("ob_counts_scale", self.pointer, ctypes.c_double(factor))

    def denoise(self):
        return self.call("ob_counts_denoise", self.pointer)

    def standardise(self):
        return self.call("ob_counts_standardise", self.pointer)

    def slice(self, first, end):
        return self.call("ob_counts_slice", self.pointer, ctypes.c_size_t(first), ctypes.c_size_t(end))

    def filter(self, keep):
        function = KEEP(lambda _, name: keep(name.decode()))
        return self.call("ob_counts_filter", self.pointer, function, None)

    def text(self, width):
        text = Text()
        style = Style(ctypes.sizeof(Style), width, False)
        library.ob_counts_print(self.pointer, ctypes.byref(style), ctypes.byref(text), None)
        return ctypes.string_at(text.data, text.size).decode()


class Stats:
    """An ob_count_stats, read from its JSON."""

    def __init__(self, description):
        line = json.dumps(description).encode()
        self.file = ctypes.c_void_p()
        status = library.ob_count_file_parse(b"x", line, ctypes.c_size_t(len(line)), ctypes.byref(self.file), None)
        assert status == 0, line
        self.pointer = ctypes.c_void_p(library.ob_count_file_part(self.file, ctypes.c_size_t(0)))

    def text(self):
        text = Text()
        library.ob_count_stats_print(self.pointer, ctypes.byref(text), None)
        return ctypes.string_at(text.data, text.size).decode()

    def delta(self, other, inclusive):
        return Table.call("ob_count_stats_delta", self.pointer, other.pointer, inclusive)


# ---- random tables ----

PATHS = ["/home/a/build/../aten/x.cpp", "build/../y.cpp", "/b/build/aten/src/z.cpp", "/p/Python/ceval.c", "Objects/o.c",
         "/q/Objects/dictobject.c", "/Python/Objects/both.c", "/Objects/Python/both.c", "???", "a.c", "/build/../",
         "/x/build/../y/build/../z.c", "é/ü.c", "/build/aten/", "/w/build/aten/build/../v.c"]
FUNCTIONS = ["f", "lookdict_unicode", "lookdict_unicode_nodummy", "operator[]", "at::add(at::Tensor const&, long)",
             "g'2", "std::vector<int [3]>::at", "0x00000000004f92c0", "x" * 90, "日本語" * 20, "f(a [b])", ""]
OBJECTS = ["", " [/usr/lib/libtorch_cpu.so]", " [/usr/bin/python3.11]", " []", " [x", "\t[/tab.so]"]


def random_name(random_source):
    return (f"{random_source.choice(PATHS)}:{random_source.choice(FUNCTIONS)}"
            f"{random_source.choice(OBJECTS)}")


def random_rows(random_source):
    size = random_source.choice([0, 1, 2, 5, 17, 18, 19, 40])
    most = 10 ** random_source.randint(0, 12)
    least = -most if random_source.random() < 0.4 else 0
    return [(random_source.randint(least, most), random_name(random_source)) for _ in range(size)]


def theirs(rows, inclusive, width=None):
    return original.FunctionCounts(tuple(FunctionCount(*row) for row in rows), inclusive, _linewidth=width)


failures = 0


def expect(what, got, want):
    global failures
    if got != want:
        failures += 1
        print(f"{what}:\n  ours     {got!r}\n  original {want!r}")


def expect_table(what, ours, table):
    expect(what, ours.rows(), [tuple(row) for row in table])
    expect(f"{what}, sum", library.ob_counts_sum(ours.pointer), table.sum())
    expect(f"{what}, truncate_rows", library.ob_counts_is_truncated(ours.pointer), table.truncate_rows)
    expect(f"{what}, inclusive", library.ob_counts_is_inclusive(ours.pointer), table.inclusive)


def below_heading(text):
    return text.split("\n", 1)[1] if "\n" in text else ""


def run_tables(random_source):
    inclusive = random_source.random() < 0.3
    rows, others = random_rows(random_source), random_rows(random_source)
    a, b = Table.make(rows, inclusive), Table.make(others, inclusive)
    x, y = theirs(rows, inclusive), theirs(others, inclusive)
    expect_table("A", a, x)
    expect_table("A + B", a.plus(b), x + y)
    expect_table("A - B", a.minus(b), x - y)
    expect_table("A - A", a.minus(a), x - x)
    expect_table("denoise", a.denoise(), x.denoise())
    # A factor sees each name once in the original: the last row of a name counts there, the sum of all in ours.
    for factor in (2, -3, 0, 0.5, 1 / 3, -0.1, 1e-9):
        expect_table(f"* {factor}", a.plus(a.minus(a)).times(factor), (x + (x - x)) * factor)
    first, end = random_source.randint(0, 25), random_source.randint(0, 45)
    expect_table(f"[{first}:{end}]", a.slice(first, end), x[first:end])
    letter = random_source.choice("acp[]? 2é")
    expect_table(f"filter {letter}", a.filter(lambda name: letter in name), x.filter(lambda name: letter in name))
    expect_table("filter of a slice", a.slice(0, 9).filter(lambda name: True), x[0:9].filter(lambda name: True))
    width = random_source.choice([1, 40, 60, 80, 81, 120, 400])
    expect(f"text, {width}", below_heading(a.text(width)), below_heading(repr(theirs(rows, inclusive, width))))
    expect("text of a slice", below_heading(a.slice(0, 30).text(80)), below_heading(repr(x[0:30])))


def random_text(random_source):
    return random_source.choice(["x + x", "a\nb", "y = f(x)\nz = y\n", "é", "x" * 100, "pass"])


def run_stats(random_source):
    tables = {key: random_rows(random_source) for key in ("stmt_exclusive", "stmt_inclusive", "baseline_exclusive",
                                                          "baseline_inclusive")}
    task = {"stmt": random_text(random_source), "setup": random_text(random_source), "global_setup": "",
            "label": random_source.choice([None, "a label"]), "sub_label": random_source.choice([None, "sub"]),
            "description": random_source.choice([None, "d"]), "env": random_source.choice([None, "e"]),
            "num_threads": random_source.choice([1, 2, 16])}
    debug, number = random_source.random() < 0.7, random_source.choice([1, 100, 250])
    stats = original.CallgrindStats(
        original.utils.common.TaskSpec(**task), number, debug,
        *[theirs(tables[key], "inclusive" in key)
          for key in ("baseline_inclusive", "baseline_exclusive", "stmt_inclusive", "stmt_exclusive")], "out")
    description = {"task_spec": task, "number_per_run": number, "built_with_debug_symbols": debug, "command": None,
                   "stmt_callgrind_out": "out"}
    for key, rows in tables.items():
        description[key + "_stats"] = {"inclusive": "inclusive" in key, "data": rows}
    ours = Stats(description)
    expect("stats", below_heading(ours.text()), below_heading(repr(stats)))
    for denoise in (False, True):
        expect("counts", library.ob_count_stats_counts(ours.pointer, denoise), stats.counts(denoise=denoise))
    out = ctypes.c_void_p()
    assert library.ob_count_stats_standardise(ours.pointer, ctypes.byref(out), None) == 0
    standard = stats.as_standardized()
    for inclusive in (False, True):
        table = Table.call("ob_count_stats_delta", out, ours.pointer, inclusive)
        expect_table("delta", table, standard.delta(stats, inclusive=inclusive))
    for key in tables:
        ours_table = Table.make(tables[key], "inclusive" in key).standardise()
        expect_table(f"standard {key}", ours_table, getattr(standard, key + "_stats"))


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20260
    for case in range(CASES):
        random_source = random.Random(seed + case)
        run_tables(random_source)
        run_stats(random_source)
        if failures > 20:
            break
    print(f"{CASES} cases from seed {seed}, {failures} differences")
    return 1 if failures else 0


sys.exit(main())
