#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `opbench diff` errs, with known truth: identical code, +0.3 % and +1 %, idle and under load.

usage: ab.py OPBENCH [--trials N] [--budget SECONDS] [--loads idle,bursts,heavy] [--kernels 2us,250us,20ms]
             [--effects 0,0.003,0.01] [--peers] [--keep FILE] [--records FOLDER] [--seed N]
       ab.py --summary FILE...

Sides are two shared objects, compiled apart from one source (the backend known_work), so that identical code is not the same file. Load is
foreign_load.c. A cell has what was found in all trials of all kernels, with the exact 95 % interval of Clopper and Pearson; those of 20 ms
are shown apart under load, where no run stays undisturbed. --keep appends each trial as a JSON line, so that a run can be cut off
and another (with another --seed) go on; --summary prints the table of such files. --records keeps what each comparison measured, for
`opbench diff FILE`. --peers lets Google Benchmark's compare.py and torch.utils.benchmark judge the same loops in the same run.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import peers

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = {"2us": 2e3, "250us": 250e3, "20ms": 20e6}
PROBED_STEPS = 100000


def build(folder):
    include = HERE.parent.parent / "include"
    for name in ("a", "b"):
        (folder / name).mkdir()
        subprocess.run(["cc", "-std=c17", "-O2", "-fPIC", "-shared", "-I", include, "-o", folder / name / "known_work.so",
                        include.parent / "backends/known_work/known_work.c"], check=True)
    subprocess.run(["cc", "-std=c17", "-O2", "-o", folder / "load", HERE / "foreign_load.c"], check=True)


def side(folder, name, steps):
    return f"{name}:plugin={folder}/{name}/known_work.so,backend=known_work,options=steps={steps}"


def diff(program, folder, steps, other, budget, records=None):
    start = time.monotonic()
    out = subprocess.run([program, "diff", "--op", "torch.relu", "f32[1]", "--a", side(folder, "a", steps), "--b",
                          side(folder, "b", other), "--budget", str(budget), "--format", "json", "--quiet",
                          "--fail-on", "nothing", *(["--records", records] if records else [])], capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(f"ab: opbench diff failed: {out.stderr}")
    row = json.loads(out.stdout)["rows"][0]
    return row, time.monotonic() - start


def steps_per_ns(program, folder):
    row, _ = diff(program, folder, PROBED_STEPS, PROBED_STEPS, 0.2)
    return PROBED_STEPS / row["baseline_ns"]


def binomial_tail(k, n, p):
    """P(X >= k)."""
    if p <= 0:
        return float(k == 0)
    if p >= 1:
        return 1.0
    logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p)
            for i in range(k, n + 1)]
    return min(1.0, sum(map(math.exp, logs)))


def exact_interval(k, n):
    """Clopper and Pearson, 95 %."""
    def solve(fits):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low
    lower = solve(lambda p: binomial_tail(k, n, p) < 0.025) if k > 0 else 0.0
    upper = solve(lambda p: 1 - binomial_tail(k + 1, n, p) > 0.025) if k < n else 1.0
    return lower, upper


def share(k, n):
    low, high = exact_interval(k, n)
    return f"{k:4} of {n} ({100 * low:.1f} to {100 * high:.1f} %)"


def summarise(trials):
    def called(verdict, effect):
        return verdict in (("slower",) if effect > 0 else ("slower", "faster"))
    rows = {}
    for t in trials:
        apart = t["kernel"] == "20ms" and t["load"] != "idle"
        rows.setdefault((t["load"], "20ms" if apart else "all", t["effect"]), []).append(t)
    print(f"{'load':8} {'kernels':8} {'true':>7} {'trials':>6}  {'called slower or faster':30} {'covered (95 %)':24} "
          f"{'undecided':>9} {'seconds':>8} {'wall':>6}")
    for (load, kernels, effect), of in rows.items():
        n = len(of)
        found = sum(called(t["verdict"], effect) for t in of)
        covered = sum(t["low"] is not None and t["low"] <= 1 + t["truth"] <= t["high"] for t in of)
        undecided = sum(t["verdict"] == "undecided" for t in of)
        print(f"{load:8} {kernels:8} {100 * effect:+6.1f}% {n:6}  {share(found, n):30} {share(covered, n):24} {undecided:9} "
              f"{sum(t['seconds'] for t in of) / n:8.2f} {sum(t['wall'] for t in of) / n:6.2f}")
        for peer in (peers.Google.name, peers.Torch.name):
            said = [called(t[peer], effect) for t in of if peer in t]
            if said:
                print(f"{'':10}{peer:21} {len(said):6}  {share(sum(said), len(said)):30}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("--summary", nargs="+", metavar="FILE")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--budget", type=float, default=1.0)
    parser.add_argument("--loads", default="idle,bursts,heavy")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--effects", default="0,0.003,0.01")
    parser.add_argument("--keep")
    parser.add_argument("--records")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    if options.summary:
        summarise([json.loads(line) for name in options.summary for line in open(name)])
        return 0
    if options.program is None:
        parser.error("which opbench?")
    trials, draw = [], random.Random(options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        build(folder)
        rate = steps_per_ns(options.program, folder)
        others = peers.open_peers(folder) if options.peers else []
        for load in options.loads.split(","):
            noise = None
            if load != "idle":
                noise = subprocess.Popen([folder / "load", load, "1"], stdin=subprocess.PIPE)
            try:
                for _ in range(options.trials):
                    for kernel in options.kernels.split(","):
                        for effect in map(float, options.effects.split(",")):
                            # Of another length each time: a clock that ticks would round all trials in the same way.
                            steps = max(1000, round(KERNELS[kernel] * rate * draw.uniform(0.95, 1.05)))
                            other = round(steps * (1 + effect))
                            records = options.records and f"{options.records}/{options.seed}-{load}-{len(trials)}.json"
                            row, wall = diff(options.program, folder, steps, other, options.budget, records)
                            trial = {"load": load, "kernel": kernel, "effect": effect, "truth": other / steps - 1,
                                     "verdict": row["verdict"], "ratio": row["ratio"], "low": row["ratio_low"],
                                     "high": row["ratio_high"], "units": row["subject_units"],
                                     "set_aside": row["set_aside"], "seconds": row.get("seconds") or 0, "wall": wall,
                                     "records": records}
                            for peer in others:
                                trial[peer.name] = peer.verdict(steps, other, KERNELS[kernel], options.budget)
                            trials.append(trial)
                            if options.keep:
                                with open(options.keep, "a") as kept:
                                    kept.write(json.dumps(trial) + "\n")
            finally:
                if noise is not None:
                    noise.stdin.close()
                    noise.wait()
    summarise(trials)
    return 0


if __name__ == "__main__":
    sys.exit(main())
