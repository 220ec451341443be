#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every help fits 80 columns, and the short one of every command two screens of 50 lines."""
import subprocess
import sys

WIDTH, LINES = 80, 100


def output(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"opbench {' '.join(words)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def main():
    program = sys.argv[1]
    overview = output(program)
    if overview != output(program, "help"):
        sys.exit("opbench alone shows something else than opbench help")
    commands = [line.split()[0] for line in overview if line[:2] == "  " and line[2:3].isalpha()]
    commands = [name for name in commands if name != "opbench"]
    if len(commands) < 15:
        sys.exit(f"only these commands were found: {commands}")
    wrong = []
    for words in [[]] + [[name, way] for name in commands for way in ("--help", "--help-all")]:
        lines = output(program, *words)
        wrong += [f"opbench {' '.join(words)}: {len(line)} columns: {line}" for line in lines if len(line) > WIDTH]
        if "--help-all" not in words and len(lines) > LINES:
            wrong.append(f"opbench {' '.join(words)}: {len(lines)} lines; mark what few need as rare")
    sys.exit("\n".join(wrong) or 0)


main()
