# The extension module, for the package's own use: what it has may change with any version.
from typing import Any, Callable, Optional

version: str

class Error(Exception):
    code: Optional[str]
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    path: Optional[str]
    cure: Optional[str]

class InputError(Error, ValueError): ...

class Loop:
    def __init__(
        self,
        body: Callable[..., Any],
        setup: Optional[Callable[[], Any]] = ...,
        timer: Optional[Callable[[], float]] = ...,
        is_statement: bool = ...,
    ) -> None: ...
    def timeit(self, number: int = ...) -> float: ...

def timeit(timed: Any, number: int, /) -> tuple[int, list[float]]: ...
def blocked_autorange(
    timed: Any, min_run_time: float, callback: Optional[Callable[[int, float], Any]], warms_up: bool, /
) -> tuple[int, list[float]]: ...
def adaptive_autorange(
    timed: Any,
    threshold: float,
    min_run_time: float,
    max_run_time: float,
    callback: Optional[Callable[[int, float], Any]],
    warms_up: bool,
    /,
) -> tuple[int, list[float]]: ...
def set_threads(n: int, /) -> bytes: ...
def restore_threads(before: bytes, /) -> None: ...
def write_records(path: str, name: str, results: list[dict[str, Any]], replaces: bool, /) -> None: ...
def result_rows(paths: list[str], columns: str, /) -> str: ...
def from_dlpack(capsule: Any, /) -> TensorView: ...

class TensorView:
    def __buffer__(self, flags: int, /) -> memoryview: ...
