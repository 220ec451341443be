#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of a page of docs/, from its top to its end, as a reader would, and looks whether the page shows what comes.

usage: run_pages.py --program build/opbench [--python PROGRAM] [--update] PAGE.md...

A block marked ```console holds commands ("$ ...", going on where a line ends in a backslash) and what they print. Times and
other numbers are never compared: of a shown line the part before its first number must be the beginning of a printed one, in
any order, and a line without numbers must be there as it is. "..." stands for lines that the page leaves out; lines that speak
of a busy machine (BUSY below) may be shown and need not come. A command that fails fails the page, unless its exit code is a
verdict; one that is meant to fail ends in `; echo "exit code $?"`.

Comments that a reader of the page does not see say the rest:

    <!-- file: NAME -->      the next block is written to this file
    <!-- copy: PATH NAME --> this file of the tree is there under that name, in the place of the reader's own
    <!-- needs: WORDS -->    the next block is left out where one of these is missing (Here.has below); a later block that uses
                             what it made says so itself

Every command stands in such a block: `opbench` at the start of a line of another block is an error. All commands run in one
private folder, which the pages call /home/ann/work, with links to examples/ and capture/ in it. --update writes what really
came where the page shows otherwise, without the lines that speak of how busy the machine was.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
for folder in ("tests", "tests/cli", "tests/cluster"):
    sys.path.insert(0, str(ROOT / folder))
import run_transcripts  # noqa: E402
import slurm_cluster  # noqa: E402
from checks import SKIPPED, has_backend  # noqa: E402

run_transcripts.TIMEOUT_S *= 5  # PyTorch alone takes a while to start on a busy machine

FENCE = re.compile(r"^( *)```([\w+]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!-- (file|copy|needs): (.*?) -->\n+\Z")
COMMAND = re.compile(r"^(\$ |\w+=\S+ )*(opbench|python3) ", re.MULTILINE)
NUMBER = re.compile(r"(?:(?<=\s)|^)[-+x±]? ?\d[\d.,]*(?=[\s%:;,)]|$)")
# What is there in one run and not in the next: how busy the machine was, and what follows from a verdict.
BUSY = re.compile(r"(\* |- |note: the machine was busy|it would take about|worst: |alone: |"
                  r"instructions: |records: \w+_\d+_\d+\.json).*")
VERDICT = re.compile(r"opbench (diff|doctor|nodes) ")  # exit code 1 is an answer there
WORK = "/home/ann/work"
STATUS = re.compile(r"\b(ok|mistrusted)\b\*?")  # whether a result has warnings is the machine's


def shape(line):
    """What of a line does not depend on the machine."""
    line = re.sub("-{3,}", "---", STATUS.sub("ok", " ".join(line.split())))
    number = NUMBER.search(line)
    before = line[: number.start()].rstrip() if number else line
    return before or NUMBER.sub("#", line)


def missing_lines(want, got):
    shapes = [shape(line) for line in got]
    return [line for line in want
            if line.strip() not in ("", "...") and not BUSY.fullmatch(line.strip()) and shape(line) not in shapes]


def for_page(lines):
    """What came, without what is the machine's alone."""
    kept = []
    for line in lines:
        line = "..." if BUSY.fullmatch(line.strip()) else line.rstrip()
        if line != "..." or kept[-1:] != ["..."]:
            kept.append(line)
    return kept


class Here:
    """What there is on this machine of what blocks need."""

    def __init__(self, program, python):
        self.program, self.python, self.known = program, python, {}

    def imports(self, module):
        return subprocess.run([self.python, "-c", f"import {module}"], capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(self.program.parent / "python")}).returncode == 0

    def has(self, word):
        if word not in self.known:
            kind, _, name = word.partition(":")
            self.known[word] = {
                "backend": lambda: has_backend(str(self.program), name),
                "import": lambda: self.imports(name),
                "program": lambda: shutil.which(name) is not None,
                "slurm": lambda: slurm_cluster.missing() is None,
            }[kind]()
        return self.known[word]


