#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ceilings of `opbench roofline` beside those that likwid-bench and a plain STREAM find, in one run.

usage: ceilings.py PROGRAM [ROUNDS]

PROGRAM is opbench. Needs likwid-bench (Debian: likwid) and cc; what is missing is left out. All are measured in turns, ROUNDS times (5),
with one thread and with all CPUs, and of each the best round counts: what disturbs makes a round slower, never faster. likwid gets short
tries, as our own loops do, and the best of its kernels for each place; it counts a store as its bytes alone, and so do we.

Each row has the ratio to the best of the others, how far our rounds lie apart, what the processor's clock allows at most (measured here by
additions that wait for each other), and what of the goals it misses: at least 0.97 of the best of the others, not above what is allowed, rounds
within 3 %. The last is judged when others used less than 5 % of the CPUs meanwhile; it is said if they used more. It is not judged where the
rounds of likwid and STREAM lie farther apart than that too: then the host's memory and caches were not idle, whatever this machine's own
load was. Fails where a row misses a goal. Some 2 minutes per round."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

WANTED, APART, IDLE = 0.97, 0.03, 0.05
CPUS = len(os.sched_getaffinity(0))
# The places, and what likwid moves in a try, in kB. Its working sets are ours.
LEVELS, TRY = ["L1", "L2", "L3", "memory"], 800000
# Ours by kind, likwid's kernels that may be the best at it, and those that are for memory alone.
KINDS = {"load": (["load_avx", "load_avx512"], []),
         "store": (["store_avx", "store_avx512"], ["store_mem_avx", "store_mem_avx512"]),
         "copy": (["copy_avx", "copy_avx512"], ["copy_mem_avx", "copy_mem_avx512"]),
         "triad": (["triad_avx", "stream_avx", "stream_avx512"], ["triad_mem_avx", "stream_mem_avx", "stream_mem_avx512"])}
PEAKS = {"f64": ["peakflops_avx_fma", "peakflops_avx512_fma"], "f32": ["peakflops_sp_avx_fma", "peakflops_sp_avx512_fma"]}
STREAM = r"""
#include <stdio.h>
#include <time.h>
enum { N = 24 << 20, TRIES = 8 };
static double a[N], b[N], c[N];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#define TRY(word, arrays, expression)                                                              \
    for (int t = 0; t < TRIES; t++) {                                                              \
        const double start = now();                                                                \
        _Pragma("omp parallel for schedule(static)") for (long i = 0; i < N; i++) expression;      \
        printf(word " %.1f\n", 8e-9 * arrays * N / (now() - start));                               \
    }
#define ADD "add %1, %0\n\t"
#define TEN(x) x x x x x x x x x x
static double gigahertz(void)
{
    double best = 0;
    for (int t = 0; t < 2000; t++) {
        unsigned long sum = 0, one = 1;
        const double start = now();
        for (int i = 0; i < 100; i++)
            __asm__ volatile(TEN(TEN(TEN(ADD))) : "+r"(sum) : "r"(one));
        const double ghz = (double)sum * 1e-9 / (now() - start);
        best = ghz > best ? ghz : best;
    }
    return best;
}
int main(void)
{
#ifdef __x86_64__
    printf("clock %.4f\n", gigahertz());
#endif
    _Pragma("omp parallel for schedule(static)") for (long i = 0; i < N; i++) a[i] = b[i] = c[i] = 1;
    TRY("copy", 2, c[i] = a[i])
    TRY("triad", 3, a[i] = b[i] + 3 * c[i])
    return a[N / 2] > 1e300;
}
"""


def best_of(old, new):
    for key, value in new.items():
        old.setdefault(key, []).append(value)


def ours(program, folder):
    path = os.path.join(folder, "roofline.json")
    # One backend, which costs nothing: what calls and devices take is not compared.
    words = [program, "roofline", "--json", "-o", path, "--num-threads", "1,%d" % CPUS, "--backend", "null"]
    text = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.decode()
    found = {}
    for line in text.splitlines():
        row = json.loads(line)
        kind = row.get("ceiling", row.get("kind"))
        if kind in KINDS or kind == "peak":
            key = (kind, row["of"], int(row["threads"]))
            found[key] = max(found.get(key, 0), float(row["value"]))
            if kind == "load" and int(row["threads"]) == 1:
                ours.kilobytes[row["of"]] = int(row["bytes"]) // 1024
    return found


