# SPDX-License-Identifier: Apache-2.0
"""Timer of torch.utils.benchmark. What is timed runs in loops in C; block sizes and stopping rules are the library's."""

import ast
import enum
import sys
import textwrap
import time
from collections.abc import Callable
from typing import Any, Optional, Union

from opbench import _core
from opbench.benchmark.utils import common
from opbench.benchmark.utils.valgrind_wrapper import timer_interface

__all__ = ["Language", "Timer", "timer"]


def timer() -> float:
    """Seconds of a monotonic clock, once a GPU that torch uses has done its work."""
    synchronise = _synchronise()
    if synchronise is not None:
        synchronise()
    return time.perf_counter()


def _synchronise() -> Optional[Callable[[], Any]]:
    """What waits for the device that torch uses; None where torch is not imported, or has none."""
    torch = sys.modules.get("torch")
    for name in ("cuda", "accelerator"):
        device = getattr(torch, name, None)
        if device is not None and device.is_available():
            return device.synchronize
    return None


class Language(enum.Enum):
    PYTHON = 0
    CPP = 1
    C = 2


_LANGUAGES = {"py": Language.PYTHON, "python": Language.PYTHON, "cpp": Language.CPP, "c++": Language.CPP, "c": Language.C}

_NAME = "<timer>"
_FRAME = """
def _ob_inner(_ob_turns, _ob_timer):
    _ob_start = _ob_timer()
    for _ob_turn in _ob_turns:
        pass
    return _ob_timer() - _ob_start
"""
_GENERATOR = 0x20 | 0x80 | 0x200  # flags of code that yields or awaits


def _compile(stmt: str, setup: str) -> Any:
    """Code that defines _ob_inner: setup, then the statement in a loop. Built from syntax trees, so that no text has to be indented again."""
    frame = ast.parse(_FRAME)
    function: Any = frame.body[0]
    before, body = ast.parse(setup, "<setup>"), ast.parse(stmt, "<stmt>")
    ast.increment_lineno(body, setup.count("\n") + 1)
    if body.body:
        function.body[1].body = body.body
    function.body[0:0] = before.body
    return compile(frame, _NAME, "exec", dont_inherit=True)


def _namespace(code_texts: tuple[str, ...], globals: dict[str, Any]) -> dict[str, Any]:
    """The globals with torch in them, as the original has it; imported only for code that names it."""
    names = dict(globals)
    if "torch" not in names:
        torch = sys.modules.get("torch")
        if torch is None and any("torch" in text for text in code_texts):
            import importlib

            try:
                torch = importlib.import_module("torch")
            except ImportError:
                pass  # the code says what it misses
        if torch is not None:
            names["torch"] = torch
    return names


class PythonTimer(_core.Loop):
    """Times blocks of a statement, or of a callable; has the part of timeit.Timer that Timer uses."""

    def __init__(
        self,
        stmt: Union[str, Callable[[], Any]],
        setup: Union[str, Callable[[], Any]],
        timer: Optional[Callable[[], float]],
        globals: Optional[dict[str, Any]] = None,
    ) -> None:
        texts = tuple(text for text in (stmt, setup) if isinstance(text, str))
        names = _namespace(texts, globals or {})
        before = None
        if not isinstance(setup, str):
            before, setup = setup, "pass"
        if not isinstance(stmt, str):
            if before is None and setup not in ("pass", ""):
                code = compile(setup, "<setup>", "exec", dont_inherit=True)
                before = lambda: exec(code, names)  # noqa: E731
            super().__init__(stmt, before, timer)
            return
        if before is not None:
            names["_ob_setup"] = before
            setup = "_ob_setup()"
        exec(_compile(stmt, setup), names)
        inner = names.pop("_ob_inner")
        if inner.__code__.co_flags & _GENERATOR:
            raise SyntaxError("a timed statement cannot contain 'yield' or 'await'; put them into a function in the setup")
        super().__init__(inner, None, timer, True)


