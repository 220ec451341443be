#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a training program to numbers: its calls are captured and recorded, both become configs, both run.

Needs a python3 with torch (Debian's python3-torch); skipped, with a word, where there is none."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import checks  # noqa: E402
import replayed  # noqa: E402
from checks import check  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TRAIN, MIXED = os.path.join(HERE, "train_small.py"), os.path.join(HERE, "train_mixed.py")


def run(command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **how)


def entries(config):
    """Name -> list of (build, input)."""
    result = {}
    for name, operator in config.items():
        for spec in operator["config"]:
            for entry in spec["input"]:
                build = spec.get("build", [None])[0]
                result.setdefault(name, []).append((build, entry))
    return result


def total(found, name, key="count"):
    return sum(entry[key] for _, entry in found.get(name, []))


def run_config(program, path, backend="native"):
    """Statuses of all cases."""
    got = run([program, "run", "-c", path, "--backend", backend, "-w", "0", "-i", "1", "-q", "--force", "--output",
               path + ".out"])
    statuses = {}
    with open(path + ".out") as file:
        for line in file:
            record = json.loads(line)
            if "status" in record and "op_name" in record:
                statuses.setdefault(record["status"], []).append((record["op_name"], record.get("reason")))
    return got, statuses


def test_capture(options, folder):
    plain = run([options.python, TRAIN])
    check(plain.returncode == 0, "the training: " + plain.stderr)
    path = os.path.join(folder, "ops.json")
    environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture"))
    got = run([options.python, "-m", "opbench_capture", "--backward", "-o", path, TRAIN], env=environment)
    check(got.returncode == 0, "the captured training: " + got.stderr)
    check(got.stdout == plain.stdout, "the loss has other bits: %r, %r" % (got.stdout, plain.stdout))
    check(not os.path.exists(path + ".unknown.json"), "calls of unknown form")
    with open(path) as file:
        found = entries(json.load(file))
    # Two steps; three Linear layers with their settings, once each and per step.
    check(total(found, "torch.nn.Linear") == 6, "Linear called %d times" % total(found, "torch.nn.Linear"))
    check(total(found, "torch.nn.Linear", "outermost") == 6, "Linear is outermost")
    check(total(found, "torch.nn.Linear", "innermost") == 0, "Linear is not innermost")
    check(total(found, "torch.nn.functional.linear") == 6, "F.linear is seen inside")
    check(total(found, "torch.nn.functional.linear", "outermost") == 0, "F.linear is not outermost")
    check(total(found, "torch.bmm") == 4, "bmm is seen")
    check(total(found, "torch.nn.functional.cross_entropy") == 2, "cross_entropy is seen")
    without = [b for b, _ in found["torch.nn.Linear"] if b["kwargs"].get("bias") == {"type": "bool", "value": False}]
    check(len(without) == 1 and without[0]["kwargs"]["out_features"]["value"] == 48, "bias=False is recorded")
    keys = [e["args"][1] for _, e in found["torch.bmm"] if e["args"][1]["shape"] == [4, 16, 7]]
    check([k.get("strides") for k in keys] == [[336, 1, 48]], "the transposed operand has its strides: %s" % keys)
    index = found["torch.nn.Embedding"][0][1]["args"][0]
    check(index["dtype"] == "int64" and 0 <= index["value_range"][0] <= index["value_range"][1] < 50, "index range")
    check(total(found, "aten::mm") > 0 and found["aten::mm"][0][1].get("phase") == "backward", "backward is seen")
    result, statuses = run_config(options.program, path)
    bad = {status: set(which) for status, which in statuses.items() if status not in ("ok", "mistrusted")}
    check(not bad, "cases that did not run: %s\n%s" % (bad, result.stderr))


def left_out(path):
    with open(path + ".unknown.json") as file:
        return json.load(file)


def test_mixed(options, folder):
    """Calls that no config can say are left out with a word; all others run on torch."""
    plain = run([options.python, MIXED])
    check(plain.returncode == 0, "the mixed training: " + plain.stderr)
    environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture"))
    path = os.path.join(folder, "mixed.json")
    for more in ([], ["--backward", "--values", "64"]):
        got = run([options.python, "-m", "opbench_capture", "-o", path] + more + [MIXED], env=environment)
        check(got.stdout == plain.stdout, "the loss has other bits: %r, %r" % (got.stdout, plain.stdout))
        words = left_out(path)
        check(sum(words.values()) > 0 and "%d left out" % sum(words.values()) in got.stderr, got.stderr)
        expected = {"torch.tensor", "torch.nn.LSTM", "torch.nn.TransformerEncoder", "torch.nn.TransformerEncoderLayer",
                    "torch.nn.functional.multi_head_attention_forward"}
        check({word.split(":")[0] for word in words} == expected, "left out: %s" % words)
        with open(path) as file:
            found = entries(json.load(file))
        settings = [b["kwargs"] for b, _ in found["torch.nn.MultiheadAttention"]]
        mine = [s for s in settings if s.get("bias") == {"type": "bool", "value": False}]
        check(len(mine) == 1 and mine[0]["embed_dim"]["value"] == 16 and mine[0]["num_heads"]["value"] == 4
              and mine[0]["dropout"]["value"] == 0.25 and mine[0]["batch_first"]["value"] is True, str(settings))
        named = [e.get("kwargs", {}) for _, e in found["torch.nn.MultiheadAttention"]]
        check(any(k.get("need_weights") == {"type": "bool", "value": False} for k in named), "keyword arguments of modules")
        check(total(found, "aten::slice.Tensor") > 0 and total(found, "aten::index_put_") == 4, "indexing is seen")
        check(total(found, "aten::index.Tensor") == 8, "lists as indices: %s" % found.get("aten::index.Tensor"))
        check(total(found, "torch.lstm") == 2, "the operator inside of LSTM is seen")
        offsets = found["torch.nn.EmbeddingBag"][0][1]["args"][1]
        target = found["torch.nn.functional.cross_entropy"][0][1]["args"][1]
        if more:
            check(offsets.get("value") == [0, 2, 5, 7], "values of offsets: %s" % offsets)
            check(target["value"][0] == -100, "values of targets: %s" % target)
        else:
            check("value_range" not in offsets, "offsets rise, no range says so: %s" % offsets)
            check(0 <= target["value_range"][0] <= target["value_range"][1] < 10, "targets: %s" % target)
        if checks.has_backend(options.program, "torch"):
            result, statuses = run_config(options.program, path, "torch")
            bad = {status: set(which) for status, which in statuses.items() if status not in ("ok", "mistrusted")}
            check(not bad and result.returncode == 0, "cases that did not run: %s\n%s" % (bad, result.stderr))


def test_filters(options, folder):
    path = os.path.join(folder, "some.json")
    environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture"))
    command = [options.python, "-m", "opbench_capture", "--include", "torch.nn.", "--exclude", "functional"]
    got = run(command + ["--level", "outermost", "-o", path, TRAIN], env=environment)
    check(got.returncode == 0, "the filtered training: " + got.stderr)
    with open(path) as file:
        found = entries(json.load(file))
    check(sorted(found) == ["torch.nn.Embedding", "torch.nn.LayerNorm", "torch.nn.Linear"], str(sorted(found)))


def test_progress(options, folder):
    """A terminal is told now and then how far it is, in whole lines."""
    code = ("import opbench_capture, torch\n"
            "opbench_capture.Capture.TELL_EVERY_S = 0\n"
            "with opbench_capture.Capture('told.json'):\n"
            "    for _ in range(130): torch.relu(torch.ones(2))\n")
    environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture"))
    told = "opbench_capture: 128 calls so far, 2 distinct\n"
    got = run([options.python, "-c", code], env=environment, cwd=folder)
    check(got.returncode == 0 and told not in got.stderr, "a pipe was told: " + got.stderr)
    with open(os.path.join(folder, "told.py"), "w") as file:
        file.write(code)
    if os.path.exists("/dev/pts/ptmx"):
        got = run(["script", "-qec", options.python + " told.py", "/dev/null"], env=environment, cwd=folder,
                  stdin=subprocess.DEVNULL)
        check(told in got.stdout.replace("\r", ""), "a terminal was not told: " + got.stdout)


def test_crash(options, folder):
    path = os.path.join(folder, "crash.json")
    environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture"))
    got = run([options.python, "-m", "opbench_capture", "-o", path, TRAIN, "--crash"], env=environment)
    check(got.returncode == 3, "the program's exit code is kept")
    with open(path) as file:
        found = entries(json.load(file))
    check(total(found, "torch.nn.Linear") == 3, "what was collected before is there")
    beside = [name for name in os.listdir(folder) if name.startswith("crash.json")]
    check(set(beside) <= {"crash.json", "crash.json.unknown.json"}, "no temporary file is left: %s" % beside)
    nowhere = os.path.join(folder, "missing", "ops.json")
    got = run([options.python, "-m", "opbench_capture", "-o", nowhere, TRAIN], env=environment)
    check(got.returncode == 2 and "there is no folder" in got.stderr and "Traceback" not in got.stderr,
          "a place that cannot be written is said before the program runs: %s" % got.stderr)
    without = os.path.join(folder, "without")
    os.mkdir(without)
    with open(os.path.join(without, "torch.py"), "w") as file:
        file.write('raise ModuleNotFoundError("as where it is not installed", name="torch")\n')
    environment["PYTHONPATH"] = without + os.pathsep + environment["PYTHONPATH"]
    got = run([options.python, "-m", "opbench_capture", "-o", path, TRAIN], env=environment)
    check(got.returncode == 1 and "has no PyTorch" in got.stderr and "Traceback" not in got.stderr,
          "a Python without PyTorch is said: %s" % got.stderr)


def test_only_computing(options, folder):
    """Neither switches of modes nor what a module calls while it is imported is the program's computing."""
    for name, text in (("table.py", "import torch\nTABLE = torch.ones(3, 3).tril()\n"),
                       ("program.py", "import torch\nimport table\nwith torch.no_grad():\n    x = table.TABLE * 2\n"
                                      "torch.set_grad_enabled(True)\nprint(torch.get_default_dtype(), x.sum() + 1)\n")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    path = os.path.join(folder, "ops.json")
    environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture") + os.pathsep + folder)
    got = run([options.python, "-m", "opbench_capture", "-o", path, os.path.join(folder, "program.py")], env=environment)
    check(got.returncode == 0, "the program: " + got.stderr)
    with open(path) as file:
        found = json.load(file)
    # Printing a tensor computes too; what it calls differs from release to release.
    check({"torch.Tensor.mul", "torch.Tensor.sum", "torch.Tensor.add"} <= set(found), str(sorted(found)))
    check(not {"torch.ones", "torch.Tensor.tril"} & set(found), "calls of an import: %s" % sorted(found))
    check(not [name for name in found if "grad_enabled" in name or "dtype" in name], "switches: %s" % sorted(found))
    words = left_out(path)
    for name in ("torch.ones", "torch.Tensor.tril"):
        check(words.get(name + ": made while a module was being imported") == 1, "left out: %s" % words)


def test_trace(options, folder):
    trace, path = os.path.join(folder, "et.json"), os.path.join(folder, "et_config.json")
    got = run([options.python, TRAIN, "--trace", trace])
    check(got.returncode == 0, "the recorded training: " + got.stderr)
    got = run([options.program, "convert", trace, "-o", path, "--force"])
    check(got.returncode == 0, "convert: " + got.stderr)
    with open(path) as file:
        found = entries(json.load(file))
    check(total(found, "aten::linear") == 3, "linear called %d times" % total(found, "aten::linear"))
    check(total(found, "aten::bmm") >= 2, "bmm")
    result, statuses = run_config(options.program, path)
    bad = {status: set(which) for status, which in statuses.items() if status not in ("ok", "mistrusted")}
    check(not bad, "cases of the trace that did not run: %s\n%s" % (bad, result.stderr))
    got = run([options.program, "replay", trace, "--backend", "native", "-w", "0", "-i", "1", "--json"])
    summary = replayed.summary(got.stdout)
    check(summary["coverage"]["nodes"] == 1.0, "replay skipped %s" % summary["skipped"])


def shapes_of(found, name):
    """Shapes of the tensors among the arguments -> how often; weights that modules bring are not among them."""
    counts = {}
    for _, entry in found.get(name, []):
        if entry.get("phase") == "backward":
            continue
        shapes = str([a["shape"] for a in entry["args"] if a["type"] == "tensor"])
        counts[shapes] = counts.get(shapes, 0) + entry["count"]
    return counts


def test_agreement(options, folder):
    """One step, seen by the capture and by PyTorch's own observer: the same calls, with the same shapes, as often."""
    trace, path, captured = (os.path.join(folder, name) for name in ("et.json", "et_config.json", "ops.json"))
    environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture"))
    plain = run([options.python, TRAIN])
    watched = run([options.python, TRAIN, "--trace", trace])
    check(watched.returncode == 0 and plain.stdout == watched.stdout, "the observed training: " + watched.stderr)
    run([options.program, "convert", trace, "-o", path, "--force"])
    run([options.python, "-m", "opbench_capture", "-o", captured, TRAIN], env=environment)
    with open(path) as file:
        observed = entries(json.load(file))
    with open(captured) as file:
        found = entries(json.load(file))
    steps = 2  # the capture saw both, the observer the second
    for ours, theirs, calls in (("torch.nn.functional.linear", "aten::linear", 3), ("torch.layer_norm", "aten::layer_norm", 1),
                                ("torch.embedding", "aten::embedding", 1), ("torch.softmax", "aten::softmax.int", 1),
                                ("aten::cross_entropy_loss", "aten::cross_entropy_loss", 1),
                                ("torch.nn.functional.gelu", "aten::gelu", 1)):
        mine, others = shapes_of(found, ours), shapes_of(observed, theirs)
        check(sum(others.values()) == calls, "%s: %s" % (theirs, others))
        check(mine == {shapes: steps * count for shapes, count in others.items()},
              "%s %s, %s %s" % (ours, mine, theirs, others))
    scale = found["torch.nn.LayerNorm"][0][0]["kwargs"]["normalized_shape"]
    check(scale["value"][0]["value"] == 16, "settings of LayerNorm: %s" % scale)


def correct_libraries(program):
    """PyTorch alone dies on a machine that announces instructions which it does not have."""
    for row in map(json.loads, run([program, "list", "libraries", "--json"]).stdout.splitlines()):
        if row["by"] == "opbench":
            os.environ[row["variable"]] = row["value"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--python", default="/usr/bin/python3")
    options = parser.parse_args()
    if run([options.python, "-c", "import torch"]).returncode != 0:
        print("skipped: %s has no torch (Debian's package is python3-torch)" % options.python)
        return checks.SKIPPED
    correct_libraries(options.program)
    for test in (test_capture, test_mixed, test_filters, test_progress, test_crash, test_only_computing, test_trace,
                 test_agreement):
        with tempfile.TemporaryDirectory() as folder:
            test(options, folder)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
