# SPDX-License-Identifier: Apache-2.0
"""opbench measures tensor operators, and Python code.

    import opbench.benchmark as benchmark      # in the place of torch.utils.benchmark
    python -m opbench doctor                   # the program, in a shell

What is not needed at once is imported when it is first used, so that `import opbench` takes milliseconds.
"""

from opbench._core import Error, InputError
from opbench._core import version as __version__

# Where names come from: name, module. A module of the package with a public function has its row here.
_HOMES = {
    "benchmark": "opbench.benchmark",
    "program_path": "opbench._program",
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
