#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs transcripts of the real program.

usage: run_transcripts.py --program build/opbench [--update] FILE.test...

A transcript is text of this form:

    # a comment, or a condition: the test is skipped when the path, or the program, is not there
    # requires: $SHARED/goldens
    # requires: valgrind
    $ opbench list nonsense
    opbench list: error: unknown TOPIC 'nonsense'* (glob)
    [2]

"$ " starts a command (for bash), "> " goes on with it. What follows, up to the next command or an
empty line before it, is what standard output and standard error together must hold. A line that ends
in " (glob)" or " (re)" is a pattern; a line "..." stands for any lines. "[2]" is the exit code,
left out when it is 0. Commands run in a private directory with the program first in PATH; $SRC is
the source tree, $BUILD the build tree, $SHARED a folder of material beside the source tree; these
paths, and that of the private directory as $TMP, are written so in the output.
--update writes what really came where it differs.
"""

import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TIMEOUT_S = 60 * int(os.environ.get("OPBENCH_TEST_PATIENCE", "1"))  # more where programs are emulated
# What qemu adds, in the name of a program that died of a signal.
EMULATOR = re.compile(r"^qemu: uncaught target signal .*\n", re.MULTILINE)


class Step:
    """One command and what it must give. Lines before it (comments, blanks) are kept for --update."""

    def __init__(self, before):
        self.before = before
        self.command = []
        self.expected = []

    def script(self):
        return "\n".join(line[2:] for line in self.command)


def parse(text):
    """The steps, the lines after the last one, and the required paths."""
    steps, loose, requires = [], [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append(Step(loose))
            steps[-1].command.append(line)
            loose = []
        elif line.startswith("> ") and steps and not steps[-1].expected and not loose:
            steps[-1].command.append(line)
        elif line.startswith("#") or not line:
            loose.append(line)
            if line.startswith("# requires: "):
                requires.append(line[len("# requires: ") :])
        elif not steps:
            raise ValueError(f"output without a command: {line}")
        else:
            # Blank lines and comments inside an output belong to it.
            steps[-1].expected += loose + [line]
            loose = []
    return steps, loose, requires


def line_matches(want, got):
    if want.endswith(" (glob)"):
        # Brackets are common in what the program prints, so they are no classes here.
        return fnmatch.fnmatchcase(got, want[: -len(" (glob)")].replace("[", "[[]"))
    if want.endswith(" (re)"):
        return re.fullmatch(want[: -len(" (re)")], got) is not None
    return want == got


def matches(want, got):
    """Whether the lines fit, "..." standing for any number of lines."""
    # ends[j]: the first j lines of got fit the wanted lines seen so far.
    ends = [True] + [False] * len(got)
    for pattern in want:
        if pattern == "...":
            first = ends.index(True) if True in ends else len(ends)
            ends = [j >= first for j in range(len(ends))]
        else:
            ends = [False] + [
                ends[j] and line_matches(pattern, got[j]) for j in range(len(got))
            ]
    return ends[-1]


def run_step(step, directory, environment, places):
    done = subprocess.run(
        ["bash", "-c", step.script()],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    text = EMULATOR.sub("", done.stdout.decode("utf-8", "backslashreplace"))
    for name, path in places:
        text = text.replace(path, f"${name}")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += " (no newline)"
    if done.returncode != 0:
        lines.append(f"[{done.returncode}]")
    return lines


def make_environment(program, places, directory):
    environment = {
        "PATH": f"{program.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "HOME": str(directory),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
        "OPBENCH_LIBRARY_CAPS": "quiet",  # what is said of libraries differs from machine to machine
    }
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "GCOV_PREFIX"):
        if name in os.environ:
            environment[name] = os.environ[name]
    environment.update(places)
    return environment


def run_file(path, program, update):
    """Returns "passed", "skipped" or "failed"."""
    source = pathlib.Path(__file__).resolve().parent.parent.parent
    places = [
        ("BUILD", str(program.parent)),
        ("SHARED", str(source.parent / "shared")),
        ("SRC", str(source)),
    ]
    steps, rest, requires = parse(path.read_text(encoding="utf-8"))
    for name, place in places:
        requires = [need.replace(f"${name}", place) for need in requires]
    for need in requires:
        if not (os.path.exists(need) if "/" in need else shutil.which(need)):
            print(f"{path.name}: skipped: {need} is not there")
            return "skipped"
    failed = False
    with tempfile.TemporaryDirectory(prefix="opbench-cli-") as directory:
        environment = make_environment(program, dict(places), directory)
        places.append(("TMP", directory))
        for step in steps:
            got = run_step(step, directory, environment, places)
            if matches(step.expected, got):
                continue
            if update:
                step.expected = got
                continue
            failed = True
            print(f"{path.name}: {step.command[0]}\n  wanted:")
            print("".join(f"    {line}\n" for line in step.expected), end="")
            print("  got:")
            print("".join(f"    {line}\n" for line in got), end="")
    if not steps:
        print(f"{path.name}: no command in it")
        return "failed"
    if update:
        lines = []
        for step in steps:
            lines += step.before + step.command + step.expected
        path.write_text("\n".join(lines + rest) + "\n", encoding="utf-8")
    return "failed" if failed else "passed"


def main():
    parser = argparse.ArgumentParser(description="Run transcripts of the program.")
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if not program.is_file():
        parser.error(f"{program}: no such program")
    results = [run_file(path, program, arguments.update) for path in arguments.files]
    if "failed" in results:
        return 1
    return 0 if "passed" in results else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
