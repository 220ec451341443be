#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of train_programs.py, captured, recorded by PyTorch's observer and by its profiler: configs and replays hold
what the programs compute, all of it runs on torch, and what a compiler made is said to be missing.

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
TRAIN = os.path.join(HERE, "train_programs.py")
# What importing torch._dynamo calls, and no program here does.
OF_IMPORTS = {"torch.Tensor.__lshift__", "torch.Tensor.__ixor__", "torch.Tensor.positive", "torch.Tensor.floor_divide_"}


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=1200, **how)


def read(path):
    with open(path) as file:
        return json.load(file)


class Program:
    """One of the programs: run once as it is, with both recordings, and once captured."""

    def __init__(self, options, folder, name, *more):
        self.options, self.name = options, name
        self.trace, self.profile, self.config = (
            os.path.join(folder, name + end) for end in ("_et.json", "_kineto.json", "_ops.json"))
        plain = run(options.python, TRAIN, name, "--trace", self.trace, "--profile", self.profile, *more)
        check(plain.returncode == 0, "%s: %s" % (name, plain.stderr))
        environment = dict(os.environ, PYTHONPATH=os.path.join(options.source, "capture"))
        got = run(options.python, "-m", "opbench_capture", "--backward", "-o", self.config, TRAIN, name, *more,
                  env=environment)
        check(got.returncode == 0 and got.stdout == plain.stdout,
              "%s has other bits: %r, %r %s" % (name, got.stdout, plain.stdout, got.stderr))
        self.calls = {operator: sum(entry["count"] for spec in row["config"] for entry in spec["input"])
                      for operator, row in read(self.config).items()}
        beside = self.config + ".unknown.json"
        self.left_out = read(beside) if os.path.exists(beside) else {}

    def runs(self, path):
        """Every case of the config runs on torch."""
        got = run(self.options.program, "run", "-c", path, "--backend", "torch", "-w", "0", "-i", "1", "-q", "--force",
                  "--output", path + ".out")
        with open(path + ".out") as file:
            records = [json.loads(line) for line in file]
        bad = {(r["op_name"], r["status"], r.get("reason")) for r in records
               if "op_name" in r and r["status"] not in ("ok", "mistrusted")}
        check(got.returncode == 0 and not bad, "%s: cases that did not run: %s %s" % (path, bad, got.stderr))

    def converts(self, trace):
        path = trace + ".config"
        got = run(self.options.program, "convert", trace, "-o", path, "--force")
        check(got.returncode == 0, "convert %s: %s" % (trace, got.stderr))
        self.runs(path)
        return got.stderr

    def replays(self, trace):
        got = run(self.options.program, "replay", trace, "--backend", "torch", "-w", "0", "-i", "1", "--json")
        check(got.stdout != "", "replay of %s: %s" % (trace, got.stderr))
        return replayed.summary(got.stdout), got.returncode

    def profile_is_whole(self):
        """A PyTorch without Kineto records no arguments."""
        trace = read(self.profile)
        return isinstance(trace, dict) and any("Input type" in event.get("args", {}) for event in trace["traceEvents"])


def check_capture(program, expected):
    """The calls of the program, and no switches of modes and calls of imports."""
    for operator, count in expected.items():
        check(program.calls.get(operator, 0) == count, "%s: %s called %s times, not %d" % (
            program.name, operator, program.calls.get(operator), count))
    noise = {name for name in program.calls if name.startswith(("torch._C.", "profiler")) or name in OF_IMPORTS}
    check(not noise, "%s: no calls of the program: %s" % (program.name, noise))
    program.runs(program.config)


def check_traces(program):
    check(set(program.left_out) <= {"torch.tensor: it makes data"}, "%s left out: %s" % (program.name, program.left_out))
    found, code = program.replays(program.trace)
    check(found["coverage"]["nodes"] == 1.0 and code == 0, "%s: skipped %s" % (program.name, found["skipped"]))
    program.converts(program.trace)
    if not program.profile_is_whole():
        print("%s: this PyTorch's profiler records no arguments" % program.name)
        return
    found, _ = program.replays(program.profile)
    missing = {row["name"] for row in found["skipped"]} - {"aten::cat"}  # its tensors' dtypes are not recorded
    check(not missing, "%s as profiled: skipped %s" % (program.name, found["skipped"]))
    program.converts(program.profile)


