#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the derivatives and decompositions of the operator rows with PyTorch, by value.

Each call of tests/golden/shapes.txt (or of the file given) is run in float64: our forward and
backward graphs, executed statement by statement with PyTorch's operators, must give what PyTorch's
own operator and its autograd give. Known differences: a mean loss whose target broadcasts (PyTorch
divides the gradient of the target by the size of the target), the variance of a single element, and
a remainder by zero that a random bool makes. Needs python3-torch and a built library:
    /usr/bin/python3 tools/check_derivatives.py BUILD_DIR [CALLS]
"""
import os
import re
import subprocess
import sys
import tempfile

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DTYPES = {"bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
          "i64": torch.int64, "f32": torch.float32, "f64": torch.float64}
TENSOR = re.compile(r"\b(%s)\[([0-9, ]*)\](?:/(\[[0-9, ]*\]))?" % "|".join(DTYPES))
# What PyTorch itself does not answer, or answers otherwise for a reason:
RANDOM = {"bernoulli", "bernoulli_", "native_dropout", "dropout", "dropout_", "uniform_", "normal_", "rand_like",
          "randn_like", "rand", "randn", "randint", "randperm", "empty", "empty_strided", "empty_like", "new_empty", "new_empty_strided"}
POSITIVE = {"log", "log_", "log2", "log10", "log1p", "sqrt", "sqrt_", "rsqrt", "rsqrt_", "pow", "xlogy", "prod",
            "cumprod"}
NO_DERIVATIVE = ("has no derivative", "needs src in the shape of index")


def notation(text):
    """Graph notation as Python."""
    text = re.sub(r'"(float\d+|u?int\d+|bool)"', r"torch.\1", text)
    return re.sub(r"aten::(\w+)(?:\.(\w+))?\(", lambda m: "OP(%r, %r)(" % (m.group(1), m.group(2) or "default"), text)


def environment():
    env = dict(DTYPES)
    env.update(torch=torch, f16=torch.float16, bf16=torch.bfloat16, c64=torch.complex64, c128=torch.complex128, inf=float("inf"),
               OP=lambda name, overload: getattr(getattr(torch.ops.aten, name), overload))
    return env


class Call:
    """A call with values for its tensors."""

    def __init__(self, text):
        self.text, self.base = text, re.match(r"aten::(\w+)", text).group(1)
        self.leaves, self.fixed = [], []
        self.python = notation(TENSOR.sub(self.leaf, text))

    def leaf(self, match):
        before = self.text[self.text.index("(") + 1:match.start()]
        depth = position = 0
        for c in before:
            depth += (c in "([") - (c in ")]")
            position += c == "," and depth == 0
        shape, dtype = eval("[" + match.group(2) + "]"), DTYPES[match.group(1)]
        value = self.value(shape, dtype, position)
        if match.group(3):
            strided = torch.empty_strided(shape, eval(match.group(3)), dtype=dtype)
            value = strided.copy_(value) if 0 not in strided.stride() else value
        self.fixed.append(self.base in ("native_batch_norm", "batch_norm", "instance_norm") and position in (3, 4) or
                          ("loss" in self.base or "entropy" in self.base) and position in (2, 3))
        self.leaves.append(value)
        return "LEAF[%d]" % (len(self.leaves) - 1)

    def value(self, shape, dtype, position):
        if dtype == torch.bool:
            return torch.rand(shape) > 0.5
        if not dtype.is_floating_point:
            if "embedding_bag" in self.base and position == 2:
                return torch.tensor([0, 2, 5][:shape[0]], dtype=dtype)
            arithmetic = "index" not in self.base and "scatter" not in self.base and "loss" not in self.base
            lookup = self.base in ("gather", "embedding", "embedding_bag", "_embedding_bag", "one_hot")
            return torch.randint(1, 4, shape).to(dtype) if arithmetic and not lookup else torch.zeros(shape, dtype=dtype)
        if self.base == "binary_cross_entropy" or self.base == "kl_div" and position == 1:
            return torch.rand(shape, dtype=dtype) * 0.8 + 0.1
        value = torch.randn(shape, dtype=dtype)
        return value.abs() + 0.5 if self.base in POSITIVE or self.fixed_variance(position) else value

    def fixed_variance(self, position):
        return self.base in ("native_batch_norm", "batch_norm") and position == 4

    def inputs(self):
        return [t.detach().clone().requires_grad_(t.is_floating_point() and not fixed)
                for t, fixed in zip(self.leaves, self.fixed)]


def as_list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def reference(call):
    """PyTorch's outputs, the gradients put in, the gradients that come out."""
    inputs = call.inputs()
    env = environment()
    env["LEAF"] = [t.clone() for t in inputs]
    outputs = as_list(eval(call.python, env))
    every = call.base in ("var_mean", "split", "split_with_sizes", "unbind", "chunk")
    weights = [torch.randn_like(o) if o is not None and o.requires_grad and (i == 0 or every) else None
               for i, o in enumerate(outputs)]
    loss = sum((o * w).sum() for o, w in zip(outputs, weights) if w is not None)
    if not torch.is_tensor(loss):
        return outputs, weights, None
    wanted = [t for t in inputs if t.requires_grad]
    found = iter(torch.autograd.grad(loss, wanted, allow_unused=True))
    return outputs, weights, [next(found) if t.requires_grad else None for t in inputs]


