#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make install and uninstall: everything is there, works after the tree is moved, and goes again.

usage: test_install.py BUILD_DIRECTORY COMPILER
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

FILES = [
    "bin/opbench",
    "include/opbench/opbench.h",
    "include/opbench/plugin.h",
    "include/opbench/kit.h",
    "lib/libopbench.a",
    "lib/libopbench.so",
    "lib/libopbench.so.0",
    "lib/libopbench_kit.a",
    "lib/pkgconfig/opbench.pc",
    "lib/pkgconfig/opbench-kit.pc",
    "share/man/man1/opbench.1",
    "share/man/man1/opbench-run.1",
    "share/man/man1/opbench-help.1",
    "share/bash-completion/completions/opbench",
    "share/zsh/site-functions/_opbench",
    "share/fish/vendor_completions.d/opbench.fish",
    "share/doc/opbench/README.md",
    "share/doc/opbench/CHANGELOG.md",
    "share/doc/opbench/SECURITY.md",
    "share/doc/opbench/docs/commands.md",
    "share/doc/opbench/examples/configs/tour.json",
    "share/opbench/examples/configs/tour.json",
    "share/opbench/examples/plugin/operator/softclip.c",
    "share/opbench/examples/embed/Makefile",
    "share/opbench/install_manifest.txt",
]

# Folders whose texts people see: messages, help, man pages, headers, what Python says.
SPEAKING = ["src", "cli", "backends", "include", "python", "runners", "capture", "examples"]
PAGE = re.compile(r"\bdocs/[\w/]+\.md\b|\b(?:README|SECURITY|CHANGELOG|CONTRIBUTING)\.md\b")
# Made by tests and tools; not installed.
NOT_TEXTS = {".so", ".o", ".pyc", ".bin"}

# operator, id and elements of each case of examples/embed
WALKED = """torch.relu 0|0|0_0 64
torch.relu 0|0|0_1 32
torch.relu 0|0|0_2 16
torch.relu 0|0|1_0 8
torch.relu 0|0|1_1 4
torch.relu 0|0|1_2 2
torch.mm 0|0|0 18
"""

