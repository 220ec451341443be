# SPDX-License-Identifier: Apache-2.0
"""Measuring Python functions: alone, or several in turns, in this process or in fresh ones.

A block of calls is timed by a loop in C (opbench._core.Loop), with the collector off. Functions take turns block by block, in an
order that is reversed each time, so that changes of the machine affect all of them. The outcome is a file of records, and the
library reaches the verdicts on it.
"""

import hashlib
import os
import time

from opbench._core import InputError, Loop, write_records
from opbench._result import Diff, Folder

BLOCK_S = 0.001
LEAST_BLOCKS = 10
_MOST_SIDES = 64


def name_of(function):
    """How a function is called in tables."""
    name = getattr(function, "__qualname__", None) or getattr(getattr(function, "func", None), "__qualname__", None)
    if not name:
        return type(function).__name__
    if name.endswith("<lambda>") and getattr(function, "__code__", None) is not None:
        return f"lambda (line {function.__code__.co_firstlineno})"
    return name.rsplit("<locals>.", 1)[-1]


def key_of(text):
    """What a case is found by in another file."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _loop(function, setup):
    from opbench.benchmark.utils import timer as clocks

    # Where torch has a device, its work is waited for before each reading of the clock.
    return Loop(function, setup, clocks.timer if clocks._synchronise() is not None else None)


def _block_size(loop, block_s):
    """How many calls take about block_s seconds; at least one. The first call is a warm-up."""
    loop.timeit(1)
    number = 1
    while number < 10**9:
        seconds = loop.timeit(number)
        if seconds >= block_s / 2:
            return max(1, round(number * block_s / seconds)) if seconds < block_s else number
        number = min(number * 10, max(number + 1, int(number * block_s / max(seconds, 1e-9))))
    return number


def take_turns(functions, budget, setup=None, block_s=BLOCK_S, least=LEAST_BLOCKS):
    """[(number, [seconds per block, ...]), ...] of each function; budget: seconds of all together."""
    loops = [_loop(function, setup) for function in functions]
    numbers = [_block_size(loop, block_s) for loop in loops]
    times = [[] for _ in loops]
    order = list(range(len(loops)))
    end = time.monotonic() + budget
    while len(times[0]) < least or time.monotonic() < end:
        for side in order:
            times[side].append(loops[side].timeit(numbers[side]))
        order.reverse()
        if time.monotonic() > end + 20 * budget + 10:  # slow functions: what there is must do
            break
    return list(zip(numbers, times))


def result_of(call, number, times, case=None, **more):
    """A result as write_records takes it."""
    return {"id": case or "callable", "key": key_of(case or "callable"), "call": call, "number": number, "times": times,
            "seconds": sum(times), **more}


# ---- fresh processes ----


def _not_there(what, reason):
    """Of a function that another process cannot have."""
    fix = "define it with def in a module, or in a script with if __name__ == '__main__', or measure in this process: leave out processes"
    error = InputError(f"{what} ({reason}); {fix}")
    error.fix = fix
    return error


def _check_picklable(functions):
    import pickle

    for function in functions:
        try:
            pickle.dumps(function)
        except Exception as reason:
            raise _not_there(f"{name_of(function)} cannot be sent to another process", reason) from reason


def _fresh(functions, budget, processes, setup):
    """The same in fresh processes one after the other: times joined, and how many each process gave. Number: of the first."""
    import concurrent.futures
    import multiprocessing

    _check_picklable([*functions, *([setup] if setup else [])])
    context = multiprocessing.get_context("spawn")
    joined = [[0, [], []] for _ in functions]
    for _ in range(processes):
        try:
            with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
                measured = pool.submit(take_turns, functions, budget / processes, setup).result()
        except concurrent.futures.process.BrokenProcessPool as reason:
            raise _not_there("the measuring process ended, as it does when it cannot find the functions", reason) from reason
        for side, (number, times) in zip(joined, measured):
            side[0] = side[0] or number
            # The samples of one record are of blocks of one size.
            side[1] += [seconds * side[0] / number for seconds in times]
            side[2].append(len(times))
    return joined


# ---- diff ----


def _side_names(functions, names):
    if names is not None:
        made = [str(name) for name in names]
    else:
        made = [name_of(function) for function in functions]
    if len(set(made)) != len(made):
        made = [chr(ord("a") + i) for i in range(len(functions))] if names is None else made
    if len(made) != len(functions) or len(set(made)) != len(made):
        raise InputError("give as many names as functions, all different")
    return made


def diff_callables(functions, names=None, budget=1.0, processes=1, setup=None, records=None, force=False, **verdicts):
    """See opbench.diff."""
    from opbench._options import in_group, words_of

    if not 2 <= len(functions) <= _MOST_SIDES:
        raise InputError(f"diff() compares 2 to {_MOST_SIDES} functions")
    if not isinstance(processes, int) or processes < 1 or not budget > 0:
        raise InputError("processes must be 1 or more, and budget above 0 seconds")
    own = {name: "it does not apply to functions; see help(opbench.diff)" for name in
           set(verdicts) - in_group("diff", "Verdicts")}
    options = words_of("diff", "diff", verdicts, own)
    sides = _side_names(functions, names)
    if processes > 1:
        measured = _fresh(functions, budget, processes, setup)
    else:
        measured = [(number, times, None) for number, times in take_turns(functions, budget, setup)]
    results = []
    for i, (number, times, each) in enumerate(measured):
        more = {"side": sides[i], "reference": sides[0] if i else None, "process_samples": each,
                "processes": processes if processes > 1 else None}
        results.append(result_of(name_of(functions[i]), number, times, **more))
    folder = Folder() if records is None else None
    path = folder.path if folder else os.fspath(records)
    write_records(path, "functions", results, force)
    return Diff([path], options, folder, advice="Measure with processes=10")
