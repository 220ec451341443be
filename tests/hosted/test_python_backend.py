# SPDX-License-Identifier: Apache-2.0
"""`opbench run --backend python`: eager PyTorch and NumPy beside native, both passes, operators in place, graphs, several backends in
turns, compiled code, what is refused, and interpreters and frameworks that are missing or broken."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIP = 77
program = None
# Another interpreter, such as that of a virtual environment with jax and a torch that compiles: OPBENCH_TEST_PYTHON.
PYTHON = os.environ.get("OPBENCH_TEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)


def call(*words, python=PYTHON, **more):
    environment = dict(os.environ, NO_COLOR="1", OPBENCH_PYTHON=python, OPBENCH_ROOFLINE="off", **more)
    environment.pop("VIRTUAL_ENV", None)
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=250, env=environment)


def run(*words, backend="python", python=PYTHON, **more):
    """Exit code, results by backend and operator, the header, what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.json")
        done = call("run", *words, "--backend", backend, "--output", output, "-w", "1", "-i", "3", python=python, **more)
        records = []
        if os.path.exists(output):
            with open(output, encoding="utf-8") as file:
                records = [json.loads(line) for line in file]
    header = next((r for r in records if "sys_info" in r), {})
    return done.returncode, [r for r in records if "status" in r and "op_name" in r], header, done.stdout + done.stderr


def has(module, python=PYTHON):
    return subprocess.run([python, "-c", "import " + module], capture_output=True).returncode == 0


class Folder(unittest.TestCase):
    """With files of its own."""

    FILES = {}

    def setUp(self):
        if not has("numpy"):
            self.skipTest("no numpy in " + PYTHON)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in self.FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return path


class Eager(unittest.TestCase):
    """With torch where there is one."""

    def setUp(self):
        if not has("torch"):
            self.skipTest("no torch in " + PYTHON)

    def same(self, *words, backend="python"):
        code, results, header, printed = run(*words, "--check", backend=backend)
        self.assertEqual(code, 0, printed)
        self.assertTrue(results, printed)
        for r in results:
            self.assertEqual((r["status"], r["check"]["verdict"]), ("ok", "same"), printed)
        return results, header

    def test_one_call(self):
        _, header = self.same("torch.add", "f32[5,6]", "f32[5,6]", "alpha=2")
        said = header["sys_info"]["backends"]
        self.assertTrue(said["framework"].startswith("torch "), said)
        self.assertEqual(said["executable"], PYTHON)

    def test_backward(self):
        results, _ = self.same("torch.nn.Linear", "7", "3", "/", "f32[4,7]", "-b")
        self.assertIn("backward", results[0]["statistics"])

    def test_in_place_starts_from_the_same_inputs(self):
        self.same("torch.add_", "f32[5,6]", "f32[5,6]")

    def test_in_place_backward_of_one_iteration_alone(self):
        for mode in ("discrete", "continuous"):
            results, _ = self.same("torch.add_", "f32[5,6]", "f32[5,6]", "-b", "-i", "5", "--exec-mode", mode)
            self.assertIn("backward", results[0]["statistics"])

    def test_no_elements_and_no_dimensions(self):
        self.same("torch.neg", "f32[0,3]")
        self.same("torch.neg", "f32[]")

    def test_not_contiguous(self):
        self.same("torch.nn.functional.softmax", "f32[6,5]", "0")

    def test_several_results(self):
        self.same("torch.topk", "f32[9]", "3")

    def test_a_model_is_one_function(self):
        self.same("torch.nn.BatchNorm2d", "3", "/", "f32[2,3,4,4]", "-b")

    def test_beside_others(self):
        results, _ = self.same("torch.mm", "f32[8,8]", "f32[8,8]", backend="native,python")
        self.assertEqual(sorted(r["backend"] for r in results), ["native", "python"])

    def test_compiled(self):
        for words in (["--backend-options", "compile=default"], ["--pt2-model"]):
            code, results, header, printed = run("torch.mul", "f32[8,8]", "f32[8,8]", *words)
            if not has("torch._dynamo"):
                self.assertEqual((code, [r["status"] for r in results]), (1, ["unsupported"]), printed)
                self.assertIn("has no torch.compile; install 2.0 or later", printed)
                continue
            self.assertEqual(code, 0, printed)
            self.assertIn("compile", json.dumps(results[0]))
            self.assertTrue(header["run_options"]["pt2-model"])

    def test_param_needs_no_backend_for_its_word(self):
        done = call("run", "torch.mul", "f32[8]", "f32[8]", "--pt2-model", "-i", "1")
        if not has("torch._dynamo"):
            self.assertIn("has no torch.compile; install 2.0 or later", done.stdout)
        else:
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_exception_is_a_record_and_the_run_goes_on(self):
        code, results, _, printed = run("aten::_foobar", "f32[2]")
        self.assertNotEqual(code, 0, printed)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.json")
            tensor = {"type": "tensor", "dtype": "float", "shape": [3, 3]}
            generator = "PyTorch:DefaultDataGenerator"
            entry = {"build_data_generator": generator, "input_data_generator": generator}
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"aten::linalg_cholesky": dict(entry, build_data_generator=generator, config=[{"input": [{"args": [
                    dict(tensor, dtype="float", value_range=[-2, -1])]}]}]),
                    "torch.abs": dict(entry, config=[{"input": [{"args": [tensor]}]}])}, file)
            code, results, _, printed = run("-c", path)
        self.assertEqual(code, 1, printed)
        by_name = {r["op_name"]: r for r in results}
        self.assertEqual(by_name["torch.abs"]["status"], "ok", printed)
        self.assertNotEqual(by_name["aten::linalg_cholesky"]["status"], "ok", printed)


