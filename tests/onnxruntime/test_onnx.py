# SPDX-License-Identifier: Apache-2.0
#
# test_onnx.py OPBENCH: model files by --onnx: what they compute, several inputs and outputs, shapes that the file leaves open,
# and files that are wrong: each is an error that names the file, and nothing crashes.

import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

opbench = os.path.abspath(sys.argv[1])


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


rows = {r["name"]: r for r in lines(subprocess.run([opbench, "list", "backends", "--json"], capture_output=True,
                                                   text=True).stdout)}
if not rows["onnxruntime"]["available"]:
    print("skipped:", rows["onnxruntime"]["reason"])
    sys.exit(77)

# ---- a writer of protocol buffers, just enough for models ----


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def info(name, dims):
    """A float tensor; a dimension that is a text is open."""
    shape = b"".join(field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def node(op, inputs, outputs):
    return (b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) + field(4, op))


def model(nodes, inputs, outputs, initializers=b""):
    graph = (b"".join(field(1, n) for n in nodes) + field(2, "g") + initializers
             + b"".join(field(11, i) for i in inputs) + b"".join(field(12, o) for o in outputs))
    return field(1, 8) + field(8, field(2, 17)) + field(7, graph)


WEIGHT = field(5, field(1, 3) + field(1, 2) + field(2, 1) + field(8, "w") + field(9, struct.pack("<6f", *range(6))))
GOOD = model([node("MatMul", ["x", "w"], ["h"]), node("Relu", ["h"], ["y"]), node("Shape", ["y"], ["n:0"])],
             [info("x", ["batch", 3])], [info("y", ["batch", 2]), field(1, "n:0")], WEIGHT)
TWO = model([node("Add", ["1st", "b/b"], ["y"])], [info("1st", [4]), info("b/b", [4])], [info("y", [4])])


def tensor(*shape, dtype="float"):
    return {"type": "tensor", "dtype": dtype, "shape": list(shape)}


def config_of(*inputs):
    return {"onnx::model": {"input_data_generator": "PyTorch:DefaultDataGenerator",
                            "config": [{"input": [{"args": list(args)} for args in inputs]}]}}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    path, config, out = folder / "model.onnx", folder / "config.json", folder / "records.json"

    def run(content, inputs, *words):
        path.write_bytes(content)
        config.write_text(json.dumps(config_of(*inputs)))
        done = subprocess.run([opbench, "run", "-c", str(config), "-w", "1", "-i", "2", "--output", str(out), "--force",
                               *words], capture_output=True, text=True, cwd=folder)
        assert done.returncode in (0, 1, 2), (done.returncode, done.stderr)
        results = [r for r in lines(out.read_text()) if "status" in r and "op_name" in r] if out.exists() else []
        return done, results

    onnx = ("--onnx", str(path))
    done, results = run(GOOD, [[tensor(5, 3)], [tensor(1, 3)]], *onnx)
    assert done.returncode == 0 and [r["status"] for r in results] == ["ok", "ok"], (done, results)
    assert "does not know the operator" not in done.stderr, done.stderr
    done, results = run(GOOD, [[tensor(5, 4)]], *onnx)
    assert done.returncode == 1 and "Got: 4 Expected: 3" in results[0]["reason"], (done, results)
    done, results = run(TWO, [[tensor(4), tensor(4)]], *onnx)
    assert done.returncode == 0 and results[0]["status"] == "ok", (done, results)

    # A shape or element type that the model does not take: a record with the reason, and the next case runs.
    done, results = run(GOOD, [[tensor(5, 4)], [tensor(5, 3, dtype="long")], [tensor(5, 3)]], *onnx)
    assert done.returncode == 1 and results[2]["status"] == "ok", (done, results)
    for result in results[:2]:
        assert result["status"] != "ok" and "model.onnx" in result["reason"], result

    # Wrong files: an error before anything runs, with the name.
    out.unlink()
    for content in (b"", b"this is no model\n" * 10, GOOD[: len(GOOD) // 2],
                    model([node("NoSuchOperator", ["x"], ["y"])], [info("x", [3])], [info("y", [3])])):
        done, results = run(content, [[tensor(5, 3)]], *onnx)
        assert done.returncode == 2 and results == [], (content[:20], done, results)
        assert "model.onnx" in done.stderr, done.stderr
    path.unlink()
    done = subprocess.run([opbench, "run", "-c", str(config), *onnx], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 2 and "model.onnx" in done.stderr, done

    # Changed bytes: whatever comes of it, opbench itself goes on.
    chance = random.Random(1)
    for _ in range(12):
        bad = bytearray(GOOD)
        for _ in range(3):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        run(bytes(bad), [[tensor(5, 3)]], *onnx)

    # Only the command line names a model, and only for this backend.
    done, results = run(GOOD, [[tensor(5, 3)]], "--backend", "onnxruntime")
    assert done.returncode == 1 and results[0]["status"] == "unsupported", (done, results)
    assert "--onnx FILE gives the model in a file to the onnxruntime backend" in results[0]["reason"], results
    done = subprocess.run([opbench, "run", "-c", str(config), "--backend", "native", *onnx], capture_output=True, text=True)
    assert done.returncode == 2 and "--onnx needs the onnxruntime backend" in done.stderr, done
