#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts made from the command rows: docs/commands.md is up to date, the man page is clean roff, the
completion completes.

usage: test_generated.py PROGRAM
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# words of the command line, the last one being completed; some of the answers; none of these
COMPLETIONS = [
    (["opbench", "l"], ["list"], ["help"]),
    (["opbench", "--v"], ["--version"], ["--help"]),
    (["opbench", "list", ""], ["ops", "dtypes"], ["--json"]),
    (["opbench", "list", "--"], ["--json", "--help"], ["ops"]),
    (["opbench", "help", "e"], ["expand"], ["list"]),
    (["opbench", "expand", "-c", "./LIC"], ["./LICENSE"], ["--count-cases"]),
    # Only the first word of a command is a topic or a command.
    (["opbench", "list", "ops", ""], [], ["ops", "--json"]),
    (["opbench", "list", "--json", ""], ["ops"], ["--json"]),
    (["opbench", "list", "ops", "--"], ["--json"], ["ops"]),
    (["opbench", "help", "list", ""], [], ["list", "expand"]),
    # Values of options are no words.
    (["opbench", "expand", ""], ["LICENSE"], ["--count-cases"]),
    (["opbench", "expand", "-"], ["--config", "-c", "--count-cases"], []),
    (["opbench", "expand", "-c", "LICENSE", "-"], ["--count-cases"], []),
    (["opbench", "expand", "--op", ""], [], ["--config"]),
    (["opbench", "expand", "-d", ""], ["cpu", "null"], ["--count-cases"]),
    (["opbench", "expand", "--device", "c"], ["cpu"], ["null"]),
    (["opbench", "run", "--backend", "n"], ["null"], ["cpu"]),
    (["opbench", "run", "--exec-mode", "=", "d"], ["discrete"], ["continuous"]),
    # bash takes "=" for a word, unless it is told otherwise.
    (["opbench", "expand", "--config", "=", "./LIC"], ["./LICENSE"], []),
    (["opbench", "expand", "--config", "="], ["LICENSE"], ["--count-cases"]),
    (["opbench", "expand", "--config=./LIC"], ["--config=./LICENSE"], []),
    (["opbench", "expand", "--config", "=", "LICENSE", "--c"], ["--count-cases"], []),
    (["opbench", "expand", "-c", "{folder}/a"], ["{folder}/a b.json"], ["b.json"]),
]


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


def check_man(program):
    man = generate(program, "man")
    good = ".SH NAME\nopbench \\- " in man and ".SS opbench list" in man
    if not good:
        print("the man page lacks its name or a command")
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z"], input=man.encode(), capture_output=True, check=False
        )
        if done.stderr:
            good = False
            print(f"groff: {done.stderr.decode()}")
    return good


def complete(program, script, words):
    quoted = " ".join(f"'{word}'" for word in [program, *words[1:]])
    done = subprocess.run(
        ["bash", "-eu", "-c",
         f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
         "_opbench; printf '%s\\n' \"${COMPREPLY[@]}\""],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )
    return done.stdout.splitlines(), done.stderr


def check_completion(program):
    good = True
    with tempfile.TemporaryDirectory(prefix="opbench-completion-") as folder:
        script = pathlib.Path(folder) / "script.bash"
        script.write_text(generate(program, "bash"), encoding="utf-8")
        (pathlib.Path(folder) / "a b.json").touch()
        for words, some, none in COMPLETIONS:
            words, some, none = ([word.format(folder=folder) for word in part]
                                 for part in (words, some, none))
            answers, errors = complete(program, script, words)
            missing = [word for word in some if word not in answers]
            extra = [word for word in none if word in answers]
            if missing or extra or errors or (not some and answers not in ([], [""])):
                good = False
                print(f"{words}: {answers}, without {missing}, with {extra} {errors}")
    return good


def main():
    program = sys.argv[1]
    results = [check(program) for check in (check_docs, check_letters, check_names, check_man, check_completion)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