def likwid(kernel, kilobytes, threads, turns):
    """Gigabytes and billions of operations a second; None where the machine has no such instructions."""
    if kernel not in likwid.there:
        return None
    words = ["likwid-bench", "-t", kernel, "-w", "S0:%dkB:%d" % (kilobytes * threads, threads), "-i", str(turns)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = [re.search(name + r"\s+([0-9.]+)", done.stdout.decode()) for name in ("MByte/s:", "MFlops/s:")]
    return tuple(float(f.group(1)) / 1e3 for f in found) if done.returncode == 0 and all(found) else None


def find_kernels():
    if shutil.which("likwid-bench") is None:
        return set()
    text = subprocess.run(["likwid-bench", "-a"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {k for k in re.findall(r"^(\w+) -", text, re.M) if "avx512" not in k or "avx512f" in flags()}


def flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^flags\s*:(.*)", file.read(), re.M)
    return set(found.group(1).split()) if found else set()


def of_likwid(threads):
    found = {}
    for place in (place for place in LEVELS if place in ours.kilobytes):
        shared = place in ("L3", "memory")  # by all threads; the others are each one's own
        each = ours.kilobytes[place] // threads if shared else ours.kilobytes[place]
        for kind, (kernels, past_caches) in KINDS.items():
            names = kernels + past_caches if shared else kernels
            values = [likwid(name, each, threads, max(2, TRY // ours.kilobytes[place])) for name in names]
            values = [v[0] for v in values if v is not None]
            if values:
                found[(kind, place, threads)] = max(values)
    for dtype, kernels in PEAKS.items():
        values = [v[1] for v in (likwid(kernel, 16, threads, 10000) for kernel in kernels) if v is not None]
        if values:
            found[("peak", dtype, threads)] = max(values)
    return found


def stream(folder, threads):
    source, binary = os.path.join(folder, "stream.c"), os.path.join(folder, "stream")
    if shutil.which("cc") is None:
        return {}
    if not os.path.exists(binary):
        with open(source, "w", encoding="utf-8") as file:
            file.write(STREAM)
        subprocess.run(["cc", "-O3", "-march=native", "-fopenmp", "-mcmodel=medium", "-o", binary, source], check=True)
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")
    text = subprocess.run([binary], env=environment, check=True, stdout=subprocess.PIPE).stdout.decode()
    found = {}
    for word, value in (line.split() for line in text.splitlines()):
        key = (word, "memory", threads)
        found[key] = max(found.get(key, 0), float(value))
    return found


def busy_seconds():
    """Of all CPUs that we may use."""
    ticks = 0
    with open("/proc/stat", encoding="utf-8") as file:
        for words in (line.split() for line in file if re.match("cpu[0-9]", line)):
            if int(words[0][3:]) in os.sched_getaffinity(0):
                user, nice, system, _, _, irq, softirq = map(int, words[1:8])
                ticks += user + nice + system + irq + softirq
    return ticks / os.sysconf("SC_CLK_TCK")


def most_operations(of, gigahertz):
    """Of one thread: two units that multiply and add, as wide as the registers; None where that is not known."""
    there = flags()
    if not gigahertz or of not in ("f32", "f64") or "fma" not in there:
        return None
    return gigahertz * 2 * 2 * (64 if "avx512f" in there else 32) / (4 if of == "f32" else 8)


def spread(values):
    return 1 - min(values) / max(values)


def judge(own, others, gigahertz, idle):
    """Prints a row per ceiling, and gives those that miss a goal."""
    print("%-6s %-7s %7s %10s %10s %10s %7s %7s %7s %10s  misses" %
          ("kind", "of", "threads", "opbench", "likwid", "STREAM", "ratio", "apart", "theirs", "allowed"))
    failed = []
    for key in sorted(own):
        values = [max(others[name].get(key, [0])) for name in ("likwid", "STREAM")]
        best, apart = max(own[key]), spread(own[key])
        theirs = min((spread(others[name][key]) for name in others if key in others[name]), default=None)
        most = most_operations(key[1], gigahertz) if key[0] == "peak" else None
        ratio = best / max(values) if max(values) > 0 else None
        missed = []
        if ratio is not None and ratio < WANTED:
            missed.append("below %.2f of the best" % WANTED)
        if most is not None and best > 1.01 * most * key[2]:
            missed.append("above what the clock allows")
        if idle and apart > APART and (theirs is None or theirs <= APART):
            missed.append("rounds more than %.0f %% apart" % (100 * APART))
        shown = ["%10.2f" % v if v else "%10s" % "-" for v in (*values, most and most * key[2])]
        print("%-6s %-7s %7d %10.2f %s %s %7s %6.1f%% %7s %s  %s" %
              (*key, best, *shown[:2], "%.3f" % ratio if ratio else "-", 100 * apart,
               "-" if theirs is None else "%.1f%%" % (100 * theirs), shown[2], "; ".join(missed)))
        if missed:
            failed.append("%s of %s with %d: %s" % (*key, "; ".join(missed)))
    return failed


def main():
    if len(sys.argv) not in (2, 3) or not os.access(sys.argv[1], os.X_OK):
        sys.exit(__doc__.strip())
    program, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 5
    likwid.there, ours.kilobytes = find_kernels(), {}
    own, others = {}, {"likwid": {}, "STREAM": {}}
    began, busy, used = time.monotonic(), busy_seconds(), sum(os.times()[:4])
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            best_of(own, ours(program, folder))
            for threads in sorted({1, CPUS}):
                best_of(others["likwid"], of_likwid(threads))
                best_of(others["STREAM"], stream(folder, threads))
    foreign = max(0, busy_seconds() - busy - (sum(os.times()[:4]) - used)) / (time.monotonic() - began) / CPUS
    gigahertz = max(max(values) for key, values in others["STREAM"].items() if key[0] == "clock") \
        if ("clock", "memory", 1) in others["STREAM"] else None
    failed = judge(own, others, gigahertz, foreign < IDLE)
    print("%d rounds; the clock: %s GHz; others used %.1f %% of the CPUs" %
          (rounds, "%.2f" % gigahertz if gigahertz else "unknown", 100 * foreign))
    if foreign >= IDLE:
        print("The machine was not idle: how far rounds lie apart is shown, and not judged.")
    missing = [name for name, found in others.items() if not found]
    if missing:
        print("Not there, and left out: " + ", ".join(missing))
    print("%d of %d ceilings meet all goals that were judged" % (len(own) - len(failed), len(own)))
    if failed:
        sys.exit("These miss one:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
