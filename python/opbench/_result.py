# SPDX-License-Identifier: Apache-2.0
"""Results: files of records, with their tables, pictures and data frames.

Tables, CSV and pages are the program's: what `opbench show`, `diff`, `plot` and `report` print of the same files.
"""

import gc
import html
import json
import os
import re
import shutil
import tempfile
import weakref

from opbench._child import ask
from opbench._core import InputError, result_rows
from opbench._options import words_of

# A page of more results takes a browser too long inside a notebook.
_MOST_ON_PAGE = 500
# Columns of a data frame: their names, those of the rows of `opbench show`, and what makes seconds of its nanoseconds.
_COLUMNS = (
    ("operator", "operator", None), ("id", "id", None), ("call", "call", None), ("shapes", "shapes", None), ("dtypes", "dtypes", None),
    ("backend", "backend", None), ("side", "side", None), ("device", "device", None), ("threads", "threads", None),
    ("pass", "pass", None), ("median", "median", 1e-9), ("low", "interval/low", 1e-9), ("high", "interval/high", 1e-9),
    ("n", "samples", None), ("gflops", "gflop_per_second", None), ("gbps", "gb_per_second", None), ("status", "status", None),
    ("reason", "reason", None),
)
# What `opbench time` measured on several backends stands below each other, and needs to say on which.
_TIMER_MODES = ("blocked", "adaptive", "timeit")
_TIMER_COLUMNS = "call,backend,status,pass,median,+- CI95,p99,samples,GFLOP/s,GB/s"


def _remove(folder, owner):
    if os.getpid() == owner:  # a child that was forked ends, and its parent still has it
        shutil.rmtree(folder, ignore_errors=True)


class Folder:
    """A folder for files without a name of the user's; removed with the last result that uses it."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="opbench-")
        self.path = os.path.join(self.name, "records.json")
        weakref.finalize(self, _remove, self.name, os.getpid())


class Picture:
    """An SVG picture; notebooks show it."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path, force=False):
        """Writes the SVG to a file."""
        return _write(path, self.svg, force)

    def __repr__(self):
        return f"<opbench.Picture: SVG of {len(self.svg)} bytes>"


def _refuse_existing(path, force):
    if os.path.exists(path) and not force:
        error = InputError(f"{path} already exists; give force=True to replace it, or another name")
        error.file, error.fix = str(path), "give force=True to replace it, or another name"
        raise error


def _write(path, text, force):
    _refuse_existing(path, force)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def _wrong_line(path, number, reason):
    error = InputError(f"{path}:{number}: this is not a record: {reason}; give files that opbench wrote")
    error.file, error.line, error.fix = str(path), number, "give files that opbench wrote"
    return error


def _unreadable(path, reason):
    error = InputError(f"{path}: {getattr(reason, 'strerror', None) or reason}; check the path")
    error.file, error.fix = str(path), "check the path"
    return error


