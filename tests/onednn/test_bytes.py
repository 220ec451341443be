# SPDX-License-Identifier: Apache-2.0
"""int8 and uint8 on oneDNN: results wrap around as native's do, for numbers of the whole range, in shapes that fill no
vector, and for sums that float32 does not hold; the library's own arithmetic only when it is asked for."""

import sys
import unittest

import onednn_harness
from onednn_harness import GENERATOR, number, numbers, run, tensor

BACKENDS = ("--backend", "native,onednn", "--check")
LIBRARY = ("--backend-options", "onednn.integers=library")


def byte(dtype, low=None):
    """Makes tensors of numbers from `low` to the dtype's largest."""
    least, most = (-128, 127) if dtype == "int8" else (0, 255)
    return lambda *shape: tensor(*shape, dtype=dtype, value_range=[least if low is None else low, most])


def laid(made, *strides):
    return dict(made, strides=list(strides))


def channels_last(made):
    return dict(made, memory_format="channels_last")


def inputs(*calls):
    return {"input_data_generator": GENERATOR, "config": [{"input": [{"args": list(args)} for args in calls]}]}


def config(t):
    one, two = number(1), number(2)
    pairs = [(t(64, 100), t(64, 100)), (t(64, 1), t(5, 1, 100)), (t(1001), t(1)), (t(), t(3, 7))]
    image = t(2, 16, 13, 11)
    return {
        "torch.mm": inputs((t(37, 129), t(129, 65)), (t(1, 7), t(7, 1)), (t(5, 1), t(1, 9)), (t(33, 1000), t(1000, 300)),
                           (t(0, 5), t(5, 3)), (t(4, 0), t(0, 3)), (t(4, 5), t(5, 0))),
        "torch.bmm": inputs((t(3, 17, 64), t(3, 64, 31))),
        "torch.matmul": inputs((t(2, 5, 17, 30), t(30, 8)), (t(9), t(9, 4))),
        "torch.mv": inputs((t(70, 600), t(600))),
        "torch.dot": inputs((t(999), t(999))),
        "torch.outer": inputs((t(40), t(33))),
        "torch.addmm": inputs((t(65), t(37, 129), t(129, 65)), (t(37, 65), t(37, 129), t(129, 65)),
                              (t(37, 1), t(37, 129), t(129, 65))),
        "torch.baddbmm": inputs((t(3, 17, 31), t(3, 17, 64), t(3, 64, 31))),
        "torch.nn.functional.linear": inputs((t(40, 333), t(50, 333), t(50)), (t(2, 3, 33), t(5, 33))),
        **{"torch." + name: inputs(*pairs) for name in ("add", "sub", "mul", "maximum", "minimum")},
        "torch.add_": inputs((t(6, 50), t(50))),
        **{"torch." + name: inputs((t(64, 100),), (t(3, 5, 7),), (t(0, 4),)) for name in ("relu", "abs", "neg", "square")},
        "torch.rsub": inputs((t(64, 9), number(77))),
        "torch.clamp": inputs((t(64, 100), number(5), number(100))),
        "torch.sum": inputs((t(64, 100),), (t(64, 100), number(0)), (t(64, 100), one), (t(4, 5, 6), numbers(0, 2)),
                            (t(3, 1, 2), one), (t(0, 5),), (t(7, 300007), one), (t(200001, 3), number(0))),
        "torch.amax": inputs((t(64, 100), number(0)), (t(64, 100), one), (t(4, 30, 20), one)),
        "torch.amin": inputs((t(64, 100), number(0)), (t(64, 100), one)),
        "torch.max": inputs((t(64, 100),)),
        "torch.cat": inputs(({"type": "genericlist", "value": [t(3, 5), t(4, 5)]},)),
        "torch.nn.functional.conv1d": inputs((t(2, 5, 40), t(7, 5, 3), t(7))),
        "torch.nn.functional.conv2d": inputs(
            (image, t(24, 16, 3, 3), t(24), one, one), (image, t(20, 16, 1, 1)), (image, t(24, 8, 3, 3), t(24), two, one, one, two),
            (image, t(16, 1, 3, 3), t(16), one, one, one, number(16)), (image, t(3, 16, 3, 2), t(3), one, number(0), two)),
        "torch.nn.functional.conv3d": inputs((t(1, 3, 6, 7, 8), t(4, 3, 2, 3, 2))),
        "torch.nn.functional.conv_transpose2d": inputs((image, t(16, 6, 3, 3), t(6), two)),
        "torch.nn.functional.max_pool2d": inputs((image, number(3), two, one), (t(3, 9, 9), two)),
        "torch.nn.functional.max_pool1d": inputs((t(2, 5, 40), number(4))),
    }


