#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports read by the tools that they are for: compare.py of Google Benchmark (Debian's libbenchmark-tools) and the parser of
the Prometheus project (python3-prometheus-client). Skipped where neither is installed.

usage: run_exports.py OPBENCH
"""

import pathlib
import subprocess
import sys
import tempfile

COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")
CONFIG = pathlib.Path(__file__).resolve().parents[2] / "examples" / "configs" / "tour.json"


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")


def compare(folder, exported):
    for name in ("old.json", "new.json"):
        pathlib.Path(folder, name).write_text(exported, encoding="utf-8")
    ran = subprocess.run([sys.executable, COMPARE, "--no-color", "benchmarks", "old.json", "new.json"], cwd=folder,
                         capture_output=True, text=True, check=False)
    check(ran.returncode == 0, "compare.py reads it: " + ran.stderr)
    check("/forward/null_median" in ran.stdout and "U Test, Repetitions: 12 vs 12" in ran.stdout,
          "compare.py tests the samples: " + ran.stdout)


def parse(exported, parser):
    families = {family.name: family for family in parser(exported)}
    check(sorted(families) == ["opbench_bytes_per_second", "opbench_flops", "opbench_median_high_seconds",
                               "opbench_median_low_seconds", "opbench_median_seconds", "opbench_ok",
                               "opbench_p99_seconds", "opbench_samples"], f"the families: {sorted(families)}")
    median = families["opbench_median_seconds"].samples
    check(len(median) == 14 and median[0].value == 1e-6, f"medians in seconds: {median[0]}")
    check(median[0].labels["shapes"] == "256x64 256x64" and median[0].labels["dtypes"] == "float float", "shapes and dtypes")


def main():
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        def show(form):
            return subprocess.run([sys.argv[1], "show", "null.json", "--format", form], cwd=folder, check=True,
                                  capture_output=True, text=True).stdout
        subprocess.run([sys.argv[1], "run", "-c", CONFIG, "--backend", "null", "-i", "12", "--output", "null.json"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        if COMPARE.exists() and subprocess.run([sys.executable, "-c", "import scipy"], check=False,
                                               stderr=subprocess.DEVNULL).returncode == 0:
            compare(folder, show("google-benchmark"))
            tried += 1
        try:
            from prometheus_client.openmetrics.parser import text_string_to_metric_families
            parse(show("openmetrics"), text_string_to_metric_families)
            tried += 1
        except ImportError:
            pass
    print(f"{tried} of 2 tools were there" if tried else "skipped: neither libbenchmark-tools nor python3-prometheus-client")
    return 0 if tried else 77


if __name__ == "__main__":
    sys.exit(main())
