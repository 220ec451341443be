# SPDX-License-Identifier: Apache-2.0
"""TaskSpec and Measurement of torch.utils.benchmark; statistics and texts come from the library."""

import contextlib
import dataclasses
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Optional

from opbench import _core

# What stands in the first line of texts, as in the original's: programs and tests compare with it.
_MODULE = "torch.utils.benchmark.utils.common"
# The bounds from which on a spread is worth a warning.
_WIDE, _GROSS = 0.1, 0.25


def _torch_common():
    """The original's module of this name if the program has imported it; else None."""
    return sys.modules.get(_MODULE)


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What a Timer measures, without its globals."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: Optional[str] = None
    sub_label: Optional[str] = None
    description: Optional[str] = None
    env: Optional[str] = None
    num_threads: int = 1

    def __eq__(self, other: object) -> bool:
        try:
            return self._fields() == tuple(getattr(other, name) for name in _TASKSPEC_FIELDS)
        except AttributeError:
            return NotImplemented

    def _fields(self) -> tuple:
        return tuple(getattr(self, name) for name in _TASKSPEC_FIELDS)

    @property
    def title(self) -> str:
        """One heading: label and sub_label, or the statement."""
        return _core.title(self._fields())

    def setup_str(self) -> str:
        """The setup as texts show it; "" if there is none."""
        if self.setup == "pass" or not self.setup:
            return ""
        if "\n" not in self.setup:
            return f"setup: {self.setup}"
        import textwrap

        return f"setup:\n{textwrap.indent(self.setup, '  ')}"

    def summarize(self) -> str:
        """Title, description and setup."""
        return _core.summary(self._fields())


_TASKSPEC_FIELDS = tuple(field.name for field in dataclasses.fields(TaskSpec))


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """What a Timer measured: seconds of blocks of `number_per_run` runs each, and what was timed.

    Fields of the task (`label`, `num_threads`, ...) can be read directly. Statistics are of the times per run. It pickles as
    this class; pickles of torch.utils.benchmark become its own class where torch is, and this one with load_measurements().
    In a program that has imported torch.utils.benchmark an instance also passes for one of its class.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: Optional[dict[Any, Any]] = None

    def __post_init__(self) -> None:
        self._sorted_times: tuple[float, ...] = ()
        self._warnings: tuple[str, ...] = ()
        self._median: float = -1.0
        self._mean: float = -1.0
        self._p25: float = -1.0
        self._p75: float = -1.0

    def __getattr__(self, name: str) -> Any:
        if name in _TASKSPEC_FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property  # type: ignore[misc]
    def __class__(self):
        # Compare and merge of the original ask for its class, and take anything that says so.
        common = _torch_common()
        return common.Measurement if common is not None and type(self) is Measurement else type(self)

    def __eq__(self, other: Any) -> bool:
        if not is_measurement(other):
            return NotImplemented
        return (self.number_per_run, self.raw_times, self.task_spec, self.metadata) == (
            other.number_per_run, other.raw_times, other.task_spec, other.metadata)

    def __reduce__(self):
        return _restore, (type(self),), self.__getstate__()

    def __getstate__(self) -> dict:
        return dict(self.__dict__)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)

    @property
    def times(self) -> list[float]:
        """Seconds per run, in the order they were taken."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        self._lazy_init()
        return self._median

    @property
    def mean(self) -> float:
        self._lazy_init()
        return self._mean

    @property
    def iqr(self) -> float:
        """The interquartile range."""
        self._lazy_init()
        return self._p75 - self._p25

    @property
    def significant_figures(self) -> int:
        """How many digits of the median the middle half of the samples supports: 1 to 4."""
        self._lazy_init()
        return _core.significant_figures(self.number_per_run, self.raw_times, _fields_of(self.task_spec))

    @property
    def has_warnings(self) -> bool:
        self._lazy_init()
        return bool(self._warnings)

    def meets_confidence(self, threshold: float = _WIDE) -> bool:
        """Whether the interquartile range is below this fraction of the median."""
        return self.iqr / self.median < threshold

    def _lazy_init(self) -> None:
        if not self.raw_times or self._sorted_times:
            return
        times = self.times
        if any(t != t for t in times):
            self._mean = self._median = self._p25 = self._p75 = float("nan")
        else:
            self._mean, self._median, self._p25, self._p75 = _core.statistics(times)
        self._sorted_times = tuple(sorted(times))
        spread = 0 if self.meets_confidence(_WIDE) else 1 if self.meets_confidence(_GROSS) else 2
        if spread:
            self._warnings = (_core.warning(self._median, self.iqr, spread),)

    @property
    def title(self) -> str:
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        self._lazy_init()
        text = _core.describe(self.number_per_run, self.raw_times, _fields_of(self.task_spec))
        return f"<{_MODULE}.{type(self).__name__} object at {hex(id(self))}>\n{text.partition(chr(10))[2]}"

    @staticmethod
    def merge(measurements: "Iterable[Measurement]") -> "list[Measurement]":
        """One measurement per task, of times per run; metadata is left out, for it may differ."""
        groups: dict[TaskSpec, list[float]] = {}
        for m in measurements:
            groups.setdefault(as_task(m.task_spec), []).extend(m.times)
        return [Measurement(number_per_run=1, raw_times=times, task_spec=task) for task, times in groups.items()]

    @classmethod
    def from_torch(cls, measurement: Any) -> "Measurement":
        """A measurement of torch.utils.benchmark as one of ours."""
        return cls(number_per_run=measurement.number_per_run, raw_times=list(measurement.raw_times),
                   task_spec=as_task(measurement.task_spec), metadata=measurement.metadata)

    def to_torch(self) -> Any:
        """The same as a measurement of torch.utils.benchmark, which is imported."""
        from torch.utils.benchmark.utils import common

        return common.Measurement(number_per_run=self.number_per_run, raw_times=list(self.raw_times),
                                  task_spec=common.TaskSpec(*_fields_of(self.task_spec)), metadata=self.metadata)


