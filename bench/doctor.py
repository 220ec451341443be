#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `opbench doctor` costs beyond the time that it watches (100 ms are allowed), and what its cheap part costs before every
measurement (5 ms). Warm, with the files of opbench and of its cache out of the kernel's page cache, and with an empty cache folder, where all
backends are opened and which no limit is for.

usage: doctor.py OPBENCH [ROUNDS]
"""

import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MOST_MS = {"doctor": 100, "cheap part": 5}


def forget(folders):
    """Takes files out of the page cache, as far as nobody has them mapped."""
    for folder in folders:
        for path in [folder] if folder.is_file() else folder.rglob("*"):
            if path.is_file():
                file = os.open(path, os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(file)


def run_ms(program, cache):
    """Wall time and CPU time of one look that watches nothing."""
    before = os.times()
    start = time.perf_counter()
    subprocess.run([program, "doctor", "--seconds", "0"], env={**os.environ, "XDG_CACHE_HOME": cache}, stdout=subprocess.DEVNULL,
                   check=False)
    wall = time.perf_counter() - start
    after = os.times()
    return wall * 1e3, (after.children_user + after.children_system - before.children_user - before.children_system) * 1e3


def cheap_ms(library):
    """Wall time of one look of a program that measures."""
    findings, err = ctypes.c_void_p(), ctypes.create_string_buffer(1 << 16)
    start = time.perf_counter()
    if library.ob_doctor_examine(None, ctypes.byref(findings), err) != 0:
        sys.exit("ob_doctor_examine failed")
    wall = time.perf_counter() - start
    library.ob_findings_destroy(findings)
    return wall * 1e3


def tell(what, how, samples, most):
    low, middle = min(samples), statistics.median(samples)
    verdict = "" if most is None else "  ok" if low <= most else f"  above {most} ms"
    print(f"{what:<12}{how:<38}{low:9.2f} {middle:9.2f} {max(samples):9.2f}{verdict}")
    return most is None or low <= most


def main():
    program, rounds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    library = ctypes.CDLL(str(next((program.parent / "lib").glob("libopbench.so*"))))
    library.ob_findings_destroy.argtypes = [ctypes.c_void_p]
    good = True
    print(f"{'':<12}{'':<38}{'least':>9} {'median':>9} {'most':>9}  ms")
    with tempfile.TemporaryDirectory() as cache:
        first = run_ms(program, cache)
        warm = [run_ms(program, cache) for _ in range(rounds)]
        cold = []
        for _ in range(rounds):
            forget([program, program.parent / "plugins", pathlib.Path(cache)])
            cold.append(run_ms(program, cache))
        good &= tell("doctor", "warm", [wall for wall, _ in warm], MOST_MS["doctor"])
        tell("", "  of which on a CPU", [cpu for _, cpu in warm], None)
        good &= tell("doctor", "files out of the page cache", [wall for wall, _ in cold], MOST_MS["doctor"])
        tell("doctor", "empty cache folder (opens backends)", [first[0]], None)
    good &= tell("cheap part", "first in the process", [cheap_ms(library)], MOST_MS["cheap part"])
    good &= tell("cheap part", "after that", [cheap_ms(library) for _ in range(10 * rounds)], MOST_MS["cheap part"])
    print("The least counts: others who use the machine make it longer, never shorter.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