def is_product(name):
    word = name.rsplit(".", 1)[1]
    return word.startswith("conv") or word in ("mm", "bmm", "matmul", "mv", "dot", "outer", "addmm", "baddbmm", "linear")


class Exact(unittest.TestCase):
    def same(self, given, *words):
        if not onednn_harness.has_vnni():  # then the backend refuses products, and test_without_vnni sees to that
            given = {name: calls for name, calls in given.items() if not is_product(name)}
        code, results, header, printed = run(given, *BACKENDS, *words)
        self.assertEqual(code, 0, printed)
        self.assertEqual(len(results), sum(len(c["config"][0]["input"]) for c in given.values()))
        for r in results:
            self.assertEqual((r["status"], r["check"]["verdict"]), ("ok", "same"), r)
        return results, header

    def test_int8(self):
        _, header = self.same(config(byte("int8")))
        self.assertEqual(header["integers"], "exact")

    def test_uint8(self):
        self.same(config(byte("uint8")))

    def test_two_threads_and_reorders_outside(self):
        for words in (("--num-threads", "2"), ("--backend-options", "onednn.reorders=outside")):
            self.same(config(byte("int8")), *words)

    def test_layouts(self):
        """Transposed, with gaps, expanded, channels last."""
        for t in (byte("int8"), byte("uint8")):
            self.same({
                "torch.mm": inputs((laid(t(33, 700), 1, 33), t(700, 20)), (laid(t(9, 70), 200, 2), laid(t(70, 20), 1, 75)),
                                   (laid(t(5, 6), 0, 1), laid(t(6, 7), 1, 0))),
                "torch.addmm": inputs((laid(t(9, 20), 1, 9), t(9, 70), t(70, 20))),
                "torch.add": inputs((laid(t(30, 40), 1, 30), t(30, 40)), (laid(t(30, 40), 100, 2), laid(t(40), 2))),
                "torch.maximum": inputs((laid(t(30, 40), 1, 30), laid(t(30, 40), 100, 2))),
                "torch.relu": inputs((laid(t(30, 40), 100, 2),), (laid(t(50), 3),)),
                "torch.neg": inputs((laid(t(30, 40), 1, 30),)),
                "torch.sum": inputs((laid(t(30, 40), 1, 30), number(0)), (laid(t(30, 40), 0, 1), number(0))),
                "torch.nn.functional.conv2d": inputs((channels_last(t(2, 16, 9, 9)), t(8, 16, 3, 3), laid(t(8), 3))),
                "torch.nn.functional.max_pool2d": inputs((channels_last(t(2, 16, 9, 9)), number(2))),
            })

    def test_sums_beyond_float32(self):
        """Only large numbers: sums of their products pass 2^24, from where float32 leaves numbers out."""
        for t in (byte("int8", 100), byte("uint8", 200)):
            self.same({
                "torch.mm": inputs((t(9, 5001), t(5001, 33)), (laid(t(9, 5001), 1, 9), t(5001, 33))),
                "torch.nn.functional.conv_transpose2d": inputs((t(1, 300, 5, 5), t(300, 6, 3, 3), t(6), number(2))),
                "torch.nn.functional.linear": inputs((t(9, 3000), t(33, 3000), t(33))),
                "torch.nn.functional.conv2d": inputs((t(1, 512, 6, 6), t(24, 512, 3, 3), t(24), number(1), number(1)),
                                                     (t(1, 2048, 3, 3), t(8, 2048, 1, 1))),
                "torch.sum": inputs((t(700001),), (t(300001, 3), number(0)), (t(3, 200001), number(1))),
            })

    def test_steps_are_named(self):
        t = byte("int8")
        if not onednn_harness.has_vnni():
            self.skipTest("no exact products of bytes on this processor: " + onednn_harness.isa)
        results, _ = self.same({"torch.mm": inputs((t(32, 64), t(64, 32))), "torch.maximum": inputs((t(99), t(99)))})
        named = [r["implementation"]["forward"] for r in results]
        self.assertRegex(named[0], r"^matmul .*, loop wrap$")
        self.assertRegex(named[1], r"^binary [^,]*$")