PROGRAM = r"""
#include <opbench/dtype.h>
#include <opbench/opbench.h>
#include <opbench/version.h>
#include <stdio.h>
int main(void)
{
    ob_context *context = NULL;
    ob_err err;
    if (ob_context_create(NULL, &context, &err) != OB_OK)
        return 1;
    printf("%s %s\n", ob_version(), ob_dtype_get_info(OB_DTYPE_F32)->torch_name);
    ob_context_destroy(context);
    return 0;
}
"""


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise Failure(f"{command} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def want(condition, text):
    if not condition:
        raise Failure(text)


def check_pages(prefix):
    """Every page that a text names is installed, by that name below share/doc/opbench; every link leads to one, or to an
    example, a header or a folder of the tree."""
    documentation = prefix / "share/doc/opbench"
    named = {}
    for folder in SPEAKING:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix not in NOT_TEXTS and path.name != "README.md":
                for page in PAGE.findall(path.read_text(encoding="utf-8", errors="replace")):
                    named.setdefault(page, path.relative_to(ROOT))
    want(len(named) > 20, f"only {sorted(named)} are named; did the names of pages change?")
    for page, path in named.items():
        want((documentation / page).is_file(), f"{path} names {page}, which is not in share/doc/opbench")
    for page in sorted(documentation.rglob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8")):
            want("://" in target or (page.parent / target).is_file(), f"{page.relative_to(prefix)} leads to {target}")


def check_version(version):
    """What must change with VERSION."""
    want(version == (ROOT / "VERSION").read_text(encoding="utf-8").strip(), f"the program is {version}, VERSION is not")
    for name, pattern in {"CHANGELOG.md": r"^## (\d+\.\d+\.\d+)", "debian/changelog": r"^opbench \(([^)]+)\)",
                          "cmake/abi.txt": r'OB_VERSION: "([^"]+)"', "include/opbench/version.h": r'OB_VERSION "([^"]+)"'}.items():
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
        want(found and found[1] == version, f"{name} is of {found and found[1]}, and VERSION of {version}")


def check_program(prefix, version):
    program = str(prefix / "bin" / "opbench")
    environment = {key: text for key, text in os.environ.items() if key != "OPBENCH_PLUGIN_PATH"}
    got = run([program, "--version"], env=environment)
    want(got == f"opbench {version}\n", f"--version says {got}")
    plugins = list((prefix / "lib/opbench/plugins").glob("*.so"))
    listing = run([program, "list", "plugins", "--json"], env=environment)
    for plugin in plugins:
        want(str(plugin) in listing, f"{plugin} is not in 'opbench list plugins':\n{listing}")


def check_library(prefix, directory, compiler, version):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    source = directory / "embed.c"
    source.write_text(PROGRAM, encoding="utf-8")
    flags = run(["pkg-config", "--cflags", "--libs", "opbench"], env=environment).split()
    shared = str(directory / "embed_shared")
    run([compiler, "-std=c17", str(source), "-o", shared, *flags])
    got = run([shared], env=dict(environment, LD_LIBRARY_PATH=str(prefix / "lib")))
    want(got == f"{version} float32\n", f"shared: {got}")
    cflags = run(["pkg-config", "--cflags", "opbench"], env=environment).split()
    rest = run(["pkg-config", "--static", "--libs-only-l", "opbench"], env=environment).split()
    rest.remove("-lopbench")
    static = str(directory / "embed_static")
    library = str(prefix / "lib/libopbench.a")
    run([compiler, "-std=c17", *cflags, str(source), library, *rest, "-o", static])
    got = run([static])
    want(got == f"{version} float32\n", f"static: {got}")


def check_example(prefix, directory, compiler):
    """As docs/library.md has it: the installed example, by its own Makefile, from a private prefix."""
    folder = prefix / "share/opbench/examples/embed"
    environment = {key: text for key, text in os.environ.items() if key != "LD_LIBRARY_PATH"}
    run(["make", "-s", "-C", str(folder), f"CC={compiler}", f"OUT={directory}",
         "CFLAGS=-O2 -g -Wall -Wextra -Wconversion -Wshadow -Werror",
         f"PKG_CONFIG_PATH={prefix}/lib/pkgconfig"], env=environment)
    got = run([str(directory / "walk_cases")], env=environment)
    short = "".join(line.partition(" {")[0] + "\n" for line in got.splitlines())
    want(short == WALKED, f"walk_cases: {got}")
    # The library finds the plug-ins of its own prefix, wherever the program lies.
    environment.pop("OPBENCH_PLUGIN_PATH", None)
    got = run([str(directory / "run_op")], env=environment)
    want("torch.mm 0|0|0 on native: ok\n" in got, f"run_op: {got}")
    got = run([str(directory / "config_run_results")], env=environment)
    want("6 results, 6 ok" in got, f"config_run_results: {got}")
    config = prefix / "share/opbench/examples/configs/tour.json"
    got = run([str(prefix / "bin/opbench"), "expand", "-c", str(config), "--count-cases"])
    want(int(got) > 1, f"the installed example config has {got} cases")


# What the backend of examples/plugin/backend/few.c computes with its kernels, the kit's views and derived gradients.
def tensor(*shape):
    return {"type": "tensor", "dtype": "float", "shape": shape}


KIT_CASES = {"torch.mul": [tensor(3, 4), tensor(3, 4)], "torch.add": [tensor(2, 3, 4), tensor(3, 1)],
             "torch.transpose": [tensor(5, 7), {"type": "int", "value": 0}, {"type": "int", "value": 1}]}
KIT_CONFIG = {name: {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [{"args": args}]}]}
              for name, args in KIT_CASES.items()}


