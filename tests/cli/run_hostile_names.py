#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile names in every file that a command reads: what it prints moves no terminal's cursor, and no cell of a CSV is a
formula.

usage: run_hostile_names.py OPBENCH

Every command runs twice: into a pipe, and on a terminal of its own, where progress and colours are shown.
"""
import csv
import io
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, exit_code  # pylint: disable=wrong-import-position

# Clears the screen, hides what follows, sets the title, C1, DEL, a carriage return, a bell, markup, a formula, and turns
# the direction of what follows.
EVIL = "=x\x1b[2J\x1b[8m\x1b]0;t\x07\x9b31m\x7f\r|<b>&`*\u202e\u2066\u2028"
NOT_UTF8 = b"=x\x9b31m\xff\xc3"
# What the program itself may write on a terminal: colours, and a line that begins anew.
OWN = re.compile(rb"\x1b\[(?:0|1|1;3[156]|3[23])m|\r\x1b\[K|\r\n")
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def write(path, *values):
    with open(path, "w", encoding="utf-8") as file:
        for value in values:
            file.write(value if isinstance(value, str) else json.dumps(value))
            file.write("\n")


def make_files():
    tensor = {"type": "tensor", "dtype": "float", "shape": [2], "note" + EVIL: 1}
    write("config.json", {"aten::add" + EVIL: {"config": [{"input": [{"args": [tensor, tensor]}]}]}})
    write("generator.json", {"torch.add": {"input_data_generator": EVIL, "config": [{"input": [{"args": [tensor]}]}]}})
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::" + EVIL, "pid": 1, "tid": 1, "ts": 1, "dur": 5,
             "args": {"External id": 1, "Input Dims": [[4]], "Input type": ["float"]}}
    write("trace.json", {"schemaVersion": 1, "traceEvents": [event]})
    node = {"id": 2, "name": EVIL, "ctrl_deps": 1, "inputs": {"values": [EVIL], "shapes": [[]], "types": ["String"]},
            "outputs": {"values": [], "shapes": [], "types": []},
            "attrs": [{"name": "op_schema", "type": "string", "value": EVIL}, {"name": "rf_id", "type": "uint64", "value": 1}]}
    root = dict(node, id=1, name="[pytorch|profiler|execution_trace|process]", ctrl_deps=1)
    write("graph.json", {"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": EVIL, "start_ts": 1, "nodes": [root, node]})
    task = {"stmt": EVIL, "label": EVIL, "sub_label": EVIL, "description": EVIL, "env": EVIL, "num_threads": 1}
    record = {"op_name": EVIL, "id": EVIL, "status": "failed", "reason": EVIL, "backend": EVIL, "warnings": [EVIL],
              "number_per_run": 1, "raw_times": [1e-6], "task_spec": task, "repro": EVIL}
    good = dict(record, status="ok", metric={"forward": {"measure.time": [1.0]}},
                statistics={"forward": {"median": 1.0}})
    write("records.json", {"start_time": EVIL}, record, good)
    write("counts.json", {"op_name": EVIL, "task_spec": task, "stmt_inclusive_stats": [[3, EVIL + ":f"]], EVIL: 1})
    write("callgrind.out", "version: 1", "creator: x", "cmd: " + EVIL.replace("\r", ""), "events: Ir",
          "fl=" + EVIL.replace("\r", ""), "fn=" + EVIL.replace("\r", ""), "1 10", "summary: 10")
    write("suite.yaml", '"' + EVIL.replace("\\", "").encode("unicode_escape").decode().replace('"', "") + '":', "  c: x;")
    write("fuzz.json", {"parameters": [{"name": EVIL, "minval": 1, "maxval": 2, "distribution": EVIL}], "tensors": []})
    with sqlite3.connect("report.sqlite") as db:
        db.execute("CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT)")
        db.execute("INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, ?, 1)", ("[param|" + EVIL + "|0|0|0|measure|forward]",))


COMMANDS = [
    ["expand", "-c", "config.json"],
    ["expand", "-c", "config.json", "--json"],
    ["expand", "-c", "generator.json"],
    ["run", "-c", "config.json", "--backend", "null", "-i", "1", "-w", "0", "--output", "run.json", "--force"],
    ["run", "-c", "config.json", "--backend", "null", "-i", "1", "-w", "0", "--output", "run2.json", "--force", "--format", "csv"],
    ["trace", "trace.json"],
    ["trace", "trace.json", "--json"],
    ["trace", "graph.json"],
    ["convert", "trace.json"],
    ["convert", "graph.json", "-o", "made.json"],
    ["replay", "trace.json", "--backend", "null"],
    ["replay", "graph.json", "--backend", "null"],
    ["show", "records.json"],
    ["show", "records.json", "--format", "markdown"],
    ["show", "records.json", "--format", "csv"],
    ["show", "records.json", "--format", "json"],
    ["show", "records.json", "--measurements"],
    ["show", "records.json", "--view", EVIL.replace("\0", "")],
    ["compare", "records.json"],
    ["compare", "records.json", "records.json"],
    ["count", "show", "counts.json"],
    ["count", "show", "callgrind.out"],
    ["count", "diff", "callgrind.out", "callgrind.out"],
    ["count", "-s", "suite.yaml", "--list"],
    ["time", "-s", "suite.yaml", "--list"],
    ["fuzz", "fuzz.json"],
    ["nsys", "report.sqlite", "-o", "-"],
    ["list", "ops", EVIL],
    ["list", EVIL],
    ["time", "--op", "aten::add" + EVIL, "f32[2]"],
    ["time", "--op", "torch.add", "f32[2]" + EVIL],
    ["time", "--lang", "c", EVIL, "--label", EVIL],
    [EVIL],
    ["time", "--op", NOT_UTF8, "f32[2]"],
    ["run", "-c", NOT_UTF8],
    ["show", NOT_UTF8],
    [NOT_UTF8],
]


def on_terminal(command, environment):
    """What the command writes when both its outputs are a terminal."""
    parent, child = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        out = b""
        while True:
            try:
                piece = os.read(parent, 65536)
            except OSError:  # the last writer has gone
                break
            if not piece:
                break
            out += piece
    os.close(parent)
    return process.returncode, out


def find_control(text):
    """The first character that a terminal would obey; a text that is no UTF-8 may hold any."""
    try:
        return CONTROLS.search(text.decode())
    except UnicodeDecodeError as error:
        return re.search(b".*", text[error.start:error.end], re.DOTALL)


def check_csv(name, text):
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            number = re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", cell)
            check(number or cell[:1] not in ("=", "+", "-", "@"), "%s: the cell %r is a formula" % (name, cell))


def main():
    program = os.path.abspath(sys.argv[1])
    environment = dict(os.environ, TERM="xterm", COLUMNS="200")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        for words in COMMANDS:
            name = ascii(words)
            got = subprocess.run([program, *words], capture_output=True, check=False, timeout=300, env=environment)
            check(got.returncode in (0, 1, 2), "%s: exit code %d, %r" % (name, got.returncode, got.stderr[-300:]))
            bad = find_control(got.stdout) or find_control(got.stderr)
            check(not bad, "%s: %r in a pipe: %r" % (name, bad and bad.group(), (got.stdout + got.stderr)[:2000]))
            check(got.stdout or got.stderr, name + " prints nothing")
            if "csv" in words:
                check_csv(name, got.stdout.decode())
            if os.path.exists("made.json"):
                os.remove("made.json")
            code, out = on_terminal([program, *words], environment)
            bad = find_control(OWN.sub(b"", out))
            check(not bad, "%s: %r on a terminal: %r" % (name, bad and bad.group(), out[:2000]))
            check(code == got.returncode, "%s: exit code %d on a terminal, %d else" % (name, code, got.returncode))
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
