#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make install and uninstall: everything is there, works after the tree is moved, and goes again.

usage: test_install.py BUILD_DIRECTORY COMPILER
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

FILES = [
    "bin/opbench",
    "include/opbench/opbench.h",
    "include/opbench/plugin.h",
    "lib/libopbench.a",
    "lib/libopbench.so",
    "lib/libopbench.so.0",
    "lib/pkgconfig/opbench.pc",
    "share/man/man1/opbench.1",
    "share/bash-completion/completions/opbench",
]

PROGRAM = r"""
#include <opbench/opbench.h>
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


def check_all(build, compiler, directory):
    stage = directory / "stage"
    # The list of files for uninstall is written into the build tree; the user's own stays as it was.
    manifest = build / "install_manifest.txt"
    before = manifest.read_bytes() if manifest.exists() else None
    try:
        run(["cmake", "--install", str(build), "--prefix", str(stage)])
        copy = directory / "manifest.txt"
        copy.write_bytes(manifest.read_bytes())
    finally:
        if before is not None:
            manifest.write_bytes(before)
        else:
            manifest.unlink(missing_ok=True)
    for name in FILES:
        want((stage / name).exists(), f"{name} is not installed")
    version = run([str(build / "opbench"), "--version"]).split()[1]
    moved = directory / "moved"
    stage.rename(moved)
    check_program(moved, version)
    check_library(moved, directory, compiler, version)
    moved.rename(stage)
    stranger = stage / "lib" / "stranger"
    stranger.write_text("not ours", encoding="utf-8")
    run([str(ROOT / "tools" / "uninstall"), str(copy)])
    left = [path for path in stage.rglob("*") if not path.is_dir()]
    want(left == [stranger], f"left after uninstall: {left}")
    want(not (stage / "include/opbench").exists(), "include/opbench is left")


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
