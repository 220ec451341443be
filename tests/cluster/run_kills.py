#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Eight shards whose workers, supervisors and merges are killed at random: nothing is lost, and nothing doubled.

Every second shard writes to a file of its own, the others to a folder; every second round is divided by cost. A supervisor that was
killed is started again with --resume, one of a folder sometimes while its old copy is still alive, as clusters do.

usage: run_kills.py OPBENCH [--kills N] [--cases N] [--seed N]
"""

import argparse
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import divided

SHARDS, AT_ONCE = 8, 4


def write_config(path, cases):
    """Cheap cases, of which the later ones are said to be dearer."""
    tensor = {"type": "tensor", "dtype": "float", "shape": [[1, cases], 4], "__range__": ["shape"]}
    path.write_text(json.dumps({"torch.relu": {
        "input_iterator": "RangeConfigIterator", "input_data_generator": "PyTorch:DefaultDataGenerator",
        "config": [{"input": [{"args": [tensor]}]}]}}))


def children(pid):
    try:
        return [int(word) for word in open(f"/proc/{pid}/task/{pid}/children").read().split()]
    except OSError:
        return []


class Round:
    def __init__(self, program, config, folder, by, rng):
        self.program, self.config, self.folder, self.by, self.rng = program, config, folder, by, rng
        self.running = {}  # process: shard
        self.left = list(range(1, SHARDS + 1))
        self.kills = {"worker": 0, "supervisor": 0, "merge": 0}
        folder.mkdir()

    def start(self, shard):
        output = f"{self.folder}/" if shard % 2 else self.folder / f"{shard}.json"
        words = [self.program, "run", "-c", self.config, "--backend", "null", "--quiet", "--shard", f"{shard}/{SHARDS}",
                 "--shard-by", self.by, "--output", output]
        if shard % 2 or output.exists():
            words.append("--resume")
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.running[process] = shard

    def reap(self):
        """Whoever was ended before its time begins again."""
        for process in [p for p in self.running if p.poll() is not None]:
            shard, said = self.running.pop(process), process.stderr.read()
            # 1: some case died with its worker, which is its result; or none could be started, and merge will say what to do.
            assert process.returncode in (0, 1, 130, -signal.SIGKILL, -signal.SIGTERM), (process.returncode, said)
            if process.returncode not in (0, 1):
                self.left.append(shard)
        while self.left and len(self.running) < AT_ONCE:
            self.start(self.left.pop(self.rng.randrange(len(self.left))))

    def kill_worker(self):
        found = [pid for process in self.running for pid in children(process.pid)]
        if found:
            os.kill(self.rng.choice(found), signal.SIGKILL)
            self.kills["worker"] += 1

    def kill_supervisor(self):
        process = self.rng.choice(list(self.running))
        shard = self.running[process]
        if shard % 2 and self.rng.random() < 0.3:
            self.start(shard)  # its copy; both write now, each to a file of its own
        process.send_signal(self.rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        self.kills["supervisor"] += 1

    def kill_merge(self):
        joined = self.folder.parent / "early.json"
        process = subprocess.Popen([self.program, "merge", str(self.folder), "-o", str(joined), "--force", "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.rng.uniform(0, 0.03))
        self.kills["merge"] += process.poll() is None
        process.kill()
        process.wait()
        if joined.exists():  # whole, whenever it was made
            lines = [json.loads(line) for line in open(joined)]
            assert "merged" in lines[0] and "finish_time" in lines[-1]
        for litter in self.folder.parent.glob("early.json*"):
            litter.unlink()

    def run(self, most_kills):
        acts = (self.kill_worker, self.kill_worker, self.kill_supervisor, self.kill_merge)
        self.reap()
        while self.running:
            time.sleep(self.rng.uniform(0, 0.12))
            if self.running and sum(self.kills.values()) < most_kills and any(self.folder.iterdir()):
                self.rng.choice(acts)()
            self.reap()


def check_union(program, config, folder, scratch):
    whole, joined = scratch / "whole.json", scratch / "joined.json"
    if not whole.exists():
        subprocess.run([program, "run", "-c", config, "--backend", "null", "--quiet", "--output", whole], check=True)
    for _ in range(3):
        said = subprocess.run([program, "merge", folder, "-o", joined, "--force"], capture_output=True, text=True)
        commands = re.findall(r"^  measure (?:them|it): opbench (.*)", said.stderr, re.MULTILINE)
        assert (said.returncode == 1) == (len(commands) > 0), said.stdout + said.stderr
        for command in commands:
            subprocess.run([program, *shlex.split(command)], check=True)
    assert said.returncode == 0 and "none missing" in said.stdout, said.stdout + said.stderr
    assert divided.cases(joined) == divided.cases(whole), said.stdout
    return said.stdout.split(": ", 1)[1].strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--cases", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program, rng, killed, number = os.path.abspath(options.program), random.Random(options.seed), {}, 0
    os.environ.update(OPBENCH_GIT="off", OPBENCH_DOCTOR="off")
    with tempfile.TemporaryDirectory(prefix="opbench-kills-") as temporary:
        scratch = pathlib.Path(temporary)
        config = scratch / "config.json"
        write_config(config, options.cases)
        while sum(killed.values()) < options.kills:
            number += 1
            assert number <= options.kills, "hardly anything could be killed"
            one = Round(program, config, scratch / f"shards{number}", "cost" if number % 2 else "order", rng)
            one.run(options.kills - sum(killed.values()))
            for what, count in one.kills.items():
                killed[what] = killed.get(what, 0) + count
            print(f"round {number}: {one.kills}; {check_union(program, config, one.folder, scratch)}", flush=True)
    print(f"{sum(killed.values())} kills: {killed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