def _restore(cls):
    return cls.__new__(cls)


def _foreign_types() -> tuple:
    common = _torch_common()
    return () if common is None else (common.Measurement,)


def _fields_of(task: Any) -> tuple:
    """The fields of a task, ours or the original's, as the library takes them."""
    return tuple(getattr(task, name) for name in _TASKSPEC_FIELDS)


def as_task(task: Any) -> TaskSpec:
    return task if type(task) is TaskSpec else TaskSpec(*_fields_of(task))


def is_measurement(value: object) -> bool:
    return isinstance(value, (Measurement, *_foreign_types()))


def load_measurements(file: Any) -> list[Measurement]:
    """All measurements in a file of pickles, one after another or in lists, ours or those of torch.utils.benchmark.

    torch need not be installed. Only measurements and plain values are read, so that a file from elsewhere runs nothing.
    """
    from opbench.benchmark.utils import unpickling

    return unpickling.load_all(file)


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time in seconds is shown, and its length: ("us", 1e-6)."""
    return _core.select_unit(t)


def unit_to_english(u: str) -> str:
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


def trim_sigfig(x: float, n: int) -> float:
    """x with n significant figures, in single precision: 3.14159 with 2 is 3.1000001430511475."""
    assert n == int(n)
    return _core.trim_figures(x, int(n))


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Each element once, in the order of first appearance."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """torch with n threads meanwhile, if it is imported, and all other libraries whose number of threads is known."""
    torch: Any = sys.modules.get("torch")
    torch_before = torch.get_num_threads() if hasattr(torch, "set_num_threads") else None
    before = _core.set_threads(n)
    try:
        if torch_before is not None:
            torch.set_num_threads(n)
        yield
    finally:
        _core.restore_threads(before)
        if torch_before is not None:
            torch.set_num_threads(torch_before)
