# SPDX-License-Identifier: Apache-2.0
"""opbench measures tensor operators, and Python code.

    import opbench.benchmark as benchmark      # instead of torch.utils.benchmark
    opbench.run("ops.json", backend=["native", "torch"])      # a config; also time, replay, sweep, diff, load
    opbench.diff(old_function, new_function)   # is it faster?
    python -m opbench doctor                   # the program, in a shell

Modules are imported when they are first used, so `import opbench` takes milliseconds.
"""

from opbench._core import Error, InputError
from opbench._core import version as __version__

# Where names come from: name, module. A module of the package with a public function has its row here.
_HOMES = {
    "benchmark": "opbench.benchmark",
    "program_path": "opbench._program",
    "run": "opbench._run",
    "time": "opbench._run",
    "replay": "opbench._run",
    "sweep": "opbench._run",
    "diff": "opbench._run",
    "load": "opbench._run",
    "options_of": "opbench._run",
    "Result": "opbench._result",
    "Diff": "opbench._result",
    "OpbenchWarning": "opbench._child",
    "capture": "opbench.capture",
    "param": "opbench.param",
    **dict.fromkeys(("OperatorInterface", "register_operator", "register_operators", "ConfigIterator", "DataGenerator",
                     "register_config_iterator", "register_data_generator", "IterableList", "ListProduct", "TableProduct",
                     "full_range", "genericList_to_list", "get_logger", "remove_meta_attr"), "opbench._workloads"),
}

__all__ = ["Error", "InputError", "__version__", *_HOMES]


def __getattr__(name):
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'opbench' has no attribute {name!r}")
    import importlib

    module = importlib.import_module(home)
    value = module if home == f"opbench.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES})