class Arrays(unittest.TestCase):
    def setUp(self):
        if not has("numpy"):
            self.skipTest("no numpy in " + PYTHON)

    def options(self, *words):
        return run(*words, "--check", "--backend-options", "framework=numpy")

    def test_rows(self):
        for words in (["torch.add", "f64[4,5]", "f64[5]"], ["torch.sum", "f32[4,5]", "1"], ["torch.mm", "f32[4,5]", "f32[5,2]"],
                      ["torch.cat", "(f32[2,3],f32[4,3])", "0"], ["torch.sum", "f32[4,5]", "[0]", "keepdim=true"], ["torch.sum", "f64[4,5]"],
                      ["torch.tril", "f32[3,3]", "1"], ["torch.clamp", "f32[9]", "max=0.5"], ["torch.clamp", "f32[9]", "0.2", "0.5"],
                      ["torch.argmax", "f32[4,5]", "dim=1", "keepdim=true"]):
            code, results, _, printed = self.options(*words)
            self.assertEqual(code, 0, printed)
            self.assertEqual(results[0]["check"]["verdict"], "same", printed)

    def test_dtype_without_a_row(self):
        code, results, _, printed = self.options("torch.neg", "bf16[4]")
        if not has("ml_dtypes"):
            self.assertEqual(results[0]["status"], "unsupported", printed)
            self.assertIn("numpy has no bfloat16 without the package ml_dtypes", printed)

    def test_what_has_no_row(self):
        code, results, _, printed = self.options("torch.nn.functional.conv2d", "f32[1,1,4,4]", "f32[1,1,2,2]")
        self.assertIn("numpy has no row for aten::", printed)
        self.assertEqual(results[0]["status"], "unsupported")

    def test_argument_without_a_row(self):
        self.assertIn("numpy has no alpha for aten::add", self.options("torch.add", "f32[4]", "f32[4]", "alpha=2")[3])

    def test_no_gradients(self):
        self.assertIn("numpy has no gradients", self.options("torch.add", "f32[4]", "f32[4]", "-b")[3])


