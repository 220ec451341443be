# SPDX-License-Identifier: Apache-2.0
"""--check of native against torch: random and uninitialised results, in place, empty, modules; skipped
where libtorch is not there."""

import json
import subprocess
import unittest

import harness
from harness import GENERATOR, RunTest, entry, operator, tensor


def has_torch():
    done = subprocess.run([harness.program, "list", "backends", "--json"], stdout=subprocess.PIPE)
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    return any(e["name"] == "torch" and e["available"] for e in entries)


def with_kwarg(shape, name, kind, value):
    return {"args": [tensor(*shape)], "kwargs": {name: {"type": kind, "value": value}}}


LARGE = entry(tensor(100, 100))
CONFIG = {
    "torch.rand_like": operator(LARGE),
    "torch.randn_like": operator(LARGE),
    "torch.bernoulli": operator(LARGE),
    "torch.nn.functional.dropout": operator(with_kwarg((100, 100), "p", "float", 0.3)),
    "torch.empty_like": operator(LARGE),
    "torch.relu_": operator(LARGE),
    "torch.add_": operator(entry(tensor(3, 4), tensor(4))),
    "torch.nn.functional.softmax": operator(
        with_kwarg((1, 1), "dim", "int", 1), with_kwarg((0, 3), "dim", "int", 1),
        # PyTorch rounds between the steps where vectors do not fill the last dimension.
        {"args": [tensor(64, 30, 200, dtype="bfloat16"), {"type": "int", "value": 1}]}),
    # Rounded twice: the sum, and what it is divided by.
    "torch.mean": operator({"args": [tensor(100, 1001, dtype="bfloat16"), {"type": "int", "value": 1}]}),
    "torch.mm": operator(
        entry(tensor(128, 512), tensor(512, 64)),
        entry(tensor(16, 32, dtype="bfloat16"), tensor(32, 8, dtype="bfloat16"))),
    "torch.nn.Linear": {
        "build_data_generator": GENERATOR,
        "input_data_generator": GENERATOR,
        "config": [{
            "build": [{"args": [{"type": "int", "value": 64}, {"type": "int", "value": 32}]}],
            "input": [entry(tensor(16, 64))],
        }],
    },
}


class CheckTorch(RunTest):
    def setUp(self):
        super().setUp()
        if not has_torch():
            raise unittest.SkipTest("there is no torch to compare with")

    def test_same(self):
        for options in ((), ("-b",)):
            for backends in ("native,torch", "torch,native", "torch"):
                self.run_config(CONFIG, "--backend", backends, "--check", *options, code=0)
                checked = [r for r in self.results() if "check" in r]
                self.assertEqual(len(checked), 14 * len(backends.split(",")))
                for r in checked:
                    wanted = "not checked" if r["op_name"] == "torch.empty_like" else "same"
                    self.assertEqual(r["check"]["verdict"], wanted, r["op_name"])
                    self.assertTrue(wanted != "same" or r["check"]["worst"] < 1)

    def test_gradients_are_compared(self):
        """Overwritten inputs start anew in every iteration, with torch too: its gradients do not add up."""
        self.run_config({"torch.mul_": operator(entry(tensor(3, 4), tensor(4)))},
                        "--backend", "native,torch", "--check", "-b", "-i", "5", code=0)
        self.assertEqual(self.results()[1]["check"]["verdict"], "same")


if __name__ == "__main__":
    harness.main()
