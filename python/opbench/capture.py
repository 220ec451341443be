# SPDX-License-Identifier: Apache-2.0
"""Records which arguments a PyTorch program calls its operators with, as an opbench config.

    import opbench
    opbench.capture.start("ops.json")        # ... train ...; saved by stop(), and at exit

    with opbench.capture.Capture("ops.json"):
        step()

    python -m opbench.capture -o ops.json train.py --epochs 1

Without the package, the same file works as the module opbench_capture and needs only PyTorch.

Modules of torch.nn are seen by hooks on all modules, functions of torch, torch.nn.functional and methods of
torch.Tensor by a TorchFunctionMode, the operators of a backward pass (backward=True) by a dispatch mode. Only indexing, x[i],
is patched, because modes do not see it. No random number is drawn and no value is changed: the program computes the same
bits with and without. Works with PyTorch 1.13 and 2.x; needs nothing else.
"""
import argparse
import atexit
import collections
import functools
import inspect
import json
import os
import runpy
import sys
import tempfile
import threading
import time
import types
import warnings

# How this module is called here: opbench.capture in the package, opbench_capture as a file of its own.
NAME = __spec__.name if __spec__ is not None else "opbench_capture"

try:
    import torch
except ModuleNotFoundError as missing:
    if missing.name == "torch" and __name__ == "__main__":
        sys.exit("%s: %s has no PyTorch; use the Python that runs your program" % (NAME, sys.executable))
    raise
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["Capture", "start", "stop"]

GENERATOR = "PyTorch:DefaultDataGenerator"
SAVE_EVERY_S = 10.0
# The element types that a config has.
DTYPES = {
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128",
}

# Calls that read a property or ask a question; they compute nothing.
QUIET = {
    "backward", "dim", "size", "stride", "numel", "item", "tolist", "is_contiguous", "is_floating_point",
    "is_complex", "requires_grad_", "data_ptr", "storage_offset", "untyped_storage", "register_hook",
    "retain_grad", "is_grad_enabled", "set_grad_enabled", "has_names", "element_size", "get_device",
    "is_storage", "is_tensor", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state",
    "__len__", "__bool__", "__int__", "__float__", "__index__", "__format__", "__repr__", "__hash__",
    "__contains__", "__reduce_ex__", "__deepcopy__", "__get__", "__set__", "__delete__", "type", "cpu", "cuda",
    "nelement", "ndimension", "numpy", "storage", "is_shared", "share_memory_", "__setstate__", "_is_view",
    "__array__", "__array_wrap__", "__dlpack__", "__dlpack_device__", "__nonzero__", "__complex__", "__long__",
}

# Calls that bring numbers of the program into tensors; a config has no argument for those.
MAKES_DATA = {"torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.frombuffer", "torch.asarray",
              "torch.from_file", "torch.Tensor.apply_", "torch.Tensor.map_", "torch.Tensor.map2_"}

# Modules and functions that opbench has no operator for. Calls inside of them are recorded.
NO_OPERATOR = {
    "torch.functional.lu", "torch.functional.pca_lowrank", "torch.functional.svd_lowrank", "torch.functional.unique",
    "torch.lobpcg", "torch.Tensor.lu", "torch.Tensor.__reversed__", "torch.Tensor.__rfloordiv__",
    "torch.Tensor.__rmod__", "torch.Tensor.__rlshift__", "torch.Tensor.__rrshift__",
} | {"torch.nn.functional." + name for name in (
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "lp_pool1d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "multi_head_attention_forward", "multilabel_soft_margin_loss", "native_channel_shuffle",
    "triplet_margin_with_distance_loss")
} | {"torch.nn." + name for name in (
    "AdaptiveLogSoftmaxWithLoss", "AlphaDropout", "CTCLoss", "ChannelShuffle", "CosineEmbeddingLoss", "CrossMapLRN2d",
    "DataParallel", "FeatureAlphaDropout", "Fold", "FractionalMaxPool2d", "FractionalMaxPool3d", "GRU", "GRUCell",
    "HingeEmbeddingLoss", "LPPool1d", "LPPool2d", "LSTM", "LSTMCell", "MarginRankingLoss", "MaxUnpool1d", "MaxUnpool2d",
    "MaxUnpool3d", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss2d",
    "PairwiseDistance", "PixelUnshuffle", "PoissonNLLLoss", "RNN", "RNNCell", "RReLU", "ReflectionPad1d",
    "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "SoftMarginLoss",
    "Softmax2d", "SyncBatchNorm", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Unfold", "UpsamplingBilinear2d",
    "UpsamplingNearest2d")}

