# SPDX-License-Identifier: Apache-2.0
"""Operators of torch by name, overload and schema, their listing, and failures of all kinds that leave the rest of
the run alone."""

import json
import os
import subprocess

from torch_case import GENERATOR, TorchTest, entry, integer, main, operator, program, tensor


class Operators(TorchTest):
    def test_names_beyond_the_core(self):
        schema = "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
        got = self.statuses({
            "aten::frac": operator(entry(tensor(3))),
            "aten::frac.out": operator(entry(tensor(3), out=tensor(3))),
            "aten::logaddexp2.out": operator(entry(tensor(3), tensor(3), out=tensor(0))),
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
        self.assertIn("release; only its name and overload were used: there is no argument 'places'", said[other])

    def test_what_is_no_schema(self):
        for name in ("aten::frac(", "aten::frac(Tensor self) ->", "aten::frac(Tensor self"):
            results, code = self.run_config({name: operator(entry(tensor(3)))})
            self.assertEqual((results, code), ([], 2), name)
            self.assertIn(f"config.json:1:2: error: .\"{name}\": '{name}' is not a schema: ", self.stderr)

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
        self.assertNotIn("does not know the operator", self.stderr)

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


class Layouts(TorchTest):
    def test_sparse(self):
        sparse = tensor(30, 40, layout="sparse_coo", density=0.1)
        hybrid = tensor(30, 40, layout="sparse_coo", nnz=7, sparse_dim=1, coalesced=False)
        large = tensor(1 << 29, 1 << 30, layout="sparse_coo", nnz=3)
        results, code = self.run_config({
            "torch.sparse.mm": operator(entry(sparse, tensor(40, 5))),
            "torch.add": operator(entry(sparse, sparse)),
            "aten::coalesce": operator(entry(hybrid)),
            "aten::_nnz": operator(entry(large)),
        }, "-b")
        self.assertEqual(([r["status"] for r in results], code), (["ok"] * 4, 0), results)
        self.assertIn("backward", results[0]["metric"])  # by the dense factor: a sparse one wants no gradient unasked
        self.assertNotIn("flops", results[1])  # what dense shapes would cost is not what this does
        results, code = self.run_config({"torch.add": operator(entry(sparse, sparse))},
                                        "--backend", "native")
        self.assertEqual([(r["status"], r["reason"]) for r in results], [
            ("unsupported", "backend native only takes strided tensors; leave out the layout, or use "
             "--backend torch")])

    def test_other_layouts(self):
        rows = tensor(30, 40, layout="sparse_csr", density=0.1)
        columns = tensor(3, 4, layout="sparse_csc", nnz=5)
        opaque = tensor(2, 3, layout="mkldnn")
        results, code = self.run_config({
            "torch.mm": operator(entry(rows, tensor(40, 5))),
            "aten::crow_indices": operator(entry(rows)),
            "aten::ccol_indices": operator(entry(columns)),
            "aten::mkldnn_linear": operator(entry(opaque, tensor(4, 3, requires_grad=False))),
            "aten::to_dense": operator(entry(opaque)),
            "aten::quantize_per_tensor": operator(entry(tensor(3, requires_grad=False), {"type": "float", "value": 0.1},
                                                        integer(0), integer(13))),
        })
        self.assertEqual(([r["status"] for r in results], code), (["ok"] * 6, 0), results)
        script = self.write("s.py", "def f(x: Tensor, y: Tensor, z: Tensor) -> Tensor:\n"
                            "    assert x.layout == 2 and y.layout == 4 and z.layout == 3\n"
                            "    return x.to_dense()[0] + 1\n")
        results, code = self.run_config({"torchscript::f": operator(entry(rows, columns, opaque))}, "--torchscript", script)
        self.assertEqual(([r["status"] for r in results], code), (["ok"], 0), results)
        results, code = self.run_config({"torch.relu": operator(entry(opaque))}, "--backend", "native")
        self.assertEqual([(r["status"], r["reason"]) for r in results], [
            ("unsupported", "backend native only takes strided tensors; leave out the layout, or use "
             "--backend torch")])

    def test_generators(self):
        got = self.statuses({
            "aten::randperm.generator": operator({"args": [integer(5)], "kwargs": {"generator": integer(7)}}),
            "aten::bernoulli": operator({"args": [tensor(5, value_range=[0, 1])], "kwargs": {"generator": integer(7)}}),
            "aten::normal.Tensor_float": operator({"args": [tensor(5)], "kwargs": {"generator": {"type": "none"}}}),
            "aten::multinomial": operator({"args": [tensor(5, value_range=[0, 1]), integer(2)],
                                           "kwargs": {"generator": {"type": "str", "value": "x"}}}),
        })
        self.assertEqual([got[name][0] for name in list(got)[:3]], ["ok"] * 3, got)
        self.assertEqual(got["aten::multinomial"][0], "invalid")
        self.assertIn("argument 'generator' must be Generator?, not str", got["aten::multinomial"][1])

    def test_channels_last(self):
        script = self.write("s.py", "def f(x: Tensor) -> Tensor:\n"
                            "    assert x.stride() == [96, 1, 32, 8] and not x.is_contiguous()\n"
                            "    return x + 1\n")
        image = tensor(2, 8, 3, 4, memory_format="channels_last")
        results, code = self.run_config({"torchscript::f": operator(entry(image))}, "--torchscript", script)
        self.assertEqual(([r["status"] for r in results], code), (["ok"], 0), results)
        results, code = self.run_config(
            {"torch.nn.functional.conv2d": operator(entry(image, tensor(4, 8, 3, 3, memory_format="channels_last")))},
            "--backend", "native,torch", "--check")
        self.assertEqual([r["status"] for r in results], ["ok"] * 2, results)
        self.assertEqual([r["check"]["verdict"] for r in results if r["backend"] == "torch"], ["same"])


class Random(TorchTest):
    """All random operators of the core, native beside torch: their moments agree, in all floating dtypes, on sizes and
    strides that the fuzzer draws."""

    def fuzzed(self, *arguments):
        def entries(dtype):
            spec = {"parameters": [{"name": "n", "minval": 200, "maxval": 5000, "distribution": "uniform"},
                                   {"name": "step", "distribution": [[1, 0.5], [3, 0.5]]}],
                    "tensors": [{"name": "x", "size": ["n", 3], "steps": ["step", 1], "dtype": dtype,
                                 "probability_contiguous": 0.5}]}
            return {"fuzz": spec, "count": 3, "seed": 5, "args": [{"type": "fuzz", "name": "x"}, *arguments]}
        return {"input_iterator": "FuzzConfigIterator", "input_data_generator": GENERATOR,
                "config": [{"input": [entries(dtype) for dtype in ("float32", "float64", "bfloat16")]}]}

    def test_moments(self):
        number = lambda value: {"type": "float", "value": value}
        size = {"type": "genericlist", "value": [integer(40), integer(50)]}
        train = {"type": "bool", "value": True}
        content = {
            "aten::rand": operator(entry(size)), "aten::randn": operator(entry(size)),
            "aten::randint": operator(entry(integer(17), size)),
            "aten::randint.low": operator(entry(integer(-5), integer(17), size)),
            "aten::randperm": operator(entry(integer(1000))),
            "aten::rand_like": self.fuzzed(), "aten::randn_like": self.fuzzed(),
            "aten::uniform_": self.fuzzed(number(-1.0), number(3.0)),
            "aten::normal_": self.fuzzed(number(2.0), number(0.5)),
            "aten::bernoulli": self.fuzzed(), "aten::bernoulli.p": self.fuzzed(number(0.3)),
            "aten::bernoulli_.float": self.fuzzed(number(0.3)),
            "aten::dropout": self.fuzzed(number(0.4), train), "aten::dropout_": self.fuzzed(number(0.4), train),
            "aten::native_dropout": self.fuzzed(number(0.4), train),
        }
        results, _ = self.run_config(content, "--backend", "native,torch", "--check", "-i", "1")
        wrong = [(r["op_name"], r["id"], r["backend"], r["status"], r.get("reason"), r.get("warnings")) for r in results
                 if r["status"] != "ok" or r["check"]["verdict"] != "same"]
        self.assertEqual(wrong, [])
        self.assertEqual(len(results), 2 * (5 + 10 * 9))


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
                             "aten::_values": operator(entry(tensor(3)))})
        self.assertEqual(got["aten::_values"][0], "unsupported")
        self.assertRegex(got["aten::_values"][1], "^Could not run 'aten::_values' with arguments from the 'CPU' "
                         "backend; it has kernels for ([A-Za-z]+, )*SparseCPU[A-Za-z, ]*$")
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


if __name__ == "__main__":
    main()