class Library(unittest.TestCase):
    """integers=library: nothing is done to what the library gives."""

    def test_it_stops_at_the_limits(self):
        t = byte("int8")
        given = {"torch.mm": inputs((t(32, 64), t(64, 32))), "torch.add": inputs((t(999), t(999))),
                 "torch.nn.functional.conv2d": inputs((t(1, 8, 9, 9), t(8, 8, 3, 3))),
                 "torch.maximum": inputs((t(999), t(999))), "torch.relu": inputs((t(999),))}
        code, results, header, printed = run(given, *BACKENDS, *LIBRARY)
        self.assertEqual((code, header["integers"]), (1, "library"), printed)
        verdicts = {r["op_name"].rsplit(".", 1)[1]: r["check"]["verdict"] for r in results}
        self.assertEqual(verdicts, {"mm": "differs", "add": "differs", "conv2d": "differs", "maximum": "same",
                                    "relu": "same"})
        for r in results:
            self.assertNotIn("loop", r["implementation"]["forward"])

    def test_averages(self):
        given = {"torch.nn.functional.avg_pool2d": inputs((byte("int8")(1, 8, 8, 8), number(2)))}
        _, results, _, _ = run(given, "--backend", "onednn")
        self.assertEqual(results[0]["status"], "unsupported")
        self.assertIn("integers=library", results[0]["reason"])
        code, results, _, printed = run(given, "--backend", "onednn", "--backend-options", "integers=library")
        self.assertEqual((code, results[0]["status"]), (0, "ok"), printed)

    def test_unsigned_weights(self):
        """3.x has code for them, if slow."""
        t = byte("uint8")
        _, results, _, _ = run({"torch.mm": inputs((t(8, 8), t(8, 8)))}, "--backend", "onednn", "--backend-options",
                               "integers=library")
        self.assertEqual(results[0]["status"], "unsupported" if onednn_harness.major < 3 else "ok")

    def test_without_vnni(self):
        """Older instructions add up in 16 bits: not exact, and said so; what needs no products still is."""
        t = byte("int8")
        given = {"torch.mm": inputs((t(8, 8), t(8, 8))), "torch.add": inputs((t(99), t(99))),
                 "torch.sum": inputs((t(40, 50), number(0)))}
        _, results, _, _ = run(given, *BACKENDS, DNNL_MAX_CPU_ISA="AVX2")
        by_name = {r["op_name"]: r for r in results}
        self.assertEqual(by_name["torch.mm"]["status"], "unsupported")
        self.assertIn("VNNI", by_name["torch.mm"]["reason"])
        for name in ("torch.add", "torch.sum"):
            self.assertEqual(by_name[name]["check"]["verdict"], "same")
        _, results, _, _ = run({"torch.mm": given["torch.mm"]}, "--backend", "onednn", "--backend-options",
                               "integers=library", DNNL_MAX_CPU_ISA="AVX2")
        self.assertEqual(results[0]["status"], "ok")


class Refusals(unittest.TestCase):
    def test_wide_integers(self):
        wide = tensor(8, 8, dtype="int")
        _, results, _, _ = run({"torch.mm": inputs((wide, wide)), "torch.add": inputs((wide, wide))}, "--backend", "onednn")
        for r in results:
            self.assertEqual(r["status"], "unsupported")
            self.assertIn("integers", r["reason"])


if __name__ == "__main__":
    sys.exit(onednn_harness.main(Exact, Library, Refusals))
