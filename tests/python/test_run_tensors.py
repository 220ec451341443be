#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tensors as arguments: buffers, NumPy's and PyTorch's arrive in the worker with their values, which --check compares; what
cannot is refused with its fix. Without NumPy or PyTorch their parts are skipped, and said so.

usage: test_run_tensors.py [OPBENCH]
"""

import array
import gc
import os
import pathlib
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, exit_code  # noqa: E402

del sys.path[0]  # its folder torch is not PyTorch

import opbench  # noqa: E402
from opbench._tensor import Tensors  # noqa: E402


NULL = {"backend": "null", "check": False}  # which takes every dtype


def call_of(*args, op="torch.neg", **options):
    """The call as the record has it, of a case that was checked."""
    result = opbench.run(op, *args, **{"backend": "native", "iteration": 2, "check": True, **options})
    check(result[0]["status"] == "ok", f"{op}: {result[0]['status']}: {result[0].get('reason')}")
    return result[0]["call"]


def refused(function, *args):
    try:
        function(*args)
    except opbench.InputError as error:
        return f"{error} / {error.fix}"
    return ""


def words():
    tensors = Tensors()
    for value, word in ((1, "1"), (-2.5, "-2.5"), (True, "true"), (None, "none"), ("f32[2]", "f32[2]"), ([1, 2], "[1,2]"),
                        ((1, (2.0, None)), "(1,(2.0,none))"), ("dim=1", "dim=1")):
        check(tensors.word(value) == word, f"{value!r} is {tensors.word(value)}")
    check("types" in refused(tensors.word, object()) or "type" in refused(tensors.word, object()), "an object is no argument")


def buffers():
    call = call_of(memoryview(array.array("f", [1, -2, 3, 4, 5, 6])).cast("B").cast("f", (2, 3)))
    check(call.startswith("neg(f32[2,3]=npy:/proc/"), call)
    check("i64[3]" in call_of(array.array("q", [1, 2, 3])), "whole numbers")
    # That the values arrive: an index that is too large is refused by name.
    index = opbench.run("torch.embedding", "f32[4,2]", array.array("q", [0, 1, 9]), backend="native", iteration=1)
    check("index 9" in index[0]["reason"], f"values arrive: {index[0]}")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        call_of(array.array("d", [1, 2, 3]))
    check(len(os.listdir("/proc/self/fd")) == before, "their files are closed")
    check("type" in refused(Tensors().word, array.array("u", "abc")), "text is no tensor")


def numpy_arrays():
    import numpy

    check("f32[2,3]=" in call_of(numpy.arange(6, dtype="f4").reshape(2, 3)), "an array")
    check("f64[2,3]:[1,2]=" in call_of(numpy.asfortranarray(numpy.ones((2, 3)))), "Fortran's order stays")
    check("f64[3]=" in call_of(numpy.ones(3, dtype=">f8")), "the other order of bytes")
    check("f16[2]=" in call_of(numpy.ones(2, dtype="f2")) and "c64[2]=" in call_of(numpy.ones(2, dtype="c8"), **NULL), "other dtypes")
    check("f32[]=" in call_of(numpy.array(2.0, dtype="f4")), "a scalar array")
    check(call_of(numpy.ones((2, 2)), numpy.float32(2), op="torch.add").endswith(", 2.0)"), "a NumPy scalar is a number")
    check(call_of(numpy.ones((0, 3), dtype="f4")).startswith("neg(f32[0,3]"), "an empty array")
    check("[f32[2]=npy:" in call_of([numpy.ones(2, dtype="f4")] * 2, 0, op="torch.cat"), "a list of arrays")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        check("f64[2]=" in call_of(numpy.ones(4)[::2]), "with gaps")
    check(any("strides" in str(warning.message) for warning in seen), "gaps are told of")
    check("type" in refused(Tensors().word, numpy.array(["a"])), "texts are refused")


def torch_tensors():
    import torch

    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    check("f32[2,3]=" in call_of(x), "a tensor")
    check("+grad" in call_of(x.clone().requires_grad_(), op="torch.relu"), "requires_grad stays")
    check("f32[3,2]:[1,3]=" in call_of(x.t()), "a transposed tensor keeps its strides")
    check("bool[2]=" in call_of(torch.tensor([True, False]), op="torch.logical_not"), "bool")
    check("c64[2]=" in call_of(torch.ones(2, dtype=torch.complex64).conj(), **NULL), "a lazy conjugate")
    check(call_of(x, torch.float64, op="torch.Tensor.to").endswith(", f64)"), "a dtype")
    bfloats = torch.tensor([[-1, 2], [3, 4]], dtype=torch.bfloat16)
    check(call_of(bfloats).startswith("neg(bf16[2,2]=npy:"), "bfloat16")
    check("bf16[2,2]:[1,2]=" in call_of(bfloats.t()), "a transposed bfloat16")
    wrong = opbench.run("torch.neg", bfloats, backend="null", iteration=2, check=True)[0]
    check("must be 1" in str(wrong.get("reason")), f"values of bfloat16 arrive: {wrong}")
    check("layout" in refused(Tensors().word, torch.ones(2, 2).to_sparse()) or "sparse" in refused(Tensors().word, torch.ones(2, 2).to_sparse()),
          "a sparse tensor is refused")
    check(torch.equal(x, torch.arange(6, dtype=torch.float32).reshape(2, 3)), "the tensor is as it was")


def leaks():
    """Views of tensors, and rows and records of results, over and over."""
    import tempfile

    from opbench._core import from_dlpack, result_rows, write_records

    makers = []
    for name in ("numpy", "torch"):
        try:
            module = __import__(name)
        except ModuleNotFoundError:
            continue
        if hasattr(module, "ones"):
            makers.append(module.ones(4))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.json")
        result = {"id": "a", "key": "0" * 32, "call": "f", "number": 2, "times": [1e-6] * 12, "process_samples": [6, 6], "processes": 2}
        jobs = [(lambda tensor=tensor: bytes(memoryview(from_dlpack(tensor.__dlpack__()))), 20000) for tensor in makers]
        jobs += [(lambda: write_records(path, "t", [result] * 3, True), 300), (lambda: result_rows([path], "call,median"), 2000)]
        for index, (job, times) in enumerate(jobs):
            for _ in range(times // 4):
                job()
            gc.collect()
            before = sys.getallocatedblocks()
            for _ in range(times):
                job()
            gc.collect()
            grown = sys.getallocatedblocks() - before
            check(grown < times // 4, f"job {index} leaves {grown} blocks behind after {times} times")
    for wrong in (3, object()):
        try:
            from_dlpack(wrong)
            check(False, "what is no capsule is refused")
        except ValueError:
            pass


def main():
    warnings.simplefilter("ignore", opbench.OpbenchWarning)
    words()
    buffers()
    check("numpy" not in sys.modules and "torch" not in sys.modules, "neither is imported")
    for part in (numpy_arrays, torch_tensors):
        try:
            part()
        except ModuleNotFoundError as missing:
            print(f"skipped: {part.__name__}: this Python has no {missing.name}")
    leaks()
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
