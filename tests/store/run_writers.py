#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Twenty writers at once, some of them killed: nothing is lost that was said to be added, and nothing is there twice.

usage: run_writers.py OPBENCH [postgres]
"""

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import postgres_server

WRITERS, RUNS, CASES = 20, 5, 40


def write_records(path, writer):
    with open(path, "w", encoding="utf-8") as file:
        for run in range(RUNS):
            system = {"hostname": "h", "pid": writer * 100 + run, "cpu_model": "CPU", "cpus_online": 2}
            file.write(json.dumps({"sys_info": system, "start_time": "2026-05-01T03:00:00", "start_unix": 1000 + run}) + "\n")
            for case in range(CASES):
                time_ms = 0.001 * (1 + case) + 0.000001 * writer
                # Series are shared by all, and come in another order from each.
                key = (case * 7 + writer) % CASES
                file.write(json.dumps({
                    "op_name": "op", "id": str(key), "key": f"{key:032x}", "status": "ok", "backend": "native",
                    "metric": {"forward": {"measure.time": [time_ms]}},
                    "statistics": {"forward": {"count": 1, "median": time_ms}}}) + "\n")


def add(opbench, database, path):
    return subprocess.Popen([opbench, "history", "add", "--samples", "--db", database, str(path)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def count_results(opbench, database):
    done = subprocess.run([opbench, "history", "export", "--db", database], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return len(lines), len({(line["key"], line["time"], line["median"]) for line in lines})


def test_database(opbench, database, folder):
    random.seed(1)
    files = []
    for writer in range(WRITERS):
        files.append(folder / f"w{writer}.json")
        write_records(files[-1], writer)
    # Some are killed at any moment; what they began is undone by itself.
    for _ in range(3):
        victims = [add(opbench, database, path) for path in files[:5]]
        time.sleep(random.uniform(0, 0.15))
        for process in victims:
            process.send_signal(signal.SIGKILL)
        for process in victims:
            process.communicate()
    added = [add(opbench, database, path) for path in files * 2]
    for process in added:
        _, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors
    expected = WRITERS * RUNS * CASES
    found, different = count_results(opbench, database)
    assert found == expected, f"{found} results, not {expected}"
    assert different == expected, f"{different} different results, not {expected}"
    log = subprocess.run([opbench, "history", "log", "--db", database, "--format", "json"], check=True,
                         capture_output=True, text=True)
    runs = [json.loads(line) for line in log.stdout.splitlines()]
    assert len(runs) == WRITERS * RUNS, len(runs)
    assert all(run["results"] == CASES for run in runs), "the numbers of results in the log are wrong"


def main():
    postgres_server.stop_cleanly()
    opbench = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        database = str(folder / "h.db")
        if len(sys.argv) > 2:
            database = stack.enter_context(postgres_server.running(fsync=True))()
        test_database(opbench, database, folder)
    print(f"{WRITERS} writers: nothing lost, nothing twice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