def steps_of(text):
    """Commands and what they print."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append(run_transcripts.Step([]))
            steps[-1].command.append(line)
        elif not steps:
            raise ValueError(f"output without a command: {line}")
        elif steps[-1].command[-1].endswith("\\") and not steps[-1].expected:
            steps[-1].command.append("  " + line)
        else:
            steps[-1].expected.append(line)
    return steps


class Page:
    def __init__(self, path, options, here):
        self.path, self.options, self.here = path, options, here
        self.text = path.read_text(encoding="utf-8")
        self.failed = self.ran = 0
        self.left_out = set()

    def say(self, what):
        self.failed += 1
        print(f"{os.path.relpath(self.path, ROOT)}: {what}")

    def run_block(self, block, folder, environment):
        """The block as it should be."""
        lines = []
        for step in steps_of(block):
            try:
                got = run_transcripts.run_step(step, folder, environment, [])
            except subprocess.TimeoutExpired:
                got = ["it took too long", "[124]"]
            got = [line.replace(str(folder), WORK) for line in got]
            self.ran += 1
            missing = missing_lines(step.expected, got)
            if got[-1:] == ["[1]"] and VERDICT.search(step.script()):
                got.pop()
            failed = bool(got) and re.fullmatch(r"\[\d+\]", got[-1])
            if failed or (missing and not self.options.update):
                self.say("\n  ".join([step.command[0], *("not printed: " + line for line in missing), "printed:", *got]))
            if missing and not failed and self.options.update:
                step.expected = for_page(got)
            lines += [step.command[0], *(line[2:] for line in step.command[1:]), *step.expected]
        return "".join(line + "\n" for line in lines)

    def run_blocks(self, folder, environment):
        end, parts = 0, []
        for fence in FENCE.finditer(self.text):
            indent, language, block = fence.groups()
            before = self.text[end:fence.start()]
            notes = dict(self.notes_before(before))
            needs = [word for word in notes.get("needs", "").split() if not self.here.has(word)]
            if needs:
                self.left_out.update(needs)
            elif "file" in notes:
                place = pathlib.Path(folder) / notes["file"]
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(block, encoding="utf-8")
            elif language == "console":
                if "copy" in notes:
                    shutil.copy(*(place / name for place, name in zip((ROOT, folder), notes["copy"].split())))
                block = self.run_block(block, folder, environment)
            elif COMMAND.search(block):
                self.say(f"a command that nothing runs, in a block that is not marked console:\n{block}")
            parts += [before, f"{indent}```{language}\n{block}{indent}```"]
            end = fence.end()
        return "".join(parts) + self.text[end:]

    @staticmethod
    def notes_before(before):
        while note := COMMENT.search(before):
            yield note.groups()
            before = before[: note.start()] + "\n"

    def run(self):
        with tempfile.TemporaryDirectory(prefix="opbench-page-") as folder, contextlib.ExitStack() as stack:
            work = pathlib.Path(folder) / "work"
            programs = pathlib.Path(folder) / "bin"
            work.mkdir()
            programs.mkdir()
            for name in ("examples", "capture"):
                (work / name).symlink_to(ROOT / name)
            wrapper = programs / "python3"
            wrapper.write_text(f'#!/bin/sh\nexec {self.options.python} "$@"\n', encoding="utf-8")
            wrapper.chmod(0o755)
            environment = run_transcripts.make_environment(self.options.program, {}, folder)
            environment.update(PATH=f"{programs}:{environment['PATH']}", OPBENCH_DOCTOR="quiet", SHELL="/bin/bash",
                               PYTHONPATH=str(self.options.program.parent / "python"), PYTHONDONTWRITEBYTECODE="1")
            if re.search("<!-- needs:.* slurm ", self.text) and self.here.has("slurm"):
                place = pathlib.Path(folder) / "slurm"
                place.mkdir()
                cluster = stack.enter_context(slurm_cluster.Cluster(place))
                environment.update(SLURM_CONF=cluster.env["SLURM_CONF"], PATH=environment["PATH"] + ":/usr/sbin:/sbin")
            text = self.run_blocks(work, environment)
        if self.options.update and text != self.text:
            self.path.write_text(text, encoding="utf-8")
        return self


def main():
    parser = argparse.ArgumentParser(description="Run the commands of pages.")
    parser.add_argument("--program", required=True, type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--python", default=next(filter(os.path.exists, ["/usr/bin/python3", sys.executable])))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="+", type=lambda name: pathlib.Path(name).resolve())
    options = parser.parse_args()
    here, failed, ran = Here(options.program, options.python), 0, 0
    for path in options.pages:
        page = Page(path, options, here).run()
        failed, ran = failed + page.failed, ran + page.ran
        left_out = f"; left out what needs {', '.join(sorted(page.left_out))}" if page.left_out else ""
        print(f"{path.name}: {page.ran} commands, {page.failed} failures{left_out}")
        if page.ran == 0 and not page.left_out:
            failed += 1
            print(f"{path.name}: no command in it")
    return 1 if failed else 0 if ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
