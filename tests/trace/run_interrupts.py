#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A replay that is interrupted says what it has.

usage: run_interrupts.py OPBENCH TRACE
"""

import os
import signal
import subprocess
import sys
import time

OPBENCH, TRACE = sys.argv[1:]
MANY = "1000000"  # seconds of work
INTERRUPTED = 130


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def child_that_listens(running, number):
    """The process of the calls, once it has a handler for the signal."""
    while True:
        assert running.poll() is None, running.communicate()
        # Behind its guard.
        for child in [child for guard in children(running.pid) for child in children(guard)]:
            try:
                with open(f"/proc/{child}/status", encoding="utf-8") as file:
                    caught = [line.split()[1] for line in file if line.startswith("SigCgt:")]
                with open(f"/proc/{child}/cmdline", encoding="utf-8") as file:
                    replays = "--no-isolate" in file.read().split("\0")
            except OSError:
                continue
            if replays and caught and int(caught[0], 16) >> (number - 1) & 1:
                return int(child)
        time.sleep(0.01)


def interrupted(number, times):
    """Only the process that the user started gets the signal, as from kill and timeout."""
    words = [OPBENCH, "replay", TRACE, "--backend", "native", "-w", "0", "-i", MANY]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        child = child_that_listens(running, number)
        for _ in range(times):
            running.send_signal(number)
            time.sleep(0.2)
        out, err = running.communicate()
    assert running.returncode == INTERRUPTED, (number, running.returncode, err)
    assert not os.path.exists(f"/proc/{child}"), "the process of the calls is still there"
    return out


for sent in (signal.SIGINT, signal.SIGTERM):
    text = interrupted(sent, 1)
    assert "interrupted before the end" in text, text
interrupted(signal.SIGTERM, 2)  # ends at once or after the call, whichever is first
print("interrupts: ok")
