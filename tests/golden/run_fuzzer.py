#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Distributions that torch.utils.benchmark's Fuzzer was seen to draw, against `opbench fuzz`.

torch/fuzzer.json holds summaries of the original. Draws cannot be equal, distributions must be: shares
within 0.02, quantiles and means within a few percent, sets of values exactly. What we change on
purpose is named here, case by case.

usage: run_fuzzer.py PROGRAM
"""
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHARE = 0.02
FEW = 0.035  # where the original was sampled 2000 or 3000 times only: three deviations of a share
failures = []


def check(where, condition, *what):
    if not condition:
        failures.append(where)
        print("FAILED", where, *what, file=sys.stderr)


def near(where, got, want, tolerance):
    check(where, abs(got - want) <= tolerance, f"{got}, want {want} +- {tolerance}")


def fuzz(spec, *options):
    """Exit code, lines, standard error."""
    text = None if isinstance(spec, str) else json.dumps(spec)
    done = subprocess.run([sys.argv[1], "fuzz", "-" if text else spec, *map(str, options)],
                          input=text, capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines(), done.stderr


def draws(where, spec, count, seed=1):
    code, lines, errors = fuzz(spec, "--draws", count, "--seed", seed)
    check(where, code == 0 and len(lines) == count, errors)
    return [json.loads(line) for line in lines]


# ---- summaries, made as the recorder made them

KIND = {bool: "bool", int: "int", float: "float", str: "str", type(None): "NoneType"}


def shares_of(values):
    count = collections.Counter(values)
    return {key: number / len(values) for key, number in count.items()}


def check_shares(where, got, want, tolerance=SHARE):
    for key in set(got) | set(want):
        near(f"{where}: share of {key}", got.get(key, 0), want.get(key, 0), tolerance)


def quantile(ordered, at):
    return ordered[min(len(ordered) - 1, int(at * len(ordered)))]


def check_summary(where, values, want, loose=0.06, extremes=True):
    check(where, sorted({KIND[type(v)] for v in values}) == want["types"], "types")
    if "shares" in want:
        check_shares(where, {repr(k): v for k, v in shares_of(values).items()}, want["shares"])
    if "mean" not in want:
        return
    near(f"{where}: mean", sum(values) / len(values), want["mean"], loose * abs(want["mean"]) + 0.02)
    if "mean_log2" in want and min(values) > 0:
        near(f"{where}: mean of log2", sum(map(math.log2, values)) / len(values), want["mean_log2"], 1.5 * loose + 0.02)
    ordered = sorted(values)
    for at, wanted in want["quantiles"].items():
        if at not in ("0.0", "1.0"):
            got = quantile(ordered, float(at))
            check(f"{where}: quantile {at}", abs(got - wanted) <= 1 or
                  abs(math.log(got / wanted)) <= 0.2 + loose, f"{got}, want {wanted}")
    if extremes and want["all_integer"] and want["n_distinct"] < 1000:
        check(where, (min(values), max(values)) == (want["min"], want["max"]),
              min(values), max(values))
        check(where, len(set(values)) == want["n_distinct"], "n_distinct", len(set(values)))


# ---- kinds of cases

def parameter(case):
    where, spec = case["name"], case["spec"]
    values = [d["params"]["p"] for d in
              draws(where, {"parameters": [dict(spec, name="p")]}, 20000)]
    want = case["expect"]
    if spec["distribution"] != "loguniform":
        return check_summary(where, values, want)
    # Changed: the maximum is drawn, as likely as its neighbours. P(v) is log((v + 1) / v).
    low, high = spec["minval"], spec["maxval"]
    check(where, set(values) == set(range(low, high + 1)), "every value from end to end")
    for value, share in shares_of(values).items():
        near(f"{where}: share of {value}", share,
             math.log((value + 1) / value) / math.log((high + 1) / low), SHARE)
    if high >= 100:
        check_summary(where, values, {k: v for k, v in want.items() if k != "shares"},
                      extremes=False)


X = {"name": "x", "size": ["a"]}
ERRORS = {
    # name: spec, exit code, part of the message
    "dict_negative": ({"name": "a", "distribution": [[1, 1.5], [2, -0.5]]}, 2,
                      "Probabilities cannot be negative"),
    "unknown_distribution": ({"name": "a", "minval": 1, "maxval": 2, "distribution": "normal"}, 2,
                             "unknown distribution"),
    "no_distribution": ({"name": "a", "minval": 1, "maxval": 2}, 2, "no distribution"),
    "uniform_reversed": ({"name": "a", "minval": 2, "maxval": 1, "distribution": "uniform"}, 2,
                         "low >= high"),
    "uniform_no_bounds": ({"name": "a", "distribution": "uniform"}, 2, "needs minval and maxval"),
    # Changed: what passes the check of the sum is shared out in proportion.
    "dict_off_by_1e-6_constructs_then_fails":
        ({"name": "a", "distribution": [[1, 0.5], [2, 0.500001]]}, 0, None),
}


def error(case):
    name = case["name"]
    small = {"name": "a", "minval": 1, "maxval": 3, "distribution": "uniform"}
    if name in ERRORS:
        spec, code, message = ERRORS[name]
        got, _, errors = fuzz({"parameters": [spec]})
        check(name, got == code and (message or "") in errors, got, errors)
    elif name == "name_overlap":
        got, _, errors = fuzz({"parameters": [small], "tensors": [dict(X, name="a")]})
        check(name, got == 2 and "Duplicate names in parameters and tensors" in errors, errors)
    elif name == "seed_none":  # changed: without a seed it is the spec's own, or 0
        check(name, fuzz({"parameters": [small]}) == fuzz({"parameters": [small], "seed": 0}))
    elif name == "seed_2_32":  # changed: seeds have 63 bits
        a, b = (fuzz({"parameters": [dict(small, maxval=2**40)]}, "--seed", s) for s in (0, 2**32))
        check(name, a[0] == 0 and b[0] == 0 and a != b)
    elif name == "bool_default_constructor":  # changed: bools are drawn
        got, lines, _ = fuzz({"parameters": [small], "tensors": [dict(X, dtype="torch.bool")]})
        check(name, got == 0 and '"dtype": "torch.bool"' in lines[0])
    else:
        check(name, False, "nobody says what this error is here")


def dtype_size(case):
    for dtype, size in case["expect"].items():
        # Changed: complex elements have two parts.
        want = size * 2 if "complex" in dtype else size
        spec = {"tensors": [{"name": "x", "size": [3], "dtype": dtype}]}
        tensor = draws(dtype, spec, 1)[0]["tensors"]["x"]
        check(dtype, tensor["allocation_bytes"] == 3 * want and tensor["dtype"] == dtype, tensor)


DIM = {"name": "dim", "distribution": [[1, 0.3], [2, 0.4], [3, 0.3]]}


def strict(case):
    spec = {"parameters": [dict(DIM, strict=case["strict"])] +
            [{"name": f"k{i}", "minval": 4, "maxval": 64, "distribution": "loguniform"}
             for i in range(3)],
            "tensors": [{"name": "x", "size": ["k0", "k1", "k2"], "dim_parameter": "dim",
                         "max_elements": 1024}]}
    got, want = draws("strict", spec, 20000), case["expect"]
    check_summary("strict: dim", [d["params"]["dim"] for d in got], want["dim"])
    check("strict", max(d["tensors"]["x"]["numel"] for d in got) <= want["numel_max"])
    near("strict: rejection_rate", got[-1]["rejection_rate"], want["rejection_rate"], SHARE)


def alias(case):
    spec = {"parameters": [
        {"name": "x", "minval": 4, "maxval": 1024, "distribution": "uniform"},
        {"name": "y", "distribution": [[1, 0.5], [{"alias": "x"}, 0.5]]},
        {"name": "z", "alias": "y"}]}
    got, want = [d["params"] for d in draws("alias", spec, 20000)], case["expect"]
    near("y is 1", sum(p["y"] == 1 for p in got) / len(got), want["share_y_is_1"], SHARE)
    near("y is x", sum(p["y"] == p["x"] for p in got) / len(got), want["share_y_eq_x"], SHARE)
    check("alias", all(p["z"] == p["y"] for p in got))


def constraint(case):
    spec = {"parameters": [{"name": "a", "minval": 1, "maxval": 10, "distribution": "uniform"}],
            "constraints": ["a % 2 == 0"]}
    got, want = draws("constraint", spec, 2000), case["expect"]
    check_summary("constraint", [d["params"]["a"] for d in got], want["a"])
    check("constraint", got == draws("constraint", spec, 2000), "taken twice")
    near("constraint: rejection_rate", got[-1]["rejection_rate"], want["rejection_rate"], SHARE)


def dense_strides(size, steps, order):
    """Strides of the allocation in memory order, times the steps."""
    out, stride = [0] * len(size), 1
    for dim in reversed(order):
        out[dim] = stride * steps[dim]
        stride *= size[dim] * steps[dim]
    return out


def tensor(case):
    where, want = case["name"], case["expect"]
    if "tensor_constructor" in case["spec"]:
        return  # a callback of the library; JSON has none
    steps = {"distribution": [[1, 0.8], [2, 0.1], [4, 0.1]]}
    dims = {"distribution": [[4, 1]]} if "pads" in where else {"distribution": DIM["distribution"]}
    spec = {"parameters": {**{f"k{i}": {"minval": 3, "maxval": 9, "distribution": "uniform"}
                              for i in range(3)},
                           **{f"s{i}": steps for i in range(3)}, "dim": dims},
            "tensors": {"x": case["spec"]}}
    got = draws(where, spec, 4000)
    tensors = [d["tensors"]["x"] for d in got]
    check_shares(where, shares_of([str(len(t["size"])) for t in tensors]), want["ndim"], FEW)
    check_shares(where, shares_of([str(tuple(t["order"])) for t in tensors]), want["orders"], FEW)
    if want["steps"]:
        check_shares(where, shares_of([str(tuple(t["steps"])) for t in tensors]), want["steps"], FEW)
    for key, test in (("share_is_contiguous", lambda t: t["is_contiguous"]),
                      ("share_identity_order", lambda t: t["order"] == sorted(t["order"]))):
        near(f"{where}: {key}", sum(map(test, tensors)) / len(tensors), want[key], FEW)
    check(where, {t["dtype"] for t in tensors} == {want["dtype"]})
    check(where, want["numel_min"] <= min(t["numel"] for t in tensors))
    check(where, max(t["numel"] for t in tensors) <= want["numel_max"])
    if where != "bounds":  # recorded with sizes from another range, which nobody wrote down
        near(f"{where}: rejection_rate", got[-1]["rejection_rate"], want["rejection_rate"], SHARE)
    # Permuting dimensions of size 1 leaves memory as it is.
    check(where, want["strides_are_steps_times_dense"] == all(
        t["strides"] == dense_strides(t["size"], t["steps"], t["order"]) for t in tensors))


PRESETS = {"UnaryOpFuzzer": "unary", "BinaryOpFuzzer": "binary", "SpectralOpFuzzer": "spectral",
           "UnaryOpSparseFuzzer": "sparse_unary", "BinaryOpSparseFuzzer": "sparse_binary"}
COUNT = 6000


def op_fuzzer(case):
    where, want = case["name"], case["expect"]
    got = draws(where, PRESETS[where], COUNT)
    check(where, got[:2] == draws(where, where, 2), "by the original's name")
    params = [d["params"] for d in got]
    xs = [d["tensors"]["x"] for d in got]
    check(where, list(params[0]) == want["parameter_names"], list(params[0]))
    check_shares(where, shares_of([str(len(x["size"])) for x in xs]), want["dim"], FEW)
    check_summary(f"{where} numel", [x["numel"] for x in xs], want["numel"], 0.12, False)
    check_summary(f"{where} k0", [p["k0"] for p in params], want["k0"], 0.3, False)
    check(where, all(4096 <= x["numel"] <= 32 << 20 for x in xs))
    near(f"{where} rejection_rate", got[-1]["rejection_rate"], want["rejection_rate"], SHARE)
    near(f"{where} powers of 2", sum(p["k0"] & (p["k0"] - 1) == 0 for p in params) / COUNT,
         want["share_k0_pow2"], FEW)
    for key in ("density", "coalesced", "sparse_dim"):
        if key in want:
            check_shares(f"{where} {key}", shares_of([str(p[key]) for p in params]), want[key], FEW)
    if "step0" in want:
        check_shares(f"{where} step", shares_of([str(x["steps"][0]) for x in xs]), want["step0"], FEW)
        check(where, max(x["allocation_bytes"] for x in xs) <= 2 << 30)
    if where == "BinaryOpFuzzer":
        ys = [d["tensors"]["y"] for d in got]
        one = sum(y["size"][0] == 1 for y in ys) / COUNT
        near(f"{where} y is broadcast", one, want["share_y_dim0_is_1"], FEW)
        near(f"{where} y is x", sum(y["size"][0] == x["size"][0] for x, y in zip(xs, ys)) / COUNT,
             want["share_y_dim0_eq_x"], FEW)
        # Changed: y takes its own steps.
        check(where, all(y["steps"] == [p[f"y_step_{i}"] for i in range(len(y["size"]))]
                         for p, y in zip(params, ys)))


def regular_sizes(case):
    want = case["expect"]
    sizes = sorted({p for d in draws("regular", "spectral", 4000)
                    for p in (d["params"][f"k_regular_{i}"] for i in range(3))})
    check("regular", (len(sizes), sizes[:12], sizes[-6:]) ==
          (want["count"], want["first"], want["last"]), len(sizes))


def sparse(case):
    coalesced = case["coalesced_param"]
    spec = {"parameters": [{"name": n, "minval": 3, "maxval": 40, "distribution": "uniform"}
                           for n in ("k0", "k1")] +
            [{"name": "density", "distribution": [[0.1, 0.5], [0.5, 0.5]]},
             {"name": "sparse_dim", "distribution": [[1, 0.5], [2, 0.5]]},
             {"name": "coalesced", "distribution": [[coalesced, 1]]}],
            "tensors": [{"name": "x", "size": ["k0", "k1"], "sparse": True}]}
    for d in draws("sparse", spec, 500):
        x = d["tensors"]["x"]
        places = math.prod(x["size"][:x["sparse_dim"]])
        # Changed: the density is a share of the places, and all places differ.
        nnz = math.ceil(places * d["params"]["density"]) * (1 if coalesced else 2)
        check("sparse", x["nnz"] == nnz and x["is_coalesced"] == coalesced, x)
        check("sparse", x["dense_dim"] + x["sparse_dim"] == 2)
        check("sparse", x["is_hybrid"] == (x["dense_dim"] > 0))


def has_torch():
    done = subprocess.run([sys.argv[1], "list", "backends", "--json"], capture_output=True,
                          text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return any(row["name"] == "torch" and row["available"] for row in rows)


def docs_commands(spec, commands):
    """Each command line fits the page's spec: every draw is measured, by fake times."""
    check("docs: commands", len(commands) >= 3, commands)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "spec.json"), "w", encoding="utf-8") as file:
            file.write(spec)
        for line in commands:
            line = line.split(" #")[0].strip().replace("--draws 100", "--draws 5")
            if "-config >" in line:
                config = line.split(">")[1].strip()
                line += f" && opbench run -c {config} --backend null -q"
            elif "--backend torch" in line:
                if not has_torch():
                    continue
                line += " -q"
            elif "--run" in line:
                line += " --backend null -q"
            done = subprocess.run(["sh", "-c", line.replace("opbench", sys.argv[1])], cwd=folder,
                                  capture_output=True, text=True)
            check("docs: commands", done.returncode == 0, line + ": " + done.stderr)
        # The repro line of a record repeats its case, from any folder.
        subprocess.run([sys.argv[1], "fuzz", "spec.json", "--draws", "3", "--seed", "7", "--run",
                        "torch.add", "--backend", "null", "-q", "--output", "r.json"], cwd=folder,
                       check=True)
        with open(os.path.join(folder, "r.json"), encoding="utf-8") as file:
            records = [r for r in map(json.loads, file) if "repro" in r]
        check("docs: repro", len(records) == 3, len(records))
        done = subprocess.run(["sh", "-c", records[2]["repro"] + " --format json --output " +
                               os.path.join(folder, "again.json")], cwd="/", capture_output=True,
                              text=True)
        again = [r for r in map(json.loads, done.stdout.splitlines()) if "key" in r]
        check("docs: repro", [r["key"] for r in again] == [records[2]["key"]], done.stderr)


def docs_page():
    """The commands, the spec and the config that docs/fuzz.md shows."""
    with open(os.path.join(HERE, "..", "..", "docs", "fuzz.md"), encoding="utf-8") as file:
        text = file.read()
    spec, config = re.findall(r"^```json\n(.*?)^```", text, re.S | re.M)
    docs_commands(spec, re.findall(r"^    (opbench fuzz .*)$", text, re.M))
    got = draws("docs: spec", json.loads(spec), 20)
    check("docs: spec", all(math.prod(d["tensors"]["x"]["size"]) <= 1000000 for d in got))
    done = subprocess.run([sys.argv[1], "expand", "-c", "-"], input=config, capture_output=True,
                          text=True)
    lines = done.stdout.splitlines()
    check("docs: config", done.returncode == 0 and len(lines) == 100, done.stderr)
    check("docs: config", '"kwargs": {"alpha": {"type": "int", "value": 2}}' in lines[0])


def main():
    with open(os.path.join(HERE, "torch", "fuzzer.json"), encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    for case in cases:
        globals()[case["kind"]](case)
    docs_page()
    print(f"{len(cases)} cases, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
