# SPDX-License-Identifier: Apache-2.0
"""What users bring to the python backend, and where: variants of it by name beside other backends; modules and workloads in every
command that measures; config iterators and data generators in the style of PARAM's."""

import json
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import test_python_backend as kit  # noqa: E402
from test_python_backend import PYTHON, Folder, call, has, run  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class Variants(Folder):
    def test_are_sides(self):
        code, results, header, printed = run("torch.add", "f32[8,8]", "f32[8,8]", "--check", backend="native,python:numpy")
        self.assertEqual(code, 0, printed)
        self.assertEqual([(r["backend"], r["check"]["verdict"]) for r in results], [("native", "same"), ("python:numpy", "same")])
        self.assertIn("--backend=python:numpy", results[1]["repro"])
        self.assertTrue(header["sys_info"]["backends"]["python:numpy"]["framework"].startswith("numpy "), header)
        self.assertRegex(printed, r"native +python:numpy")

    def test_two_of_one_backend(self):
        if not has("torch"):
            self.skipTest("no torch in " + PYTHON)
        code, results, _, printed = run("torch.add", "f32[8,8]", "f32[8,8]", "alpha=2", backend="python:eager,python:numpy,python")
        self.assertEqual(code, 1, printed)
        self.assertEqual({r["backend"]: r["status"] for r in results}, {"python:eager": "ok", "python:numpy": "unsupported", "python": "ok"})
        self.assertIn("python:numpy: numpy has no alpha", printed)

    def test_compiled(self):
        if not has("torch"):
            self.skipTest("no torch in " + PYTHON)
        code, results, _, printed = run("torch.add", "f32[8,8]", "f32[8,8]", backend="python:compile")
        if not has("torch._dynamo"):
            for backend in ("python:compile", "native,python:compile,python:eager"):  # the others are measured
                code, results, _, printed = run("torch.add", "f32[8,8]", "f32[8,8]", backend=backend)
                self.assertEqual(code, 1, printed)
                self.assertEqual([r["status"] for r in results],
                                 ["unsupported" if r["backend"] == "python:compile" else "ok" for r in results], printed)
                self.assertEqual(len(results), backend.count(",") + 1)
                reason = next(r["reason"] for r in results if r["backend"] == "python:compile")
                self.assertRegex(reason, r"^torch 1\.\S+ has no torch.compile; install 2.0 or later, or measure python:eager$")
            return
        self.assertEqual(code, 0, printed)
        self.assertIn("compile", json.dumps(results[0]))

    def test_unknown(self):
        for backend, text in (("python:nothing", 'backend python has no variant "nothing"; there are python:eager, python:compile, '),
                              ("native,python:", 'backend python has no variant ""; there are python:eager, '),
                              ("native:fast", 'backend native has no variants; leave ":fast" out'),
                              ("nothing:fast", 'there is no backend "nothing:fast"'),
                              ("python:numpy,python:numpy", "--backend has python:numpy twice; name it once")):
            code, _, _, printed = run("torch.add", "f32[8]", "f32[8]", backend=backend)
            self.assertEqual(code, 2, printed)
            self.assertIn(text, printed)

    def test_options_of_one_and_of_all(self):
        words = ("torch.add", "f32[8]", "f32[8]", "--backend-options")
        for options in ("python.framework=numpy", "python:eager.framework=numpy"):
            code, results, header, printed = run(*words, options, backend="native,python:eager")
            self.assertEqual(code, 0, printed)
            self.assertTrue(header["sys_info"]["backends"]["python:eager"]["framework"].startswith("numpy "), header)
            self.assertEqual(run(*words, options, backend="python:eager")[0], 0)
        code, _, _, printed = run(*words, "python:jax.framework=numpy", backend="native,python:eager")
        self.assertEqual(code, 2, printed)

    def test_in_other_commands(self):
        done = call("time", "torch.add", "f32[8]", "f32[8]", "--backend", "native,python:numpy", "--min-run-time", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("python:numpy", done.stdout)
        for sides in (["--backend", "native,python:numpy"], ["--a", "native", "--b", "python:numpy"],
                      ["--a", "x:backend=native", "--b", "y:backend=python:numpy"], ["--axis", "backend=native,python:numpy"]):
            done = call("diff", "torch.add", "f32[8]", "f32[8]", *sides, "--budget", "0.2", "--processes", "2", "--format", "json")
            self.assertIn("python:numpy" if sides[0] != "--a" or "=" not in sides[1] else '"y"', done.stdout, done.stderr)
            self.assertNotIn('"failed"', done.stdout)

    def test_in_a_sweep(self):
        path = self.write("sweep.json", {"model": "torch.neg", "input_params": [["n"]], "input_scales": {"n": [4, 8]},
                                         "job_configs": [{"precision": "fp32", "runtime": ["native", "python:numpy"]}]})
        done = call("sweep", path, "-i", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("python:numpy"), 2, done.stdout)
        done = call("sweep", path, "-i", "2", "--backend", "python:numpy")
        self.assertEqual((done.returncode, done.stdout.count("native")), (0, 0), done.stderr)
        path = self.write("sweep.json", {"model": "torch.neg", "input_params": [["n"]], "input_scales": {"n": [4]},
                                         "job_configs": [{"precision": "fp32", "runtime": "python:other"}]})
        self.assertIn('backend python has no variant "other"', call("sweep", path, "-i", "2").stderr)

    def test_replay(self):
        if not has("torch"):
            self.skipTest("no torch in " + PYTHON)
        trace = os.path.join(HERE, "..", "cli", "traces", "step.json")
        done = call("replay", trace, "--backend", "native,python:eager", "-w", "1", "-i", "2")
        self.assertIn("python:eager", done.stdout, done.stderr)

    def test_are_listed(self):
        done = call("list", "backends", "python", "--json")
        self.assertEqual(json.loads(done.stdout)["variants"], ["eager", "compile", "autotune", "jax", "jit", "numpy"])
        self.assertIn("python:compile", call("list", "backends", "python").stdout)


OPS = """
def doubled(x, times=2):
    return x * times
"""


class Commands(Folder):
    """Modules and workloads wherever cases are measured."""

    FILES = {"own/ops.py": OPS, "workloads/lacking.py": "import nothing_of_the_sort\n", "workloads/made.py":
             "from opbench import *\nclass Made(OperatorInterface):\n    def forward(self, x):\n        return x + 1\n"
             "register_operator('made.plus', Made)\n"}

    def call(self, *words, **more):
        return call(*words, PYTHONPATH=os.path.join(self.folder, "own"), **more)

    def test_time(self):
        done = self.call("time", "python::ops.doubled", "f32[8]", "--python-module", "ops", "--backend", "python:numpy",
                         "--min-run-time", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.call("time", "ops.doubled", "f32[8]", "--python-module", "ops", "--backend-options", "framework=numpy",
                         "--min-run-time", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_diff(self):
        done = self.call("diff", "python::ops.doubled", "f32[8]", "--python-module", "ops", "--a", "python:numpy", "--b",
                         "again:backend=python:numpy", "--budget", "0.2", "--processes", "2", "--format", "json")
        self.assertIn('"again"', done.stdout, done.stderr)
        self.assertNotIn('"failed"', done.stdout)
        done = self.call("diff", "python::ops.doubled", "f32[8]", "--python-module", "ops", "--a", "native", "--b", "onednn")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--python-module needs the python backend; add --backend python", done.stderr)

    def test_sweep(self):
        path = self.write("sweep.json", {"model": "python::made.plus", "input_params": [["n"]], "input_scales": {"n": [4]},
                                         "job_configs": [{"precision": "fp32", "runtime": "python:numpy"}]})
        done = self.call("sweep", path, "-i", "2", "--python-workloads", os.path.join(self.folder, "workloads"))
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        path = self.write("sweep.json", {"model": "torch.neg", "input_params": [["n"]], "input_scales": {"n": [4]},
                                         "job_configs": [{"precision": "fp32", "runtime": "native"}]})
        done = self.call("sweep", path, "-i", "2", "--python-workloads", os.path.join(self.folder, "workloads"))
        self.assertIn("--python-workloads needs the python backend, which no job config has", done.stderr)

    def test_a_repro_line_works(self):
        code, results, _, printed = run("python::made.plus", "f32[8]", "--python-workloads", os.path.join(self.folder, "workloads"),
                                        backend="python:numpy")
        self.assertEqual(code, 0, printed)
        self.assertIn("OPBENCH_WORKLOADS=" + os.path.realpath(os.path.join(self.folder, "workloads")), results[0]["repro"])

    def test_a_module_is_no_path(self):
        os.mkdir(os.path.join(self.folder, "ops"))
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            done = self.call("time", "python::ops.doubled", "f32[8]", "--python-module", "ops", "--backend", "python:numpy",
                             "--min-run-time", "0.01")
        finally:
            os.chdir(before)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_list(self):
        words = ("--python-workloads", os.path.join(self.folder, "workloads"), "--backend", "python:numpy")
        done = self.call("list", "plugins", *words)
        self.assertRegex(done.stdout, r"lacking +python:numpy .*not available: skipped, lacking.py cannot be imported: ModuleNotFoundError")
        self.assertRegex(done.stdout, r"(?m)^null ")
        rows = [json.loads(line) for line in self.call("list", "plugins", *words, "--json").stdout.splitlines()]
        self.assertEqual([row["name"] for row in rows if not row["available"] and "lacking.py" in row["reason"]], ["lacking"])
        done = self.call("list", "ops", *words)
        self.assertRegex(done.stdout, r"(?m)^module::lacking +.*cannot be imported")
        self.assertRegex(done.stdout, r"(?m)^python::made.plus ")
        self.assertIn("only goes with the topics ops and plugins", self.call("list", "dtypes", *words).stderr)


CODE = """
import copy
import numpy
from opbench import (ConfigIterator, DataGenerator, IterableList, ListProduct, OperatorInterface, TableProduct, full_range,
                     register_config_iterator, register_data_generator, register_operator, remove_meta_attr)

class Sizes(ConfigIterator):
    def __init__(self, configs, key, device):
        super(Sizes, self).__init__(configs, key, device)
        assert device == "cpu", device
        self.most = configs["build"]["args"][0]["value"] if configs.get("build") else 2
        self.generator = self._generator()

    def _generator(self):
        for var_id, entry in enumerate(self.configs[self.key]):
            entry = copy.deepcopy(entry)
            for arg in entry["args"]:
                if "__range__" in arg:
                    arg["value"] = full_range(*arg["value"])
            entry["args"].append({"type": "int", "value": self.most})
            for config_id, args in enumerate(ListProduct([TableProduct(arg) for arg in entry["args"]])):
                yield (f"{var_id}_{config_id}", remove_meta_attr({"args": args, "kwargs": {}}))

    def __next__(self):
        return next(self.generator)

class Endless(ConfigIterator):
    def __next__(self):
        return (0, {"args": []})

class Wrong(ConfigIterator):
    def __next__(self):
        raise KeyError("args")

class Ramp:
    def get_data(self, config, device):
        count = config["args"][0]["value"]
        return ([numpy.arange(count, dtype=numpy.float32), numpy.random.rand(2)], {"name": "ramp", "more": [1, None, True]})

class Sum(OperatorInterface):
    def build(self, most=0):
        self.most = most

    def forward(self, ramp, drawn, *, name="", more=None):
        assert ramp.dtype == numpy.float32 and name == "ramp" and more == [1, None, True], (ramp.dtype, name, more)
        assert ramp.tolist() == list(range(len(ramp))) and drawn.shape == (2,)
        return ramp.sum()

class Plain(OperatorInterface):
    def build(self, most=0):
        pass

    def forward(self, n, most):
        assert n <= 3 and most in (2, 7, 8)
        return numpy.zeros(n)

register_operator("own.sum", Sum())
register_operator("own.plain", Plain())
for name, kind in (("Sizes", Sizes), ("Endless", Endless), ("Wrong", Wrong)):
    register_config_iterator("Own:" + name, kind)
register_data_generator("Own:Ramp", Ramp)
register_data_generator("Own:Bad", type("Bad", (), {"get_data": lambda self, config, device: 3}))
"""
USUAL = "PyTorch:DefaultDataGenerator"


def operator(config, **more):
    return dict({"input_data_generator": USUAL, "build_data_generator": USUAL}, config=config, **more)


class Places(Folder):
    """Files of PARAM's whose imports have opbench.param in the place of param_bench.train.compute.python."""
    FILES = {"workloads/placed.py":
             "from opbench.param.lib.data import DataGenerator, register_data_generator\n"
             "from opbench.param.lib.generator import full_range, IterableList, ListProduct, TableProduct\n"
             "from opbench.param.lib.init_helper import get_logger\n"
             "from opbench.param.lib.iterator import ConfigIterator, genericList_to_list, register_config_iterator, remove_meta_attr\n"
             "from opbench.param.lib.operator import OperatorInterface, register_operator\nimport opbench.param as param\n"
             "class Made(OperatorInterface):\n    def forward(self, x):\n        return x + 1\n"
             "assert param.ConfigIterator is ConfigIterator\nregister_operator('placed.plus', Made())\n",
             "workloads/lacking.py": "from opbench.param.lib.pytorch.operator_impl import CallableOp\n"}

    def test_are_there(self):
        words = ("--python-workloads", os.path.join(self.folder, "workloads"))
        code, results, _, printed = run("python::placed.plus", "f32[4]", *words, backend="python:numpy")
        self.assertEqual((code, [r["status"] for r in results]), (0, ["ok"]), printed)
        done = call("list", "plugins", *words, "--backend", "python:numpy")
        self.assertRegex(done.stdout, "opbench.param.lib.pytorch.operator_impl has no CallableOp in opbench; derive a class from OperatorInterface")


class Configs(Folder):
    FILES = {"workloads/code.py": CODE}

    def run_config(self, config, *words, backend="python:numpy"):
        path = self.write("config.json", config)
        return run("-c", path, *words, "--python-workloads", os.path.join(self.folder, "workloads"), backend=backend)

    def test_iterator(self):
        ranged = {"args": [{"type": "int", "__range__": ["value"], "value": [1, 3]}]}
        config = {"python::own.plain": operator([{"input": [ranged]}], input_iterator="Own:Sizes")}
        code, results, _, printed = self.run_config(config)
        self.assertEqual(code, 0, printed)
        self.assertEqual([r["id"] for r in results], ["0|0|0", "0|0|1", "0|0|2"])
        self.assertEqual(results[2]["config"]["input"]["args"], [{"type": "int", "value": 3}, {"type": "int", "value": 2}])
        again = self.run_config(config, "--case", "python::own.plain|0|0|2")
        self.assertEqual([r["key"] for r in again[1]], [results[2]["key"]], again[3])

    def test_submitted(self):
        """The config is read before anything is submitted: with the workloads that the line names, or the environment."""
        ranged = {"args": [{"type": "int", "__range__": ["value"], "value": [1, 3]}]}
        path = self.write("config.json", {"python::own.plain": operator([{"input": [ranged]}], input_iterator="Own:Sizes")})
        words = ("submit", "--slurm", "-c", path, "--output", os.path.join(self.folder, "shards"), "--nodes", "5", "--dry-run", "--",
                 "--backend", "python:numpy")
        loads = os.path.join(self.folder, "workloads")
        for done in (call(*words, "--python-workloads", loads), call(*words, OPBENCH_WORKLOADS=loads)):
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("chunks=3\n", done.stdout)
            self.assertRegex(done.stdout, r"\nrun=\(.* --python-workloads=" + re.escape(loads))

    def test_inputs_that_follow_the_build(self):
        builds = [{"args": [{"type": "int", "value": n}]} for n in (7, 8)]
        config = {"python::own.plain": operator([{"build": builds, "input": [{"args": [{"type": "int", "value": 1}]}]}],
                                                input_iterator="Own:Sizes")}
        code, results, _, printed = self.run_config(config)
        self.assertEqual(code, 0, printed)
        self.assertEqual([(r["id"], r["config"]["input"]["args"][1]["value"]) for r in results], [("0|0|0", 7), ("1|0|0", 8)])

    def test_generator(self):
        config = {"python::own.sum": operator([{"input": [{"args": [{"type": "int", "value": n}]} for n in (3, 5)]}],
                                              input_data_generator="Own:Ramp")}
        code, results, _, printed = self.run_config(config)
        self.assertEqual(code, 0, printed)
        self.assertEqual([r["status"] for r in results], ["ok", "ok"])
        self.assertEqual(results[0]["config"]["input"]["args"][-1], {"type": "python_generator", "value": "Own:Ramp"})

    def test_generator_behind_a_range(self):
        config = {"python::own.sum": operator([{"input": [{"args": [{"type": "int", "__range__": ["value"], "value": [1, 3]}]}]}],
                                              input_iterator="RangeConfigIterator", input_data_generator="Own:Ramp")}
        code, results, _, printed = self.run_config(config)
        self.assertEqual((code, len(results)), (0, 3), printed)

    def test_other_backends_have_no_such_data(self):
        config = {"torch.sum": operator([{"input": [{"args": [{"type": "int", "value": 3}]}]}], input_data_generator="Own:Ramp")}
        code, results, _, printed = self.run_config(config, backend="native,python:numpy")
        native = next(r for r in results if r["backend"] == "native")
        self.assertNotEqual(native["status"], "ok", printed)

    def test_what_is_wrong(self):
        for more, text in (({"input_iterator": "Own:Endless"}, "the iterator Own:Endless yields more than 100000 configs"),
                           ({"input_iterator": "Own:Wrong"}, "the iterator Own:Wrong failed: KeyError: 'args' ("),
                           ({"input_iterator": "Own:Nothing"}, 'unknown iterator "Own:Nothing"'),
                           ({"input_data_generator": "Own:Bad"}, "Own:Bad.get_data must return a list and a dict, not int"),
                           ({"input_data_generator": "Own:Nothing"}, 'unknown generator "Own:Nothing"')):
            config = {"python::own.plain": operator([{"input": [{"args": [{"type": "int", "value": 1}]}]}], **more)}
            code, _, _, printed = self.run_config(config)
            self.assertNotEqual(code, 0, printed)
            self.assertIn(text, printed)

    def test_only_the_command_line_brings_code(self):
        path = self.write("config.json", {"python::own.plain": operator([{"input": [{"args": []}]}], input_iterator="Own:Sizes")})
        code, _, _, printed = run("-c", path, backend="python:numpy")
        self.assertEqual(code, 2, printed)
        self.assertIn('unknown iterator "Own:Sizes"', printed)

    def test_expand(self):
        if not has("torch"):
            self.skipTest("no torch in " + PYTHON)
        path = self.write("config.json", {"python::own.plain": operator(
            [{"input": [{"args": [{"type": "int", "__range__": ["value"], "value": [1, 3]}]}]}], input_iterator="Own:Sizes")})
        done = call("expand", path, "--python-workloads", os.path.join(self.folder, "workloads"))
        self.assertEqual(len(done.stdout.splitlines()), 3, done.stderr)


class Page(Folder):
    """The files and commands of docs/python.md, in their order."""

    def commands(self):
        target = None
        with open(os.path.join(HERE, "..", "..", "docs", "python.md"), encoding="utf-8") as page:
            for line in page.read().splitlines():
                text = line[4:]
                if line and not line.startswith("    "):
                    target = None
                elif re.match(r"# \S+\.\w+$", text):
                    target = self.write(text[2:], "")
                elif re.match(r"(PYTHONPATH=\. )?opbench ", text):
                    target = None
                    yield text
                elif target is not None:
                    with open(target, "a", encoding="utf-8") as file:
                        file.write(text + "\n")

    def test_commands(self):
        if not has("torch"):
            self.skipTest("no torch in " + PYTHON)
        lacking = {"jit": has("jax"), "compile": has("torch._dynamo")}
        seen = 0
        for command in self.commands():
            environment = dict(os.environ, OPBENCH_PYTHON=PYTHON, OPBENCH_ROOFLINE="off", PATH=os.path.dirname(kit.program) + ":" + os.environ["PATH"])
            environment.pop("VIRTUAL_ENV", None)
            done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=250, env=environment)
            here = all(there or "python:" + name not in command for name, there in lacking.items())
            printed = "%s\n%s%s" % (command, done.stdout, done.stderr)
            if here and "native,torch" not in command:  # libtorch itself may be missing
                # 1 is a verdict of diff: slower here, or not.
                self.assertIn(done.returncode, (0, 1) if " diff " in " " + command else (0,), printed)
            elif not here:
                self.assertRegex(printed, "has no torch.compile; install 2.0 or later|has no jax")
            seen += 1
        self.assertGreaterEqual(seen, 8)
        with open(os.path.join(self.folder, "ramps.json"), encoding="utf-8") as file:
            json.load(file)


if __name__ == "__main__":
    kit.program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
