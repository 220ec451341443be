# SPDX-License-Identifier: Apache-2.0
"""`opbench run --backend cuda` on a machine without a GPU: what is said where there is no driver; with the stand-in of
fake_cuda.c, results, all ways to measure, the order of the calls, and every failure as a failed record.

usage: test_cuda_run.py PROGRAM FAKE_DIR DRIVER_DIR"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

GENERATOR = "PyTorch:DefaultDataGenerator"
LIMIT_S = 250
program = fake_dir = driver_dir = None


def tensor(*shape, dtype="float", **more):
    return {"type": "tensor", "dtype": dtype, "shape": list(shape), **more}


def operator(*args):
    return {"input_data_generator": GENERATOR, "config": [{"input": [{"args": list(args)}]}]}


ADD = {"torch.add": operator(tensor(8, 16), tensor(16))}


class CudaTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-cuda-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words, libraries=None, faults="", log=None):
        environment = dict(os.environ)
        environment.pop("LD_LIBRARY_PATH", None)
        if libraries:
            environment["LD_LIBRARY_PATH"] = libraries
        environment["FAKE_CUDA"] = faults
        if log:
            environment["FAKE_CUDA_LOG"] = log
        return subprocess.run([program, *words], capture_output=True, text=True, check=False,
                              timeout=LIMIT_S, cwd=self.folder, env=environment)

    def run_config(self, config, *options, backend="cuda", **more):
        with open(self.path("config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        output = self.path("records.json")
        done = self.call("run", "-c", "config.json", "-q", "--force", "--output", output, "--backend",
                         backend, "-w", "1", "-i", "3", *options,
                         **{"libraries": fake_dir, **more})
        self.stderr = done.stderr
        self.code = done.returncode
        if not os.path.exists(output):
            return []
        with open(output, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.header = next((line for line in lines if "op_name" not in line), None)
        return [line for line in lines if "op_name" in line]

    def failure(self, config, **more):
        records = self.run_config(config, **more)
        self.assertEqual(self.code, 1, self.stderr)
        self.assertNotIn("ok", {r["status"] for r in records}, self.stderr)
        return json.dumps(records[0])


class WithoutDriver(CudaTest):
    def test_says_what_to_install(self):
        table = " ".join(self.call("list", "backends").stdout.split())
        if table.count("cuda ") and "no driver for an NVIDIA GPU" not in table:
            self.skipTest("this machine has a driver")
        self.assertIn("install the NVIDIA driver", table)
        self.assertEqual(self.run_config(ADD, libraries=None), [])
        self.assertEqual(self.code, 2)
        self.assertIn("libcuda.so.1", self.stderr)

    def test_an_old_or_broken_driver(self):
        folder = self.path("broken")
        os.mkdir(folder)
        with open(os.path.join(folder, "libcuda.so.1"), "w", encoding="utf-8") as file:
            file.write("not a library")
        self.run_config(ADD, libraries=folder)
        self.assertNotEqual(self.code, 0)
        self.assertIn("libcuda.so.1", self.stderr)


class Results(CudaTest):
    def test_beside_native(self):
        config = {
            "torch.add": operator(tensor(8, 16), tensor(8, 16)),
            "torch.mm": operator(tensor(7, 5), tensor(5, 3)),
            "torch.nn.functional.gelu": operator(tensor(33)),
            "torch.nn.functional.linear": operator(tensor(4, 6), tensor(5, 6)),
        }
        records = self.run_config(config, "--check", "-b", backend="native,cuda")
        self.assertEqual(self.code, 0, self.stderr)
        cuda = [r for r in records if r.get("backend") == "cuda"]
        self.assertEqual({r["status"] for r in cuda}, {"ok"})
        self.assertEqual({r["op_name"] for r in cuda}, set(config))

    def test_inputs_that_are_changed_come_back(self):
        records = self.run_config({"torch.Tensor.add_": operator(tensor(4, 4), tensor(4, 4))},
                                  "--check", backend="native,cuda")
        self.assertEqual({r["status"] for r in records}, {"ok"}, self.stderr)

    def test_integers_divided_by_zero(self):
        zeros = tensor(4, dtype="int", value_range=[0, 1])
        self.assertIn("aten::floor_divide: element 1 of other is 0",
                      self.failure({"torch.floor_divide": operator(tensor(4, dtype="int"), zeros)}))


class Measuring(CudaTest):
    def test_events_are_the_device_s_own_time(self):
        records = self.run_config(ADD, "--exec-mode", "continuous_events")
        self.assertEqual(records[0]["status"], "ok", self.stderr)
        # The stand-in takes 1 us for every command; records are in milliseconds.
        self.assertAlmostEqual(records[0]["statistics"]["forward"]["median"], 0.001, delta=1e-6)

    def test_all_modes(self):
        for mode in ("discrete", "continuous"):
            records = self.run_config(ADD, "--exec-mode", mode)
            self.assertEqual(records[0]["status"], "ok", self.stderr)

    def test_a_cold_cache(self):
        log = self.path("calls")
        records = self.run_config(ADD, "--cache", "cold", log=log)
        self.assertEqual(records[0]["status"], "ok", self.stderr)
        with open(log, encoding="utf-8") as file:
            self.assertGreaterEqual(file.read().count("cuMemsetD8Async"), 3)

    def test_the_header_describes_the_gpu(self):
        self.run_config(ADD)
        text = json.dumps(self.header)
        self.assertIn("Pretended GPU 0", text)
        self.assertIn("12.4", text)

    def test_another_device(self):
        self.run_config(ADD, "--device", "cuda:1")
        self.assertIn("Pretended GPU 1", json.dumps(self.header))

    def test_order_of_calls(self):
        log = self.path("calls")
        self.run_config(ADD, log=log)
        with open(log, encoding="utf-8") as file:
            calls = file.read().split("\n")
        first = {name: calls.index(name) for name in
                 ("cuInit", "cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuMemAlloc", "cuMemcpyHtoD",
                  "cuModuleLoadData", "cuLaunchKernel", "cuStreamDestroy")}
        self.assertEqual(sorted(first, key=first.get), list(first))
        self.assertEqual(calls.count("cuModuleLoadData"), 1)
        self.assertEqual(calls.count("cuLaunchKernel"), 4)  # one to warm up, three measured
        self.assertEqual(calls.count("cuMemAlloc"), calls.count("cuMemFree"))
        self.assertIn("cuDevicePrimaryCtxRelease 0 bytes left", calls)


class Failures(CudaTest):
    def test_no_device(self):
        self.run_config(ADD, faults="none")
        self.assertNotEqual(self.code, 0)
        self.assertIn("finds no GPU", self.stderr)

    def test_no_such_device(self):
        self.run_config(ADD, "--device", "cuda:7")
        self.assertNotEqual(self.code, 0)
        self.assertIn("cuda:0 to cuda:1", self.stderr)

    def test_each_is_a_failed_record(self):
        for faults, words in (("launch", "CUDA_ERROR_LAUNCH_FAILED"),
                              ("late", "CUDA_ERROR_ILLEGAL_ADDRESS"),
                              ("ptx", "CUDA_ERROR_INVALID_PTX"),
                              ("old", "an older CUDA toolkit")):
            with self.subTest(faults):
                self.assertIn(words, self.failure(ADD, faults=faults))

    def test_memory_runs_out(self):
        config = {"torch.add": operator(tensor(1024, 1024), tensor(1024, 1024)),
                  "torch.neg": operator(tensor(8))}
        records = self.run_config(config, faults="small")
        by_name = {r["op_name"]: r for r in records}
        self.assertEqual(by_name["torch.add"]["status"], "out_of_memory")
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", json.dumps(by_name["torch.add"]))
        self.assertEqual(by_name["torch.neg"]["status"], "ok", self.stderr)

    def test_cublas_does_not_start(self):
        config = {"torch.mm": operator(tensor(4, 4), tensor(4, 4)), "torch.neg": operator(tensor(8))}
        by_name = {r["op_name"]: r for r in self.run_config(config, faults="blas")}
        self.assertIn("cuBLAS does not start", json.dumps(by_name["torch.mm"]))
        self.assertEqual(by_name["torch.neg"]["status"], "ok")

    def test_what_it_has_no_kernel_for(self):
        records = self.run_config({"torch.cumsum": operator(tensor(4, 4), {"type": "int", "value": 0})})
        self.assertIn("the cuda backend", json.dumps(records[0]))


    def test_complex_numbers(self):
        """Refused beforehand, wherever they stand: the mask is the first tensor here."""
        numbers = tensor(4, dtype="complex64")
        records = self.run_config({"torch.where": operator(tensor(4, dtype="bool"), numbers, numbers)})
        self.assertEqual(records[0]["status"], "unsupported", json.dumps(records[0]))


class Compiler(CudaTest):
    """The kernels by the real NVRTC, where it is."""

    def test_compiles(self):
        config = {"torch.add": operator(tensor(8, dtype="float16"), tensor(8, dtype="float16")),
                  "torch.pow": operator(tensor(8, dtype="long"), tensor(8, dtype="long")),
                  "torch.where": operator(tensor(8, dtype="bool"), tensor(8), tensor(8)),
                  "torch.nn.functional.mish": operator(tensor(8, dtype="bfloat16"))}
        records = self.run_config(config, libraries=driver_dir)
        if "NVRTC, which compiles kernels" in json.dumps(records):
            self.skipTest("there is no NVRTC")
        self.assertEqual({r["status"] for r in records}, {"ok"}, json.dumps(records))


if __name__ == "__main__":
    program, fake_dir, driver_dir = (os.path.abspath(word) for word in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])
