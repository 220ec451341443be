# SPDX-License-Identifier: Apache-2.0
"""`opbench run --backend onednn`: libraries that are missing, broken or of another version; results beside native's
in both passes and dtypes; where reorders are, which implementations ran, threads, memory, in-place operators."""

import json
import os
import sys
import tempfile
import unittest

import onednn_harness
from onednn_harness import entry, listed, number, numbers, run, tensor

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import replayed  # noqa: E402


class Libraries(unittest.TestCase):
    """What is wrong with the library is said, and the other backends work."""

    def refused(self, library, *texts):
        lines = listed(library)
        for text in texts:
            self.assertIn(text, lines["onednn"])
        self.assertNotIn("not available", lines["native"])
        config = {"torch.relu": entry(tensor(4))}
        code, _, _, printed = run(config, "--backend", "onednn", library=library)
        self.assertNotEqual(code, 0)
        self.assertIn(texts[0], printed)
        code, _, _, printed = run(config, "--backend", "native", library=library)
        self.assertEqual(code, 0, printed)

    def test_missing(self):
        self.refused("/nowhere/libdnnl.so.9", "there is no /nowhere/libdnnl.so.9",
                     "install oneDNN %d.x (Debian: libdnnl-dev)" % onednn_harness.major)

    def test_empty_names_nothing(self):
        code, _, _, printed = run({"torch.relu": entry(tensor(4))}, "--backend", "onednn", library="")
        self.assertEqual(code, 0, printed)

    def test_broken(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(b"no library at all")
            file.flush()
            self.refused(file.name, "cannot be opened", "install oneDNN")

    def test_newer(self):
        self.refused(onednn_harness.stub(onednn_harness.major + 1), "is oneDNN %d.99.0" % (onednn_harness.major + 1),
                     "built for %d.x" % onednn_harness.major, "install oneDNN")

    def test_older(self):
        self.refused(onednn_harness.stub(onednn_harness.major - 1), "is oneDNN %d.99.0" % (onednn_harness.major - 1),
                     "built for %d.x" % onednn_harness.major)

    def test_incomplete(self):
        self.refused(onednn_harness.stub(onednn_harness.major), "(oneDNN %d.99.0) has no dnnl_" % onednn_harness.major)

    def test_other(self):
        self.refused(onednn_harness.stub(0), "is not oneDNN")

    def test_option(self):
        code, _, _, printed = run({"torch.relu": entry(tensor(4))}, "--backend", "onednn",
                                  "--backend-options", "library=" + onednn_harness.stub(4))
        self.assertNotEqual(code, 0)
        self.assertIn("is oneDNN 4.99.0", printed)

    def test_by_its_name(self):
        """The library itself is opened, not the link that comes with the headers and may be gone tomorrow."""
        header = run({"torch.relu": entry(tensor(4))}, "--backend", "onednn")[2]
        self.assertRegex(os.path.basename(header["library"]), r"^libdnnl\.so\.\d")


CONV = {"torch.nn.functional.conv2d": entry(
    tensor(2, 16, 9, 9), tensor(32, 16, 3, 3), tensor(32), number(1), number(1))}


class Results(unittest.TestCase):
    def beside_native(self, config, *words):
        code, results, header, printed = run(config, "--backend", "native,onednn", "--check", *words)
        self.assertEqual(code, 0, printed)
        self.assertEqual(len(results), len(config))
        for r in results:
            self.assertEqual((r["status"], r["check"]["verdict"]), ("ok", "same"), r)
        return results, header

    def test_modules_forward_and_backward(self):
        image = tensor(2, 8, 12, 12, requires_grad=True)
        self.beside_native({
            "torch.nn.Linear": entry(tensor(4, 3, 20, requires_grad=True), build=[number(20), number(12)]),
            "torch.nn.Conv2d": entry(image, build=[number(8), number(16), number(3)]),
            "torch.nn.ConvTranspose2d": entry(image, build=[number(8), number(6), number(3)]),
            "torch.nn.BatchNorm2d": entry(image, build=[number(8)]),
            "torch.nn.MaxPool2d": entry(image, build=[number(2)]),
            "torch.nn.AvgPool2d": entry(image, build=[number(3)]),
            "torch.nn.LayerNorm": entry(tensor(6, 32, requires_grad=True), build=[number(32)]),
            "torch.nn.GELU": entry(image, build=[]),
            "torch.nn.Softmax": entry(tensor(5, 7, requires_grad=True), build=[number(-1)]),
        }, "-b")

    def test_bf16(self):
        self.halves("bfloat16")

    def test_f16(self):
        """oneDNN 3.x computes with it where the processor does; else it is moved only."""
        if onednn_harness.major >= 3 and ("fp16" in onednn_harness.isa or "amx" in onednn_harness.isa or "avx2_vnni_2" in onednn_harness.isa):
            self.halves("float16")
            return
        a = {"dtype": "float16"}
        _, results, _, _ = run({"torch.mm": entry(tensor(3, 4, **a), tensor(4, 5, **a)),
                                "torch.clone": entry(tensor(3, 4, **a))}, "--backend", "onednn")
        self.assertEqual([r["status"] for r in results], ["unsupported", "ok"], results)

    def halves(self, dtype):
        a = {"dtype": dtype, "requires_grad": True}
        if not onednn_harness.has_bf16():
            self.skipTest("no %s on this processor: %s" % (dtype, onednn_harness.isa))
        results, _ = self.beside_native({
            "torch.mm": entry(tensor(32, 48, **a), tensor(48, 16, **a)),
            "torch.nn.functional.conv2d": entry(tensor(1, 16, 8, 8, **a), tensor(16, 16, 3, 3, **a)),
            "torch.add": entry(tensor(8, 1, **a), tensor(1, 8, **a)),
        }, "-b")
        self.assertIn("matmul", results[0]["implementation"]["forward"])

    def test_scales(self):
        """Factors before the sum, of one term or of both, in place or not; none may be lost or put elsewhere."""
        a, b = tensor(5, 6), tensor(6, 7)
        scaled = dict(entry(tensor(5, 7), a, b), config=[{"input": [
            {"args": [tensor(*shape), a, b], "kwargs": kwargs}
            for shape in ((5, 7), (7,), (5, 1)) for kwargs in (
                {"alpha": number(0.5)}, {"beta": number(3)}, {"alpha": number(-2), "beta": number(0.25)})]}])
        in_place = dict(scaled, config=[{"input": [scaled["config"][0]["input"][k] for k in range(3)]}])
        terms = dict(scaled, config=[{"input": [
            {"args": [tensor(4, 1), tensor(4, 9)], "kwargs": {"alpha": number(2)}},
            {"args": [tensor(4, 9), tensor(9)], "kwargs": {"alpha": number(-3)}}]}])
        config = {"torch.addmm": scaled, "torch.Tensor.addmm_": in_place, "torch.add": terms, "torch.sub": terms}
        code, results, _, printed = run(config, "--backend", "native,onednn", "--check")
        self.assertEqual(code, 0, printed)
        self.assertEqual(len(results), 9 + 3 + 2 + 2)
        for r in results:
            self.assertEqual((r["status"], r["check"]["verdict"]), ("ok", "same"), r)

    def test_curves(self):
        """What 3.x has other parameters for than 2.x, in both passes where the backend has both."""
        self.beside_native({"torch.nn.functional.logsigmoid": entry(tensor(7, 9))})
        self.beside_native({"torch.nn.functional." + name: entry(tensor(7, 9, requires_grad=True))
                            for name in ("softplus", "hardswish", "mish", "gelu", "silu", "elu")},
                           "-b", "--backend-options", "onednn.inexact=on")

    def test_in_place(self):
        """Inputs are brought back: three iterations give what one gives."""
        self.beside_native({"torch.Tensor.add_": entry(tensor(64), tensor(64)),
                            "torch.exp_": entry(tensor(5, 5))})

    def test_views_and_broadcasts(self):
        self.beside_native({
            "torch.matmul": entry(tensor(2, 1, 4, 5), tensor(3, 5, 6)),
            "torch.mul": entry(tensor(4, 1, 3), tensor(5, 1)),
            "torch.sum": entry(tensor(4, 5, 6), numbers(0, 2)),
        })

    def test_refusals_are_results(self):
        config = {"torch.erf": entry(tensor(4)), "torch.relu": entry(tensor(4)),
                  "torch.log": entry(tensor(4)), "torch.mm": entry(tensor(2, 2, dtype="int"), tensor(2, 2, dtype="int"))}
        _, results, _, _ = run(config, "--backend", "onednn")
        by_name = {r["op_name"]: r for r in results}
        self.assertEqual(by_name["torch.relu"]["status"], "ok")
        self.assertEqual(by_name["torch.erf"]["status"], "unsupported")
        self.assertIn("oneDNN has nothing for aten::erf", by_name["torch.erf"]["reason"])
        self.assertIn("inexact=on", by_name["torch.log"]["reason"])
        self.assertIn("integers", by_name["torch.mm"]["reason"])
        code, results, _, printed = run({"torch.log": entry(tensor(4))}, "--backend", "onednn",
                                        "--backend-options", "inexact=on")
        self.assertEqual((code, results[0]["status"]), (0, "ok"), printed)

    def test_max_pool_without_indices(self):
        _, results, _, _ = run({"torch.nn.functional.max_pool2d_with_indices": entry(
            tensor(1, 4, 8, 8), number(2))}, "--backend", "onednn")
        self.assertEqual(results[0]["status"], "unsupported")
        self.assertIn("indices of max pooling", results[0]["reason"])


class Records(unittest.TestCase):
    def test_reorders(self):
        """Weights are reordered before; activations inside of what is timed, or outside."""
        places = {}
        for where in ("inside", "outside"):
            code, results, header, printed = run(CONV, "--backend", "onednn", "--backend-options", "reorders=" + where)
            self.assertEqual(code, 0, printed)
            self.assertEqual(header["reorders"], where)
            places[where] = results[0]["implementation"]
            self.assertEqual(places[where]["reorders"], where)
            self.assertIn("convolution ", places[where]["forward"])
        if "reorder" not in places["inside"]["forward"]:
            self.skipTest("the library takes the plain layout here")
        self.assertNotIn("after_forward", places["inside"])
        self.assertNotIn("reorder", places["outside"]["forward"])
        self.assertIn("reorder", places["outside"]["before"])
        self.assertIn("reorder", places["outside"]["after_forward"])

    def test_outside_has_the_same_results(self):
        code, results, _, printed = run(CONV, "--backend", "native,onednn", "--check", "-b",
                                        "--backend-options", "onednn.reorders=outside")
        self.assertEqual(code, 0, printed)
        self.assertEqual(results[0]["check"]["verdict"], "same")

    def test_properties(self):
        code, results, header, printed = run(CONV, "--backend", "onednn", "--num-threads", "1")
        self.assertEqual(code, 0, printed)
        said = header
        self.assertRegex(said["version"], r"^[23]\.\d+\.\d+$")
        self.assertEqual(said["threads"], "1")
        for name in ("isa", "threading", "library"):
            self.assertTrue(said[name], name)
        self.assertGreater(results[0]["statistics"]["forward"]["allocator_peak"], 32 * 16 * 9 * 4)

    def test_threads(self):
        code, results, header, printed = run(CONV, "--backend", "native,onednn", "--check", "--num-threads", "2")
        self.assertEqual(code, 0, printed)
        self.assertEqual(header["threads"], "2")
        self.assertEqual(results[0]["check"]["verdict"], "same")

    def test_profile(self):
        code, results, _, printed = run({"torch.mm": entry(tensor(8, 8), tensor(8, 8))}, "--backend", "onednn", "--profile")
        self.assertEqual(code, 0, printed)
        self.assertTrue(results[0]["kernels"][0][0].startswith("matmul "), results[0]["kernels"])


class Replay(unittest.TestCase):
    def test_lists_one_by_one(self):
        """A list operator that the library lacks is made on each tensor, not left to what it asked inside."""
        def node(number, parent, name, schema="", inputs=(), shapes=(), types=()):
            return {"id": number, "parent": parent, "name": name, "op_schema": schema, "inputs": list(inputs),
                    "input_shapes": list(shapes), "input_types": list(types),
                    "outputs": [], "output_shapes": [], "output_types": []}

        def at(number):
            return [number, number, 0, 6, 4, "cpu"]
        kind = "Tensor(float)"
        pair = "GenericList[%s,%s]" % (kind, kind)
        trace = {"schema": "1.0.1", "nodes": [
            node(1, 1, "process"),
            node(2, 1, "aten::_foreach_add_",
                 "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
                 [[at(10), at(11)], [at(12), at(13)], 1], [[[2, 3], [2, 3]], [[2, 3], [2, 3]], []], [pair, pair, "Int"]),
            node(3, 2, "aten::result_type", "aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType",
                 [at(10), 1], [[2, 3], []], [kind, "Int"])]}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(trace, file)
            done = onednn_harness.call("replay", path, "--backend", "onednn", "-w", "1", "-i", "1", "--json")
        self.assertEqual(done.returncode, 0, done)
        summary = replayed.summary(done.stdout)
        self.assertEqual([o["name"] for o in summary["operators"]], ["aten::_foreach_add_.List"])
        self.assertEqual((summary["coverage"]["compute"], summary["replaced"]), (1, []))


if __name__ == "__main__":
    sys.exit(onednn_harness.main(Libraries, Results, Records, Replay))
