# SPDX-License-Identifier: Apache-2.0
#
# test_models.py OPBENCH modules|models: modules forward and backward, or AlexNet and ResNet-50 forward, on ONNX Runtime beside native,
# compared. Skipped where the library is not there.

import json
import os
import pathlib
import subprocess
import sys
import tempfile

opbench = os.path.abspath(sys.argv[1])


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


listed = subprocess.run([opbench, "list", "backends", "--json"], capture_output=True, text=True).stdout
rows = {row["name"]: row for row in lines(listed)}
if not rows["onnxruntime"]["available"]:
    print("skipped:", rows["onnxruntime"]["reason"])
    sys.exit(77)


def number(value):
    return {"type": "float" if isinstance(value, float) else "int", "value": value}


def entry(build, *shape, dtype="float", **more):
    tensor = {"type": "tensor", "dtype": dtype, "shape": list(shape), **more}
    return {"build_data_generator": "PyTorch:DefaultDataGenerator",
            "input_data_generator": "PyTorch:DefaultDataGenerator",
            "config": [{"build": [{"args": [number(value) for value in build]}], "input": [{"args": [tensor]}]}]}


MODULES = {
    "torch.nn.Linear": entry([16, 8], 4, 16, requires_grad=True),
    "torch.nn.Conv2d": entry([3, 4, 3], 2, 3, 8, 8, requires_grad=True),
    "torch.nn.BatchNorm2d": entry([3], 2, 3, 4, 4, requires_grad=True),
    "torch.nn.LayerNorm": entry([8], 4, 8, requires_grad=True),
    "torch.nn.MaxPool2d": entry([2], 2, 3, 8, 8, requires_grad=True),
    "torch.nn.Embedding": entry([10, 4], 6, dtype="long"),
    "torch.nn.functional.gelu": entry([], 5, 6, requires_grad=True),
}
MODULES["torch.nn.functional.gelu"]["config"][0].pop("build")
MODELS = {
    "torchvision.models.alexnet": entry([10, 0.0], 1, 3, 224, 224),
    "torchvision.models.resnet50": entry([10], 2, 3, 64, 64),
}
modules = sys.argv[2] == "modules"
with tempfile.TemporaryDirectory() as folder:
    path, out = pathlib.Path(folder, "config.json"), pathlib.Path(folder, "records.json")
    path.write_text(json.dumps(MODULES if modules else MODELS))
    for weights in ("constant", "input") if modules else ("constant",):
        done = subprocess.run([opbench, "run", "-c", str(path), "--backend", "native,onnxruntime", "--check", "-w", "1",
                               "-i", "2", "--backend-options", f"onnxruntime.weights={weights}", "--output", str(out),
                               "--force", *(["-b"] if modules else [])], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        results = [r for r in lines(out.read_text()) if r.get("backend") == "onnxruntime" and "status" in r]
        assert len(results) == len(MODULES if modules else MODELS), done.stdout
        for result in results:
            # Fifty layers, each normalised by a variance of few elements: roundings may add up to anything.
            wanted = "not checked" if result["op_name"] == "torchvision.models.resnet50" else "same"
            assert result["status"] == "ok" and result["check"]["verdict"] == wanted, result
            assert wanted == "same" or "rounding errors of this many steps" in json.dumps(result["warnings"]), result
            assert not modules or "backward" in json.dumps(result), result