OPS = """
import numpy
from os import path
LIMIT = 3

def doubled(x, times=2, *more, how="plain", like=numpy.float32, **rest):
    return x * times

def two(x):
    return x, (x + 1, 3, None)

def broken(x):
    raise ValueError("no good")

def _hidden(x):
    return x

class Thing:
    pass
"""


class Modules(Folder):
    """Functions of modules that the command line names."""

    FILES = {"mypkg/__init__.py": "", "mypkg/ops.py": OPS, "mypkg/bad.py": "1 / 0\n",
             "mypkg/torch_ops.py": "import torch\ndef f(x, dim=-1):\n    return torch.softmax(x * 2, dim)\n"}

    def run_own(self, *words, module="mypkg.ops", framework="numpy"):
        named = ["--python-module", module] if module else []
        return run(*words, *named, "--backend-options", "framework=" + framework, PYTHONPATH=self.folder)

    def test_a_function_is_an_operator(self):
        code, results, _, printed = self.run_own("mypkg.ops.doubled", "f32[8]")
        self.assertEqual((code, results[0]["op_name"]), (0, "mypkg.ops.doubled"), printed)
        for words in (["doubled", "f32[8,8]"], ["doubled", "f32[8]", "3"], ["doubled", "f32[2]", "times=3", "how=other"], ["two", "i64[2]"]):
            code, results, _, printed = self.run_own("python::mypkg.ops." + words[0], *words[1:])
            self.assertEqual(code, 0, printed)
            self.assertEqual((results[0]["status"], results[0]["op_name"]), ("ok", "python::mypkg.ops." + words[0]), printed)

    def test_two_functions_are_two_cases(self):
        keys = {self.run_own("python::mypkg.ops." + name, "f32[8]")[1][0]["key"] for name in ("doubled", "two")}
        self.assertEqual(len(keys), 2)

    def test_with_torch_and_backward(self):
        if not has("torch"):
            self.skipTest("no torch in " + PYTHON)
        code, results, _, printed = self.run_own("python::mypkg.torch_ops.f", "f32[8,8]", "-b", module="mypkg.torch_ops",
                                                 framework="torch")
        self.assertEqual(code, 0, printed)
        self.assertIn("backward", results[0]["statistics"])

    def test_only_the_command_line_names_a_module(self):
        path = os.path.join(self.folder, "config.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"python::mypkg.ops.doubled": {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [
                {"input": [{"args": [{"type": "tensor", "dtype": "float", "shape": [3]}]}]}]}}, file)
        code, results, _, printed = self.run_own("-c", path, module=None)
        self.assertEqual(results[0]["status"], "unsupported", printed)
        self.assertIn("--python-module NAMES gives the functions of a module", printed)
        self.assertEqual(self.run_own("-c", path)[0], 0)

    def test_list(self):
        done = call("list", "ops", "--backend", "python", "--backend-options", "framework=numpy", "--python-module", "mypkg.ops",
                    PYTHONPATH=self.folder)
        self.assertIn('python::mypkg.ops.doubled(Any x, Any times=2, Any more_0=None, ', done.stdout)
        self.assertIn(', Any more_7=None, *, Any how="plain", Any like=None) -> Any', done.stdout)
        for hidden in ("_hidden", "Thing", "ops.path", "LIMIT", "numpy("):
            self.assertNotIn(hidden, done.stdout)

    def test_an_exception_has_its_place(self):
        code, results, _, printed = self.run_own("python::mypkg.ops.broken", "f32[8]")
        self.assertEqual(results[0]["status"], "failed", printed)
        self.assertRegex(printed, r"ValueError: no good \(\S+/mypkg/ops.py, line 13, in broken\)")

    def test_what_is_not_there(self):
        code, _, _, printed = self.run_own("python::mypkg.ops.doubled", "f32[8]", module="mypkg.nothing")
        self.assertEqual(code, 2, printed)
        self.assertIn("--python-module mypkg.nothing cannot be imported: ModuleNotFoundError: No module named 'mypkg.nothing'; ", printed)
        self.assertRegex(self.run_own("python::mypkg.ops.doubled", "f32[8]", module="mypkg.bad")[3],
                         r"mypkg.bad cannot be imported: ZeroDivisionError: division by zero \(\S+bad.py, line 1, in <module>\)")
        self.assertIn("python::mypkg.ops.doubld", self.run_own("python::mypkg.ops.doubld", "f32[8]")[3])


