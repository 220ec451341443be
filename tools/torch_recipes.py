# SPDX-License-Identifier: Apache-2.0
"""Arguments for operators of torch, for tools/torch_coverage: values by the argument's name for families of
operators (RULES), and what suits many others (PROFILES)."""

import re


def tensor(*shape, dtype="float", low=None, high=None):
    made = {"type": "tensor", "dtype": dtype, "shape": list(shape), "requires_grad": False}
    if low is not None:
        made["value_range"] = [low, high]
    return made


def longs(*shape, high=1, low=0):
    return tensor(*shape, dtype="long", low=low, high=high)


def bools(*shape):
    return tensor(*shape, dtype="bool")


def mkldnn(*shape, dtype="float"):
    return {**tensor(*shape, dtype=dtype), "layout": "mkldnn"}


def sparse(*shape, dtype="float", sparse_dim=None, nnz=2, layout="sparse_coo"):
    if layout == "mkldnn":
        return mkldnn(*shape, dtype=dtype)
    made = {**tensor(*shape, dtype=dtype), "layout": layout, "nnz": nnz}
    if sparse_dim is not None:
        made["sparse_dim"] = sparse_dim
    return made


def listed(*items):
    return {"type": "genericlist", "value": list(items)}


NONE = {"type": "none"}


def value(x):
    """A Python value as an argument of a config."""
    if isinstance(x, dict):
        return x
    if x is None:
        return NONE
    if isinstance(x, bool):
        return {"type": "bool", "value": x}
    if isinstance(x, int):
        return {"type": "int", "value": x}
    if isinstance(x, float):
        return {"type": "float", "value": x}
    if isinstance(x, str):
        return {"type": "str", "value": x}
    return listed(*map(value, x))


# ---- what suits many

def profile(*shape, dtype="float", integer=1, size=None, number=1, out=None, **more):
    """The shape and dtype of every tensor, every int, every list of ints, every number."""
    return {"shape": shape, "dtype": dtype, "integer": integer, "size": size, "number": number,
            "out": out, **more}


PROFILES = [
    profile(3, 3),
    profile(3, 3, out="long"),
    profile(3, 3, out="bool"),
    profile(3, 3, dtype="long", out="long"),
    profile(2, 3, 4, 4),
    profile(3, integer=0),
    profile(2, 3, 3, integer=1),
    profile(3, 3, dtype="bool", out="bool"),
    profile(3, 3, dtype="complex64", out="complex64"),
    profile(3, 3, dtype="double", out="double"),
    profile(3, 3, integer=0),
    profile(2, 3, 4, 4, 4),
    profile(2, 3, 4),
    profile(3, 3, dtype="long", out="float"),
    profile(integer=0),
    profile(3, integer=2, size=[3]),
    profile(9, integer=3, size=[3, 3]),
    profile(3, 3, sparse="all"),
    profile(3, 3, sparse="first"),
    profile(3, 3, sparse="first", integer=0),
    profile(3, 3, sparse="all", out_dense=True),
    profile(3, 3, sparse="last"),
    profile(3, 3, sparse="all", dtype="long", out="long"),
    profile(3, 3, sparse="all", dtype="bool", out="bool"),
    profile(3, 3, sparse="all", layout="mkldnn"),
    profile(2, 3, 4, 4, sparse="all", layout="mkldnn"),
    profile(2, 3, 4, 4, 4, sparse="all", layout="mkldnn"),
    profile(3, 3, sparse="all", layout="sparse_csr"),
    profile(3, 3, sparse="first", layout="sparse_csr"),
    profile(3, 3, sparse="last", layout="sparse_csr"),
    profile(3, 3, sparse="all", layout="sparse_csc"),
]

INDEX_NAMES = ("index", "indices", "offsets", "lengths", "target", "batch_sizes", "offset2bag", "bag_size",
               "inverse_indices")
MASK_NAMES = ("mask", "condition", "lower")


def make_tensor(name, p, place=""):
    if name in MASK_NAMES:
        return bools(*p["shape"])
    if name in INDEX_NAMES:
        return longs(*(p["shape"] if len(p["shape"]) < 2 else p["shape"][:1]))
    if wants_sparse(place, p):
        return sparse(*p["shape"], dtype=p["dtype"], layout=p.get("layout", "sparse_coo"))
    if p["dtype"] == "long":
        return longs(*p["shape"], low=1, high=3)
    return tensor(*p["shape"], dtype=p["dtype"])


def wants_sparse(place, p):
    """Whether the tensor at that place ("first", "last", "" for one between) is sparse in this profile."""
    return p.get("sparse") == "all" or (place and p.get("sparse") == place)


def int_of(name, p):
    if name in ("dim0", "dim", "start_dim", "axis"):
        return 0
    if name in ("dim1", "dim2", "end_dim", "end"):
        return min(1, max(0, len(p["shape"]) - 1))
    return p["integer"]


def scalar(kind, name, p, place=""):
    if kind == "Tensor":
        return make_tensor(name, p, place)
    if kind in ("int", "SymInt"):
        return value(int_of(name, p))
    if kind == "float":
        return value(0.5)
    if kind == "bool":
        return value(False)
    if kind == "Scalar":
        return value(p["number"])
    if kind == "str":
        return value({"reduce": "sum", "indexing": "ij", "UPLO": "L", "equation": "ij,jk->ik"}.get(name, "sum"))
    if kind == "ScalarType":
        return {"type": "ScalarType", "value": p["dtype"]}
    if kind == "Layout":
        return {"type": "Layout", "value": "strided"}
    if kind == "MemoryFormat":
        return {"type": "MemoryFormat", "value": "contiguous_format"}
    if kind == "Device":
        return {"type": "device", "value": "cpu"}
    return NONE


def make(kind, name, p, place=""):
    """A value of the type, or None when the argument is to be left out."""
    if kind.endswith("?"):
        return NONE
    match = re.fullmatch(r"(\w+)(\??)\[(\d*)\]", kind)
    if match is None:
        return scalar(kind, name, p, place)
    element, _, count = match.groups()
    if element in ("int", "SymInt") and name in ("size", "sizes", "shape", "output_size", "input_size",
                                                 "input_sizes", "self_sizes"):
        size = p["size"] or list(p["shape"]) or [1]
        return value(size[-int(count):] if count else size)
    length = int(count) if count else 2
    if element in ("int", "SymInt"):
        if name in ("dim", "dims") and not count:
            return value(list(range(len(p["shape"])))[:max(1, len(p["shape"]) - 1)])
        return value([p["integer"]] * (length if count != "1" else 1))
    return listed(*[scalar(element, name, p, place)] * length)


def out_tensor(p):
    if p.get("sparse") and not p.get("out_dense"):
        return sparse(*p["shape"], dtype=p["out"] or p["dtype"], layout=p.get("layout", "sparse_coo"))
    return tensor(0, dtype=p["out"] or p["dtype"])


