#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All backends beside torch, over the operators of PARAM, ResNet-50 and LLaMA, single-threaded.

usage: backends.py PROGRAM [NAME,NAME...]

PROGRAM is opbench. Without names all backends that work here take part; torch must. Each case runs on all of them in turns,
block by block, in one run, so that what else happens on the machine meets all alike; what counts is the median of
one backend over the median of torch; the fastest samples tell what a busy machine did to that. Fails when the best of our own backends in C (per case the faster of native and onednn)
is slower than torch on the geometric mean. PARAM's configs are used where they lie beside the project. About a
minute; for a quiet machine."""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHIPPED = os.path.join(os.path.dirname(ROOT), "shared", "goldens", "param", "shipped")
CONFIGS = [os.path.join(SHIPPED, "test_native_basic_ops.json"),
           os.path.join(ROOT, "examples", "configs", "resnet_ops.json"),
           os.path.join(ROOT, "examples", "configs", "llama_ops.json")]
REFERENCE = "torch"
OWN = ("native", "onednn")
LEFT_OUT = ("null",)  # computes nothing
SECONDS = "0.05"  # of samples per case and backend

# Why an operator is slower than torch's, by the beginning of a case's call; what was looked into.
REASONS = {
    "torch.clamp_(": "a few microseconds: the compiler makes two comparisons and two selections of it, torch's "
                     "vectors have minimum and maximum; oneDNN's is called through a primitive",
    "torch.nn.AdaptiveAvgPool2d(": "rows of 49 elements: native sums them in double, torch in float; oneDNN makes a "
                                   "reduction primitive of it",
    "torch.nn.functional.relu(": "as fast as memory is: alone it takes 0.96 of torch's time, among other cases up to 1.25, "
                                 "by where its output happens to lie",
    "torch.mul(f32[64,2048], f32[64,1])": "native fills a buffer with the broadcast element of each row",
}


def available(program):
    listing = subprocess.run([program, "list", "backends", "--json"], capture_output=True,
                             text=True, check=True).stdout
    rows = map(json.loads, listing.splitlines())
    return [r["name"] for r in rows if r["available"] and r["name"] not in LEFT_OUT]


def measure(program, config, names):
    """{case: {backend: (median, minimum) in ms}}"""
    with tempfile.TemporaryDirectory(prefix="opbench-bench-") as folder:
        output = os.path.join(folder, "records.json")
        subprocess.run([program, "run", "-c", config, "-q", "--backend", ",".join(names), "--output",
                        output, "--min-time", SECONDS, "-w", "3", "--num-threads", "1"],
                       capture_output=True, check=False)
        cases = {}
        with open(output, encoding="utf-8") as file:
            for record in map(json.loads, file):
                if record.get("status") == "ok":
                    call = record["task_spec"]["sub_label"]
                    figures = record["statistics"]["forward"]
                    cases.setdefault(call, {})[record["backend"]] = (figures["median"], figures["min"])
        return cases


def show_time(milliseconds):
    for unit, factor in (("s", 1e-3), ("ms", 1), ("us", 1e3)):
        if milliseconds * factor >= 1:
            return f"{milliseconds * factor:.3g} {unit}"
    return f"{milliseconds * 1e6:.3g} ns"


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def reason_of(case):
    for start, reason in REASONS.items():
        if case.startswith(start):
            return reason
    return "not looked into"


def ratios_of(times, others, which):
    """{backend: ratio}; which is 0 for medians, 1 for minima."""
    return {n: times[n][which] / times[REFERENCE][which] for n in others if n in times}


def best_of(cases, others, which):
    """{case: ratio of the faster of our own}"""
    best = {}
    for case, times in cases.items():
        own = [r for n, r in ratios_of(times, others, which).items() if n in OWN]
        if own:
            best[case] = min(own)
    return best


def print_cases(cases, others):
    print("| case | " + " | ".join([REFERENCE] + [f"{n} / {REFERENCE}" for n in others]) + " |")
    print("|---" * (len(others) + 2) + "|")
    for case, times in cases.items():
        ratios = ratios_of(times, others, 0)
        shown = [f"{ratios[n]:.2f}" if n in ratios else "" for n in others]
        print(f"| `{case}` | " + " | ".join([show_time(times[REFERENCE][0])] + shown) + " |")
    print()


def main():
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
        sys.exit(__doc__.strip())
    program = os.path.abspath(sys.argv[1])
    there = available(program)
    names = sys.argv[2].split(",") if len(sys.argv) > 2 else there
    if REFERENCE not in there:
        print(f"bench/backends: {REFERENCE} is not here; there is nothing to compare with")
        return
    others = [n for n in OWN if n in names] + [n for n in names if n not in OWN + (REFERENCE,)]
    names = [REFERENCE] + others
    cases = {}
    for config in CONFIGS:
        if os.path.exists(config):
            cases.update(measure(program, config, names))
    cases = {case: times for case, times in cases.items() if REFERENCE in times}
    print_cases(cases, others)
    for name in others:
        medians, minima = ([r[name] for r in (ratios_of(t, others, which) for t in cases.values()) if name in r]
                           for which in (0, 1))
        if medians:
            print(f"{name}/{REFERENCE} over {len(medians)} cases: geometric mean {geometric_mean(medians):.3f} "
                  f"(of the fastest samples {geometric_mean(minima):.3f})")
    best, quiet = best_of(cases, others, 0), best_of(cases, others, 1)
    mean = geometric_mean(best.values())
    print(f"the best of {' and '.join(n for n in OWN if n in others)}, over {len(best)} cases: {mean:.3f} "
          f"(of the fastest samples {geometric_mean(quiet.values()):.3f})")
    print(f"slowest against {REFERENCE}, by the fastest samples (and by the medians):")
    for case, ratio in sorted(quiet.items(), key=lambda item: -item[1])[:3]:
        print(f"    {ratio:.2f} ({best[case]:.2f})  {case}: {reason_of(case)}")
    if mean > 1:
        sys.exit(f"bench/backends: slower than {REFERENCE} on the geometric mean")


if __name__ == "__main__":
    main()
