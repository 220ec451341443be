# SPDX-License-Identifier: Apache-2.0
"""Reads pickled measurements without running what is in them, and without torch.

Nothing that a file names is called but what stands here. NumPy's arrays, which metadata may hold, are rebuilt from their
bytes: its own way trusts what a pickle says of a dtype, and makes pointers of bytes if it says so.
"""

import operator
import os
import pickle
from typing import Any, Optional

from opbench._core import InputError
from opbench.benchmark.utils import common

_DTYPE_KINDS = "biufc"


def _refuse(what: str, fix: str, file: Optional[str] = None) -> InputError:
    error = InputError(f"{file}: {what}; {fix}" if file is not None else f"{what}; {fix}")
    error.file, error.fix = file, fix
    return error


# ---- what pickles call, each a class, since some opcodes want one ----


class _Sealed(type):
    """A pickle may set attributes of whatever it names; of these it may not."""

    def __setattr__(cls, name: str, value: Any) -> None:
        raise pickle.UnpicklingError(f"{cls.__name__}.{name} cannot be set by a pickle")


class _Measurement(metaclass=_Sealed):
    """Whatever a file says of a Measurement; _finish() looks at it."""

    def __new__(cls, *_: Any) -> "_Measurement":
        return super().__new__(cls)


class _Task(metaclass=_Sealed):
    """The same of a TaskSpec."""


class _Restore(metaclass=_Sealed):
    """common._restore(Measurement)."""

    def __new__(cls, *_: Any) -> Any:
        return _Measurement()


class _Set(metaclass=_Sealed):
    def __new__(cls, items: Any = ()) -> Any:
        return set(_as_listed(items))


class _Frozenset(metaclass=_Sealed):
    def __new__(cls, items: Any = ()) -> Any:
        return frozenset(_as_listed(items))


class _Bytes(metaclass=_Sealed):
    def __new__(cls, items: Any = ()) -> Any:
        return bytes(_as_listed(items))


class _Bytearray(metaclass=_Sealed):
    def __new__(cls, data: Any = b"", codec: str = "latin-1") -> Any:
        return bytearray(data if isinstance(data, bytes) else _Encode(data, codec))


class _Encode(metaclass=_Sealed):
    """_codecs.encode(text, "latin1"): bytes in old protocols."""

    def __new__(cls, text: str, codec: str) -> Any:
        if codec not in ("latin1", "latin-1"):
            raise ValueError(f"no bytes in {codec!r}")
        return text.encode("latin-1")


class _Dtype(metaclass=_Sealed):
    """numpy.dtype(text, align, copy), of numbers alone."""

    def __init__(self, text: str, *_: Any) -> None:
        import numpy

        self.dtype = numpy.dtype(str(text))
        if self.dtype.kind not in _DTYPE_KINDS:
            raise ValueError(f"no array of {text!r}")

    def __setstate__(self, state: tuple) -> None:
        if state[1] in ("<", ">"):
            self.dtype = self.dtype.newbyteorder(state[1])


class _Array(metaclass=_Sealed):
    """numpy.ndarray, before and after its elements came."""

    array: Any = None

    def __new__(cls, *_: Any) -> "_Array":
        return super().__new__(cls)

    def __setstate__(self, state: tuple) -> None:
        _, shape, dtype, is_fortran, data = state
        self.array = _make_array(data, dtype, shape, "F" if is_fortran else "C")


class _FromBuffer(metaclass=_Sealed):
    """numpy.core.numeric._frombuffer: an array in protocol 5."""

    def __new__(cls, data: Any, dtype: _Dtype, shape: tuple, order: str) -> Any:
        return _make_array(data, dtype, shape, order)


class _Scalar(metaclass=_Sealed):
    def __new__(cls, dtype: _Dtype, data: Any) -> Any:
        return _make_array(data, dtype, (), "C")[()]


def _as_listed(items: Any) -> Any:
    """Not a range, whose few bytes stand for gigabytes."""
    if not isinstance(items, (list, tuple)):
        raise ValueError(f"a {type(items).__name__} instead of a list")
    return items


def _make_array(data: Any, dtype: _Dtype, shape: tuple, order: str) -> Any:
    import numpy

    raw = bytearray(data) if isinstance(data, (bytes, bytearray)) else bytearray(data.encode("latin-1"))
    flat = numpy.frombuffer(raw, dtype.dtype) if raw else numpy.empty(0, dtype.dtype)
    return flat.reshape(shape, order=order)


_KNOWN: dict[tuple[str, str], Any] = {
    (module, name): cls
    for module in ("torch.utils.benchmark.utils.common", "opbench.benchmark.utils.common")
    for name, cls in (("Measurement", _Measurement), ("TaskSpec", _Task), ("_restore", _Restore))
}
_KNOWN |= {
    ("builtins", "set"): _Set,
    ("builtins", "frozenset"): _Frozenset,
    ("builtins", "bytes"): _Bytes,
    ("builtins", "bytearray"): _Bytearray,
    ("builtins", "complex"): complex,
    ("builtins", "slice"): slice,
    ("builtins", "range"): range,
    ("_codecs", "encode"): _Encode,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Dtype,
}
for _core_name in ("core", "_core"):
    _KNOWN[f"numpy.{_core_name}.multiarray", "_reconstruct"] = _Array
    _KNOWN[f"numpy.{_core_name}.multiarray", "scalar"] = _Scalar
    _KNOWN[f"numpy.{_core_name}.numeric", "_frombuffer"] = _FromBuffer


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        module = "builtins" if module == "__builtin__" else module  # as protocol 2 writes it
        if (module, name) not in _KNOWN:
            raise _refuse(f"{module}.{name} is not part of a measurement", "pickle.load reads it, if you trust the file")
        return _KNOWN[module, name]


# ---- what comes of it ----


def _settle(value: Any) -> Any:
    """The value with arrays instead of what they were made from."""
    if isinstance(value, _Array):
        return value.array
    if isinstance(value, _Dtype):
        return value.dtype
    if type(value) is dict:
        return {key: _settle(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_settle(item) for item in value)
    return value


def _finish_task(task: Any) -> common.TaskSpec:
    given = {name: value for name, value in vars(task).items() if name in common._TASKSPEC_FIELDS}
    made = common.TaskSpec(**given)
    fields = common._fields_of(made)
    if not all(text is None or isinstance(text, str) for text in fields[:-1]) or not isinstance(fields[-1], int):
        raise ValueError("a task has fields of the wrong type")
    return made


def _finish(m: _Measurement) -> common.Measurement:
    """The measurement, if it is whole: a file may leave out, or put in, what it likes."""
    given = vars(m)
    times = given["raw_times"]
    if not isinstance(times, (list, tuple)) or not isinstance(given["task_spec"], _Task):
        raise ValueError("a measurement has fields of the wrong type")
    return common.Measurement(
        number_per_run=operator.index(given["number_per_run"]), raw_times=[t if type(t) is float else float(t) for t in times],
        task_spec=_finish_task(given["task_spec"]), metadata=_settle(given.get("metadata")))


def _flatten(value: Any) -> list:
    if isinstance(value, _Measurement):
        return [_finish(value)]
    if isinstance(value, (list, tuple)):
        return [m for item in value for m in _flatten(item)]
    raise _refuse(f"a {type(value).__name__.lstrip('_')} is not a measurement", "give a file of pickled Measurements")


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
    except (pickle.UnpicklingError, AttributeError, TypeError, ValueError, LookupError, RecursionError, ImportError, MemoryError) as cause:
        raise _refuse(f"not a pickled measurement: {cause or type(cause).__name__}", "write it with pickle.dump", name) from cause
