#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a header says of the work tree that a run was started in, and that nothing of the tree is obeyed meanwhile.

usage: run_origin.py OPBENCH
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

TENSOR = {"type": "tensor", "dtype": "float", "shape": [4]}
CONFIG = {"torch.add": {"input_data_generator": "PyTorch:DefaultDataGenerator",
                        "config": [{"input": [{"args": [TENSOR, TENSOR]}]}]}}


def git(folder, *words):
    settings = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *settings, *words], cwd=folder, env=environment, check=True, capture_output=True,
                          text=True).stdout.strip()


def header(opbench, folder, config, *options, **variables):
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "r.json")
        subprocess.run([opbench, "run", "-c", str(config), "--backend", "null", "-w", "0", "-i", "1", "-q", "--output", path,
                        *options], cwd=folder, env={**os.environ, **variables}, check=True, timeout=120)
        with open(path, encoding="utf-8") as file:
            return json.loads(file.readline())


def change_within_a_second(top):
    """A commit, and a change of as many bytes in the same second: git's index cannot tell them by their times."""
    for text in "34567":
        time.sleep(1 - time.time() % 1)
        (top / "a.txt").write_text(f"{text}\n", encoding="utf-8")
        git(top, "add", "a.txt")
        git(top, "commit", "-q", "-m", text)
        committed = int((top / "a.txt").stat().st_mtime)
        (top / "a.txt").write_text("8\n", encoding="utf-8")
        if committed == int((top / "a.txt").stat().st_mtime) == int((top / ".git" / "index").stat().st_mtime):
            time.sleep(1)
            return
    print("this machine is too slow to commit and change a file within a second: that case is left out")


def main():
    opbench = os.path.abspath(sys.argv[1])
    if shutil.which("git") is None:
        print("SKIP: git is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name, "tree")
        below = top / "deep" / "er"
        below.mkdir(parents=True)
        marker = pathlib.Path(name, "obeyed")
        config = pathlib.Path(name, "config.json")
        config.write_text(json.dumps(CONFIG), encoding="utf-8")
        assert "git" not in header(opbench, name, config)
        git(top, "init", "-q")
        assert "git" not in header(opbench, top, config), "there is no commit yet"
        (top / "a.txt").write_text("1\n", encoding="utf-8")
        (top / ".gitattributes").write_text("*.txt filter=evil\n", encoding="utf-8")
        git(top, "add", ".")
        git(top, "commit", "-q", "-m", "one")
        commit = git(top, "rev-parse", "HEAD")
        # Settings of the tree that git would obey.
        git(top, "config", "filter.evil.clean", f"touch {marker}; cat")
        git(top, "config", "core.fsmonitor", f"touch {marker}; false")
        os.utime(top / "a.txt", (1, 1)) # so that it must be looked at
        assert header(opbench, below, config)["git"] == {"commit": commit, "branch": "main", "dirty": False}
        (top / "a.txt").write_text("2\n", encoding="utf-8")
        assert header(opbench, below, config)["git"] == {"commit": commit, "branch": "main", "dirty": True}
        assert not marker.exists(), "a program that the tree names was run"
        assert "git" not in header(opbench, top, config, OPBENCH_GIT="off")
        (top / "a.txt").write_text("1\n", encoding="utf-8")
        (top / "new.txt").write_text("nobody knows it\n", encoding="utf-8")
        git(top, "config", "--unset", "filter.evil.clean")
        git(top, "config", "--unset", "core.fsmonitor")
        git(top, "branch", "a/b")
        git(top, "pack-refs", "--all")
        git(top, "worktree", "add", "-q", str(pathlib.Path(name, "other")), "a/b")
        other = header(opbench, pathlib.Path(name, "other"), config, "--tag", "who=me", "--tag", "x=1=2")
        assert other["git"] == {"commit": commit, "branch": "a/b", "dirty": False}, other["git"]
        assert other["tags"] == {"who": "me", "x": "1=2"}, other["tags"]
        git(top, "checkout", "-q", "--detach")
        assert header(opbench, top, config)["git"] == {"commit": commit, "dirty": False}
        change_within_a_second(top)
        assert header(opbench, top, config)["git"]["dirty"], "changed in the second of its commit"
        # Files in the place of git's that are none of its.
        (top / ".git" / "HEAD").unlink()
        os.mkfifo(top / ".git" / "HEAD")
        assert "git" not in header(opbench, top, config)
        (top / ".git" / "HEAD").unlink()
        (top / ".git" / "HEAD").write_text("ref: refs/../../../etc/passwd\n", encoding="utf-8")
        assert "git" not in header(opbench, top, config)
    print("commit, branch and changes are told; nothing of the tree is run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