# Operators of Python as those of torch: (name, whether the operands change places).
PYTHON_OPERATORS = {
    "torch.Tensor.__rtruediv__": ("torch.div", True), "torch.Tensor.__rdiv__": ("torch.div", True),
    "torch.Tensor.__div__": ("torch.div", False), "torch.Tensor.__rpow__": ("torch.pow", True),
    "torch.Tensor.__rmatmul__": ("torch.matmul", True), "torch.Tensor.__rand__": ("torch.bitwise_and", False),
    "torch.Tensor.__ror__": ("torch.bitwise_or", False), "torch.Tensor.__rxor__": ("torch.bitwise_xor", False),
    "torch.Tensor.__ipow__": ("torch.Tensor.pow_", False), "torch.Tensor.__imod__": ("torch.Tensor.remainder_", False),
    "torch.Tensor.__ifloordiv__": ("torch.Tensor.floor_divide_", False),
}


# What autocast computes in its own dtype, whatever it is given: functions and modules by the last part of their names.
AUTOCAST = {
    "linear", "bilinear", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm", "addbmm",
    "einsum", "chain_matmul", "multi_dot", "scaled_dot_product_attention", "Linear", "Bilinear", "Conv1d", "Conv2d",
    "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "MultiheadAttention",
}

# Frames of this file run the bodies of modules that are being imported.
IMPORTER = "<frozen importlib._bootstrap>"
COMPILED = ("code that torch.compile made: the calls inside it, and the fused ones of its backward pass, cannot be seen; "
            "set TORCHDYNAMO_DISABLE=1 in the environment to see them")


def _has_tensor(values):
    """Whether there is a tensor among the values, in their lists or dictionaries too. Of a list, which may be all of a
    program's data, the first elements tell."""
    for value in values:
        if isinstance(value, torch.Tensor):
            return True
        if isinstance(value, (list, tuple)) and _has_tensor(value[:16]):
            return True
        if isinstance(value, dict) and _has_tensor(value.values()):
            return True
    return False


def _autocast_dtype(name, values):
    """The dtype that autocast computes the call in, or None where it leaves it alone."""
    first = next((value for value in values if isinstance(value, torch.Tensor)), None)
    if first is None or name.rsplit(".", 1)[-1] not in AUTOCAST:
        return None
    kind = first.device.type
    if hasattr(torch, "get_autocast_dtype"):
        return torch.get_autocast_dtype(kind) if kind != "meta" and torch.is_autocast_enabled(kind) else None
    if kind == "cpu":
        return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
    return torch.get_autocast_gpu_dtype() if kind == "cuda" and torch.is_autocast_enabled() else None


def _imports():
    """How many imports are under way in this thread, and the module that the last of them runs."""
    frame, count, module, last = sys._getframe(1), 0, None, ""
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            module = frame.f_globals.get("__name__")
        elif module is not None and frame.f_code.co_filename == IMPORTER:
            last = last or module
            module = None
            count += 1
        frame = frame.f_back
    return count, last


def _no_override(*args):
    return False


def _open_copy(func):
    """A function of torch.nn.functional whose body does not ask first whether somebody overrides it: run with
    the mode on, the calls inside of it are seen, and it is not seen a second time itself. None where there is
    nothing inside to see (C functions)."""
    namespace = getattr(func, "__globals__", None)
    if not isinstance(func, types.FunctionType) or func.__closure__ is not None:
        return None
    if namespace is not torch.nn.functional.__dict__:
        return None
    names = dict(namespace)
    for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"):
        names[name] = _no_override
    copy = types.FunctionType(func.__code__, names, func.__name__, func.__defaults__)
    copy.__kwdefaults__ = func.__kwdefaults__
    return copy


class Unknown(Exception):
    """An argument that a config has no type for."""


def _dtype_name(dtype):
    return str(dtype).replace("torch.", "")


def _is_contiguous(tensor):
    expected = 1
    for size, stride in reversed(list(zip(tensor.shape, tensor.stride()))):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _ignored_target(name, kwargs):
    """The value that a loss passes over among its targets, or None."""
    return kwargs.get("ignore_index", -100) if "cross_entropy" in name or "nll_loss" in name else None


def _is_offsets(name, value, args, kwargs):
    """Offsets rise; a range does not say so, and the operator's own rule does."""
    if "embedding_bag" not in name.lower() and "EmbeddingBag" not in name:
        return False
    place = 1 if "EmbeddingBag" in name else 2
    return value is kwargs.get("offsets") or (len(args) > place and value is args[place])


