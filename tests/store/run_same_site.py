#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same history in a file and on a PostgreSQL server: what is shown of it is the same to the byte, with names that mean harm too.

usage: run_same_site.py OPBENCH
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import postgres_server

NAMES = ["add", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202egnp.exe", "../../etc/passwd", "...", "'; DROP TABLE ob_run; --",
         "\\x41", "\u00e9" * 150, "long" * (1 << 16), "nul \u0000 inside"]


def write_records(path):
    """24 runs; from the 15th on everything takes a fifth longer."""
    with open(path, "w", encoding="utf-8") as file:
        for run in range(24):
            system = {"hostname": NAMES[1], "pid": run, "cpu_model": NAMES[2], "kernel": "6.1" if run < 14 else "6.2"}
            head = {"run_options": {}, "sys_info": system, "start_time": "2026-05-01T03:00:00", "start_unix": 1777604400 + 86400 * run,
                    "git": {"commit": f"{run:040x}", "branch": NAMES[6], "dirty": False}, "tags": {NAMES[6]: NAMES[3]}}
            file.write(json.dumps(head) + "\n")
            for number, name in enumerate(NAMES):
                ms = (1.2 if run >= 14 else 1.0) * (1 + 0.001 * ((run * 7 + number) % 5))
                record = {"op_name": name, "id": str(number), "key": f"{number}{name}", "call": f"{name}(f32[2])", "status": "ok",
                          "backend": "native", "metric": {"forward": {"measure.time": [ms]}},
                          "statistics": {"forward": {"count": 1, "median": ms}}}
                file.write(json.dumps(record) + "\n")


def ask(opbench, *words):
    return subprocess.run([opbench, *words], check=True, capture_output=True, timeout=240).stdout


def main():
    postgres_server.stop_cleanly()
    opbench = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name, postgres_server.running() as make_database:
        folder = pathlib.Path(name)
        write_records(folder / "r.json")
        shown = []
        for number, database in enumerate((str(folder / "h.db"), make_database())):
            said = [ask(opbench, "history", "add", "--samples", str(folder / "r.json"), "--db", database)]
            site = folder / f"site{number}"
            ask(opbench, "report", "--db", database, "-q", "-o", str(site))
            said.append({path.name: path.read_bytes() for path in site.iterdir()})
            said.append(ask(opbench, "plot", "--kind", "history", "--db", database))
            for words in (["check"], ["check", "--all", "--format", "csv"], ["show", "add"], ["export", "--samples"], ["log"]):
                said.append(sorted(ask(opbench, "history", *words, "--db", database).splitlines()))
            shown.append(said)
    pages = shown[0][1]
    assert len(pages) == 2 * len(NAMES) + 2, sorted(pages)
    assert b"slower" in pages["index.html"]
    assert not any(b"<script" in page or b"<img" in page or "\u202e".encode() in page for page in pages.values())
    for one, other in zip(*shown):
        if isinstance(one, dict):
            assert sorted(one) == sorted(other), set(one) ^ set(other)
            assert [page for page in one if one[page] != other[page]] == []
        else:
            assert one == other, (one[:600], other[:600])
    print(f"a file and a server: the same {len(pages)} pages, pictures and changes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
