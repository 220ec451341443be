#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The transcript runner finds what differs: a runner that passes everything would prove nothing."""

import pathlib
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).resolve().parent.parent / "cli" / "run_transcripts.py"

# name, transcript, exit code of the runner
CASES = [
    ("same", "$ echo one; echo two >&2\none\ntwo\n", 0),
    ("other text", "$ echo one\ntwo\n", 1),
    ("line missing", "$ echo one\none\ntwo\n", 1),
    ("line too many", "$ echo one; echo two\none\n", 1),
    ("exit code", "$ exit 3\n[3]\n", 0),
    ("exit code not stated", "$ exit 3\n", 1),
    ("exit code stated, but 0", "$ true\n[1]\n", 1),
    ("glob", "$ echo '[a] took 12 s'\n[a] took * s (glob)\n", 0),
    ("glob differs", "$ echo '[a] took 12 m'\n[a] took * s (glob)\n", 1),
    ("regex", "$ echo 12.5\n[0-9.]+ (re)\n", 0),
    ("regex is for the whole line", "$ echo 12.5x\n[0-9.]+ (re)\n", 1),
    ("any lines", "$ seq 9\n1\n...\n9\n", 0),
    ("any lines may be none", "$ seq 2\n1\n...\n2\n", 0),
    ("any lines, wrong end", "$ seq 9\n1\n...\n8\n", 1),
    ("blank line inside", "$ printf 'a\\n\\nb\\n'\na\n\nb\n\n$ true\n", 0),
    ("more lines of input", "$ cat <<E\n> x\n> E\nx\n", 0),
    ("no newline at the end", "$ printf a\na (no newline)\n", 0),
    ("second step differs", "$ true\n\n$ echo b\na\n", 1),
    ("an emulator's word on a death", "$ echo a; echo 'qemu: uncaught target signal 11 (x)' >&2; echo b\na\nb\n", 0),
    ("an emulator's other words", "$ echo 'qemu: no such thing'\n", 1),
    ("no step", "# nothing\n", 1),
    ("not there", "# requires: $SRC/no/such/file\n$ false\n", 77),
    ("no such program", "# requires: no-such-program\n$ false\n", 77),
    ("a program", "# requires: sh\n$ false\n[1]\n", 0),
]


def run(path, *options):
    command = [sys.executable, str(RUNNER), "--program", sys.executable, *options, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "x.test")
        for name, text, want in CASES:
            path.write_text(text, encoding="utf-8")
            got = run(path)
            if got.returncode != want:
                failed = True
                print(f"{name}: exit code is {got.returncode}, want {want}\n{got.stdout}{got.stderr}")
        path.write_text("# kept\n$ echo one; exit 2\nother\n\n$ seq 3\n...\n", encoding="utf-8")
        run(path, "--update")
        want = "# kept\n$ echo one; exit 2\none\n[2]\n\n$ seq 3\n...\n"
        if path.read_text(encoding="utf-8") != want:
            failed = True
            print(f"--update wrote\n{path.read_text(encoding='utf-8')}\nwant\n{want}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
