#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an embedding example and checks what it prints: to the letter on the null backend, whose times
are exact, and with the numbers left open on the native one.

usage: run_examples.py NAME EXAMPLE --program OPBENCH --plugins DIRECTORY
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

FIRST_STEPS = """\
exit code 0
torch.mm on {backend}: ok, {us} us
{table}
draw 0: n = 623
draw 1: n = 797
draw 2: n = 310
"""

RUN_OP = """\
torch.mm 0|0|0 on {backend}: ok
  forward  {us} us (median of 50)
  backward {us} us (median of 50)
"""

RESULTS = """\
torch.add 0|0|0        ok       {us} us {gflops} GFLOP/s
torch.add 0|0|1        ok       {us} us {gflops} GFLOP/s
torch.add 0|0|2        ok       {us} us {gflops} GFLOP/s
torch.nn.Linear 0|0|0  ok       {us} us {gflops} GFLOP/s
torch.nn.Linear 0|0|1  ok       {us} us {gflops} GFLOP/s
torch.nn.Linear 0|0|2  ok       {us} us {gflops} GFLOP/s
6 results, 6 ok, {workers} workers
slowest: {slowest}
"""

EXACT = {
    "first_steps": FIRST_STEPS.replace("{us}", "1.000").replace("{backend}", "null"),
    "run_op": RUN_OP.replace("forward  {us}", "forward     1.000")
    .replace("backward {us}", "backward    2.000").replace("{backend}", "null"),
    "config_run_results": RESULTS.replace("{us}", "    1.000")
    .replace("{slowest}", "torch.add 0|0|0"),
}
GFLOPS = ["    4.096", "   65.536", " 1048.576", " 1052.672", " 4210.688", "16842.752"]
for text in GFLOPS:
    EXACT["config_run_results"] = EXACT["config_run_results"].replace("{gflops}", text, 1)

OPEN = {"first_steps": FIRST_STEPS.replace("{backend}", "native"),
        "run_op": RUN_OP.replace("{backend}", "native"), "config_run_results": RESULTS}

# A real machine may make a record warn.
WARNING = re.compile(r"^  warning: .*\n", re.MULTILINE)


def as_pattern(text):
    parts = {"us": r" *[0-9]+\.[0-9]{3}", "gflops": r" *[0-9]+\.[0-9]{3}", "workers": "[01]",
             "table": r"\[-+ loops -+\]\n +\| +C +\n1 threads: -+\n      add     \| +[0-9.]+ *\n"
                      r"      divide  \| +[0-9.]+ *\n\nTimes are in \w+ \(\w+\)\.\n",
             "slowest": r"torch\.[a-zA-Z.]+ 0\|0\|[012]"}
    pattern = re.escape(text)
    for name, part in parts.items():
        pattern = pattern.replace(r"\{" + name + r"\}", part)
    return pattern


def run(command, plugins):
    environment = dict(os.environ, OPBENCH_PLUGIN_PATH=plugins)
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def check(command, plugins, good):
    done = run(command, plugins)
    if done.returncode == 0 and done.stderr == "" and good(WARNING.sub("", done.stdout)):
        return True
    print(f"{' '.join(command)} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("example")
    parser.add_argument("--program", required=True)
    parser.add_argument("--plugins", required=True)
    args = parser.parse_args()
    exact, pattern = EXACT[args.name], as_pattern(OPEN[args.name])
    null, native = [args.example, "null"], [args.example, "native"]
    ok = check(null, args.plugins,
               lambda text: re.fullmatch(as_pattern(exact.replace("{workers}", "0")), text) is not None)
    if args.name == "config_run_results":
        ok = check(null + [args.program], args.plugins,
                   lambda text: text == exact.replace("{workers}", "1")) and ok
    if pathlib.Path(args.plugins, "native.so").exists():
        ok = check(native, args.plugins,
                   lambda text: re.fullmatch(pattern, text) is not None) and ok
        if args.name == "config_run_results":
            ok = check(native + [args.program], args.plugins,
                       lambda text: re.fullmatch(pattern, text) is not None) and ok
    unknown = run([args.example, "nowhere"], args.plugins)
    if unknown.returncode != 1 or 'there is no backend "nowhere"' not in unknown.stderr:
        print(f"an unknown backend gave {unknown.returncode}: {unknown.stderr}")
        ok = False
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
