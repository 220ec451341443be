#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adding a backend is adding a folder: a tree with one folder more than this one, and no other change, has its plug-in, its
packages, its tests of conformance, its row in `opbench list` and its options in help.

usage: test_backend_folder.py PROGRAM CONFORM COMPILER
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HELP = "an example: three operators on float32, by the kit"
MANIFEST = {"name": "few", "help": HELP, "needs": "nothing", "runtimes": ["little"], "options": [
    {"name": "help", "value": "FILE", "commands": ["run", "list"], "gives": "x", "help": "It is not few's."},
    {"name": "backend", "value": "FILE", "commands": ["run"], "gives": "x", "help": "It is not few's."},
    {"name": "few-things", "value": "FILE", "commands": ["run"], "gives": "things", "help": "Things of few."}]}
FILES = {"CMakeLists.txt": "ob_add_plugin(few few.c LIBRARIES opbench_kit)\n",
         "few.backend.json": json.dumps(MANIFEST),
         "few.packages": "# for the test\nrun libfew-dev\ntest few-tools\n",
         "support/few.tsv": "aten::neg\tf32\t-\naten::add.Tensor\tf32*\t-\naten::mul.Tensor\tf32*\t-\n"}


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise Failure(f"{command} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def want(part, text, what):
    if part not in text:
        raise Failure(f"{what}: there is no '{part}' in:\n{text}")


def make_tree(tree):
    """Links to everything, but for the folders that something is added to or that look for what is above them."""
    tree.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("backends", "tools", "build") and not path.name.startswith("."):
            (tree / path.name).symlink_to(path)
    (tree / "tools").mkdir()
    shutil.copy(ROOT / "tools/install_deps", tree / "tools")
    (tree / "backends/few").mkdir(parents=True)
    for path in (ROOT / "backends").iterdir():
        (tree / "backends" / path.name).symlink_to(path)
    (tree / "backends/few/support").mkdir()
    shutil.copy(ROOT / "examples/plugin/backend/few.c", tree / "backends/few")
    for name, text in FILES.items():
        (tree / "backends/few" / name).write_text(text, encoding="utf-8")


def check_all(program, conform, compiler, directory):
    tree, build = directory / "tree", directory / "build"
    make_tree(tree)
    run(["cmake", "-S", str(tree), "-B", str(build), "-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}", "-DOB_TORCH=OFF"])
    tests = run(["ctest", "--test-dir", str(build), "-N"])
    for test in ("few.f32", "few.nn_bf16", "few.support", "few.beside.ops_quick"):
        want(f"conform.{test}\n", tests, "the tests")
    want("libfew-dev", run(["sh", str(tree / "tools/install_deps"), "run", "--list"]), "packages")
    want("few-tools", run(["sh", str(tree / "tools/install_deps"), "test", "--list"]), "packages")

    run(["cmake", "--build", str(build), "--target", "plugin_few"])
    plugins = build / "plugins"
    here = dict(os.environ, OPBENCH_PLUGIN_PATH=str(plugins), OPBENCH_LIBRARY_CAPS="off")
    row = json.loads(run([program, "list", "backends", "few", "--json"], env=here))
    if not row["available"] or row["help"] != HELP or row["options"] != ["help", "backend", "few-things"]:
        raise Failure(f"the list says {row}")
    told = run([program, "run", "--help-all"], env=here)
    want("--few-things FILE", told, "help")
    want("-h, --help  ", told, "help")
    if "few's" in told:
        raise Failure(f"an option of a manifest takes the place of the program's own:\n{told}")
    goldens = ROOT / "tests/golden/native_ops.jsonl"
    run([conform, str(plugins / "few.so"), "values", str(goldens), "f32", str(tree / "backends/few/support/few.tsv")])

    # Without the plug-in the manifest still says what it would be; without both nobody knows it.
    (plugins / "few.so").unlink()
    row = json.loads(run([program, "list", "backends", "few", "--json"], env=here))
    want(f"there is no plug-in few.so in {plugins}", row["reason"], "the list")
    want("few-things", run([program, "help", "run", "--all"], env=here), "help")
    (plugins / "few.backend.json").write_text("{", encoding="utf-8")
    want("manifest not read", run([program, "list", "backends", "few"], env=here), "a damaged manifest")
    (plugins / "few.backend.json").unlink()
    want("no backends match 'few'", run([program, "list", "backends", "few"], env=here), "the list")


def main():
    with tempfile.TemporaryDirectory(prefix="opbench-folder-") as directory:
        try:
            check_all(sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(directory))
        except Failure as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
