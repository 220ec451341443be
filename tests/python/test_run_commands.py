#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opbench.run, time, replay, sweep, diff and load on the null backend, whose times are exact: records, tables, options, errors.

usage: test_run_commands.py [OPBENCH]
"""

import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, exit_code  # noqa: E402

import opbench  # noqa: E402

TREE = HERE.parent.parent
TENSOR = {"type": "tensor", "dtype": "float", "shape": [2, 3]}
CONFIG = {"torch.add": {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [{"args": [TENSOR, TENSOR]}] * 3}]}}
NULL = {"backend": "null", "iteration": 20}


def raised(function, *args, **kwargs):
    """The Error that it raises."""
    try:
        function(*args, **kwargs)
    except opbench.Error as error:
        return error
    check(False, f"{function.__name__}{args} raises an Error")
    return opbench.Error("none")


def program(*words):
    return subprocess.run([opbench.program_path(), *words], capture_output=True, text=True, check=False)


# ---- running ----


def configs(folder):
    result = opbench.run(CONFIG, **NULL)
    check(len(result) == 3 and result.ok, "a dict is a config")
    check([record["id"] for record in result] == ["0|0|0", "0|0|1", "0|0|2"], "the records come in order")
    check(result[0]["backend"] == "null", "options reach the program")
    path = folder / "c.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    check(len(opbench.run(path, **NULL)) == 3 and len(opbench.run(str(path), **NULL)) == 3, "a path is a config")

    class Holder:
        bench_config = CONFIG

    check(len(opbench.run(Holder(), **NULL)) == 3, "what has a bench_config is a config")
    one = opbench.run(CONFIG, case="torch.add|0|0|1", output=folder / "kept.json", **NULL)
    check([record["id"] for record in one] == ["0|0|1"] and one.paths == [str(folder / "kept.json")], "output names the file")
    check("already exists" in str(raised(opbench.run, CONFIG, output=folder / "kept.json", **NULL)) or
          "kept.json" in str(raised(opbench.run, CONFIG, output=folder / "kept.json", **NULL)), "a file that is there is refused")
    again = opbench.run(CONFIG, output=folder / "kept.json", resume=True, **NULL)
    check(len(opbench.load(again.paths)) == 3, "resume goes on")


def operators():
    result = opbench.run("torch.add", "f32[{2,4},3]", "f32[3]", kwargs={"alpha": 2}, backend=["native", "null"], iteration=5)
    check(len(result) == 4, "two sizes on two backends are four results")
    check(result[0]["call"] == "add(f32[2,3], f32[3], alpha=2)", f"the call is {result[0]['call']}")
    built = opbench.run("torch.nn.Linear", "f32[2,8]", build=(8, 4), backend="null", iteration=5)
    check(built[0]["call"].startswith("nn.Linear(8, 4)"), f"a constructor's arguments: {built[0]['call']}")
    timed = opbench.time("torch.add", "f32[4]", "f32[4]", backend="null", number=100)
    check(timed[0]["number_per_run"] == 100, "time takes its options")
    both = opbench.time("torch.add", "f32[4]", "f32[4]", backend=["native", "null"], number=100).table
    check(" native " in both and " null " in both, f"several backends are told apart: {both}")
    check("<opbench Measurement>" in timed.show(measurements=True), "show has forms of its own")


def streams():
    running = opbench.run(CONFIG, stream=True, **NULL)
    check(running.result is None, "a stream has no result yet")
    first = next(running)
    check(first["id"] == "0|0|0", "records come one by one")
    check(len(list(running)) == 2 and len(running.result) == 3, "and all of them in the end")
    dropped = opbench.run(CONFIG, stream=True, backend="native", min_time=30)
    child = dropped._child._process
    del dropped
    gc.collect()
    check(child.returncode is not None, "a stream that is dropped ends its program")
    early = opbench.run(CONFIG, stream=True, backend="native", min_time=30)
    began = time.monotonic()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        next(early)
        check(False, "an interrupt is a KeyboardInterrupt")
    except KeyboardInterrupt as interrupt:
        check(hasattr(interrupt, "result"), "what was measured is kept")
    check(time.monotonic() - began < 25, "ctrl-c ends the program")


def others(folder):
    model = json.loads((TREE / "examples/sweeps/linear.json").read_text(encoding="utf-8"))
    model["job_configs"] = [{"precision": "fp32", "runtime": "null"}]
    swept = opbench.sweep(model, iteration=3, sample=20)
    check(len(swept) > 1 and "in_features" in swept.to_csv().splitlines()[0], "a sweep's table has its variables")
    rows = opbench.sweep(model, iteration=3, sample=20, output=folder / "rows.csv")
    check((folder / "rows.csv").exists() and rows.paths == [str(folder / "rows.jsonl")], "rows and records in files")
    replayed = opbench.replay(TREE / "tests/cli/traces/step.json", backend="native", iter=2)
    check(len(replayed) > 0, "a replay has records")


def bars():
    seen = []

    class Bar:
        def __init__(self, **options):
            seen.append(("made", options["desc"]))
            self.total = None

        def update(self, count):
            seen.append(("update", count, self.total))

        def refresh(self):
            pass

        def close(self):
            seen.append(("closed",))

    opbench.run(CONFIG, progress=Bar, **NULL)
    check(seen == [("made", "opbench run")] + [("update", 1, 3)] * 3 + [("closed",)], f"tqdm's protocol: {seen}")


# ---- errors ----


def errors(folder):
    bad = folder / "bad.json"
    bad.write_text('{"torch.add": {\n  "config": 3}}', encoding="utf-8")
    error = raised(opbench.run, bad)
    check(isinstance(error, opbench.InputError) and isinstance(error, ValueError), "what was given is an InputError")
    check((error.file, error.line) == (str(bad), 1) and error.column and error.path and error.fix,
          f"{(error.file, error.line, error.column, error.path, error.fix)}")
    error = raised(lambda: opbench.run({"torch.add": {}}))
    check(error.file == "<config>" and error.path == '."torch.add"' and "stdin" not in str(error), f"of a dict: {error}")
    check(raised(opbench.run, CONFIG, bakcend="null").fix == "did you mean backend?", "near names")
    check("compile=reduce-overhead" in str(raised(opbench.run, CONFIG, cuda_graph=True)), "what is refused says why")
    check("to_csv" in str(raised(opbench.run, CONFIG, format="csv")), "forms are the result's")
    check("True or False" in str(raised(opbench.run, CONFIG, check="yes")), "a flag is True or False")
    check("no backend" in str(raised(opbench.run, CONFIG, backend="nobody")), "an unknown backend")
    check("none.json" in str(raised(opbench.load, folder / "none.json")), "a file that is not there")
    check("none.json" in str(raised(opbench.diff, str(folder / "none.json"), str(folder / "other.json"))), "nor one to compare")
    check("does not know the operator" in str(raised(opbench.run, "torch.nosuch", "f32[2]", backend="native")), "an unknown operator")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        opbench.run({"torch.nosuch": {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [{"args": [
            {"type": "tensor", "dtype": "float", "shape": [2]}]}]}]}}, backend="native", iteration=1)
    check([pathlib.Path(warning.filename).name for warning in seen] == [pathlib.Path(__file__).name] and seen[0].category is opbench.OpbenchWarning,
          f"warnings point to the call: {[str(warning) for warning in seen]}")
    check("path or a dict" in str(raised(opbench.run, 3)), "no config")
    check("output" in str(raised(opbench.run, CONFIG, resume=True)), "resume needs a file")
    torn = folder / "torn.json"
    torn.write_text('{"op_name": "a", "metric": {}}\nno json\n{}\n', encoding="utf-8")
    error = raised(lambda: opbench.load(torn).records)
    check((error.file, error.line) == (str(torn), 2), "a line that is no record has its place")
    torn.write_text('{"op_name": "a", "metric": {}}\n{"op_na', encoding="utf-8")
    check(len(opbench.load(torn)) == 1, "a torn last line is passed over")
    for text in ("", "3\n", "no json\n"):
        torn.write_text(text, encoding="utf-8")
        check(raised(opbench.load, torn).line == 1, f"{text!r} is no file of records")
    invalid = opbench.run("torch.add", "f32[2]", "f32[3]", backend="native")
    check(not invalid.ok and invalid[0]["status"] == "invalid" and "must be equal" in invalid[0]["reason"],
          "a case that fails is a record")


def option_rows():
    check("min_time" in opbench.options_of("run") and "cuda_graph" not in opbench.options_of("run"), "options_of lists them")
    tagged = opbench.run(CONFIG, tag={"who": "me", "why": "test"}, **NULL)
    check(tagged.header["tags"] == {"who": "me", "why": "test"} if "tags" in tagged.header else
          "who" in json.dumps(tagged.header), "a list of options is given several times")


# ---- the program ----


def main_module():
    done = subprocess.run([sys.executable, "-m", "opbench", "--version"], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and done.stdout == program("--version").stdout, f"python -m opbench: {done}")


def main():
    warnings.simplefilter("ignore", opbench.OpbenchWarning)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        configs(folder)
        operators()
        streams()
        others(folder)
        bars()
        errors(folder)
        option_rows()
        main_module()
    check("numpy" not in sys.modules and "torch" not in sys.modules and "pandas" not in sys.modules, "nothing heavy was imported")
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
