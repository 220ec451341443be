# SPDX-License-Identifier: Apache-2.0
"""The frameworks of opbench's python backend: how each makes a tensor from memory, names things, calls an operator,
synchronises and differentiates. It runs in the user's interpreter and needs nothing but the framework that is asked for.

The C side (python_case.c) loops over Case.function with Case.arguments; everything else here is called outside of samples,
but for Case.backward, which is one call of the framework's own."""

import gc
import importlib
import os
import sys
import time
import types

from opbench_operators import (BUILD, MORE, OPERATORS, PATHS, SKIPPED, OperatorInterface, Refused, explain, load_workloads,
                               module_functions, register_operator, register_operators, schema_of, workload_schema)

__all__ = ["OperatorInterface", "register_operator", "register_operators", "explain", "open_framework"]


class Call:
    """One call of a graph: "aten::add", "Tensor", ((name, keyword only, operand, has default, default, written to), ...), and the
    edges that it gives."""

    def __init__(self, name, overload, arguments, outputs):
        self.name, self.overload, self.arguments, self.outputs = name, overload, arguments, outputs

    def short(self):
        return self.name + ("." + self.overload if self.overload else "")

    def given(self):
        """Arguments as people write them: what is required by its place, then (name, operand) of what has a default and
        differs from it."""
        positional, named = [], []
        usual = [has_default and operand[0] == "value" and same(operand[1], default)
                 for _, _, operand, has_default, default, _ in self.arguments]
        # What *args takes has no name, so that all before it go by their places too.
        last = max((n for n, one in enumerate(self.arguments) if one[0].startswith(MORE) and not usual[n]), default=-1)
        for n, (name, keyword, operand, has_default, _, _) in enumerate(self.arguments):
            if not keyword and (n <= last or not has_default and not named):
                positional.append(operand)
            # PyTorch's own functions always say the reduction; its bindings take another default than the schema.
            elif name == "reduction" or not usual[n]:
                named.append((name, operand))
        return positional, named


def same(a, b):
    return type(a) is type(b) and not hasattr(a, "shape") and a == b


def edges_of(operand):
    if operand[0] == "list":
        return [edge for item in operand[1] for edge in edges_of(item)]
    return [operand[1]] if operand[0] in ("edge", "item") else []


def written_edges(calls):
    return {edge for call in calls for _, _, operand, _, _, writes in call.arguments if writes for edge in edges_of(operand)}


# ------------------------------------------------------------------ cases