def run(lines, env):
    for line in lines:
        if not line.startswith("#"):
            exec(notation(line.rstrip(";")), env)


def section(lines, title, ends):
    rest = lines[lines.index(title) + 1:] if title in lines else []
    for i, line in enumerate(rest):
        if line.split(" ")[0] in ends:
            return rest[:i]
    return rest


def close(a, b):
    return torch.allclose(a.double(), b.double(), rtol=1e-6, atol=1e-8, equal_nan=True)


def check(call, lines):
    """None, or what differs."""
    outputs, weights, gradients = reference(call)
    forward = section(lines, "FORWARD", {"OUTPUTS"})
    names = [m.group(1) for m in (re.match(r"# (\w+): (?:%s)\[" % "|".join(DTYPES), line) for line in forward) if m]
    results = next(line.split()[1:] for line in lines if line.startswith("OUTPUTS"))
    env = environment()
    with torch.no_grad():
        env.update(zip(names, (t.detach().clone() for t in call.inputs())))
        run(forward, env)
        got = as_list(env[results[0]]) if len(results) == 1 else [env[name] for name in results]
        for a, b in zip(got, outputs):
            if torch.is_tensor(b) and b.is_floating_point() and not close(a, b.detach()):
                return "forward"
        if gradients is None:
            return None
        back = environment()
        for line in lines:
            word = line.split(" ")
            if word[0] == "SAVED":
                back[word[1]] = env[word[2]]
            elif word[0] == "GRAD":
                given = [torch.zeros_like(o) if w is None else w for o, w in zip(outputs, weights)]
                back[word[1]] = given[results.index(word[2])] if torch.is_tensor(env[word[2]]) else given
        run(section(lines, "BACKWARD", {"TARGET", "SAVED", "GRAD"}), back)
        ours = {w[1]: back[w[2]] for w in (line.split(" ") for line in lines) if w[0] == "TARGET"}
        for name, t, theirs in zip(names, call.leaves, gradients):
            zero = torch.zeros_like(t)
            if not close(ours.get(name, zero), zero if theirs is None else theirs):
                return "gradient of " + name
    return None


def build(directory, output):
    subprocess.run(["cc", "-std=c17", "-D_GNU_SOURCE"] + ["-I" + os.path.join(ROOT, d) for d in ("include", "src", "tests/unit")] +
                   [os.path.join(ROOT, "tools/print_backward.c"), os.path.join(directory, "libob_upto_graph.a"), "-o", output,
                    "-lxxhash", "-lyaml", "-lm", "-ldl"], check=True)


def main():
    torch.manual_seed(1)
    path = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "tests/golden/shapes.txt")
    with open(path) as f:
        calls = [line.split(" -> ")[0].strip().replace("f32[", "f64[") for line in f if line.startswith("aten::")]
    calls = [c for c in calls if not re.search(r"\b(c64|c128|f16|bf16)\b", c)]
    with tempfile.TemporaryDirectory() as folder:
        tool = os.path.join(folder, "print_backward")
        build(sys.argv[1], tool)
        printed = subprocess.run([tool], input="\n".join(calls) + "\n", capture_output=True, text=True, check=True).stdout
    same = different = 0
    for block in printed.split("END\n")[:-1]:
        lines = block.strip().split("\n")
        call = Call(lines[0][len("CALL "):])
        if call.base in RANDOM:
            continue
        errors = [line for line in lines if line.startswith("ERROR")]
        try:
            problem = errors[0] if errors else check(call, lines)
        except (RuntimeError, IndexError, ZeroDivisionError) as e:
            problem = "PyTorch: " + str(e).split("\n")[0]
        if problem is None:
            same += 1
        elif not any(text in problem for text in NO_DERIVATIVE):
            different += 1
            print("%s: %s" % (call.text, problem))
    print("%d calls agree, %d do not" % (same, different))


if __name__ == "__main__":
    main()
