# SPDX-License-Identifier: Apache-2.0
"""What the tests of snippets share: opbench with a cache and a folder for temporary files of its own."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
LOOP = ["--lang", "c", "--setup", "volatile int s = 0;", "s += 1;"]
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


class Program:
    def __init__(self, path, home):
        self.path = path
        self.limit_s = 280
        self.home = home
        self.cache = home / "cache" / "opbench" / "snippets"
        self.temporary = home / "tmp"
        self.temporary.mkdir()
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(home / "cache"),
                                TMPDIR=str(self.temporary))

    def command(self, *words, text=None):
        return subprocess.run([self.path, *words], env=self.environment, input=text,
                              capture_output=True, text=True, timeout=self.limit_s)

    def start(self, *words):
        return subprocess.Popen([self.path, *words], env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words, text=None):
        return self.command("count", *words, text=text)

    def counts(self, *words):
        done = self.run(*words, "--json")
        if done.returncode != 0:
            print(done.stderr)
            check(False, f"{words} gave {done.returncode}")
            return []
        return [json.loads(line)["counts"] for line in done.stdout.splitlines()]

    def objects(self):
        return sorted(self.cache.glob("*.so"))

    def left(self):
        """What should not be there when nothing runs."""
        folders = [self.temporary, self.cache] if self.cache.exists() else [self.temporary]
        return [str(path) for folder in folders for path in folder.iterdir()
                if folder == self.temporary or path.name.startswith("opbench-")]


def run_tests(tests, needs=("valgrind", "cc", "c++")):
    """Calls each with a Program; the exit code."""
    for name in needs:
        if shutil.which(name) is None:
            print(f"skipped: there is no {name}")
            return SKIP
    if b"__asan_init" in pathlib.Path(sys.argv[1]).read_bytes():
        print("skipped: a program with AddressSanitizer does not run under valgrind")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        program = Program(sys.argv[1], pathlib.Path(folder))
        for test in tests:
            test(program)
            check(program.left() == [], f"{test.__name__} leaves nothing behind: {program.left()}")
    print(f"{len(failures)} failed")
    return 1 if failures else 0
