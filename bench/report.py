#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a report of many results takes, how large it is, and when a browser first shows something of it.

usage: /usr/bin/python3 bench/report.py OPBENCH [CASES [SAMPLES]]

Prints a line per figure. Nothing is asserted: the machine decides. The browser needs Debian's chromium, chromium-driver and
python3-selenium.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))
import browser


def write_records(path, cases, samples):
    """Lines as `opbench run` writes them, drawn by a fixed seed."""
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as out:
        out.write(json.dumps({"run_options": {"device": "cpu"}, "start_time": "2026-11-17T20:00:00",
                              "sys_info": {"hostname": "bench", "cpu_model": "CPU", "findings": []}}) + "\n")
        for case in range(cases):
            median = 10 ** draw.uniform(-3, 1)
            times = [round(median * draw.lognormvariate(0, 0.02), 9) for _ in range(samples)]
            ordered = sorted(times)
            stats = {"count": samples, "median": ordered[samples // 2], "mean": sum(times) / samples,
                     "p99": ordered[-1], "interval": {"low": ordered[samples // 3], "high": ordered[2 * samples // 3]},
                     "gflops_per_s": 1 / median, "gb_per_s": 2 / median}
            out.write(json.dumps({
                "op_name": f"torch.op{case % 200}", "id": f"0|0|{case}",
                "metric": {"forward": {"warmup.time": times[:5], "warmup.gpu.memory": [1.0] * 5, "measure.time": times,
                                       "measure.gpu.memory": [1.0] * samples}},
                "key": f"{case:032x}", "call": f"op{case % 200}(f32[{case},64], f32[64,{case % 512}])", "status": "ok",
                "backend": "native", "threads": 1, "number_per_run": 1, "raw_times": [t / 1e3 for t in times],
                "task_spec": {"stmt": f"op{case % 200}"}, "statistics": {"forward": stats}, "count": 1 + case % 9,
                "repro": f"opbench run -c /home/user/configs/step.json --case 'torch.op{case % 200}|0|0|{case}'"}) + "\n")


def first_paint(page, path):
    page.open(path)
    return page.script("return performance.getEntriesByName('first-contentful-paint')[0].startTime"), page.script(
        "const n = performance.getEntriesByType('navigation')[0]; return n.loadEventEnd")


def main():
    program = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    with tempfile.TemporaryDirectory() as folder:
        records, path = pathlib.Path(folder, "records.json"), pathlib.Path(folder, "report.html")
        write_records(records, cases, samples)
        print(f"records: {records.stat().st_size / 1e6:.1f} MB, {cases} cases, {samples} samples each")
        for _ in range(3):
            start = time.monotonic()
            ran = subprocess.run(["/usr/bin/env", "python3", "-c",
                                  "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
                                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                                  program, "report", records, "-o", path, "--force"], check=True, capture_output=True, text=True)
            print(f"made in {time.monotonic() - start:.2f} s, {int(ran.stdout) / 1024:.0f} MiB of memory, "
                  f"{path.stat().st_size / 1e6:.2f} MB")
        page = browser.start()
        if page is not None:
            for _ in range(3):
                paint, loaded = first_paint(page, path)
                print(f"first paint after {paint / 1e3:.2f} s, all loaded after {loaded / 1e3:.2f} s")
            page.close()


if __name__ == "__main__":
    main()
