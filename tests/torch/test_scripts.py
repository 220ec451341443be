# SPDX-License-Identifier: Apache-2.0
"""TorchScript and libraries of operators from the command line."""

import os
import subprocess
import sys

from torch_case import TorchTest, entry, main, operator, program, tensor


class Library(TorchTest):
    def setUp(self):
        super().setUp()
        self.library = os.path.join(os.path.dirname(program), "tests", "torch_test_library.so")

    def test_operators_of_a_library(self):
        got = self.statuses({
            "obtest::throws": operator(entry(tensor(3))),
            "obtest::crash": operator(entry(tensor(3))),
            "torch.ops.obtest.twice": operator(entry(tensor(3))),
        }, "--torch-library", self.library)
        self.assertEqual(got["obtest::throws"], ("failed", "the first line"))
        self.assertEqual(got["obtest::crash"][0], "crashed")
        self.assertIn("SIGSEGV", got["obtest::crash"][1])
        self.assertEqual(got["torch.ops.obtest.twice"], ("ok", None))

    def test_library_in_the_current_folder(self):
        name = "plain_name.so"
        os.symlink(self.library, self.path(name))
        got = subprocess.run([program, "list", "ops", "--torch-library", name, "obtest::twice"],
                             cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn("obtest::twice", got.stdout)

    def test_missing_library(self):
        results, code = self.run_config({"torch.add": operator(entry(tensor(3), tensor(3)))},
                                        "--torch-library", "/no/such.so")
        self.assertEqual(results, [])
        self.assertNotEqual(code, 0)
        self.assertIn("--torch-library /no/such.so", self.stderr)


SOURCE = """
def scaled(x: Tensor, y: Tensor, factor: float = 2.0) -> Tensor:
    return torch.relu(x) * factor + y

def both(x: Tensor) -> Tuple[Tensor, Tensor]:
    return x + 1, x * 2

def bad(x: Tensor) -> Tensor:
    return torch.mm(x, x)
"""


class Script(TorchTest):
    def test_without_the_option(self):
        status, reason = self.statuses({"torchscript::f": operator(entry(tensor(3)))})["torchscript::f"]
        self.assertEqual(status, "unsupported")
        self.assertIn("--torchscript FILE gives the functions of a source file or of a saved module", reason)
        self.assertNotIn("--torch-library", reason)

    def test_missing_file(self):
        results, code = self.run_config({"torchscript::f": operator(entry(tensor(3)))},
                                        "--torchscript", "/no/such.pt")
        self.assertEqual((results, code), ([], 2))
        self.assertIn("--torchscript /no/such.pt: the file cannot be read", self.stderr)

    def test_source(self):
        script = self.write("a,b.py", SOURCE)  # a comma, which separates options, in the name
        content = {
            "torchscript::scaled": operator(entry(tensor(3), tensor(3)),
                                            entry(tensor(3), tensor(3),
                                                  factor={"type": "float", "value": 0.5})),
            "torchscript::both": operator(entry(tensor(3))),
            "torchscript::bad": operator(entry(tensor(3))),
        }
        results, _ = self.run_config(content, "--torchscript", script, "-b")
        got = [(r["op_name"], r["status"], r.get("reason"), "backward" in r["metric"])
               for r in results]
        self.assertEqual(got[:3], [("torchscript::scaled", "ok", None, True)] * 2
                         + [("torchscript::both", "ok", None, True)])
        self.assertEqual(got[3][:3],
                         ("torchscript::bad", "failed", "RuntimeError: self must be a matrix"))

    def test_saved_module(self):
        saved = self.path("saved.pt")
        save = f"import torch; torch.jit.script(torch.nn.Linear(4, 2)).save({saved!r})"
        for python in (sys.executable, "/usr/bin/python3"):  # Debian's torch belongs to Debian's
            subprocess.run([python, "-c", save], capture_output=True, check=False)
        if not os.path.exists(saved):
            self.skipTest("a module is saved by the torch of a Python, which is absent")
        results, code = self.run_config({"torchscript::forward": operator(entry(tensor(3, 4)))},
                                        "--torchscript", saved, "-b")
        self.assertEqual(([r["status"] for r in results], code), (["ok"], 0), self.stderr)
        self.assertIn("backward", results[0]["metric"])

    def test_syntax_error(self):
        script = self.write("wrong.py", "def f(x: Tensor) -> Tensor:\n    return x +\n")
        results, code = self.run_config({"torchscript::f": operator(entry(tensor(3)))},
                                        "--torchscript", script)
        self.assertEqual((results, code), ([], 2))
        self.assertIn(f"--torchscript {script}:2:15: expected ident but found 'newline'", self.stderr)
        script = self.write("wrong.py", "def f(x: Tensor) -> Tensor:\n    return x + nothing\n")
        results, code = self.run_config({"torchscript::f": operator(entry(tensor(3)))},
                                        "--torchscript", script)
        self.assertEqual((results, code), ([], 2))
        self.assertIn(f"--torchscript {script}:2:16: undefined value nothing", self.stderr)

    def test_beside_another_backend(self):
        script = self.write("s.py", SOURCE)
        library = os.path.join(os.path.dirname(program), "tests", "torch_test_library.so")
        results, code = self.run_config(
            {"torchscript::both": operator(entry(tensor(3))), "obtest::twice": operator(entry(tensor(3))),
             "torch.add": operator(entry(tensor(3), tensor(3)))},
            "--backend", "native,torch", "--torchscript", script, "--torch-library", library, "--et")
        got = {(r["op_name"], r["backend"]): r["status"] for r in results}
        self.assertEqual(got, {
            ("torchscript::both", "native"): "unsupported", ("torchscript::both", "torch"): "ok",
            ("obtest::twice", "native"): "unsupported", ("obtest::twice", "torch"): "ok",
            ("torch.add", "native"): "ok", ("torch.add", "torch"): "ok"}, self.stderr)
        self.assertEqual(code, 1)
        with open(self.path("records_et.json"), encoding="utf-8") as file:
            self.assertIn("obtest::twice", file.read())

    def test_other_backend(self):
        done = subprocess.run(
            [program, "run", "-c", "x.json", "--backend", "native", "--torchscript", "x.pt"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--torchscript needs the torch backend; add --backend torch", done.stderr)


if __name__ == "__main__":
    main()
