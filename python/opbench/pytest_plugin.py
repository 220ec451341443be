# SPDX-License-Identifier: Apache-2.0
"""The fixture `opbench` for pytest: measures a function inside a test.

    def test_softmax(opbench):
        assert opbench(softmax, x).shape == x.shape

    pytest --opbench-save base.json                 # keep what was measured
    pytest --opbench-compare base.json              # verdicts against it; a test that is slower fails

A test is judged as soon as it has run, in its own process, so it fails on its own, also with pytest-xdist (-n). The table at the
end is the program's, for all results together.
"""

import json
import os

import pytest

from opbench._callables import result_of, take_turns

_RESULTS = pytest.StashKey()
_OUTCOME = pytest.StashKey()
_BASE = pytest.StashKey()
_MEASURER = pytest.StashKey()
_SENT = "opbench_results"  # what a worker of pytest-xdist hands over
_ERROR_RATE = 0.01  # of runs in which nothing changed and something is called slower; all cases share it, as in `opbench diff`


def pytest_addoption(parser):
    group = parser.getgroup("opbench", "measuring with opbench")
    group.addoption("--opbench-compare", metavar="BASE", help="compare with stored results; a test that is slower fails")
    group.addoption("--opbench-save", metavar="FILE", help="keep the results in this file of records")
    group.addoption("--opbench-force", action="store_true", help="replace the file of --opbench-save")
    group.addoption("--opbench-time", type=float, default=0.2, metavar="SECONDS", help="how long a function is measured (0.2)")
    group.addoption("--opbench-threshold", type=float, metavar="FRACTION", help="smaller differences count as none (0.01)")
    group.addoption("--opbench-skip", action="store_true", help="call each function once and measure nothing")


def _usage(option, text):
    return pytest.UsageError(f"{option}: {text}")


def pytest_configure(config):
    config.stash[_RESULTS] = []
    option = config.option
    for name in ("opbench_save", "opbench_compare"):
        if getattr(option, name):  # workers may be in another folder
            setattr(option, name, os.path.join(config.invocation_params.dir, getattr(option, name)))
    if option.opbench_save and os.path.exists(option.opbench_save) and not option.opbench_force:
        raise _usage("--opbench-save", f"{option.opbench_save} already exists; give --opbench-force to replace it, or another name")
    if option.opbench_compare and not os.path.isfile(option.opbench_compare):
        raise _usage("--opbench-compare", f"there is no file {option.opbench_compare}; write it with --opbench-save")
    if not option.opbench_time > 0:
        raise _usage("--opbench-time", "give a time above 0 seconds")
    if option.opbench_threshold is not None and not 0 < option.opbench_threshold < 1:
        raise _usage("--opbench-threshold", "give a fraction between 0 and 1, such as 0.05 for 5 %")


class Measurer:
    """What a test gets: called with a function and its arguments, it measures the call and returns the function's value."""

    def __init__(self, node, results):
        self._node = node
        self._results = results
        self._count = 0
        self.taken = []  # of this test

    def __call__(self, function, *args, name=None, **kwargs):
        """name: what the measurement is called if a test has several; it is part of what results are found by."""
        value = function(*args, **kwargs)
        config = self._node.config
        if config.getoption("--opbench-skip"):
            return value
        self._count += 1
        case = self._node.nodeid + (f" {name}" if name else f" ({self._count})" if self._count > 1 else "")
        call = (lambda: function(*args, **kwargs)) if args or kwargs else function
        (number, times), = take_turns([call], config.getoption("--opbench-time"))
        self.taken.append(result_of(case, number, times, case))
        self._results.append(self.taken[-1])
        return value


@pytest.fixture
def opbench(request):
    """opbench(function, *args, **kwargs) measures the call and returns its value."""
    made = request.node.stash[_MEASURER] = Measurer(request.node, request.config.stash[_RESULTS])
    return made


# ---- each test ----


class Base:
    """The file of --opbench-compare: its lines by case, and how many of its cases share the rate of false alarms."""

    def __init__(self, path, items):
        self.before, self.cases, self.after = [], {}, []
        with open(path, "rb") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # a torn last line
                if isinstance(record, dict) and "op_name" in record:
                    self.cases.setdefault(str(record.get("id")), []).append(line)
                else:
                    (self.after if self.cases else self.before).append(line)
        nodes = {item.nodeid for item in items}
        self.chosen = sum(any(head in nodes for head in _heads(case)) for case in self.cases)

    def write(self, path, cases):
        """What there is of these cases, as a file of its own."""
        with open(path, "wb") as out:
            out.writelines(self.before)
            for case in cases:
                out.writelines(self.cases.get(case, ()))
            out.writelines(self.after)


