# SPDX-License-Identifier: Apache-2.0
"""--check end to end: zeros, results that are a little too large, and kernels that compute only once must be found; native's own
results are right, ties are no difference, and what has no reference is said not to be checked."""

import os
import shutil

import harness
from harness import RunTest, entry, operator, tensor


def number(kind, value):
    return {"type": kind, "value": value}


def with_dim(*shape, dtype):
    return {"args": [tensor(*shape, dtype=dtype), number("int", -1)]}


SOFTMAX = "torch.nn.functional.softmax"
CASES = {
    SOFTMAX: operator(
        with_dim(8, 50257, dtype="float"), with_dim(8, 4096, dtype="bfloat16"), with_dim(8, 4096, dtype="half")),
    "torch.nn.functional.log_softmax": operator(with_dim(8, 32000, dtype="bfloat16")),
    "torch.nn.functional.layer_norm": operator({"args": [
        tensor(8, 4096, dtype="bfloat16"),
        {"type": "genericlist", "value": [number("int", 4096)]}]}),
    "torch.nn.functional.conv2d": operator(
        entry(tensor(1, 64, 14, 14, dtype="bfloat16"), tensor(64, 64, 3, 3, dtype="bfloat16"))),
    "torch.mean": operator(entry(tensor(100000, dtype="bfloat16"))),
    "torch.var": operator(entry(tensor(1000, dtype="bfloat16")), entry(tensor(1000))),
    "torch.nn.functional.linear": operator(
        entry(tensor(64, 2048, dtype="bfloat16"), tensor(2048, 2048, dtype="bfloat16"))),
}
SINGLE = {
    SOFTMAX: operator(with_dim(8, 1024, dtype="float")),
    "torch.mm": operator(entry(tensor(32, 64), tensor(64, 16))),
    "torch.exp": operator(entry(tensor(1000))),
    "torch.add": operator(entry(tensor(100, 100), tensor(100))),
    "torch.sum": operator(entry(tensor(1000))),
}
SUMS = {
    SOFTMAX: operator(with_dim(8, 50257, dtype="float"), with_dim(1, 600000, dtype="float")),
    "torch.mean": operator(entry(tensor(1000000))),
    "torch.nn.functional.conv2d": operator(entry(tensor(1, 64, 14, 14), tensor(8, 64, 3, 3))),
}
# More products than the reference makes in its time.
LARGE = {"torch.mm": operator(entry(tensor(1024, 2048), tensor(2048, 2048)))}


class Check(RunTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("plugins"))
        shutil.copy(os.environ["SPOILED_PLUGIN"], self.path("plugins"))
        self.environment = dict(os.environ, OPBENCH_PLUGIN_PATH=self.path("plugins"))

    def check(self, config, backend, *options, code):
        self.run_config(config, "--backend", backend, "--check", "-w", "1", "-i", "2", *options,
                        code=code, env=self.environment)
        return self.results()

    def verdicts(self, config, backend, *options, code):
        return {r["check"]["verdict"] for r in self.check(config, backend, *options, code=code)}

    def test_zeros_differ(self):
        results = self.check(CASES, "null", code=1)
        self.assertEqual(len(results), 10)
        for r in results:
            self.assertEqual((r["op_name"], r["status"], r["check"]["verdict"]), (r["op_name"], "differs", "differs"))

    def test_native_is_same(self):
        results = self.check(CASES, "native", code=0)
        self.assertEqual(len(results), 10)
        for r in results:
            self.assertEqual((r["op_name"], r["check"]["verdict"]), (r["op_name"], "same"))
            self.assertEqual(r["check"]["again"], "refilled")

    def test_too_large_differs(self):
        """However many terms are summed: libraries sum them in several places, and not one after the other."""
        for cases in (SINGLE, SUMS):
            self.assertEqual(self.verdicts(cases, "spoiled", "--backend-options", "factor=1.0001", code=1), {"differs"})
            self.assertEqual(self.verdicts(cases, "spoiled", "--backend-options", "factor=1", code=0), {"same"})

    def test_too_large_differs_in_half_precision(self):
        """1 % is less than roundings of bfloat16 make of a single mean, or of x rstd - mean rstd: docs/check.md."""
        coarse = {"torch.mean", "torch.nn.functional.layer_norm"}
        for factor, missed in (("1.5", set()), ("1.01", coarse)):
            results = self.check(CASES, "spoiled", "--backend-options", "factor=" + factor, code=1)
            self.assertEqual(len(results), 10)
            self.assertEqual({r["op_name"] for r in results if r["check"]["verdict"] != "differs"}, missed)

    def test_some_elements_of_large_results(self):
        """Those are chosen by chance, and the record says how many."""
        for backend, options, code, verdict in (
                ("native", (), 0, "same"), ("null", (), 1, "differs"),
                ("spoiled", ("--backend-options", "factor=1.001"), 1, "differs")):
            check = self.check(LARGE, backend, *options, code=code)[0]["check"]
            self.assertEqual((backend, check["verdict"]), (backend, verdict))
            self.assertEqual(check["elements"] % (1024 * 2048), 0)
            self.assertGreater(check["checked"], 1000)
            self.assertLess(check["checked"], check["elements"] // 2)

    def test_computing_once_differs(self):
        """Right at first: what is found is found behind the measurement."""
        for fault in ("caches", "once", "early"):
            results = self.check(SINGLE, "spoiled", "--backend-options", "fault=" + fault, code=1)
            self.assertEqual(len(results), len(SINGLE))
            for r in results:
                self.assertEqual((fault, r["check"]["verdict"], r["check"]["again"]), (fault, "differs", "refilled"))

    def test_ties_are_no_difference(self):
        """Many equal values: which of them comes first is not said."""
        ties = tensor(4, 64, dtype="bool")
        config = {
            "torch.sort": operator(entry(tensor(4, 64, dtype="int8"))),
            "torch.topk": operator({"args": [tensor(4, 300, dtype="int8"), number("int", 60)]}),
            "torch.argsort": operator(entry(ties)),
            "torch.nn.functional.hardtanh": operator({"args": [tensor(100), number("float", 1.0), number("float", -1.0)]}),
        }
        self.assertEqual(self.verdicts(config, "native", code=0), {"same"})

    def test_no_reference_is_not_checked(self):
        results = self.check({"torch.empty_like": operator(entry(tensor(4)))}, "native", code=0)
        self.assertEqual(results[0]["check"]["verdict"], "not checked")
        self.assertNotIn("again", results[0]["check"])


if __name__ == "__main__":
    harness.main()
