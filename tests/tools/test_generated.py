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
    (["opbench", "expand", "-c", "./LIC"], ["./LICENSE"], ["--count"]),
    # Only the first word of a command is a topic or a command.
    (["opbench", "list", "ops", ""], [], ["ops", "--json"]),
    (["opbench", "list", "--json", ""], ["ops"], ["--json"]),
    (["opbench", "list", "ops", "--"], ["--json"], ["ops"]),
    (["opbench", "help", "list", ""], [], ["list", "expand"]),
    # Values of options are no words.
    (["opbench", "expand", ""], ["LICENSE"], ["--count"]),
    (["opbench", "expand", "-"], ["--config", "-c", "--count"], []),
    (["opbench", "expand", "-c", "LICENSE", "-"], ["--count"], []),
    (["opbench", "expand", "--op", ""], [], ["--config"]),
    (["opbench", "expand", "-d", ""], ["cpu", "null"], ["--count"]),
    (["opbench", "expand", "--device", "c"], ["cpu"], ["null"]),
    (["opbench", "run", "--backend", "n"], ["null"], ["cpu"]),
    (["opbench", "run", "--exec-mode", "=", "d"], ["discrete"], ["continuous"]),
    # bash takes "=" for a word, unless it is told otherwise.
    (["opbench", "expand", "--config", "=", "./LIC"], ["./LICENSE"], []),
    (["opbench", "expand", "--config", "="], ["LICENSE"], ["--count"]),
    (["opbench", "expand", "--config=./LIC"], ["--config=./LICENSE"], []),
    (["opbench", "expand", "--config", "=", "LICENSE", "--c"], ["--count"], []),
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
    results = [check(program) for check in (check_docs, check_letters, check_man, check_completion)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