WORKLOADS = """
from opbench import OperatorInterface, register_operator, register_operators
import beside

class Scaled(OperatorInterface):
    def build(self, scale, offset=0):
        assert self.device == "cpu"
        self.scale, self.offset = scale, offset

    def cleanup(self):
        self.output = self.grad = None

    def forward(self, *args, **kwargs):
        assert len(args) == 1 and self.scale == 3 and self.offset in (0, 5), (args, self.scale, self.offset)
        self.output = args[0] * self.scale + self.offset
        return self.output

    def create_grad(self):
        self.grad = self.output * 0 + 1

    def backward(self):
        assert self.grad is not None

class Sum(OperatorInterface):
    def forward(self, *args, times=1):
        assert len(args) == 3, args
        return sum(args) * times

register_operator("mylib.scaled", Scaled())
register_operators({"mylib.total": Sum})
"""


class Workloads(Folder):
    """Operators in the style of PARAM's, which register themselves."""

    FILES = {"scaled.py": WORKLOADS, "beside.py": "", "lacking.py": "import nothing_of_the_sort\n",
             "leaves.py": "raise SystemExit(3)\n", "_own.py": "1 / 0\n", "notes.txt": "no Python",
             "twice.py": "from opbench import *\nregister_operator('a.b', OperatorInterface())\n"
                         "register_operator('mylib.total', OperatorInterface())\n",
             "wrong.py": "from opbench import *\nregister_operator('a(b', OperatorInterface())\n"}

    def run_own(self, *words):
        return run(*words, "--python-workloads", self.folder, "--backend-options", "framework=numpy")

    def test_build_forward_and_backward(self):
        for words in (["3", "/", "f32[8]"], ["3", "5", "/", "f32[8]"], ["3", "offset=5", "/", "f32[8]"]):
            code, results, _, printed = self.run_own("mylib.scaled", *words, "-b")
            self.assertEqual(code, 0, printed)
            self.assertIn("backward", results[0]["statistics"])

    def test_arguments_without_names(self):
        self.assertEqual(self.run_own("python::mylib.total", "f32[8]", "f32[8]", "2", "times=4")[0], 0)

    def test_no_backward(self):
        code, results, _, printed = self.run_own("python::mylib.total", "f32[8]", "f32[8]", "2", "-b")
        self.assertIn("NotImplementedError: Sum has no backward", printed)

    def test_modules_that_fail_are_skipped(self):
        done = call("list", "ops", "--backend", "python", "--backend-options", "framework=numpy", OPBENCH_WORKLOADS=self.folder)
        lines = {line.split()[0]: line for line in done.stdout.splitlines()}
        for name, text in (("lacking", "skipped, lacking.py cannot be imported: ModuleNotFoundError: No module named 'nothing_of_the_sort'"),
                           ("leaves", "cannot be imported: SystemExit: 3"), ("twice", "ValueError: there are two operators called mylib.total"),
                           ("wrong", "ValueError: an operator's name must be words joined by dots, not 'a(b'")):
            self.assertIn(text, lines["module::" + name])
        self.assertEqual(sorted(lines), ["NAME"] + ["module::" + name for name in ("lacking", "leaves", "twice", "wrong")]
                         + ["python::mylib.scaled", "python::mylib.total"])
        _, _, header, _ = self.run_own("python::mylib.total", "f32[8]", "f32[8]", "2")
        self.assertIn("lacking.py cannot be imported", header["sys_info"]["backends"]["workloads skipped"])

    def test_no_folder(self):
        done = call("list", "ops", "--backend", "python", "--backend-options", "framework=numpy", OPBENCH_WORKLOADS="/nowhere")
        self.assertIn("--python-workloads /nowhere is not a folder", done.stderr)


