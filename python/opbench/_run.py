# SPDX-License-Identifier: Apache-2.0
"""opbench.run, time, replay, sweep, diff and load: the commands, with their options by keyword.

Each call starts the program and follows its file of records. With stream=True it returns an iterator of the records as they
come; otherwise it waits, so that nothing of this process disturbs what is measured, and returns a Result.
"""

import json
import os

from opbench import _child
from opbench._core import Error, InputError
from opbench._options import in_group, rows_of, words_of
from opbench._progress import Progress
from opbench._result import Diff, Folder, Result, Stored, check_file, is_result
from opbench._tensor import Tensors


# ---- what is measured ----


def _config_of(config):
    """A path, or a config in memory as text: a dict, or anything that has one, as PARAM's BenchmarkConfig."""
    if isinstance(config, (str, os.PathLike)):
        return os.fspath(config), None
    if not isinstance(config, dict) and isinstance(getattr(config, "bench_config", None), dict):
        from opbench.param import as_opbench

        config = as_opbench(config.bench_config)
    if callable(getattr(config, "config", None)) and not isinstance(config, dict):  # a Capture
        config = config.config()
    if not isinstance(config, dict):
        raise InputError(f"a config must be a path or a dict, not {type(config).__name__}; see docs/configs.md")
    try:
        return "-", json.dumps(config).encode()
    except (TypeError, ValueError) as reason:
        raise InputError(f"the config cannot be written as JSON: {reason}; use numbers, strings, lists and dicts") from reason


def _looks_like_file(text):
    return text == "-" or os.path.exists(text) or "/" in text or text.endswith((".json", ".yaml", ".yml", ".jsonl"))


def _is_words(config, args):
    """Whether an operator is named rather than a config."""
    return isinstance(config, str) and (bool(args) or not _looks_like_file(config))


def _operator_words(tensors, args, build, kwargs):
    words = []
    if build is not None:
        positional, named = (build, {}) if not isinstance(build, dict) else ((), build)
        words += [tensors.word(value) for value in positional]
        words += [f"{name}={tensors.word(value)}" for name, value in named.items()]
        words.append("/")
    words += [tensors.word(value) for value in args]
    return words + [f"{name}={tensors.word(value)}" for name, value in (kwargs or {}).items()]


# ---- running it ----


class Stream:
    """Records as they come. `result` has all of them when the iteration is over; ending it early ends the program."""

    def __init__(self, child, progress, make, tensors=None):
        self._child = child
        self._progress = progress
        self._make = make
        self._tensors = tensors
        self._lines = []
        self._records = None  # made when it is first asked: it holds on to this object
        self.result = None

    def _follow(self):
        try:
            for text in self._child.lines():
                try:
                    line = json.loads(text)
                except ValueError:
                    continue  # a line of somebody else's, in a file that was appended to
                self._lines.append(line)
                self._progress.take(line)
                if is_result(line):
                    yield line
        except KeyboardInterrupt as interrupt:
            interrupt.result = self._make(self._lines)
            raise
        finally:
            self._progress.close()
            if self._tensors is not None:
                self._tensors.close()
        self._end()

    def _end(self):
        text, code = self._child.text(), self._child.code
        if code == 2 or (code != 0 and not any(map(is_result, self._lines))):
            raise _child.error_of(text, code)
        if code < 0:
            raise Error(f"opbench was ended by signal {-code}")
        _child.warn_of(text)
        self.result = self._make(self._lines)

    def __iter__(self):
        return self

    def __next__(self):
        if self._records is None:
            self._records = self._follow()
        return next(self._records)

    def close(self):
        """Ends the program, if it still runs."""
        if self._records is not None:
            self._records.close()
        if self._child.code is None:
            self._child.interrupt()

    def __del__(self):
        self.close()