def test_mlp(options, folder):
    program = Program(options, folder, "mlp")
    check_capture(program, {"torch.nn.Linear": 6, "torch.nn.functional.cross_entropy": 3, "torch.nn.ReLU": 3,
                            "torch.randn": 1, "torch.Tensor.addcdiv_": 12, "aten::nll_loss_backward": 3})
    check_traces(program)


def test_attention(options, folder):
    program = Program(options, folder, "attention")
    has_it = run(options.python, "-c", "import torch; torch.nn.functional.scaled_dot_product_attention").returncode == 0
    check_capture(program, {"torch.nn.LayerNorm": 6, "torch.nn.Linear": 12, "torch.Tensor.unflatten": 9,
                            "torch.nn.functional.scaled_dot_product_attention": 3 if has_it else 0})
    check_traces(program)


def test_cnn(options, folder):
    """Autocast: what computes in bfloat16 is written so, with the weights that its modules have then."""
    program = Program(options, folder, "cnn")
    check_capture(program, {"torch.nn.Conv2d": 6, "torch.nn.BatchNorm2d": 6, "torch.nn.functional.conv2d": 6})
    config = read(program.config)
    for spec in config["torch.nn.Conv2d"]["config"]:
        check(spec["build"][0]["kwargs"].get("dtype", {}).get("value") == "bfloat16"
              and all(e["args"][0]["dtype"] == "bfloat16" for e in spec["input"]), "Conv2d in bfloat16: %s" % spec)
    for spec in config["torch.nn.functional.conv2d"]["config"]:
        kinds = {a["dtype"] for e in spec["input"] for a in e["args"] if a["type"] == "tensor"}
        check(kinds == {"bfloat16"}, "conv2d in %s" % kinds)
    check_traces(program)


def test_compiled(options, folder):
    """What torch.compile made cannot be called again: all say so, with how often and what helps."""
    if run(options.python, "-c", "import torch; torch.compile").returncode != 0:
        print("compiled: this PyTorch has no torch.compile")
        return
    program = Program(options, folder, "compiled", "--backend", options.backend)
    check_capture(program, {"torch.Tensor.mean": 3, "torch.nn.Linear": 0, "torch.nn.functional.gelu": 0})
    compiled = {name: count for name, count in program.left_out.items() if "TORCHDYNAMO_DISABLE" in name}
    check({name.split(":")[0]: count for name, count in compiled.items()}
          == {"torch.compile(Sequential)": 3, "torch.compile(compiled.<locals>.cut)": 3},
          "compiled calls left out: %s" % program.left_out)
    for trace in (program.trace, program.profile):
        found, code = program.replays(trace)
        regions = sum(row["count"] for row in found["skipped"] if row["what"] == "compiled")
        # Three graphs forward (a print cuts the function in two), three backward.
        check(regions == 6 and code == 1, "%s: %d regions: %s" % (trace, regions, found["skipped"]))
        check(all(row["what"] == "compiled" for row in found["skipped"]), "skipped: %s" % found["skipped"])
        check("6 calls of " in program.converts(trace), "convert does not speak of compiled code")
        got = run(options.program, "trace", trace)
        check("cannot be replayed:" in got.stdout and "6 compiled" in got.stdout, got.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--backend", default="aot_eager", help="of torch.compile; inductor needs a C++ compiler")
    parser.add_argument("--compiled", action="store_true", help="torch.compile'd code in place of the others")
    options = parser.parse_args()
    if run(options.python, "-c", "import torch").returncode != 0:
        print("skipped: %s has no torch (Debian's package is python3-torch)" % options.python)
        return checks.SKIPPED
    backends = run(options.program, "list", "backends", "--json").stdout.splitlines()
    if not any(json.loads(row).get("name") == "torch" and json.loads(row).get("available") for row in backends):
        print("skipped: the torch backend is not there (opbench list backends says why)")
        return checks.SKIPPED
    for test in (test_compiled,) if options.compiled else (test_mlp, test_attention, test_cnn):
        with tempfile.TemporaryDirectory() as folder:
            test(options, folder)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
