#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A replay that is interrupted says what it has, and goes on from there; on a terminal it says how far it is.

usage: run_interrupts.py OPBENCH TRACE
"""

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time

OPBENCH, TRACE = sys.argv[1:]
MANY = "1000000"  # seconds of work
INTERRUPTED = 130
# Ticks that a worker has computed: then it is in its step. Where it is emulated, its start takes as many.
BUSY = 10 * int(os.environ.get("OPBENCH_TEST_PATIENCE", "1"))


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def busy_workers(running, count):
    """The processes of the calls, behind their guards, once each of them is at work."""
    while True:
        assert running.poll() is None, running.communicate()
        found = []
        for child in [child for guard in children(running.pid) for child in children(guard)]:
            try:
                with open(f"/proc/{child}/stat", encoding="utf-8") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[11]) >= BUSY:
                        found.append(int(child))
            except OSError:
                continue
        if len(found) >= count:
            return found
        time.sleep(0.01)


def interrupted(number, times, *more, backends="native"):
    """Only the process that the user started gets the signal, as from kill and timeout."""
    words = [OPBENCH, "replay", TRACE, "--backend", backends, "-w", "0", "-i", MANY, *more]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        workers = busy_workers(running, 1)
        for _ in range(times):
            running.send_signal(number)
            time.sleep(0.2)
        out, err = running.communicate()
    assert running.returncode == INTERRUPTED, (number, running.returncode, err)
    assert not any(os.path.exists(f"/proc/{worker}") for worker in workers), "the process of the calls is still there"
    return out


def test_signals():
    for sent in (signal.SIGINT, signal.SIGTERM):
        text = interrupted(sent, 1)
        assert "interrupted  it was interrupted after" in text and "aten::addmm" in text, text
    interrupted(signal.SIGTERM, 2)  # ends at once or after the call, whichever is first
    text = interrupted(signal.SIGINT, 1, backends="native,null")
    assert text.count("interrupted  it was") == 2, text


def test_resume(folder):
    """What was interrupted is measured again, what was finished is not, and the file is shown as it was printed."""
    path = os.path.join(folder, "r.json")
    interrupted(signal.SIGTERM, 1, "-o", path)
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert [line["status"] for line in lines if line.get("op_name") == "opbench::replay"] == ["interrupted"], lines
    assert lines[-1]["end"] == "interrupted", lines[-1]
    shown = subprocess.run([OPBENCH, "show", path], capture_output=True, text=True, check=True).stdout
    assert "interrupted  it was" in shown, shown

    def replay(*more):
        words = [OPBENCH, "replay", TRACE, "--backend", "null", "-w", "0", "-i", "2", "-o", whole, *more]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    whole = os.path.join(folder, "whole.json")
    replay()
    with open(whole, encoding="utf-8") as file:
        text = file.readlines()
    assert len(text) == 5, text  # header, two operators, the step, the end
    for kept in (1, 2, 3):
        with open(whole, "w", encoding="utf-8") as file:
            file.writelines(text[:kept])
        printed = replay("--resume")
        assert printed.count("aten::relu") == 1, (kept, printed)
        shown = subprocess.run([OPBENCH, "show", whole], capture_output=True, text=True, check=True).stdout
        assert shown == printed, (kept, shown, printed)
    with open(whole, "w", encoding="utf-8") as file:
        file.writelines(text[:4])
    before = os.path.getsize(whole)
    replay("--resume")
    with open(whole, encoding="utf-8") as file:
        assert "finish_time" in file.read()[before:].splitlines()[0], "the step was replayed again"


def test_progress():
    """A terminal is told the pass and the call."""
    terminal, end = pty.openpty()
    words = [OPBENCH, "replay", TRACE, "--backend", "native", "-w", "0", "-i", MANY]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=end) as running:
        os.close(end)
        seen = b""
        while b"native: pass " not in seen or b" of 1000000, call " not in seen:
            seen += os.read(terminal, 4096)
        running.send_signal(signal.SIGTERM)
        running.wait()
    os.close(terminal)
    assert running.returncode == INTERRUPTED, running.returncode


test_signals()
with tempfile.TemporaryDirectory() as place:
    test_resume(place)
test_progress()
print("interrupts: ok")
