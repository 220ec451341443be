# SPDX-License-Identifier: Apache-2.0
"""A bar while something is measured: tqdm's where it is installed, a line on a terminal where it is not, nothing elsewhere."""

import sys
import warnings

from opbench._result import is_result


def _is_seen():
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _make_bar(maker, command):
    if maker is None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # without widgets a notebook gets a bar of text
                from tqdm.auto import tqdm as maker
        except ImportError:
            return _Line(command)
    return maker(total=None, unit="case", desc=f"opbench {command}", leave=False)


class _Line:
    """tqdm's protocol, as far as it is used here."""

    def __init__(self, command):
        self.total = None
        self.n = 0
        self._command = command
        self._call = ""

    def set_postfix_str(self, text, refresh=True):
        self._call = text

    def update(self, count):
        self.n += count
        of = f" of {self.total}" if self.total else ""
        print(f"\r\033[Kopbench {self._command}: {self.n}{of}  {self._call[:60]}", end="", file=sys.stderr, flush=True)

    def refresh(self):
        self.update(0)

    def close(self):
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _sides(header):
    """How many results a case has: one for each backend, or side of a diff."""
    given = (header.get("run_options") or {}).get("cmd_args") or {}
    named = [name for name in str(given.get("backend") or "").split(",") if name]
    sides = given.get("side") or [side for side in (given.get("a"), given.get("b")) if side]
    return max(len(named), len(sides), 1)


class Progress:
    """Fed with the records of a run. wanted: None = where somebody sees it, True, False, or a maker of bars like tqdm."""

    def __init__(self, command, wanted=None):
        self._bar = None
        if wanted is not False and (wanted is not None or _is_seen()):
            self._bar = _make_bar(wanted if callable(wanted) else None, command)

    def take(self, line):
        if self._bar is None:
            return
        if is_result(line):
            if hasattr(self._bar, "set_postfix_str"):
                self._bar.set_postfix_str(str(line.get("call") or line.get("op_name"))[:60], refresh=False)
            self._bar.update(1)
        elif isinstance(line, dict) and isinstance(line.get("cases"), int):
            self._bar.total = line["cases"] * _sides(line)
            self._bar.refresh()

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None
