# SPDX-License-Identifier: Apache-2.0
#
# test_onnxruntime_run.py OPBENCH: cases on ONNX Runtime beside the native backend, with --check; what the header says; operators that
# change their input; a dtype that has no kernel. Skipped where the library is not there.

import json
import os
import pathlib
import subprocess
import sys
import tempfile

opbench = os.path.abspath(sys.argv[1])


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def call(*words, cwd=None):
    return subprocess.run([opbench, *words], capture_output=True, text=True, cwd=cwd)


rows = {row["name"]: row for row in lines(call("list", "backends", "--json").stdout)}
if not rows["onnxruntime"]["available"]:
    print("skipped:", rows["onnxruntime"]["reason"])
    sys.exit(77)


def tensor(*shape, dtype="float"):
    return {"type": "tensor", "dtype": dtype, "shape": list(shape)}


def entry(*inputs, build=None):
    config = {"input": [{"args": list(args)} for args in inputs]}
    if build is not None:
        config["build"] = [{"args": build}]
    return {"build_data_generator": "PyTorch:DefaultDataGenerator",
            "input_data_generator": "PyTorch:DefaultDataGenerator", "config": [config]}


CONFIG = {
    "torch.add": entry([tensor(4, 8), tensor(8)], [tensor(4, dtype="float16"), tensor(4, dtype="float16")],
                       [tensor(4, dtype="long"), tensor(4)]),
    "torch.mm": entry([tensor(8, 16), tensor(16, 4)]),
    "torch.Tensor.add_": entry([tensor(32), tensor(32)]),
    "torch.nn.functional.gelu": entry([tensor(5, 7)]),
    "torch.nn.Linear": entry([tensor(3, 16)], build=[{"type": "int", "value": 16}, {"type": "int", "value": 8}]),
}


def check_records(records):
    header = records[0]
    results = [r for r in records if "status" in r and "op_name" in r]
    assert {r["backend"] for r in results} == {"native", "onnxruntime"}, results
    assert all(r["status"] == "ok" for r in results), [(r["op_name"], r["status"], r.get("reason")) for r in results]
    return header


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "config.json")
    path.write_text(json.dumps(CONFIG))
    out = pathlib.Path(folder, "records.json")
    done = call("run", "-c", str(path), "--backend", "native,onnxruntime", "--check", "-w", "1", "-i", "3",
                "--output", str(out), cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    check_records(lines(out.read_text()))
    text = out.read_text()
    for word in ("CPUExecutionProvider", "intra_op_threads", "optimization"):
        assert word in text, word

    # No kernel: the record says so in ONNX Runtime's words, and the run goes on.
    path.write_text(json.dumps({"torch.mm": entry([tensor(2, 2, dtype="int8"), tensor(2, 2, dtype="int8")],
                                                  [tensor(2, 2), tensor(2, 2)])}))
    done = call("run", "-c", str(path), "--backend", "onnxruntime", "-w", "1", "-i", "2", "--output", str(out), "--force",
                cwd=folder)
    results = [r for r in lines(out.read_text()) if "status" in r and "op_name" in r]
    assert [r["status"] for r in results] == ["unsupported", "ok"], results
    assert "ONNX Runtime:" in results[0]["reason"], results[0]
    assert "for inputs of i8; use f32, or another backend" in results[0]["reason"], results[0]

    # Whole numbers divided by 0 would end the worker: no backend sees such a call, and the next case runs.
    ones, zeros = (dict(tensor(4, dtype="int"), value=value) for value in (1, 0))
    path.write_text(json.dumps({"torch.floor_divide": entry([ones, zeros], [ones, ones])}))
    done = call("run", "-c", str(path), "--backend", "onnxruntime", "--output", str(out), "--force", cwd=folder)
    results = [r for r in lines(out.read_text()) if "status" in r and "op_name" in r]
    assert done.returncode == 1 and [r["status"] for r in results] == ["invalid", "ok"], results
    assert "element 0 of other is 0" in results[0]["reason"], results[0]
