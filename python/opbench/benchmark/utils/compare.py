# SPDX-License-Identifier: Apache-2.0
"""Compare of torch.utils.benchmark: measurements side by side, in the library's tables."""

import enum
import warnings
from collections.abc import Iterable

from opbench import _core
from opbench.benchmark.utils import common

__all__ = ["Colorize", "Compare"]


class Colorize(enum.Enum):
    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """Tables of measurements: one per label, a row per threads, environment and sub_label, a column per description."""

    def __init__(self, results: Iterable[common.Measurement]) -> None:
        self._results: list[common.Measurement] = []
        self.extend_results(results)
        self._trim_significant_figures = False
        self._colorize = Colorize.NONE
        self._highlight_warnings = False

    def __str__(self) -> str:
        return self.to_text()

    def extend_results(self, results: Iterable[common.Measurement]) -> None:
        results = list(results)
        for r in results:
            if not common.is_measurement(r):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(r)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Show as many digits as the samples support."""
        self._trim_significant_figures = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour cells against the best of their column, or of their row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Show how widely the samples of a cell are spread, if they are."""
        self._highlight_warnings = True

    def print(self) -> None:
        print(str(self))

    def to_text(self, format: str = "text") -> str:
        """The tables as "text", "markdown", "csv" or "json"."""
        shown = tuple((m.number_per_run, m.raw_times, common._fields_of(m.task_spec)) for m in self._cells())
        return _core.compare(shown, self._trim_significant_figures, self._highlight_warnings, self._colorize.value, format)

    def _repr_markdown_(self) -> str:
        return self.to_text("markdown")

    def _cells(self) -> list[common.Measurement]:
        """Merged measurements. Of two different tasks in one cell the later one counts, as in the original."""
        cells: dict[tuple, common.Measurement] = {}
        for m in common.Measurement.merge(self._results):
            task = m.task_spec
            key = (task.label, task.num_threads, task.env, m.as_row_name, task.description)
            if key in cells:
                warnings.warn(f"two tasks share a cell of the table, {m.as_row_name!r} of {task.description!r}; the later "
                              "one is shown: give them different sub_labels or descriptions", stacklevel=4)
            cells[key] = m
        return list(cells.values())
