# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/platforms.md: what `make test` gave on a system, by backend, and what compilers gave.

A row of the first is a tuple (suite, architecture, backend, version, passed, failed, skipped, reasons). The tests come from the JUnit
file that ctest writes, the versions from `opbench list backends --json`.
"""

import collections
import json
import re
import xml.etree.ElementTree as xml

RESULTS = "tests.xml"
HEAD = "| suite | architecture | backend | version | passed | failed | skipped | why skipped |\n|---|---|---|---|---|---|---|---|\n"
BEGIN, END = "<!-- rows: written by make test-on -->\n", "<!-- end of rows -->\n"
COMPILERS_HEAD = "| compiler | version | suite | commit | compiled | warnings | tests passed | failed |\n|---|---|---|---|---|---|---|---|\n"
COMPILERS_BEGIN, COMPILERS_END = "<!-- rows: written by make test-compilers -->\n", "<!-- end of compilers -->\n"
SUITES = ("bookworm", "trixie", "sid")
# A test belongs to the first of these that its name holds; the rest is the core's.
BACKENDS = ("torch", "onednn", "onnxruntime", "opencl", "cuda", "native", "null")
ALIASES = {"onnx": "onnxruntime", "capture": "torch"}
CORE = "core and program"
# How a test says that it cannot run here.
SKIPPED = re.compile(r"skipped:? *(.*)", re.IGNORECASE)


def backend_of(test):
    for word in (*BACKENDS, *ALIASES):
        if word in test:
            return ALIASES.get(word, word)
    return CORE


def read_versions(path):
    """Name of the backend to its library's version, or why it is not available."""
    versions = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        library = row.get("library") or row.get("version") or ""
        versions[row["name"]] = library if row.get("available", True) else "not available"
    return versions


def reason_of(case):
    text = case.findtext("system-out") or ""
    found = SKIPPED.search(text)
    return (found.group(1) if found and found.group(1) else text.strip().splitlines()[-1] if text.strip() else "").strip()


def read_tests(path):
    """Backend to a counter of ends, and to (reason, test) of those that did not pass."""
    ends, reasons = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    for case in xml.parse(path).getroot().iter("testcase"):
        backend = backend_of(case.get("name"))
        end = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
        ends[backend][end] += 1
        if end == "failed":
            reasons[backend].append(("FAILED", case.get("name")))
        elif end == "skipped":
            reasons[backend].append((reason_of(case), case.get("name")))
    return ends, reasons


def as_sentence(reasons):
    """Each reason once, behind the tests that have it."""
    tests = collections.defaultdict(list)
    for why, name in reasons:
        tests[why].append(name)
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in tests.items())


def rows(suite, architecture, results, listing, commit="", left_out=()):
    """left_out: (name, why) of tests that were not tried on this system; they count as skipped. commit is our own version."""
    ends, reasons = read_tests(results)
    for name, why in left_out:
        ends[backend_of(name)]["skipped"] += 1
        reasons[backend_of(name)].append((why, name))
    versions = {**read_versions(listing), CORE: commit}
    return [
        (suite, architecture, backend, versions.get(backend, ""), *(str(ends[backend][end]) for end in
         ("passed", "failed", "skipped")), as_sentence(reasons[backend]))
        for backend in (CORE, *BACKENDS) if backend in ends
    ]


def as_text(table):
    widths = [max(len(row[column]) for row in table) for column in range(7)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) + "  " + row[7] for row in table]
    total = [sum(int(row[column]) for row in table) for column in (4, 5, 6)]
    return "\n".join(line.rstrip() for line in lines) + "\n{} passed, {} failed, {} skipped".format(*total)


# ---- the tables in the page ----


def replace_rows(path, marks, head, lines, is_old, order):
    """Puts lines between the two marks, in place of those that is_old says it of, in an order."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(marks[0])
    kept, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise ValueError(f"{path} has no place for rows: the lines {marks[0].strip()} and {marks[1].strip()}")
    kept = [line for line in kept.splitlines(True)[len(head.splitlines()):] if not is_old(cells_of(line))]
    lines = sorted([*kept, *lines], key=lambda line: order(cells_of(line)))
    path.write_text(before + begin + head + "".join(lines) + end + after, encoding="utf-8")


def as_line(row):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n"


def cells_of(line):
    """The first cells, which no bar is in."""
    return [cell.strip() for cell in line.split("|")[1:4]]


def place_of(suite):
    return SUITES.index(suite) if suite in SUITES else len(SUITES)


def write(path, table):
    """Puts the rows in place of those that the file has of the same system."""
    replace_rows(path, (BEGIN, END), HEAD, [as_line(row) for row in table], lambda cells: cells[:2] == list(table[0][:2]),
                 lambda cells: (place_of(cells[0]), cells[1]))


def write_compilers(path, table):
    """A row: compiler, version, suite, commit, what was compiled, warnings, passed, failed. In place of the same compiler's on that suite."""
    new = [[row[0], row[2]] for row in table]
    replace_rows(path, (COMPILERS_BEGIN, COMPILERS_END), COMPILERS_HEAD, [as_line(row) for row in table],
                 lambda cells: [cells[0], cells[2]] in new,
                 lambda cells: (not cells[0].startswith("gcc"), int(cells[0].rpartition("-")[2]), place_of(cells[2])))
