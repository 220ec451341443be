# SPDX-License-Identifier: Apache-2.0
"""All backends that work here in one run: one table, one record per case and backend, each on its own device, all with the
results of the first.

usage: test_together.py PROGRAM [unittest's options]"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

LIMIT_S = 250
LEFT_OUT = ("null", "known_work")  # give zeros, and nothing
program = None


def tensor(*shape):
    return {"type": "tensor", "dtype": "float", "shape": list(shape)}


def operator(*args):
    return {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [{"args": list(args)}]}]}


# What every backend has, and what some have not.
COMMON = {"torch.add": operator(tensor(16, 8), tensor(8)), "torch.mm": operator(tensor(9, 17), tensor(17, 5)),
          "torch.nn.functional.relu": operator(tensor(7, 3))}
RARE = {"torch.sort": operator(tensor(5, 6))}


def available():
    listing = subprocess.run([program, "list", "backends", "--json"], capture_output=True, text=True,
                             check=True, timeout=LIMIT_S).stdout
    rows = [row for row in map(json.loads, listing.splitlines()) if row["available"]]
    return {row["name"]: row["devices"] for row in rows if row["name"] not in LEFT_OUT}


class Together(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-together-")
        self.addCleanup(folder.cleanup)
        self.output = os.path.join(folder.name, "records.json")
        self.config = os.path.join(folder.name, "config.json")
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump(COMMON | RARE, file)
        self.backends = available()

    def run_all(self, *words):
        names = sorted(self.backends, key=lambda name: (name != "native", name))
        result = subprocess.run([program, "run", "-c", self.config, "--backend", ",".join(names), "--check",
                                 "--output", self.output, "--force", "-w", "1", "-i", "3", *words],
                                capture_output=True, text=True, check=False, timeout=LIMIT_S)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        with open(self.output, encoding="utf-8") as file:
            records = [r for r in map(json.loads, file) if "op_name" in r]
        return names, result.stdout, records

    def check(self, records, required=tuple(COMMON)):
        self.assertEqual(len(records), len(self.backends) * (len(COMMON) + len(RARE)))
        for record in records:
            backend, op = record["backend"], record["op_name"]
            with self.subTest(backend=backend, op=op):
                self.assertIn(record["status"], ("ok",) if op in required else ("ok", "unsupported"),
                              record.get("reason"))
                if record["status"] == "ok" and backend != "native":
                    self.assertEqual(record["check"]["verdict"], "same", record["check"])
                first = self.backends[backend][0]
                self.assertEqual(record["device"], first if first == "cpu" else first + ":0")

    def test_forward(self):
        names, table, records = self.run_all()
        self.assertEqual([n for n in table.splitlines()[0].split() if n in names], names)
        self.check(records)

    def test_backward(self):
        self.check(self.run_all("-b")[2], required=("torch.nn.functional.relu",))

    def test_devices_by_name(self):
        devices = {d[0] if d[0] == "cpu" else d[0] + ":0" for d in self.backends.values()}
        self.check(self.run_all("--device", ",".join(sorted(devices)))[2])


if __name__ == "__main__":
    program = os.path.abspath(sys.argv[1])
    if len(available()) < 2:
        print("skipped: only one backend works here, and none to compare it with")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