class Signature:
    """The arguments of a call as config entries. What is known of integer tensors' values (their range; on demand the
    values) is kept apart: it is not part of what makes two calls the same, and ranges grow from call to call."""

    def __init__(self, ranges, values=0, name="", args=(), kwargs=None):
        self.want_ranges, self.want_values = ranges, values
        self.name, self.args, self.kwargs = name, args, kwargs or {}
        self.ranges = []
        self.autocast = None if name.startswith("aten::") else _autocast_dtype(name, args)

    def dtype(self, tensor):
        """The tensor's, or the one that autocast makes of it before it computes."""
        casts = self.autocast is not None and tensor.dtype.is_floating_point and tensor.dtype is not torch.float64
        return self.autocast if casts else tensor.dtype

    def known(self, value):
        """The values, or (lowest, highest), or None."""
        if value.dtype.is_floating_point or value.dtype.is_complex or value.numel() == 0:
            return None
        if value.device.type == "meta":
            return None
        plain = value.detach()
        if value.numel() <= self.want_values:
            return plain.tolist()
        if not self.want_ranges or value.dtype is torch.bool or _is_offsets(self.name, value, self.args, self.kwargs):
            return None
        ignored = _ignored_target(self.name, self.kwargs)
        if ignored is not None and ignored < 0 and bool((plain < 0).any()):
            plain = plain[plain >= 0]
            if plain.numel() == 0:
                return (0, 0)
        return (int(plain.min()), int(plain.max()))

    def tensor(self, value):
        if type(value).__name__ in ("FakeTensor", "FunctionalTensor"):
            raise Unknown("%s, which computes nothing" % type(value).__name__)
        if value.layout is not torch.strided:
            raise Unknown("tensor with layout %s" % value.layout)
        if _dtype_name(value.dtype) not in DTYPES:
            raise Unknown("tensor of %s" % value.dtype)
        entry = {"type": "tensor", "dtype": _dtype_name(self.dtype(value)), "shape": list(value.shape)}
        if value.numel() > 0 and not _is_contiguous(value):
            entry["strides"] = list(value.stride())
        if value.dtype.is_floating_point or value.dtype.is_complex:
            entry["requires_grad"] = bool(value.requires_grad)
        known = self.known(value)
        self.ranges.append(known)
        entry["__range_slot"] = len(self.ranges) - 1 if known is not None else None
        return entry

    def value(self, value, depth=0):
        if depth > 16:
            raise Unknown("deeply nested argument")
        if value is None:
            return {"type": "none"}
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, bool):
            return {"type": "bool", "value": value}
        if isinstance(value, int):
            if not -2**63 <= value < 2**63:
                raise Unknown("int beyond 64 bits")
            return {"type": "int", "value": int(value)}
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                return {"type": "double", "value": str(value)}
            return {"type": "double", "value": value}
        if isinstance(value, str):
            return {"type": "str", "value": value}
        if isinstance(value, torch.dtype):
            if _dtype_name(value) not in DTYPES:
                raise Unknown("dtype %s" % value)
            return {"type": "ScalarType", "value": _dtype_name(value)}
        if isinstance(value, torch.device):
            return {"type": "device", "value": str(value)}
        if isinstance(value, torch.layout):
            return {"type": "Layout", "value": str(value).replace("torch.", "")}
        if isinstance(value, torch.memory_format):
            return {"type": "MemoryFormat", "value": str(value).replace("torch.", "")}
        if isinstance(value, (list, torch.Size)):
            return {"type": "genericlist", "value": [self.value(v, depth + 1) for v in value]}
        if isinstance(value, tuple):
            return {"type": "tuple", "value": [self.value(v, depth + 1) for v in value]}
        raise Unknown(type(value).__module__ + "." + type(value).__name__)

    def call(self, args, kwargs):
        entry = {"args": [self.value(a) for a in args]}
        if kwargs:
            entry["kwargs"] = {k: self.value(v) for k, v in kwargs.items()}
        return entry


def _number_tensors(func, args):
    """Numbers that stand where the operator's schema has a tensor, as tensors: x / 4.0 is div.Tensor."""
    kinds = [str(argument.type) for argument in func._schema.arguments]
    return [
        torch.tensor(a, dtype=torch.float64 if isinstance(a, float) else None)
        if kind == "Tensor" and isinstance(a, (bool, int, float)) else a
        for a, kind in zip(args, kinds)
    ]


# Settings that are no attributes of the same name.
SETTINGS = {
    "MultiheadAttention": {"bias": lambda m: m.in_proj_bias is not None,
                           "add_bias_kv": lambda m: m.bias_k is not None,
                           "kdim": lambda m: None if m._qkv_same_embed_dim else m.kdim,
                           "vdim": lambda m: None if m._qkv_same_embed_dim else m.vdim},
}


