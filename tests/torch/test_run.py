# SPDX-License-Identifier: Apache-2.0
"""`opbench run --backend torch`: operators by name, overload and schema; failures of all kinds that leave the
rest of the run alone; TorchScript, libraries of operators, execution graphs, threads; whole configs."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHIPPED = os.path.join(os.path.dirname(ROOT), "shared", "goldens", "param", "shipped")
GENERATOR = "PyTorch:DefaultDataGenerator"
SKIP = 77
LIMIT_S = 250
program = None


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
             "--backend", "torch", *options],
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


class Operators(TorchTest):
    def test_names_beyond_the_core(self):
        schema = "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
        got = self.statuses({
            "aten::frac": operator(entry(tensor(3))),
            "aten::frac.out": operator(entry(tensor(3), out=tensor(3))),
            "torch.linalg.svd": operator(entry(tensor(3, 3))),
            "torch.ops.aten.logaddexp2.default": operator(entry(tensor(3), tensor(3))),
            schema: operator(entry(tensor(3), tensor(3))),
            "torch.special.i0e": operator(entry(tensor(3))),
        })
        self.assertEqual(set(got.values()), {("ok", None)}, got)

    def test_overload_by_types_of_arguments(self):
        listed = {"type": "genericlist", "value": [integer(0), integer(1)]}
        got = self.statuses({
            "aten::nansum": operator(entry(tensor(3, 4))),
            "aten::amax": operator(entry(tensor(3, 4), listed)),
            "aten::bitwise_and": operator(entry(tensor(3, dtype="int"), integer(1)),
                                          entry(tensor(3, dtype="int"), tensor(3, dtype="int"))),
        })
        self.assertEqual(set(got.values()), {("ok", None)}, got)

    def test_schema_of_a_build(self):
        build = {"args": [{"type": "str", "value": "aten::frac(Tensor self) -> Tensor"}]}
        results, code = self.run_config({"aten::anything": {
            "build_data_generator": GENERATOR, "input_data_generator": GENERATOR,
            "config": [{"build": [build], "input": [entry(tensor(3))]}]}})
        self.assertEqual(([r["status"] for r in results], code), (["ok"], 0), self.stderr)

    def test_schemas_of_other_releases(self):
        newer = "aten::frac(Tensor self, *, SymInt[]? hint=None) -> Tensor(a)"
        other = "aten::frac(Tensor self, int places) -> Tensor"
        without_overload = "aten::nansum(Tensor self, *, ScalarType? dtype=None) -> Tensor"
        results, code = self.run_config({
            newer: operator(entry(tensor(3))), other: operator(entry(tensor(3))),
            without_overload: operator(entry(tensor(3)))})
        said = {r["op_name"]: " ".join(r.get("warnings", [])) for r in results}
        self.assertEqual(([r["status"] for r in results], code), (["ok"] * 3, 0), self.stderr)
        self.assertNotIn("schema", said[newer] + said[without_overload])
        self.assertIn("taken for its name and overload: there is no argument 'places'", said[other])

    def test_what_is_no_schema(self):
        for name in ("aten::frac(", "aten::frac(Tensor self) ->", "aten::frac(Tensor self"):
            results, code = self.run_config({name: operator(entry(tensor(3)))})
            self.assertEqual((results, code), ([], 2), name)
            self.assertIn(f"config.json:1:2: error: .\"{name}\": '{name}' is no schema: ", self.stderr)

    def test_effects_are_refused_whatever_the_arguments(self):
        name = {"type": "str", "value": "/etc/passwd"}
        got = self.statuses({"aten::from_file": operator(entry(name), entry(tensor(3))),
                             "torch.from_file": operator(entry())})
        self.assertEqual(set(got.values()),
                         {("unsupported", "aten::from_file is refused: it maps a file")})

    def test_unknown(self):
        got = self.statuses({"aten::fracc": operator(entry(tensor(3))),
                             "mylib::op": operator(entry(tensor(3)))})
        self.assertEqual({status for status, _ in got.values()}, {"unsupported"})
        self.assertIn("the nearest name is aten::frac;", got["aten::fracc"][1])
        self.assertIn("--torch-library FILE", got["mylib::op"][1])

    def test_no_warning_of_what_torch_has(self):
        self.run_config({"aten::frac": operator(entry(tensor(3)))}, "-l", "warning")
        self.assertNotIn("knows no operator", self.stderr)

    def listed(self, *words):
        done = subprocess.run([program, "list", "ops", "--json", *words], capture_output=True,
                              text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_listing(self):
        line, other = self.listed("--backend", "torch", "aten::frac")
        self.assertEqual(other["name"], "aten::frac.out")
        self.assertEqual((line["name"], line["help"], line["origin"], line["available"]),
                         ("aten::frac", "aten::frac(Tensor self) -> Tensor", "torch", True))
        names = [line["name"] for line in self.listed("--backend", "torch", "torch.add")]
        self.assertIn("aten::add.Tensor", names)
        self.assertNotIn("aten::addmm", names)
        for line in self.listed("--backend", "torch", "torch.from_file"):
            self.assertEqual((line["available"], line["reason"]), (False, "it maps a file"))

    def test_listing_of_libraries_and_scripts(self):
        library = os.path.join(os.path.dirname(program), "tests", "torch_test_library.so")
        names = [line["name"] for line in self.listed("--torch-library", library, "obtest::*")]
        self.assertEqual(names, ["obtest::crash", "obtest::throws", "obtest::twice"])
        script = self.write("s.py", "def f(x: Tensor, y: float = 1.0) -> Tensor:\n    return x * y\n")
        line, = self.listed("--backend", "torch", "--torchscript", script, "torchscript::*")
        self.assertEqual(line["help"], "torchscript::f(Tensor x, float y=1.) -> Tensor")


class Failures(TorchTest):
    def test_exception_is_a_record(self):
        got = self.statuses({
            "torch.mm": operator(entry(tensor(3, 4), tensor(3, 4))),
            "torch.add": operator(entry(tensor(3), tensor(3))),
        })
        self.assertEqual(got["torch.mm"],
                         ("failed", "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)"))
        self.assertEqual(got["torch.add"][0], "ok")

    def test_missing_kernel_is_a_record(self):
        half = tensor(4, 4, dtype="half")
        got = self.statuses({"torch.mm": operator(entry(half, half)),
                             "aten::values": operator(entry(tensor(3)))})
        self.assertEqual(got["aten::values"][0], "unsupported")
        self.assertRegex(got["aten::values"][1], "^Could not run 'aten::values' with arguments from the 'CPU' "
                         "backend; it has kernels for SparseCPU[A-Za-z, ]*$")
        self.assertIn(got["torch.mm"], [
            ("failed", "\"addmm_impl_cpu_\" not implemented for 'Half'"), ("ok", None)])

    def test_failed_allocation_is_a_record(self):
        large = {"type": "genericlist", "value": [integer(1 << 30), integer(1 << 27)]}
        got = self.statuses({
            "aten::new_empty": operator(entry(tensor(1), large)),
            "torch.add": operator(entry(tensor(3), tensor(3))),
        })
        status, reason = got["aten::new_empty"]
        self.assertEqual(status, "out_of_memory")
        self.assertNotIn("\n", reason)
        self.assertEqual(got["torch.add"][0], "ok")


class Library(TorchTest):
    def setUp(self):
        super().setUp()
        self.library = os.path.join(os.path.dirname(program), "tests", "torch_test_library.so")

    def test_operators_of_a_library(self):
        got = self.statuses({
            "obtest::throws": operator(entry(tensor(3))),
            "obtest::crash": operator(entry(tensor(3))),
            "torch.ops.obtest.twice": operator(entry(tensor(3))),
        }, "--torch-library", self.library)
        self.assertEqual(got["obtest::throws"], ("failed", "the first line"))
        self.assertEqual(got["obtest::crash"][0], "crashed")
        self.assertIn("SIGSEGV", got["obtest::crash"][1])
        self.assertEqual(got["torch.ops.obtest.twice"], ("ok", None))

    def test_missing_library(self):
        results, code = self.run_config({"torch.add": operator(entry(tensor(3), tensor(3)))},
                                        "--torch-library", "/no/such.so")
        self.assertEqual(results, [])
        self.assertNotEqual(code, 0)
        self.assertIn("--torch-library /no/such.so", self.stderr)


SOURCE = """
def scaled(x: Tensor, y: Tensor, factor: float = 2.0) -> Tensor:
    return torch.relu(x) * factor + y

