#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often a suite of unchanged cases cries wolf: recorded comparisons of identical code, rearranged into suites.

usage: suites.py OPBENCH [--trials N] [--suites N] [--cases N] [--load idle|bursts|heavy] [--kernels 2us,250us] [--kept FILE...]

N comparisons of two shared objects of one source are measured to the end, or taken from --kept, files of `ab.py --keep --records`. A
case of a suite is one of them with its pairs of processes in another order and the sides of each pair swapped or not, by chance; it is
judged after 3, 5, 8, 12, 18 and 20 pairs, as a measured suite is (judge_suites.c), and the suite cries wolf if any look calls any case
faster or slower. The promise is 1 % of suites.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import ab

TREE = ab.HERE.parent.parent


def record(program, folder, steps, path):
    subprocess.run([program, "diff", "--op", "torch.relu", "f32[1]", "--a", ab.side(folder, "a", steps), "--b",
                    ab.side(folder, "b", steps), "--floor", "1e-6", "--threshold", "1.1e-6", "--records", path, "--force", "--format",
                    "json", "--quiet", "--fail-on", "nothing"], check=True, capture_output=True)


def pairs_of(path):
    """Of each pair of processes: the times and the disturbed samples of both sides; and the resolution of a sample."""
    lines = [json.loads(line) for line in open(path)]
    sides = []
    for result in (line for line in lines if "side" in line):
        times, of = result["metric"]["forward"]["measure.time"], result["statistics"]["forward"]
        disturbed, at, processes = set(of.get("disturbed", [])), 0, []
        for count in map(int, of["process_samples"]):
            processes.append((times[at:at + count], [i for i in range(count) if at + i in disturbed]))
            at += count
        sides.append(processes)
        resolution = lines[0]["sys_info"]["clock_resolution"] * 1e-6 / (result.get("number_per_run") or 1)
    return list(zip(*sides)), resolution


def write(out, path):
    pairs, resolution = pairs_of(path)
    out.write(f"{len(pairs)}\n")
    for pair in pairs:
        for times, disturbed in pair:
            out.write(f"{len(times)} {len(disturbed)} {resolution:.9g} {' '.join(map(str, [*times, *disturbed]))}\n")


def measure(options, folder, out):
    ab.build(folder)
    rate = ab.steps_per_ns(options.program, folder)
    noise = None if options.load == "idle" else subprocess.Popen([folder / "load", options.load, "1"], stdin=subprocess.PIPE)
    try:
        for _ in range(options.trials):
            for kernel in options.kernels.split(","):
                record(options.program, folder, max(1000, round(ab.KERNELS[kernel] * rate)), folder / "r.json")
                write(out, folder / "r.json")
    finally:
        if noise is not None:
            noise.stdin.close()
            noise.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--suites", type=int, default=400)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--load", default="idle")
    parser.add_argument("--kernels", default="2us,250us")
    parser.add_argument("--kept", nargs="+", metavar="FILE")
    options = parser.parse_args()
    library = pathlib.Path(options.program).resolve().parent / "lib"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run(["cc", "-std=c17", "-O2", "-I", TREE / "include", "-o", folder / "judge", ab.HERE / "judge_suites.c", "-L", library,
                        f"-Wl,-rpath,{library}", "-lopbench", "-lm"], check=True)
        with open(folder / "pairs.txt", "w") as out:
            if options.kept:
                for trial in (json.loads(line) for name in options.kept for line in open(name)):
                    if trial["effect"] == 0 and trial["kernel"] in options.kernels.split(","):
                        write(out, trial["records"])
            else:
                measure(options, folder, out)
        said = subprocess.run([folder / "judge", folder / "pairs.txt", str(options.suites), str(options.cases)], check=True,
                              capture_output=True, text=True).stdout
    recorded, wolves = map(int, said.split())
    low, high = ab.exact_interval(wolves, options.suites)
    print(f"{recorded} comparisons recorded; of {options.suites} suites of {options.cases} unchanged cases {wolves} cried wolf "
          f"({100 * low:.1f} to {100 * high:.1f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