class CompiledTimer:
    """Times blocks of a statement in C++ or C, in a process of its own. Compiled when it is first used."""

    def __init__(
        self,
        stmt: str,
        setup: str,
        timer: Optional[Callable[[], float]],
        globals: Optional[dict[str, Any]] = None,
        *,
        global_setup: str = "",
        language: str = "c++",
        num_threads: int = 1,
    ) -> None:
        if timer is not None and timer is not time.perf_counter:
            raise NotImplementedError(
                "statements in C and C++ are timed by a clock of their own, in another process; leave out `timer`, or pass "
                "`timer=timeit.default_timer` if the code uses no GPU")
        if globals:
            raise ValueError("C++ timing does not support globals.")
        self._code = (textwrap.dedent(stmt), textwrap.dedent(setup), textwrap.dedent(global_setup), num_threads, language)
        self._process: Any = None

    def timeit(self, number: int = 1000000) -> float:
        if self._process is None:
            from opbench._program import program_path

            self._process = _core.snippet_open((*self._code, program_path(), sys.executable))
        return _core.snippet_time(self._process, max(number, 0))


def _normalise(code: str) -> str:
    """Without common indentation, the newline that a block string begins with, and what follows the last line."""
    code = textwrap.dedent(code)
    return code.removeprefix("\n").rstrip()


def _name_of(callable: Callable[..., Any]) -> str:
    name = getattr(callable, "__qualname__", None) or type(callable).__qualname__
    return f"{name}()"


