#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts made from the command rows: docs/commands.md is up to date, the man pages are clean roff and name each other.

usage: test_generated.py PROGRAM
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

def generate(program, form):
    done = subprocess.run([program, "__generate", form], capture_output=True, check=True)
    return done.stdout.decode("utf-8")


def check_docs(program):
    page = ROOT / "docs" / "commands.md"
    if page.read_text(encoding="utf-8") == generate(program, "markdown"):
        return True
    print("docs/commands.md differs from the program's rows; 'make docs' writes it anew")
    return False


# Letters that stand for several names: what is meant is the same.
ALIKE = [{"iteration", "iter"}, {"warmup", "warmup-iter"}, {"number", "draws"}]


def check_letters(program):
    """No command has an option twice; a letter means the same in all of them. PARAM gave run its letters."""
    good, command, seen, letters = True, "", set(), {}
    for line in generate(program, "markdown").splitlines():
        if line.startswith("## "):
            command, seen = line[3:].split(":")[0], set()
        found = re.match(r"- `(?:-(\w), )?--([\w-]+)", line)
        if not found:
            continue
        letter, name = found.groups()
        if name in seen:
            good = False
            print(f"{command} has two options --{name}")
        seen.add(name)
        if letter and command != "run":
            letters.setdefault(letter, {}).setdefault(name, command)
    for letter, names in letters.items():
        if len(names) > 1 and set(names) not in ALIKE:
            good = False
            print(f"-{letter} has several meanings: {names}")
    return good


# What names that several commands have mean in all of them. Where a command says it in other words than the others, or takes
# another kind of value, somebody has looked whether it is still that; a new name comes here, or gets another one.
MEANINGS = {
    "all": "nothing is left out",
    "append": "keep what the files hold, and add to them",
    "axis": "a list of values that cases or sides go over",
    "backend": "whose operators; several with commas",
    "backend-options": "what the backend itself is told",
    "backward": "with the backward pass",
    "branch": "only runs of this branch",
    "budget": "about how many seconds the work may take",
    "cache": "whether iterations find operands in the cache",
    "case": "only the case of this id",
    "case-timeout": "how long a case may take",
    "check": "compare results with a reference",
    "config": "the file that has the cases",
    "count": "count instructions too",
    "db": "the database that keeps results",
    "device": "where tensors are",
    "dry-run": "only say what would be done",
    "force": "replace files that are there already",
    "format": "the form of what is printed",
    "half": "what tensors of half become",
    "json": "print JSON",
    "label": "what a measurement is called",
    "max-memory": "how much memory a case may need",
    "merge": "put the same task of several files together",
    "min-run-time": "how long blocks take in all, at least",
    "num-threads": "threads of the libraries underneath",
    "number": "iterations that a measurement is of",
    "only": "only what has this text in its name",
    "op": "the operator",
    "output": "the file to write, or the folder of such files",
    "plot": "draw it",
    "print-config": "print the config that the cases come to",
    "processes": "fresh processes for each case",
    "python": "the interpreter that runs Python",
    "records": "the file of records beside the output",
    "resume": "go on from what the file holds",
    "roofline": "the ceilings that results are put beside",
    "seed": "of generated data",
    "sort": "the order of rows",
    "tag": "what marks runs",
    "threshold": "from which share on a difference counts",
    "top": "only so many, the first in the order",
    "trace-step": "which step of a trace that the profiler marked",
    "wide": "rates of each backend",
    "width": "how wide the output is",
}
# Placeholders of the same kind of value.
KINDS = [{"N", "LIST"}, {"N", "COLUMNS"}, {"FILE", "FILE|off"}, {"FILE", "FOLDER"}]


def check_names(program):
    """A name takes the same kind of value in all commands, and means the same."""
    good, command, names = True, "", {}
    for line in generate(program, "markdown").splitlines():
        if line.startswith("## "):
            command = line[3:].split(":")[0]
        found = re.match(r"- `(?:-\w, )?--([\w-]+)(?: ([^`]*))?`:? ?(.*)", line)
        if found:
            name, value, text = found.groups()
            names.setdefault(name, []).append((command, value or "", text))
    for name, uses in names.items():
        values = {value for _, value, _ in uses}
        if len(values) > 1 and values not in KINDS:
            good = False
            print(f"--{name} takes several kinds of values: {[use[:2] for use in uses]}")
        if len({text for _, _, text in uses}) > 1 and name not in MEANINGS:
            good = False
            print(f"--{name} is said in several ways; MEANINGS lacks what it means in {[use[0] for use in uses]}")
    for name in MEANINGS:
        if name not in names:
            good = False
            print(f"MEANINGS has --{name}, which no command has")
    return good


def man_page(program, command=None):
    words = [program, "__generate", "man", *([command] if command else [])]
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout


# What looks at a page as strictly as it can: what it says is a fault, and so is an exit code other than 0.
LINTS = [["groff", "-man", "-Tutf8", "-ww", "-z"], ["mandoc", "-T", "lint", "-W", "warning"]]
# Of mandoc: the date is left out, so that the same tree gives the same pages.
ALLOWED = re.compile(r"missing date")


def check_roff(name, page):
    good = True
    for lint in LINTS:
        if shutil.which(lint[0]):
            done = subprocess.run(lint, input=page, capture_output=True, text=True, check=False)
            said = [line for line in (done.stderr + done.stdout).splitlines() if not ALLOWED.search(line)]
            if said:
                good = False
                print(f"{name}: {lint[0]}: " + "\n".join(said))
    return good


def sections(page):
    return re.findall(r"^\.SH (.*)$", page, re.M)


def check_man(program):
    """opbench(1) lists the pages of all commands; each has the parts that pages have, and leads to pages that there are."""
    first = man_page(program)
    commands = re.findall(r"^\.BR opbench\\-(\w+) \(1\)$", first.partition(".SH OPTIONS")[0], re.M)
    listed = re.findall(r"^## (\w+):", generate(program, "markdown"), re.M)
    good = commands == listed
    if not good:
        print(f"opbench(1) lists {commands}, and there are {listed}")
    for command in [None, *commands]:
        page = first if command is None else man_page(program, command)
        name = "opbench" + (f"-{command}" if command else "")
        has = sections(page)
        escaped = name.replace("-", "\\-")
        wanted = ["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"] + (["DESCRIPTION"] if command else ["COMMANDS"])
        if f".SH NAME\n{escaped} \\- " not in page or not set(wanted) <= set(has):
            good = False
            print(f"{name}(1) lacks its name, or a section: it has {has}")
        for other in re.findall(r"^\.BR opbench\\-(\w+) \(1\)", page, re.M):
            if other not in listed:
                good = False
                print(f"{name}(1) leads to opbench-{other}(1), which is not there")
        good = check_roff(name, page) and good
    return good


def main():
    program = sys.argv[1]
    results = [check(program) for check in (check_docs, check_letters, check_names, check_man)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
