#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example that writes a result file: what it prints, and that its file is the one that `opbench run` writes, apart
from what differs from run to run, from where the words of a command line are, and from the interruption.

usage: run_write_results.py EXAMPLE --program OPBENCH --plugins DIRECTORY
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONFIG = ROOT / "tests/cli/configs/add_range.json"

PRINTED = """\
  torch.add 0|0|0_0: ok
  1 of 5
  torch.add 0|0|0_1: ok
  2 of 5
{path}: 2 measured, 0 failed, 0 left out, interrupted
  torch.add 0|0|0_0: ok (was there)
  torch.add 0|0|0_1: ok (was there)
  torch.add 0|0|0_2: ok
  1 of 3
  torch.nn.Linear 0|0|0: ok
  2 of 3
  torch.nn.Linear 0|1|0: ok
  3 of 3
{path}: 3 measured, 0 failed, 2 left out
"""

# What no two runs have in common.
VARIES = {"start_time", "start_unix", "case_start_time", "pid", "clock_overhead", "clock_resolution", "out_stream", "process_peak",
          "libraries", "noise", "warnings", "seconds"}


def plain(value):
    """Without what varies. Times are exact on the null backend."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in VARIES}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def same(ours, theirs, path=""):
    """Whether two values are the same; else ends with the first place where they differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        check(list(ours) == list(theirs), f"{path}: {list(ours)} and {list(theirs)}")
        for key, value in ours.items():
            same(value, theirs[key], f"{path}/{key}")
    else:
        check(ours == theirs, f"{path}: {ours} and {theirs}")


def check(good, what):
    if not good:
        sys.exit(what)


def run(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    check(done.returncode == 0 and done.stderr == "",
          f"{command} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def kind(line):
    return "header" if "sys_info" in line else "finish" if "finish_time" in line else "result"


def compare(ours, theirs, program):
    """The lines of the example's file and of the program's."""
    ends = [line["end"] for line in ours if kind(line) == "finish"]
    check(ends == ["interrupted", "finished"], f"it ended {ends}")
    for line in theirs:
        if "repro" in line:
            line["repro"] = line["repro"].replace(str(program), "opbench", 1)
    results = [plain(line) for line in ours if kind(line) == "result"]
    wanted = [plain(line) for line in theirs if kind(line) == "result"]
    check(len(results) == len(wanted), f"{len(results)} and {len(wanted)} results")
    for number, result in enumerate(results):
        same(result, wanted[number], f"result {number}")
    # The command line has words that are not about measuring; what is in both is the same.
    header, want = plain(ours[0]), plain(theirs[0])
    own, given = header["run_options"].pop("cmd_args"), want["run_options"].pop("cmd_args")
    same(header, want, "header")
    # A command line has a list of threads there, and nothing is the default.
    check((own.pop("num_threads"), given.pop("num_threads")) == (1, None), f"threads differ:\n{own}\n{given}")
    check(len(own) > 20 and {key: given[key] for key in own} == own, f"options differ:\n{own}\n{given}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("example")
    parser.add_argument("--program", required=True)
    parser.add_argument("--plugins", required=True)
    args = parser.parse_args()
    environment = dict(os.environ, OPBENCH_PLUGIN_PATH=args.plugins)
    with tempfile.TemporaryDirectory() as folder:
        for worker in ([], [args.program]):
            path, other = pathlib.Path(folder, "example.json"), pathlib.Path(folder, f"program{len(worker)}.json")
            printed = run([args.example, CONFIG, path, "null", *worker], environment)
            # A worker may be several cases further than the program that stops it.
            check(worker or printed == PRINTED.replace("{path}", str(path)), f"it printed\n{printed}")
            command = [args.program, "run", "-c", CONFIG, "--backend", "null", "-w", "2", "-i", "20", "--output",
                       other, *([] if worker else ["--no-isolate"])]
            run([*command, "-q"], environment)
            ours, theirs = ([json.loads(line) for line in file.read_text().splitlines()] for file in (path, other))
            del theirs[0]["sys_info"]["library_caps"]
            del theirs[0]["sys_info"]["findings"]
            compare(ours, theirs, args.program)
            # Either goes on from the other's file, and shows the same.
            command[command.index(other)] = path
            check("5 cases were already done" in run([*command, "--resume"], environment), "it cannot be resumed")
            shown = [run([args.program, "show", file], environment) for file in (path, other)]
            check(shown[0] == shown[1], f"shown differently:\n{shown[0]}{shown[1]}")
    unknown = subprocess.run([args.example, CONFIG, "/nowhere/x.json", "null"], capture_output=True, text=True,
                             check=False, env=environment)
    check(unknown.returncode == 1 and "/nowhere/x.json: error: cannot be written" in unknown.stderr,
          f"a wrong folder gave {unknown.returncode}: {unknown.stderr}")


if __name__ == "__main__":
    main()