def _module_settings(module, signature):
    """The arguments that would construct the module again, from its attributes of the same names."""
    kwargs = {}
    special = SETTINGS.get(type(module).__name__, {})
    for name, parameter in inspect.signature(type(module).__init__).parameters.items():
        if name in ("self", "device") or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name == "dtype":
            first = next(module.parameters(recurse=False), None)
            if first is not None and signature.dtype(first) is not torch.float32:
                kwargs[name] = signature.value(signature.dtype(first))
            continue
        if not hasattr(module, name) and name not in special:
            if parameter.default is parameter.empty:
                raise Unknown("setting %s of %s" % (name, type(module).__name__))
            continue
        value = special[name](module) if name in special else getattr(module, name)
        if isinstance(value, torch.nn.Parameter) or (name == "bias" and value is None):
            value = value is not None
        elif isinstance(value, torch.Tensor):
            raise Unknown("tensor as setting %s of %s" % (name, type(module).__name__))
        if parameter.default is not parameter.empty and value is parameter.default:
            continue
        if parameter.default is not parameter.empty and type(value) is type(parameter.default):
            if value == parameter.default:
                continue
        kwargs[name] = signature.value(value)
    return {"args": [], "kwargs": kwargs}


def _merge(old, new):
    """Ranges grow; values are those of the first call."""
    return [b if a is None else a if b is None or not isinstance(a, tuple) or not isinstance(b, tuple)
            else (min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(old, new)]


def _defaults(func):
    """Arguments of a Python function with the values they have if not given."""
    try:
        parameters = inspect.signature(func).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def _plain_call(name, func, args, kwargs):
    """A call of a Python function or operator as the call of the operator that it stands for. None: it computes
    nothing that a config could say."""
    if name in PYTHON_OPERATORS:
        name, swap = PYTHON_OPERATORS[name]
        args = tuple(reversed(args)) if swap else args
        first = args[0]
        if name == "torch.div" and not isinstance(first, torch.Tensor):
            args = (torch.tensor(first, dtype=torch.float64),) + tuple(args[1:])
        return name, args, kwargs
    if name == "torch.Tensor.to":
        given = list(args[1:]) + list(kwargs.values())
        kinds = [v.dtype if isinstance(v, torch.Tensor) else v for v in given]
        kinds = [v for v in kinds if isinstance(v, torch.dtype)]
        return (name, (args[0], kinds[0]), {}) if kinds else None
    if name == "torch.functional.einsum" and len(args) > 1 and isinstance(args[0], str):
        operands = args[1] if len(args) == 2 and isinstance(args[1], (list, tuple)) else args[1:]
        return name, (args[0], list(operands)), {}
    if name.startswith("torch.functional.") and isinstance(func, types.FunctionType):
        known = _defaults(func)
        kwargs = {k: v for k, v in kwargs.items() if isinstance(v, torch.Tensor) or k not in known or v is not known[k]}
    return name, args, kwargs


def _index_parts(index):
    """What stands between the brackets, one by one; lists of numbers as the tensors that PyTorch makes of them."""
    if isinstance(index, list) and any(one is None or one is Ellipsis or isinstance(one, (slice, list, tuple, torch.Tensor))
                                       for one in index):
        index = tuple(index)  # PyTorch's old rule
    parts = index if isinstance(index, tuple) else (index,)
    try:
        return tuple(torch.tensor(list(one)) if isinstance(one, (list, tuple, range)) else one for one in parts)
    except (TypeError, ValueError, RuntimeError):  # no numbers: the program's own call says what is wrong
        raise Unknown("index list")


def _index_calls(tensor, index, store):
    """x[index] and x[index] = store[0] as operators: views, then index, or what writes. Views are cheap: they are made
    here too, for their shapes."""
    index = _index_parts(index)
    calls, dim, picked = [], 0, {}

    def length(one):
        return one.dim() if isinstance(one, torch.Tensor) and one.dtype is torch.bool else int(one is not None)

    for place, one in enumerate(index):
        if one is Ellipsis:
            dim = tensor.dim() - sum(length(later) for later in index[place + 1:])
        elif one is None:
            calls.append(("aten::unsqueeze", (tensor, dim)))
            tensor = tensor.unsqueeze(dim)
            dim += 1
        elif isinstance(one, slice):
            bounds = tuple(v if v is None else int(v) for v in (one.start, one.stop, one.step or 1))
            if one != slice(None):
                calls.append(("aten::slice.Tensor", (tensor, dim) + bounds))
                tensor = tensor[(slice(None),) * dim + (slice(*bounds),)]
            dim += 1
        elif isinstance(one, torch.Tensor):
            picked[dim] = one
            dim += length(one)
        elif isinstance(one, int) and not isinstance(one, bool):
            calls.append(("aten::select.int", (tensor, dim, int(one))))
            tensor = tensor.select(dim, int(one))
        else:
            raise Unknown("index %s" % type(one).__name__)
    indices, at = [], 0
    while picked and at <= max(picked):
        indices.append(picked.get(at))
        at += max(1, length(picked[at])) if at in picked else 1
    if not store:
        return calls + ([("aten::index.Tensor", (tensor, indices))] if picked else [])
    value = store[0]
    if picked:
        value = value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=tensor.dtype)
        return calls + [("aten::index_put_", (tensor, indices, value))]
    if isinstance(value, torch.Tensor):
        return calls + [("aten::copy_", (tensor, value))]
    return calls + [("aten::fill_.Scalar", (tensor, value))]