def _heads(case):
    """The case, and the case without its last words: a test's name may be followed by a measurement's."""
    words = case.split(" ")
    return [" ".join(words[:count]) for count in range(len(words), 0, -1)]


def _slower(item, taken):
    """A line for each result of a test that is slower than its base."""
    import tempfile

    from opbench._core import judge, write_records

    config = item.config
    base = config.stash.get(_BASE, None)
    if base is None:
        base = config.stash[_BASE] = Base(config.option.opbench_compare, item.session.items)
    known = [result for result in taken if result["id"] in base.cases]
    if not known:
        return []
    with tempfile.TemporaryDirectory(prefix="opbench-") as folder:
        paths = [os.path.join(folder, name) for name in ("base", "now")]
        base.write(paths[0], [result["id"] for result in known])
        write_records(paths[1], "pytest", known, False)
        share = len(known) / max(base.chosen, len(known))
        rows = judge(*paths, config.option.opbench_threshold or 0, _ERROR_RATE * share)
    return [f"opbench: slower than in {os.path.basename(config.option.opbench_compare)}: {case}: {_said(before)}, now {_said(now)} "
            f"({_change(ratio)}, 95 % interval {_change(low)} to {_change(high)})"
            for case, _, is_slower, before, now, ratio, low, high in rows if is_slower]


def _said(ms):
    from opbench.benchmark.utils.common import select_unit

    unit, scale = select_unit(ms / 1e3)
    return f"{ms / 1e3 / scale:.4g} {unit}"


def _change(ratio):
    return f"x {ratio:.3g}" if ratio >= 2 else f"{100 * (ratio - 1):+.2f} %"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    measurer = item.stash.get(_MEASURER, None)
    if call.when != "call" or measurer is None or not measurer.taken or not item.config.option.opbench_compare:
        return
    report = outcome.get_result()
    if hasattr(report, "wasxfail"):
        for result in measurer.taken:
            result["may_be_slower"] = True
    elif report.passed:
        _fail_slower(report, item, measurer.taken)


def _fail_slower(report, item, taken):
    from opbench._core import Error

    try:
        lines = _slower(item, taken)
    except (Error, OSError) as error:
        lines = [f"opbench: {error}"]
    if lines:
        report.outcome = "failed"
        report.longrepr = "\n".join(lines)


# ---- the end ----


def _is_worker(config):
    return hasattr(config, "workerinput")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """pytest-xdist: a worker has ended."""
    del error
    node.config.stash[_RESULTS] += getattr(node, "workeroutput", {}).get(_SENT, [])


def _judge(config, results, path, folder):
    """(text, whether something is slower)."""
    from opbench._result import Diff
    from opbench._options import words_of

    base = os.path.join(folder, "base")
    # Without the tests that were not chosen this time.
    Base(config.getoption("--opbench-compare"), ()).write(base, [result["id"] for result in results])
    options = {"fail_on": "slower", "threshold": config.getoption("--opbench-threshold")}
    made = Diff([base, path], words_of("diff", "diff", options), names=["base", "now"],
                advice="Measure longer, with --opbench-time, and compare again")
    expected = {result["id"] for result in results if result.get("may_be_slower")}
    return made.table, any(row["worse"] and row["id"] not in expected for row in made.rows)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    config = session.config
    results = config.stash.get(_RESULTS, [])
    if _is_worker(config):
        config.workeroutput[_SENT] = results
        return
    if not results:
        return
    import tempfile

    from opbench._core import Error, write_records
    from opbench._result import Result

    with tempfile.TemporaryDirectory(prefix="opbench-") as folder:
        path = config.getoption("--opbench-save") or os.path.join(folder, "records.json")
        try:
            write_records(path, "pytest", sorted(results, key=lambda result: result["id"]), config.getoption("--opbench-force"))
            text, is_slower = Result([path]).table, False
            if config.getoption("--opbench-compare"):
                text, is_slower = _judge(config, results, path, folder)
        except Error as error:
            text, is_slower = f"opbench: {error}\n", True
    config.stash[_OUTCOME] = text
    if is_slower and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    text = config.stash.get(_OUTCOME, None)
    if text is not None:
        terminalreporter.section("opbench")
        terminalreporter.write(text.rstrip("\n") + "\n")
