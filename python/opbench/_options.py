# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments as options of a command line. Which options a command has is asked of the program, once."""

import functools
import json
import os
import subprocess

from opbench._core import Error, InputError
from opbench._program import program_path

# What a result is asked for later, and so is not an option of a measurement here.
_VIEWS = {
    "format": "the result has .table, .to_csv() and .to_pandas()",
    "json": "the result has .records",
    "quiet": "give progress=False",
    "sort": "ask the result: result.show(sort=...)",
    "top": "ask the result: result.show(top=...)",
    "wide": "ask the result: result.show(wide=True)",
}


def _plain(name):
    return name.replace("-", "_").rstrip("_")


@functools.lru_cache(maxsize=None)
def _rows(program):
    """{command: {keyword: row}} of the program."""
    listed = subprocess.run([program, "__generate", "options"], capture_output=True, text=True, check=False,
                            stdin=subprocess.DEVNULL)
    if listed.returncode != 0:
        raise Error(f"{program} does not list its options; is it this version of opbench?")
    lines = [json.loads(line) for line in listed.stdout.splitlines()]
    return {line["command"]: {_plain(row["name"]): row for row in line["options"]} for line in lines}


def rows_of(command):
    """The rows of a command by the keywords that they are here."""
    return _rows(program_path())[command]


def in_group(command, group):
    """Keywords of the options below a heading of the command's help."""
    return {name for name, row in rows_of(command).items() if row.get("group") == group}


def _refuse(function, name, why):
    error = InputError(f"{function}() does not take {name}: {why}")
    error.fix = why
    raise error


def _unknown(function, name, rows):
    import difflib

    near = difflib.get_close_matches(name, [*rows, "progress", "stream"], n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; opbench help {function} lists the options"
    error = InputError(f"{function}() has no option {name}{hint}")
    error.fix = hint[2:]
    raise error


def text_of(value):
    """A value as it stands on a command line."""
    if isinstance(value, (list, tuple)):
        return ",".join(text_of(item) for item in value)
    if isinstance(value, dict):
        return ",".join(f"{key}={text_of(item)}" for key, item in value.items())
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


def _words_of(function, row, value):
    option = "--" + row["name"]
    if row.get("refused"):
        _refuse(function, _plain(row["name"]), row["refused"])
    if row["type"] == "flag":
        if not isinstance(value, bool):
            _refuse(function, f"{_plain(row['name'])}={value!r}", "give True or False")
        return [option] if value else []
    if row["type"] == "list":
        if isinstance(value, dict):
            value = [f"{key}={text_of(item)}" for key, item in value.items()]
        items = value if isinstance(value, (list, tuple)) else [value]
        return [f"{option}={text_of(item)}" for item in items]
    return [f"{option}={text_of(value)}"]


def words_of(function, command, options, own=(), views=False):
    """The options as words; own: names that the function itself gives. None is an option that is not given."""
    rows = rows_of(command)
    words = []
    for name, value in options.items():
        plain = _plain(name)
        if plain in own:
            _refuse(function, name, own[plain])
        if plain in _VIEWS and not views:
            _refuse(function, name, _VIEWS[plain])
        if plain not in rows:
            _unknown(function, name, rows)
        if value is not None:
            words += _words_of(function, rows[plain], value)
    return words