class Case:
    """A graph that is ready to run; `function` is called with `arguments`, of which the last are by `names`."""

    def __init__(self, framework, calls, values, given, grads, outputs, wants_backward):
        self.framework, self.calls, self.values, self.given, self.output_edges = framework, calls, values, given, outputs
        self.leaves = [values[edge] for edge in grads]
        self.wants_backward = wants_backward
        self.seeds = []
        self.compile_seconds = None
        self.has_backward = wants_backward
        self.guard = None
        written = written_edges(calls)
        self.saved = [(values[edge], framework.clone(values[edge])) for edge in given if edge in written]
        self.make_function()

    def make_function(self):
        """One call with plain arguments is called as it is; anything else becomes one function of the inputs."""
        call = self.calls[0] if len(self.calls) == 1 else None
        if call is not None and not self.framework.traces:
            function = self.framework.function(call)
            positional, named = call.given()
            ready = [self.ready(operand) for operand in positional + [operand for _, operand in named]]
            self.function, self.arguments = function, tuple(ready)
            self.names = tuple(name for name, _ in named) or None
            self.edges = None
            return
        self.function, self.arguments = self.framework.whole(self.compose()), tuple(self.values[edge] for edge in self.given)
        self.names = None

    def ready(self, operand):
        kind = operand[0]
        if kind == "value":
            return operand[1]
        if kind == "edge":
            return self.values[operand[1]]
        if kind == "item":
            return self.values[operand[1]][operand[2]]
        return [self.ready(item) for item in operand[1]]

    def compose(self):
        """The graph as a function of its inputs. Names are ours, so that no text of a config becomes code."""
        space, lines = {}, []
        for n, call in enumerate(self.calls):
            space["f%d" % n] = self.framework.function(call)
            positional, named = call.given()
            words = [self.word(operand, space) for operand in positional]
            words += ["%s=%s" % (name, self.word(operand, space)) for name, operand in named if name.isidentifier()]
            targets = ", ".join("e%d" % edge for edge in call.outputs)
            lines.append("    %sf%d(%s)" % (targets + " = " if targets else "", n, ", ".join(words)))
        results = ", ".join("e%d" % edge for edge in self.output_edges)
        lines.append("    return (%s,)" % results if results else "    return ()")
        head = "def graph(%s):" % ", ".join("e%d" % edge for edge in self.given)
        exec("\n".join([head] + lines), space)  # nothing in it comes from a config but numbers of edges
        return space["graph"]

    def word(self, operand, space):
        kind = operand[0]
        if kind == "edge":
            return "e%d" % operand[1]
        if kind == "item":
            return "e%d[%d]" % (operand[1], operand[2])
        if kind == "list":
            return "[%s]" % ", ".join(self.word(item, space) for item in operand[1])
        name = "c%d" % len(space)
        space[name] = operand[1]
        return name

    def results(self, result):
        """The graph's outputs from what the function gave."""
        if len(self.calls) != 1 or self.framework.traces:
            return list(result)
        edges = self.calls[0].outputs
        given = dict(zip(edges, [result] if len(edges) == 1 else result or ()))
        for edge in self.given:
            given.setdefault(edge, self.values[edge])
        return [given[edge] for edge in self.output_edges]

    def first_call(self):
        named = len(self.names or ())
        by_place = self.arguments[:len(self.arguments) - named]
        return self.function(*by_place, **dict(zip(self.names or (), self.arguments[len(by_place):])))

    def finds_backward(self, result):
        return bool(self.framework.differentiable(self, result))

    def make_grad(self, result):
        self.seeds = self.framework.make_seeds(self, result)

    def backward(self, result, last):
        self.framework.backward(self, result, last)

    def zero_grad(self, result):
        self.framework.zero_grad(self)

    def restore(self, result):
        for live, copy in self.saved:
            self.framework.copy_into(live, copy)

    def outputs(self, result, backward):
        values = self.framework.gradients(self) if backward else self.results(result)
        return [self.framework.export(value) for value in values]

    def properties(self):
        return ["compile", "%.3f s" % self.compile_seconds] if self.compile_seconds is not None else []

    def close(self):
        if self.guard is not None:
            self.guard.__exit__(None, None, None)
        gc.enable()


class WorkloadCase(Case):
    """A registered operator, which builds itself and has a backward of its own."""

    def make_function(self):
        self.operator, self.grads = OPERATORS[self.calls[0].name[len(PATHS):]], []
        positional, named = self.calls[0].given()
        build = [(name[len(BUILD):], self.ready(operand)) for name, operand in named if name.startswith(BUILD)]
        by_place = {int(name): value for name, value in build if name.isdigit()}
        self.operator.cleanup()
        self.operator.set_device(self.framework.device)
        self.operator.build(*[by_place.get(n) for n in range(max(by_place, default=-1) + 1)],
                            **{name: value for name, value in build if not name.isdigit()})
        named = [(name, operand) for name, operand in named if not name.startswith(BUILD)]
        self.function = self.framework.whole(self.operator.forward)
        self.arguments = tuple(self.ready(operand) for operand in positional + [operand for _, operand in named])
        self.names = tuple(name for name, _ in named) or None

    def results(self, result):
        return [result]

    def finds_backward(self, result):
        return True

    def make_grad(self, result):
        self.operator.create_grad()

    def backward(self, result, last):
        self.operator.backward()

    def close(self):
        super().close()
        self.operator.cleanup()


# ------------------------------------------------------------------ frameworks


