# SPDX-License-Identifier: Apache-2.0
#
# test_onnxruntime_sweep.py OPBENCH: the sweep "using fp16 or fp32, pt or ort": a model, its parameters, input scales and these four job
# configs, to a CSV file. Where torch is not there, native stands for it. A sweep over a runtime that cannot
# work here is refused before anything is measured.

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

opbench = os.path.abspath(sys.argv[1])
listed = subprocess.run([opbench, "list", "backends", "--json"], capture_output=True, text=True).stdout
rows = {row["name"]: row for row in map(json.loads, listed.splitlines())}
other = "pt" if rows["torch"]["available"] else "native"
SWEEP = {
    "model": "torch.nn.Linear",
    "model_init_params": ["in_features", "out_features"],
    "input_params": [["batch", "in_features"]],
    "input_scales": {"batch": [1, 4], "in_features": [8, 16], "out_features": [8]},
    "job_configs": [{"precision": ["fp16", "fp32"], "runtime": [other, "ort"]}],
}

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "sweep.json").write_text(json.dumps(SWEEP))

    def sweep(env=None):
        return subprocess.run([opbench, "sweep", "sweep.json", "-o", "sweep.csv", "-w", "1", "-i", "3"], cwd=folder,
                              capture_output=True, text=True, env=env)

    done = sweep(dict(os.environ, OPBENCH_ONNXRUNTIME="/nowhere/libonnxruntime.so"))
    assert done.returncode == 2, done
    assert "onnxruntime" in done.stderr and "/nowhere/libonnxruntime.so" in done.stderr, done.stderr
    assert not (folder / "sweep.csv").exists() or not list(csv.DictReader(open(folder / "sweep.csv")))

    if not rows["onnxruntime"]["available"]:
        print("skipped:", rows["onnxruntime"]["reason"])
        sys.exit(77)
    done = sweep()
    assert done.returncode in (0, 1), done # libtorch 1.13 has no float16 products on the CPU
    table = list(csv.DictReader(open(folder / "sweep.csv")))
    assert len(table) == 2 * 2 * 2 * 2, len(table)
    ours = [row for row in table if row["backend"] == "onnxruntime"]
    assert {row["precision"] for row in ours} == {"fp16", "fp32"} and len(ours) == 8
    for row in ours:
        assert row["status"] == "ok" and float(row["median_ns"]) > 0, row
