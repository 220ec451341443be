# SPDX-License-Identifier: Apache-2.0
"""The classes of torch.utils.benchmark, with the same names, arguments and texts.

    import opbench.benchmark as benchmark      # instead of torch.utils.benchmark

    m = benchmark.Timer("x + y", globals={"x": x, "y": y}).blocked_autorange()
    benchmark.Compare([m]).print()

Python code is timed by loops in C, the collector off; statistics, texts and tables are those of opbench's library. torch is
used where it is there and never imported before a statement, a fuzzer or the caller wants it. Measurements of
torch.utils.benchmark are taken wherever ours are, and ours wherever its are (see Measurement).
"""

from opbench.benchmark.utils.common import (
    Measurement,
    TaskSpec,
    load_measurements,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from opbench.benchmark.utils.compare import Colorize, Compare
from opbench.benchmark.utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from opbench.benchmark.utils.sparse_fuzzer import FuzzedSparseTensor
from opbench.benchmark.utils.timer import Language, Timer, timer
from opbench.benchmark.utils.valgrind_wrapper.timer_interface import (
    CallgrindStats,
    CopyIfCallgrind,
    FunctionCount,
    FunctionCounts,
)

__all__ = [
    "CallgrindStats",
    "Colorize",
    "Compare",
    "CopyIfCallgrind",
    "FunctionCount",
    "FunctionCounts",
    "FuzzedParameter",
    "FuzzedSparseTensor",
    "FuzzedTensor",
    "Fuzzer",
    "Language",
    "Measurement",
    "ParameterAlias",
    "TaskSpec",
    "Timer",
    "load_measurements",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]
