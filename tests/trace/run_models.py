#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps like those of a GPT-2 and a DLRM, recorded by PyTorch's observer and put into the forms of later
schemas: all of their computing calls are replayed, on torch and on native, and what is no computing is named.

Needs a python3 with torch (Debian's python3-torch); skipped, with a word, where there is none."""
import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import chakra  # noqa: E402
import checks  # noqa: E402
import gpu_calls  # noqa: E402
import replayed  # noqa: E402
from checks import check  # noqa: E402

TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "train_models.py")
LARGE = ["--layers", "12", "--width", "256", "--heads", "8", "--words", "8000", "--length", "256"]
LOOKUP = "fbgemm::split_embedding_codegen_lookup_sgd_function"  # chakra.py puts one into each step


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=1400)


def replay(options, path, backend, *more):
    got = run(options.program, "replay", path, "--backend", backend, "-w", "0", "-i", "2", "--json", *more)
    check(got.stdout != "", "replay of %s on %s: %s" % (path, backend, got.stderr))
    return replayed.summary(got.stdout) if got.stdout else {"coverage": {"nodes": 0}, "skipped": []}


def write(trace, path):
    with open(path, "w") as file:
        json.dump(trace, file)
    return path


recorded = {}


def record(options, folder, model, *more):
    """A training that was recorded once is not recorded again."""
    key = (model,) + more
    if key not in recorded:
        path = os.path.join(folder, "et.json")
        got = run(options.python, TRAIN, model, path, *more)
        check(got.returncode == 0, "the training: " + got.stderr)
        with open(path) as file:
            recorded[key] = chakra.flatten(json.load(file))
    return copy.deepcopy(recorded[key])


def backends(options):
    return ["native"] + (["torch"] if checks.has_backend(options.program, "torch") else [])


def computes_half(options):
    """PyTorch 2.x has kernels for half on CPUs, 1.13 has not."""
    return run(options.python, "-c", "import torch; x = torch.ones(2, 2, dtype=torch.half); x @ x").returncode == 0


def test_gpt(options, folder):
    """Half on a GPU, with autocast, in the newest schema: nothing is left out."""
    trace = record(options, folder, "gpt", "--autocast", *(LARGE if options.full else []))
    for version in chakra.VERSIONS if options.full else chakra.VERSIONS[-1:]:
        path = write(chakra.convert(trace, version, half=True), os.path.join(folder, "gpt_%s.json" % version[:5]))
        for backend in backends(options) if version >= "1.1.1" else backends(options)[-1:]:
            found = replay(options, path, backend, "--trace-step", "1")
            # Native has no indexing by masks, and nobody has the lookups of a library that is not there.
            missing = {row["name"] for row in found["skipped"]} - ({"aten::index_put_"} if backend == "native" else set())
            check(missing == {LOOKUP} and found["coverage"]["nodes"] > 0.99, "gpt %s on %s: %s" % (version, backend, found["skipped"]))
            check(found["half_to_bfloat16"] == (backend == "torch" and not computes_half(options)),
                  "half on %s: %s" % (backend, found["half_to_bfloat16"]))
            ran = {row["name"]: row["count"] for row in found["operators"]}
            for name in ("aten::_foreach_lerp_.Scalar", "aten::_foreach_add_.Tensor",
                         "aten::scaled_dot_product_attention", "aten::_fused_dropout",
                         "aten::_scaled_dot_product_flash_attention_backward",
                         "aten::_scaled_dot_product_efficient_attention_backward"):
                check(ran.get(name, 0) >= 1, "%s did not run on %s" % (name, backend))
            # Autocast converts inside of addmm: what is replayed is the inner call.
            check(found["replaced"] == [], "replaced: %s" % found["replaced"])
            check(found["peak_bytes"] < 12 << 30, "memory")
        check(all(row["high"] >= row["low"] for row in found["operators"] if row["low"] is not None), "intervals")
        total = sum(row["share"] for row in found["operators"])
        check(abs(total - 1) < 1e-9, "shares add up to %g" % total)


