#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is installed after the first configure is found by the next build, what is removed is not used on, and make -j1
compiles one file at a time.

usage: test_configure.py CMAKE C_COMPILER
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import checks  # noqa: E402
from checks import check  # noqa: E402

LIST_OF_PACKAGES = "/var/lib/dpkg/status"
HEADER = "include/valgrind/callgrind.h"


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    return done.returncode, done.stdout


def cached(build, name):
    """What the configuration knows by that name."""
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else None


def test_installed_later(cmake, compiler, folder):
    """First no C++ compiler works and no header of valgrind is there; then both; then the header is gone again."""
    build, prefix = folder / "build", folder / "prefix"
    # The headers of this machine are not looked at, so that one can come and go.
    words = [cmake, "-S", ROOT, "-B", build, "-G", "Ninja", "-DOB_BUILD_TESTS=OFF", f"-DCMAKE_C_COMPILER={compiler}",
             f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_IGNORE_PATH=/usr/include;/usr/local/include"]
    environment = {name: value for name, value in os.environ.items() if name != "CXX"}
    code, said = run(*words, env={**environment, "CXX": "/bin/false"})
    check(code == 0 and "no C++ compiler" in said, f"a tree without C++ is configured: {said}")
    check("NOTFOUND" in (cached(build, "OB_VALGRIND_INCLUDE") or ""), "the header is not there yet")
    if os.path.exists(LIST_OF_PACKAGES):
        _, asked = run("ninja", "-C", build, "-t", "query", "build.ninja")
        check(LIST_OF_PACKAGES in asked.split(), f"a new package has the next build configure again: {asked}")
    (prefix / HEADER).parent.mkdir(parents=True)
    (prefix / HEADER).write_text("", encoding="utf-8")
    # As ninja would: it calls cmake with the two folders alone.
    again = (cmake, "-S", ROOT, "-B", build)
    code, said = run(*again, env=environment)
    check(code == 0 and cached(build, "OB_VALGRIND_INCLUDE") == str(prefix / "include"), f"the header is found: {said}")
    if run("c++", "--version", env=environment)[0] == 0:
        check("no C++ compiler" not in said, f"the C++ compiler is found: {said}")
    (prefix / HEADER).unlink()
    code, said = run(*again, env=environment)
    check(code == 0 and "NOTFOUND" in cached(build, "OB_VALGRIND_INCLUDE"), f"the header is gone: {said}")


def test_jobs():
    for words, expected in ((("-j1",), "1"), (("-j", "3"), "3"), ((), str(len(os.sched_getaffinity(0))))):
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        _, said = run("make", "-n", *words, "all", cwd=ROOT, env=environment)
        check(f"--parallel {expected} " in said, f"make {' '.join(words)}: {said}")


def main():
    cmake, compiler = sys.argv[1:]
    test_jobs()
    with tempfile.TemporaryDirectory() as folder:
        test_installed_later(cmake, compiler, pathlib.Path(folder))
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
