# SPDX-License-Identifier: Apache-2.0
"""A run on torch as a whole: execution graphs, profiles, threads, modes."""

import json
import os
import subprocess

from torch_case import ROOT, TorchTest, entry, main, operator, program, tensor


class Whole(TorchTest):
    def test_execution_graph(self):
        content = {"torch.add": operator(entry(tensor(3), tensor(3)))}
        _, code = self.run_config(content, "--et")
        self.assertEqual(code, 0, self.stderr)
        self.assertNotIn("--et", self.stderr)  # -q
        with open(self.path("records_et.json"), encoding="utf-8") as file:
            graph = json.load(file)
        self.assertIn("aten::add", [node["name"] for node in graph["nodes"]])

    def test_execution_graph_is_named(self):
        content = {"torch.add": operator(entry(tensor(3), tensor(3)))}
        config = self.write("config.json", json.dumps(content))
        done = subprocess.run([program, "run", "-c", config, "--et", "--output", "named.json"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\nexecution graph: named_et.json\n", done.stdout)
        self.assertTrue(os.path.exists(self.path("named_et.json")))

    def test_no_trace_is_replaced_by_an_execution_graph(self):
        config = self.write("config.json", json.dumps({"torch.add": operator(entry(tensor(3), tensor(3)))}))
        trace = self.write("resnet_et.json", "recorded last year")
        done = subprocess.run([program, "run", "-c", config, "--et", "--output", "resnet.json"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("resnet_et.json, the execution graph of --et, already exists; --force replaces it", done.stderr)
        with open(trace, encoding="utf-8") as file:
            self.assertEqual(file.read(), "recorded last year")

    def test_profile(self):
        weights = {"type": "tensor", "dtype": "float", "shape": [4, 4]}
        content = {"torch.nn.functional.linear": operator(entry(tensor(3, 4), weights))}
        results, code = self.run_config(content, "--profile", "-b", "-i", "3")
        self.assertEqual(code, 0, self.stderr)
        inside = [(row[0], row[1]) for row in results[0]["kernels"]]
        self.assertIn(("aten::linear", "forward"), inside)
        self.assertIn(("aten::matmul", "forward"), inside)
        self.assertIn("backward", [kind for _, kind in inside])
        sums = {(line["kernel"], line["pass"]): line for line in self.lines if "kernel" in line}
        outer = sums["aten::linear", "forward"]
        self.assertEqual((outer["calls"], outer["case_op_name"], outer["case_id"]),
                         (1, "torch.nn.functional.linear", "0|0|0"))
        self.assertGreater(outer["total"], outer["own"])
        self.assertEqual((results[0]["kernel_iterations"], outer["iterations"]), (3, 3))
        with open(self.path("records_trace.json"), encoding="utf-8") as file:
            events = [event for event in json.load(file) if event.get("cat") == "kernel"]
        self.assertEqual([event["name"] for event in events], [name for name, _ in inside])
        results, _ = self.run_config(content)
        self.assertNotIn("kernels", results[0])

    def test_header_and_threads(self):
        content = {"torch.mm": operator(entry(tensor(8, 8), tensor(8, 8)))}
        for threads in ("1", "2"):
            self.run_config(content, "--num-threads", threads)
            text = json.dumps(self.lines[0])
            self.assertIn('"libtorch": "', text)
            self.assertIn(f'"threads": "{threads}"', text)
            self.assertIn(f'"interop_threads": "{threads}"', text)
            if '"blas_threads"' in text:  # OpenBLAS is bound too, not only OpenMP
                self.assertIn(f'"blas_threads": "{threads}"', text)

    def test_leaf_outputs_have_no_backward(self):
        plain = tensor(3, requires_grad=False)
        results, code = self.run_config({"torch.add": operator(entry(plain, plain))}, "-b")
        self.assertEqual((results[0]["status"], code), ("ok", 0))
        self.assertNotIn("backward", results[0]["metric"])
        self.assertIn("the backward pass was left out: no input or parameter requires a gradient",
                      results[0]["warnings"])
        results, _ = self.run_config({"torch.argmax": operator(entry(tensor(3)))}, "-b")
        self.assertIn("the backward pass was left out: no output has a gradient", results[0]["warnings"][0])

    def test_modes(self):
        config = os.path.join(ROOT, "tests", "cli", "configs", "baddbmm.json")
        for mode in ("continuous", "continuous_events"):
            self.assert_all_ok(config, "--exec-mode", mode, "-b")
        self.assert_all_ok(config, "--inference-mode")
        self.assert_all_ok(config, "--cache", "cold")


if __name__ == "__main__":
    main()
