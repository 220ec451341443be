#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/shapes.txt: random valid operator calls and the shapes, dtypes and strides that
PyTorch gives for them. The C test replays the file, so PyTorch is needed only to make it again:
    apt-get install python3-torch
    /usr/bin/python3 tools/check_shapes.py > tests/golden/shapes.txt
"""
import random
import sys

import torch

rng = random.Random(20231)
SHORT = {torch.bool: "bool", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
         torch.int64: "i64", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32",
         torch.float64: "f64", torch.complex64: "c64", torch.complex128: "c128"}
ALL = list(SHORT)
REAL = [torch.float32, torch.float64]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
NUMERIC = INTS + REAL


def text(v):
    if isinstance(v, torch.Tensor):
        t = SHORT[v.dtype] + str(list(v.shape))
        return t if v.is_contiguous() else t + "/" + str(list(v.stride()))
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(map(text, v)) + "]"
    if isinstance(v, torch.dtype):
        return SHORT[v]
    if isinstance(v, str):
        return '"' + v + '"'
    return repr(v)


def call(name, *args, **kwargs):
    base, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, base), overload or "default")
    line = "aten::%s(%s)" % (name, ", ".join([text(a) for a in args] + [k + "=" + text(v) for k, v in kwargs.items()]))
    try:
        r = op(*args, **kwargs)
    except (RuntimeError, IndexError, NotImplementedError) as e:
        if "-v" in sys.argv:
            print("skipped:", line, str(e).split("\n")[0], file=sys.stderr)
        return
    if base.startswith("max_pool1d") and 0 in getattr(r, "shape", [1]):
        return  # max_pool1d lets a window that does not fit pass; max_pool2d does not, nor do we
    if r is None:
        shown = "()"
    elif isinstance(r, tuple):
        shown = ", ".join(map(text, r))
    else:
        shown = text(r)
    print(line + " -> " + shown)


def sizes(lo=0, hi=4, most=5):
    return [rng.randint(1, most) for _ in range(rng.randint(lo, hi))]


def make(shape, dtype=torch.float32):
    """Ones of that shape, sometimes in another memory order."""
    t = torch.ones(shape, dtype=dtype)
    kind = rng.random()
    if len(shape) > 1 and kind < 0.25:
        order = list(range(len(shape)))
        rng.shuffle(order)
        back = [order.index(i) for i in range(len(shape))]
        t = torch.ones([shape[i] for i in order], dtype=dtype).permute(back)
    elif len(shape) == 4 and kind < 0.4:
        t = t.contiguous(memory_format=torch.channels_last)
    elif shape and kind < 0.45:
        t = torch.ones([2 * s for s in shape], dtype=dtype)[tuple(slice(None, None, 2) for _ in shape)]
    return t


def shrunk(shape):
    """A shape that broadcasts to shape."""
    cut = shape[rng.randint(0, len(shape)):] if rng.random() < 0.4 else list(shape)
    return [1 if rng.random() < 0.25 else s for s in cut]


def number():
    return rng.choice([2, 3, 1.5])


def dims_of(n):
    chosen = rng.sample(range(n), rng.randint(1, n))
    return [d - n if rng.random() < 0.3 else d for d in chosen]


def dim_of(n):
    return rng.randint(-n, n - 1) if n else rng.choice([-1, 0])


def index(shape, most=1, dtype=torch.int64):
    return torch.zeros(shape, dtype=dtype)


def elementwise():
    for name in ["add", "sub", "mul", "div", "maximum", "minimum", "eq", "lt", "remainder", "fmod", "floor_divide",
                 "bitwise_and", "logical_and", "atan2", "pow", "rsub"]:
        tensor = {"maximum": "", "minimum": "", "floor_divide": "", "logical_and": "", "atan2": "",
                  "pow": ".Tensor_Tensor"}.get(name, ".Tensor")
        for _ in range(12):
            shape = sizes()
            dtypes = INTS + [torch.bool] if name == "bitwise_and" else ALL
            call(name + tensor, make(shape, rng.choice(dtypes)), make(shrunk(shape), rng.choice(dtypes)))
        scalar = {"floor_divide": ".Scalar", "pow": ".Tensor_Scalar"}.get(name, ".Scalar")
        if name in ("maximum", "minimum", "logical_and", "atan2"):
            continue
        for _ in range(5):
            call(name + scalar, make(sizes(), rng.choice(ALL)), number())
    for name in ["add_", "mul_", "div_", "sub_"]:
        for _ in range(6):
            shape = sizes()
            call(name + ".Tensor", make(shape, rng.choice(ALL)), make(shrunk(shape), rng.choice(ALL)))
            call(name + ".Scalar", make(shape, rng.choice(ALL)), number())
    for mode in [None, "trunc", "floor"]:
        for _ in range(4):
            call("div.Tensor_mode", make([2, 3], rng.choice(NUMERIC)), make([3], rng.choice(NUMERIC)), rounding_mode=mode)
    for name in ["neg", "abs", "sign", "floor", "exp", "log", "sqrt", "rsqrt", "reciprocal", "sin", "tanh", "sigmoid",
                 "erf", "square", "logical_not", "isnan", "isfinite", "expm1", "log1p", "log2", "trunc"]:
        for _ in range(4):
            call(name, make(sizes(), rng.choice(ALL)))
    for name in ["relu", "gelu", "silu", "leaky_relu", "hardtanh", "elu", "softplus", "hardswish", "hardsigmoid",
                 "log_sigmoid_forward", "mish", "relu6", "selu", "celu"]:
        for _ in range(3):
            call(name, make(sizes(), rng.choice(REAL)))
    for _ in range(8):
        shape = sizes()
        a, b, c = (make(shape, rng.choice(REAL)), make(shrunk(shape), rng.choice(REAL)), make(shrunk(shape), rng.choice(REAL)))
        call("addcmul", a, b, c, value=2)
        call("addcdiv", a, b, c)
        call("where.self", torch.ones(shrunk(shape), dtype=torch.bool), a, b)
        call("where.ScalarOther", torch.ones(shape, dtype=torch.bool), b, number())
        call("clamp", make(shape, rng.choice(NUMERIC)), rng.choice([None, 1, 0.5]), rng.choice([2, 2.5]))
        call("clamp.Tensor", a, b, c)
        call("masked_fill.Scalar", a, torch.ones(shrunk(shape), dtype=torch.bool), 2)
        call("lerp.Scalar", make(shape), make(shrunk(shape)), 0.5)
        call("lerp.Tensor", make(shape), make(shrunk(shape)), make(shrunk(shape)))
        call("threshold_backward", make(shape), make(shape), 0)
        call("gelu_backward", make(shape), make(shape))
        call("prelu", make([2, 3, 4]), make([rng.choice([1, 3])]))
        call("copy_", make(shape, rng.choice(ALL)), make(shrunk(shape), rng.choice(ALL)))
    call("glu", make([4, 6]), -1)
    call("prelu_backward", make([2, 3]), make([2, 3]), make([3]))


def matrix():
    for _ in range(8):
        n, m, k, b = (rng.randint(1, 5) for _ in range(4))
        d = rng.choice(REAL)
        call("mm", make([n, k], d), make([k, m], d))
        call("bmm", make([b, n, k], d), make([b, k, m], d))
        call("addmm", make(shrunk([n, m]), d), make([n, k], d), make([k, m], d))
        call("baddbmm", make(shrunk([b, n, m]), d), make([b, n, k], d), make([b, k, m], d), beta=2)
        call("addbmm", make(shrunk([n, m]), d), make([b, n, k], d), make([b, k, m], d))
        call("mv", make([n, k], d), make([k], d))
        call("addmv", make(shrunk([n]), d), make([n, k], d), make([k], d))
        call("dot", make([k], d), make([k], d))
        call("outer", make([n], d), make([m], rng.choice(REAL)))
        call("linear", make(sizes(0, 3) + [k], d), make([m, k], d), rng.choice([None, make([m], d)]))
        batch = sizes(0, 2)
        call("matmul", make(shrunk(batch) + [n, k], d), make(batch + [k, m], d))
        call("matmul", make([k], d), make(batch + [k, m], d))
        call("matmul", make(batch + [n, k], d), make([k], d))
    call("matmul", make([3]), make([3]))


def reductions():
    for _ in range(10):
        shape = sizes(1, 4)
        n = len(shape)
        keep = rng.random() < 0.5
        any_t, real_t = make(shape, rng.choice(ALL)), make(shape, rng.choice(REAL))
        call("sum", any_t)
        call("sum.dim_IntList", any_t, rng.choice([dims_of(n), None, []]), keep)
        call("sum", any_t, dtype=torch.float64)
        call("prod.dim_int", any_t, dim_of(n), keep)
        call("mean", real_t)
        call("mean.dim", real_t, rng.choice([dims_of(n), None]), keep)
        call("amax", real_t, dims_of(n), keep)
        call("max", real_t)
        call("max.dim", real_t, dim_of(n), keep)
        call("min.dim", make(shape, rng.choice(INTS)), dim_of(n), keep)
        call("argmax", any_t, rng.choice([None, dim_of(n)]), keep)
        call("any", any_t)
        call("all.dim", any_t, dim_of(n), keep)
        call("var", real_t)
        call("var.dim", real_t, rng.choice([dims_of(n), None]), True, keep)
        call("std.correction", real_t, dims_of(n), correction=1, keepdim=keep)
        call("var_mean.dim", real_t, dims_of(n), True, keep)
        call("norm.Scalar", real_t)
        call("norm.ScalarOpt_dim", real_t, 2, dims_of(n), keep)
        call("linalg_vector_norm", make(shape, rng.choice(REAL + [torch.complex64])), 2, dims_of(n), keep)
        call("logsumexp", any_t, dims_of(n), keep)
        call("cumsum", any_t, dim_of(n))
        d = dim_of(n)
        call("topk", real_t, rng.randint(0, shape[d]), d)
        call("sort", any_t, d)
        call("argsort", any_t, d)
        call("_softmax", real_t, d, False)
        call("softmax.int", any_t, d, rng.choice([None, torch.float64]))
        call("_log_softmax", real_t, d, False)
        call("_softmax_backward_data", real_t, real_t, d, real_t.dtype)
    for name in ["sum", "max", "any", "var", "cumsum", "argmax", "_softmax"]:
        args = {"cumsum": [0], "_softmax": [-1, False]}.get(name, [])
        call(name, torch.ones([]), *args)
    call("bucketize.Tensor", make([2, 3]), torch.arange(4.0))
    call("bucketize.Tensor", make([2, 3]), torch.arange(4.0), out_int32=True)
    call("searchsorted.Tensor", torch.ones([2, 4]), torch.ones([2, 3]))


def norms():
    for _ in range(6):
        shape = sizes(2, 4)
        x = make(shape)
        tail = shape[rng.randint(1, len(shape) - 1):]
        w = rng.choice([None, torch.ones(tail)])
        call("native_layer_norm", x, tail, w, w, 1e-5)
        call("layer_norm", x, tail, w, w)
        stat = torch.ones(shape[:len(shape) - len(tail)] + [1] * len(tail))
        if w is not None:
            call("native_layer_norm_backward", torch.ones(shape), torch.ones(shape), tail, stat, stat, w, w,
                 [True, rng.random() < 0.5, True])
        c = shape[1]
        v = torch.ones([c])
        call("native_batch_norm", make([2] + shape[1:]), v, v, v, v, rng.random() < 0.5, 0.1, 1e-5)
        call("batch_norm", make([2] + shape[1:] + [2]), None, None, v, v, False, 0.1, 1e-5, False)
        call("native_batch_norm_backward", torch.ones(shape), torch.ones(shape), v, v, v, v, v, True, 1e-5,
             [True, rng.random() < 0.5, False])
        groups = rng.choice([g for g in range(1, c + 1) if c % g == 0])
        hxw = 1
        for s in shape[2:]:
            hxw *= s
        call("native_group_norm", torch.ones(shape), v, v, shape[0], c, hxw, groups, 1e-5)
        call("group_norm", torch.ones(shape), groups, v, v)
        call("native_group_norm_backward", torch.ones(shape), torch.ones(shape), torch.ones(shape[0], groups),
             torch.ones(shape[0], groups), v, shape[0], c, hxw, groups, [True, True, False])
    call("instance_norm", torch.ones(2, 3, 4, 5), None, None, None, None, True, 0.1, 1e-5, False)


def windows():
    for _ in range(10):
        for dims in (1, 2, 3):
            groups = rng.choice([1, 1, 2])
            cin, cout = 2 * groups, groups * rng.randint(1, 3)
            k = [rng.randint(1, 3) for _ in range(dims)]
            stride = [rng.randint(1, 3) for _ in range(dims)]
            pad = [rng.randint(0, 2) for _ in range(dims)]
            dil = [rng.randint(1, 2) for _ in range(dims)]
            space = [rng.randint(6, 9) for _ in range(dims)]
            outpad = [rng.randint(0, s - 1) for s in stride]
            batch = [rng.randint(1, 2)]
            bias = rng.choice([None, torch.ones(cout)])
            x, w = torch.ones(batch + [cin] + space), torch.ones([cout, cin // groups] + k)
            if dims == 2 and rng.random() < 0.4:
                x = x.contiguous(memory_format=torch.channels_last)
            name = "conv%dd" % dims
            call(name, rng.choice([x, x[0]]), w, bias, stride, pad, dil, groups)
            call("convolution", x, w, bias, stride, pad, dil, False, [0] * dims, groups)
            call(name + ".padding", x, w, bias, [1] * dims, rng.choice(["same", "valid"]), dil, groups)
            wt = torch.ones([cin, cout // groups] + k)
            call("convolution", x, wt, bias, stride, pad, dil, True, outpad, groups)
            call("conv_transpose%dd" % dims + ("" if dims == 1 else ".input"), x, wt, bias, stride, pad, outpad, groups, dil)
            y = torch.conv1d if dims == 1 else torch.conv2d if dims == 2 else torch.conv3d
            try:
                g = torch.ones_like(y(x, w, None, stride, pad, dil, groups))
            except RuntimeError:
                continue
            call("convolution_backward", g, x, w, [cout], stride, pad, dil, False, [0] * dims, groups,
                 [rng.random() < 0.7, True, rng.random() < 0.7])
            pk = [rng.randint(2, 4) for _ in range(dims)]
            pp = [rng.randint(0, v // 2) for v in pk]
            st = rng.choice([[], stride])
            ceil = rng.random() < 0.5
            unbatched = rng.choice([x, x[0]])
            call("max_pool%dd" % dims, unbatched, pk, st, pp, dil, ceil)
            call("max_pool%dd_with_indices" % dims, unbatched, pk, st, pp, dil, ceil)
            call("avg_pool%dd" % dims, unbatched, pk, st, pp, ceil)
            call("adaptive_avg_pool%dd" % dims, unbatched, [rng.randint(1, 4) for _ in range(dims)])
    x = make([2, 3, 8, 8])
    call("adaptive_max_pool2d", x, [2, 3])
    call("_adaptive_avg_pool2d_backward", torch.ones(2, 3, 2, 2), x)
    call("avg_pool2d_backward", torch.ones(2, 3, 4, 4), x, [2, 2], [2, 2], [0, 0], False, True, None)
    call("upsample_nearest2d", x, [12, 5])
    call("upsample_nearest2d.vec", x, None, [1.5, 2.0])
    call("upsample_nearest2d_backward", torch.ones(2, 3, 12, 5), [12, 5], [2, 3, 8, 8])
    call("constant_pad_nd", x, [1, 2, -1, 0])
    call("pad", x, [1, 2], "constant", 0.0)
    call("pixel_shuffle", torch.ones(2, 8, 3, 3), 2)


def lookups():
    w = torch.ones(6, 4)
    for _ in range(4):
        call("embedding", w, index(sizes(0, 3), 1, rng.choice([torch.int64, torch.int32])))
        idx = index(sizes(1, 3))
        call("embedding_dense_backward", torch.ones(list(idx.shape) + [4]), idx, 6, -1, False)
    for mode in (0, 1, 2):
        for d in REAL:
            call("_embedding_bag", w.to(d), index([5]), torch.tensor([0, 2]), False, mode)
            call("_embedding_bag", w.to(d), index([5]), torch.tensor([0, 2, 5]), False, mode, False, None, True)
    call("_embedding_bag", w, index([5]), torch.tensor([0, 2]), False, 0, False, torch.ones(5))
    call("embedding_bag.padding_idx", w, index([5]), torch.tensor([0, 2]), False, 0, False, None, False, 1)
    call("_embedding_bag_dense_backward", torch.ones(2, 4), index([5]), index([5]), torch.tensor([2, 3]),
         torch.tensor([0, 0]), 6, False, 0, None)
    call("one_hot", index([2, 3]), 5)
    for _ in range(6):
        shape = sizes(1, 3)
        n = len(shape)
        d = dim_of(n)
        x = make(shape)
        small = [rng.randint(1, s) for s in shape]
        small[d] = rng.randint(1, 6)
        call("gather", x, d, index(small))
        call("index_select", x, d, index([rng.randint(1, 4)], 1, rng.choice([torch.int64, torch.int32])))
        inside = [rng.randint(1, s) for s in shape]
        call("scatter.src", x, d, index(inside), torch.ones(shape))
        call("scatter.value", x, d, index(inside), 2)
        call("scatter_add", x, d, index(inside), torch.ones(inside))
        call("scatter_add_", torch.ones(shape), d, index(inside), torch.ones(inside))
        src = list(shape)
        src[d] = 3
        call("index_add", x, d, index([3]), torch.ones(src))
        call("index_fill.int_Scalar", x, d, index([2]), 1)
    x = make([2, 3, 4, 5])
    for ind in ([index([2])], [None, index([2, 1]), index([3])], [None, index([2]), None, index([2])],
                [index([2, 3]), None, index([3])], [None, None, index([])]):
        call("index.Tensor", torch.ones(2, 3, 4, 5), ind)
        call("index_put", x, ind, torch.ones([]), True)


def joins():
    for _ in range(8):
        shape = sizes(1, 4)
        n = len(shape)
        d = dim_of(n)
        parts = []
        for _ in range(rng.randint(1, 3)):
            s = list(shape)
            s[d] = rng.randint(0, 3)
            parts.append(make(s, rng.choice(ALL)))
        if rng.random() < 0.3:
            parts.append(torch.ones([0]))
        call("cat", parts, d)
        call("stack", [make(shape, rng.choice(ALL)) for _ in range(2)], dim_of(n + 1))
        x = make(shape)
        call("split.Tensor", x, rng.randint(1, 4), d)
        call("chunk", x, rng.randint(1, 4), d)
        call("unbind.int", x, d)
        cut = rng.randint(0, shape[d])
        call("split_with_sizes", x, [cut, shape[d] - cut], d)
    call("chunk", torch.ones(0, 2), 3, 0)
    call("split.Tensor", torch.ones(0, 2), 3, 0)


def views():
    for _ in range(10):
        shape = sizes(1, 4)
        n = len(shape)
        x = make(shape)
        d = dim_of(n)
        call("view", x, [-1])
        call("view", x, [shape[0], -1])
        call("reshape", x, [-1])
        call("reshape", x, [1] + shape[:1] + [-1])
        call("flatten.using_ints", x, *sorted(rng.choices(range(n), k=2)))
        call("transpose.int", x, d, dim_of(n))
        call("permute", x, rng.sample(range(n), n))
        call("expand", torch.ones([1 if rng.random() < 0.5 else s for s in shape]), [2] + shape)
        call("expand", x, [-1] * n)
        call("squeeze", x)
        call("squeeze.dim", x, d)
        call("unsqueeze", x, dim_of(n + 1))
        call("select.int", x, d, rng.randint(-shape[d], shape[d] - 1))
        call("slice.Tensor", x, d, rng.choice([None, 1, -2]), rng.choice([None, 3, -1]), rng.randint(1, 3))
        call("narrow", x, d, 0, rng.randint(0, shape[d]))
        call("repeat", x, [rng.randint(0, 2) for _ in range(n + rng.randint(0, 1))])
        call("flip", x, [d])
        call("roll", x, [1], [d])
        call("alias", x)
        call("clone", x)
        call("contiguous", x)
        call("empty_like", x)
        call("zeros_like", x, dtype=rng.choice(ALL))
        call("to.dtype", x, rng.choice([torch.float32, torch.float64]))
        call("_to_copy", x, dtype=torch.float16)
        call("detach", x)
        call("as_strided", x, [1, 1], [1, 1])
        call("select_backward", torch.ones([s for i, s in enumerate(shape) if i != d % n]), shape, d, 0)
        if n > 1:
            call("t", make(shape[:2]))
            call("tril", x)
            a, b = rng.sample(range(n), 2)
            call("diagonal", x, rng.randint(-2, 2), a, b)
        call("unflatten.int", make([6, 2]), 0, [2, -1])
        call("expand_as", torch.ones(1), x)
        call("native_dropout", x, 0.5, True)
    call("view", torch.ones([]), [1, 1])
    call("squeeze.dim", torch.ones([]), 0)
    call("unsqueeze", torch.ones([]), -1)
    call("flatten.using_ints", torch.ones([]))
    call("view", torch.ones([0, 3]), [3, 0])


def creation():
    call("zeros", [2, 3])
    call("ones", [2], dtype=torch.int32)
    call("full", [2], 1.5)
    call("full", [2], 3)
    call("empty.memory_format", [2, 3])
    call("empty_strided", [2, 3], [1, 2])
    call("new_zeros", torch.ones(1, dtype=torch.float64), [2, 3])
    call("new_empty", torch.ones(1, dtype=torch.int8), [2])
    for args in ([5], [5.5], [0]):
        call("arange", *args)
    call("arange.start", 2, 7)
    call("arange.start_step", 1, 10, 3)
    call("arange.start_step", 1.0, 2.0, 0.25)
    call("arange.start_step", 10, 1, -3)
    call("linspace", 0, 1, 7)
    call("rand", [2, 2])
    call("randn", [3], dtype=torch.float64)
    call("randint", 5, [2, 2])
    call("randint.low", 1, 5, [2])
    call("randperm", 6)
    call("bernoulli", torch.ones(2, 3))
    call("scalar_tensor", 3)


def losses():
    for reduction in (0, 1, 2):
        for _ in range(3):
            n, c, h, w = (rng.randint(1, 4) for _ in range(4))
            d = rng.choice(REAL)
            call("nll_loss_forward", torch.ones(n, c, dtype=d), index([n]), None, reduction, -100)
            call("nll_loss", torch.ones(c, dtype=d), index([]), None, reduction, -100)
            call("nll_loss2d_forward", torch.ones(n, c, h, w, dtype=d), index([n, h, w]), torch.ones(c, dtype=d), reduction, -100)
            call("nll_loss_nd", torch.ones(n, c, h, dtype=d), index([n, h]), None, reduction, -100)
            call("cross_entropy_loss", torch.ones(n, c, dtype=d), index([n]), None, reduction)
            call("cross_entropy_loss", torch.ones(n, c, h, dtype=d), torch.ones(n, c, h, dtype=d), None, reduction)
            a, b = make([n, c, h], d), make(shrunk([n, c, h]), rng.choice(REAL))
            call("mse_loss", a, b, reduction)
            call("l1_loss", a, b, reduction)
            call("smooth_l1_loss", a, b, reduction)
            call("huber_loss", a, b, reduction)
            p = torch.full([n, c], 0.5)
            call("binary_cross_entropy", p, p, None, reduction)
            call("binary_cross_entropy_with_logits", p, p, None, torch.ones(c), reduction)
            call("kl_div", torch.ones(n, c), torch.ones(n, c), reduction)
    call("nll_loss_backward", torch.ones([]), torch.ones(3, 4), index([3]), None, 1, -100, torch.ones([]))
    call("mse_loss_backward", torch.ones([]), torch.ones(3, 4), torch.ones(3, 4), 1)
    call("_scaled_dot_product_attention", torch.ones(2, 3, 4), torch.ones(2, 5, 4), torch.ones(2, 5, 6))


def lists():
    a = [torch.ones(2), torch.ones(2, 3, dtype=torch.int64)]
    call("_foreach_add.List", a, a)
    call("_foreach_add.Scalar", a, 1.5)
    call("_foreach_mul.Scalar", a, 2)
    call("_foreach_div.Scalar", a, 2)
    call("_foreach_sqrt", a[:1])
    call("_foreach_addcmul.Scalar", a, a, a, 2)
    call("_foreach_add_.Scalar", a, 1)
    call("_foreach_zero_", a)
    call("_foreach_norm.Scalar", a[:1])


def rest():
    """One call at least of every other operator."""
    x, y = make([2, 3, 4]), torch.full([3, 4], 0.5)
    v = torch.ones(4)
    m = torch.ones(2, 3, 4) > 0
    for name in ["atan", "ceil", "cos", "erfc", "exp2", "log10", "round", "tan", "threshold", "log_sigmoid", "isinf",
                 "min", "prod", "std", "var_mean", "norm.ScalarOpt_dtype"]:
        args = {"threshold": [0.5, 1.0], "norm.ScalarOpt_dtype": [3]}.get(name, [])
        call(name, x, *args, **({"dtype": torch.float64} if "dtype" in name else {}))
    for name in ["ceil_", "exp_", "floor_", "log_", "neg_", "reciprocal_", "relu_", "round_", "rsqrt_", "sigmoid_", "sqrt_",
                 "tanh_", "zero_", "abs_", "erf_", "silu_", "hardswish_", "hardtanh_", "leaky_relu_", "elu_", "uniform_",
                 "normal_", "bernoulli_.float"]:
        call(name, make([2, 3, 4]))
    for name in ["maximum", "max.other", "min.other", "true_divide.Tensor", "xlogy.Tensor", "ne.Tensor", "le.Tensor", "gt.Tensor",
                 "ge.Tensor", "logical_or", "logical_xor", "clamp_max.Tensor", "clamp_min.Tensor", "cosine_similarity"]:
        call(name, x, y)
    for name in ["bitwise_or", "bitwise_xor"]:
        call(name + ".Tensor", m, m)
        call(name + ".Scalar", index([2, 3]), 3)
    call("bitwise_not", m)
    call("where.Scalar", m, 1, 2.5)
    call("pow_.Scalar", make([2, 3]), 2)
    call("pow_.Tensor", make([2, 3]), torch.ones(3))
    for name in ["ne.Scalar", "le.Scalar", "gt.Scalar", "ge.Scalar", "true_divide.Scalar", "clamp_max", "clamp_min"]:
        call(name, x, 1.5)
    for name in ["hardtanh_backward", "leaky_relu_backward"]:
        call(name, y, y, -1.0, *([1.0] if "tanh" in name else [False]))
    for name in ["sigmoid_backward", "tanh_backward", "silu_backward", "mish_backward", "hardswish_backward",
                 "hardsigmoid_backward", "log_sigmoid_backward", "softplus_backward", "elu_backward"]:
        args = {"log_sigmoid_backward": [y, y, y], "softplus_backward": [y, y, 1, 20], "elu_backward": [y, 1, 1, 1, False, y]}
        call(name, *args.get(name, [y, y]))
    for name in ["addcdiv_", "addcmul_", "lerp_.Tensor"]:
        call(name, make([2, 3, 4]), torch.full([3, 4], 0.25), y)
    call("lerp_.Scalar", make([2, 3, 4]), y, 0.5)
    call("addmm_", torch.ones(2, 3), torch.ones(2, 4), torch.ones(4, 3), alpha=2)
    call("baddbmm_", torch.ones(2, 2, 3), torch.ones(2, 2, 4), torch.ones(2, 4, 3), beta=2)
    call("addr", torch.ones(3), torch.ones(2), torch.ones(3), alpha=2)
    call("clamp_", make([2, 3]), 0.5, None)
    call("clamp_.Tensor", make([2, 3, 4]), torch.zeros(4), y)
    call("clamp_max_", make([2, 3]), 1.5)
    call("clamp_min_", make([2, 3]), 1.5)
    call("div.Scalar_mode", x, 2, rounding_mode="floor")
    call("div_.Scalar_mode", make([2, 3]), 2, rounding_mode=None)
    call("div_.Tensor_mode", make([2, 3]), torch.ones(3), rounding_mode="trunc")
    call("pow.Scalar", 2, y)
    call("fill_.Scalar", make([2, 3]), 1)
    call("fill_.Tensor", make([2, 3]), torch.ones([]))
    call("masked_fill.Tensor", x, m, torch.ones([]))
    call("masked_fill_.Scalar", make([2, 3, 4]), m, 1)
    call("masked_fill_.Tensor", make([2, 3, 4]), m, torch.ones([]))
    call("where.ScalarSelf", m, 1.5, x)
    call("amin", x, [0, 2], True)
    call("argmin", x, 1)
    call("any.dim", x, 1)
    call("all", x)
    call("cumprod", x, 1)
    call("std.dim", x, [1], False, True)
    call("var.correction", x, [0], correction=0, keepdim=True)
    call("var_mean.correction", x, [0, 1], correction=1)
    call("norm.ScalarOpt_dim_dtype", x, 1, [1], True, dtype=torch.float64)
    for p in (0, 1, 3, float("inf")):
        call("linalg_vector_norm", x, p, [1], False)
    call("log_softmax.int", x, 1)
    call("_log_softmax_backward_data", y, y, 1, torch.float32)
    call("sort.stable", x, stable=True, dim=1, descending=True)
    call("bucketize.Scalar", 1.5, torch.arange(4.0))
    call("searchsorted.Scalar", torch.arange(4.0), 2.5)
    call("_adaptive_avg_pool2d", torch.ones(1, 2, 6, 6), [3, 2])
    call("_adaptive_avg_pool3d", torch.ones(1, 2, 6, 6, 4), [3, 2, 2])
    call("_adaptive_avg_pool3d_backward", torch.ones(1, 2, 3, 2, 2), torch.ones(1, 2, 6, 6, 4))
    call("avg_pool3d_backward", torch.ones(1, 2, 3, 3, 2), torch.ones(1, 2, 6, 6, 4), [2, 2, 2], [2, 2, 2], [0, 0, 0], False,
         True, None)
    call("max_pool2d_with_indices_backward", torch.ones(1, 2, 2, 2), torch.ones(1, 2, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1],
         False, index([1, 2, 2, 2]))
    call("max_pool3d_with_indices_backward", torch.ones(1, 2, 2, 2, 2), torch.ones(1, 2, 4, 4, 4), [2, 2, 2], [2, 2, 2],
         [0, 0, 0], [1, 1, 1], False, index([1, 2, 2, 2, 2]))
    call("adaptive_max_pool2d_backward", torch.ones(1, 2, 2, 2), torch.ones(1, 2, 4, 4), index([1, 2, 2, 2]))
    call("_convolution", torch.ones(1, 2, 5, 5), torch.ones(3, 2, 2, 2), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False,
         False, False, False)
    call("embedding_backward", torch.ones(3, 4), index([3]), 6, -1, False, False)
    w = torch.ones(6, 4)
    call("_embedding_bag_backward", torch.ones(2, 4), index([5]), torch.tensor([0, 2]), index([0]), torch.tensor([2, 3]),
         torch.tensor([0, 0]), 6, False, 0, False, None)
    call("_embedding_bag_per_sample_weights_backward", torch.ones(2, 4), w, index([5]), torch.tensor([0, 2]), index([5]), 0)
    call("_embedding_bag_forward_only", w, index([5]), torch.tensor([0, 2]), False, 1)
    call("embedding_bag", torch.ones(6, 4), index([5]), torch.tensor([0, 2]), False, 1)
    call("concat", [x, x], -1)
    call("split.sizes", x, [1, 2], 1)
    call("to.other", x, torch.ones(1, dtype=torch.float64))
    call("to.dtype_layout", x, dtype=torch.float64)
    call("ones_like", x)
    call("full_like", x, 2.0)
    call("new_ones", x, [2])
    call("new_full", x, [2], 1.5)
    call("new_empty_strided", x, [2, 3], [1, 2])
    call("rand_like", x)
    call("randn_like", x, dtype=torch.float64)
    call("bernoulli.p", x, 0.5)
    call("dropout", x, 0.5, True)
    call("dropout_", make([2, 3]), 0.5, True)
    call("native_dropout_backward", torch.ones(2, 3, 4), m, 2.0)
    call("_unsafe_view", torch.ones(2, 3), [3, -1])
    call("_reshape_alias", torch.ones(2, 3), [3, 2], [2, 1])
    call("view_as", torch.ones(2, 3), torch.ones(6))
    call("reshape_as", make([2, 3]), torch.ones(6))
    call("slice_backward", torch.ones(2, 2), [2, 4], 1, 0, 4, 2)
    call("diagonal_backward", torch.ones(3), [3, 3], 0, 0, 1)
    call("triu", x)
    call("index_add_", torch.ones(2, 3), 1, index([2]), torch.ones(2, 2), alpha=2)
    call("index_put_", torch.ones(2, 3), [index([2])], torch.ones(3))
    call("scatter_.src", torch.ones(2, 3), 1, index([2, 1]), torch.ones(2, 1))
    call("scatter_.value", torch.ones(2, 3), 1, index([2, 1]), 3)
    n, c = 2, 3
    call("nll_loss2d", torch.ones(n, c, 2, 2), index([n, 2, 2]))
    call("nll_loss2d_backward", torch.ones([]), torch.ones(n, c, 2, 2), index([n, 2, 2]), None, 1, -100, torch.ones([]))
    for smoothing in (0.1,):
        for reduction in (0, 1, 2):
            call("cross_entropy_loss", torch.ones(n, c, 4), index([n, 4]), torch.ones(c), reduction, -100, smoothing)
            call("cross_entropy_loss", torch.ones(n, c), torch.full([n, c], 0.5), torch.ones(c), reduction, -100, smoothing)
    p = torch.full([2, 3], 0.5)
    call("binary_cross_entropy_backward", torch.ones([]), p, p)
    call("smooth_l1_loss_backward", torch.ones([]), p, p, 1, 1.0)
    call("huber_loss_backward", torch.ones([]), p, p, 1, 1.0)
    for name in ["_foreach_add", "_foreach_sub", "_foreach_mul", "_foreach_div"]:
        a = [torch.ones(2), torch.ones(2, 3)]
        for form in (name, name + "_"):
            call(form + ".List", a, a)
            call(form + ".Scalar", a, 2)
            call(form + ".ScalarList", a, [2, 1.5])
    for name in ["_foreach_addcmul", "_foreach_addcdiv"]:
        for form in (name, name + "_"):
            call(form + ".Scalar", a, a, a, 2)
            call(form + ".ScalarList", a, a, a, [2.0, 1.5])
    for name in ["_foreach_sqrt_", "_foreach_neg", "_foreach_neg_"]:
        call(name, a)


def main():
    print("# Calls and what PyTorch %s gives for them; made by tools/check_shapes.py." % torch.__version__)
    for part in (matrix, elementwise, reductions, norms, windows, lookups, joins, views, creation, losses, lists, rest):
        part()


if __name__ == "__main__":
    torch.manual_seed(0)
    main()
