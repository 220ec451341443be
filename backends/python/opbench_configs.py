# SPDX-License-Identifier: Apache-2.0
"""Data generators and config iterators that the user wrote in Python, in the style of PARAM's, for opbench's python backend.

An iterator is run once, before the run: the configs that it gives are lists in the config then, which opbench checks as any
other. A generator is called in the worker, once for a case; its name is the last argument of an entry until then."""

import copy
import itertools
import json
import logging
import random
import sys

from opbench_operators import Refused, explain

GENERATOR = "Python:DataGenerator"  # of python_generator.c, and its type of arguments
MARK = "python_generator"
CORE_ITERATORS = (None, "", "DefaultConfigIterator")
MOST = 100000  # configs of one list

ITERATORS = {}
GENERATORS = {}
KEPT = {}  # names of arguments, to which C points


class ConfigIterator:
    """Yields (id, config) from the list configs[key]; configs["build"] is the build that the inputs are for. A class of it has
    __next__, or __iter__."""

    def __init__(self, configs, key, device):
        self.configs, self.key, self.device = configs, key, device

    def __iter__(self):
        return self

    def __next__(self):
        raise NotImplementedError("%s has no __next__" % type(self).__name__)


class DataGenerator:
    """Makes the arguments of a call: get_data(config, device) returns a list and a dict."""

    def get_data(self, config, device):
        raise NotImplementedError("%s has no get_data" % type(self).__name__)


def register(table, what, name, kind):
    if not isinstance(name, str) or not name or not name.isprintable() or len(name) > 200:
        raise ValueError("the name of a %s must be a string, not %r" % (what, name))
    if name in table:
        raise ValueError("there are two %ss called %s" % (what, name))
    table[name] = kind


def register_config_iterator(name, iterator_class):
    register(ITERATORS, "config iterator", name, iterator_class)


def register_data_generator(name, data_gen_class):
    register(GENERATORS, "data generator", name, data_gen_class)


# ------------------------------------------------------------------ what PARAM's iterators are made with


def full_range(start, end, step=1):
    """With its end."""
    return range(start, end + (1 if step > 0 else -1), step)


class IterableList(list):
    """A list of alternatives, where others are one value."""


class ListProduct:
    """All lists of one item of each; the last varies fastest."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for chosen in itertools.product(*map(alternatives, self.items)):
            yield copy.deepcopy(list(chosen))


class TableProduct:
    """The same with the values of a dict."""

    def __init__(self, table):
        self.table = table

    def __iter__(self):
        for chosen in itertools.product(*map(alternatives, self.table.values())):
            yield copy.deepcopy(dict(zip(self.table, chosen)))


def alternatives(item):
    return item if isinstance(item, (range, IterableList, ListProduct, TableProduct)) else (item,)


def remove_meta_attr(config):
    """A copy without the keys __range__, __list__ and their kind."""
    if isinstance(config, dict):
        return {key: remove_meta_attr(value) for key, value in config.items()
                if not (isinstance(key, str) and key.startswith("__") and key.endswith("__"))}
    return [remove_meta_attr(item) for item in config] if isinstance(config, list) else config


def genericList_to_list(argument):  # noqa: N802 (PARAM's name)
    """The values of an argument of the type genericlist."""
    return [item["value"] for item in argument["value"]]


def get_logger():
    return logging.getLogger("opbench")


# ------------------------------------------------------------------ iterators, before the run


def iterate(name, configs, key, device):
    """The configs that an iterator gives, without its ids: those are numbers, as for any list."""
    try:
        steps = iter(ITERATORS[name](copy.deepcopy(configs), key, device))
        made = [config for _, config in itertools.islice(steps, MOST + 1)]
        json.dumps(made)
    except Exception as error:
        raise Refused("the iterator %s failed: %s" % (name, explain(error, error.__traceback__))) from None
    if len(made) > MOST:
        raise Refused("the iterator %s yields more than %d configs" % (name, MOST))
    if not all(isinstance(config, dict) for config in made):
        raise Refused("the iterator %s yields something other than configs, {\"args\": [...]}" % name)
    return made


def expand_spec(op, info, spec, device):
    """One spec as a list of specs whose lists are plain where an iterator of ours made them."""
    spec = dict(spec)
    build, inputs = info.get("build_iterator"), info.get("input_iterator")
    if build in ITERATORS and spec.get("build"):
        spec["build"] = iterate(build, spec, "build", device)
    if inputs not in ITERATORS or "input" not in spec:
        return [spec]
    if not spec.get("build"):
        return [dict(spec, input=iterate(inputs, spec, "input", device))]
    if build not in ITERATORS and build not in CORE_ITERATORS:
        raise Refused("%s: its input iterator %s is written in Python and needs the builds as they are; "
                      "produce them with DefaultConfigIterator or an iterator in Python, not %s" % (op, inputs, build))
    made = [(one, iterate(inputs, dict(spec, build=one), "input", device)) for one in spec["build"]]
    if all(given == made[0][1] for _, given in made):
        return [dict(spec, input=made[0][1])]
    return [dict(spec, build=[one], input=given) for one, given in made]


def mark(entries, name):
    """Entries with the generator's name as their last argument; no entry is one without arguments."""
    if entries is None:
        return None
    return [dict(entry, args=list(entry.get("args") or []) + [{"type": MARK, "value": name}]) if isinstance(entry, dict) else entry
            for entry in entries or [{}]]


def expand_operator(op, info, device):
    info = dict(info)
    if isinstance(info.get("config"), list):
        info["config"] = [made for spec in info["config"]
                          for made in (expand_spec(op, info, spec, device) if isinstance(spec, dict) else [spec])]
    for key in ("build", "input"):
        if info.get(key + "_iterator") in ITERATORS:
            del info[key + "_iterator"]
        name = info.get(key + "_data_generator")
        if isinstance(name, str) and name in GENERATORS:
            info[key + "_data_generator"] = GENERATOR
            info["config"] = [dict(spec, **{key: mark(spec[key], name)}) if isinstance(spec, dict) and spec.get(key) is not None
                              else spec for spec in info.get("config", [])]
    return info


def expand(text, device):
    """A config without the iterators and generators of this file's tables; what is wrong with the rest, opbench says."""
    config = json.loads(text)
    if isinstance(config, dict):
        config = {op: expand_operator(op, info, device) if isinstance(info, dict) else info for op, info in config.items()}
    return json.dumps(config)


# ------------------------------------------------------------------ generators, in the worker


def generate(entry, device, seed):
    """(arguments, names, values by name) of an entry, from the generator that its last argument names."""
    entry = dict(entry)
    entry["args"] = list(entry.get("args") or [])
    name = entry["args"].pop()["value"] if entry["args"] and entry["args"][-1].get("type") == MARK else None
    if name is None:
        raise Refused("no data generator is named: it is the last argument, {\"type\": \"%s\", \"value\": NAME}" % MARK)
    if name not in GENERATORS:
        raise Refused("no module registers the data generator %s; name its module or folder with --python-module or "
                      "--python-workloads" % name)
    random.seed(seed)
    for module, function in (("numpy", lambda m: m.random.seed(seed % 2 ** 32)), ("torch", lambda m: m.manual_seed(seed))):
        if module in sys.modules:  # the same data in whichever order cases run
            function(sys.modules[module])
    made = GENERATORS[name]()
    given = made.get_data(entry if entry["args"] or entry.get("kwargs") else {}, device)
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[1], dict):
        raise TypeError("%s.get_data must return a list and a dict, not %s" % (name, type(given).__name__))
    return list(given[0]), [KEPT.setdefault(str(word), str(word)) for word in given[1]], list(given[1].values())
