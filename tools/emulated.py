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

# Debian's name of the architecture to that of qemu and of the toolchain file, and to its number in ELF files.
ARCHITECTURES = {"arm64": ("aarch64", 183)}
TOOLS = pathlib.Path(__file__).resolve().parent
BINFMT = pathlib.Path("/proc/sys/fs/binfmt_misc")
# What the tests need inside beside what building needs: compilers for snippets, interpreters.
PACKAGES = ("git", "make", "g++", "python3")
# The one list of tests that emulation cannot serve: a regular expression that the whole name matches, and why.
NOT_SERVED = (
    (r"cli\.membind", "qemu's user mode has no set_mempolicy"),
)


class Binfmt:
    """Has the kernel start the architecture's programs by qemu, and undoes what it did."""

    def __init__(self, architecture):
        self.word, number = ARCHITECTURES[architecture]
        self.machine = number.to_bytes(2, "little")
        self.entry = BINFMT / f"opbench-{self.word}"
        self.mounted = self.registered = False

    def __enter__(self):
        if not (BINFMT / "register").exists():
            subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT)], check=True)
            self.mounted = True
        if not any(self.serves(entry) for entry in BINFMT.glob("*")):
            # Such programs, whatever their ABI's byte says, shared or not. F: qemu is opened now, so that it is found from
            # inside another root; P: programs see the name by which they were called (kernels from 5.12 on tell qemu).
            magic = b"\x7fELF\x02\x01\x01\x00" + bytes(8) + b"\x02\x00" + self.machine
            mask = b"\xff" * 7 + b"\x00" + b"\xff" * 8 + b"\xfe\xff\xff\xff"
            hexadecimal = ["".join(f"\\x{byte:02x}" for byte in part) for part in (magic, mask)]
            line = ":".join(["", self.entry.name, "M", "", *hexadecimal, static_qemu(self.word), "PF"])
            (BINFMT / "register").write_text(line, encoding="ascii")
            self.registered = True
        return self

    def serves(self, entry):
        if entry.name in ("register", "status"):
            return False
        text = entry.read_text(encoding="utf-8", errors="replace")
        return text.startswith("enabled") and f"0200{self.machine.hex()}\n" in text

    def __exit__(self, *_):
        if self.registered and self.entry.exists():
            self.entry.write_text("-1", encoding="ascii")
        if self.mounted:
            subprocess.run(["umount", str(BINFMT)], check=False)


def static_qemu(word):
    """Later releases than Debian 12 have one build only, which is static. Another would miss its libraries inside."""
    for name in (f"qemu-{word}-static", f"qemu-{word}"):
        path = shutil.which(name)
        if path is not None and b"/ld-linux" not in pathlib.Path(path).read_bytes()[:4096]:
            return path
    return None


def missing_programs(architecture):
    word, _ = ARCHITECTURES[architecture]
    needed = ("mmdebstrap", f"{word}-linux-gnu-gcc", "cmake", "ninja")
    return [name for name in needed if shutil.which(name) is None] + \
        ([f"a static qemu-{word}"] if static_qemu(word) is None else [])


def bootstrap(suite, architecture, system, mirror):
    """The command that makes the system, with what the build and the tests need."""
    listed = subprocess.check_output([str(TOOLS / "install_deps"), "run", "--list"], text=True).split()
    return ["mmdebstrap", f"--arch={architecture}", "--variant=minbase", "--skip=check/qemu", "--quiet",
            '--aptopt=Acquire::Check-Valid-Until "false"', "--include=" + ",".join([*PACKAGES, *listed]), suite, system, mirror]


def make_links_relative(architecture, system):
    """Debian 12's glibc links its libraries by absolute paths, which a linker outside of the system would look up outside."""
    folder = pathlib.Path(system) / "usr/lib" / f"{ARCHITECTURES[architecture][0]}-linux-gnu"
    for link in folder.glob("*.so"):
        target = os.readlink(link) if link.is_symlink() else ""
        if target.startswith("/"):
            link.unlink()
            link.symlink_to(os.path.relpath(f"{system}{target}", folder))


def build(architecture, tree, system, place):
    """Commands, with what they are run with, that build the tree at `place`, which is its path inside the system too."""
    toolchain = f"cmake/toolchains/{ARCHITECTURES[architecture][0]}-linux-gnu.cmake"
    environment = {**os.environ, "QEMU_LD_PREFIX": str(system)} # the build runs programs that it made
    return (
        (["mkdir", "-p", place], {}),
        (["mount", "--bind", tree, place], {}),
        (["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "--toolchain", toolchain, f"-DCMAKE_SYSROOT={system}",
          "-DCMAKE_BUILD_TYPE=Release"], {"cwd": place}),
        (["cmake", "--build", "build", "--parallel", str(os.cpu_count()), "--", "-k", "0"],
         {"cwd": place, "env": environment}), # all errors at once: the system takes long to make
    )


def left_out(folder, tests):
    """The quick tests of a build that match the expression and cannot be served: (name, why)."""
    found = subprocess.check_output(["ctest", "--test-dir", str(folder), "--show-only=json-v1", "--label-exclude", "full",
                                     *(["--tests-regex", tests] if tests else [])], text=True)
    names = [test["name"] for test in json.loads(found)["tests"]]
    return [(name, why) for name in names for expression, why in NOT_SERVED if re.fullmatch(expression, name)]


def steps(without, tests):
    """What is run inside, in the tree: what `make run` and `make test` would, after building. A time limit says little where all
    is slow, so what exceeds one is tried again. OpenBLAS would take its kernels for SVE, which are emulated at half the speed
    of those for NEON."""
    words = ["env", "OPBENCH_TEST_PATIENCE=10", "OPENBLAS_CORETYPE=ARMV8", "ctest", "--test-dir", "build", "--parallel", str(os.cpu_count()),
             "--output-on-failure", "--output-junit", "tests.xml", "--label-exclude", "full", "--repeat", "after-timeout:3"]
    if tests:
        words += ["--tests-regex", tests]
    if without:
        words += ["--exclude-regex", "^(" + "|".join(re.escape(name) for name, _ in without) + ")$"]
    tour = ["build/opbench", "run", "-c", "examples/configs/tour.json", "-w", "3", "-i", "20", "--force", "--output",
            "build/example_result.json"]
    return [tour, words]
