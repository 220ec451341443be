# SPDX-License-Identifier: Apache-2.0
"""FunctionCounts, CallgrindStats and CopyIfCallgrind of torch.utils.benchmark; counts and arithmetic are the library's."""

import dataclasses
import enum
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Optional, Union

from opbench import _core
from opbench.benchmark.utils import common

__all__ = ["CallgrindStats", "CopyIfCallgrind", "FunctionCount", "FunctionCounts"]

# What stands in the first line of texts, as in the original's.
_MODULE = "torch.utils.benchmark.utils.valgrind_wrapper.timer_interface"


class FunctionCount(NamedTuple):
    count: int  # type: ignore[assignment]
    function: str


def _rows(rows: Any) -> tuple[FunctionCount, ...]:
    return tuple(FunctionCount(count, function) for count, function in rows)


def _with_tag(self: Any, text: str) -> str:
    return f"<{_MODULE}.{type(self).__name__} object at {hex(id(self))}>\n{text.partition(chr(10))[2]}"


def _line_width() -> int:
    torch = sys.modules.get("torch")
    options = getattr(getattr(torch, "_tensor_str", None), "PRINT_OPTS", None)
    return getattr(options, "linewidth", 80)


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class FunctionCounts:
    """Instructions by function: rows that can be added, subtracted, scaled, renamed and filtered."""

    _data: tuple[FunctionCount, ...]
    inclusive: bool
    truncate_rows: bool = True
    _linewidth: Optional[int] = None

    def __iter__(self) -> Iterator[FunctionCount]:
        yield from self._data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, item: Any) -> "Union[FunctionCount, FunctionCounts]":
        data = self._data[item]
        return FunctionCounts(data, self.inclusive, truncate_rows=False) if isinstance(item, slice) else data

    def __repr__(self) -> str:
        return _with_tag(self, _core.describe_counts(
            self._data, self.inclusive, not self.truncate_rows, self._linewidth or _line_width()))

    def __add__(self, other: "FunctionCounts") -> "FunctionCounts":
        return self._combine(other, _core.counts_add)

    def __sub__(self, other: "FunctionCounts") -> "FunctionCounts":
        return self._combine(other, _core.counts_subtract)

    def __mul__(self, other: Union[int, float]) -> "FunctionCounts":
        return self._make(_core.counts_scale(self._data, other))

    def _combine(self, other: "FunctionCounts", function: Callable[..., Any]) -> "FunctionCounts":
        assert self.inclusive == other.inclusive, "Cannot merge inclusive and exclusive counts."
        return self._make(function(self._data, other._data))

    def _make(self, rows: Any) -> "FunctionCounts":
        return FunctionCounts(_rows(rows), self.inclusive)

    def transform(self, map_fn: Callable[[str], str]) -> "FunctionCounts":
        """Renames the functions; those that get the same name are added up."""
        return self._make(_core.counts_add(tuple((count, map_fn(name)) for count, name in self._data), ()))

    def filter(self, filter_fn: Callable[[str], bool]) -> "FunctionCounts":
        """The rows of the functions for which filter_fn says yes."""
        return FunctionCounts(tuple(row for row in self._data if filter_fn(row.function)), self.inclusive)

    def sum(self) -> int:
        return sum(count for count, _ in self._data)

    def denoise(self) -> "FunctionCounts":
        """Without look-ups in dictionaries of CPython up to 3.10, whose number differs from run to run."""
        return self._make(_core.counts_denoise(self._data))

    def _standardise(self) -> "FunctionCounts":
        return self._make(_core.counts_standardise(self._data))


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class CallgrindStats:
    """What collect_callgrind found, of `number_per_run` runs together."""

    task_spec: common.TaskSpec
    number_per_run: int
    built_with_debug_symbols: bool
    baseline_inclusive_stats: FunctionCounts
    baseline_exclusive_stats: FunctionCounts
    stmt_inclusive_stats: FunctionCounts
    stmt_exclusive_stats: FunctionCounts
    stmt_callgrind_out: Optional[str]

    def __repr__(self) -> str:
        return _with_tag(self, _core.describe_stats(
            common._fields_of(self.task_spec), self.number_per_run, self.built_with_debug_symbols,
            self.stmt_exclusive_stats._data, self.baseline_exclusive_stats._data))

    def stats(self, inclusive: bool = False) -> FunctionCounts:
        """Instructions by function: with what it called if inclusive, else its own."""
        return self.stmt_inclusive_stats if inclusive else self.stmt_exclusive_stats

    def counts(self, *, denoise: bool = False) -> int:
        """All instructions."""
        return (self.stmt_exclusive_stats.denoise() if denoise else self.stmt_exclusive_stats).sum()

    def delta(self, other: "CallgrindStats", inclusive: bool = False) -> FunctionCounts:
        """What this one executes more than the other, by function."""
        return self.stats(inclusive=inclusive) - other.stats(inclusive=inclusive)

    def as_standardized(self) -> "CallgrindStats":
        """With names that do not depend on where things were built and installed."""
        tables = ("baseline_inclusive_stats", "baseline_exclusive_stats", "stmt_inclusive_stats", "stmt_exclusive_stats")
        return dataclasses.replace(
            self, stmt_callgrind_out=None, **{name: getattr(self, name)._standardise() for name in tables})


