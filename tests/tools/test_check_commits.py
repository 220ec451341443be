#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_commits finds what is wrong with the last message, and nothing in one that is right, in a shallow clone or without git."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/check_commits"
CASES = (
    ("Refuse a config without cases\n\nIt measured nothing and said so nowhere.\n", ""),
    ("x" * 72 + "\n\nWhy.\n", ""),
    ("x" * 73 + "\n\nWhy.\n", "the subject has 73 characters"),
    ("Subject alone\n", "there is no body"),
    ("Subject\nbody at once\n", "the second line is not empty"),
    ("Subject\n\n" + "a word " * 15 + "\n", "a line of the body has 105 characters"),
    ("Subject\n\nhttps://example.org/" + "a" * 100 + "\n", ""),
    ("Merge 1a2b3c4 into 5d6e7f8\n", ""),
)


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *words],
                   check=True, capture_output=True)


def check(folder, wanted):
    done = subprocess.run([sys.executable, str(TOOL), str(folder)], capture_output=True, text=True, check=False)
    assert (done.returncode, wanted in done.stdout) == (1 if wanted else 0, True), (wanted, done)


if shutil.which("git") is None:
    print("git is not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    empty, tree, shallow = (pathlib.Path(name) / part for part in ("empty", "tree", "shallow"))
    empty.mkdir()
    check(empty, "")
    tree.mkdir()
    git(tree, "init", "-q")
    for message, wanted in CASES:
        git(tree, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
        check(tree, wanted)
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{tree}", str(shallow)], check=True)
    check(shallow, "")
