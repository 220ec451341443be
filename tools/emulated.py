# SPDX-License-Identifier: Apache-2.0
"""Another architecture under emulation: what tools/test_on does where the machine cannot run the system by itself.

Compilers are slow under emulation, so the tree is built by a cross compiler against the system's own headers and libraries,
and its tests run inside the system, with the build at the same path.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

# Debian's name of the architecture to that of qemu and of the toolchain file.
ARCHITECTURES = {"arm64": "aarch64"}
TOOLS = pathlib.Path(__file__).resolve().parent
BINFMT = pathlib.Path("/proc/sys/fs/binfmt_misc")
# What the tests need inside beside what building needs: compilers for snippets, interpreters.
PACKAGES = ("git", "make", "g++", "python3")
# The one list of tests that emulation cannot serve: a regular expression that the whole name matches, and why.
NOT_SERVED = (
)


class Binfmt:
    """Has the kernel start the architecture's programs by qemu, and undoes what it did."""

    def __init__(self, architecture):
        self.name = "qemu-" + ARCHITECTURES[architecture]
        self.mounted = self.enabled = False

    def __enter__(self):
        if not (BINFMT / "register").exists():
            subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT)], check=True)
            self.mounted = True
        if not (BINFMT / self.name).exists():
            self.enabled = True
            subprocess.run(["update-binfmts", "--enable", self.name], check=True)
        return self

    def __exit__(self, *_):
        if self.enabled:
            subprocess.run(["update-binfmts", "--disable", self.name], check=False)
        if self.mounted:
            subprocess.run(["umount", str(BINFMT)], check=False)


def missing_programs(architecture):
    word = ARCHITECTURES[architecture]
    needed = ("mmdebstrap", "update-binfmts", f"qemu-{word}-static", f"{word}-linux-gnu-gcc", "cmake", "ninja")
    return [name for name in needed if shutil.which(name) is None]


def bootstrap(suite, architecture, system, mirror):
    """The command that makes the system, with what the build and the tests need."""
    listed = subprocess.check_output([str(TOOLS / "install_deps"), "run", "--list"], text=True).split()
    return ["mmdebstrap", f"--arch={architecture}", "--variant=minbase", "--skip=check/qemu", "--quiet",
            '--aptopt=Acquire::Check-Valid-Until "false"', "--include=" + ",".join([*PACKAGES, *listed]), suite, system, mirror]


def build(architecture, tree, system, place):
    """Commands, with what they are run with, that build the tree at `place`, which is its path inside the system too."""
    toolchain = f"cmake/toolchains/{ARCHITECTURES[architecture]}-linux-gnu.cmake"
    environment = {**os.environ, "QEMU_LD_PREFIX": str(system)} # the build runs programs that it made
    return (
        (["mkdir", "-p", place], {}),
        (["mount", "--bind", tree, place], {}),
        (["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "--toolchain", toolchain, f"-DCMAKE_SYSROOT={system}",
          "-DCMAKE_BUILD_TYPE=Release"], {"cwd": place}),
        (["cmake", "--build", "build", "--parallel", str(os.cpu_count())], {"cwd": place, "env": environment}),
    )


def left_out(folder, tests):
    """The quick tests of a build that match the expression and cannot be served: (name, why)."""
    found = subprocess.check_output(["ctest", "--test-dir", str(folder), "--show-only=json-v1", "--label-exclude", "full",
                                     *(["--tests-regex", tests] if tests else [])], text=True)
    names = [test["name"] for test in json.loads(found)["tests"]]
    return [(name, why) for name in names for expression, why in NOT_SERVED if re.fullmatch(expression, name)]


def steps(without, tests):
    """What is run inside, in the tree: what `make run` and `make test` would, after building."""
    words = ["env", "OPBENCH_TEST_PATIENCE=10", "ctest", "--test-dir", "build", "--parallel", str(os.cpu_count()),
             "--output-on-failure", "--output-junit", "tests.xml", "--label-exclude", "full"]
    if tests:
        words += ["--tests-regex", tests]
    if without:
        words += ["--exclude-regex", "^(" + "|".join(re.escape(name) for name, _ in without) + ")$"]
    tour = ["build/opbench", "run", "-c", "examples/configs/tour.json", "-w", "3", "-i", "20", "--force", "--output",
            "build/example_result.json"]
    return [tour, words]
