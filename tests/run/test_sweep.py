# SPDX-License-Identifier: Apache-2.0
"""A Linear over batch, features, precisions and backends: the table has the right types in Python's csv and in
pandas, a combination that fails is a row with its reason, and --resume repeats nothing."""

import csv
import json
import os
import subprocess

import harness
from harness import RunTest

TEXTS = {"precision", "backend", "kind", "name", "status", "reason", "pass", "call"}
WHOLE = {"batch", "in_features", "out_features", "samples"}


def backends():
    got = subprocess.run([harness.program, "list", "backends", "--json"], capture_output=True, text=True)
    rows = [json.loads(line) for line in got.stdout.splitlines()]
    return ["native"] + [r["name"] for r in rows if r.get("name") == "torch" and r.get("available")]


class Sweep(RunTest):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "linear.json")
        self.table = os.path.join(self.folder, "linear.csv")
        self.backends = backends()
        sweep = {"model": "torch.nn.Linear", "model_init_params": ["in_features", "out_features"],
                 "input_params": [["batch", "in_features"]],
                 "input_scales": {"batch": [1, 8], "in_features": [16, 32], "out_features": 4},
                 "job_configs": [{"precision": ["fp32", "fp16", "bf16"], "runtime": self.backends}]}
        with open(self.file, "w") as file:
            json.dump(sweep, file)

    def sweep(self, *more):
        return subprocess.run([harness.program, "sweep", self.file, "-o", self.table, "-w", "1", "-i", "3", *more],
                              capture_output=True, text=True, timeout=300)

    def rows(self):
        with open(self.table) as file:
            return list(csv.DictReader(file))

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def results_text(self):
        return [line for line in self.text("linear.jsonl").splitlines() if '"op_name"' in line]

    def test_table(self):
        got = self.sweep()
        rows = self.rows()
        self.assertEqual(len(rows), 4 * 3 * len(self.backends), got.stderr)
        failed = [row for row in rows if row["status"] != "ok"]
        # PyTorch 1.13 has no half on CPUs; a later one has.
        for row in failed:
            self.assertEqual((row["precision"], row["backend"], row["samples"]), ("fp16", "torch", "0"))
            self.assertIn("Half", row["reason"])
            self.assertEqual(row["median_ns"], "")
        self.assertEqual(got.returncode, 1 if failed else 0)
        for row in rows:
            for name, text in row.items():
                if name in WHOLE:
                    self.assertEqual(str(int(text)), text, name)
                elif name not in TEXTS and text != "":
                    self.assertGreaterEqual(float(text), 0, name)
        self.check_pandas(rows)
        before = self.text("linear.csv"), self.results_text()
        again = self.sweep("--resume")
        self.assertIn("0 cases measured, %d already done" % len(rows), again.stdout)
        self.assertEqual(again.returncode, got.returncode, "failed rows are failed rows")
        self.assertEqual((self.text("linear.csv"), self.results_text()), before)

    def check_pandas(self, rows):
        try:
            import pandas
        except ImportError:
            return
        frame = pandas.read_csv(self.table)
        self.assertEqual(len(frame), len(rows))
        for name in frame.columns:
            kind = frame[name].dtype.kind
            if name in WHOLE:
                self.assertEqual(kind, "i", name)
            elif name in TEXTS:
                self.assertIn(kind, "OUf", name)  # a column without any reason has no texts
            else:
                self.assertIn(kind, "fi", name)
        best = frame[frame.status == "ok"].groupby(["precision", "backend"]).median_ns.min()
        self.assertTrue((best > 0).all())

    def test_check(self):
        if len(self.backends) < 2:
            self.skipTest("the torch backend is not there")
        self.sweep("--check", "--every", "4")
        records = [json.loads(line) for line in self.results_text()]
        found = {(r["backend"], r.get("check", {}).get("verdict")) for r in records
                 if r.get("status") == "ok" and "op_name" in r}
        self.assertEqual(found, {("native", "same"), ("torch", "same")})


if __name__ == "__main__":
    harness.main()