def _module_kwargs():
    """Keyword arguments of the module call whose hook runs: hooks on all modules are not given them."""
    frame = sys._getframe(2)
    for _ in range(4):
        if frame is None:
            break
        if frame.f_code.co_name in ("_call_impl", "inner", "_slow_forward"):
            kwargs = frame.f_locals.get("kwargs")
            if isinstance(kwargs, dict):
                return kwargs
        frame = frame.f_back
    return {}


def _put_ranges(entry, ranges):
    """A copy of the entry with value_range where one is known."""
    if isinstance(entry, list):
        return [_put_ranges(e, ranges) for e in entry]
    if not isinstance(entry, dict):
        return entry
    copy = {k: _put_ranges(v, ranges) for k, v in entry.items() if k != "__range_slot"}
    slot = entry.get("__range_slot")
    if slot is not None and isinstance(ranges[slot], tuple):
        copy["value_range"] = list(ranges[slot])
    elif slot is not None and ranges[slot] is not None:
        copy["value"] = ranges[slot]
    return copy


class _Call:
    """A distinct call of one operator."""

    __slots__ = ("build", "entry", "ranges", "count", "outermost", "innermost", "phase")

    def __init__(self, build, entry, ranges, phase):
        self.build, self.entry, self.ranges, self.phase = build, entry, ranges, phase
        self.count = self.outermost = self.innermost = 0


class _FunctionMode(TorchFunctionMode):
    def __init__(self, capture):
        super().__init__()
        self.capture = capture

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        return self.capture._function(self, func, args, kwargs)


class _BackwardMode(TorchDispatchMode):
    def __init__(self, capture):
        super().__init__()
        self.capture = capture

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.capture.busy:
            return func(*args, **kwargs)
        began = time.perf_counter_ns()
        call = None
        name = str(func).replace(".", "::", 1)
        name = name[: -len(".default")] if name.endswith(".default") else name
        if self.capture._wants(name) and not name.startswith("profiler::"):
            self.capture.busy = True
            plain = _number_tensors(func, args)
            call = self.capture._note(name, None, plain, kwargs, "backward")
        self.capture._spent(began)
        result = func(*args, **kwargs)
        if call is not None:
            call.count += 1
            call.outermost += 1
            call.innermost += 1
        return result


