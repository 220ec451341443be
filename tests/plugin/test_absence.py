# SPDX-License-Identifier: Apache-2.0
"""Each plug-in of the build left out, damaged, or without a right library of its own: the others are listed and work, and what
is wrong is said with what helps.

usage: test_absence.py PROGRAM PLUGINS COMPILER [unittest's options]"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMIT_S = 60
CONFIG = {"aten::add": {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [
    {"args": [{"type": "tensor", "dtype": "float", "shape": [4]}] * 2}]}]}}
# How a backend is given another library: the variable that names the file; or for one that has none, the name
# under which the dynamic linker looks for it.
VARIABLES = {"onednn": "OPBENCH_ONEDNN_LIBRARY", "onnxruntime": "OPBENCH_ONNXRUNTIME"}
FILES = {"opencl": "libOpenCL.so.1", "cuda": "libcuda.so.1"}
CURES = "install|fetch|correct"
program = plugins = compiler = None


def names():
    return sorted(f[:-3] for f in os.listdir(plugins) if f.endswith(".so"))


class Absence(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-absence-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = os.path.join(self.folder, "opbench")
        shutil.copy(program, self.program)
        self.config = os.path.join(self.folder, "config.json")
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump(CONFIG, file)

    def lay_out(self, without):
        """The plug-ins of the build but one; the place where that one would be."""
        place = os.path.join(self.folder, "plugins")
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        for file in os.listdir(plugins):
            if file != without + ".so":
                os.symlink(os.path.join(plugins, file), os.path.join(place, file))
        return os.path.join(place, without + ".so")

    def opbench(self, *words, **environment):
        variables = {k: v for k, v in os.environ.items() if k != "OPBENCH_PLUGIN_PATH"}
        result = subprocess.run([self.program, *words], capture_output=True, text=True, check=False,
                                timeout=LIMIT_S, env=variables | environment)
        self.assertIn(result.returncode, (0, 1, 2), result.stderr)  # no signal, no crash
        return result

    def listed(self, *words, **environment):
        result = self.opbench("list", *words, "--json", **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {row["name"]: row for row in map(json.loads, result.stdout.splitlines())}

    def run_on(self, backend, **environment):
        return self.opbench("run", "-c", self.config, "--backend", backend, "--output",
                            os.path.join(self.folder, "records.json"), "--force", **environment)

    def check_others(self, without, **environment):
        """Those that are left are loaded, and one of them works. Returns the list of backends, of that one alone: listing
        all opens all their libraries."""
        rows = self.listed("plugins", **environment)
        for name in names():
            if name != without:
                self.assertTrue(rows[name]["available"], rows[name])
        other = "null" if without == "native" else "native"
        result = self.run_on(other, **environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return self.listed("backends", without, **environment)

    def check_refusal(self, backend, *words):
        result = self.run_on(backend)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        other = "null" if backend == "native" else "native"
        self.assertEqual(self.run_on(f"{other},{backend}").returncode, 2)

    def test_left_out(self):
        for name in names():
            with self.subTest(plugin=name):
                self.lay_out(name)
                self.assertNotIn(name, self.check_others(name))
                self.check_refusal(name, f'no backend "{name}"', "opbench list backends")

    def test_damaged(self):
        with open(os.path.join(plugins, "null.so"), "rb") as file:
            head = file.read(3000)
        for name in names():
            for content in (b"", b"This is no shared object.\n" * 100, head):
                with self.subTest(plugin=name, size=len(content)):
                    with open(self.lay_out(name), "wb") as file:
                        file.write(content)
                    self.assertNotIn(name, self.check_others(name))
                    rows = self.listed("plugins")
                    self.assertFalse(rows[name]["available"])
                    self.assertRegex(rows[name]["reason"], "rebuild|remove|install")

    def test_library(self):
        """A library that is not there, is no library, or is another one."""
        garbage = os.path.join(self.folder, "garbage.so")
        with open(garbage, "w", encoding="utf-8") as file:
            file.write("This is no shared object.\n" * 100)
        source = os.path.join(self.folder, "other.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int nothing_of_the_sort;\n")
        other = os.path.join(self.folder, "other.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", other, source], check=True)
        self.lay_out("none")
        there = self.listed("backends")
        for name in sorted(set(there) & (set(VARIABLES) | set(FILES))):
            for library in (os.path.join(self.folder, "not_there.so"), garbage, other):
                if name in FILES and not os.path.exists(library):
                    continue
                with self.subTest(backend=name, library=os.path.basename(library)):
                    self.check_library(name, library)

    def check_library(self, name, library):
        if name in VARIABLES:
            environment = {VARIABLES[name]: library}
        else:
            place = os.path.join(self.folder, "libraries")
            os.makedirs(place, exist_ok=True)
            shutil.copy(library, os.path.join(place, FILES[name]))
            environment = {"LD_LIBRARY_PATH": place}
        row = self.check_others(name, **environment)[name]
        result = self.run_on(name, **environment)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertRegex(result.stderr, CURES)
        self.assertFalse(row["available"])
        self.assertRegex(row["reason"], CURES)

    def test_library_that_crashes(self):
        """Opening it ends the process: the list says so, and ends as it should."""
        self.lay_out("none")
        there = self.listed("backends")
        for name in sorted(set(there) & set(VARIABLES)):
            for body, words in (("abort();", "crashes .*Aborted"), ("exit(3);", "exit code 3")):
                with self.subTest(backend=name, body=body):
                    source = os.path.join(self.folder, "crash.c")
                    with open(source, "w", encoding="utf-8") as file:
                        file.write("#include <stdlib.h>\n"
                                   f"__attribute__((constructor)) static void at_open(void) {{ {body} }}\n")
                    library = os.path.join(self.folder, "crash.so")
                    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
                    row = self.check_others(name, **{VARIABLES[name]: library})[name]
                    self.assertFalse(row["available"])
                    self.assertRegex(row["reason"], words)

    def test_no_device(self):
        """OpenCL's library without a driver."""
        self.lay_out("none")
        if not self.listed("backends").get("opencl", {}).get("available"):
            self.skipTest("opencl does not work here")
        row = self.check_others("opencl", OCL_ICD_VENDORS=os.path.join(self.folder, "none"))["opencl"]
        self.assertFalse(row["available"])
        self.assertRegex(row["reason"], "no device.*install")


if __name__ == "__main__":
    program, plugins, compiler = (os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
