# SPDX-License-Identifier: Apache-2.0
"""The fixture `opbench` for pytest: measures a function inside a test.

    def test_softmax(opbench):
        assert opbench(softmax, x).shape == x.shape

    pytest --opbench-save base.json                 # keep what was measured
    pytest --opbench-compare base.json              # verdicts against it; slower fails

The table at the end is the program's. With pytest-xdist (-n) the results of all workers are joined.
"""

import json
import os

import pytest

from opbench._callables import result_of, take_turns

_RESULTS = pytest.StashKey()
_OUTCOME = pytest.StashKey()
_SENT = "opbench_results"  # what a worker of pytest-xdist hands over


def pytest_addoption(parser):
    group = parser.getgroup("opbench", "measuring with opbench")
    group.addoption("--opbench-compare", metavar="BASE", help="compare with stored results; what is slower fails the run")
    group.addoption("--opbench-save", metavar="FILE", help="keep the results in this file of records")
    group.addoption("--opbench-force", action="store_true", help="replace the file of --opbench-save")
    group.addoption("--opbench-time", type=float, default=0.2, metavar="SECONDS", help="how long a function is measured (0.2)")
    group.addoption("--opbench-threshold", type=float, metavar="SHARE", help="a difference within it is none (0.01)")
    group.addoption("--opbench-skip", action="store_true", help="call each function once and measure nothing")


def pytest_configure(config):
    config.stash[_RESULTS] = []
    save, base = config.getoption("--opbench-save"), config.getoption("--opbench-compare")
    if save and os.path.exists(save) and not config.getoption("--opbench-force"):
        raise pytest.UsageError(f"--opbench-save: {save} is there already; give --opbench-force to replace it, or another name")
    if base and not os.path.isfile(base):
        raise pytest.UsageError(f"--opbench-compare: there is no file {base}; write it with --opbench-save")


class Measurer:
    """What a test gets: called with a function and its arguments, it measures the call and returns the function's value."""

    def __init__(self, node, results):
        self._node = node
        self._results = results
        self._count = 0

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
        self._results.append(result_of(case, number, times, case))
        return value


@pytest.fixture
def opbench(request):
    """opbench(function, *args, **kwargs) measures the call and returns its value."""
    return Measurer(request.node, request.config.stash[_RESULTS])


# ---- the end ----


def _is_worker(config):
    return hasattr(config, "workerinput")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """pytest-xdist: a worker has ended."""
    del error
    node.config.stash[_RESULTS] += getattr(node, "workeroutput", {}).get(_SENT, [])


def _base_of(path, results, folder):
    """The lines of the base that are of tests which ran: others were not chosen this time."""
    ran = {result["id"] for result in results}
    made = os.path.join(folder, "base")
    with open(path, "rb") as file, open(made, "wb") as out:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # a torn last line
            if "op_name" not in record or record.get("id") in ran:
                out.write(line)
    return made


def _judge(config, results, path, folder):
    """(text, whether something is slower)."""
    from opbench._result import Diff
    from opbench._options import words_of

    base = _base_of(config.getoption("--opbench-compare"), results, folder)
    options = {"fail_on": "slower", "threshold": config.getoption("--opbench-threshold")}
    made = Diff([base, path], words_of("diff", "diff", options), names=["base", "now"])
    return made.table, made.summary["slower"] > 0 and made.worse


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
