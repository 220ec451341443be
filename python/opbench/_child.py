# SPDX-License-Identifier: Apache-2.0
"""Starting the program, following the file of records that it writes, and its messages as exceptions and warnings.

Measuring happens in the program and its workers, never in this process: libraries of the user's Python and of a backend do
not meet, a crash is a record, and this process sleeps meanwhile.
"""

import os
import re
import select
import signal
import subprocess
import sys
import time
import warnings

from opbench._core import Error, InputError
from opbench._program import program_path

# How often the file is looked at; a look takes microseconds.
_LOOK_EVERY_S = 0.03
# What an interrupted program is given to end its workers and its file.
_END_WITHIN_S = 5.0
_MESSAGE = re.compile(r"(?:opbench(?: [\w-]+)?|(?P<file>.*?)(?::(?P<line>\d+)(?::(?P<column>\d+))?)?): "
                      r"(?P<kind>error|warning): (?P<text>.*)", re.S)
_PATH = re.compile(r"(?P<path>\.(?:\"[^\"]*\"|[\w\[\]-])[^:\s]*): (?P<text>.*)", re.S)


class OpbenchWarning(UserWarning):
    """A warning of the program: about the machine, a library, or a result not to be trusted."""


def _messages(text):
    """Lines of standard error as messages: those that are indented, or say nothing of their kind, belong to the one before."""
    found = []
    for line in text.splitlines():
        matched = _MESSAGE.match(line)
        if matched:
            found.append([matched, [matched["text"]]])
        elif found and line.strip():
            found[-1][1].append(line.strip())
    return found


def error_of(text, code):
    """The first error of the program as an exception."""
    for matched, lines in _messages(text):
        if matched["kind"] != "error":
            continue
        body = lines[0]
        error = (InputError if code == 2 else Error)("")
        if matched["file"]:
            error.file = matched["file"]
            error.line = int(matched["line"]) if matched["line"] else None
            error.column = int(matched["column"]) if matched["column"] else None
            place = _PATH.match(body)
            if place:
                error.path = place["path"]
        if "; " in body:
            error.fix = body.rsplit("; ", 1)[1]
        where = ":".join(str(part) for part in (error.file, error.line, error.column) if part is not None)
        error.args = (f"{where}: {body}" if where else body,)
        return error
    last = text.strip().splitlines()[-1:] or [f"opbench ended with exit code {code}"]
    return Error(last[0])


def outside():
    """The stacklevel of the first frame that is not this package's: where the user's call is."""
    package, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == package:
        level, frame = level + 1, frame.f_back
    return level


def warn_of(text):
    for matched, lines in _messages(text):
        if matched["kind"] == "warning":
            warnings.warn(" ".join(lines), OpbenchWarning, stacklevel=outside())


def ask(words, accepts=(0,), folder=None):
    """The program's standard output; an exit code that is not accepted is an exception."""
    done = subprocess.run([program_path(), *words], stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd=folder)
    if done.returncode not in accepts:
        raise error_of(done.stderr.decode("utf-8", "replace"), done.returncode)
    return done.stdout.decode("utf-8", "replace")


class Child:
    """The program, while it measures. Lines of its file come by lines()."""

    def __init__(self, words, path, config=None):
        self.path = path
        self.messages = b""
        self._is_made = config is not None
        self.code = None
        self._begin = os.path.getsize(path) if os.path.exists(path) else 0
        standard_input = subprocess.DEVNULL
        if config is not None:
            standard_input = os.memfd_create("opbench-config")
            os.write(standard_input, config)
            os.lseek(standard_input, 0, os.SEEK_SET)
        try:
            self._process = subprocess.Popen([program_path(), *words], stdin=standard_input, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.PIPE)
        finally:
            if config is not None:
                os.close(standard_input)

    def _listen(self, seconds):
        """Takes what the program says; False when it has said all."""
        pipe = self._process.stderr.fileno()
        if not select.select([pipe], [], [], seconds)[0]:
            return True
        got = os.read(pipe, 65536)
        self.messages = (self.messages + got)[-1000000:]
        return bool(got)

    def lines(self):
        """Each whole line of the file as it comes, until the program ends."""
        rest, file, goes_on = b"", None, True
        try:
            while goes_on:
                goes_on = self._listen(_LOOK_EVERY_S)
                if not goes_on:
                    self.code = self._process.wait()
                if file is None and os.path.exists(self.path):
                    file = open(self.path, "rb")  # pylint: disable=consider-using-with
                    file.seek(self._begin)
                if file is not None:
                    *whole, rest = (rest + file.read()).split(b"\n")
                    yield from whole
        except BaseException:
            self.interrupt()
            raise
        finally:
            if file is not None:
                file.close()
            self._process.stderr.close()

    def interrupt(self):
        """Twice: the first interrupt ends after the present case, the second at once."""
        end = time.monotonic() + _END_WITHIN_S
        while self._process.poll() is None and time.monotonic() < end:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self.code = self._process.returncode
        self._process.stderr.close()

    def text(self):
        text = self.messages.decode("utf-8", "replace")
        # A config that is a dict here comes to the program that way.
        return text.replace("<stdin>:", "<config>:") if self._is_made else text
