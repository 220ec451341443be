# SPDX-License-Identifier: Apache-2.0
"""The process of a Python snippet. opbench starts it with `python3 -c` and talks to it on a socket.

Both sides speak in the messages of src/process/wire.h. The first is JSON: stmt, setup, threads, and the library that
switches callgrind or null. Then one request each: "time N", "count N W R", "baseline N" or "blocks", as
src/snippet/serve.c has them. The statement is
put into the loop as a tree, not as text, so nothing in it is indented again or escaped. The cyclic garbage
collector is off while anything is timed or counted. Code that does not compile, or leaves the loop around it, is
"refused", not an error.
"""

import ast
import ctypes
import gc
import inspect
import itertools
import json
import resource
import socket
import struct
import sys
import time
import traceback

SOCKET = 3
HEAD = struct.Struct("=IHHII")  # mark, version, type, size, check: as in src/process/wire.c
MARK, VERSION = 0x4F424D53, 1
ASK, ANSWER, FAILED, CANNOT = 6, 7, 8, 9  # the order of OB_MESSAGE_MAP
NAME = "<snippet>"
WARM_ROUNDS = 50
STMT_LINES = 1000000  # lines of the statement are numbered from here, those of the setup from 0
FRAME = """
def inner(_ob_blocks):
    for _ob_n in _ob_blocks:
        for _ob_i in _ob_repeat(None, _ob_n):
            pass
        else:
            continue
        return None
    return _ob_whole
"""
WHOLE = object()
LEFT_LOOP = ("the statement leaves the loop around it (break, return or yield), so it cannot be run many times; put "
             "it into a function of the setup, or into a loop of its own")
IS_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class LeftLoop(Exception):
    """The statement ended the loop around it, so it has no number of runs."""


def make_inner(stmt, setup):
    """The function that runs setup once and then the statement in the blocks it is given."""
    frame = ast.parse(FRAME)
    function = frame.body[0]
    body = ast.parse(stmt, "stmt")
    before = ast.parse(setup, "setup")
    ast.increment_lineno(body, STMT_LINES)
    loop = function.body[0].body[0]
    if body.body:
        loop.body = body.body
    function.body[0:0] = before.body
    code = compile(frame, NAME, "exec")
    names = {"_ob_repeat": itertools.repeat, "_ob_whole": WHOLE, "__name__": "__main__"}
    if "torch" in stmt or "torch" in setup:
        import torch

        names["torch"] = torch
    exec(code, names)
    if names["inner"].__code__.co_flags & IS_GENERATOR:
        raise LeftLoop(LEFT_LOOP)
    return names["inner"]


def time_blocks(n, result):
    """One block, and in result the seconds it took."""
    start = time.perf_counter()
    yield n
    result.append(time.perf_counter() - start)


def asked_blocks(server, who):
    """Blocks, one for each request; the answer to the previous request is sent first."""
    answer = b"0"
    while True:
        server.send(ANSWER, answer)
        request = server.receive()
        if request is None:
            sys.exit()
        number = int(request.split()[1])
        before = resource.getrusage(who)
        start = time.perf_counter()
        yield number
        seconds = time.perf_counter() - start
        after = resource.getrusage(who)
        peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        faults = after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt
        answer = b"%.17g %d %d %d %d" % (seconds, after.ru_nvcsw - before.ru_nvcsw,
                                         after.ru_nivcsw - before.ru_nivcsw, faults, peak_kib)


def count_blocks(switch, n, warmup, repeats):
    """The warm-up, then blocks of n and 2n runs that callgrind collects.

    Warm-up and counting go the same way, for the interpreter adapts whatever it has run a few times.
    """
    nothing = switch.ob_callgrind_nothing
    measured = (switch.ob_callgrind_begin, switch.ob_callgrind_end)
    plan = [(nothing, nothing, 1)] * WARM_ROUNDS + [(nothing, nothing, warmup)]
    plan += [(*measured, n), (*measured, 2 * n)] * repeats
    gc.collect()
    for begin, end, number in plan:
        begin()
        yield number
        end()


def explain(error):
    """The exception, and where in the user's code it was."""
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}: " if error.filename else ""
        return f"the snippet does not compile:\n{place}{type(error).__name__}: {error.msg}"
    if isinstance(error, LeftLoop):
        return LEFT_LOOP
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    if isinstance(error, ModuleNotFoundError):
        text += f" in {sys.executable}; name another interpreter with --python"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == NAME:
            in_stmt = frame.lineno > STMT_LINES
            line = frame.lineno - STMT_LINES if in_stmt else frame.lineno
            return f"{'stmt' if in_stmt else 'setup'}:{line}: {text}"
    return text


def check_of(kind, size):
    return (MARK ^ (kind * 2654435761) ^ (size * 40503)) & 0xFFFFFFFF


class Server:
    def __init__(self, connection):
        self.connection = connection

    def send(self, kind, text):
        self.connection.sendall(HEAD.pack(MARK, VERSION, kind, len(text), check_of(kind, len(text))) + text)

    def read(self, size):
        """So many bytes; None at the end."""
        data = bytearray()
        while len(data) < size:
            piece = self.connection.recv(size - len(data))
            if not piece:
                return None
            data += piece
        return bytes(data)

    def receive(self):
        """The next request; None at the end."""
        head = self.read(HEAD.size)
        if head is None:
            return None
        mark, version, kind, size, check = HEAD.unpack(head)
        if (mark, version, kind, check) != (MARK, VERSION, ASK, check_of(kind, size)):
            raise ValueError("not a request")
        data = self.read(size)
        return None if data is None else data.decode("utf-8")

    def start(self, text):
        task = json.loads(text)
        self.inner = make_inner(task["stmt"], task["setup"])
        self.empty = make_inner("pass", task["setup"])
        self.switch = None
        if task["switch"] is not None:
            self.switch = ctypes.CDLL(task["switch"])
            self.switch.ob_callgrind_ready()
        self.who = resource.RUSAGE_SELF if task["threads"] > 1 else resource.RUSAGE_THREAD
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(task["threads"])

    def run(self, words):
        numbers = [int(word) for word in words[1:]]
        result = [0.0]
        if words[0] == "time":
            whole = self.inner(time_blocks(numbers[0], result))
        elif words[0] == "blocks":
            whole = self.inner(asked_blocks(self, self.who))
        elif words[0] == "count":
            whole = self.inner(count_blocks(self.switch, *numbers))
        else:
            whole = self.empty(count_blocks(self.switch, numbers[0], numbers[0], 1))
        if whole is not WHOLE:
            raise LeftLoop(LEFT_LOOP)
        return result[-1]

    def serve(self, request, first):
        """Answers one request; the first is the task itself."""
        gc.disable()
        try:
            result = 0.0
            if first:
                self.start(request)
            else:
                result = self.run(request.split())
            self.send(ANSWER, b"%.17g" % result)
        except Exception as error:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()  # whoever asked shows what was printed
            text = explain(error).encode("utf-8", "replace")[:4000]
            never = isinstance(error, LeftLoop) or (first and isinstance(error, SyntaxError))
            self.send(CANNOT if never else FAILED, text)
        finally:
            gc.enable()


def main():
    server = Server(socket.socket(fileno=SOCKET))
    first = True
    while (request := server.receive()) is not None:
        server.serve(request, first)
        first = False


main()
