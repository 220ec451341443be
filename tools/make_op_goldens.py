#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/native_ops.jsonl: calls of ATen operators in float64 and what PyTorch gives.

Run it by hand with Debian's python3-torch when cases are added; the file is checked in and the
tests read nothing else. Inputs are odd multiples of 1/16, exact in every floating dtype and never on a kink
(0, a whole number), so that the same calls are replayed in f32, bf16 and f16, and differentiated.

usage: make_op_goldens.py > tests/golden/native_ops.jsonl
"""

import json
import math
import random
import sys

import torch

CASES = []
RANDOM = random.Random(20221)
F64 = torch.float64
I64 = torch.int64
BOOL = torch.bool


def t(*shape, lo=-3.0, hi=3.0, unique=False):
    """A tensor of odd multiples of 1/16 in [lo, hi]."""
    count = math.prod(shape)
    first, last = math.ceil(lo * 16), math.floor(hi * 16)
    odd = [k for k in range(first, last + 1) if k % 2]
    ks = RANDOM.sample(odd, count) if unique else [RANDOM.choice(odd) for _ in range(count)]
    return torch.tensor([k / 16 for k in ks], dtype=F64).reshape(shape)


def pos(*shape, lo=0.25, hi=3.0):
    return t(*shape, lo=lo, hi=hi)


def ints(*shape, lo=-5, hi=5, dtype=I64):
    values = [RANDOM.randint(lo, hi) for _ in range(math.prod(shape))]
    return torch.tensor(values, dtype=dtype).reshape(shape)


def bools(*shape):
    return ints(*shape, lo=0, hi=1).to(BOOL)


def case(name, *args, nograd=False, **kwargs):
    CASES.append((name, args, kwargs, nograd))


# ---------------------------------------------------------------- the cases


def unary():
    plain = "neg abs sign floor ceil round trunc square exp exp2 expm1 sin cos tan atan tanh sigmoid erf erfc".split()
    positive = "log log2 log10 log1p sqrt rsqrt reciprocal".split()
    inplace = "neg abs floor ceil round exp log sqrt rsqrt reciprocal tanh sigmoid erf relu silu hardswish".split()
    for name in plain:
        case(f"aten::{name}", t(3, 5))
        case(f"aten::{name}", t(5, 3).t())
    for name in positive:
        case(f"aten::{name}", pos(3, 5))
    for name in inplace:
        case(f"aten::{name}_", pos(7))
    case("aten::exp", t(2, 0, 3))
    case("aten::exp", t())
    case("aten::tanh", t(40, 33))
    case("aten::sigmoid", t(4, 3, 2).permute(2, 0, 1))
    for name in ("neg", "abs", "sign", "floor", "exp", "sqrt", "sigmoid", "square"):
        case(f"aten::{name}", ints(2, 3, lo=1, hi=6, dtype=torch.int32))
    case("aten::round", torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5], dtype=F64), nograd=True)
    case("aten::relu", torch.tensor([float("nan"), -1.0, float("inf"), float("-inf")], dtype=F64), nograd=True)
    case("aten::log", torch.tensor([0.0, -1.0, float("inf"), float("nan")], dtype=F64), nograd=True)


def activations():
    for name in "relu silu mish hardswish hardsigmoid log_sigmoid relu6 selu gelu softplus".split():
        case(f"aten::{name}", t(4, 6))
        case(f"aten::{name}", t(6, 4, lo=-9, hi=9).t())
    case("aten::gelu", t(4, 6), approximate="tanh")
    case("aten::gelu", t(2500))
    case("aten::threshold", t(3, 4), 0.5, -2.0)
    case("aten::leaky_relu", t(3, 4), 0.25)
    case("aten::leaky_relu_", t(3, 4), 0.25)
    case("aten::hardtanh", t(3, 4), -0.5, 1.5)
    case("aten::hardtanh_", t(3, 4), -0.5, 1.5)
    case("aten::elu", t(3, 4), 1.5, 0.75, 0.5)
    case("aten::elu_", t(3, 4), 1.5, 1.0, 1.0)
    case("aten::celu", t(3, 4), 1.5)
    case("aten::softplus", t(3, 4), 2.0, 3.0)
    case("aten::prelu", t(2, 3, 4), t(3))
    case("aten::prelu", t(2, 3, 4), t(1))
    case("aten::prelu_backward", t(2, 3, 4), t(2, 3, 4), t(3))
    case("aten::prelu_backward", t(2, 3, 4), t(2, 3, 4), t(1))
    case("aten::glu", t(3, 4), -1)
    case("aten::glu", t(4, 3), 0)
    case("aten::log_sigmoid_forward", t(3, 4))
    x = t(3, 4)
    case("aten::log_sigmoid_backward", t(3, 4), x, torch.exp(-x.abs()), nograd=True)
    for name in "silu mish hardswish hardsigmoid".split():
        case(f"aten::{name}_backward", t(3, 4), t(3, 4, lo=-5, hi=5))
    case("aten::sigmoid_backward", t(3, 4), pos(3, 4, lo=0.1, hi=0.9))
    case("aten::tanh_backward", t(3, 4), t(3, 4, lo=-0.9, hi=0.9))
    case("aten::threshold_backward", t(3, 4), t(3, 4), 0.5)
    case("aten::leaky_relu_backward", t(3, 4), t(3, 4), 0.25, False)
    case("aten::hardtanh_backward", t(3, 4), t(3, 4), -1.0, 1.0)
    case("aten::elu_backward", t(3, 4), 1.5, 0.75, 0.5, False, t(3, 4))
    case("aten::elu_backward", t(3, 4), 1.5, 1.0, 1.0, True, t(3, 4, lo=-1.4, hi=3))
    case("aten::softplus_backward", t(3, 4), t(3, 4), 2.0, 3.0)
    case("aten::gelu_backward", t(3, 4), t(3, 4))
    case("aten::gelu_backward", t(3, 4), t(3, 4), approximate="tanh")


def arithmetic():
    for name in ("add", "sub"):
        case(f"aten::{name}.Tensor", t(2, 3, 4), t(2, 3, 4))
        case(f"aten::{name}.Tensor", t(2, 3, 4), t(3, 1), alpha=2.5)
        case(f"aten::{name}.Tensor", t(4, 3).t(), t(3, 4))
        case(f"aten::{name}.Tensor", t(5), t())
        case(f"aten::{name}.Tensor", ints(2, 3), ints(3), alpha=3)
        case(f"aten::{name}.Tensor", ints(2, 3, dtype=torch.uint8, lo=0, hi=200), ints(2, 3, lo=0, hi=200, dtype=torch.uint8))
        case(f"aten::{name}.Tensor", ints(2, 3), t(3))
        case(f"aten::{name}.Tensor", t(0, 3), t(3))
        case(f"aten::{name}.Scalar", t(2, 3), 1.5, 2)
        case(f"aten::{name}_.Tensor", t(2, 3), t(3), alpha=0.5)
        case(f"aten::{name}_.Scalar", t(2, 3), 1.5)
    case("aten::add.Tensor", t(70, 50), t(50, 70).t())
    case("aten::add.Tensor", bools(2, 3), bools(2, 3))
    case("aten::add.Tensor", t(300, 3, 1), t(1, 3, 7))
    case("aten::rsub.Tensor", t(2, 3), t(3), alpha=2)
    case("aten::rsub.Scalar", t(2, 3), 2.0, 3)
    case("aten::mul.Tensor", t(2, 3, 4), t(3, 1))
    case("aten::mul.Tensor", ints(3, 4), ints(4))
    case("aten::mul.Tensor", t(3, 4), bools(3, 4))
    case("aten::mul.Scalar", t(2, 3), -1.25)
    case("aten::mul_.Tensor", t(2, 3), t(2, 1))
    case("aten::mul_.Scalar", t(2, 3), 0.75)
    case("aten::div.Tensor", t(2, 3, 4), pos(3, 1))
    case("aten::div.Tensor", ints(2, 3), ints(3, lo=1, hi=5))
    case("aten::div.Scalar", t(2, 3), 1.5)
    case("aten::div_.Tensor", t(2, 3), pos(3))
    case("aten::div_.Scalar", t(2, 3), 1.5)
    for mode in ("floor", "trunc", None):
        case("aten::div.Tensor_mode", t(3, 4), t(3, 4), rounding_mode=mode, nograd=mode is not None)
        case("aten::div.Scalar_mode", t(3, 4), 0.75, rounding_mode=mode, nograd=mode is not None)
        case("aten::div_.Tensor_mode", t(3, 4), t(3, 4), rounding_mode=mode, nograd=mode is not None)
        case("aten::div_.Scalar_mode", t(3, 4), 0.75, rounding_mode=mode, nograd=mode is not None)
    for mode in ("floor", "trunc"):
        case("aten::div.Tensor_mode", ints(40, lo=-9, hi=9), ints(40, lo=1, hi=4) * (ints(40, lo=0, hi=1) * 2 - 1), rounding_mode=mode)
    case("aten::true_divide.Tensor", t(2, 3), pos(2, 3))
    case("aten::true_divide.Scalar", t(2, 3), 3)
    case("aten::floor_divide", ints(12, lo=-9, hi=9), ints(12, lo=1, hi=4))
    case("aten::floor_divide.Scalar", ints(12, lo=-9, hi=9), 3)
    case("aten::floor_divide", t(12), pos(12), nograd=True)
    for name in ("remainder", "fmod"):
        case(f"aten::{name}.Tensor", t(12), t(12), nograd=True)
        case(f"aten::{name}.Tensor", ints(20, lo=-9, hi=9), ints(20, lo=1, hi=4) * -1)
        case(f"aten::{name}.Scalar", t(12), 1.5, nograd=True)
    for exponent in (2, 3.0, 0.5, -1.5, 0):
        case("aten::pow.Tensor_Scalar", pos(3, 4), exponent)
    case("aten::pow.Tensor_Scalar", t(3, 4), 3)
    case("aten::pow.Tensor_Scalar", ints(3, 4), 3)
    case("aten::pow.Tensor_Tensor", pos(3, 4), t(4))
    case("aten::pow.Scalar", 2.5, t(3, 4))
    case("aten::pow_.Scalar", pos(3, 4), 2.5)
    case("aten::pow_.Tensor", pos(3, 4), t(3, 4))
    case("aten::xlogy.Tensor", t(3, 4), pos(3, 4))
    case("aten::xlogy.Tensor", torch.tensor([0.0, 0.0, 2.0], dtype=F64), torch.tensor([0.0, 3.0, 0.0], dtype=F64), nograd=True)
    case("aten::atan2", t(3, 4), t(3, 4))
    for name in ("maximum", "minimum"):
        case(f"aten::{name}", t(24, unique=True), t(24, unique=True).flip(0), nograd=True)
        case(f"aten::{name}", t(3, 4), t(3, 4, lo=4, hi=6))
        case(f"aten::{name}", torch.tensor([1.0, float("nan"), 2.0], dtype=F64), torch.tensor([float("nan"), 1.0, 3.0], dtype=F64), nograd=True)
        case(f"aten::{name}", ints(3, 4), ints(4))
    case("aten::max.other", t(6), t(6, lo=4, hi=6))
    case("aten::min.other", t(6), t(6, lo=4, hi=6))
    case("aten::clamp", t(3, 4), -1.0, 1.5)
    case("aten::clamp", t(3, 4), None, 1.5)
    case("aten::clamp", t(3, 4), -1.0, None)
    case("aten::clamp", ints(12), -2, 3)
    # Bounds that no input meets exactly.
    low, high = t(4, lo=-2, hi=-1) + 1 / 32, t(3, 4, lo=1, hi=2) + 1 / 32
    case("aten::clamp.Tensor", t(3, 4), low, high)
    case("aten::clamp.Tensor", t(3, 4), low, None)
    case("aten::clamp.Tensor", t(3, 4), None, high)
    case("aten::clamp_", t(3, 4), -1.0, 1.5)
    case("aten::clamp_.Tensor", t(3, 4), low, high)
    for name, bound in (("clamp_min", "min"), ("clamp_max", "max")):
        case(f"aten::{name}", t(3, 4), 0.5)
        case(f"aten::{name}.Tensor", t(3, 4), t(1, lo=0.1, hi=0.2) + 1 / 32)
        case(f"aten::{name}_", t(3, 4), 0.5)
    for name in ("addcmul", "addcdiv"):
        case(f"aten::{name}", t(3, 4), t(4), pos(3, 4), value=0.5)
        case(f"aten::{name}_", t(3, 4), t(4), pos(3, 4), value=0.5)
    case("aten::lerp.Scalar", t(3, 4), t(3, 4), 0.25)
    case("aten::lerp.Scalar", t(3, 4), t(3, 4), 0.75)
    case("aten::lerp.Tensor", t(3, 4), t(3, 4), pos(3, 4, lo=0.1, hi=0.9))
    case("aten::lerp_.Scalar", t(3, 4), t(3, 4), 0.25)
    case("aten::lerp_.Tensor", t(3, 4), t(3, 4), pos(3, 4, lo=0.1, hi=0.9))


def comparisons():
    for name in "eq ne lt le gt ge".split():
        case(f"aten::{name}.Tensor", ints(4, 5, lo=0, hi=2), ints(5, lo=0, hi=2))
        case(f"aten::{name}.Tensor", t(5, 4).t(), t(4, 5))
        case(f"aten::{name}.Scalar", t(4, 5, lo=-0.3, hi=0.3), 0.0625)
        case(f"aten::{name}.Scalar", ints(6, lo=0, hi=2), 1)
    for name in "and or xor".split():
        case(f"aten::logical_{name}", ints(4, 5, lo=0, hi=1).to(F64), ints(5, lo=0, hi=1).to(F64), nograd=True)
        case(f"aten::bitwise_{name}.Tensor", ints(4, 5), ints(5))
        case(f"aten::bitwise_{name}.Tensor", bools(4, 5), bools(5))
        case(f"aten::bitwise_{name}.Scalar", ints(4, 5), 3)
    case("aten::logical_not", bools(6))
    case("aten::logical_not", ints(6, lo=0, hi=1).to(F64), nograd=True)
    case("aten::bitwise_not", ints(6))
    case("aten::bitwise_not", bools(6))
    special = torch.tensor([1.0, float("nan"), float("inf"), float("-inf"), 0.0], dtype=F64)
    for name in "isnan isinf isfinite".split():
        case(f"aten::{name}", special, nograd=True)
    case("aten::isnan", ints(3))
    case("aten::where.self", bools(3, 4), t(3, 4), t(4))
    case("aten::where.self", bools(4, 1), t(1, 5), t(4, 5))
    case("aten::where.ScalarSelf", bools(3, 4), 1.5, t(4))
    case("aten::where.ScalarOther", bools(3, 4), t(4), 1.5)
    case("aten::where.Scalar", bools(3, 4), 1.5, 2.5)
    case("aten::masked_fill.Scalar", t(3, 4), bools(4), -7.5)
    case("aten::masked_fill.Tensor", t(3, 4), bools(4), t())
    case("aten::masked_fill_.Scalar", t(3, 4), bools(4), -7.5)
    case("aten::masked_fill_.Tensor", t(3, 4), bools(4), t())
    case("aten::fill_.Scalar", t(3, 4), 2.5)
    case("aten::fill_.Tensor", t(3, 4), t())
    case("aten::zero_", t(3, 4))


def reductions():
    for name in ("sum", "mean"):
        dim = "dim_IntList" if name == "sum" else "dim"
        case(f"aten::{name}", t(3, 4, 5))
        case(f"aten::{name}", t())
        case(f"aten::{name}", t(5000))
        for dims in ([0], [1], [-1], [0, 2], [0, 1, 2]):
            case(f"aten::{name}.{dim}", t(3, 4, 5), dims, len(dims) == 2)
        case(f"aten::{name}.{dim}", t(40, 30), [0])
        case(f"aten::{name}.{dim}", t(30, 40).t(), [0])
        case(f"aten::{name}.{dim}", t(4, 3, 20, 2).permute(0, 3, 1, 2), [0, 2], True)
    case("aten::sum", t(0, 3))
    case("aten::sum.dim_IntList", t(0, 3), [0])
    case("aten::sum", ints(3, 4))
    case("aten::sum", bools(3, 4))
    case("aten::sum.dim_IntList", ints(30, 40), [0])
    case("aten::sum.dim_IntList", ints(3, 4), [1], dtype=F64)
    case("aten::prod", t(5))
    case("aten::prod.dim_int", t(3, 4), 0, True)
    case("aten::prod", ints(5, lo=1, hi=4))
    for name in ("max", "min"):
        case(f"aten::{name}", t(24, unique=True))
        case(f"aten::{name}.dim", t(4, 6, unique=True), 1)
        case(f"aten::{name}.dim", t(4, 6, unique=True), 0, True)
        case(f"aten::{name}.dim", ints(4, 6), 0)
        case(f"aten::a{name}", t(4, 6, unique=True), [0])
        case(f"aten::a{name}", t(4, 6, unique=True), [0, 1], True)
        case(f"aten::arg{name}", t(4, 6, unique=True))
        case(f"aten::arg{name}", t(6, 4, unique=True).t())
        case(f"aten::arg{name}", t(4, 6, unique=True), 1, True)
        case(f"aten::{name}", torch.tensor([1.0, float("nan"), 3.0], dtype=F64), nograd=True)
    case("aten::argmax", torch.tensor([1.0, float("nan"), 3.0, float("nan")], dtype=F64), nograd=True)
    case("aten::argmax", ints(3000, lo=0, hi=9))
    for name in ("any", "all"):
        case(f"aten::{name}", bools(5))
        case(f"aten::{name}", torch.zeros(3, dtype=F64), nograd=True)
        case(f"aten::{name}.dim", bools(3, 4), 1)
        case(f"aten::{name}.dim", ints(3, 4, lo=0, hi=1), 0, True)
    for name in ("var", "std", "var_mean"):
        case(f"aten::{name}", t(3, 4))
        case(f"aten::{name}", t(3, 4), False)
        case(f"aten::{name}.dim", t(3, 4), [1])
        case(f"aten::{name}.dim", t(3, 4, 5), [0, 2], False, True)
        case(f"aten::{name}.correction", t(3, 4), [0], correction=0, keepdim=True)
    for p in (2, 1, 3, float("inf"), 0.5):
        case("aten::norm.Scalar", t(3, 4, unique=True), p)
        case("aten::linalg_vector_norm", t(3, 4, unique=True), p)
    case("aten::norm.ScalarOpt_dim", t(3, 4), 2, [1])
    case("aten::norm.ScalarOpt_dim", t(3, 4), None, [0], True)
    case("aten::norm.ScalarOpt_dtype", t(3, 4), 2, dtype=F64)
    case("aten::norm.ScalarOpt_dim_dtype", t(3, 4), 2, [1], False, dtype=F64)
    case("aten::linalg_vector_norm", t(3, 4), 2, [0], True)
    case("aten::linalg_vector_norm", t(3, 4, unique=True), 0, nograd=True)
    case("aten::linalg_vector_norm", t(3, 4, unique=True), float("-inf"))
    case("aten::logsumexp", t(3, 4), [1])
    case("aten::logsumexp", t(3, 4), [0, 1], True)
    case("aten::cosine_similarity", t(3, 4), t(3, 4))


def order():
    for dim in (0, 1, -1):
        case("aten::cumsum", t(3, 4), dim)
        case("aten::cumprod", t(3, 4), dim)
    case("aten::cumsum", ints(3, 4), 0)
    case("aten::topk", t(3, 8, unique=True), 3)
    case("aten::topk", t(8, 3, unique=True), 2, 0, False)
    case("aten::sort", t(3, 8, unique=True))
    case("aten::sort", t(8, 3, unique=True), 0, True)
    case("aten::sort.stable", ints(12, lo=0, hi=3), stable=True, dim=0)
    case("aten::sort.stable", ints(12, lo=0, hi=3), stable=True, dim=0, descending=True)
    case("aten::sort", torch.tensor([2.0, float("nan"), 1.0], dtype=F64), nograd=True)
    case("aten::argsort", t(3, 8, unique=True), 1, True)
    bounds = torch.tensor([-2.0, 0.0, 1.0, 2.5], dtype=F64)
    case("aten::bucketize.Tensor", t(3, 4), bounds, nograd=True)
    case("aten::bucketize.Tensor", ints(3, 4, lo=-3, hi=3), torch.tensor([-2, 0, 1]), right=True, out_int32=True)
    case("aten::bucketize.Scalar", 1.0, bounds, right=True, nograd=True)
    lines = torch.sort(t(2, 6, unique=True))[0]
    case("aten::searchsorted.Tensor", lines, t(2, 3), nograd=True)
    case("aten::searchsorted.Tensor", lines[0], t(2, 3), right=True, nograd=True)
    case("aten::searchsorted.Scalar", lines[1], 0.5, side="right", nograd=True)
    shuffled = t(6, unique=True)
    case("aten::searchsorted.Tensor", shuffled, t(5), sorter=torch.argsort(shuffled), nograd=True)


def copies():
    case("aten::copy_", t(3, 4), t(4))
    case("aten::copy_", t(3, 4), ints(3, 4))
    case("aten::copy_", ints(3, 4), t(3, 4), nograd=True)
    case("aten::clone", t(4, 3).t())
    case("aten::contiguous", t(4, 3).t())
    case("aten::contiguous", t(3, 4))
    case("aten::to.dtype", t(3, 4), torch.int32, nograd=True)
    case("aten::to.dtype", ints(3, 4), F64)
    case("aten::to.dtype", t(3, 4), F64, False, True)
    case("aten::to.dtype", t(3, 4), BOOL, nograd=True)
    case("aten::to.other", t(3, 4), t(2))
    case("aten::to.device", t(3, 4), torch.device("cpu"), F64)
    case("aten::to.dtype_layout", ints(3, 4), dtype=F64)
    case("aten::_to_copy", t(3, 4), dtype=F64)
    case("aten::_to_copy", ints(3, 4), dtype=F64)
    case("aten::detach", t(3, 4))
    case("aten::cat", [t(2, 3), t(4, 3), t(1, 3)])
    case("aten::cat", [t(2, 3), t(3, 2).t()], 1)
    case("aten::cat", [ints(2, 3), t(2, 3)], -1)
    case("aten::cat", [t(0), t(2, 3)], nograd=True)  # PyTorch's way out for lists that were empty
    case("aten::concat", [t(2, 3), t(4, 3)])
    case("aten::stack", [t(2, 3), t(2, 3)], 1)
    case("aten::stack", [t(2, 3), t(2, 3)], -1)
    case("aten::split.Tensor", t(5, 3), 2)
    case("aten::split.sizes", t(5, 3), [1, 4])
    case("aten::split_with_sizes", t(3, 5), [2, 3], 1)
    case("aten::chunk", t(5, 3), 2)
    case("aten::unbind.int", t(3, 4), 1)
    case("aten::flip", t(3, 4), [0])
    case("aten::flip", t(3, 4, 2).permute(2, 0, 1), [0, 2])
    case("aten::roll", t(3, 4), [1], [1])
    case("aten::roll", t(3, 4), [2, -1], [0, 1])
    case("aten::roll", t(4, 3).t(), [5])
    case("aten::repeat", t(3), [2, 2])
    case("aten::repeat", t(2, 3), [3, 1])
    case("aten::tril", t(4, 5))
    case("aten::tril", t(2, 4, 5), -1)
    case("aten::triu", t(4, 5), 1)
    case("aten::triu", t(5, 4).t(), -9)
    case("aten::select_backward", t(3), [3, 4], 1, 2)
    case("aten::slice_backward", t(3, 2), [3, 5], 1, 1, 5, 2)
    case("aten::diagonal_backward", t(3), [4, 4], 1, 0, 1)
    case("aten::diagonal_backward", t(2, 3), [4, 2, 5], -1, 0, 2)
    # A gradient that is repeated to fit.
    case("aten::select_backward", t(), [2, 3], 1, -1, nograd=True)
    case("aten::slice_backward", t(2, 1), [2, 5], 1, 1, 2**63 - 1, 2, nograd=True)
    case("aten::diagonal_backward", t(), [2, 3], 1, 0, 1, nograd=True)
    case("aten::diagonal_backward", t(2, 1), [2, 2, 1], 5, 1, 2, nograd=True)
    case("aten::constant_pad_nd", t(2, 3), [1, 2, 0, 1], 1.5)
    case("aten::constant_pad_nd", t(4, 5), [-1, 1, 1, -1], 0.0)
    case("aten::pad", t(2, 3), [1, 2], "constant", 2.5)
    case("aten::pad", t(2, 3), [0, 1, 2, 0])
    case("aten::pixel_shuffle", t(1, 8, 2, 3), 2)


def views():
    case("aten::view", t(3, 4), [2, 6])
    case("aten::view", t(3, 4), [-1])
    case("aten::_unsafe_view", t(3, 4), [2, 6])
    case("aten::_reshape_alias", t(3, 4), [2, 6], [6, 1])
    case("aten::reshape", t(4, 3).t(), [2, 6])
    case("aten::reshape", t(3, 4), [12])
    case("aten::flatten.using_ints", t(2, 3, 4), 1)
    case("aten::unflatten.int", t(2, 12), 1, [3, 4])
    case("aten::view_as", t(3, 4), t(2, 6))
    case("aten::reshape_as", t(3, 4), t(2, 6))
    case("aten::transpose.int", t(2, 3, 4), 0, -1)
    case("aten::t", t(3, 4))
    case("aten::permute", t(2, 3, 4), [2, 0, 1])
    case("aten::expand", t(3, 1), [2, 3, 4])
    case("aten::expand_as", t(3, 1), t(2, 3, 4))
    case("aten::squeeze", t(2, 1, 3, 1))
    case("aten::squeeze.dim", t(2, 1, 3), 1)
    case("aten::unsqueeze", t(2, 3), -1)
    case("aten::select.int", t(3, 4), 1, -2)
    case("aten::slice.Tensor", t(5, 4), 0, 1, 5, 2)
    case("aten::slice.Tensor", t(5, 4), 1, -3, None)
    case("aten::narrow", t(5, 4), 0, 1, 3)
    case("aten::as_strided", t(12), [3, 2], [2, 1], 3)
    case("aten::diagonal", t(4, 5), 1)
    case("aten::diagonal", t(2, 4, 5), -1, 1, 2)
    case("aten::alias", t(3))


def creation():
    for dtype in (F64, torch.int32):
        case("aten::zeros", [2, 3], dtype=dtype)
        case("aten::ones", [2, 3], dtype=dtype)
        case("aten::full", [2, 3], 7, dtype=dtype)
        case("aten::arange", 7, dtype=dtype)
        case("aten::arange.start", 2, 9, dtype=dtype)
        case("aten::arange.start_step", 1, 10, 3, dtype=dtype)
        case("aten::zeros_like", t(2, 3), dtype=dtype)
        case("aten::ones_like", t(3, 2).t(), dtype=dtype)
        case("aten::full_like", t(2, 3), 3, dtype=dtype)
        case("aten::new_zeros", t(2, 3), [4], dtype=dtype)
        case("aten::new_ones", t(2, 3), [4], dtype=dtype)
        case("aten::new_full", t(2, 3), [4], 5, dtype=dtype)
        case("aten::scalar_tensor", 3, dtype=dtype)
    case("aten::arange.start_step", 0.5, 4.0, 0.75, dtype=F64)
    case("aten::linspace", -1.0, 2.0, 7, dtype=F64)
    case("aten::linspace", 3.0, 3.0, 1, dtype=F64)
    case("aten::full", [0], 7.0, dtype=F64)
    case("aten::empty.memory_format", [2, 3], dtype=F64)
    case("aten::empty_like", t(2, 3))
    case("aten::empty_strided", [2, 3], [1, 2], dtype=F64)
    case("aten::new_empty", t(2), [3])
    case("aten::new_empty_strided", t(2), [2, 3], [1, 2])


def foreach():
    def lists(**options):
        return [t(2, 3, **options), t(4, **options)]

    for name in ("add", "sub", "mul", "div"):
        alpha = {"alpha": 0.5} if name in ("add", "sub") else {}
        for suffix in ("", "_"):
            case(f"aten::_foreach_{name}{suffix}.List", lists(), lists(lo=0.5, hi=2), **alpha)
            case(f"aten::_foreach_{name}{suffix}.Scalar", lists(), 1.5)
            case(f"aten::_foreach_{name}{suffix}.ScalarList", lists(), [1.5, -2.0])
    for name in ("addcmul", "addcdiv"):
        for suffix in ("", "_"):
            case(f"aten::_foreach_{name}{suffix}.Scalar", lists(), lists(), lists(lo=0.5, hi=2), 0.5)
            case(f"aten::_foreach_{name}{suffix}.ScalarList", lists(), lists(), lists(lo=0.5, hi=2), [0.5, 2.0])
    for suffix in ("", "_"):
        case(f"aten::_foreach_sqrt{suffix}", lists(lo=0.5, hi=2))
        case(f"aten::_foreach_neg{suffix}", lists())
    case("aten::_foreach_zero_", lists())
    case("aten::_foreach_norm.Scalar", lists(), 2)
    case("aten::_foreach_norm.Scalar", lists(), 1)


def dropout():
    case("aten::native_dropout_backward", t(3, 4), bools(3, 4), 2.0)
    case("aten::native_dropout", t(3, 4), 0.0, True)
    case("aten::dropout", t(3, 4), 0.5, False)


def matrix():
    case("aten::mm", t(3, 4), t(4, 5))
    case("aten::mm", t(4, 3).t(), t(5, 4).t())
    case("aten::mm", t(3, 0), t(0, 5))
    case("aten::mm", t(8, 6)[::2, ::2], t(3, 5))
    case("aten::mm", ints(3, 4), ints(4, 5))
    case("aten::bmm", t(2, 3, 4), t(2, 4, 5))
    case("aten::bmm", t(2, 4, 3).transpose(1, 2), t(2, 4, 5))
    for suffix in ("", "_"):
        case(f"aten::addmm{suffix}", t(3, 5), t(3, 4), t(4, 5), beta=0.5, alpha=2.0)
        case(f"aten::baddbmm{suffix}", t(2, 3, 5), t(2, 3, 4), t(2, 4, 5), beta=0.5, alpha=2.0)
    case("aten::addmm", t(5), t(3, 4), t(4, 5))
    case("aten::addmm", t(3, 5), t(3, 4), t(4, 5), beta=0.0)
    case("aten::baddbmm", t(1, 5), t(2, 3, 4), t(2, 4, 5))
    case("aten::addbmm", t(3, 5), t(2, 3, 4), t(2, 4, 5), beta=0.5, alpha=2.0)
    case("aten::mv", t(3, 4), t(4))
    case("aten::addmv", t(3), t(3, 4), t(4), beta=0.5, alpha=2.0)
    case("aten::dot", t(5), t(5))
    case("aten::outer", t(3), t(4))
    case("aten::addr", t(3, 4), t(3), t(4), beta=0.5, alpha=2.0)
    case("aten::matmul", t(3, 4), t(4))
    case("aten::matmul", t(4), t(4, 3))
    case("aten::matmul", t(2, 3, 4), t(4, 5))
    case("aten::matmul", t(2, 1, 3, 4), t(5, 4, 3))
    case("aten::linear", t(3, 4), t(5, 4), t(5))
    case("aten::linear", t(2, 3, 4), t(5, 4))
    case("aten::linear", t(2, 3, 4), t(5, 4), t(5))
    case("aten::_scaled_dot_product_attention", t(2, 3, 4), t(2, 5, 4), t(2, 5, 6))
    case("aten::_scaled_dot_product_attention", t(2, 4, 4), t(2, 4, 4), t(2, 4, 6), None, 0.0, False, True)


def convolution():
    def conv(x, w, b, stride, padding, dilation, transposed=False, output_padding=None, groups=1):
        n = len(stride)
        case("aten::convolution", x, w, b, stride, padding, dilation, transposed, output_padding or [0] * n, groups)
        out = torch.ops.aten.convolution(x, w, b, stride, padding, dilation, transposed, output_padding or [0] * n, groups)
        case("aten::convolution_backward", t(*out.shape), x, w, [w.shape[0] if not transposed else w.shape[1] * groups], stride, padding, dilation, transposed, output_padding or [0] * n, groups, [True, True, True], nograd=True)

    conv(t(2, 3, 6, 5), t(4, 3, 3, 3), t(4), [1, 1], [1, 1], [1, 1])
    conv(t(2, 4, 7, 6), t(6, 2, 3, 2), None, [2, 1], [0, 1], [1, 2], groups=2)
    conv(t(1, 2, 9), t(3, 2, 3), t(3), [2], [1], [1])
    conv(t(1, 2, 4, 5, 3), t(3, 2, 2, 3, 2), t(3), [1, 1, 1], [0, 1, 0], [1, 1, 1])
    conv(t(2, 3, 4, 4), t(3, 2, 3, 3), t(2), [2, 2], [1, 1], [1, 1], True, [1, 1])
    conv(t(1, 4, 3, 3), t(4, 2, 2, 2), None, [1, 1], [0, 0], [1, 1], True, [0, 0], 2)
    case("aten::conv1d", t(2, 3, 8), t(4, 3, 3), t(4), [1], [1])
    case("aten::conv2d", t(2, 3, 6, 5), t(4, 3, 3, 3), t(4), [2, 2], [1, 1])
    case("aten::conv3d", t(1, 2, 4, 4, 4), t(3, 2, 2, 2, 2), None)
    case("aten::conv1d.padding", t(2, 3, 8), t(4, 3, 4), t(4), [1], "same")
    case("aten::conv2d.padding", t(2, 3, 6, 5), t(4, 3, 3, 2), t(4), [1, 1], "same")
    case("aten::conv2d.padding", t(2, 3, 6, 5), t(4, 3, 3, 3), t(4), [1, 1], "valid")
    case("aten::conv3d.padding", t(1, 2, 4, 4, 4), t(3, 2, 3, 3, 3), None, [1, 1, 1], "same")
    case("aten::conv_transpose1d", t(1, 2, 5), t(2, 3, 3), t(3), [2])
    case("aten::conv_transpose2d.input", t(1, 2, 3, 4), t(2, 3, 3, 3), t(3), [2, 2], [1, 1])
    case("aten::conv_transpose3d.input", t(1, 2, 2, 2, 2), t(2, 3, 2, 2, 2), None)
    case("aten::_convolution", t(2, 3, 6, 5), t(4, 3, 3, 3), t(4), [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True, True)


def pooling():
    def unique(*shape):
        count = math.prod(shape)
        values = list(range(count))
        RANDOM.shuffle(values)
        return (torch.tensor(values, dtype=F64).reshape(shape) * 2 + 1 - count) / 16

    for x in (unique(1, 2, 6, 5), unique(2, 6, 4)):
        case("aten::max_pool2d", x, [2, 2])
        case("aten::max_pool2d_with_indices", x, [3, 2], [2, 1], [1, 1], [1, 1], True)
        case("aten::max_pool2d_with_indices", x, [2, 2], [2, 2], [0, 0], [2, 1])
    x = unique(1, 2, 6, 5)
    out, index = torch.ops.aten.max_pool2d_with_indices(x, [3, 2], [2, 1], [1, 1])
    case("aten::max_pool2d_with_indices_backward", t(*out.shape), x, [3, 2], [2, 1], [1, 1], [1, 1], False, index, nograd=True)
    case("aten::max_pool1d", unique(1, 2, 9), [3], [2], [1])
    case("aten::max_pool1d_with_indices", unique(1, 2, 9), [3], [2], [1])
    case("aten::max_pool3d", unique(1, 1, 4, 4, 3), [2, 2, 2])
    case("aten::max_pool3d_with_indices", unique(1, 1, 4, 4, 3), [2, 2, 2], [1, 2, 1])
    x = unique(1, 1, 4, 4, 3)
    out, index = torch.ops.aten.max_pool3d_with_indices(x, [2, 2, 2])
    case("aten::max_pool3d_with_indices_backward", t(*out.shape), x, [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False, index, nograd=True)
    for pad in (True, False):
        case("aten::avg_pool2d", t(1, 2, 6, 5), [3, 2], [2, 1], [1, 1], True, pad)
    case("aten::avg_pool2d", t(1, 2, 6, 5), [2, 2], [2, 2], [0, 0], False, True, 3)
    case("aten::avg_pool2d_backward", t(1, 2, 3, 2), t(1, 2, 6, 5), [2, 2], [2, 2], [0, 0], False, True, None, nograd=True)
    case("aten::avg_pool1d", t(1, 2, 9), [3], [2], [1])
    case("aten::avg_pool3d", t(1, 1, 4, 4, 3), [2, 2, 2], [2, 1, 1], [1, 0, 0])
    case("aten::avg_pool3d_backward", t(1, 1, 2, 2, 1), t(1, 1, 4, 4, 3), [2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None, nograd=True)
    case("aten::adaptive_avg_pool1d", t(1, 2, 7), [3])
    case("aten::adaptive_avg_pool2d", t(1, 2, 7, 5), [3, 2])
    case("aten::_adaptive_avg_pool2d", t(1, 2, 7, 5), [3, 2])
    case("aten::_adaptive_avg_pool2d_backward", t(1, 2, 3, 2), t(1, 2, 7, 5), nograd=True)
    case("aten::adaptive_avg_pool3d", t(1, 2, 4, 5, 3), [2, 2, 2])
    case("aten::_adaptive_avg_pool3d", t(1, 2, 4, 5, 3), [2, 2, 2])
    case("aten::_adaptive_avg_pool3d_backward", t(1, 2, 2, 2, 2), t(1, 2, 4, 5, 3), nograd=True)
    case("aten::adaptive_max_pool2d", unique(1, 2, 7, 5), [3, 2])
    x = unique(1, 2, 7, 5)
    out, index = torch.ops.aten.adaptive_max_pool2d(x, [3, 2])
    case("aten::adaptive_max_pool2d_backward", t(*out.shape), x, index, nograd=True)
    case("aten::upsample_nearest2d", t(1, 2, 3, 4), [6, 5])
    case("aten::upsample_nearest2d.vec", t(1, 2, 3, 4), None, [2.0, 1.5])
    case("aten::upsample_nearest2d_backward", t(1, 2, 6, 5), [6, 5], [1, 2, 3, 4], nograd=True)


def norms():
    for shape, normalized in (((3, 4), [4]), ((2, 3, 4), [3, 4])):
        weight, bias = t(*normalized), t(*normalized)
        case("aten::layer_norm", t(*shape), normalized, weight, bias, 1e-5)
        case("aten::native_layer_norm", t(*shape), normalized, None, None, 1e-5)
        x = t(*shape)
        case("aten::native_layer_norm", x, normalized, weight, bias, 1e-5)
        out, mean, rstd = torch.ops.aten.native_layer_norm(x, normalized, weight, bias, 1e-5)
        case("aten::native_layer_norm_backward", t(*shape), x, normalized, mean, rstd, weight, bias, [True, True, True], nograd=True)
    for training in (True, False):
        x, w, b, m, v = t(4, 3, 2, 2), t(3), t(3), t(3), pos(3)
        case("aten::batch_norm", x, w, b, m, v, training, 0.1, 1e-5, False)
        case("aten::native_batch_norm", x, w, b, m.clone(), v.clone(), training, 0.1, 1e-5)
        out, mean, invstd = torch.ops.aten.native_batch_norm(x, w, b, m.clone(), v.clone(), training, 0.1, 1e-5)
        case("aten::native_batch_norm_backward", t(4, 3, 2, 2), x, w, m, v, mean, invstd, training, 1e-5, [True, True, True], nograd=True)
    case("aten::native_batch_norm", t(5, 3), None, None, None, None, True, 0.1, 1e-5)
    x, w, b = t(2, 4, 3), t(4), t(4)
    case("aten::group_norm", x, 2, w, b, 1e-5)
    case("aten::native_group_norm", x, w, b, 2, 4, 3, 2, 1e-5)
    out, mean, rstd = torch.ops.aten.native_group_norm(x, w, b, 2, 4, 3, 2, 1e-5)
    case("aten::native_group_norm_backward", t(2, 4, 3), x, mean, rstd, w, 2, 4, 3, 2, [True, True, True], nograd=True)
    case("aten::instance_norm", t(2, 3, 4), t(3), t(3), None, None, True, 0.1, 1e-5, False)


def softmaxes():
    for name in ("softmax", "log_softmax"):
        for dim in (0, 1, -1):
            case(f"aten::{name}.int", t(3, 4, 5), dim)
            case(f"aten::_{name}", t(3, 4, 5), dim, False)
        x = t(3, 4)
        out = getattr(torch, name)(x, 1)
        case(f"aten::_{name}_backward_data", t(3, 4), out, 1, F64, nograd=True)
        case(f"aten::_{name}", t(2, 1500), 1, False)
        case(f"aten::_{name}", t(4, 3).t(), 0, False)


def losses():
    target = ints(4, lo=0, hi=2)
    for reduction in (0, 1, 2):
        case("aten::nll_loss", t(4, 3), target, t(3), reduction, -100)
        case("aten::nll_loss_forward", t(4, 3), target, None, reduction, 1)
        case("aten::nll_loss_nd", t(4, 3), target, None, reduction)
        case("aten::nll_loss2d", t(2, 3, 2, 2), ints(2, 2, 2, lo=0, hi=2), t(3), reduction)
        case("aten::nll_loss2d_forward", t(2, 3, 2, 2), ints(2, 2, 2, lo=0, hi=2), None, reduction, 1)
        case("aten::cross_entropy_loss", t(4, 3), target, None, reduction)
        for name in "mse_loss smooth_l1_loss huber_loss l1_loss".split():
            case(f"aten::{name}", t(3, 4), t(3, 4, lo=4, hi=8), reduction)
            case(f"aten::{name}", t(3, 4, lo=0.1, hi=0.4), t(3, 4, lo=0.6, hi=0.9), reduction)
        case("aten::binary_cross_entropy", pos(3, 4, lo=0.1, hi=0.9), pos(3, 4, lo=0.1, hi=0.9), None, reduction)
        case("aten::binary_cross_entropy", pos(3, 4, lo=0.1, hi=0.9), pos(3, 4, lo=0.1, hi=0.9), pos(4), reduction)
        case("aten::binary_cross_entropy_with_logits", t(3, 4), pos(3, 4, lo=0.1, hi=0.9), None, pos(4), reduction)
        case("aten::kl_div", t(3, 4), pos(3, 4, lo=0.1, hi=0.9), reduction)
        grad = t() if reduction else t(4)
        total = torch.tensor(4.0, dtype=F64)
        case("aten::nll_loss_backward", grad, t(4, 3), target, None, reduction, -100, total, nograd=True)
        grad = t() if reduction else t(2, 2, 2)
        case("aten::nll_loss2d_backward", grad, t(2, 3, 2, 2), ints(2, 2, 2, lo=0, hi=2), None, reduction, -100, torch.tensor(8.0, dtype=F64), nograd=True)
        grad = t() if reduction else t(3, 4)
        case("aten::mse_loss_backward", grad, t(3, 4), t(3, 4), reduction, nograd=True)
        case("aten::smooth_l1_loss_backward", grad, t(3, 4), t(3, 4), reduction, 1.0, nograd=True)
        case("aten::huber_loss_backward", grad, t(3, 4), t(3, 4), reduction, 1.0, nograd=True)
        case("aten::binary_cross_entropy_backward", grad, pos(3, 4, lo=0.1, hi=0.9), pos(3, 4, lo=0.1, hi=0.9), None, reduction, nograd=True)
    case("aten::cross_entropy_loss", t(4, 3), target, t(3).abs(), 1, 1)


def indexing():
    index = ints(3, 2, lo=0, hi=3)
    case("aten::gather", t(3, 4), 1, index)
    case("aten::gather", t(4, 2), 0, index)
    case("aten::index_select", t(3, 4), 1, ints(5, lo=0, hi=3))
    case("aten::index_select", t(4, 3).t(), 0, ints(2, lo=0, hi=2))
    case("aten::index.Tensor", t(4, 5), [ints(3, lo=0, hi=3)])
    case("aten::index.Tensor", t(4, 5), [ints(3, 1, lo=0, hi=3), ints(2, lo=0, hi=4)])
    case("aten::index.Tensor", t(4, 5), [None, ints(3, lo=0, hi=4)])
    for suffix in ("", "_"):
        case(f"aten::index_add{suffix}", t(4, 3), 0, ints(5, lo=0, hi=3), t(5, 3), alpha=0.5)
        case(f"aten::index_put{suffix}", t(4, 5), [torch.tensor([0, 2])], t(2, 5))
        case(f"aten::index_put{suffix}", t(4, 5), [ints(6, lo=0, hi=3)], t(6, 5), True)
        case(f"aten::scatter{suffix}.src", t(3, 4), 1, torch.tensor([[0, 2], [1, 3], [3, 0]]), t(3, 2))
        case(f"aten::scatter{suffix}.value", t(3, 4), 1, torch.tensor([[0, 2], [1, 3], [3, 0]]), 2.5)
        case(f"aten::scatter_add{suffix}", t(3, 4), 1, index, t(3, 2))
    case("aten::index_fill.int_Scalar", t(3, 4), 1, torch.tensor([0, 2]), 2.5)
    weight = t(6, 3, unique=True)
    case("aten::embedding", weight, ints(2, 4, lo=0, hi=5))
    case("aten::embedding", weight, ints(4, lo=0, hi=5, dtype=torch.int32))
    case("aten::embedding_backward", t(2, 4, 3), ints(2, 4, lo=0, hi=5), 6, -1, False, False, nograd=True)
    case("aten::embedding_dense_backward", t(2, 4, 3), ints(2, 4, lo=0, hi=5), 6, 2, False, nograd=True)
    case("aten::embedding_dense_backward", t(2, 4, 3), ints(2, 4, lo=0, hi=2), 6, -1, True, nograd=True)
    case("aten::one_hot", ints(5, lo=0, hi=3), 4)
    offsets = torch.tensor([0, 3, 3, 5])
    for mode in (0, 1, 2):
        indices = torch.tensor([1, 4, 2, 5, 0, 3, 1])
        case("aten::embedding_bag", weight, indices, offsets, False, mode)
        case("aten::_embedding_bag", weight, indices, offsets, False, mode)
        case("aten::_embedding_bag_forward_only", weight, indices, offsets, False, mode)
    case("aten::_embedding_bag", weight, indices, offsets, False, 0, False, t(7))
    case("aten::embedding_bag.padding_idx", weight, indices, offsets, False, 0, False, None, False, 1)


for group in (unary, activations, arithmetic, comparisons, reductions, order, copies, views, creation, foreach, dropout,
              matrix, convolution, pooling, norms, softmaxes, losses, indexing):
    group()

# ---------------------------------------------------------------- writing

DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.int64: "i64", torch.int32: "i32", torch.bool: "bool",
          torch.uint8: "u8", torch.int16: "i16", torch.int8: "i8"}


def number(value):
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def encode(value):
    if isinstance(value, torch.Tensor):
        return {"tensor": DTYPES[value.dtype], "sizes": list(value.shape), "strides": list(value.stride()),
                "data": [number(v) for v in value.reshape(-1).tolist()]}
    if isinstance(value, torch.dtype):
        return {"dtype": DTYPES[value]}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]
    if isinstance(value, float):
        return {"float": number(value)}
    return value


def fresh(value):
    """Copies with the same strides: in-place operators change what they are given."""
    if isinstance(value, torch.Tensor):
        return value.clone(memory_format=torch.preserve_format)
    if isinstance(value, (list, tuple)):
        return [fresh(v) for v in value]
    return value


def find(name):
    base, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


# Results that PyTorch leaves to its implementation (which of its paths fills the maps of bags).
LOOSE = {"aten::embedding_bag", "aten::_embedding_bag", "aten::_embedding_bag_forward_only", "aten::embedding_bag.padding_idx"}
# Functions that PyTorch computes with constants in single precision.
EXACT = {"aten::hardsigmoid_backward": lambda grad, x: torch.where(x.abs() < 3, grad / 6, torch.zeros_like(grad))}

failed = 0
for name, args, kwargs, nograd in CASES:
    given, given_kwargs = fresh(args), {k: fresh(v) for k, v in kwargs.items()}
    try:
        result = EXACT.get(name, find(name))(*given, **given_kwargs)
    except Exception as error:  # an operator that this PyTorch does not have
        print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
        failed += 1
        continue
    if result is None:
        result = given[0]
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    if name in LOOSE:
        outputs[1:] = [None] * (len(outputs) - 1)
    line = {"op": name, "args": encode(args), "kwargs": {k: encode(v) for k, v in kwargs.items()},
            "outputs": encode(outputs)}
    if nograd:
        line["nograd"] = True
    print(json.dumps(line))
print(f"{len(CASES) - failed} cases, {failed} failed", file=sys.stderr)
