# SPDX-License-Identifier: Apache-2.0
"""What the tests of the onednn backend share: configs, runs of the program, what it wrote."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

GENERATOR = "PyTorch:DefaultDataGenerator"
LIMIT_S = 250
SKIP = 77
program = stubs = None
major = None  # of the library that works here, which the backend was built for
isa = None  # what it uses of the processor here


def tensor(*shape, dtype="float", **more):
    return {"type": "tensor", "dtype": dtype, "shape": list(shape), **more}


def number(value):
    return {"type": "int" if isinstance(value, int) else "float", "value": value}


def numbers(*values):
    return {"type": "genericlist", "value": [number(v) for v in values]}


def entry(*args, build=None):
    case = {"input": [{"args": list(args)}]}
    if build is not None:
        case["build"] = [{"args": list(build)}]
    return {"build_data_generator": GENERATOR, "input_data_generator": GENERATOR, "config": [case]}


def call(*words, library=None, **more):
    environment = dict(os.environ, **more)
    environment.pop("OPBENCH_ONEDNN_LIBRARY", None)
    if library is not None:
        environment["OPBENCH_ONEDNN_LIBRARY"] = library
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=LIMIT_S, env=environment)


def listed(library=None):
    """Each backend's row as one line."""
    rows, name = {}, None
    for line in call("list", "backends", library=library).stdout.splitlines():
        if line.startswith(" "):
            rows[name] += " " + line.strip()
        else:
            name = line.split()[0]
            rows[name] = line
    return rows


def run(config, *words, library=None, **more):
    """Exit code, records of the results, what the backend says about itself, what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        path, output = os.path.join(folder, "config.json"), os.path.join(folder, "out.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        done = call("run", "-c", path, "--output", output, "-w", "1", "-i", "3", *words, library=library, **more)
        records = []
        if os.path.exists(output):
            with open(output, encoding="utf-8") as file:
                records = [json.loads(line) for line in file]
    results = [r for r in records if r.get("backend") == "onednn"]
    said = next((r for r in records if "sys_info" in r), {"sys_info": {"backends": {}}})["sys_info"]["backends"]
    header = said.get("onednn", said)  # one backend alone is not named
    return done.returncode, results, header, done.stdout + done.stderr


def stub(number):
    """A library that says it is that version, and has nothing else; 0: not even that."""
    return os.path.join(stubs, "stub_%d.so" % number)


def has_vnni():
    """Whether sums of products of bytes are exact here; every instruction set above has it too."""
    return any(word in isa for word in ("vnni", "bf16", "fp16", "amx"))


def has_bf16():
    return any(word in isa for word in ("bf16", "fp16", "amx", "avx512_core", "avx2_vnni_2"))


def main(*groups):
    """The exit code of a test file: 77 where oneDNN is not there."""
    global program, stubs, major, isa
    program, stubs = sys.argv[1], sys.argv[2]
    line = listed().get("onednn", "there is no plug-in onednn: not available")
    if "not available" in line:
        print("skipped: " + line)
        return SKIP
    code, _, header, printed = run({"torch.relu": entry(tensor(4))}, "--backend", "onednn")
    if code != 0:
        print(printed)
        return 1
    major = int(header["version"].split(".")[0])
    isa = header["isa"]
    suite = unittest.TestSuite()
    for group in groups:
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(group))
    return not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()