class Serialization(enum.Enum):
    PICKLE = 0
    TORCH = 1
    TORCH_JIT = 2


_PLAIN_TYPES = (str, bytes, bool, int, float, complex)


def _serialization_of(value: Any) -> Optional[Serialization]:
    if isinstance(value, _PLAIN_TYPES):
        return Serialization.PICKLE
    torch = sys.modules.get("torch")  # who has such a value has imported it
    if torch is None:
        return None
    if isinstance(value, (torch.jit.ScriptFunction, torch.jit.ScriptModule)):
        return Serialization.TORCH_JIT
    return Serialization.TORCH if isinstance(value, torch.nn.Module) else None


class CopyIfCallgrind:
    """A global that may be a copy where instructions are counted, which is another process.

    setup is code that runs there before the copy is made: imports that it needs.
    """

    def __init__(self, value: Any, *, setup: Optional[str] = None) -> None:
        method = _serialization_of(value)
        if method is None:
            import textwrap

            names = "\n".join(t.__name__ for t in _PLAIN_TYPES) + "\nScriptFunction\nScriptModule\nModule"
            raise ValueError(f"Unsupported type: {type(value)}\n`collect_callgrind` restricts globals to the following "
                             f"types:\n{textwrap.indent(names, '  ')}")
        self._value = value
        self._setup = setup
        self._serialization = method

    @property
    def value(self) -> Any:
        return self._value

    @property
    def setup(self) -> Optional[str]:
        return self._setup

    @property
    def serialization(self) -> Serialization:
        return self._serialization

    @staticmethod
    def unwrap_all(globals: dict[str, Any]) -> dict[str, Any]:
        return {k: v.value if isinstance(v, CopyIfCallgrind) else v for k, v in globals.items()}


def check_globals(globals: dict[str, Any]) -> None:
    """That all of them can go to another process, and mean to."""
    torch = sys.modules.get("torch")
    if "torch" in globals and globals["torch"] is not torch:
        raise ValueError("`collect_callgrind` does not support mocking out `torch`.")
    for name, value in globals.items():
        if name not in ("torch", "__builtins__") and not isinstance(value, CopyIfCallgrind):
            raise ValueError("`collect_callgrind` requires that globals be wrapped in `CopyIfCallgrind` so that "
                             "serialization is explicit.")


# As a line of setup: the copies are made in a __main__ of their own, where pickles look for what the program defined itself, and
# where the runner's names are not; then they are globals of the statement, as in the process that measures time.
_PUT_GLOBALS = (
    "import sys as _ob_sys; _ob_main = type(_ob_sys)('__main__'); _ob_sys.modules['__main__'] = _ob_main; "
    "exec({code!r}, vars(_ob_main)); "
    "globals().update((k, v) for k, v in vars(_ob_main).items() if not k.startswith('__'))\n")


