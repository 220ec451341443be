# SPDX-License-Identifier: Apache-2.0
"""PyTorch for opbench's python backend: eager, compiled, autograd, CUDA."""

import importlib
import time
import types

from opbench_frameworks import Framework, written_edges
from opbench_operators import Refused


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
        if self.device.startswith("cuda") and not self.torch.cuda.is_available():
            raise Refused("torch sees no CUDA device here")

    def supports(self, calls, backward):
        # Of each case, and not of opening, which would end the run for the other backends too.
        if self.compile and not hasattr(self.torch, "compile"):
            return "torch %s has no torch.compile; install 2.0 or later, or measure python:eager" % self.version()
        return super().supports(calls, backward)

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
        # Detached: what is known as a view of another tensor cannot forget its history, see forget().
        made = flat.as_strided(sizes, strides).detach() if flat.numel() or 0 not in sizes else flat.new_empty(sizes)
        return made if self.device == "cpu" else made.to(self.device)

    def clone(self, value):
        return value.detach().clone()

    def forget(self, live):
        """What a call wrote to, with other inputs that have gradients, is a result of that call from then on."""
        if live.grad_fn is not None:
            live.detach_()

    def copy_into(self, live, copy):
        self.forget(live)
        with self.torch.no_grad():
            if live.shape != copy.shape:
                live.resize_(copy.shape)
            live.copy_(copy)

    def operator(self, call):
        """What Python programs call: the functions that PyTorch makes from its schemas; otherwise the operator itself."""
        space, _, short = call.name.partition("::")
        if short in self.REFUSED:
            raise Refused("%s has effects outside the process" % call.name)
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
        for live, _ in case.saved:
            self.forget(live)

    def gradients(self, case):
        return [leaf.grad for leaf in case.leaves]

    def export_tensor(self, value):
        host = value.detach().to("cpu").contiguous()
        if host.is_conj():
            host = host.resolve_conj()
        return (str(host.dtype).replace("torch.", ""), tuple(host.shape), host.data_ptr(), host, bool(value.requires_grad and value.is_leaf))
