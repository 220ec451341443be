# SPDX-License-Identifier: Apache-2.0
"""Reads pickled measurements without running what is in them, and without torch."""

import os
import pickle
from typing import Any

from opbench._core import InputError
from opbench.benchmark.utils import common

_OURS = {
    (module, name): cls
    for module in ("torch.utils.benchmark.utils.common", "opbench.benchmark.utils.common")
    for name, cls in (("Measurement", common.Measurement), ("TaskSpec", common.TaskSpec), ("_restore", common._restore))
}
_PLAIN = {("builtins", name) for name in ("set", "frozenset", "complex", "slice", "range", "bytearray", "dict", "list", "tuple")}
# Metadata may hold arrays: those of the op fuzzers do.
_PLAIN |= {("numpy", "ndarray"), ("numpy", "dtype")}
_PLAIN |= {(f"numpy.{core}.multiarray", name) for core in ("core", "_core") for name in ("_reconstruct", "scalar")}
_PLAIN |= {("_codecs", "encode")}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _OURS:
            return _OURS[module, name]
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        error = InputError(f"{module}.{name} is no part of a measurement; pickle.load reads it, if you trust the file")
        error.cure = "pickle.load reads it, if you trust the file"
        raise error


def _flatten(value: Any) -> list:
    if isinstance(value, common.Measurement):
        return [value]
    if isinstance(value, (list, tuple)):
        return [m for item in value for m in _flatten(item)]
    error = InputError(f"a {type(value).__name__} is no measurement; give a file of pickled Measurements")
    error.cure = "give a file of pickled Measurements"
    raise error


def load_all(file: Any) -> list:
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened:
            return _load_from(opened, os.fspath(file))
    return _load_from(file, getattr(file, "name", None))


def _load_from(file: Any, name: Any) -> list:
    found: list = []
    try:
        while True:
            try:
                found += _flatten(_Unpickler(file).load())
            except EOFError:
                return found
    except InputError as error:
        error.file = name
        raise
    except (pickle.UnpicklingError, AttributeError, TypeError, ValueError, IndexError, KeyError) as cause:
        refused = InputError(f"{name}: no pickled measurement: {cause}; write it with pickle.dump")
        refused.file, refused.cure = name, "write it with pickle.dump"
        raise refused from cause