def test_replaced(options, folder):
    """A composite that the backend does not have: the calls that it made stand in its place."""
    trace = record(options, folder, "gpt")
    count = 0
    for node in trace["nodes"]:
        if node["name"] == "aten::layer_norm":
            node["op_schema"] = node["op_schema"].replace("aten::layer_norm(", "aten::layer_norm_of_2030(")
            count += 1
    path = write(trace, os.path.join(folder, "newer.json"))
    for backend in backends(options):
        found = replay(options, path, backend, "--trace-step", "-1")
        check(found["coverage"]["nodes"] == 1.0, "newer on %s: %s" % (backend, found["skipped"]))
        check(found["replaced"] == [{"name": "aten::layer_norm", "what": "replaced", "count": count,
                                     "reason": "the backend does not have it"}], "replaced: %s" % found["replaced"])
        ran = {row["name"]: row["count"] for row in found["operators"]}
        check(ran.get("aten::native_layer_norm") == count, "inner calls on %s: %s" % (backend, ran))


def test_own_kernels(options, folder):
    """What computes outside of the calls that it makes is not replaced by them, and so is missing from the coverage."""
    trace = record(options, folder, "dlrm")
    count = {"aten::binary_cross_entropy": 0, "aten::binary_cross_entropy_backward": 0, "aten::_embedding_bag": 0}
    for node in trace["nodes"]:
        if node["name"] in count or node["name"] == "aten::embedding_bag":
            node["op_schema"] = node["op_schema"].replace("(", "_of_2030(", 1).replace(".padding_idx_of_2030(", "_of_2030(")
        if node["name"] in count:
            count[node["name"]] += 1
    path = write(trace, os.path.join(folder, "kernels.json"))
    found = replay(options, path, backends(options)[-1], "--trace-step", "-1")
    skipped = {row["name"]: row["count"] for row in found["skipped"]}
    check({name: skipped.get(name + "_of_2030") for name in count} == count, "skipped: %s" % found["skipped"])
    check(not set(count) & {row["name"] for row in found["replaced"]}, "replaced: %s" % found["replaced"])
    check(found["coverage"]["nodes"] < 1, "coverage: %s" % found["coverage"])


def test_dlrm(options, folder):
    trace = record(options, folder, "dlrm")
    for version in ("1.0.1", "1.0.2-chakra.0.0.4", "1.1.0-chakra.0.0.4") if options.full else ("1.0.1",):
        path = write(chakra.convert(trace, version), os.path.join(folder, "dlrm_%s.json" % version[:5]))
        for backend in backends(options):
            found = replay(options, path, backend, "--trace-step", "1")
            # Lookups of a library that is not there are computing, and missing. Native has no sparse gradients.
            missing = {row["name"]: (row["what"], row["count"]) for row in found["skipped"]}
            lookups = {LOOKUP: ("no_library", 1)}
            check(missing == lookups if backend == "torch" else lookups.items() <= missing.items(),
                  "dlrm %s on %s: %s" % (version, backend, found["skipped"]))
            least = 0.85 if backend == "native" else 1 - 1 / found["coverage"]["compute"]
            check(least <= found["coverage"]["nodes"] < 1, "dlrm %s on %s: %s" % (version, backend, found["coverage"]))
            what = {row["name"]: (row["what"], row["count"]) for row in found["not_compute"]}
            expected = {"c10d::alltoall_base_": ("communication", 1), "nccl:all_to_all": ("communication", 1),
                        "aten::record_stream": ("stream", 1), "aten::pin_memory": ("stream", 1),
                        "aten::item": ("host", 5)}
            check(what == expected, "not computing: %s" % what)


def test_half_dlrm(options, folder):
    """PyTorch 1.13 has neither half nor bfloat16 kernels of embedding bags and of the loss on a CPU: those calls are
    made in float32, and said to be."""
    if "torch" not in backends(options):
        return
    trace = chakra.in_half(record(options, folder, "dlrm"))
    path = write(chakra.convert(trace, "1.1.1-chakra.0.0.4"), os.path.join(folder, "half.json"))
    found = replay(options, path, "torch", "--trace-step", "1")
    check([row["name"] for row in found["skipped"]] == [LOOKUP], "half dlrm: %s" % found["skipped"])
    if computes_half(options):
        check(not found["half_to_bfloat16"] and found["in_float32"] == [], "half dlrm: %s" % found["in_float32"])
        return
    check(found["half_to_bfloat16"], "half stays half")
    wide = {row["name"]: row["count"] for row in found["in_float32"]}
    check(wide == {"aten::embedding_bag.padding_idx": 4, "aten::_embedding_bag_backward": 2,
                   "aten::binary_cross_entropy": 1, "aten::binary_cross_entropy_backward": 1}, "in float32: %s" % wide)
    check(all("BFloat16" in row["reason"] for row in found["in_float32"]), "reasons: %s" % found["in_float32"])
    kept = replay(options, path, "torch", "--trace-step", "1", "--half", "keep")
    check(kept["in_float32"] == [] and kept["coverage"]["nodes"] < 0.9, "kept: %s" % kept["coverage"])