class Timer:
    """Measures Python code (a statement or a callable) or a statement in C++ or C, as torch.utils.benchmark.Timer does.

    stmt, setup, globals and timer are those of timeit.Timer; stmt may also be a callable without arguments. global_setup is
    code outside functions, for C++ and C. label, sub_label, description and env say what is measured: Compare makes tables of
    them. num_threads is how many threads torch and other libraries use meanwhile.
    """

    _timer_cls: Any = PythonTimer

    def __init__(
        self,
        stmt: Union[str, Callable[[], Any]] = "pass",
        setup: Union[str, Callable[[], Any]] = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: Optional[dict[str, Any]] = None,
        label: Optional[str] = None,
        sub_label: Optional[str] = None,
        description: Optional[str] = None,
        env: Optional[str] = None,
        num_threads: int = 1,
        language: Union[Language, str] = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str) and not callable(stmt):
            raise ValueError("Currently only a `str` stmt is supported, or a callable.")
        self._is_callable = not isinstance(stmt, str) or not isinstance(setup, str)
        self._globals = dict(globals or {})
        self._language = _language_of(language)
        more: dict[str, Any] = {}
        if self._language is Language.PYTHON:
            if global_setup:
                raise ValueError(f"global_setup is C++ only, got `{global_setup}`. It can probably go into `setup`.")
        else:
            if not isinstance(stmt, str) or not isinstance(setup, str):
                raise ValueError("a statement in C++ or C must be a `str`")
            assert self._timer_cls is PythonTimer, "_timer_cls has already been swapped."
            self._timer_cls = CompiledTimer
            setup = "" if setup == "pass" else setup
            more = {"global_setup": global_setup, "language": "c++" if self._language is Language.CPP else "c",
                    "num_threads": num_threads}
        stmt = _normalise(stmt) if isinstance(stmt, str) else stmt
        setup = _normalise(setup) if isinstance(setup, str) else setup
        self._has_own_clock = timer is not _DEFAULT_TIMER
        self._timer = self._timer_cls(
            stmt=stmt, setup=setup, timer=self._clock(timer),
            globals=timer_interface.CopyIfCallgrind.unwrap_all(self._globals), **more)
        self._task_spec = common.TaskSpec(
            stmt=stmt if isinstance(stmt, str) else _name_of(stmt),
            setup=setup if isinstance(setup, str) else _name_of(setup),
            global_setup=global_setup, label=label, sub_label=sub_label, description=description, env=env,
            num_threads=num_threads)

    def _clock(self, timer: Callable[[], float]) -> Optional[Callable[[], float]]:
        """The loops' own clock where it does: it is the one that time.perf_counter reads."""
        if self._timer_cls not in (PythonTimer, CompiledTimer):
            return timer
        if timer is time.perf_counter:
            return None
        if timer is not _DEFAULT_TIMER:
            return timer
        synchronise = _synchronise()
        if synchronise is None:
            return None

        def device_timer() -> float:
            synchronise()
            return time.perf_counter()

        return device_timer

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def _warms_up(self) -> bool:
        """Whether one run comes before the block size is looked for, so that a slow first one does not mislead it.

        A clock or loop of the caller's is called exactly as often as the original calls it.
        """
        return (not self._has_own_clock and type(self._timer) in (PythonTimer, CompiledTimer)
                and getattr(self._timeit, "__func__", None) is Timer._timeit)

    def _measurement(self, result: tuple[int, list[float]]) -> common.Measurement:
        number, times = result
        return common.Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number: int = 1000000) -> common.Measurement:
        """Times one block of `number` runs, after a warm-up of a hundredth of it."""
        with common.set_torch_threads(self._task_spec.num_threads):
            return self._measurement(_core.timeit(self._timeit, int(number)))

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Optional[Callable[[int, float], Any]] = None) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(
        self, callback: Optional[Callable[[int, float], Any]] = None, min_run_time: float = 0.2
    ) -> common.Measurement:
        """Runs blocks until they have taken min_run_time seconds in all; at least one.

        Their size is a power of ten, found before: so large that reading the clock is below a ten-thousandth of a block.
        callback is called with the size and the seconds of each.
        """
        with common.set_torch_threads(self._task_spec.num_threads):
            return self._measurement(_core.blocked_autorange(self._timeit, min_run_time, callback or None, self._warms_up()))

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: Optional[float] = 10.0,
        callback: Optional[Callable[[int, float], Any]] = None,
    ) -> common.Measurement:
        """Runs blocks, at least four, until their interquartile range is below this fraction of the median.

        They take min_run_time seconds at least; the one that goes beyond max_run_time is the last (0 or None: no limit).
        """
        with common.set_torch_threads(self._task_spec.num_threads):
            return self._measurement(_core.adaptive_autorange(
                self._timeit, threshold, min_run_time, max_run_time or 0, callback or None, self._warms_up()))

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: Optional[int] = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ) -> Any:
        """Counts the instructions of `number` runs under valgrind, in a process of its own.

        globals must be wrapped in CopyIfCallgrind: they are copied to that process. Returns CallgrindStats, or with repeats a
        tuple of them. The baseline is the count of an empty statement. retain_out_file is taken and has no file to keep: a
        count is the difference of two of callgrind's dumps.
        """
        if self._is_callable:
            raise ValueError("`collect_callgrind` currently only supports string `stmt`")
        if repeats is not None and repeats < 1:
            raise ValueError("If specified, `repeats` must be >= 1")
        if number < 1:
            raise ValueError("`number` must be >= 1")
        is_python = self._language is Language.PYTHON
        timer_interface.check_globals(self._globals)
        self._timeit(1)  # a faulty statement fails here, in this process
        result = timer_interface.wrapper_singleton().collect_callgrind(
            task_spec=self._task_spec, globals=self._globals, number=number, repeats=repeats or 1,
            collect_baseline=collect_baseline and is_python, is_python=is_python, retain_out_file=retain_out_file,
            language={Language.PYTHON: "python", Language.CPP: "c++", Language.C: "c"}[self._language])
        return result[0] if repeats is None else result


_DEFAULT_TIMER = timer


def _language_of(language: Any) -> Language:
    found = language if isinstance(language, Language) else _LANGUAGES.get(language) if isinstance(language, str) else None
    if found is None and getattr(language, "name", None) in Language.__members__:  # the original's
        found = Language[language.name]
    if found is None:
        raise ValueError(f"Invalid language `{language}`.")
    return found
