# SPDX-License-Identifier: Apache-2.0
"""JAX for opbench's python backend: operator by operator, or each case through jax.jit; jax.vjp for gradients; cpu, gpu and tpu
by the same code."""

import importlib
import time

from opbench_numpy import Arrays
from opbench_operators import Refused


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
