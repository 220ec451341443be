# SPDX-License-Identifier: Apache-2.0
"""Operators that the user wrote in Python, for opbench's python backend: functions of modules that the command line names, and
classes in the style of PARAM's workloads, which register themselves. Both are called python::NAME."""

import importlib.util
import inspect
import os
import re
import sys
import traceback

PATHS = "python::"
MODULES = "module::"  # of files that were skipped: how `opbench list` knows them
MORE, BUILD = "more_", "build_"  # arguments of schemas that stand for *args, and for those of build
MOST = 8  # of each


class Refused(Exception):
    """What a framework does not have; its text is the reason."""

    is_refusal = True  # for C

    def __str__(self):
        return self.args[0]


def explain(error, trace):
    """The last words of an exception for a record: what it is, and where it came from outside of our files."""
    if isinstance(error, Refused):
        return str(error)
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    ours = os.path.dirname(__file__)
    frames = [frame for frame in traceback.extract_tb(trace) if os.path.dirname(frame.filename) != ours
              and not frame.filename.startswith("<frozen")] if trace else []
    place = "".join(" (%s, line %d, in %s)" % (frame.filename, frame.lineno, frame.name) for frame in frames[-1:])
    said = " ".join((text or type(error).__name__).split())[:400] + place
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in said)


# ------------------------------------------------------------------ schemas


def default_text(value):
    """A default as schemas write it. What they cannot write is None there: an argument that has its default is left out."""
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, float) and value == value and value not in (float("inf"), float("-inf")):
        return repr(value)
    if isinstance(value, str) and value.isascii() and value.isprintable() and not set(value) & set("\"\\'"):
        return '"%s"' % value
    return "None"


def schema_words(function):
    """A function's arguments as a schema has them, all of type Any: by place, and by name only. None: it does not tell what
    it takes, or it cannot be written. *args are a few arguments without names; what **kwargs would take cannot be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    by_place, by_name = [], []
    for one in parameters:
        if not one.name.isascii():
            return None
        if one.kind is one.VAR_POSITIONAL:
            by_place += ["Any %s%d=None" % (MORE, n) for n in range(MOST)]
        elif one.kind is not one.VAR_KEYWORD:
            text = "Any " + one.name + ("" if one.default is one.empty else "=" + default_text(one.default))
            (by_name if one.kind is one.KEYWORD_ONLY else by_place).append(text)
    return by_place, by_name


def schema_of(name, function, more=()):
    words = schema_words(function)
    if words is None or not name.isascii():
        return None
    by_name = words[1] + list(more)
    return "%s%s(%s) -> Any" % (PATHS, name, ", ".join(words[0] + (["*"] if by_name else []) + by_name))


# ------------------------------------------------------------------ functions of modules


def module_functions(name):
    """The public functions of a module that the command line names, by their dotted names; other callables too, but no classes."""
    try:
        __import__(name)
        module = sys.modules[name]
    except Exception as error:
        raise Refused("--python-module %s cannot be imported: %s; modules are looked for where %s looks, and in PYTHONPATH"
                      % (name, explain(error, error.__traceback__), sys.executable)) from None
    shown = getattr(module, "__all__", None) or [word for word in vars(module) if not word.startswith("_")]
    found = {name + "." + word: getattr(module, word, None) for word in shown}
    return {word: one for word, one in found.items() if callable(one) and not isinstance(one, type)}


# ------------------------------------------------------------------ workloads

OPERATORS = {}  # by their names
SKIPPED = {}  # modules of the workloads' folder that could not be imported, and why


class OperatorInterface:
    """An operator of the user's own. `build` is called once for a case, `forward` is what is timed; with -b, `create_grad` is called
    after a forward, and `backward` is timed. `cleanup` drops what they kept, before a build and after a case."""

    def __init__(self):
        self.device = None

    def set_device(self, device):
        self.device = device

    def build(self, *args, **kwargs):
        pass

    def cleanup(self):
        pass

    def forward(self, *args, **kwargs):
        raise NotImplementedError("%s has no forward" % type(self).__name__)

    def create_grad(self):
        pass

    def backward(self):
        raise NotImplementedError("%s has no backward" % type(self).__name__)


def register_operator(name, op):
    """op: an OperatorInterface, or a subclass of it whose constructor needs no arguments."""
    if not isinstance(name, str) or re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name, re.ASCII) is None:
        raise ValueError("an operator's name must be words joined by dots, not %r" % (name,))
    if name in OPERATORS:
        raise ValueError("there are two operators called %s" % name)
    made = op() if isinstance(op, type) else op
    if not isinstance(made, OperatorInterface):
        raise TypeError("%s is not an OperatorInterface" % name)
    OPERATORS[name] = made


def register_operators(operators):
    for name, op in operators.items():
        register_operator(name, op)


def workload_schema(name, operator):
    words = schema_words(operator.build) or ((), ())
    named = [word.split()[1].split("=")[0] for word in (*words[0], *words[1])]
    more = ["%d" % n for n in range(MOST)] if words[0] else []
    return schema_of(name, operator.forward,
                     ["Any %s%s=None" % (BUILD, word) for word in more + [word for word in named if not word.startswith(MORE)]])


def load_workloads(folder):
    """Imports every module of a folder; one that cannot be imported is skipped."""
    if not os.path.isdir(folder):
        raise Refused("--python-workloads %s is not a folder" % folder)
    sys.path.append(folder)  # they may import each other
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        name, end = os.path.splitext(entry.name)
        path = entry.path if end == ".py" else os.path.join(entry.path, "__init__.py")
        if not name.isidentifier() or name.startswith("_") or end not in ("", ".py") or not os.path.isfile(path):
            continue
        before = dict(OPERATORS)
        try:
            spec = importlib.util.spec_from_file_location("opbench_workload_" + name, path)
            module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            OPERATORS.clear()
            OPERATORS.update(before)
            SKIPPED[name] = "skipped, %s cannot be imported: %s" % (entry.name, explain(error, error.__traceback__))