FAULTY = """
import ctypes, io, os, sys, threading, time
print("printed by an import")
os.write(1, b"written by an import\\n")
sys.stdout = io.StringIO()
time.sleep(0.5)

def raises(x): raise ValueError("no good")
def leaves(x): sys.exit(3)
def ends(x): os._exit(4)
def crashes(x): ctypes.string_at(0)
def hangs(x):
    while True: time.sleep(0.1)
def copies(x):
    os.fork()
    return x
def speaks(x): raise ValueError("\\0\\x1b[31m\\udcff")
def starts(x):
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return x
def prints(x):
    print("printed by a call")
    os.write(1, b"written by a call\\n")
    return x
def replaces(x):
    sys.stdout = sys.stderr = None
    return x
def good(x): return x
"""


class Faults(unittest.TestCase):
    def test_the_run_goes_on(self):
        """Whatever a call does to its process is that case's record, and the next has a process that works."""
        if not has("numpy"):
            self.skipTest("no numpy in " + PYTHON)
        wanted = {"raises": ("failed", "ValueError: no good"), "leaves": ("failed", "SystemExit: 3"),
                  "ends": ("crashed", "exit code 4"), "crashes": ("crashed", "SIGSEGV"), "hangs": ("timed_out", "longer than 5 s"),
                  "copies": ("ok", ""), "speaks": ("failed", r"ValueError: \x00\x1b[31m\udcff ("), "starts": ("ok", ""), "prints": ("ok", ""), "replaces": ("ok", ""), "good": ("ok", "")}
        tensor = {"type": "tensor", "dtype": "float", "shape": [3]}
        config = {"python::faulty." + name: {"input_data_generator": "PyTorch:DefaultDataGenerator",
                                             "config": [{"input": [{"args": [tensor]}]}]} for name in wanted}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("faulty.py", FAULTY), ("config.json", json.dumps(config))):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            code, results, _, printed = run("-c", os.path.join(folder, "config.json"), "--python-module", "faulty", "--backend-options",
                                            "framework=numpy", "--case-timeout", "5", PYTHONPATH=folder)
        self.assertEqual(code, 1, printed)
        found = {r["op_name"].split(".")[-1]: r for r in results}
        self.assertEqual({name: r["status"] for name, r in found.items()}, {name: status for name, (status, _) in wanted.items()}, printed)
        for name, (_, text) in wanted.items():
            self.assertIn(text, found[name].get("reason") or "", printed)
        for text in ("printed by", "written by"):
            self.assertNotIn(text, printed)