def _open(path):
    """A regular file: it is read several times, and a device has no end."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a path must be a string, not {type(path).__name__}")
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise OSError(0, "it is not a regular file")
        return open(path, "rb")
    except (OSError, ValueError) as reason:
        raise _unreadable(path, reason) from reason


def check_file(path):
    """That there is a file, and that its first line is a record."""
    with _open(path) as file:
        first = file.readline()
    try:
        if not isinstance(json.loads(first), dict):
            raise ValueError("it is not a JSON object")
    except (ValueError, RecursionError) as reason:
        raise _wrong_line(path, 1, "the file is empty" if not first else reason) from reason


def read_records(paths):
    """All lines of files of records as dicts. A line that is not a record is an error that names its place."""
    lines = []
    for path in paths:
        with _open(path) as file:
            text = file.read()
        try:
            lines += [json.loads(line) for line in text.split(b"\n") if line]
        except (ValueError, RecursionError):
            lines += _read_slowly(path, text)
    return lines


def _read_slowly(path, text):
    """Finds the line that is wrong; what ends without a newline is a torn line of a run that was killed, and passed over."""
    found = []
    for number, line in enumerate(text.split(b"\n"), 1):
        try:
            found += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError) as reason:
            if number == text.count(b"\n") + 1:
                break
            raise _wrong_line(path, number, reason) from reason
    return found


def is_result(line):
    """Whether a record is of a case."""
    return isinstance(line, dict) and "op_name" in line and "metric" in line


def _word(record, name, missing=None):
    """A text of a record, whatever its file put in its place."""
    value = record.get(name, missing)
    return value if value is None or isinstance(value, str) else str(value)


def tidy_columns(paths):
    """{name: values} with a value for each case and pass; times in seconds."""
    text = result_rows(list(paths), ",".join(column for _, column, _ in _COLUMNS))
    # As one list, which is twice as fast as line by line; the collector would look through all of it again and again.
    collects = gc.isenabled()
    gc.disable()
    try:
        rows = json.loads(f"[{text.rstrip().replace(chr(10), ',')}]")
        columns = list(zip(*map(dict.values, rows))) or [()] * len(_COLUMNS)
        del rows
    finally:
        if collects:
            gc.enable()
    made = {}
    for (name, _, scale), values in zip(_COLUMNS, columns):
        made[name] = values if scale is None else [value if value is None else value * scale for value in values]
    return made


def _frame(columns):
    try:
        import pandas
    except ModuleNotFoundError as reason:
        error = InputError("to_pandas() needs pandas, which is not installed; pip install pandas, or use .records or .to_csv()")
        error.fix = "pip install pandas, or use .records or .to_csv()"
        raise error from reason
    return pandas.DataFrame(columns)


def _embedded(page, height):
    """A page of its own inside a notebook: its styles and scripts stay in it."""
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{height}px;border:1px solid #8884" title="opbench"></iframe>')


class Stored:
    """What results of all kinds have: files."""

    def __init__(self, paths, keeps=None, lines=None):
        self.paths = [os.fspath(path) for path in paths]
        self._keeps = keeps
        self._lines = lines

    @property
    def is_temporary(self):
        """Whether its file is deleted with it; save() keeps a copy."""
        return isinstance(self._keeps, Folder)

    @property
    def lines(self):
        """All records: headers, results, finish lines."""
        if self._lines is None:
            self._lines = read_records(self.paths)
        return self._lines

    @property
    def records(self):
        """The record of each case, as a dict (docs/records.md has their fields)."""
        return [line for line in self.lines if is_result(line)]

    @property
    def header(self):
        """The first header: machine, libraries, options; an empty dict if there is none."""
        return next((line for line in self.lines if isinstance(line, dict) and "run_options" in line), {})

    def plot(self, kind=None, **options):
        """A picture of the results: kind is distribution, ratio, roofline, scaling, step or history.

        options are those of `opbench plot`, such as only, top, width and height.
        """
        if kind is None:
            sides = {_word(record, "side") or _word(record, "backend") for record in self.records}
            kind = "ratio" if len(sides) > 1 else "distribution"
        own = {"output": "use .save() of the picture", "text": "use show(plot=True)"}
        words = words_of("plot", "plot", {**options, "kind": kind}, own, views=True)
        return Picture(ask(["plot", *words, "--", *self.paths]))

    def save(self, path, force=False):
        """Copies the records to a file that every command of opbench reads."""
        _refuse_existing(path, force)
        if len(self.paths) == 1:
            shutil.copyfile(self.paths[0], path)
        else:
            ask(["merge", *self.paths, "--force", f"--output={os.fspath(path)}"])
        return path


class Result(Stored):
    """What was measured. Iterating gives the records; str() gives the table."""

    def show(self, **options):
        """What `opbench show` prints: format, columns, sort, filter, top, wide, long, step, plot, measurements."""
        return ask(["show", *words_of("show", "show", options, views=True), "--", *self.paths])

    @property
    def table(self):
        """The table that the command prints, as text; for `time`, a row per measurement."""
        timed = {_word(record, "backend") for record in self.records if record.get("mode") in _TIMER_MODES}
        text = self.show(format="table")
        if len(timed) > 1:  # rows that differ in nothing else
            notes = [line for line in text.splitlines() if line.startswith("* ")]  # chosen columns come without
            text = "\n".join([self.show(format="table", columns=_TIMER_COLUMNS).rstrip("\n"), *notes, "", ""])
        return text

    @property
    def ok(self):
        """Whether every case was measured."""
        return all(record.get("status", "ok") == "ok" for record in self.records)

    def to_pandas(self):
        """A data frame with a row for each case and pass. Times are in seconds; low and high are the bounds of the median's 95 %
        confidence interval."""
        return _frame(tidy_columns(self.paths))

    def to_csv(self, path=None, force=False, **options):
        """The table as CSV with all digits, a row for each case and pass; returned, or written to a file."""
        text = self.show(**{"long": True, **options, "format": "csv"})
        return text if path is None else _write(path, text, force)

    def report(self, path, force=False, **options):
        """Writes the page of `opbench report`."""
        ask(["report", *words_of("report", "report", {**options, "force": force, "output": path}, views=True), "--quiet", "--",
             *self.paths])
        return path

    def _repr_html_(self):
        count = len(self.records)
        if count > _MOST_ON_PAGE:
            rows = self.show(format="table", top=_MOST_ON_PAGE)
            return f"<pre>{html.escape(rows)}</pre><p>The first {_MOST_ON_PAGE} of {count} results; .report(path) makes a page of all.</p>"
        return _embedded(ask(["report", "--output=-", "--quiet", "--", *self.paths]), min(900, 420 + 24 * count))

    def __iter__(self):
        return iter(self.records)

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        return self.records[index]

    def __str__(self):
        return self.table

    def __repr__(self):
        states = {}
        for record in self.records:
            status = _word(record, "status", "ok")
            states[status] = states.get(status, 0) + 1
        said = ", ".join(f"{count} {status if str(status).isalpha() else repr(status)}" for status, count in states.items())
        said = said or "no results"
        return f"<opbench.Result: {said}; {', '.join(self.paths)}>"


class Diff(Stored):
    """Sides compared: a row for each case and pass with its verdict. str() gives the table."""

    # Exit codes of `opbench diff` that are verdicts.
    _VERDICTS = (0, 1, 3)
    # What a note tells users of a shell to do.
    _SHELL_ADVICE = re.compile(r"Measure with --processes \d+, or measure both sides now with `[^`]*`")

    def __init__(self, paths, options=(), keeps=None, names=None, advice=None):
        """advice: what to do where the program's is for a shell."""
        super().__init__(paths, keeps)
        self._options = list(options)
        self._advice = advice
        self._json = None
        self._links = None
        if names is not None:
            self._link([str(name) for name in names])

    def _link(self, names):
        """The program calls sides by their files: links with the names that are wanted."""
        if len(names) != len(self.paths) or len(set(names)) != len(names) or any(not n or "/" in n or n in (".", "..") for n in names):
            raise InputError("give as many names as sides, all different, without '/'")
        self._links = Folder()
        for name, path in zip(names, self.paths):
            os.symlink(os.path.abspath(path), os.path.join(self._links.name, name))
        self._names = names

    def _ask(self, words, accepts):
        if self._links is None:
            return ask([*words, "--", *self.paths], accepts)
        return ask([*words, "--", *self._names], accepts, folder=self._links.name)

    def show(self, format="table"):
        """What `opbench diff` prints: table, markdown, csv, json or junit."""
        text = self._ask(["diff", *self._options, "--quiet", f"--format={format}"], self._VERDICTS)
        return self._SHELL_ADVICE.sub(self._advice, text) if self._advice is not None else text

    def _all(self):
        if self._json is None:
            self._json = json.loads(self.show("json"))
        return self._json

    @property
    def table(self):
        """The table of `opbench diff` with its summary, as text."""
        return self.show()

    @property
    def rows(self):
        """A dict for each case and pass: verdict, ratio, ratio_low, ratio_high, baseline_ns, subject_ns, ..."""
        return self._all()["rows"]

    @property
    def summary(self):
        """How many rows are faster, slower, the same, undecided, worse; the geometric mean of the ratios."""
        return self._all()["summary"]

    @property
    def verdict(self):
        """The verdict, if one case was compared; None for several."""
        return self.rows[0]["verdict"] if len(self.rows) == 1 else None

    @property
    def worse(self):
        """Whether something got worse: slower, more memory, failed, wrong or missing."""
        return self.summary["worse"] > 0

    def to_pandas(self):
        """A data frame with a row for each case and pass."""
        rows = self.rows
        names = list(rows[0]) if rows else ["operator", "verdict", "ratio", "ratio_low", "ratio_high"]
        return _frame({name: [row[name] for row in rows] for name in names})

    def to_csv(self, path=None, force=False):
        """A line for each row; returned, or written to a file."""
        text = self.show("csv")
        return text if path is None else _write(path, text, force)

    def _repr_html_(self):
        words = ["--diff"] if len(self.paths) > 1 else []
        return _embedded(self._ask(["report", *words, "--output=-", "--quiet"], (0,)), min(900, 420 + 24 * len(self.rows)))

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __str__(self):
        return self.table

    def __repr__(self):
        summary = self.summary
        said = [f"{summary[name]} {name}" for name in ("faster", "slower", "same", "undecided", "fails", "missing") if summary.get(name)]
        return f"<opbench.Diff: {', '.join(said) or 'nothing to compare'}>"
