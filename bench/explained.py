#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many cases of the examples' models are explained by what the machine can do, and which are not.

usage: explained.py PROGRAM [BACKEND,...]

Measures the ceilings, then the cases of llama_ops.json and resnet_ops.json with one thread on each of the backends (native,onednn,torch).
A case is explained when it reaches 70 % of what is attainable for it, or when that is the launch of the backend. The ten
farthest from their roof are listed for each backend with what the others need: where another one is at least 1.25 times as
fast it is the kernel, otherwise the operator. Of each case its fastest sample counts: load makes the others slower. About a minute, on an idle machine: the load average is said at the end."""

import json
import os
import subprocess
import sys
import tempfile

EXPLAINED, FASTER, LISTED = 0.7, 1.25, 10
CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "configs")
MODELS = ["llama", "resnet"]


def run(program, roofline, model, backend, folder):
    """By case: the fastest sample and what was attainable, both in ms, and by what."""
    path = os.path.join(folder, "%s_%s.json" % (model, backend))
    words = [program, "run", "-c", os.path.join(CONFIGS, model + "_ops.json"), "--backend", backend, "--roofline", roofline,
             "--num-threads", "1", "-w", "5", "-i", "50", "-q", "-o", path]
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    found = {}
    with open(path, encoding="utf-8") as file:
        for record in (json.loads(line) for line in file):
            forward = record.get("statistics", {}).get("forward", {})
            if record.get("status") == "ok" and "attainable" in forward:
                name = record["task_spec"]["stmt"]
                found[(model, name)] = (forward["min"], forward["attainable"], forward["attainable_by"])
    return found


def reason(case, backend, results):
    others = {b: results[b][case][0] for b in results if b != backend and case in results[b]}
    if not others:
        return "no other backend has it"
    best = min(others, key=others.get)
    ratio = results[backend][case][0] / others[best]
    if ratio >= FASTER:
        return "the kernel: %s is %.1f times as fast" % (best, ratio)
    return "the operator: %s takes %.2f times as long" % (best, 1 / ratio)


def report(backend, results):
    cases = results[backend]
    share = {case: attainable / fastest for case, (fastest, attainable, _) in cases.items()}
    explained = [c for c in cases if share[c] >= EXPLAINED or cases[c][2] == "overhead"]
    print("%s: %d of %d cases explained (%.0f %%)" % (backend, len(explained), len(cases), 100 * len(explained) / max(1, len(cases))))
    far = sorted((c for c in cases if c not in explained), key=share.get)[:LISTED]
    for case in far:
        print("  %5.1f %% of %-7s %9.1f us  %-75.75s %s" % (100 * share[case], cases[case][2], 1e3 * cases[case][0], case[1],
                                                          reason(case, backend, results)))


def main():
    if len(sys.argv) not in (2, 3) or not os.access(sys.argv[1], os.X_OK):
        sys.exit(__doc__.strip())
    program, backends = os.path.abspath(sys.argv[1]), (sys.argv[2] if len(sys.argv) == 3 else "native,onednn,torch").split(",")
    with tempfile.TemporaryDirectory() as folder:
        roofline = os.path.join(folder, "roofline.json")
        words = [program, "roofline", "--num-threads", "1", "-o", roofline, "--backend", ",".join(backends)]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        results = {b: {} for b in backends}
        for backend in backends:
            for model in MODELS:
                results[backend].update(run(program, roofline, model, backend, folder))
    for backend in backends:
        report(backend, results)
    print("load average: %.1f" % os.getloadavg()[0])


if __name__ == "__main__":
    main()