def _copy_global(name: str, wrapped: CopyIfCallgrind, folder: str) -> str:
    """Writes the value to the folder; the code that makes it again."""
    import os
    import pickle
    import textwrap

    path = os.path.join(folder, f"{name}.data")
    before = textwrap.dedent(wrapped.setup) + "\n" if wrapped.setup is not None else ""
    if wrapped.serialization is Serialization.PICKLE:
        with open(path, "wb") as file:
            pickle.dump(wrapped.value, file)
        return f"{before}import pickle\nwith open({path!r}, 'rb') as _ob_file:\n    {name} = pickle.load(_ob_file)\n"
    import torch

    before += "import torch\n"
    if wrapped.serialization is Serialization.TORCH_JIT:
        torch.jit.save(wrapped.value, path)
        return f"{before}{name} = torch.jit.load({path!r})\n"
    torch.save(wrapped.value, path)
    # The file is ours, written a moment ago. Versions before 1.13 have no such argument.
    whole = ", weights_only=False" if "weights_only" in _signature_text(torch.load) else ""
    return f"{before}{name} = torch.load({path!r}{whole})\n"


def _with_own_lines(text: str, ahead: int) -> str:
    """Lines of the setup as its author counts them, without those that stand ahead of it."""
    import re

    return re.sub(r"\bsetup:(\d+)", lambda found: f"setup:{max(int(found[1]) - ahead, 1)}", text)


def _signature_text(function: Any) -> str:
    import inspect

    return str(inspect.signature(function))


class _ValgrindWrapper:
    """Counts by the library; the name and the member are the original's."""

    _bindings_module = None

    def collect_callgrind(
        self,
        task_spec: common.TaskSpec,
        globals: dict[str, Any],
        *,
        number: int,
        repeats: int,
        collect_baseline: bool,
        is_python: bool,
        retain_out_file: bool = False,
        language: Optional[str] = None,
    ) -> tuple[CallgrindStats, ...]:
        import tempfile

        from opbench._program import program_path

        check_globals(globals)
        with tempfile.TemporaryDirectory(prefix="opbench_count_") as folder:
            copies = "".join(_copy_global(name, value, folder) for name, value in globals.items()
                             if name not in ("torch", "__builtins__"))
            before = _PUT_GLOBALS.format(code=copies) if copies else ""
            code = (task_spec.stmt, before + task_spec.setup, task_spec.global_setup, task_spec.num_threads,
                    language or ("python" if is_python else "c++"), program_path(), sys.executable)
            try:
                found = _core.snippet_count(code, common._fields_of(task_spec), number, repeats, collect_baseline)
            except _core.Error as error:
                text = _with_own_lines(str(error), before.count("\n"))
                raise OSError(f"Failed to collect callgrind profile:\n{text}") from error
        return tuple(_make_stats(task_spec, number, *one) for one in found)


def _make_stats(task_spec, number, inclusive, exclusive, baseline_inclusive, baseline_exclusive, out, symbols):
    return CallgrindStats(
        task_spec=task_spec, number_per_run=number, built_with_debug_symbols=symbols,
        baseline_inclusive_stats=FunctionCounts(_rows(baseline_inclusive), inclusive=True),
        baseline_exclusive_stats=FunctionCounts(_rows(baseline_exclusive), inclusive=False),
        stmt_inclusive_stats=FunctionCounts(_rows(inclusive), inclusive=True),
        stmt_exclusive_stats=FunctionCounts(_rows(exclusive), inclusive=False),
        stmt_callgrind_out=out)


_SINGLETON: Optional[_ValgrindWrapper] = None


def wrapper_singleton() -> _ValgrindWrapper:
    global _SINGLETON
    if _SINGLETON is None:
        _SINGLETON = _ValgrindWrapper()
    return _SINGLETON