class Framework:
    """What is the same for all. A row of FRAMEWORKS is a class that says the rest."""

    traces = False  # graphs are whole functions, which the framework looks into
    differentiates = False

    def __init__(self, device, threads, compile, jit, seed):
        self.device, self.compile, self.jit = device, compile, jit
        self.own = {}  # functions of the user's modules
        self.set_threads(threads)

    def schemas(self):
        texts = [schema_of(name, function) for name, function in sorted(self.own.items())]
        texts += [workload_schema(name, operator) for name, operator in sorted(OPERATORS.items())]
        texts += ["%s%s() -> ()" % (PATHS, name) for name in sorted(SKIPPED)]
        return [text for text in texts if text is not None]

    def refuses(self, name):
        """The same text each time: C keeps it."""
        return SKIPPED.get(name[len(PATHS):]) if name.startswith(PATHS) else None

    def is_workload(self, calls):
        return len(calls) == 1 and calls[0].name.startswith(PATHS) and calls[0].name[len(PATHS):] in OPERATORS

    def function(self, call):
        if not call.name.startswith(PATHS):
            return self.operator(call)
        name = call.name[len(PATHS):]
        if name in OPERATORS:
            return OPERATORS[name].forward
        if name not in self.own:
            raise Refused("no module of --python-module has %s" % name)
        return self.own[name]

    def supports(self, calls, backward):
        if backward and not self.differentiates and not self.is_workload(calls):
            return "%s has no gradients" % self.name
        try:
            for call in calls:
                self.function(call)
        except Refused as reason:
            return str(reason)
        return None

    def new_case(self, calls, *more):
        return (WorkloadCase if self.is_workload(calls) else Case)(self, calls, *more)

    def prepare(self, calls, values, given, grads, outputs, wants_backward, inference):
        gc.collect(1)  # not what is old: frameworks import half of themselves later on, and looking through that takes long
        case = self.make_case(calls, values, given, grads, outputs, wants_backward, inference)
        gc.disable()
        return case

    def make_case(self, calls, values, given, grads, outputs, wants_backward, inference):
        return self.new_case(calls, values, given, grads, outputs, wants_backward)

    def describe(self):
        return ["python", sys.version.split()[0], "implementation", sys.implementation.name, "executable", sys.executable,
                "framework", "%s %s" % (self.name, self.version())] + (
                    ["workloads skipped", "; ".join("%s: %s" % one for one in sorted(SKIPPED.items()))] if SKIPPED else [])

    def export(self, value):
        if value is None:
            return ("@none",)
        if isinstance(value, bool):
            return ("@bool", value)
        if isinstance(value, int):
            return ("@int", value)
        if isinstance(value, float):
            return ("@float", value)
        if isinstance(value, (list, tuple)):
            return ("@list", [self.export(item) for item in value])
        return self.export_tensor(value)

    def special(self, kind, what):
        raise Refused("%s has no %s" % (self.name, kind.replace("_", " ")))

    def whole(self, function):
        return function

    def set_threads(self, threads):
        pass

    def sync(self, last):
        pass

    def memory_peak(self, reset):
        return None

    def zero_grad(self, case):
        pass

    def gradients(self, case):
        return []


