# SPDX-License-Identifier: Apache-2.0
"""What the tests of `--backend torch` share: parts of configs, and a run of one with its records."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATOR = "PyTorch:DefaultDataGenerator"
SKIP = 77
LIMIT_S = 1200
program = os.path.abspath(sys.argv.pop(1))


def tensor(*shape, dtype="float", **more):
    return {"type": "tensor", "dtype": dtype, "shape": list(shape), **more}


def integer(value):
    return {"type": "int", "value": value}


def operator(*inputs, **more):
    return {"input_data_generator": GENERATOR, "config": [{"input": list(inputs)}], **more}


def entry(*args, **kwargs):
    return {"args": list(args), "kwargs": kwargs} if kwargs else {"args": list(args)}


class TorchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-torch-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_file(self, config, *options):
        output = self.path("records.json")
        if os.path.exists(output):
            os.remove(output)
        done = subprocess.run(
            [program, "run", "-c", config, "-q", "--output", output, "-w", "1", "-i", "2",
             *([] if "--backend" in options else ["--backend", "torch"]), *options],
            capture_output=True, text=True, check=False, timeout=LIMIT_S, cwd=self.folder)
        self.stderr = done.stderr
        self.lines = []
        if os.path.exists(output):
            with open(output, encoding="utf-8") as file:
                self.lines = [json.loads(line) for line in file]
        return [line for line in self.lines if "op_name" in line], done.returncode

    def run_config(self, content, *options):
        return self.run_file(self.write("config.json", json.dumps(content)), *options)

    def statuses(self, content, *options):
        results, _ = self.run_config(content, *options)
        return {r["op_name"]: (r["status"], r.get("reason")) for r in results}

    def assert_all_ok(self, config, *options):
        results, code = self.run_file(config, *options)
        bad = [(r["op_name"], r["id"], r["status"], r.get("reason")) for r in results
               if r["status"] not in ("ok", "mistrusted")]
        self.assertEqual((bad, code), ([], 0), f"{config} {options}: {self.stderr}")
        self.assertGreater(len(results), 0)
        return results


def main():
    listed = subprocess.run([program, "list", "backends", "--json"], capture_output=True, text=True,
                            check=True)
    for line in map(json.loads, listed.stdout.splitlines()):
        if line["name"] == "torch" and not line["available"]:
            print("skipped:", line["reason"])
            sys.exit(SKIP)
    unittest.main(module="__main__")
