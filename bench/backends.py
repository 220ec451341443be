#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All backends beside torch, over the operators of PARAM, ResNet-50 and LLaMA, single-threaded.

usage: backends.py PROGRAM [NAME,NAME...]

PROGRAM is opbench. Without names all backends that work here take part; torch must. Each case runs on all of them in turns,
block by block, in one run, so that what else happens on the machine meets all alike; what counts is the median of
one backend over the median of torch. Fails when the best of our own backends in C (per case the faster of native and onednn)
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

# Why an operator is slower than torch's, by the beginning of a case's call.
REASONS = {
}


def available(program):
    listing = subprocess.run([program, "list", "backends", "--json"], capture_output=True,
                             text=True, check=True).stdout
    rows = map(json.loads, listing.splitlines())
    return [r["name"] for r in rows if r["available"] and r["name"] not in LEFT_OUT]


def measure(program, config, names):
    """{case: {backend: median in ms}}"""
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
                    times = cases.setdefault(call, {})
                    times[record["backend"]] = record["statistics"]["forward"]["median"]
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


def main():
    program = os.path.abspath(sys.argv[1])
    there = available(program)
    names = sys.argv[2].split(",") if len(sys.argv) > 2 else there
    if REFERENCE not in names or REFERENCE not in there:
        print(f"bench/backends: {REFERENCE} is not here; there is nothing to compare with")
        return
    others = [n for n in OWN if n in names] + [n for n in names if n not in OWN + (REFERENCE,)]
    names = [REFERENCE] + others
    cases = {}
    for config in CONFIGS:
        if os.path.exists(config):
            cases.update(measure(program, config, names))
    cases = {case: times for case, times in cases.items() if REFERENCE in times}
    print("| case | " + " | ".join([REFERENCE] + [f"{n} / {REFERENCE}" for n in others]) + " |")
    print("|---" * (len(names) + 1) + "|")
    best = {}
    for case, times in cases.items():
        ratios = {n: times[n] / times[REFERENCE] for n in others if n in times}
        own = [ratios[n] for n in OWN if n in ratios]
        if own:
            best[case] = min(own)
        shown = [f"{ratios[n]:.2f}" if n in ratios else "" for n in others]
        print(f"| `{case}` | " + " | ".join([show_time(times[REFERENCE])] + shown) + " |")
    print()
    for name in others:
        ratios = [times[name] / times[REFERENCE] for times in cases.values() if name in times]
        if ratios:
            print(f"{name}/{REFERENCE} over {len(ratios)} cases: geometric mean {geometric_mean(ratios):.3f}")
    mean = geometric_mean(best.values())
    print(f"the best of {' and '.join(n for n in OWN if n in others)}, over {len(best)} cases: {mean:.3f}")
    print("slowest against " + REFERENCE + ":")
    for case, ratio in sorted(best.items(), key=lambda item: -item[1])[:3]:
        print(f"    {ratio:.2f}  {case}: {reason_of(case)}")
    if mean > 1:
        sys.exit(f"bench/backends: slower than {REFERENCE} on the geometric mean")


if __name__ == "__main__":
    main()