class Torch(Framework):
    name = "torch"
    differentiates = True
    # Effects outside of the process: data never runs them.
    REFUSED = {"from_file", "save", "load", "_print", "print", "warn", "system", "save_to_file"}

    def __init__(self, *settings):
        self.torch = importlib.import_module("torch")
        super().__init__(*settings)
        self.torch.manual_seed(settings[-1])
        self.traces = bool(self.compile)
        if self.compile and not hasattr(self.torch, "compile"):
            raise Refused("torch %s has no torch.compile; take 2.0 or later" % self.version())
        if self.device.startswith("cuda") and not self.torch.cuda.is_available():
            raise Refused("torch sees no CUDA device here")

    def version(self):
        return self.torch.__version__

    def describe(self):
        flags = [] if not self.compile else ["compile", self.compile]
        return super().describe() + ["threads", str(self.torch.get_num_threads())] + flags

    def set_threads(self, threads):
        self.torch.set_num_threads(max(threads, 1))

    def sync(self, last):
        if self.device.startswith("cuda"):
            self.torch.cuda.synchronize(self.device)

    def memory_peak(self, reset):
        if not self.device.startswith("cuda"):
            return None
        if reset:
            self.torch.cuda.reset_peak_memory_stats(self.device)
        return self.torch.cuda.max_memory_allocated(self.device)

    def special(self, kind, what):
        if kind == "dtype":
            return getattr(self.torch, what)
        if kind == "device":
            return self.torch.device(what)
        if kind == "layout":
            return {0: self.torch.strided, 1: self.torch.sparse_coo, 2: self.torch.sparse_csr}[what]
        if kind == "memory_format":
            return [self.torch.contiguous_format, self.torch.preserve_format, self.torch.channels_last,
                    self.torch.channels_last_3d][what]
        generator = self.torch.Generator(device=self.device)
        generator.manual_seed(what)
        return generator

    def tensor(self, memory, dtype, sizes, strides, requires_grad):
        kind = getattr(self.torch, dtype)
        if len(memory) == 0:
            flat = self.torch.empty(0, dtype=kind)
        else:
            flat = self.torch.frombuffer(memory, dtype=kind)
        made = flat.as_strided(sizes, strides) if flat.numel() or 0 not in sizes else flat.new_empty(sizes)
        return made if self.device == "cpu" else made.to(self.device)

    def clone(self, value):
        return value.detach().clone()

    def copy_into(self, live, copy):
        with self.torch.no_grad():
            if live.shape != copy.shape:
                live.resize_(copy.shape)
            live.copy_(copy)

    def operator(self, call):
        """What Python programs call: the functions that PyTorch makes from its schemas; otherwise the operator itself."""
        space, _, short = call.name.partition("::")
        if short in self.REFUSED:
            raise Refused("%s has effects outside of the process" % call.name)
        if space == "aten":
            places = [self.torch.Tensor] if short.endswith("_") and not short.endswith("__") else \
                [self.torch, getattr(self.torch._C, "_nn", None), getattr(self.torch._C, "_linalg", None)]
            wanted = short[len("linalg_"):] if short.startswith("linalg_") else short
            for place in places:
                found = getattr(place, wanted if place is not self.torch else short, None)
                if isinstance(found, (types.BuiltinFunctionType, types.MethodDescriptorType)):
                    return found
        found = None
        try:
            found = getattr(getattr(getattr(self.torch.ops, space), short), call.overload or "default")
        except (AttributeError, RuntimeError):
            pass
        if not isinstance(found, self.torch._ops.OpOverload):  # torch.ops has more than operators, such as load_library
            raise Refused("torch %s has no %s" % (self.version(), call.short()))
        return found

    def whole(self, function):
        if not self.compile:
            return function
        return self.torch.compile(function, mode=None if self.compile == "default" else self.compile, dynamic=False)

    def make_case(self, calls, values, given, grads, outputs, wants_backward, inference):
        # What is written to, and everything beside an out=, cannot be a leaf.
        fills = any(name == "out" and writes for call in calls for name, _, _, _, _, writes in call.arguments)
        written = written_edges(calls)
        grads = [edge for edge in grads if not (inference and not wants_backward) and not fills and edge not in written
                 and (values[edge].is_floating_point() or values[edge].is_complex())]
        for edge in grads:
            values[edge].requires_grad_()
        case = self.new_case(calls, values, given, grads, outputs, wants_backward)
        if inference and not wants_backward:
            case.guard = self.torch.inference_mode()
            case.guard.__enter__()
        if wants_backward or self.compile:
            start = time.perf_counter()
            result = case.first_call()
            if wants_backward:
                case.has_backward = case.finds_backward(result)
            if wants_backward and case.has_backward:
                case.make_grad(result)
                case.backward(result, True)
                case.zero_grad(result)
            if self.compile:
                self.sync(result)
                case.compile_seconds = time.perf_counter() - start
            case.restore(None)
        return case

    def differentiable(self, case, result):
        flat = []
        for value in case.results(result):
            flat += value if isinstance(value, (list, tuple)) else [value]
        return [value for value in flat if isinstance(value, self.torch.Tensor) and value.requires_grad and value.grad_fn]

    def make_seeds(self, case, result):
        return [self.torch.ones_like(value) for value in self.differentiable(case, result)]

    def backward(self, case, result, last):
        self.torch.autograd.backward(self.differentiable(case, result), case.seeds, retain_graph=not last)

    def zero_grad(self, case):
        for leaf in case.leaves:
            leaf.grad = None

    def gradients(self, case):
        return [leaf.grad for leaf in case.leaves]

    def export_tensor(self, value):
        host = value.detach().to("cpu").contiguous()
        if host.is_conj():
            host = host.resolve_conj()
        return (str(host.dtype).replace("torch.", ""), tuple(host.shape), host.data_ptr(), host)


