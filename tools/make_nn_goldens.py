#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/native_nn.jsonl: matrix products, convolutions, pools, norms, embeddings, indexing and losses in
float64, with the gradients that PyTorch's autograd gives.

Run it by hand with Debian's python3-torch when cases are added. Inputs are multiples of 1/16 (and small), exact in
float32, bfloat16 and float16, so that the conform test replays the same lines in every dtype. A line has
  op       full name ("aten::mm", "aten::add.Tensor")
  args, kwargs   bools, ints, strings, null and lists are themselves; {"float": x} a real (as a string when it is not
           finite), {"dtype": "f32"} a dtype; a tensor is {"tensor": dtype, "sizes", "strides", "data": elements in
           row-major order, "grad": true where a gradient is wanted}
  outputs  the results, in the same form; null where nothing is compared
  grads    by number of the input: PyTorch's gradient of the sum of the outputs that grad_outputs lists
  nograd   no finite differences: the function is not smooth here, or has no gradient
  dtypes   which dtypes the line is replayed in besides f64
The cases stand in tools/op_goldens/<group>.py: a function cases(m) that yields m.case(...).

usage: make_nn_goldens.py
"""

import importlib.util
import json
import math
import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests/golden/native_nn.jsonl"
GROUPS = ROOT / "tools/op_goldens"
NAMES = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8",
    torch.uint8: "u8", torch.bool: "bool",
}
HALVES = ["f32", "bf16", "f16"]


class Maker:
    """Inputs and cases; the same on every run."""

    def __init__(self):
        self.generator = torch.Generator().manual_seed(20)

    def draw(self, sizes, low, high):
        """Whole numbers of sixteenths in [low, high]."""
        return torch.randint(int(low * 16), int(high * 16) + 1, sizes, generator=self.generator)

    def t(self, *sizes, low=-3, high=3, grad=True):
        values = self.draw(sizes, low, high).to(torch.float64) / 16
        return values.requires_grad_(grad)

    def distinct(self, *sizes, grad=True):
        """Values that are all different, for maxima."""
        count = math.prod(sizes)
        order = torch.randperm(count, generator=self.generator).to(torch.float64)
        return ((order - count // 2) / 16).reshape(sizes).requires_grad_(grad)

    def positive(self, *sizes, low=0.25, high=4, grad=True):
        return self.t(*sizes, low=low, high=high, grad=grad)

    def i(self, *sizes, low=0, high=9, dtype=torch.int64):
        """Integers in [low, high]."""
        return torch.randint(low, high + 1, sizes, generator=self.generator).to(dtype)

    def b(self, *sizes):
        return self.i(*sizes, high=1).bool()

    def view(self, tensor, change):
        """A tensor that is not contiguous: change is a function, such as lambda x: x.t()."""
        return change(tensor.detach()).requires_grad_(tensor.requires_grad)

    def case(self, op, args, kwargs=None, dtypes=None, kink=False, grads=True, grad_outputs=(0,), skip=()):
        return {"op": op, "args": args, "kwargs": kwargs or {}, "kink": kink, "grads": grads,
                "dtypes": HALVES if dtypes is None else dtypes, "grad_outputs": list(grad_outputs), "skip": skip}


def number(value):
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def encode(value, with_grad=False):
    if isinstance(value, torch.Tensor):
        out = {"tensor": NAMES[value.dtype], "sizes": list(value.shape)}
        if not value.is_contiguous():
            out["strides"] = list(value.stride())
        out["data"] = [number(x) for x in value.detach().reshape(-1).tolist()]
        if with_grad and value.requires_grad:
            out["grad"] = True
        return out
    if isinstance(value, torch.dtype):
        return {"dtype": NAMES[value]}
    if isinstance(value, (list, tuple)):
        return [encode(item, with_grad) for item in value]
    if isinstance(value, float):
        return {"float": number(value)}
    return value


def has_tensor(value):
    return isinstance(value, torch.Tensor) or isinstance(value, (list, tuple)) and any(map(has_tensor, value))


def flat(value):
    """As the graph numbers its inputs: of lists with tensors, each tensor is one."""
    if isinstance(value, (list, tuple)) and has_tensor(value):
        return [x for item in value if has_tensor(item) for x in flat(item)]
    return [value]


def call(case, args):
    name, _, overload = case["op"].removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, name), overload or "default")(*args, **case["kwargs"])


def run(case):
    args = list(case["args"])
    line = {"op": case["op"], "args": encode(args, True),
            "kwargs": {k: encode(v, True) for k, v in case["kwargs"].items()}, "dtypes": case["dtypes"]}
    if case["op"].partition(".")[0].endswith("_"):  # in place: a leaf must stay as it is
        args[0] = args[0].clone()
    result = call(case, args)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    line["outputs"] = [None if i in case["skip"] else encode(x) for i, x in enumerate(results)]
    inputs = [x for value in list(case["args"]) + list(case["kwargs"].values()) for x in flat(value)]
    wanted = [(i, x) for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.requires_grad]
    picked = [results[i] for i in case["grad_outputs"] if results[i] is not None and results[i].requires_grad]
    if case["grads"] and wanted and picked:
        found = torch.autograd.grad([x.sum() for x in picked], [x for _, x in wanted], allow_unused=True)
        line["grads"] = {str(i): encode(g.contiguous()) for (i, _), g in zip(wanted, found) if g is not None}
        line["grad_outputs"] = case["grad_outputs"]
    if "grads" not in line or case["kink"]:
        line["nograd"] = True
    return line


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    lines = []
    for path in sorted(GROUPS.glob("*.py")):
        for case in load(path).cases(Maker()):
            try:
                lines.append(json.dumps(run(case), separators=(",", ":"), allow_nan=False) + "\n")
            except Exception as error:
                raise SystemExit(f"{path.name}: {case['op']}: {error}") from error
    OUT.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