class Interpreters(unittest.TestCase):
    def test_virtual_environment_is_kept(self):
        if not has("numpy"):
            self.skipTest("no numpy in " + PYTHON)
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([PYTHON, "-m", "venv", "--without-pip", "--system-site-packages", "--symlinks", folder],
                                  capture_output=True)
            if made.returncode != 0:
                self.skipTest("no venv in " + PYTHON)
            own = os.path.join(os.path.realpath(folder), "bin", "python3")
            if not has("numpy", own): # one made by a virtual environment has the packages below that
                self.skipTest("the numpy of %s is its own" % PYTHON)
            code, _, header, printed = run("torch.add", "f32[4]", "f32[4]", "--python", own, "--backend-options", "framework=numpy")
        self.assertEqual(code, 0, printed)
        self.assertEqual(header["sys_info"]["backends"]["executable"], own)

    def test_commands_that_time_statements_too(self):
        """Their own --python is the backend's too: it counts, not the interpreter of the environment."""
        if not has("numpy"):
            self.skipTest("no numpy in " + PYTHON)
        words = ("torch.add", "f32[4]", "f32[4]", "--backend-options", "framework=numpy")
        for more in (("time", *words, "--backend", "python", "-n", "1"),
                     ("diff", *words, "--a", "one:backend=python", "--b", "two:backend=python", "--budget", "0.01", "--processes", "1")):
            wrong = call(*more, python="/nowhere/python3")
            self.assertIn("/nowhere/python3 cannot be run", wrong.stdout + wrong.stderr)
            done = call(*more, "--python", PYTHON, python="/nowhere/python3")
            self.assertNotIn("cannot be run", done.stdout + done.stderr)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_sides_with_interpreters(self):
        """Two environments as two sides."""
        if not has("numpy"):
            self.skipTest("no numpy in " + PYTHON)
        words = ("diff", "torch.add", "f32[4]", "f32[4]", "--budget", "0.01", "--processes", "1", "--a",
                 "one:backend=python:numpy,python=" + PYTHON, "--b")
        done = call(*words, "two:backend=python:numpy,python=" + PYTHON, python="/nowhere/python3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = call(*words, "two:backend=python:numpy,python=/nowhere/else", python=PYTHON)
        self.assertRegex(done.stdout + done.stderr, "side two: .*/nowhere/else cannot be run")
        done = call(*words, "two:backend=native,python=" + PYTHON, python=PYTHON)
        self.assertEqual(done.returncode, 2)
        self.assertIn("side two: operators have no python", done.stdout + done.stderr)

    def test_missing(self):
        code, _, _, printed = run("torch.add", "f32[4]", "f32[4]", python="/nowhere/python3")
        self.assertNotEqual(code, 0)
        self.assertIn("/nowhere/python3 cannot be run; install it, or name another program in $OPBENCH_PYTHON", printed)

    def test_no_framework(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "python3")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nexec %s -S \"$@\"\n" % PYTHON)
            os.chmod(path, 0o755)
            code, _, _, printed = run("torch.add", "f32[4]", "f32[4]", python=path)
        self.assertNotEqual(code, 0)
        self.assertIn("has no torch (", printed)

    def test_folder_of_the_user_is_not_searched(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "numpy.py"), "w", encoding="utf-8") as file:
                file.write("raise SystemExit('taken')\n")
            environment = dict(os.environ, OPBENCH_PYTHON=PYTHON)
            done = subprocess.run([program, "run", "torch.add", "f32[4]", "f32[4]", "--backend", "python", "--backend-options",
                                   "framework=numpy", "-i", "1"], cwd=folder, capture_output=True, text=True, timeout=250, env=environment)
        self.assertNotIn("taken", done.stdout + done.stderr)

    def test_exits_and_crashes_are_told(self):
        for body, text in (("import os; os._exit(3)", "exit code 3"), ("import os; os.abort()", "Aborted"),
                           ("raise SystemExit(4)", "SystemExit")):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "numpy.py"), "w", encoding="utf-8") as file:
                    file.write(body + "\n")
                code, _, _, printed = run("torch.add", "f32[4]", "f32[4]", "--backend-options", "framework=numpy", PYTHONPATH=folder)
            self.assertNotEqual(code, 0, printed)
            self.assertIn(text, printed)

    def test_unknown_framework(self):
        self.assertIn("tensorflow is not a framework of the python backend; choose from jax, numpy, torch",
                      run("torch.add", "f32[4]", "f32[4]", "--backend-options", "framework=tensorflow")[3])

    @unittest.skipUnless(shutil.which("valgrind"), "there is no valgrind")
    def test_no_counts(self):
        done = call("count", "--op", "torch.add", "f32[4]", "f32[4]", "--backend", "python")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("valgrind does not follow into the program that hosts it", done.stdout + done.stderr)

    def test_not_in_this_process(self):
        done = call("run", "torch.add", "f32[4]", "f32[4]", "--backend", "python", "--no-isolate")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not a Python interpreter", done.stdout + done.stderr)


if __name__ == "__main__":
    program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
