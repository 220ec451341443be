#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opbench.capture in the package, and the module patching_hook: the lines of the known prototype work as they stand. Needs a
Python with PyTorch, and says so without.

usage: test_run_hook.py [OPBENCH]
"""

import importlib.util
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from checks import SKIPPED, check, exit_code  # noqa: E402
from pypi import with_opbench  # noqa: E402

del sys.path[:2]  # the folder torch of the tests is not PyTorch

import opbench  # noqa: E402

MODEL = """
import torch
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
y = torch.nn.functional.relu(model(torch.ones(2, 4)))
y.repeat(2, 2).view(-1).ne(0).cumsum(0)
"""
HOOKED = """
import sys
sys.path.append('<PATH/TO/patching_hook.py>')
from patching_hook import init, hook
from torch import nn
nn.modules.module.register_module_forward_pre_hook(hook)
init(%s)
""" + MODEL
EXPECTED = {"torch.nn.Linear", "torch.nn.ReLU", "torch.nn.functional.relu", "torch.Tensor.repeat", "torch.Tensor.view", "torch.Tensor.ne",
            "torch.Tensor.cumsum"}


def run(folder, text, *words):
    script = folder / "train.py"
    script.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, *words, script], cwd=folder, capture_output=True, text=True, check=False, env=with_opbench())
    return done.returncode, done.stdout + done.stderr


def hooks(folder):
    code, text = run(folder, HOOKED % "")
    check(code == 0, text)
    config = json.loads((folder / "patching_hook.json").read_text(encoding="utf-8"))
    check(EXPECTED <= set(config), f"collected: {sorted(config)}")
    measured = opbench.run(folder / "patching_hook.json", iteration=1)
    check(measured.ok and len(measured) >= len(EXPECTED), f"the config runs: {measured}")
    code, text = run(folder, HOOKED % "'ops.json', pickle='ops.pickle', level='outermost'")
    check(code == 0, text)
    with open(folder / "ops.pickle", "rb") as file:
        check(pickle.load(file) == json.loads((folder / "ops.json").read_text(encoding="utf-8")), "a pickle where it is named")
    check((folder / "ops.pickle").stat().st_mode & 0o077 == 0, "which is its owner's alone")
    code, text = run(folder, HOOKED % "pickle='/tmp/picklefile'")
    check(code == 1 and "anyone can write to /tmp" in text, f"the fixed place is refused: {text}")
    code, text = run(folder, (HOOKED % "").replace("init()", ""))
    check(code == 0 and "before init() is called" in text, text)


def captures(folder):
    code, text = run(folder, "from torch import nn\n" + MODEL, "-m", "opbench.capture", "-o", "m.json")
    check(code == 0 and text.startswith("opbench.capture: "), text)
    check(EXPECTED <= set(json.loads((folder / "m.json").read_text(encoding="utf-8"))), "python -m opbench.capture")
    inside = "import opbench\nfrom torch import nn\nwith opbench.capture.Capture('w.json') as seen:\n" + "".join(
        f"    {line}\n" for line in MODEL.splitlines() if line) + "print(len(opbench.run(seen, iteration=1)))\n"
    code, text = run(folder, inside)
    check(code == 0 and int(text.splitlines()[0]) >= len(EXPECTED), f"a capture is a config: {text}")


def main():
    warnings.simplefilter("ignore", opbench.OpbenchWarning)
    if importlib.util.find_spec("torch") is None:
        print("skipped: this Python has no torch")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        hooks(pathlib.Path(name))
        captures(pathlib.Path(name))
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
