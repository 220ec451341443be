# SPDX-License-Identifier: Apache-2.0
"""The frameworks of opbench's python backend: how each makes a tensor from memory, names things, calls an operator,
synchronises and differentiates. It runs in the user's interpreter and needs nothing but the framework that is asked for.

The C side (python_case.c) loops over Case.function with Case.arguments; everything else here is called outside of samples,
but for Case.backward, which is one call of the framework's own."""

import gc
import importlib
import os
import sys
import types

import opbench_configs
import opbench_operators
import opbench_param
from opbench_operators import (BUILD, MODULES, MORE, OPERATORS, PATHS, SKIPPED, Refused, explain, load_workloads, module_functions,
                               schema_of, workload_schema)

__all__ = ["explain", "open_framework"]


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
    """What is the same for all. A row of FRAMEWORKS is a module with a class that says the rest."""

    traces = False  # graphs are whole functions, which the framework looks into
    differentiates = False

    def __init__(self, device, threads, compile, jit, seed):
        self.device, self.compile, self.jit = device, compile, jit
        self.own = {}  # functions of the user's modules
        self.set_threads(threads)

    def schemas(self):
        texts = [schema_of(name, function) for name, function in sorted(self.own.items())]
        texts += [workload_schema(name, operator) for name, operator in sorted(OPERATORS.items())]
        texts += ["%s%s() -> ()" % (MODULES, name) for name in sorted(SKIPPED)]
        return [text for text in texts if text is not None]

    def refuses(self, name):
        """The same text each time: C keeps it."""
        return SKIPPED.get(name[len(MODULES):]) if name.startswith(MODULES) else None

    def is_workload(self, calls):
        return len(calls) == 1 and calls[0].name.startswith(PATHS) and calls[0].name[len(PATHS):] in OPERATORS

    def function(self, call):
        if not call.name.startswith(PATHS):
            return self.operator(call)
        name = call.name[len(PATHS):]
        if name in OPERATORS:
            return OPERATORS[name].forward
        if name not in self.own:
            raise Refused("no module named by --python-module has %s" % name)
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
        if hasattr(value, "dtype"):  # also numpy.float64, which is a float
            return self.export_tensor(value)
        if isinstance(value, bool):
            return ("@bool", value)
        if isinstance(value, int):
            return ("@int", value)
        if isinstance(value, float):
            return ("@float", value)
        if isinstance(value, str):
            return ("@str", value)
        if isinstance(value, (list, tuple)):
            return ("@list", [self.export(item) for item in value])
        return self.export_tensor(value)

    def special(self, kind, what):
        raise Refused("%s has no %s" % (self.name, kind.replace("_", " ")))

    def whole(self, function):
        return function

    def expand(self, config):
        return opbench_configs.expand(config, self.device)

    def generate(self, entry, seed):
        """(values, names, values by name), as they are exported."""
        values, names, named = opbench_configs.generate(entry, self.device, seed)
        return [self.export(value) for value in values], names, [self.export(value) for value in named]

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


# ------------------------------------------------------------------ opening

# What workloads import, as PARAM's do from its library: `from opbench import OperatorInterface, register_operator`.
FOR_WORKLOADS = {opbench_operators: ("OperatorInterface", "register_operator", "register_operators"),
                 opbench_configs: ("ConfigIterator", "DataGenerator", "register_config_iterator", "register_data_generator",
                                   "IterableList", "ListProduct", "TableProduct", "full_range", "genericList_to_list", "remove_meta_attr",
                                   "get_logger")}


def make_package():
    """In this process `opbench` is what workloads need; the package of that name would start programs."""
    package = types.ModuleType("opbench", "What workloads of opbench's python backend are made with.")
    for module, names in FOR_WORKLOADS.items():
        for name in names:
            setattr(package, name, getattr(module, name))
    package.__all__ = [name for names in FOR_WORKLOADS.values() for name in names]
    package.__path__ = []
    package.param = types.ModuleType("opbench.param", "PARAM's modules, as far as workloads need them.")
    package.param.__path__ = []
    vars(package.param).update({name: getattr(package, name) for name in package.__all__})
    sys.modules.update({"opbench": package, "opbench.param": package.param})
    opbench_param.put_modules(package.param, package.param.__getattribute__)


# By name: the module, and its class. One is imported when it is asked for.
FRAMEWORKS = {"torch": ("opbench_torch", "Torch"), "jax": ("opbench_jax", "Jax"), "numpy": ("opbench_numpy", "NumPy")}


def open_framework(name, device, threads, compile, jit, seed):
    if name not in FRAMEWORKS:
        raise Refused("%s is not a framework of the python backend; choose from %s" % (name, ", ".join(sorted(FRAMEWORKS))))
    if compile and name != "torch":
        raise Refused("compile= is for torch; use jit with %s" % name)
    module, kind = FRAMEWORKS[name]
    try:
        opened = getattr(importlib.import_module(module), kind)(device, threads, compile, jit, seed)
    except ImportError as error:
        raise Refused("%s has no %s (%s); install it there, or name another interpreter with --python"
                      % (sys.executable, name, error)) from None
    make_package()
    for module in filter(None, os.environ.get("OPBENCH_PYTHON_MODULES", "").split(":")):
        opened.own.update(module_functions(module))
    if os.environ.get("OPBENCH_WORKLOADS"):
        load_workloads(os.environ["OPBENCH_WORKLOADS"])
    gc.collect()
    gc.freeze()  # what a framework is made of stays, and need not be looked through before each case
    return opened
