# SPDX-License-Identifier: Apache-2.0
"""Each plug-in of the build left out, damaged, or without a right library of its own: the others are listed and work, and what
is wrong is said with what helps, by the list and by every command that asks for the backend.

usage: test_absence.py PROGRAM PLUGINS FIXTURES COMPILER [unittest's options]"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMIT_S = 60 * int(os.environ.get("OPBENCH_TEST_PATIENCE", "1"))
CONFIG = {"aten::add": {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [
    {"args": [{"type": "tensor", "dtype": "float", "shape": [4]}] * 2}]}]}}
SWEEP = {"model": "torch.nn.functional.relu", "model_init_params": [], "input_params": [["n"]], "input_scales": {"n": [4]}}
RUNTIMES = {"torch": "pt", "onnxruntime": "ort"}  # as sweeps call them
# How a backend is given another library: the variable that names the file; or for one that has none, the name
# under which the dynamic linker looks for it.
VARIABLES = {"onednn": "OPBENCH_ONEDNN_LIBRARY", "onnxruntime": "OPBENCH_ONNXRUNTIME"}
FILES = {"opencl": "libOpenCL.so.1", "cuda": "libcuda.so.1", "onnxruntime": "libonnxruntime.so.1"}
CURES = "install|fetch|correct|set OPBENCH_"
ADD = ("--op", "torch.add", "f32[4]", "f32[4]")
program = plugins = fixtures = compiler = None


def names():
    return sorted(f[:-3] for f in os.listdir(plugins) if f.endswith(".so"))


def another(name):
    return "null" if name == "native" else "native"


class Absence(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-absence-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = os.path.join(self.folder, "opbench")
        shutil.copy(program, self.program)
        self.config = self.write("config.json", CONFIG)
        self.lay_out("none")
        self.whole = self.listed("plugins")

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def lay_out(self, without):
        """The plug-ins of the build but one; the place where that one would be."""
        place = os.path.join(self.folder, "plugins")
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        for file in os.listdir(plugins):
            if file != without + ".so":
                os.symlink(os.path.join(plugins, file), os.path.join(place, file))
        return os.path.join(place, without + ".so")

    def built(self, among):
        return sorted(name for name in among if self.whole.get(name, {}).get("available"))

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
        """Those that are left are loaded, and one of them works. Returns the row of the one that is not: listing
        all opens all their libraries."""
        rows = self.listed("plugins", **environment)
        for name in names():
            if name != without:  # one that was not built says so, as before
                self.assertEqual(rows[name]["available"], self.whole[name]["available"], rows[name])
        result = self.run_on(another(without), **environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return self.listed("backends", without, **environment)[without]

    def check_refusals(self, backend, reason):
        """Every command that is asked for it says why it is not there."""
        both = f"{another(backend)},{backend}"
        sweep = self.write("sweep.json", SWEEP | {"job_configs": [["fp32", RUNTIMES.get(backend, backend)]]})
        for words in (("run", "-c", self.config, "--backend", backend), ("run", "-c", self.config, "--backend", both),
                      ("time", "--backend", backend, *ADD), ("time", "--backend", both, *ADD),
                      ("list", "ops", "--backend", backend), ("sweep", sweep, "-o", os.path.join(self.folder, "table.csv"))):
            result = self.opbench(*words)
            self.assertEqual(result.returncode, 2, (words, result.stdout, result.stderr))
            self.assertRegex(result.stderr, f"backend {backend} [a-z ]*: {re.escape(reason)}", words)

    def test_left_out(self):
        there = {name: row["help"] for name, row in self.listed("backends").items()}
        self.assertEqual(sorted(there), names())
        for name in names():
            with self.subTest(plugin=name):
                place = self.lay_out(name)
                row = self.check_others(name)
                self.assertFalse(row["available"])
                self.assertEqual(row["help"], there[name])  # the table of the core says what the plug-in does
                self.assertIn(f"there is no plug-in {name}.so in {os.path.dirname(place)}; ", row["reason"])
                self.assertRegex(row["reason"], "rebuild opbench")
                self.assertRegex(row["reason"], "; rebuild|" + CURES)
                self.check_refusals(name, row["reason"])
                table = self.opbench("list", "backends", name).stdout
                self.assertIn("not available: " + row["reason"], " ".join(table.split()))

    def test_damaged(self):
        with open(os.path.join(plugins, "null.so"), "rb") as file:
            head = file.read(3000)
        contents = (b"", b"This is no shared object.\n" * 100, head)
        for i, name in enumerate(names()):  # each of the contents for some of them
            content = contents[i % len(contents)]
            with self.subTest(plugin=name, size=len(content)):
                path = self.lay_out(name)
                with open(path, "wb") as file:
                    file.write(content)
                self.check_damaged(name, path, "it cannot be opened: .*; .*(rebuild|remove|install)")
        self.check_refusals(name, f"its plug-in {path} was not loaded: ")

    def test_wrong_plugin(self):
        """A shared object of another ABI, without the entry or a function, and one that cannot be linked."""
        kinds = {"wrong_abi": "ABI 999.*rebuild it", "no_symbol": "does not export .*move the file",
                 "missing_function": "lacks 'run'", "undefined_symbol": "undefined symbol: .*; "}
        for name, (kind, words) in zip(names() * 2, kinds.items()):
            with self.subTest(plugin=name, kind=kind):
                path = self.lay_out(name)
                shutil.copy(os.path.join(fixtures, kind + ".so"), path)
                self.check_damaged(name, path, words)

    def check_damaged(self, name, path, words):
        row = self.check_others(name)
        self.assertFalse(row["available"])
        self.assertRegex(row["reason"], f"its plug-in {path} was not loaded: .*{words}")
        self.assertRegex(self.listed("plugins")[name]["reason"], words)

    def make_libraries(self):
        """Name: (file, what is said of it)."""
        garbage = self.write("garbage.so", "This is no shared object.\n" * 100)
        empty = self.write("empty.so", "")
        source = self.write("other.c", "int nothing_of_the_sort;\n")
        other = os.path.join(self.folder, "other.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", other, source], check=True)
        needy = os.path.join(self.folder, "needy.so")
        source = self.write("needy.c", "void nobody_has_this(void); void f(void); void f(void) { nobody_has_this(); }\n")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", needy, source], check=True)
        cut = os.path.join(self.folder, "cut.so")
        with open(other, "rb") as whole, open(cut, "wb") as part:
            part.write(whole.read()[:2000])
        return {"not_there": (os.path.join(self.folder, "not_there.so"), "not_there.so"),
                "garbage": (garbage, "exists, but cannot be opened: invalid ELF header"),
                "empty": (empty, "exists, but cannot be opened: file too short"),
                "cut": (cut, "is broken: the file is shorter"),
                "needy": (needy, "exists, but cannot be opened: undefined symbol: nobody_has_this"),
                "other": (other, "has no|has no OrtGetApiBase")}

    def test_library(self):
        """A library that is not there, is broken, or is another one: by its path, and where the linker looks."""
        libraries = self.make_libraries()
        for name in self.built(VARIABLES):
            for kind, (library, words) in libraries.items():
                with self.subTest(backend=name, library=kind):
                    self.check_library(name, words, **{VARIABLES[name]: library})
        for name in self.built(FILES):
            for kind, (library, words) in libraries.items():
                if kind == "not_there":
                    continue
                with self.subTest(backend=name, library=kind, found="by name"):
                    place = os.path.join(self.folder, "libraries")
                    shutil.rmtree(place, ignore_errors=True)
                    os.makedirs(place)
                    shutil.copy(library, os.path.join(place, FILES[name]))
                    # No other place of ONNX Runtime's comes first.
                    self.check_library(name, words, LD_LIBRARY_PATH=place, OPBENCH_ONNXRUNTIME="", XDG_DATA_HOME=self.folder)

    def check_library(self, name, words, **environment):
        row = self.check_others(name, **environment)
        result = self.run_on(name, **environment)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertFalse(row["available"])
        for text in (result.stderr, row["reason"]):
            self.assertRegex(text, CURES)
            self.assertRegex(text, words)

    def test_torch_without_its_part(self):
        """The plug-in of torch is two files."""
        if not os.path.exists(os.path.join(plugins, "torch", "shim.so")):
            self.skipTest("torch was not built")
        path = self.lay_out("torch")
        shutil.copy(os.path.join(plugins, "torch.so"), path)
        os.unlink(os.path.join(os.path.dirname(path), "torch"))
        row = self.check_others("torch")
        self.assertRegex(row["reason"], "torch/shim.so is missing; rebuild or reinstall opbench")
        os.mkdir(os.path.join(os.path.dirname(path), "torch"))
        shutil.copy(self.write("garbage.so", "This is no shared object.\n" * 100),
                    os.path.join(os.path.dirname(path), "torch", "shim.so"))
        row = self.check_others("torch")
        self.assertRegex(row["reason"], "shim.so exists, but cannot be opened: invalid ELF header; install")

    def test_library_that_crashes(self):
        """Opening it ends the process: the list says so, and ends as it should."""
        for name in self.built(VARIABLES):
            for body, words in (("abort();", "crashes .*Aborted"), ("exit(3);", "exit code 3")):
                with self.subTest(backend=name, body=body):
                    source = self.write("crash.c", "#include <stdlib.h>\n"
                                        f"__attribute__((constructor)) static void at_open(void) {{ {body} }}\n")
                    library = os.path.join(self.folder, "crash.so")
                    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
                    row = self.check_others(name, **{VARIABLES[name]: library})
                    self.assertFalse(row["available"])
                    self.assertRegex(row["reason"], words)

    def test_no_device(self):
        """OpenCL's library without a driver."""
        if not self.listed("backends").get("opencl", {}).get("available"):
            self.skipTest("opencl does not work here")
        row = self.check_others("opencl", OCL_ICD_VENDORS=os.path.join(self.folder, "none"))
        self.assertFalse(row["available"])
        self.assertRegex(row["reason"], "no device.*install")

    def test_misspelt(self):
        result = self.opbench("time", "--backend", "onedn", *ADD)
        self.assertEqual(result.returncode, 2)
        self.assertIn('there is no backend "onedn"; did you mean "onednn"?', result.stderr)


if __name__ == "__main__":
    program, plugins, fixtures = (os.path.abspath(word) for word in sys.argv[1:4])
    compiler = sys.argv[4]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
