#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of callgrind read directly, beside what callgrind_annotate makes of them: the same counts, with every
option of callgrind that changes its format, and of files that it seldom writes.

usage: test_annotate.py OPBENCH
"""

import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from callgrind_files import Writer

SKIP = 77
RANDOM_FILES = 60
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline)) static
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
APART int even(int n);
APART int odd(int n) { return n == 0 ? 0 : even(n - 1); }
APART int even(int n) { return n == 0 ? 1 : odd(n - 1); }
APART int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void)
{
    int a[500];
    char text[99];
    for (int i = 0; i < 500; i++)
        a[i] = (i * 7919) % 503;
    qsort(a, 500, sizeof *a, compare);
    volatile int r = fib(9) + even(13);
    snprintf(text, sizeof text, "%d %f", a[3], 1.5 * r);
    return strlen(text) == 0;
}
"""
FORMS = [
    "",
    "--dump-instr=yes",
    "--dump-instr=yes --dump-line=no",
    "--compress-pos=no",
    "--compress-strings=no",
    "--compress-pos=no --compress-strings=no --dump-instr=yes",
    "--collect-jumps=yes",
    "--collect-jumps=yes --dump-instr=yes",
    "--separate-recs=5",
    "--separate-callers=3",
    "--cache-sim=yes --branch-sim=yes",
    "--collect-systime=yes --collect-bus=yes",
    "--toggle-collect=main",
]
ROW = re.compile(r"^\s*([0-9,]+)\s+(?:[0-9,.]+\s+)*(\S.*:.+)$")


def annotated(path, inclusive):
    """The total and the counts by function, without objects."""
    words = ["callgrind_annotate", f"--inclusive={'yes' if inclusive else 'no'}", "--threshold=100",
             "--show-percs=no", str(path)]
    # It drops its own folder from the names of files.
    text = subprocess.run(words, capture_output=True, text=True, cwd="/proc", check=True).stdout
    total, table, rows = None, False, []
    for line in text.splitlines():
        if total is None:
            found = re.match(r"^([0-9,]+)\s.*PROGRAM TOTALS", line)
            total = int(found[1].replace(",", "")) if found else None
        elif not table:
            table = re.match(r"^Ir\s.*file:function", line) is not None
        elif ROW.match(line):
            rows.append((int(ROW.match(line)[1].replace(",", "")), ROW.match(line)[2]))
        elif not line.startswith("-"):
            break
    return total, by_name(rows)


def by_name(rows):
    sums = collections.Counter()
    for count, name in rows:
        sums[re.sub(r" \[[^\]]*\]$", "", name)] += count
    return {name: count for name, count in sums.items() if count != 0}


def compare(program, path, form):
    done = subprocess.run([program, "count", "show", str(path), "--json"], capture_output=True,
                          text=True, check=True)
    stats = json.loads(done.stdout)
    wrong = 0
    for inclusive, key in ((False, "stmt_exclusive_stats"), (True, "stmt_inclusive_stats")):
        total, want = annotated(path, inclusive)
        got = by_name(stats[key]["data"])
        # Frames around the counted region hold all of it and executed nothing: ours leaves them out.
        frames = {name for name, count in want.items() if count == total and name not in got}
        different = {name: (want.get(name), got.get(name)) for name in want.keys() | got.keys()
                     if want.get(name) != got.get(name) and name not in frames}
        usual = "toggle" not in form and "seed" not in form
        if different or (usual and (frames or not got)):
            wrong += 1
            print(f"{form or 'plain'}, {key}: annotate and ours {different}, frames {frames}")
    return wrong


def main():
    for name in ("valgrind", "callgrind_annotate", "cc"):
        if shutil.which(name) is None:
            print(f"skipped: there is no {name}")
            return SKIP
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / "t.c").write_text(SOURCE)
        subprocess.run(["cc", "-O1", "-g", "-o", home / "t", home / "t.c"], check=True)
        for number, form in enumerate(FORMS):
            path = home / f"out.{number}"
            subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={path}",
                            *form.split(), home / "t"], check=True, capture_output=True)
            wrong += compare(sys.argv[1], path, form)
        for seed in range(RANDOM_FILES):
            path = home / "random.out"
            path.write_text(Writer(random.Random(seed)).text())
            wrong += compare(sys.argv[1], path, f"seed {seed}")
    print(f"{len(FORMS)} forms, {RANDOM_FILES} random files, {wrong} tables differ")
    return 1 if wrong else 0


sys.exit(main())