def check_kit(prefix, directory, compiler):
    """A plug-in outside the tree that links the kit of the prefix has the results of the reference, backward too."""
    folder, out, config = prefix / "share/opbench/examples/plugin", directory / "plugins", directory / "kit.json"
    environment = dict(os.environ, OPBENCH_PLUGIN_PATH=str(out), OPBENCH_LIBRARY_CAPS="quiet")
    run(["make", "-s", "-C", str(folder), f"CC={compiler}", f"OUT={out}",
         "CFLAGS=-O2 -g -Wall -Wextra -Wconversion -Wshadow -Werror"],
        env=dict(environment, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")))
    config.write_text(json.dumps(KIT_CONFIG), encoding="utf-8")
    for more, count in ([], 3), (["--backward", "--op", "torch.mul"], 1):
        records = directory / f"kit{count}.json"
        run([str(prefix / "bin/opbench"), "run", "-c", str(config), "--backend", "few", "--check", "-w", "1", "-i", "2",
             "--output", str(records), *more], env=environment)
        text = records.read_text(encoding="utf-8")
        want(text.count('"verdict": "same"') == count, f"not {count} results of the kit are right:\n{text}")


def install(build, prefix, stage=""):
    # CMake's own list is written into the build tree; the user's stays as it was.
    manifest = build / "install_manifest.txt"
    before = manifest.read_bytes() if manifest.exists() else None
    try:
        run(["cmake", "--install", str(build), "--prefix", str(prefix)],
            env=dict(os.environ, DESTDIR=stage))
    finally:
        if before is not None:
            manifest.write_bytes(before)
        else:
            manifest.unlink(missing_ok=True)


def uninstall(prefix, stage=""):
    run([str(ROOT / "tools" / "uninstall"), str(prefix)], env=dict(os.environ, DESTDIR=stage))


def check_uninstall(build, directory):
    first, second = directory / "first", directory / "second"
    install(build, first)
    install(build, second)
    (second / "lib" / "stranger").write_text("not ours", encoding="utf-8")
    # An interpreter leaves what it compiled beside what it read.
    for path in first.rglob("opbench_*.py"):
        (path.parent / "__pycache__").mkdir(exist_ok=True)
        (path.parent / "__pycache__" / f"{path.stem}.cpython-311.pyc").touch()
    uninstall(first)
    want(list(first.rglob("*")) == [], f"left: {list(first.rglob('*'))}")
    want((second / "bin/opbench").exists(), "the other prefix lost its program")
    uninstall(second)
    left = sorted(path.relative_to(second).as_posix() for path in second.rglob("*"))
    want(left == ["lib", "lib/stranger"], f"left besides a stranger: {left}")
    again = subprocess.run([str(ROOT / "tools" / "uninstall"), str(first)],
                           capture_output=True, text=True, check=False)
    want(again.returncode == 1 and f"no opbench in {first}" in again.stderr, again.stderr)


def check_system_prefix(build, directory):
    """The folders that a system has stay, also when they are empty."""
    stage = str(directory / "system")
    install(build, "/usr/local", stage)
    usr_local = pathlib.Path(stage + "/usr/local")
    want((usr_local / "bin/opbench").exists(), "nothing below DESTDIR")
    uninstall("/usr/local", stage)
    left = sorted(path.relative_to(usr_local).as_posix() for path in usr_local.rglob("*"))
    want({"bin", "include", "lib", "share"} <= set(left), f"left: {left}")
    want(not any("opbench" in path for path in left), f"left: {left}")
    want(all((usr_local / path).is_dir() for path in left), f"left: {left}")


def check_all(build, compiler, directory):
    stage = directory / "stage"
    install(build, stage)
    for name in FILES:
        want((stage / name).exists(), f"{name} is not installed")
    version = run([str(build / "opbench"), "--version"]).split()[1]
    moved = directory / "moved"
    stage.rename(moved)
    check_version(version)
    check_pages(moved)
    check_program(moved, version)
    check_library(moved, directory, compiler, version)
    check_example(moved, directory, compiler)
    check_kit(moved, directory, compiler)
    uninstall(moved)
    want(list(moved.rglob("*")) == [], f"left after a move: {list(moved.rglob('*'))}")
    check_uninstall(build, directory)
    check_system_prefix(build, directory)


def main():
    with tempfile.TemporaryDirectory(prefix="opbench-install-") as directory:
        try:
            check_all(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(directory))
        except Failure as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
