#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often a suite of unchanged cases cries wolf: recorded comparisons of identical code, drawn anew into suites.

usage: suites.py OPBENCH [--trials N] [--suites N] [--cases N] [--load idle|bursts|heavy] [--kernels 2us,250us]

N comparisons of two shared objects of one source are measured to the end. A case of a suite is one of them with its pairs of processes
drawn anew and its sides swapped at random; the suite is judged by `opbench diff FILE` after 3, 5, 8, 12, 18 and 20 pairs, as a
measured suite is, and cries wolf if any look calls any case faster or slower. The promise is 1 % of suites.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import ab

LOOKS = (3, 5, 8, 12, 18, 20)


def record(program, folder, steps, path):
    subprocess.run([program, "diff", "--op", "torch.relu", "f32[1]", "--a", ab.side(folder, "a", steps), "--b",
                    ab.side(folder, "b", steps), "--floor", "1e-6", "--threshold", "1.1e-6", "--records", path, "--force", "--format",
                    "json", "--quiet", "--fail-on", "nothing"], check=True, capture_output=True)


def pairs_of(path):
    """Of each pair of processes: the times and the disturbed samples of both sides; and the header."""
    lines = [json.loads(line) for line in open(path)]
    sides = []
    for result in (line for line in lines if "side" in line):
        times, of = result["metric"]["forward"]["measure.time"], result["statistics"]["forward"]
        disturbed, at, processes = set(of.get("disturbed", [])), 0, []
        for count in map(int, of["process_samples"]):
            processes.append((times[at:at + count], [i for i in range(count) if at + i in disturbed]))
            at += count
        sides.append(processes)
    return lines[0], list(zip(*sides))


def result(case, side, processes):
    times, disturbed, counts = [], [], []
    for values, marked in processes:
        disturbed += [len(times) + i for i in marked]
        times += values
        counts.append(len(values))
    return json.dumps({"op_name": "torch.relu", "id": f"{case}|0|0", "key": f"{case:032x}", "status": "ok", "index": case,
                       "backend": "known_work", "side": side, "threads": 1, "processes": len(counts),
                       "metric": {"forward": {"measure.time": times}},
                       "statistics": {"forward": {"disturbed": disturbed, "process_samples": counts}}})


def cries_wolf(program, header, recorded, cases, draw, path):
    suite = [draw.choices(draw.choice(recorded), k=LOOKS[-1]) for _ in range(cases)]
    swaps = [draw.random() < 0.5 for _ in range(cases)]
    for look in LOOKS:
        with open(path, "w") as out:
            out.write(json.dumps(header) + "\n")
            for case, (pairs, swap) in enumerate(zip(suite, swaps)):
                for name in ("a", "b"):
                    out.write(result(case, name, [pair[(name == "b") != swap] for pair in pairs[:look]]) + "\n")
        said = subprocess.run([program, "diff", path, "--format", "json", "--fail-on", "nothing"], capture_output=True, text=True)
        if said.returncode != 0:
            raise SystemExit(f"suites: opbench diff failed: {said.stderr}")
        summary = json.loads(said.stdout)["summary"]
        assert summary["compared"] == cases, summary
        if summary["slower"] + summary["faster"] > 0:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--suites", type=int, default=100)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--load", default="idle")
    parser.add_argument("--kernels", default="2us,250us")
    options = parser.parse_args()
    draw = random.Random(17)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        ab.build(folder)
        rate = ab.steps_per_ns(options.program, folder)
        noise = None if options.load == "idle" else subprocess.Popen([folder / "load", options.load, "1"], stdin=subprocess.PIPE)
        recorded, header = [], None
        try:
            for _ in range(options.trials):
                for kernel in options.kernels.split(","):
                    record(options.program, folder, max(1000, round(ab.KERNELS[kernel] * rate)), folder / "r.json")
                    header, pairs = pairs_of(folder / "r.json")
                    recorded.append(pairs)
        finally:
            if noise is not None:
                noise.stdin.close()
                noise.wait()
        header["run_options"]["cmd_args"]["budget"] = 1  # who has a budget looked while it measured
        wolves = sum(cries_wolf(options.program, header, recorded, options.cases, draw, folder / "suite.json")
                     for _ in range(options.suites))
    low, high = ab.exact_interval(wolves, options.suites)
    print(f"{options.load}: {len(recorded)} comparisons recorded; of {options.suites} suites of {options.cases} unchanged cases {wolves} "
          f"cried wolf ({100 * low:.1f} to {100 * high:.1f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
