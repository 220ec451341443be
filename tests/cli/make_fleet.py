#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the records of a fleet of nine nodes into a folder, a file each: one has slow memory, one other libraries, one another kernel,
one fails.

usage: make_fleet.py FOLDER [NODES]
"""

import json
import pathlib
import sys

GROUPS = [("add(f32[40000000], f32[40000000])", 40.0, 4e7, 4.8e8), ("mm(f32[1024,1024], f32[1024,1024])", 20.0, 2e9, 1.2e7),
          ("add(f32[4], f32[4])", 0.001, 4.0, 48.0)]
CASES = 4


def header(node):
    system = {"hostname": "host", "kernel": "Linux 6.1" if node != 4 else "Linux 6.5", "machine": "x86_64", "cpu_model": "Some CPU",
              "cpus_online": 4, "last_level_cache": 33554432, "opbench_version": "0.1.0",
              "backends": {"blas": "0.3.22" if node == 3 else "0.3.21"}}
    return {"sys_info": system, "start_time": "2026-05-01T03:00:00", "config_file": "health.json", "cluster": {"node": f"n{node}"}}


def result(node, group, case):
    call, time, flops, size = GROUPS[group]
    number = group * CASES + case
    record = {"op_name": "torch.op", "id": f"0|0|{number}", "key": f"{number + 1:032x}", "index": number, "status": "ok",
              "backend": "native", "device": "cpu", "threads": 1, "mode": "continuous", "call": call, "metric": {}}
    if node == 5 and number == 5:
        return record | {"status": "crashed", "reason": "SIGILL"}
    time *= 1 + 0.001 * ((node * 7 + number * 5) % 11 - 5)  # what nodes and cases differ by
    time *= 1.2 if node == 2 and group == 0 else 1
    time = round(time, 9)
    record["statistics"] = {"forward": {"count": 9, "median": time, "mean": time, "flops": flops, "bytes": size}}
    record["metric"] = {"forward": {"measure.time": [time] * 9}}
    return record


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir()
    for node in range(1, 1 + (int(sys.argv[2]) if len(sys.argv) > 2 else 9)):
        lines = [header(node)] + [result(node, group, case) for group in range(len(GROUPS)) for case in range(CASES)]
        (folder / f"{node}.json").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
