#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a small report in the form that nsys exports to SQLite.

usage: make_nsys_report.py FILE [text|strings|host]

text: labels stand in the rows. strings: among the strings, as newer versions have it. host: no CUDA
was traced, so those tables are not there.
"""

import sqlite3
import sys

PID, TID, OTHER = 5 << 24, (5 << 24) + 1, (5 << 24) + 2
STRINGS = {1: "cudaLaunchKernel_v7000", 2: "cudaDeviceSynchronize_v3020", 3: 'void add<float>("x")', 4: "mul"}
# label, kind of event, start, end, thread
RANGES = [
    ("[param|torch.add|0|0|1]", 59, 0, 10000, TID),
    ("param|measure", 59, 50, 9000, TID),
    ("[param|torch.add|0|0|1|measure|forward]", 59, 100, 1100, TID),
    ("[param|torch.add|0|0|1|measure|backward]", 59, 2000, 2600, TID),
    ("[param|torch.add|0|0|0_3|measure|forward]", 60, 5000, 5010, TID),
    ("something else", 59, 100, 1100, TID),
    ("a mark", 34, 100, None, TID),
]
# start, end, thread, correlation, name
CALLS = [
    (150, 200, TID, 11, 1),
    (210, 260, TID, 12, 1),
    (300, 1000, TID, 13, 2),
    (400, 450, OTHER, 14, 1),  # another thread
    (1090, 1200, TID, 15, 1),  # not wholly inside
]
# start, end, process, correlation, name
KERNELS = [
    (250, 350, PID, 11, 3),
    (350, 900, PID, 12, 4),
    (460, 470, PID, 14, 4),
    (250, 999, 6 << 24, 11, 4),  # another process with the same number
]


def main():
    path, form = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "text"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
    strings = dict(STRINGS)
    in_row = form != "strings"
    db.execute(
        "CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT, eventType INT NOT NULL, text TEXT, "
        "globalTid INT" + ("" if in_row else ", textId INT") + ")"
    )
    for number, (label, kind, start, end, tid) in enumerate(RANGES):
        row = [start, end, kind, label if in_row else None, tid]
        if not in_row:
            strings[100 + number] = label
            row.append(100 + number)
        db.execute(f"INSERT INTO NVTX_EVENTS VALUES ({', '.join('?' * len(row))})", row)
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", strings.items())
    if form != "host":
        db.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, "
            "correlationId INT, nameId INT)"
        )
        db.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, globalPid INT, "
            "correlationId INT, demangledName INT)"
        )
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)", CALLS)
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?)", KERNELS)
    db.commit()


main()