def _start(command, words, option, given, *, progress, stream, config=None, tensors=None, make=None):
    """option: which one names the file of records; given: the user's own."""
    folder = None if given is not None else Folder()
    path = os.fspath(given) if given is not None else folder.path
    if make is None:
        def make(lines):
            return Result([path], folder, lines)
    child = _child.Child([command, f"--{option}={path}", *words], path, config)
    running = Stream(child, Progress(command, progress), make, tensors)
    if stream:
        return running
    for _ in running:
        pass
    return running.result


def _take_output(options, option):
    given = options.pop(option, None)
    if given is None and any(options.get(name) for name in ("append", "resume", "force")):
        raise InputError(f"append, resume and force need a file; name it with {option}=...")
    return given


def _measure(function, command, option, first, options, progress, stream, **more):
    given = _take_output(options, option)
    own = {"config": "it is the first argument", "op": None}
    words = words_of(function, command, options, {k: v for k, v in own.items() if v})
    return _start(command, [*words, *first], option, given, progress=progress, stream=stream, **more)


# ---- the commands ----


def run(config, *args, build=None, kwargs=None, progress=None, stream=False, **options):
    """Measures the cases of a config, or an operator.

        opbench.run("ops.json", backend=["native", "torch"], min_time=0.2)
        opbench.run({"torch.add": {...}})
        opbench.run("torch.softmax", "f32[{64,256},1024]", -1, backend="native")
        opbench.run("torch.nn.Linear", x, build=(128, 64))

    config: a path, a dict, or anything with a dict in `bench_config`; or an operator followed by its arguments: numbers,
    strings in the notation of docs/timer.md, tensors of NumPy or PyTorch. build: its constructor's arguments; kwargs: keyword
    arguments. options: every option of `opbench run`, with _ for -, such as backend, device, min_time, check, num_threads, output.
    """
    if _is_words(config, args):
        tensors = Tensors()
        words = ["--", config, *_operator_words(tensors, args, build, kwargs)]
        return _measure("run", "run", "output", words, options, progress, stream, tensors=tensors)
    if args:
        raise InputError("arguments go with an operator's name, not with a config")
    name, text = _config_of(config)
    return _measure("run", "run", "output", ["--config=" + name], options, progress, stream, config=text)


def time(op, *args, build=None, kwargs=None, progress=None, stream=False, **options):
    """Measures as torch.utils.benchmark does: an operator on its arguments, or the cases of a config.

        opbench.time("torch.add", "f32[64,64]", "f32[64,64]", backend=["native", "torch"])
        opbench.time("torch.mm", x, y, adaptive=True)

    Arguments as in run; options are those of `opbench time`.
    """
    if _is_words(op, args):
        tensors = Tensors()
        words = [f"--op={op}", "--", *_operator_words(tensors, args, build, kwargs)]
        return _measure("time", "time", "output", words, options, progress, stream, tensors=tensors)
    name, text = _config_of(op)
    return _measure("time", "time", "output", ["--config=" + name], options, progress, stream, config=text)


def replay(*traces, progress=None, stream=False, **options):
    """Replays the operator calls of execution traces; options are those of `opbench replay`."""
    if not traces:
        raise InputError("replay() needs a trace: opbench.replay('step.json')")
    return _measure("replay", "replay", "output", ["--", *map(os.fspath, traces)], options, progress, stream)


def sweep(file, progress=None, stream=False, **options):
    """Measures a model over sizes and precisions (docs/sweep.md); file: a path or a dict. options are those of `opbench sweep`.

    The result's table and to_csv() hold the rows; `output` names a file for the rows, `records` one for the records.
    """
    name, text = _config_of(file)
    rows, folder = options.pop("output", None), Folder()
    if rows is None:  # the program wants a place for the rows, too
        _take_output({**options, "records": None}, "output")
        rows = os.path.join(folder.name, "rows.csv")
        options.setdefault("records", folder.path)
    options.setdefault("records", os.path.splitext(os.fspath(rows))[0] + ".jsonl")
    path = os.fspath(options["records"])
    words = [f"--output={os.fspath(rows)}", "--", name]

    def make(lines):
        return Result([path], folder, lines)

    return _measure("sweep", "sweep", "records", words, options, progress, stream, config=text, make=make)


