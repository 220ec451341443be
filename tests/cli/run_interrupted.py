#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-c on a terminal: what was kept is said on a line of its own, and the command beside it goes on to the end.

usage: run_interrupted.py OPBENCH
"""

import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile

OPBENCH = os.path.abspath(sys.argv[1])
SKIPPED, INTERRUPTED = 77, 130
CASES = 20
QUIET = {"OPBENCH_DOCTOR": "quiet", "OPBENCH_LIBRARY_CAPS": "quiet", "OPBENCH_ROOFLINE": "off"}
CONFIG = {
    "torch.relu": {
        "input_data_generator": "PyTorch:DefaultDataGenerator",
        "config": [{"input": [{"args": [{"type": "tensor", "dtype": "float", "shape": [size]}]}]} for size in range(1, CASES + 1)],
    }
}


def lines_of(seen):
    """What stays on the screen: of each line what was drawn last."""
    return [line.split("\x1b[K")[-1] for line in seen.decode().replace("\r", "").split("\n")]


def interrupt(folder, *words, at=rb"[3-9] of \d+, "):
    """Types ctrl-c once this was seen, when some cases are measured; the exit code and what stays on the screen."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(OPBENCH, [OPBENCH, *words], {**os.environ, **QUIET, "NO_COLOR": "1"})
    seen, typed = b"", False
    while True:
        if not select.select([screen], [], [], 60)[0]:
            raise AssertionError(f"nothing more came: {seen!r}")
        try:
            some = os.read(screen, 65536)
        except OSError:
            break
        if not some:
            break
        seen += some
        if not typed and re.search(at, seen):
            os.write(screen, b"\x03")
            typed = True
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), lines_of(seen)


def results(path):
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [r["id"] for r in records if r.get("status") == "ok"]


def check(folder, words, path, command):
    code, lines = interrupt(folder, *words)
    assert code == INTERRUPTED, (code, lines)
    assert "opbench run: stopping within a second; interrupt again to stop now" in [line.removeprefix("^C") for line in lines], lines
    kept = [re.fullmatch(r"opbench run: interrupted; (\d+) of 20 results are in (.*)", line) for line in lines]
    kept = [match for match in kept if match]
    assert len(kept) == 1, lines
    file = os.path.join(folder, kept[0][2])
    assert path is None or kept[0][2] == path, kept[0][2]
    assert 0 < int(kept[0][1]) < CASES and len(results(file)) == int(kept[0][1]), (kept[0][0], results(file))
    go_on = [line.removeprefix("to continue: ") for line in lines if line.startswith("to continue: ")]
    assert len(go_on) == 1, lines
    if command is not None:
        assert go_on[0].split(" ", 1)[1] == command, (go_on[0], command)
    subprocess.run(go_on[0], shell=True, cwd=folder, check=True, env={**os.environ, **QUIET}, stdout=subprocess.DEVNULL)
    assert len(results(file)) == len(set(results(file))) == CASES, results(file)


def test_run(folder):
    with open(os.path.join(folder, "many cases.json"), "w", encoding="utf-8") as file:
        json.dump(CONFIG, file)
    check(
        folder,
        ["run", "many cases.json", "--backend=native", "--min-time", "0.03", "--output", "r.json", "--force"],
        "r.json",
        "run --output r.json --resume 'many cases.json' --backend native --min-time 0.03",
    )
    # A file that nobody named, and letters.
    check(folder, ["run", "-c", "many cases.json", "--min-time", "0.03", "-bo", "kept"], None, None)


def test_words(folder):
    check(
        folder,
        ["run", "torch.softmax", "f32[{1..20},8]", "-1", "--min-time", "0.03", "-o", "w.json"],
        "w.json",
        "run --output w.json --resume torch.softmax 'f32[{1..20},8]' -1 --min-time 0.03",
    )


def test_sweep(folder):
    """Its --output is the table; the records lie beside it."""
    sweep = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "sweeps", "linear.json")
    code, lines = interrupt(folder, "sweep", sweep, "--backend", "native", "--min-time", "0.03", "-o", "s.csv")
    assert code == INTERRUPTED, (code, lines)
    assert any(re.fullmatch(r"opbench sweep: interrupted; \d+ of 24 results are in s.jsonl", line) for line in lines), lines
    go_on = [line.removeprefix("to continue: ") for line in lines if line.startswith("to continue: ")]
    assert len(go_on) == 1 and go_on[0].endswith(" --backend native --min-time 0.03 --output s.csv"), lines
    subprocess.run(go_on[0], shell=True, cwd=folder, check=True, env={**os.environ, **QUIET}, stdout=subprocess.DEVNULL)
    assert len(results(os.path.join(folder, "s.jsonl"))) == 24


def test_no_file(folder):
    code, lines = interrupt(folder, "run", "torch.relu", "f32[{1..20}]", "--min-time", "0.03")
    assert code == INTERRUPTED, (code, lines)
    said = [line for line in lines if line.startswith("opbench run: interrupted after ")]
    assert len(said) == 1 and said[0].endswith(" of 20 results, which were not saved; with --output FILE it could continue"), lines
    assert sum(line.startswith("relu(") for line in lines) > 0, lines  # the rows that came stay


def test_long_case(folder):
    """A case that would take an hour is given up after the one interrupt, and those before it stay."""
    case = {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [{"args": [{"type": "tensor", "dtype": "float", "shape": [4]}]}]}]}
    with open(os.path.join(folder, "hangs.json"), "w", encoding="utf-8") as file:
        json.dump({"torch.relu": case, "torch.neg": case}, file)
    code, lines = interrupt(folder, "run", "hangs.json", "--backend", "null", "--backend-options", "fault=hang,fault_op=aten::neg",
                            "-i", "30", "--output", "long.json", at=rb"1 of 2, ")
    assert code == INTERRUPTED, (code, lines)
    assert "opbench run: interrupted; 1 of 2 results are in long.json" in lines, lines
    with open(os.path.join(folder, "long.json"), encoding="utf-8") as file:
        statuses = [r["status"] for r in map(json.loads, file) if "status" in r]
    assert statuses in (["ok", "interrupted"], ["ok"]), statuses  # or the interrupt was faster than the case


def test_diff(folder):
    """The verdicts on what was finished are printed."""
    code, lines = interrupt(folder, "diff", "torch.relu", "f32[{1..20}]", "--side", "one:backend=null,options=forward_ns=1000",
                            "--side", "two:backend=null,options=forward_ns=2000", "--processes", "5", at=rb"[4-9] of 40, ")
    assert code == INTERRUPTED, (code, lines)
    rows = [line for line in lines if line.startswith("relu(f32[")]
    assert 1 < len(rows) < 20 and all(line.endswith("slower") for line in rows), lines
    assert f"two against one: {len(rows)} slower; geometric mean x 2" in lines, lines


def main():
    if not os.path.exists("/dev/pts/ptmx"):
        print("skipped: there are no pseudo-terminals")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        test_run(folder)
        test_words(folder)
        test_sweep(folder)
        test_no_file(folder)
        test_long_case(folder)
        test_diff(folder)
    return 0


sys.exit(main())