def entry(arguments, given, p):
    """One entry of a config; arguments with a default are left out unless they are given."""
    args, kwargs, left_out = [], {}, False
    tensors = [name for kind, name, _, keyword, written in arguments
               if kind.startswith("Tensor") and not (keyword and written)]
    for kind, name, has_default, keyword, written in arguments:
        if name in given:
            made = value(given[name])
        elif written and keyword:
            made = listed(out_tensor(p), out_tensor(p)) if "[" in kind else out_tensor(p)
        elif has_default:
            left_out = True
            continue
        else:
            place = "first" if name in tensors[:1] else "last" if name in tensors[-1:] else ""
            made = make(kind, name, p, place)
        if keyword or left_out:
            kwargs[name] = made
        else:
            args.append(made)
    return {"args": args, "kwargs": kwargs}


def entries(name, arguments):
    base = name.split("::")[1].split(".")[0]
    for pattern, givens in RULES:
        if re.fullmatch(pattern, base):
            for given in givens:
                outs = any(keyword and written for _, _, _, keyword, written in arguments)
                for p in given.get("profiles", PROFILES[:2] if outs else PROFILES[:1]):
                    yield entry(arguments, given, p)
    for p in PROFILES:
        yield entry(arguments, {}, p)


# ---- families

T, L = tensor, longs
PIC = {"self": T(1, 2, 4, 4), "input": T(1, 2, 4, 4)}
VOL = {"self": T(1, 2, 4, 4, 4), "input": T(1, 2, 4, 4, 4)}
SEQ = {"self": T(1, 2, 4), "input": T(1, 2, 4)}
POSITIVE = {"self": T(1, 1, low=0.5, high=1.0), "input": T(1, 1, low=0.5, high=1.0), "A": T(1, 1, low=0.5, high=1.0)}
COMPLEX = {"self": T(3, 3, dtype="complex64")}


def conv(rank, **more):
    kernel, ones, zeros = [3] * rank, [1] * rank, [0] * rank
    return {"self": T(1, 2, *[5] * rank), "input": T(1, 2, *[5] * rank), "weight": T(3, 2, *kernel),
            "bias": T(3), "kernel_size": kernel, "stride": ones, "padding": zeros, "dilation": ones,
            "output_padding": zeros, "groups": 1, "transposed": False, "grad_output": T(1, 3, *kernel),
            "output_mask": [True, True, True], "bias_sizes": [3], "output_size": [5] * rank,
            "benchmark": False, "deterministic": False, "cudnn_enabled": False, "allow_tf32": False, **more}


def transposed(rank):
    return conv(rank, weight=T(2, 3, *[3] * rank), transposed=True, grad_output=T(1, 3, *[7] * rank))


def pool(rank, **more):
    two, zeros = [2] * rank, [0] * rank
    whole, half = [4] * rank, [2] * rank
    return {"self": T(1, 2, *whole), "input": T(1, 2, *whole), "kernel_size": two, "stride": two,
            "padding": zeros, "dilation": [1] * rank, "ceil_mode": False, "count_include_pad": True,
            "divisor_override": None, "grad_output": T(1, 2, *half), "indices": L(1, 2, *half),
            "output_size": half, "random_samples": T(1, 2, rank), **more}


def unpool(rank):
    return {"self": T(1, 2, *[2] * rank), "indices": L(1, 2, *[2] * rank), "output_size": [4] * rank,
            "stride": [2] * rank, "padding": [0] * rank}


def pad(rank):
    return {"self": T(1, 2, *[4] * rank), "padding": [1] * (2 * rank), "grad_output": T(1, 2, *[6] * rank)}


def resize(rank, **more):
    return {"self": T(1, 2, *[4] * rank), "input": T(1, 2, *[4] * rank), "output_size": [8] * rank,
            "grad_output": T(1, 2, *[8] * rank), "input_size": [1, 2] + [4] * rank, "align_corners": False,
            "scale_factors": None, **more}


def scaled(rank):
    return resize(rank, output_size=None, scale_factors=[2.0] * rank)


NORM = {"input": T(2, 3, 4), "self": T(2, 3, 4), "weight": T(3), "bias": T(3), "running_mean": T(3),
        "running_var": T(3, low=0.5, high=1.0), "training": True, "train": True, "momentum": 0.1, "eps": 1e-5,
        "cudnn_enabled": False, "grad_out": T(2, 3, 4), "grad_output": T(2, 3, 4), "save_mean": T(3),
        "save_invstd": T(3), "save_var": T(3), "output_mask": [True, True, True], "use_input_stats": True,
        "mean": T(3), "invstd": T(3), "reserve": T(0, dtype="uint8"), "mean_dy": T(3), "mean_dy_xmu": T(3),
        "epsilon": 1e-5, "exponential_average_factor": 0.1, "input_g": True, "weight_g": True, "bias_g": True}
LAYER = {"input": T(2, 3), "normalized_shape": [3], "weight": T(3), "bias": T(3), "eps": 1e-5,
         "grad_out": T(2, 3), "mean": T(2, 1), "rstd": T(2, 1), "output_mask": [True, True, True]}
GROUP = {"input": T(2, 4, 4), "num_groups": 2, "weight": T(4), "bias": T(4), "N": 2, "C": 4, "HxW": 4,
         "group": 2, "eps": 1e-5, "grad_out": T(2, 4, 4), "mean": T(2, 2), "rstd": T(2, 2),
         "output_mask": [True, True, True]}
NLL = {"self": T(3, 4), "input": T(3, 4), "target": L(3), "weight": None, "reduction": 1, "ignore_index": -100,
       "grad_output": T(), "total_weight": T(), "p": 1, "margin": 1.0}
NLL2D = {**NLL, "self": T(1, 3, 2, 2), "target": L(1, 2, 2)}
MULTILABEL = {**NLL, "target": L(3, 4), "is_target": T(3, 4)}
CTC = {"log_probs": T(5, 2, 4), "targets": L(2, 2, low=1, high=3), "input_lengths": [5, 5],
       "target_lengths": [2, 2], "blank": 0, "grad": T(2), "neg_log_likelihood": T(2), "log_alpha": T(2, 5, 5)}
CTC_TENSORS = {**CTC, "input_lengths": L(2, low=5, high=5), "target_lengths": L(2, low=2, high=2)}
BAG = {"weight": T(4, 3), "indices": L(4), "offsets": L(2, high=0), "offset2bag": L(4), "bag_size": L(2),
       "grad": T(2, 3), "num_weights": 4, "scale_grad_by_freq": False, "mode": 0, "sparse": False,
       "per_sample_weights": None, "padding_idx": -1, "maximum_indices": L(2), "include_last_offset": False,
       "max_norm": 1.0, "norm_type": 2.0, "self": T(4, 3), "grad_output": T(4, 3)}


