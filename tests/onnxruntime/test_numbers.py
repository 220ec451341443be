# SPDX-License-Identifier: Apache-2.0
#
# test_numbers.py CONFORM PLUGIN: what builds of ONNX Runtime differ in, or what a recipe of ours could get wrong at the ends of a type:
# NaN through operators that take the larger or the smaller number, layer norm over one element, floor division of whole numbers.
# Lengths go through vector loops and what is left behind them. Skipped where the library is not there.

import math
import pathlib
import subprocess
import sys
import tempfile

conform, plugin = sys.argv[1:]
NAN = math.nan


def larger(a, b):
    return NAN if math.isnan(a) or math.isnan(b) else max(a, b)


def smaller(a, b):
    return NAN if math.isnan(a) or math.isnan(b) else min(a, b)


def text(value):
    if isinstance(value, float):
        return '"nan"' if math.isnan(value) else repr(value)
    return str(value)


def tensor(data, dtype="f64", sizes=None):
    sizes = sizes or [len(data)]
    strides = [math.prod(sizes[i + 1:]) for i in range(len(sizes))]
    return (f'{{"tensor": "{dtype}", "sizes": {sizes}, "strides": {strides}, '
            f'"data": [{", ".join(map(text, data))}]}}')


def number(value):
    return "null" if value is None else f'{{"float": {value!r}}}'


def line(op, args, *outputs):
    return f'{{"op": "aten::{op}", "args": [{", ".join(args)}], "kwargs": {{}}, "outputs": [{", ".join(outputs)}], "nograd": true}}'


def nan_lines(length):
    a = [NAN if i % 3 == 0 else i / 4 - 2.0 for i in range(length)]
    b = [NAN if i % 3 == 1 else 1.0 - i / 8 for i in range(length)]
    both = (tensor(a), tensor(b))
    up, down = ([f(x, y) for x, y in zip(a, b)] for f in (larger, smaller))
    yield from (line(op, both, tensor(up)) for op in ("maximum", "max.other", "clamp_min.Tensor"))
    yield from (line(op, both, tensor(down)) for op in ("minimum", "min.other", "clamp_max.Tensor"))
    yield line("clamp_min", (tensor(a), number(0.5)), tensor([larger(x, 0.5) for x in a]))
    yield line("clamp_max", (tensor(a), number(0.5)), tensor([smaller(x, 0.5) for x in a]))
    for low, high in ((-0.5, 0.5), (None, 0.5), (-0.5, None)):
        kept = a if low is None else [larger(x, low) for x in a]
        kept = kept if high is None else [smaller(x, high) for x in kept]
        yield line("clamp", (tensor(a), number(low), number(high)), tensor(kept))
    bounded = [smaller(larger(x, -0.5), y) for x, y in zip(a, b)]
    yield line("clamp.Tensor", (tensor(a), tensor([-0.5]), tensor(b)), tensor(bounded))
    yield line("hardtanh", (tensor(a), number(-1.0), number(1.0)), tensor([smaller(larger(x, -1.0), 1.0) for x in a]))
    yield line("relu", (tensor(a),), tensor([larger(x, 0.0) for x in a]))
    yield line("relu6", (tensor(a),), tensor([smaller(larger(x, 0.0), 6.0) for x in a]))
    yield line("maximum", (tensor([1.0]), tensor(b)), tensor([larger(1.0, x) for x in b]))
    yield line("minimum", (tensor([NAN]), tensor(b)), tensor([NAN] * length))


def layer_norm_lines():
    x, bias = [-2.0, 0.0, 3.5], 0.25
    shape = [3, 1]
    for eps in (0.5, 2.0**-28): # in float16 the second one is 0
        norms = tensor(x, sizes=shape), "[1]", tensor([3.0]), tensor([bias]), number(eps)
        yield line("native_layer_norm", norms, tensor([bias] * 3, sizes=shape), tensor(x, sizes=shape),
                   tensor([1 / math.sqrt(eps)] * 3, sizes=shape))


def division_lines(low, high, dtype):
    pairs = [(a, b) for a in (low, low + 1, -7, -1, 0, 1, 7, high) for b in (low, -50, -3, -1, 1, 2, 50, high)
             if (a, b) != (low, -1)]
    both = [tensor([p[k] for p in pairs], dtype) for k in (0, 1)]
    floors = tensor([a // b for a, b in pairs], dtype)
    yield line("floor_divide", both, floors)
    yield line("div.Tensor_mode", both, floors).replace('"kwargs": {}', '"kwargs": {"rounding_mode": "floor"}')
    yield line("remainder.Tensor", both, tensor([a % b for a, b in pairs], dtype))


def main():
    lines = [text for length in (1, 3, 8, 37) for text in nan_lines(length)] + list(layer_norm_lines())
    for bits, dtype in ((8, "i8"), (16, "i16"), (32, "i32"), (54, "i64")): # calls are read and compared as float64
        lines += division_lines(-(1 << bits - 1), (1 << bits - 1) - 1, dtype)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "calls.jsonl")
        path.write_text("\n".join(lines) + "\n")
        for dtype in ("f64", "f32", "f16"):
            done = subprocess.run([conform, plugin, "values", str(path), dtype], capture_output=True, text=True)
            print(done.stdout + done.stderr)
            failed = failed or done.returncode
            if done.returncode == 77:
                return 77
            ran = int(done.stdout.rsplit(" calls, ", 1)[1].split()[0])
            assert ran > 0.8 * len(lines), (ran, len(lines))
            assert "Schema error" not in done.stderr, "what the library says of itself has nothing to do with results"
    return failed


sys.exit(main())