def both(x: Tensor) -> Tuple[Tensor, Tensor]:
    return x + 1, x * 2

def bad(x: Tensor) -> Tensor:
    return torch.mm(x, x)
"""


class Script(TorchTest):
    def test_source(self):
        script = self.write("a,b.py", SOURCE)  # a comma, which separates options, in the name
        content = {
            "torchscript::scaled": operator(entry(tensor(3), tensor(3)),
                                            entry(tensor(3), tensor(3),
                                                  factor={"type": "float", "value": 0.5})),
            "torchscript::both": operator(entry(tensor(3))),
            "torchscript::bad": operator(entry(tensor(3))),
        }
        results, _ = self.run_config(content, "--torchscript", script, "-b")
        got = [(r["op_name"], r["status"], r.get("reason"), "backward" in r["metric"])
               for r in results]
        self.assertEqual(got[:3], [("torchscript::scaled", "ok", None, True)] * 2
                         + [("torchscript::both", "ok", None, True)])
        self.assertEqual(got[3][:3],
                         ("torchscript::bad", "failed", "RuntimeError: self must be a matrix"))

    def test_saved_module(self):
        saved = self.path("saved.pt")
        save = f"import torch; torch.jit.script(torch.nn.Linear(4, 2)).save({saved!r})"
        for python in (sys.executable, "/usr/bin/python3"):  # Debian's torch belongs to Debian's
            subprocess.run([python, "-c", save], capture_output=True, check=False)
        if not os.path.exists(saved):
            self.skipTest("a module is saved by the torch of a Python, which is absent")
        results, code = self.run_config({"torchscript::forward": operator(entry(tensor(3, 4)))},
                                        "--torchscript", saved, "-b")
        self.assertEqual(([r["status"] for r in results], code), (["ok"], 0), self.stderr)
        self.assertIn("backward", results[0]["metric"])

    def test_syntax_error(self):
        script = self.write("wrong.py", "def f(x: Tensor) -> Tensor:\n    return x +\n")
        results, code = self.run_config({"torchscript::f": operator(entry(tensor(3)))},
                                        "--torchscript", script)
        self.assertEqual((results, code), ([], 2))
        self.assertIn(f"--torchscript {script}:2:15: expected ident but found 'newline'", self.stderr)
        script = self.write("wrong.py", "def f(x: Tensor) -> Tensor:\n    return x + nothing\n")
        results, code = self.run_config({"torchscript::f": operator(entry(tensor(3)))},
                                        "--torchscript", script)
        self.assertEqual((results, code), ([], 2))
        self.assertIn(f"--torchscript {script}:2:16: undefined value nothing", self.stderr)

    def test_other_backend(self):
        done = subprocess.run(
            [program, "run", "-c", "x.json", "--backend", "native", "--torchscript", "x.pt"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--torchscript needs the torch backend; add --backend torch", done.stderr)


class Whole(TorchTest):
    def test_execution_graph(self):
        content = {"torch.add": operator(entry(tensor(3), tensor(3)))}
        _, code = self.run_config(content, "--et")
        self.assertEqual(code, 0, self.stderr)
        self.assertNotIn("--et", self.stderr)  # -q
        with open(self.path("records_et.json"), encoding="utf-8") as file:
            graph = json.load(file)
        self.assertIn("aten::add", [node["name"] for node in graph["nodes"]])

    def test_profile(self):
        weights = {"type": "tensor", "dtype": "float", "shape": [4, 4]}
        content = {"torch.nn.functional.linear": operator(entry(tensor(3, 4), weights))}
        results, code = self.run_config(content, "--profile", "-b")
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
        self.assertIn("backward was left out: no input or parameter requires a gradient",
                      results[0]["warnings"])
        results, _ = self.run_config({"torch.argmax": operator(entry(tensor(3)))}, "-b")
        self.assertIn("backward was left out: no output has a gradient", results[0]["warnings"][0])

    def test_modes(self):
        config = os.path.join(ROOT, "tests", "cli", "configs", "baddbmm.json")
        for mode in ("continuous", "continuous_events"):
            self.assert_all_ok(config, "--exec-mode", mode, "-b")
        self.assert_all_ok(config, "--inference-mode")
        self.assert_all_ok(config, "--cache", "cold")

    def test_examples(self):
        configs = sorted(glob.glob(os.path.join(ROOT, "examples", "configs", "*.json")))
        self.assertGreater(len(configs), 2)
        for config in configs:
            self.assert_all_ok(config)
            self.assert_all_ok(config, "-b")

    def test_shipped(self):
        if not os.path.isdir(SHIPPED):
            self.skipTest(f"PARAM's configs are not part of the project, and {SHIPPED} is absent")
        for config in sorted(glob.glob(os.path.join(SHIPPED, "*.json"))):
            if os.path.basename(config) not in ("alex_net.json", "resnet.json"):  # minutes each
                self.assert_all_ok(config)
                self.assert_all_ok(config, "-b")

    def test_models(self):
        image = tensor(1, 3, 64, 64)
        for name in ("alex_net", "resnet"):
            config = self.write("model.json", json.dumps({"pytorch.model." + name: {
                "build_data_generator": GENERATOR, "input_data_generator": GENERATOR,
                "config": [{"build": [], "input": [{"args": [image]}]}]}}))
            results = self.assert_all_ok(config, "-b")
            self.assertIn("backward", results[0]["metric"])


def main():
    global program
    program = os.path.abspath(sys.argv.pop(1))
    listed = subprocess.run([program, "list", "backends", "--json"], capture_output=True, text=True,
                            check=True)
    for line in map(json.loads, listed.stdout.splitlines()):
        if line["name"] == "torch" and not line["available"]:
            print("skipped:", line["reason"])
            sys.exit(SKIP)
    unittest.main()


if __name__ == "__main__":
    main()