def rnn(gates, hidden):
    return {"input": T(2, 3, 4), "hx": hidden, "params": [T(gates * 5, 4), T(gates * 5, 5), T(gates * 5), T(gates * 5)],
            "has_biases": True, "num_layers": 1, "dropout": 0.0, "train": False, "bidirectional": False,
            "batch_first": False, "data": T(6, 4), "batch_sizes": L(2, low=3, high=3)}


def cell(gates, hidden):
    return {"input": T(3, 4), "hx": hidden, "w_ih": T(gates * 5, 4), "w_hh": T(gates * 5, 5),
            "b_ih": T(gates * 5), "b_hh": T(gates * 5)}


INDEXED = {"self": T(3, 3), "dim": 0, "index": L(3), "source": T(3, 3), "value": 1, "reduce": "mean", "alpha": 1,
           "mask": bools(3, 3), "grad": T(3, 3)}
SCATTERED = {**INDEXED, "index": L(3, 3), "src": T(3, 3), "reduce": "sum"}
CSR = {"crow_indices": L(4, high=0), "ccol_indices": L(4, high=0), "col_indices": L(0), "row_indices": L(0),
       "compressed_indices": L(4, high=0), "plain_indices": L(0), "values": T(0), "size": [3, 3]}
COO = {"indices": L(2, 3, high=2), "values": T(3), "size": [3, 3], "sparse_dim": 2, "dense_dim": 0}
QUANT = {"self": T(3, 3), "input": T(3, 3), "scale": 0.1, "zero_point": 0, "quant_min": 0,
         "quant_max": 255, "axis": 0, "scales": T(3, low=0.1, high=0.2), "zero_points": L(3), "grad": T(3, 3),
         "mask": bools(3, 3)}
QUANT_T = {**QUANT, "scale": T(1, low=0.1, high=0.2), "zero_point": T(1, dtype="int", low=0, high=0),
           "fake_quant_enabled": L(1, low=1)}
QUANT_C = {**QUANT, "scale": T(3, low=0.1, high=0.2), "zero_point": T(3, dtype="int", low=0, high=0)}
ATTENTION = {"query": T(2, 3, 4), "key": T(2, 3, 4), "value": T(2, 3, 4), "embed_dim": 4, "num_head": 2,
             "num_heads": 2, "qkv_weight": T(12, 4), "qkv_bias": T(12), "proj_weight": T(4, 4), "proj_bias": T(4),
             "src": T(2, 3, 4), "use_gelu": False, "norm_first": False, "eps": 1e-5, "norm_weight_1": T(4),
             "norm_bias_1": T(4), "norm_weight_2": T(4), "norm_bias_2": T(4), "ffn_weight_1": T(8, 4),
             "ffn_bias_1": T(8), "ffn_weight_2": T(4, 8), "ffn_bias_2": T(4), "qkv": T(2, 3, 12)}
GRID = {"input": T(1, 2, 4, 4), "grid": T(1, 3, 3, 2), "interpolation_mode": 0, "padding_mode": 0,
        "align_corners": False, "grad_output": T(1, 2, 3, 3), "output_mask": [True, True]}
GRID3 = {**GRID, "input": T(1, 2, 4, 4, 4), "grid": T(1, 3, 3, 3, 3), "grad_output": T(1, 2, 3, 3, 3)}
COLUMNS = {"kernel_size": [2, 2], "dilation": [1, 1], "padding": [0, 0], "stride": [1, 1], "output_size": [4, 4]}

INFO = T(0, dtype="int")
SPARSE = {"type": "Layout", "value": "sparse_coo"}
UNIT = {"low": 0.1, "high": 0.9}
SAMPLED = {"self": T(3, **UNIT), "target": T(3, **UNIT), "grad_output": T(3)}
BYTES = {"weight": T(4, 12, dtype="uint8", low=0, high=3), "indices": L(4), "offsets": L(2, high=0)}

SP = sparse(3, 3)
COMPRESSED = {**CSR, "layout": {"type": "Layout", "value": "sparse_csr"}}
ROWS, COLUMNS_FIRST = sparse(3, 3, layout="sparse_csr"), sparse(3, 3, layout="sparse_csc")
QUINT8 = 13  # its number in torch: it has no name in configs
MK = mkldnn
MK_LINEAR = {"self": MK(2, 3), "input": MK(2, 3), "weight": MK(4, 3), "bias": T(4), "grad_output": MK(2, 4), "input_size": [2, 3],
             "bias_defined": True, "output_mask": [True, True, True]}


def mk_pool(rank):
    """Arguments of the pools of MKLDNN, forward and backward."""
    small, large = MK(1, 2, *[2] * rank), MK(1, 2, *[4] * rank)
    return {"self": large, "input": large, "output": small, "grad_output": small, "kernel_size": [2] * rank, "stride": [2] * rank}


def wanting(*shape):
    return {"type": "tensor", "dtype": "float", "shape": list(shape), "requires_grad": True}


def true(*shape):
    return {"type": "tensor", "dtype": "bool", "shape": list(shape), "value": 1}


