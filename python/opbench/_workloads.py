# SPDX-License-Identifier: Apache-2.0
"""What workloads of the python backend are made with, so that they can be imported and tried outside of it: the backend's own
files, which lie beside the program's plug-ins. In the backend's interpreter `opbench` has these names and no others."""

import importlib
import pathlib
import sys
from typing import Any

from opbench._program import program_path


def _load(name: str) -> Any:
    program = pathlib.Path(program_path()).resolve()
    root, end = program.parent.parent, "opbench/plugins/python"
    for folder in (program.parent / "plugins/python", *root.glob("lib*/" + end), *root.glob("lib/*/" + end)):
        if (folder / (name + ".py")).is_file():
            if str(folder) not in sys.path:
                sys.path.append(str(folder))
            return importlib.import_module(name)
    raise ImportError(f"{name}.py of the python backend is not next to {program}; reinstall opbench")


_operators, _configs = _load("opbench_operators"), _load("opbench_configs")

OperatorInterface = _operators.OperatorInterface
register_operator = _operators.register_operator
register_operators = _operators.register_operators
ConfigIterator = _configs.ConfigIterator
DataGenerator = _configs.DataGenerator
register_config_iterator = _configs.register_config_iterator
register_data_generator = _configs.register_data_generator
IterableList = _configs.IterableList
ListProduct = _configs.ListProduct
TableProduct = _configs.TableProduct
full_range = _configs.full_range
genericList_to_list = _configs.genericList_to_list
get_logger = _configs.get_logger
remove_meta_attr = _configs.remove_meta_attr