def test_gpu_calls(options, folder):
    """Operators of GPUs and of newer releases, most of them in half, one by one."""
    path = write(gpu_calls.trace(gpu_calls.calls() + gpu_calls.HOST), os.path.join(folder, "gpu.json"))
    for backend in backends(options):
        found = replay(options, path, backend)
        host = sum(row["count"] for row in found["not_compute"] if row["what"] == "host")
        check(host == len(gpu_calls.HOST), "for the program: %s" % found["not_compute"])
        if backend == "torch":
            check(found["coverage"]["nodes"] == 1.0, "calls of GPUs: %s" % found["skipped"])
            check(found["coverage"]["compute"] == len(gpu_calls.calls()), "count: %s" % found["coverage"])
            wide = {row["name"] for row in found["in_float32"]}
            check(("aten::_embedding_bag" in wide) == (not computes_half(options)), "in float32: %s" % wide)
            check("aten::_fused_adamw_" in wide, "in float32: %s" % wide)


def test_sparse_before(options, folder):
    """Sparse gradients from before the recording are made, with as many rows as nobody knows."""
    if "torch" not in backends(options):
        return
    path = write(gpu_calls.trace(gpu_calls.sparse_calls()), os.path.join(folder, "sparse.json"))
    found = replay(options, path, "torch")
    check(found["coverage"]["nodes"] == 1.0, "sparse: %s" % found["skipped"])


def test_short_memory(options, folder):
    """Where memory is short, a large table does not take what it is long."""
    with open(options.program, "rb") as file:
        if b"__asan_init" in file.read():
            return  # its shadows and the freed memory that it keeps count too, and are more than the limit
    path = write(gpu_calls.trace(gpu_calls.large_calls()), os.path.join(folder, "large.json"))
    found = replay(options, path, "native", "--max-memory", "220")
    check(found["coverage"]["nodes"] == 1.0 and found["untouched_bytes"] == 136 << 20, "large: %s" % found)
    check(found["peak_bytes"] < 180 << 20, "peak: %d MiB" % (found["peak_bytes"] >> 20))
    found = replay(options, path, "native", "--max-memory", "2000")
    check(found["untouched_bytes"] == 0 and found["peak_bytes"] > 200 << 20, "with memory: %s" % found)


def test_convert(options, folder):
    """Every case of the converted steps runs on torch."""
    both = (("gpt", []), ("dlrm", ["--leaves"]))
    for model, more in both + ((("gpt", ["--leaves"]), ("dlrm", [])) if options.full else ()):
        trace = record(options, folder, model)
        path = write(chakra.convert(trace, "1.1.1-chakra.0.0.4", newer=False), os.path.join(folder, model + ".json"))
        config = os.path.join(folder, model + "_config.json")
        got = run(options.program, "convert", path, "--trace-step", "0", "--force", "-o", config, *more)
        check(got.returncode == 0, "convert: " + got.stderr)
        if "torch" not in backends(options):
            print("%s: not run, the torch backend is missing" % model)
            continue
        got = run(options.program, "run", "-c", config, "--backend", "torch", "-w", "0", "-i", "1", "-q",
                  "--force", "--output", config + ".out")
        with open(config + ".out") as file:
            records = [json.loads(line) for line in file]
        bad = {(r["op_name"], r["status"], r.get("reason")) for r in records
               if "op_name" in r and r["status"] not in ("ok", "mistrusted")}
        check(not bad, "%s: cases that did not run: %s" % (model, bad))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--full", action="store_true", help="a GPT-2 of twelve layers")
    parser.add_argument("--calls", action="store_true", help="calls of GPUs and half, in place of whole models")
    options = parser.parse_args()
    if run(options.python, "-c", "import torch").returncode != 0:
        print("skipped: %s has no torch (Debian's package is python3-torch)" % options.python)
        return checks.SKIPPED
    models = (test_gpt, test_replaced, test_own_kernels, test_dlrm, test_convert)
    calls = (test_half_dlrm, test_gpu_calls, test_sparse_before, test_short_memory)
    for test in calls if options.calls else models:
        with tempfile.TemporaryDirectory() as folder:
            test(options, folder)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