# What NumPy and JAX call an operator, and the arguments of the schema that it takes, in its order; others must have their
# default. "dim" is named axis there, "keepdim" keepdims.
ARRAY_FUNCTIONS = {}
for _line in """
add add self other
sub subtract self other
mul multiply self other
div true_divide self other
softmax nn.softmax self dim
log_softmax nn.log_softmax self dim
relu nn.relu self
silu nn.silu self
sigmoid nn.sigmoid self
maximum maximum self other
minimum minimum self other
pow power self exponent
remainder remainder self other
fmod fmod self other
floor_divide floor_divide self other
atan2 arctan2 self other
eq equal self other
ne not_equal self other
lt less self other
le less_equal self other
gt greater self other
ge greater_equal self other
logical_and logical_and self other
logical_or logical_or self other
logical_xor logical_xor self other
bitwise_and bitwise_and self other
bitwise_or bitwise_or self other
bitwise_xor bitwise_xor self other
abs abs self
neg negative self
exp exp self
exp2 exp2 self
expm1 expm1 self
log log self
log2 log2 self
log10 log10 self
log1p log1p self
sqrt sqrt self
reciprocal reciprocal self
sin sin self
cos cos self
tan tan self
asin arcsin self
acos arccos self
atan arctan self
sinh sinh self
cosh cosh self
tanh tanh self
floor floor self
ceil ceil self
trunc trunc self
sign sign self
isnan isnan self
isinf isinf self
logical_not logical_not self
where where condition self other
mm matmul self mat2
bmm matmul self mat2
mv matmul self vec
matmul matmul self other
dot dot self tensor
outer outer self vec2
sum sum self dim keepdim
mean mean self dim keepdim
prod prod self dim keepdim
amax amax self dim keepdim
amin amin self dim keepdim
all all self dim keepdim
any any self dim keepdim
argmax argmax self dim keepdim
argmin argmin self dim keepdim
cumsum cumsum self dim
cat concatenate tensors dim
stack stack tensors dim
reshape reshape self shape
flip flip self dims
clamp clip self min max
tril tril self diagonal
triu triu self diagonal
""".split("\n"):
    if _line:
        _words = _line.split()
        ARRAY_FUNCTIONS["aten::" + _words[0]] = (_words[1], _words[2:])


class Arrays(Framework):
    """NumPy, and what has its functions under the same names."""

    NAMES = {"dim": "axis", "dims": "axis", "keepdim": "keepdims", "diagonal": "k"}

    def special(self, kind, what):
        if kind == "dtype":
            return self.dtype(what)
        if kind == "device":
            return what
        return super().special(kind, what)

    def dtype(self, name):
        if name == "bfloat16":
            try:
                return importlib.import_module("ml_dtypes").bfloat16
            except ImportError:
                raise Refused("%s has no bfloat16 without the package ml_dtypes" % self.name) from None
        return self.numpy.dtype(name)

    def strided(self, memory, dtype, sizes, strides):
        kind = self.numpy.dtype(self.dtype(dtype))
        if len(memory) == 0:
            return self.numpy.empty(sizes, kind)
        flat = self.numpy.frombuffer(memory, dtype=kind)
        return self.numpy.lib.stride_tricks.as_strided(flat, sizes, [stride * kind.itemsize for stride in strides])

    def operator(self, call):
        row = ARRAY_FUNCTIONS.get(call.name)
        found = self.find(row[0]) if row else None
        if found is None:
            raise Refused("%s has no row for %s" % (self.name, call.short()))
        extra = [name for name, _, operand, has_default, default, _ in call.arguments
                 if name not in row[1] and not (has_default and operand[0] == "value" and same(operand[1], default))]
        if extra:
            raise Refused("%s has no %s for %s" % (self.name, ", ".join(extra), call.short()))
        by_name = [self.NAMES[name] for name in row[1] if name in self.NAMES]
        if not by_name:
            return found
        order = [name for name, _, _, _, _, _ in call.arguments]

        def renamed(*values):
            given = dict(zip(order, values))
            return found(*[given[name] for name in row[1] if name in given and name not in self.NAMES],
                         **{self.NAMES[name]: self.axis(given[name]) for name in row[1] if name in given and name in self.NAMES})
        return renamed

    def find(self, name):
        return getattr(self.functions, name, None)

    @staticmethod
    def axis(value):
        return tuple(value) if isinstance(value, list) else value

    def export_tensor(self, value):
        host = self.numpy.ascontiguousarray(value).reshape(self.numpy.shape(value))
        return (str(host.dtype), tuple(host.shape), host.__array_interface__["data"][0] if host.size else 0, host)