# Tried first: what the wider rules below would get wrong.
RULES = [
    (r"(crow|col)_indices(_copy)?", [{"self": ROWS, "out": L(4)}, {"self": ROWS, "out": L(2)}]),
    (r"(ccol|row)_indices(_copy)?", [{"self": COLUMNS_FIRST, "out": L(4)}, {"self": COLUMNS_FIRST, "out": L(2)}]),
    (r"values(_copy)?", [{"self": ROWS, "out": T(2)}]),
    (r"_sparse_csr_(sum|prod)", [{"self": ROWS, "dim": [0], "keepdim": True, "out": sparse(1, 3, layout="sparse_csr", nnz=n)} for n in (1, 2, 3)]),
    (r"_?sparse_compressed_tensor(_unsafe)?|_validate_sparse_compressed_tensor_args", [COMPRESSED]),
    (r"to_sparse_csr", [{"self": T(3, 3), "out": sparse(3, 3, layout="sparse_csr", nnz=9)}, {"self": SP, "out": ROWS}]),
    (r"to_sparse_csc", [{"self": T(3, 3), "out": sparse(3, 3, layout="sparse_csc", nnz=9)}]),
    (r"to_mkldnn", [{"self": T(3, 3), "out": MK(3, 3)}]),
    (r"quantize_per_(tensor|channel)(_dynamic)?", [
        {**given, "dtype": QUINT8, "reduce_range": False, "tensors": [T(3, 3)], "scales": T(count, low=0.1, high=0.2),
         "zero_points": T(count, dtype="int", low=0, high=0)} for given, count in ((QUANT, 3), (QUANT_T, 1))]),
    (r"_empty_(per_channel_)?affine_quantized", [{**QUANT, "size": [3, 3], "dtype": QUINT8}]),
    (r"_make_per_(tensor|channel)_quantized_tensor", [
        {**QUANT, "self": T(3, 3, dtype="uint8")}, {**QUANT_C, "self": T(3, 3, dtype="uint8")},
        {**QUANT_C, "self": T(3, 3, dtype="uint8"), "scale": T(3, dtype="double", low=0.1, high=0.2), "zero_point": L(3)}]),
    (r"_mkldnn_reshape", [{"self": MK(2, 6), "shape": [3, 4], "out": MK(3, 4)}]),
    (r"_mkldnn_transpose_?", [{"self": MK(2, 3), "dim0": 0, "dim1": 1, "out": MK(3, 2)}]),
    (r"mkldnn_linear", [{**MK_LINEAR, "out": MK(2, 4)}, {**MK_LINEAR, "weight": T(4, 3), "out": MK(2, 4)}]),
    (r"mkldnn_linear_backward_input", [{**MK_LINEAR, "out": MK(2, 3)}, {**MK_LINEAR, "weight": T(4, 3), "out": MK(2, 3)}]),
    (r"mkldnn_linear_backward_weights", [{**MK_LINEAR, "weight": weight, "out0": out, "out1": bias} for weight in (T(4, 3), MK(4, 3))
                                         for out in (T(4, 3), MK(4, 3)) for bias in (T(4), MK(4))]),
    (r"mkldnn_linear_backward", [{**MK_LINEAR, "weight": weight, "out0": MK(2, 3), "out1": out, "out2": bias} for weight in (T(4, 3), MK(4, 3))
                                 for out in (T(4, 3), MK(4, 3)) for bias in (T(4), MK(4))]),
    (r"mkldnn_max_pool2d", [{**mk_pool(2), "out": MK(1, 2, 2, 2)}]),
    (r"mkldnn_max_pool3d", [{**mk_pool(3), "out": MK(1, 2, 2, 2, 2)}]),
    (r"mkldnn_max_pool2d_backward", [{**mk_pool(2), "out": MK(1, 2, 4, 4)}]),
    (r"mkldnn_max_pool3d_backward", [{**mk_pool(3), "out": MK(1, 2, 4, 4, 4)}]),
    (r"mkldnn_adaptive_avg_pool2d", [{**mk_pool(2), "output_size": [2, 2], "out": MK(1, 2, 2, 2)}]),
    (r"mkldnn_adaptive_avg_pool2d_backward", [{**mk_pool(2), "out": MK(1, 2, 4, 4)}]),
    (r"mkldnn_reorder_conv2d_weight", [{"self": MK(3, 2, 3, 3), "out": MK(3, 2, 3, 3)}]),
    (r"mkldnn_reorder_conv3d_weight", [{"self": MK(3, 2, 3, 3, 3), "out": MK(3, 2, 3, 3, 3)}]),
    (r"get_first", [{"_0": [["a", "b"], ["c"]]}]),
    (r"_backward", [{"self": wanting(), "inputs": []}]),
    (r"retain_grad", [{"self": wanting(3)}]),
    (r"_masked_softmax", [{"self": T(2, 3, 4, 4), "mask": bools(2, 3, 4, 4), "dim": 3, "mask_type": 2}]),
    (r"_masked_softmax_backward", [{"grad_output": T(2, 3, 4, 4), "output": T(2, 3, 4, 4), "mask": bools(2, 3, 4, 4), "dim": 3}]),
    (r"_nested_tensor_from_mask.*", [{"t": T(2, 3, 4), "mask": true(2, 3)}]),
    (r"_nested_from_padded", [{"padded": T(2, 3, 4), "cpu_nested_shape_example": L(2, 2, low=2, high=2)}]),
    (r"_rowwise_prune", [{"weight": T(3, 4), "mask": bools(3), "compressed_indices_dtype": 3}]),
    (r"_sobol_engine_scramble_", [{"self": L(2, 30), "ltm": L(2, 30, 30), "dimension": 2}]),
    (r"_validate_compressed_sparse_indices", [{"is_crow": True, "compressed_idx": L(4, high=0), "plain_idx": L(0), "cdim": 3, "dim": 3,
                                               "nnz": 0}]),
    (r"_spdiags", [{"diagonals": T(1, 3), "offsets": L(1), "shape": [3, 3], "out": SP}]),
    (r"conv_tbc_backward", [{"self": T(3, 2, 5), "input": T(4, 2, 3), "weight": T(2, 3, 5), "bias": T(5), "pad": 0}]),
    (r"gradient", [{"self": T(4, 4), "spacing": [T(4)], "dim": [0]}, {"self": T(4, 4), "spacing": [T(4)], "dim": 0}]),
    (r"_?indices_copy", [{"self": SP, "out": L(2, 2)}]),
    (r"_?values_copy", [{"self": SP, "out": T(2)}]),
    (r"_sparse_coo_tensor_with_dims.*", [{"sparse_dim": 2, "dense_dim": 0, "size": [3, 3], "indices": L(2, 2, high=2), "values": T(2),
                                          "layout": {"type": "Layout", "value": "sparse_coo"}, "out": sparse(3, 3, nnz=0)}]),
    (r"_sparse_mask_helper", [{"t": SP, "mask_indices": L(2, 2, high=2), "out": T(2)}]),
    (r"_sparse_sum", [{"self": SP, "dim": [0], "out": sparse(3, nnz=1)}]),
    (r"native_norm", [{"self": SP, "p": 2, "dim": [0, 1], "keepdim": False, "dtype": None, "out": T()}]),
    (r"sparse_resize.*", [{"self": SP, "size": [3, 3], "sparse_dim": 2, "dense_dim": 0, "out": SP}]),
    (r"_fused_moving_avg_obs.*", [{"self": T(3, 3), "observer_on": L(1, low=1), "fake_quant_on": L(1, low=1),
                                   "running_min": T(1, low=-1.0, high=0.0), "running_max": T(1, low=0.5, high=1.0),
                                   "scale": T(1, low=0.1, high=0.2), "zero_point": T(1, dtype="int", low=0, high=0),
                                   "averaging_const": 0.1, "quant_min": 0, "quant_max": 255, "ch_axis": 0,
                                   "per_row_fake_quant": False, "symmetric_quant": False}]),
    (r"kl_div", [{"self": T(3), "target": T(3)}]),
    (r"sparse_coo_tensor", [{"size": [3, 3], "out": SP, "indices": L(2, 2, high=2), "values": T(2)}]),
    (r"to_dense_backward", [{"grad": T(3, 3), "input": SP}]),
    (r"to_sparse.*", [{"self": T(3, 3), "out": SP, "sparse_dim": 2, "blocksize": [1, 1]},
                      {"self": SP, "blocksize": [1, 1]}]),
    (r"to_dense.*", [{"self": SP, "out": T(3, 3)}]),
    (r"conv2d_prepack", [{"W": T(3, 2, 3, 3), "B": T(3), "stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 1,
                          "input_size": [1, 2, 5, 5], "attr": "none"}]),
    (r".*sparse.*mm.*|hspmm|sspaddmm|_?smm|sspaddmm", [
        {"self": SP, "mat1": SP, "mat2": T(3, 3), "sparse": SP, "dense": T(3, 3), "other": T(3, 3), "out": T(0)},
        {"self": T(3, 3), "mat1": SP, "mat2": T(3, 3), "out": T(0)},
        {"self": SP, "mat1": SP, "mat2": T(3, 3), "out": SP}, {"self": SP, "other": SP, "sparse": SP, "dense": SP, "out": SP}]),
    (r"_sparse_sum.*", [{"self": SP, "dim": [0], "grad": SP, "dtype": 6, "out": SP}, {"self": SP, "dim": [0], "grad": T(3)},
                        {"self": SP, "dim": [0], "grad": sparse(3)}]),
    (r"_sparse_(log_)?softmax.*", [{"self": SP, "dim": 0, "dtype": 6, "half_to_float": False, "grad_output": SP, "output": SP, "out": SP}]),
    (r"_?sparse_mask.*", [{"self": T(3, 3), "mask": SP, "t": SP, "mask_indices": L(2, 2, high=2), "out": SP},
                          {"self": T(3, 3), "mask": SP, "out": T(0)}]),
    (r"_coalesced.*|_coalesce.*|coalesce|is_coalesced", [{"self": {**SP, "coalesced": False}, "coalesced": False, "out": SP}]),
    (r"sparse_resize.*", [{"self": SP, "size": [4, 4], "sparse_dim": 2, "dense_dim": 0, "out": SP}]),
    (r"(resize_as_sparse|copy_sparse_to_sparse|resize_as).*", [{"self": SP, "the_template": SP, "src": SP, "out": SP}]),
    (r"clamp_?|clip_?", [{"min": 0, "max": 1}, {"min": T(3, 3), "max": T(3, 3)}]),
    (r"binary_cross_entropy.*|.*(huber|mse|smooth_l1|l1)_loss.*", [SAMPLED]),
    (r"fill_?", [{"value": T()}]),
    (r"frexp", [{"mantissa": T(0), "exponent": INFO}]),
    (r"complex|polar", [{"real": T(3), "imag": T(3), "abs": T(3), "angle": T(3), "out": T(0, dtype="complex64")}]),
    (r"fft_(rfft|ihfft).*", [{"self": T(3, 3), "out": T(0, dtype="complex64")}]),
    (r"linalg_cond", [{"p": "fro"}]),
    (r"tensordot", [{"dims_self": [1], "dims_other": [0]}]),
    (r"gradient", [{"self": T(3, 3), "spacing": [T(3), T(3)], "dim": [0, 1]}]),
    (r"_?linalg_.*|.*_ex", [{"A": T(1, 1, low=0.5, high=1.0), "self": T(1, 1, low=0.5, high=1.0), "B": T(1, 1), "other": T(1, 1),
                             "info": INFO, "pivots": INFO}]),
    (r"_linalg_check_errors", [{"info": T(1, dtype="int", low=0, high=0), "api_name": "x", "is_matrix": True}]),
    (r"_?segment_reduce.*", [{"data": T(4), "reduce": "sum", "lengths": L(2, low=2, high=2), "grad": T(2), "output": T(2), "unsafe": False}]),
    (r"_masked_softmax.*", [{"self": T(3, 4), "mask": bools(3, 4), "grad_output": T(3, 4), "output": T(3, 4)}]),
    (r"_convert_indices.*", [{"self": L(3), "size": 3, "crow_indices": L(4, high=0), "col_indices": L(0)}]),
    (r"_spdiags", [{"diagonals": T(1, 3), "offsets": L(1), "shape": [3, 3]}]),
    (r"_assert_async", [{"self": T(1, low=1, high=1)}]),
    (r"_gather_sparse_backward", [{"self": T(3, 3), "dim": 0, "index": L(3, 3), "grad": T(3, 3)}]),
    (r"_rowwise_prune", [{"weight": T(3, 3), "mask": bools(3)}]),
    (r"value_selecting_reduction_backward", [{"grad": T(3), "dim": 0, "indices": L(3), "sizes": [3, 3], "keepdim": False}]),
    (r"conv_tbc.*", [{"self": T(4, 2, 3), "weight": T(2, 3, 5), "bias": T(5), "input": T(4, 2, 3), "pad": 0}]),
    (r"_trilinear", [{"i1": T(3, 2), "i2": T(3, 2), "i3": T(3, 2), "expand1": [], "expand2": [], "expand3": [], "sumdim": [1]}]),
    (r"_nested_tensor_from_mask.*", [{"t": T(2, 3, 4), "mask": tensor(2, 3, dtype="bool")}]),
    (r"_nested_from_padded", [{"padded": T(2, 3, 4), "cpu_nested_shape_example": L(2, 2, low=2, high=2)}]),
    (r"_reshape_from_tensor", [{"self": T(3, 3), "shape": L(2, low=3, high=3)}]),
    (r"_nested_view_from_buffer.*", [{"self": T(4), "nested_size": L(1, 1, low=4, high=4), "nested_strides": L(1, 1, low=1), "offsets": [0]}]),
    (r"embedding_bag_(byte|4bit|2bit).*", [BYTES]),
    (r"_Bfloat16QuantizedToFloat", [{"input": T(3, 3, dtype="half")}]),
    (r"unbind_copy", [{"self": T(2, 3), "out": [T(3), T(3)]}]),
    (r"split(_with_sizes)?_copy", [{"self": T(4, 4), "split_size": 2, "split_sizes": [2, 2], "out": [T(2, 4), T(2, 4)]}]),
    (r"select_(copy|backward)", [{"self": T(3, 3), "dim": 0, "index": 0, "out": T(3)},
                                 {"grad_output": T(3), "input_sizes": [3, 3], "dim": 0, "index": 0, "out": T(3, 3)}]),
    (r"diagonal_copy", [{"self": T(3, 3), "out": T(3)}]),
    (r"slice_copy", [{"self": T(3, 3), "start": 0, "end": 2, "out": T(2, 3)}]),
    (r"unsqueeze_copy", [{"self": T(3, 3), "dim": 0, "out": T(1, 3, 3)}]),
    (r"unfold_copy", [{"self": T(4), "dimension": 0, "size": 2, "step": 2, "out": T(2, 2)}]),
    (r"view_as_complex_copy", [{"self": T(3, 2), "out": T(3, dtype="complex64")}]),
    (r"view_as_real_copy", [{"self": T(3, dtype="complex64"), "out": T(3, 2)}]),
    (r"_?conj_copy|_conj_copy", [{"self": T(3, dtype="complex64"), "out": T(3, dtype="complex64")}]),
    (r"view_copy", [{"self": T(3, 3), "size": [3, 3], "out": T(3, 3)}, {"self": T(3, 3), "dtype": 3, "out": T(3, 3, dtype="int")}]),
    (r".*_copy", [{"self": T(3, 3), "size": [3, 3], "stride": [3, 1], "dims": [0, 1], "dim": 0, "dim0": 0, "dim1": 1, "out": T(3, 3)}]),
    (r"normal", [{"mean": T(3), "std": 1.0, "out": T(3)}]),
    (r"sort|.*unique.*", [{"self": T(4), "stable": False, "dim": 0, "descending": False, "values": T(0), "indices": tensor(0, dtype="long")}]),
    (r"prelu_backward", [{"grad_output": T(2, 3), "self": T(2, 3), "weight": T(3)}]),
    (r"glu_backward", [{"self": T(3, 4), "grad_output": T(3, 2), "dim": 1}]),
    (r"remainder", [{"self": 2, "other": T(3)}]),
    (r"_compute_linear_combination", [{"input": T(3, 4), "coefficients": T(2, 3), "out": T(2, 4)}]),
    (r"_neg_view_copy|alias_copy|detach_copy|_reshape_alias_copy", [{"self": T(3, 3), "size": [3, 3], "stride": [3, 1], "out": T(3, 3)}]),
    (r"_?sobol_engine_initialize_state_|_sobol_engine_initialize_state_", [{"self": L(2, 30), "dimension": 2}]),
    (r"_fake_quantize_learnable_per_tensor.*", [{"grad": T(3, 3), "self": T(3, 3), "scale": T(1, low=0.1, high=0.2), "zero_point": T(1, low=0, high=0),
                                                 "quant_min": 0, "quant_max": 255}]),
    (r"_fake_quantize_learnable_per_channel.*", [{"grad": T(3, 3), "self": T(3, 3), "scale": T(3, low=0.1, high=0.2), "zero_point": T(3, low=0, high=0),
                                                  "axis": 0, "quant_min": 0, "quant_max": 255}]),
    (r"_?fused_moving_avg_obs.*", [{"self": T(3, 3), "observer_on": L(1, low=1), "fake_quant_on": L(1, low=1), "running_min": T(1), "running_max": T(1),
                                    "scale": T(1, low=0.1, high=0.2), "zero_point": T(1, dtype="int", low=0, high=0), "averaging_const": 0.1,
                                    "quant_min": 0, "quant_max": 255, "ch_axis": 0}]),
    (r"conv1d|_?conv_depthwise1d", [conv(1)]),
    (r".*conv.*", [conv(2), conv(1), conv(3), transposed(2), transposed(1), transposed(3),
                   conv(2, weight=T(2, 1, 3, 3), groups=2, bias=T(2), grad_output=T(1, 2, 3, 3)),
                   conv(3, weight=T(2, 1, 3, 3, 3), groups=2, bias=T(2), grad_output=T(1, 2, 3, 3, 3)),
                   conv(2, padding="same"), conv(1, padding="same"), conv(3, padding="same"),
                   {"self": T(4, 2, 3), "weight": T(2, 3, 5), "bias": T(5), "input": T(4, 2, 3), "pad": 0}]),
    (r".*adaptive.*|.*pool.*", [pool(2), pool(1), pool(3), pool(2, padding=0), unpool(2), unpool(3),
                                pool(2, self=T(1, 2, 4, 4), output_size=[1, 1], grad_output=T(1, 2, 1, 1))]),
    (r".*_pad.*|pad|_pad_.*", [pad(1), pad(2), pad(3), {"self": T(1, 2, 4), "pad": [1, 1], "mode": "reflect", "value": 0.5}]),
    (r".*upsample.*|.*interp.*", [resize(2), resize(1), resize(3), scaled(2), scaled(1), scaled(3)]),
    (r"im2col.*", [{**PIC, **COLUMNS}]),
    (r"col2im.*", [{"self": T(1, 8, 9), **COLUMNS}]),
    (r".*layer_norm.*", [LAYER]),
    (r".*group_norm.*", [GROUP]),
    (r".*(batch|instance)_norm.*", [NORM, {**NORM, "training": False, "train": False}]),
    (r".*nll_loss2d.*|nll_loss_nd|.*cross_entropy.*", [NLL2D, NLL]),
    (r".*nll_loss.*|multi_margin.*|cross_entropy_loss", [NLL]),
    (r".*multilabel_margin.*", [MULTILABEL]),
    (r".*ctc_loss.*", [CTC, CTC_TENSORS, {**CTC, "profiles": PROFILES[9:10]}]),
    (r".*embedding.*", [BAG, {**BAG, "grad_output": T(4, 3)}, {**BAG, "grad": T(2, 3), "sparse": True}]),
    (r".*lstm_cell.*", [cell(4, [T(3, 5), T(3, 5)])]),
    (r".*gru_cell.*", [cell(3, T(3, 5))]),
    (r".*rnn.*cell.*", [cell(1, T(3, 5))]),
    (r".*lstm.*", [rnn(4, [T(1, 3, 5), T(1, 3, 5)])]),
    (r".*gru.*", [rnn(3, T(1, 3, 5))]),
    (r"rnn_.*", [rnn(1, T(1, 3, 5))]),
    (r".*cholesky.*|.*eigh.*|linalg_inv.*|inverse|.*ldl.*|logdet|.*potr.*", [POSITIVE, {**POSITIVE, "B": T(1, 1)},
        {"LD": T(3, 3), "pivots": T(3, dtype="int", low=1, high=3), "B": T(3, 3), "self": T(3, 3), "input2": T(3, 3)}]),
    (r".*lu.*", [{"LU_data": T(3, 3), "LU_pivots": T(3, dtype="int", low=1, high=3), "self": T(3, 3),
                  "LU": T(3, 3), "pivots": T(3, dtype="int", low=1, high=3), "B": T(3, 3)}]),
    (r"ormqr|orgqr|linalg_householder_product", [{"self": T(3, 3), "input": T(3, 3), "input2": T(3), "tau": T(3), "input3": T(3, 3)}]),
    (r"linalg_tensorinv", [{"self": T(2, 3, 6), "ind": 2}]),
    (r"linalg_tensorsolve", [{"self": T(2, 3, 6), "other": T(2, 3)}]),
    (r".*(triangular|lstsq).*", [{"self": T(3, 3), "A": T(3, 3), "B": T(3, 3), "b": T(3, 3), "upper": True,
                                  "X": T(3, 3), "M": T(3, 3)}]),
    (r"(linalg_)?(matrix_)?norm.*|.*_norm", [{"self": T(3, 3), "ord": "fro", "p": 2, "dim": [0, 1], "keepdim": False, "maxnorm": 1.0},
                                              {"self": T(3, 3), "ord": 2, "p": 2, "dim": [0], "keepdim": False}]),
    (r"_fft_c2r.*|fft_(i?h|c2r|ir).*", [{**COMPLEX, "dim": [1], "normalization": 0, "last_dim_size": 4}, COMPLEX,
                                        {**COMPLEX, "dim": 1}]),
    (r"_fft_r2c.*", [{"self": T(3, 3), "dim": [1], "normalization": 0, "onesided": True}]),
    (r"_fft_c2c.*", [{**COMPLEX, "dim": [0, 1], "normalization": 0, "forward": True}]),
    (r"_?stft.*", [{"self": T(16), "n_fft": 4, "return_complex": True}]),
    (r"istft.*", [{"self": T(3, 5, dtype="complex64"), "n_fft": 4}]),
    (r"scatter.*|gather.*|take_along_dim|_?scatter.*", [SCATTERED, {**SCATTERED, "reduce": "add"}]),
    (r".*index.*|masked.*|take|put_?|.*select.*", [INDEXED, SCATTERED, {**INDEXED, "value": T()},
        {"self": T(3, 3), "index": L(3), "source": T(3)},
        {"self": T(3, 3), "indices": [L(3)], "values": T(3, 3)},
        {"self": T(3, 3), "mask": bools(3, 3), "source": T(9), "dim": 0, "index": 0, "src": T(3)},
        {"grad": T(3, 3), "grad_output": T(3), "input_sizes": [3, 3], "self_sizes": [3, 3], "self_sym_sizes": [3, 3],
         "dim": 0, "index": 0, "mask": bools(3, 3)}]),
    (r".*(csr|csc|bsr|bsc|compressed).*", [CSR, {**CSR, "values": T(0, 1, 1)}]),
    (r".*sparse_coo.*|.*_coo_.*", [COO, {**COO, "layout": {"type": "Layout", "value": "sparse_coo"}},
                                   {"size": [3, 3], "sparse_dim": 2, "dense_dim": 0, "layout": {"type": "Layout", "value": "sparse_coo"}}]),
    (r".*quant.*|.*qparams.*|.*affine.*", [QUANT, QUANT_T, QUANT_C]),
    (r".*attention.*|_transform.*|_transformer.*", [ATTENTION]),
    (r".*grid_sampler.*", [GRID, GRID3]),
    (r"affine_grid.*", [{"theta": T(1, 2, 3), "size": [1, 2, 4, 4], "align_corners": False, "grad": T(1, 4, 4, 2)}]),
    (r"pixel_shuffle|channel_shuffle|native_channel_shuffle|pixel_unshuffle", [
        {"self": T(1, 4, 4, 4), "upscale_factor": 2, "downscale_factor": 2, "groups": 2}]),
    (r"multinomial.*", [{"self": T(3, low=0.1, high=1.0), "num_samples": 2}]),
    (r"bincount.*|_bincount.*", [{"self": L(3), "minlength": 0}]),
    (r".*histogram.*", [{"self": T(3, 2), "bins": [3, 3]}, {"self": T(3), "bins": 3}, {"self": T(3), "bins": T(4)},
                        {"self": T(3, 2), "bins": [T(4), T(4)]}]),
    (r"searchsorted.*|bucketize.*|_torch_cuda.*", [{"sorted_sequence": T(3), "self": T(3), "boundaries": T(3)},
                                     {"sorted_sequence": T(3), "self": 0.5, "boundaries": T(3)}]),
    (r"bernoulli.*|binomial|poisson|.*gamma.*|.*dirichlet.*", [
        {"self": T(3, 3, low=0.1, high=0.9), "p": 0.5, "count": T(3, 3, low=1, high=1), "prob": T(3, 3, low=0.1, high=0.9),
         "x": T(3, low=0.1, high=0.9), "alpha": T(3, low=0.5, high=1.0), "total": T(3, low=1.0, high=2.0),
         "output": T(3, 3, low=0.1, high=0.9)}, {"self": T(3, 3), "p": T(3, 3, low=0.1, high=0.9)}]),
    (r"random.*|normal.*|geometric.*|cauchy.*|exponential.*|log_normal.*|uniform.*|rand.*", [
        {"mean": 0.0, "std": 1.0, "from": 0, "to": 5, "size": [3, 3], "high": 5, "low": 0, "p": 0.5, "n": 3, "sigma": 1.0,
         "median": 0.0, "lambd": 1.0}, {"mean": T(3), "std": T(3, low=0.5, high=1.0)}, {"mean": T(3), "std": 1.0},
        {"mean": 0.0, "std": T(3, low=0.5, high=1.0)}]),
    (r".*(split|chunk).*", [{"self": T(4, 4), "split_sizes": [2, 2], "split_size": 2, "chunks": 2, "dim": 0, "sections": 2,
                             "indices": [2], "tensor_indices_or_sections": L(1, low=2, high=2)},
                            {"self": T(4, 4, 4), "split_size": [2, 2], "sections": 2, "indices": [2]}]),
    (r".*view.*|.*reshape.*|unflatten|_?unsafe_view.*|expand.*|broadcast_to.*|resize.*|repeat.*|tile|as_strided.*|.*_strided.*", [
        {"self": T(4, 4), "size": [4, 4], "shape": [2, 8], "sizes": [2, 2], "dim": 0, "repeats": [2, 2], "dims": [2, 2],
         "stride": [4, 1], "other": T(4, 4), "the_template": T(4, 4)},
        {"self": T(4, 4), "size": [4, 4], "repeats": 2}, {"self": T(4), "repeats": L(4, low=2, high=2)},
        {"repeats": L(4, low=2, high=2)}, {"self": T(4, 4, 2), "size": [4, 4, 2]},
        {"self": T(4, 4), "size": [4, 4], "dtype": 3}, {"grad": T(4, 4), "input_geometry": T(4, 4), "sizes": [4, 4], "strides": [4, 1]}]),
    (r"view_as_complex.*|_view_as_complex.*", [{"self": T(3, 2)}]),
    (r".*(real|imag|conj|angle|complex|polar).*", [COMPLEX, {"real": T(3), "imag": T(3)}, {"abs": T(3), "angle": T(3)}]),
    (r"slice.*|narrow.*|diagonal.*|diag.*|unfold.*|trace_backward|.*_backward", [
        {"self": T(4, 4), "dim": 0, "start": 0, "end": 2, "step": 1, "length": 2, "size": 2, "dimension": 0, "src": T(2, 4),
         "dim1": 0, "dim2": 1, "offset": 0},
        {"self": T(4, 4), "src": T(4), "dim1": 0, "dim2": 1}, {"self": T(4, 4), "start": T(dtype="long", low=0, high=0), "length": 2, "dim": 0},
        {"grad_output": T(2, 4), "input_sizes": [4, 4], "dim": 0, "start": 0, "end": 2, "step": 1, "dim1": 0, "dim2": 1, "offset": 0},
        {"grad_output": T(4), "input_sizes": [4, 4], "dim1": 0, "dim2": 1, "offset": 0},
        {"grad_in": T(3, 4, 2), "input_sizes": [4, 4], "dim": 0, "size": 2, "step": 1},
        {"grad": T(), "sizes": [4, 4]}, {"grad": T(4), "input_sizes": [4, 4]}]),
    (r"(permute|transpose|movedim|moveaxis|swap.*|rot90|roll|flip|rotate).*", [
        {"self": T(3, 4), "dims": [1, 0], "source": [0], "destination": [1], "k": 1, "shifts": [1], "axis0": 0, "axis1": 1},
        {"self": T(3, 4), "dims": [0], "source": 0, "destination": 1, "shifts": [1]}]),
    (r"(add|badd)?(b?mm|mv|r|mr|dot)_?|matmul.*|.*linear.*|_addmm.*|.*bmm.*", [
        {"self": T(2, 3, 3), "mat2": T(2, 3, 3), "batch1": T(2, 3, 3), "batch2": T(2, 3, 3)},
        {"self": T(3, 3), "batch1": T(2, 3, 3), "batch2": T(2, 3, 3)},
        {"self": T(3), "mat": T(3, 3), "vec": T(3)}, {"self": T(3, 3), "vec": T(3), "vec1": T(3), "vec2": T(3)},
        {"self": T(3), "tensor": T(3), "other": T(3)}, {"input": T(3, 3), "weight": T(3, 3), "bias": T(3),
         "grad_output": T(3, 3), "output_mask": [True, True, True], "self": T(3, 3)}]),
    (r"bilinear|_trilinear.*", [{"input1": T(3, 2), "input2": T(3, 2), "weight": T(4, 2, 2), "bias": T(4)},
        {"i1": T(3, 2), "i2": T(3, 2), "i3": T(3, 2), "expand1": [], "expand2": [], "expand3": [], "sumdim": [1],
         "grad": T(3), "output_mask": [True, True, True]}]),
    (r"einsum", [{"equation": "ij,jk->ik", "tensors": [T(3, 3), T(3, 3)]}]),
    (r"cross|linalg_cross", [{"self": T(3, 3), "other": T(3, 3), "dim": 0}]),
    (r".*(cdist|pdist|euclidean).*", [{"x1": T(3, 4), "x2": T(3, 4), "p": 2.0, "compute_mode": None, "self": T(3, 4)},
        {"grad": T(3, 3), "x1": T(3, 4), "x2": T(3, 4), "p": 2.0, "cdist": T(3, 3)}, {"grad": T(3), "self": T(3, 4), "p": 2.0, "pdist": T(3)}]),
    (r".*dropout.*", [{"input": T(3, 4), "p": 0.5, "train": True, "self": T(3, 4), "mask": bools(3, 4), "grad_output": T(3, 4), "scale": 2.0, "p1m": 0.5},
                      {"input": T(1, 3, 4), "p": 0.5, "train": True}]),
    (r"prelu.*|_prelu.*|rrelu.*", [{"self": T(2, 3), "weight": T(3), "grad_output": T(2, 3), "noise": T(2, 3), "lower": 0.1, "upper": 0.3,
                          "training": True, "self_is_result": False, "generator": None}]),
    (r"glu.*", [{"self": T(3, 4), "grad_output": T(3, 2), "dim": 1, "glu": T(3, 2), "x": T(3, 4), "dx": T(3, 4), "grad_x": T(3, 4),
                 "grad_glu": T(3, 2), "dgrad_glu": T(3, 2), "dim": 1}]),
    (r"(linspace|logspace|arange|range|full|ones|zeros|empty|eye|tri[lu]_indices|vander|.*window|scalar_tensor|new_.*|_efficient.*).*", [
        {"start": 0, "end": 4, "step": 1, "steps": 3, "size": [3, 3], "fill_value": 1, "n": 3, "m": 3, "row": 3, "col": 3,
         "window_length": 4, "periodic": True, "beta": 1.0, "s": 1, "stride": [3, 1], "alpha": 0.5, "beta": 0.5,
         "physical_layout": [0, 1], "names": None}]),
    (r".*(softmax|logcumsumexp|cum).*", [{"self": T(3, 4), "dim": 1, "half_to_float": False, "grad_output": T(3, 4), "output": T(3, 4), "input_dtype": 6,
        "grad": T(3, 4), "indices": L(3, 4), "values": T(3, 4)}]),
    (r".*(pack_padded|pad_packed).*", [{"input": T(4, 2, 3), "lengths": L(2, low=4, high=4), "batch_first": False, "data": T(8, 3),
        "batch_sizes": L(4, low=2, high=2), "padding_value": 0, "total_length": 4, "grad": T(8, 3), "input_size": [4, 2, 3]}]),
    (r".*(unique|mode|median|kth|topk|sort|value_selecting).*", [
        {"self": T(4), "k": 2, "dim": 0, "stable": False, "descending": False, "keepdim": False, "grad": T(2), "indices": L(2), "sizes": [4]}]),
    (r"(_foreach_|_amp_|_fused).*", [
        {"self": [T(3), T(3)], "tensors1": [T(3), T(3)], "tensors2": [T(3), T(3)], "other": [T(3), T(3)], "scalars": [1, 2],
         "tensor1": [T(3), T(3)], "tensor2": [T(3), T(3)], "tensors": [T(3), T(3)], "scalar": 1, "value": 1, "found_inf": T(1), "inv_scale": T(1)}]),
    (r"(cat|concat|concatenate|stack|hstack|vstack|dstack|column_stack|row_stack|block_diag|cartesian_prod|meshgrid|broadcast_tensors|_?stack|_cat|"
     r"atleast.*|align_tensors|chain_matmul|linalg_multi_dot|result_type|combinations|flatten_dense_tensors|unflatten_dense_tensors|.*nested.*|to_padded.*|.*_pad_sequence|pad_sequence).*", [
        {"tensors": [T(3, 3), T(3, 3)], "dim": 0, "matrices": [T(3, 3), T(3, 3)], "indexing": "ij", "flat": T(18),
         "sequences": [T(3, 3), T(2, 3)], "list": [T(3, 3), T(2, 3)], "padding": 0.5}]),
]
