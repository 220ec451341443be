#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real execution traces: they are read, converted, run and replayed. With --full also ResNet's step, on torch and
on native, and how much of torch's time is in operators that native ran too."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import checks  # noqa: E402
import replayed  # noqa: E402
from checks import check  # noqa: E402

LINEAR, RESNET, TRITON = "linear_et.json.gz", "resnet_1gpu_1.0.3.json.gz", "pt2_et.json.tar.gz"


def run(options, *words):
    return subprocess.run([options.program, *words], capture_output=True, text=True, timeout=1400)


def replay(options, name, backend, *more):
    got = run(options, "replay", os.path.join(options.traces, name), "--backend", backend, "-w", "0", "-i", "1",
              "--json", *more)
    check(got.returncode in (0, 1), "replay of %s on %s: %s" % (name, backend, got.stderr))
    return replayed.summary(got.stdout)


def test_trace(options):
    for name, schema, calls, steps in ((LINEAR, "1.0.1", 320, 0), (RESNET, "1.0.3-chakra.0.0.4", 3711, 3),
                                       (TRITON, "1.1.1-chakra.0.0.4", 4, 2)):
        got = run(options, "trace", os.path.join(options.traces, name), "--json")
        found = json.loads(got.stdout)
        check(found["schema"] == schema, "schema of %s" % name)
        check(found["calls"] == calls, "%s has %d calls" % (name, found["calls"]))
        check(len(found["iterations"]) == steps, "%s has %d steps" % (name, len(found["iterations"])))


def test_convert(options, folder):
    path = os.path.join(folder, "linear.json")
    got = run(options, "convert", os.path.join(options.traces, LINEAR), "-o", path)
    check(got.returncode == 0, got.stderr)
    with open(path) as file:
        config = json.load(file)
    total = sum(entry["count"] for op in config.values() for spec in op["config"] for entry in spec["input"])
    check(total == 320, "%d calls in the config" % total)
    got = run(options, "run", "-c", path, "--backend", "native", "-w", "0", "-i", "1", "-q", "--output", path + ".out")
    check(got.returncode == 0, "the config does not run: %s" % got.stderr)


def test_replay(options):
    for backend in ["native"] + (["torch"] if checks.has_backend(options.program, "torch") else []):
        summary = replay(options, LINEAR, backend)
        check(summary["coverage"]["nodes"] == 1.0, "linear on %s: %s" % (backend, summary["skipped"]))
    summary = replay(options, TRITON, "native", "--trace-step", "0")
    check([s["what"] for s in summary["skipped"]] == ["fused"], "triton: %s" % summary["skipped"])


def test_resnet(options):
    native = replay(options, RESNET, "native")
    check(native["coverage"]["nodes"] >= 0.9, "resnet on native: %s" % native["coverage"])
    check(native["peak_bytes"] < 12 << 30, "memory")
    if not checks.has_backend(options.program, "torch"):
        print("resnet on torch is left out: the backend is not there")
        return
    torch = replay(options, RESNET, "torch")
    check(torch["coverage"]["nodes"] >= 0.99, "resnet on torch: %s" % torch["skipped"])
    ran = {row["name"] for row in native["operators"]}
    both = sum(row["time_ns"] for row in torch["operators"] if row["name"] in ran)
    share = both / sum(row["time_ns"] for row in torch["operators"])
    print("native ran operators with %.1f %% of torch's time" % (100 * share))
    check(share >= 0.9, "share of torch's time")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--traces", required=True)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.traces, RESNET)):
        print("skipped: there are no real traces in %s" % options.traces)
        return checks.SKIPPED
    if options.full:
        test_resnet(options)
    else:
        test_trace(options)
        test_replay(options)
        with tempfile.TemporaryDirectory() as folder:
            test_convert(options, folder)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