class NumPy(Arrays):
    name = "numpy"

    def __init__(self, *settings):
        self.numpy = self.functions = importlib.import_module("numpy")
        super().__init__(*settings)
        if self.device != "cpu":
            raise Refused("numpy has no device but cpu")

    def version(self):
        return self.numpy.__version__

    def tensor(self, memory, dtype, sizes, strides, requires_grad):
        return self.strided(memory, dtype, sizes, strides)

    def clone(self, value):
        return value.copy()

    def copy_into(self, live, copy):
        live[...] = copy


class Jax(Arrays):
    name = "jax"
    differentiates = True
    traces = True

    def __init__(self, *settings):
        self.numpy = importlib.import_module("numpy")
        self.jax = importlib.import_module("jax")
        self.functions = importlib.import_module("jax.numpy")
        self.jax.config.update("jax_enable_x64", True)
        super().__init__(*settings)
        kind, _, index = self.device.partition(":")
        try:
            self.place = self.jax.devices({"cuda": "gpu", "xla": "tpu"}.get(kind, kind))[int(index or 0)]
        except (RuntimeError, IndexError) as error:
            raise Refused("jax has no device %s here: %s" % (self.device, error)) from None
        self.last = None

    def version(self):
        return self.jax.__version__

    def find(self, name):
        return getattr(self.jax.nn, name[3:], None) if name.startswith("nn.") else super().find(name)

    def describe(self):
        return super().describe() + ["device", "%s %s" % (self.place.platform, self.place.device_kind), "jit",
                                     "on" if self.jit else "off"]

    def tensor(self, memory, dtype, sizes, strides, requires_grad):
        return self.jax.device_put(self.strided(memory, dtype, sizes, strides), self.place)

    def clone(self, value):
        return value

    def copy_into(self, live, copy):
        pass  # arrays of jax never change

    def whole(self, function):
        return self.jax.jit(function) if self.jit else function

    def make_case(self, calls, values, given, grads, outputs, wants_backward, inference):
        case = self.new_case(calls, values, given, grads, outputs, wants_backward)
        if wants_backward and not self.is_workload(calls):
            self.differentiate(case, grads)
        start = time.perf_counter()
        result = case.first_call()
        self.jax.block_until_ready(result)
        if wants_backward:
            case.make_grad(result)
            case.backward(result, True)
        if self.jit:
            case.compile_seconds = time.perf_counter() - start
        return case

    def differentiate(self, case, grads):
        """A forward that keeps what its backward needs, as jax.vjp has it."""
        plain, at = case.compose(), [case.given.index(edge) for edge in grads]
        case.has_backward = bool(at)

        def forward(*arguments):
            def of_leaves(*leaves):
                whole = list(arguments)
                for place, leaf in zip(at, leaves):
                    whole[place] = leaf
                return plain(*whole)
            return self.jax.vjp(of_leaves, *[arguments[place] for place in at])

        def pull(back, seeds):
            return back(seeds)
        case.function = self.whole(forward)
        case.pull = self.whole(pull)
        case.results = lambda result: list(result[0])
        case.grads = []

    def make_seeds(self, case, result):
        return self.jax.tree_util.tree_map(self.functions.ones_like, result[0])

    def backward(self, case, result, last):
        case.grads = case.pull(result[1], case.seeds)
        self.last = case.grads

    def zero_grad(self, case):
        case.grads, self.last = [], None

    def gradients(self, case):
        return list(case.grads)

    def sync(self, last):
        self.jax.block_until_ready((last, self.last))

    def export_tensor(self, value):
        return super().export_tensor(self.numpy.asarray(value))


FRAMEWORKS = {kind.name: kind for kind in (Torch, Jax, NumPy)}


def open_framework(name, device, threads, compile, jit, seed, modules):
    if name not in FRAMEWORKS:
        raise Refused("%s is not a framework of the python backend; take %s" % (name, ", ".join(sorted(FRAMEWORKS))))
    if compile and name != "torch":
        raise Refused("compile= is torch's; %s has jit" % name)
    try:
        opened = FRAMEWORKS[name](device, threads, compile, jit, seed)
        for module in filter(None, modules.split(":")):
            opened.own.update(module_functions(module))
        if os.environ.get("OPBENCH_WORKLOADS"):
            load_workloads(os.environ["OPBENCH_WORKLOADS"])
        gc.collect()
        gc.freeze()  # what a framework is made of stays, and need not be looked through before each case
        return opened
    except ImportError as error:
        raise Refused("%s has no %s (%s); install it there, or name another interpreter with --python"
                      % (sys.executable, name, error)) from None
