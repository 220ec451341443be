# SPDX-License-Identifier: Apache-2.0
#
# test_torch_sweep.py OPBENCH: a Linear over sizes, precisions and two runtimes, the seed's words for them included. The
# table has the right types; a combination that torch has no kernel for is a row with its reason; a resumed
# sweep repeats nothing.

import csv
import json
import os
import subprocess
import sys
import tempfile

SWEEP = {
    "model": "torch.nn.Linear",
    "model_init_params": ["in_features", "out_features"],
    "input_params": [["batch", "in_features"]],
    "input_scales": {"batch": [1, 4], "in_features": [8, 16], "out_features": [8]},
    "job_configs": [{"precision": ["fp32", "fp16", "bf16"], "runtime": ["native", "pt"]}],
}
INTEGERS = ["batch", "in_features", "out_features", "samples"]
NUMBERS = ["median_ns", "mean_ns", "iqr_ns", "min_ns", "p99_ns", "gflop_per_second", "gb_per_second",
           "peak_memory_bytes"]

opbench = os.path.abspath(sys.argv[1])


def run(*words):
    return subprocess.run([opbench, "sweep", *words], capture_output=True, text=True)


def check_types(rows):
    for row in rows:
        for name in INTEGERS:
            int(row[name])
        for name in NUMBERS:
            assert (row[name] == "") == (row["status"] != "ok"), (name, row)
            assert row[name] == "" or float(row[name]) >= 0, (name, row)


def check_pandas(path):
    try:
        import pandas
    except ImportError:
        print("note: no pandas, so its types are not looked at")
        return
    table = pandas.read_csv(path)
    assert all(table[name].dtype == "int64" for name in INTEGERS), table.dtypes
    assert all(table[name].dtype in ("float64", "int64") for name in NUMBERS), table.dtypes


def check_rows(path):
    rows = list(csv.DictReader(open(path)))
    assert len(rows) == 2 * 2 * 3 * 2, len(rows)
    check_types(rows)
    combinations = {(r["batch"], r["in_features"], r["precision"], r["backend"]) for r in rows}
    assert len(combinations) == len(rows)
    assert {r["backend"] for r in rows} == {"native", "torch"}
    for row in rows:
        if row["backend"] == "torch" and row["precision"] == "fp16" and row["status"] != "ok":
            assert "Half" in row["reason"], row
        else:
            assert row["status"] == "ok" and row["reason"] == "", row
    return rows


def check_kernels():
    """What ran inside a case has rows of its own, behind the case's, for both passes."""
    done = run("sweep.json", "--backend", "torch", "--case", "torch.nn.Linear|0|0|3_0", "-b", "-p", "-i", "4")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    kinds = [r["kind"] for r in rows]
    assert kinds[:2] == ["operator"] * 2 and set(kinds[2:]) == {"kernel"}, done
    inside = [r for r in rows if r["kind"] == "kernel"]
    assert {r["pass"] for r in inside} == {"forward", "backward"}, rows
    assert any(r["name"] == "aten::addmm" for r in inside), rows
    for row in inside:
        assert row["batch"] == "4" and row["in_features"] == "16" and row["precision"] == "fp32"
        assert float(row["mean_ns"]) >= 0 and row["samples"] == "4", row
        assert row["median_ns"] == row["iqr_ns"] == row["gb_per_second"] == "", row


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        json.dump(SWEEP, open("sweep.json", "w"))
        first = run("sweep.json", "-o", "out.csv", "-i", "3")
        if first.returncode == 2 and "torch" in first.stderr:
            print("skipped: the torch backend is not there:", first.stderr.strip())
            sys.exit(77)
        rows = check_rows("out.csv")
        failed = sum(r["status"] != "ok" for r in rows)
        assert first.returncode == (1 if failed else 0), first
        check_pandas("out.csv")
        before = open("out.jsonl").read().count('"op_name"')
        again = run("sweep.json", "-o", "out.csv", "-i", "3", "--resume")
        assert f"0 cases measured, {len(rows)} already done" in again.stdout, again
        assert open("out.jsonl").read().count('"op_name"') == before
        assert list(csv.DictReader(open("out.csv"))) == rows
        check_kernels()
        SWEEP["job_configs"] = [["fp32", "pt"], ["fp16", "an-unknown-one"]]
        json.dump(SWEEP, open("other.json", "w"))
        other = run("other.json", "-o", "other.csv")
        assert other.returncode == 2 and '"an-unknown-one"' in other.stderr, other
        assert not os.path.exists("other.csv")


main()
