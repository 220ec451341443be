#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts made from the command rows: docs/commands.md is up to date, the man page is clean roff, the
completion completes.

usage: test_generated.py PROGRAM
"""

import pathlib
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


def check_completion(program):
    good = True
    with tempfile.NamedTemporaryFile("w", suffix=".bash") as script:
        script.write(generate(program, "bash"))
        script.flush()
        for words, some, none in COMPLETIONS:
            quoted = " ".join(f"'{word}'" for word in words)
            done = subprocess.run(
                ["bash", "-eu", "-c",
                 f"source {script.name}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
                 "_opbench; printf '%s\\n' \"${COMPREPLY[@]}\""],
                cwd=ROOT, capture_output=True, text=True, check=False,
            )
            answers = done.stdout.split()
            for word in some:
                if word not in answers:
                    good = False
                    print(f"{words}: {word} is not among {answers} {done.stderr}")
            for word in none:
                if word in answers:
                    good = False
                    print(f"{words}: {word} is among {answers}")
    return good


def main():
    program = sys.argv[1]
    results = [check(program) for check in (check_docs, check_man, check_completion)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
