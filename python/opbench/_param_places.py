# SPDX-License-Identifier: Apache-2.0
"""PARAM's modules, with opbench.param in the place of param_bench.train.compute.python: where its scripts and workloads import from.

The package and the python backend, in whose interpreter there is no package, make them of this one table; so this file imports
nothing of either, and lies beside the backend's own files too, as opbench_param.py."""

import sys
import types

_OWN = "derive a class from OperatorInterface and register it; PyTorch's own functions and modules need none (torch.add, torch.nn.Linear, aten::add)"
_NAMED = "name PyTorch:DefaultDataGenerator in a config, or derive a class from DataGenerator and register it"
_RUN = "run a config with run_benchmark of opbench.param, or with `opbench run -c FILE`"
_EMBEDDING = "copy PARAM's file to the folder of --python-workloads and change its imports to opbench.param.lib"

# By module: what to do about a name of PARAM's that opbench does not have.
MODULES = {
    "lib": "import from a module of opbench.param.lib",
    "lib.config": _RUN,
    "lib.data": "derive a class from DataGenerator and register it with register_data_generator",
    "lib.generator": "there are full_range, IterableList, ListProduct and TableProduct",
    "lib.init_helper": "there are get_logger, init_logging and load_modules",
    "lib.iterator": "name RangeConfigIterator or DefaultConfigIterator in a config, or derive a class from ConfigIterator",
    "lib.operator": "derive a class from OperatorInterface and register it with register_operator",
    "lib.pytorch": "import from a module of opbench.param.lib.pytorch",
    "lib.pytorch.benchmark": _RUN,
    "lib.pytorch.benchmark_helper": _RUN,
    "lib.pytorch.build_executor": _RUN,
    "lib.pytorch.config_util": "opbench sets threads and seeds itself, and the header of records describes the machine",
    "lib.pytorch.cuda_util": "for profilers see `opbench run --ncu` and `--nsys`",
    "lib.pytorch.data_impl": _NAMED,
    "lib.pytorch.op_executor": _RUN,
    "lib.pytorch.operator_impl": _OWN,
    "lib.pytorch.timer": "use opbench.benchmark.Timer",
    "workloads": "import from opbench.param.lib",
    "workloads.pytorch": _OWN,
    "workloads.pytorch.split_table_batched_embeddings_ops": _EMBEDDING,
}


def _finder(place, fix, find):
    def get(name):
        if name.startswith("__"):
            raise AttributeError(f"module {place!r} has no attribute {name!r}")
        try:
            return find(name)
        except AttributeError:
            # An AttributeError would become an ImportError without these words.
            raise ImportError(f"{place} has no {name} in opbench; {fix}") from None

    return get


def put_modules(root, find):
    """Puts them below the module root, by their short names. find(name): what any of them has, or an AttributeError."""
    made = {}
    for short, fix in MODULES.items():
        place = f"{root.__name__}.{short}"
        module = made[short] = sys.modules[place] = types.ModuleType(place, f"PARAM's module {short}: the names of opbench.param.")
        module.__path__ = []
        module.__getattr__ = _finder(place, fix, find)
        parent, _, last = short.rpartition(".")
        setattr(made[parent] if parent else root, last, module)
    return made