def load(files):
    """Loads stored results: a path, or a list of paths. Only the beginning of each file is checked now; the rest is read when it
    is needed."""
    is_one = isinstance(files, (str, bytes, os.PathLike)) or not hasattr(files, "__iter__")
    paths = [files] if is_one else list(files)
    for path in paths:
        check_file(path)
    return Result(paths)


# ---- diff ----


def _stored_paths(value):
    """The files of a side that was measured before; None: it is none."""
    if isinstance(value, Stored):
        return value.paths
    if isinstance(value, os.PathLike) or (isinstance(value, str) and os.path.isfile(value)):
        return [os.fspath(value)]
    return None


def diff(first, *others, a=None, b=None, names=None, build=None, kwargs=None, progress=None, **options):
    """Is it faster or slower? Returns a Diff, with a verdict for each case.

        opbench.diff("before.json", "after.json")                     # results, as files or Result objects
        opbench.diff(old_function, new_function)                      # Python: in turns, in this process
        opbench.diff(old_function, new_function, processes=10)        # in fresh processes
        opbench.diff("torch.mm", x, y, a="native", b="onednn")        # sides, measured now
        opbench.diff("ops.json", a="old:plugin=old.so,backend=mine", b="new:plugin=new.so,backend=mine")

    names: what to call stored results or functions in the table. options are those of `opbench diff`; for functions:
    budget, processes, setup, threshold, floor, fail_on and records.
    """
    given = [first, *others]
    if all(callable(value) and not isinstance(value, type) for value in given) and not isinstance(first, Stored):
        from opbench._callables import diff_callables

        return _judged(diff_callables(given, names=names, **options))
    for value in given:
        if len(given) > 1 and isinstance(value, str) and value.endswith((".json", ".jsonl")) and a is None and b is None:
            check_file(value)  # results: one that is missing is told of by its name
    stored = [_stored_paths(value) for value in given]
    wants_sides = a is not None or b is not None or any(options.get(name) for name in ("side", "sides", "axis", "backend"))
    if all(stored) and not wants_sides:
        if options.get("allow") is not None:
            options["allow"] = os.path.abspath(options["allow"])
        if names is None and any(isinstance(value, Stored) and value.is_temporary for value in given):
            names = [chr(ord("a") + i) for i in range(len(given))]  # their files have names that nobody gave
        if names is not None and any(len(paths) > 1 for paths in stored):
            raise InputError("names can only be given to results of one file each")
        return _judged(Diff([path for paths in stored for path in paths], words_of("diff", "diff", options), given, names))
    return _diff_sides(first, others, {**options, "a": a, "b": b}, build, kwargs, progress)


def _judged(made):
    made._all()  # what is wrong with the files is told now
    return made


def _diff_sides(first, args, options, build, kwargs, progress):
    given = options.pop("records", None)
    verdicts = {name: options[name] for name in in_group("diff", "Verdicts") & set(options)}
    own = {"output": "the result has .save(), .to_csv() and .show(format)"}
    words = words_of("diff", "diff", options, own)
    folder = Folder() if given is None else None
    path = folder.path if folder else os.fspath(given)
    tensors, text = None, None
    if isinstance(first, str) and _is_words(first, args):
        tensors = Tensors()
        words += [f"--op={first}", "--", *_operator_words(tensors, args, build, kwargs)]
    else:
        name, text = _config_of(first)
        words.append("--config=" + name)
    later = words_of("diff", "diff", verdicts)

    def make(_):
        return Diff([path], later, folder)

    made = _start("diff", words, "records", path, progress=progress, stream=False, config=text, tensors=tensors, make=make)
    return _judged(made)


# What help(opbench.run) cannot say without starting the program.
def options_of(command):
    """The options of a command: {keyword: what it does}."""
    return {name: row.get("help", "") for name, row in rows_of(command).items() if row.get("help") and not row.get("refused")}