class Capture:
    """Collects calls between start() and stop(); also a context manager."""

    TELL_EVERY_S = 10  # whole lines, as the program may print too

    def __init__(self, path, include=None, exclude=None, level="all", backward=False, ranges=True, values=0,
                 quiet=False):
        """path: the config that is written. include, exclude: parts of names; a call is kept if its name contains
        one of include (if given) and none of exclude. level: "all", "outermost" or "innermost" calls. backward:
        also the operators of the backward pass. ranges: look at integer tensors for their lowest and highest
        value. values: keep the values of integer and bool tensors of up to so many elements, those of the first of
        equal calls."""
        if level not in ("all", "outermost", "innermost"):
            raise ValueError("level must be all, outermost or innermost")
        self.path = os.path.abspath(path)
        self.include = list(include or [])
        self.exclude = list(exclude or [])
        self.level, self.backward, self.ranges, self.values, self.quiet = level, backward, ranges, values, quiet
        self.calls = collections.OrderedDict()
        self.unknown = collections.Counter()
        self.stack = []
        self.thread = None
        self.seen = 0
        self.cost_ns = 0
        self.dirty = self.busy = False
        self.saved_at = self.told_at = time.monotonic()
        self.mode = None
        self.hooks, self.replaced = [], {}
        self.compile = None
        self.imports = 0  # under way when the capture began
        self.modules = None  # how many there were when none was being imported
        self.names = {}
        self.inner = {}

    # ---- beginning and ending

    def start(self):
        if self.thread is not None:
            raise RuntimeError("this capture is already running")
        self.thread = threading.get_ident()
        self.imports = _imports()[0]
        self._watch()
        self._watch_compile()
        atexit.register(self.stop)
        return self

    def _watch(self):
        register = torch.nn.modules.module
        self.hooks = [
            register.register_module_forward_pre_hook(self._module_begins),
            register.register_module_forward_hook(self._module_ends),
        ]
        self._watch_indexing()
        self.mode = _FunctionMode(self)
        self.mode.__enter__()

    def _look_away(self):
        mode, self.mode = self.mode, None
        mode.__exit__(None, None, None)
        for hook in self.hooks:
            hook.remove()
        for name, before in self.replaced.items():
            if before is None:
                delattr(torch.Tensor, name)
            else:
                setattr(torch.Tensor, name, before)

    def stop(self):
        """Ends the capture and writes the file; does nothing if it is not running."""
        if self.thread is None:
            return
        if self.mode is not None:
            self._look_away()
        if self.compile is not None:
            torch.compile = self.compile
        self.thread = None
        atexit.unregister(self.stop)
        self.save()
        if not self.quiet:
            print(
                "%s: %d calls, %d distinct, %d left out%s%s: %s"
                % (NAME, self.seen, len(self.calls), sum(self.unknown.values()),
                   " (%s.unknown.json)" % os.path.basename(self.path) if self.unknown else "",
                   ", %.1f us each" % (self.cost_ns / 1e3 / self.seen) if self.seen else "", self.path),
                file=sys.stderr,
            )

    def __enter__(self):
        return self.start()

    def __exit__(self, *exception):
        self.stop()
        return False

    # ---- calls

    def _spent(self, began):
        self.cost_ns += time.perf_counter_ns() - began

    def _tell(self):
        """How far it is, on a terminal. Nobody knows when the program will end."""
        now = time.monotonic()
        if self.quiet or now - self.told_at < self.TELL_EVERY_S or not sys.stderr.isatty():
            return
        self.told_at = now
        print("%s: %d calls so far, %d distinct" % (NAME, self.seen, len(self.calls)), file=sys.stderr)

    def _wants(self, name):
        if self.include and not any(part in name for part in self.include):
            return False
        return not any(part in name for part in self.exclude)

    def _note(self, name, module, args, kwargs, phase):
        """The record of this call; None when it cannot be written as one."""
        self.seen += 1
        if self.seen % 64 == 0:
            self._tell()
        self.busy = True  # looking at tensors calls torch too
        try:
            signature = Signature(self.ranges, self.values, name, args, kwargs)
            with torch.no_grad():
                if name.startswith("aten::index_put") and args[2].numel() > 1:
                    signature.want_values = max(signature.want_values, 4096)  # how many are true decides
                build = _module_settings(module, signature) if module is not None else None
                entry = signature.call(args, kwargs)
        except Unknown as what:
            self.unknown["%s: %s" % (name, what)] += 1
            self.dirty = True
            return None
        finally:
            self.busy = False
        key = (name, phase, json.dumps([build, entry], sort_keys=True))
        call = self.calls.get(key)
        if call is None:
            call = self.calls[key] = _Call(build, entry, signature.ranges, phase)
            self.dirty = True
        else:
            call.ranges = _merge(call.ranges, signature.ranges)
        if self.dirty and time.monotonic() - self.saved_at > SAVE_EVERY_S:
            self.save()
        return call

    def _leave_out(self, name, why):
        self.seen += 1
        self.unknown["%s: %s" % (name, why)] += 1
        self.dirty = True

    def _watch_indexing(self):
        """A mode does not see x[i] and x[i] = v on plain tensors, so these two are replaced until stop()."""
        capture, get, put = self, torch.Tensor.__getitem__, torch.Tensor.__setitem__

        def getitem(tensor, index):
            if (capture._sees() and capture._wants("torch.Tensor.__getitem__")
                    and not capture._importing("torch.Tensor.__getitem__")):
                capture._index("torch.Tensor.__getitem__", (tensor, index))
            return get(tensor, index)

        def setitem(tensor, index, value):
            if (capture._sees() and capture._wants("torch.Tensor.__setitem__")
                    and not capture._importing("torch.Tensor.__setitem__")):
                capture._index("torch.Tensor.__setitem__", (tensor, index, value))
            return put(tensor, index, value)

        self.indexing = {"torch.Tensor.__getitem__": get, "torch.Tensor.__setitem__": put}
        self.replaced = {name: torch.Tensor.__dict__.get(name) for name in ("__getitem__", "__setitem__")}
        torch.Tensor.__getitem__, torch.Tensor.__setitem__ = getitem, setitem

    def _watch_compile(self):
        """What torch.compile makes from now on is not watched: otherwise it would be compiled again, with the watching in it."""
        self.compile = getattr(torch, "compile", None)
        if self.compile is None:
            return
        capture, plain = self, self.compile

        @functools.wraps(plain)
        def compile(model=None, **options):
            if model is None:  # a decorator
                return lambda function: compile(function, **options)
            return capture._unseen(plain(model, **options), model)

        torch.compile = compile

    def _unseen(self, made, model):
        """Compiled code, so that it looks away while it runs; a module stays the module that it is."""
        name = "torch.compile(%s)" % getattr(model, "__qualname__", type(model).__qualname__)
        if isinstance(made, torch.nn.Module):
            object.__setattr__(made, "forward", self._unseen_call(name, made.forward))
            return made
        return self._unseen_call(name, made)

    def _unseen_call(self, name, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if not self._sees():
                return function(*args, **kwargs)
            self._leave_out(name, COMPILED)
            self._look_away()
            try:
                return function(*args, **kwargs)
            finally:
                if self.thread is not None:
                    self._watch()

        return call

    def _sees(self):
        return self.mode is not None and not self.busy and threading.get_ident() == self.thread

    def _importing(self, name):
        """Calls that a module makes while it is imported are no part of what the program computes. Those of PyTorch's own
        modules, which come with the first compiled function or optimizer, are not spoken of."""
        known = len(sys.modules)  # a module is among them before its body runs
        if known == self.modules:
            return False
        count, module = _imports()
        if count <= self.imports:
            self.modules = known
            return False
        if name and module.split(".")[0] != "torch":
            self._leave_out(name, "made while a module was being imported")
        return True

    def _index(self, name, args):
        """x[i] or x[i] = v: one call each of the operators that it is."""
        began = time.perf_counter_ns()
        self.busy = True
        try:
            with torch.no_grad():
                calls = _index_calls(args[0], args[1], args[2:])
        except (Unknown, IndexError, TypeError, ValueError) as what:
            calls = []
            self._leave_out(name, what)
        finally:
            self.busy = False
        for inner, values in calls:
            call = self._note(inner, None, values, {}, "forward")
            self._push(call)
            self._pop(True)
        self._spent(began)

    def _push(self, call):
        if self.stack:
            self.stack[-1][1] = True
        self.stack.append([call, False])

    def _pop(self, completed):
        call, has_inner = self.stack.pop()
        if call is None or not completed:
            return
        call.count += 1
        call.outermost += all(outer[0] is None for outer in self.stack)
        call.innermost += not has_inner

    def _name(self, func):
        name = self.names.get(func)
        if name is None:
            try:
                name = resolve_name(func) or ""
            except Exception:
                name = ""
            if not name:
                module = getattr(func, "__module__", None) or ""
                name = "%s.%s" % (module, getattr(func, "__name__", "")) if module.startswith("torch") else ""
            if name.rsplit(".", 1)[-1] in QUIET or name.startswith(("profiler.", "torch.nn.init.")):
                name = ""
            if name.startswith("torch._C._nn."):
                name = "aten::" + name[len("torch._C._nn."):]
            try:
                self.names[func] = name
            except TypeError:
                pass
        return name

    def _function(self, mode, func, args, kwargs):
        if self.busy or threading.get_ident() != self.thread:
            return func(*args, **kwargs)
        if self.backward and getattr(func, "__name__", "") == "backward":
            with _BackwardMode(self):
                return func(*args, **kwargs)
        began = time.perf_counter_ns()
        name = self._name(func)
        inner = self._inner(func)
        if not name or not self._wants(name):
            self._spent(began)
            return self._go_on(mode, func, inner, args, kwargs)
        if self._importing(name):
            self._spent(began)
            return func(*args, **kwargs)
        if not _has_tensor(args) and not _has_tensor(kwargs.values()):
            return self._maker(mode, func, name, inner, args, kwargs, began)
        if name in ("torch.Tensor.__getitem__", "torch.Tensor.__setitem__"):
            self._spent(began)  # seen by _watch_indexing already, which func may be again
            return self.indexing[name](*args, **kwargs)
        if name in MAKES_DATA or name in NO_OPERATOR:
            self._leave_out(name, "it makes data" if name in MAKES_DATA else "opbench has no such operator")
            self._spent(began)
            return self._go_on(mode, func, inner, args, kwargs)
        self.busy = True
        plain = _plain_call(name, func, args, kwargs)
        self.busy = False
        if plain is None:
            self._spent(began)
            return func(*args, **kwargs)
        call = self._note(plain[0], None, plain[1], plain[2], "forward")
        self._push(call)
        self._spent(began)
        completed = False
        try:
            result = self._go_on(mode, func, inner, args, kwargs)
            completed = result is not NotImplemented
            return result
        finally:
            self._pop(completed)

    def _maker(self, mode, func, name, inner, args, kwargs, began):
        """A call without a tensor among its arguments: it makes one, or it computes nothing (it switches a mode, asks
        for a setting), which only its result tells."""
        why = "it makes data" if name in MAKES_DATA else "opbench has no such operator" if name in NO_OPERATOR else None
        self.stack.append([False, False])
        self._spent(began)
        result = None
        try:
            result = self._go_on(mode, func, inner, args, kwargs)
            return result
        finally:
            began = time.perf_counter_ns()
            call = None
            if _has_tensor((result,)) and why is not None:
                self._leave_out(name, why)
            elif _has_tensor((result,)):
                call = self._note(name, None, args, kwargs, "forward")
            self.stack[-1][0] = call
            if call is not None and len(self.stack) > 1:
                self.stack[-2][1] = True
            self._pop(call is not None)
            self._spent(began)

    def _inner(self, func):
        if func not in self.inner:
            self.inner[func] = _open_copy(func)
        return self.inner[func]

    @staticmethod
    def _go_on(mode, func, inner, args, kwargs):
        if inner is None:
            return func(*args, **kwargs)
        with mode:
            return inner(*args, **kwargs)

    def _module_begins(self, module, args):
        if self.mode is None or threading.get_ident() != self.thread or self._importing(""):
            return
        began = time.perf_counter_ns()
        cls = type(module)
        name = "torch.nn." + cls.__name__
        own = cls.__module__.startswith("torch.nn.modules") and getattr(torch.nn, cls.__name__, None) is cls
        container = isinstance(module, (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict))
        call = None
        if own and name in NO_OPERATOR:
            self._leave_out(name, "opbench has no such module; its inner calls are recorded instead")
        elif own and not container and self._wants(name):
            call = self._note(name, module, args, _module_kwargs(), "forward")
        if call is not None or own:
            if self.stack:
                self.stack[-1][1] = self.stack[-1][1] or call is not None
        self.stack.append([call, False])
        self._spent(began)

    def _module_ends(self, module, args, result):
        if self.mode is not None and threading.get_ident() == self.thread and self.stack and not self._importing(""):
            self._pop(True)

    # ---- the file

    def config(self):
        """The config as a dictionary."""
        operators = collections.OrderedDict()
        for (name, phase, _), call in self.calls.items():
            count = call.count if self.level == "all" else getattr(call, self.level)
            if count == 0:
                continue
            entry = _put_ranges(call.entry, call.ranges)
            entry["count"] = count
            if self.level == "all":
                entry["outermost"], entry["innermost"] = call.outermost, call.innermost
            if phase == "backward":
                entry["phase"] = phase
            operator = operators.setdefault(
                name, {"build_data_generator": GENERATOR, "input_data_generator": GENERATOR, "config": []})
            for spec in operator["config"]:
                if spec.get("build") == ([call.build] if call.build is not None else None):
                    spec["input"].append(entry)
                    break
            else:
                spec = {"input": [entry]}
                if call.build is not None:
                    spec["build"] = [call.build]
                operator["config"].append(spec)
        return operators

    def save(self):
        """Writes what was collected: the whole file or nothing."""
        self.saved_at = time.monotonic()
        self.dirty = False
        _write(self.path, self.config())
        beside = self.path + ".unknown.json"
        if self.unknown:
            _write(beside, dict(self.unknown))
        elif os.path.exists(beside):
            os.unlink(beside)


def _write(path, value):
    handle, name = tempfile.mkstemp(dir=os.path.dirname(path), prefix=os.path.basename(path))
    try:
        with os.fdopen(handle, "w") as file:
            json.dump(value, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


_current = None


def start(path="opbench_ops.json", **options):
    """Starts a capture; see Capture for the options. It ends with stop(), or with the program."""
    global _current
    if _current is not None:
        _current.stop()
    _current = Capture(path, **options).start()
    return _current


def stop():
    """Ends the capture that start() started."""
    global _current
    if _current is not None:
        _current.stop()
    _current = None


def main(argv=None):
    parser = argparse.ArgumentParser(
        prog="python -m " + NAME, description="Runs a Python program and records its operators.")
    parser.add_argument("-o", "--output", default="opbench_ops.json", help="the config to write")
    parser.add_argument("--include", action="append", default=[], help="only names containing this text; may be repeated")
    parser.add_argument("--exclude", action="append", default=[], help="leave out names containing this text; may be repeated")
    parser.add_argument("--level", choices=["all", "outermost", "innermost"], default="all",
                        help="which of several nested calls to count")
    parser.add_argument("--backward", action="store_true", help="also record the operators of backward passes")
    parser.add_argument("--no-ranges", action="store_true", help="do not look at integer tensors")
    parser.add_argument("--values", type=int, default=0, metavar="N",
                        help="keep the values of integer and bool tensors of up to N elements")
    parser.add_argument("script", help="the program")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(argv)
    if not os.path.isfile(options.script):
        parser.error("there is no program %s" % options.script)
    folder = os.path.dirname(os.path.abspath(options.output))
    if not os.access(folder, os.W_OK):
        parser.error("%s cannot be written: %s; choose another place with -o" % (
            options.output, "the folder is read-only" if os.path.isdir(folder) else "there is no folder " + folder))
    sys.argv = [options.script] + options.args
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    start(options.output, include=options.include, exclude=options.exclude, level=options.level,
          backward=options.backward, ranges=not options.no_ranges, values=options.values)
    try:
        runpy.run_path(options.script, run_name="__main__")
    finally:
        stop()


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message=".*found in sys.modules.*")
    # As a module it would be imported twice: the program that runs sees this one.
    sys.modules[NAME] = sys.modules["__main__"]
    main()
