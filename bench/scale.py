#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What many machines cost us: 10^8 cases over 1,000 shards, and a model of 500 nodes.

Three shards are run for real, by the null backend and its virtual clock; the files of the others are written here, with a header that a
real run wrote and small records, and joined by the real `opbench merge`. Then 500 nodes are simulated, of which some are slow, die or
are taken away; what they leave behind (files that end in the middle of a line, chunks that were begun again, two copies of one) goes
through the real `opbench merge`, which must find every case once, and through `opbench status`, if the program has it.

usage: scale.py OPBENCH [--cases N] [--shards N] [--records N] [--folder DIR]
"""

import argparse
import heapq
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

NODES, CHUNKS, CASES_A_CHUNK = 500, 4000, 500
CASE_S = 12.0  # a chunk takes a node 100 minutes
FAILURES_AN_HOUR, PREEMPTIONS_AN_HOUR, STRAGGLERS, LOST_DAEMONS = 0.01, 0.02, 0.02, 0.1


def write_config(path, cases):
    tensor, number = {"type": "tensor", "dtype": "float", "shape": [4]}, {"type": "int", "value": [1, cases], "__range__": ["value"]}
    path.write_text(json.dumps({"torch.add": {
        "input_iterator": "RangeConfigIterator", "input_data_generator": "PyTorch:DefaultDataGenerator",
        "config": [{"input": [{"args": [tensor, tensor], "kwargs": {"alpha": number}}]}]}}))


def run(*words, may_fail=False):
    """Seconds, seconds of CPUs, megabytes, and what it said."""
    began = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *map(str, words)], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert may_fail or done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    *said, memory = done.stderr.splitlines()
    return time.monotonic() - began, cpu, int(memory) / 1024, done.stdout + "\n".join(said)


def show(what, seconds, cpu, memory, more=""):
    print(f"{what:44} {seconds:8.2f} s wall  {cpu:8.2f} s CPU  {memory:7.0f} MB  {more}", flush=True)


def small_record(line):
    record = json.loads(line)
    return json.dumps({name: record[name] for name in ("op_name", "id", "key", "status", "index", "backend", "threads")})


def parts_of_record(record):
    """Around its index, which also becomes its key."""
    value = json.loads(record)
    before, after = record.replace(value["key"], "%032x").split(f'"index": {value["index"]}')
    assert "%032x" in before
    return before, after


def write_records(file, parts, indices):
    before, after = parts
    form = before + '"index": %d' + after + "\n"
    file.writelines(form % (i, i) for i in indices)


# ---- shards ----

def measure_shards(program, options, scratch):
    config, one = scratch / "config.json", scratch / "one.json"
    write_config(config, options.cases)
    command = [program, "run", "-c", config, "--backend", "null", "--quiet", "--output", one, "--force"]
    show(f"a run of the last of {options.cases:.0e} cases", *run(*command, "--shard", f"{options.cases}/{options.cases}")[:3])
    own = options.cases // options.shards
    for number in (1, options.shards // 2, options.shards):
        seconds, cpu, memory, _ = run(*command, "--shard", f"{number}/{options.shards}")
        show(f"shard {number}/{options.shards}, {own:.0e} cases", seconds, cpu, memory, f"{1e6 * cpu / own:.0f} us CPU a case")
    lines = one.read_text().splitlines()
    return json.loads(lines[0]), next(line for line in lines if '"op_name"' in line), lines[-1]


def measure_costs(program, scratch, cases=10**6):
    config = scratch / "costs.json"
    write_config(config, cases)
    seconds, cpu, memory, _ = run(program, "run", "-c", config, "--backend", "null", "--quiet", "--output", scratch / "cost.json",
                                  "--shard", "1/60000", "--shard-by", "cost")
    show(f"a division of {cases:.0e} cases by cost", seconds, cpu, memory, f"{1e6 * cpu / cases:.1f} us CPU a case")


def measure_merge(program, options, scratch, header, record, finish):
    folder, count = scratch / "shards", options.records
    folder.mkdir()
    parts = parts_of_record(small_record(record))
    header = dict(header, cases=count // options.shards, divided=[{"ranges": [[0, count]]}])
    for shard in range(options.shards):
        with open(folder / f"{shard:05}.json", "w", buffering=1 << 20) as file:
            file.write(json.dumps(dict(header, shard=f"{shard + 1}/{options.shards}")) + "\n")
            write_records(file, parts, range(shard, count, options.shards))
            file.write(finish + "\n")
    size = sum(file.stat().st_size for file in folder.iterdir())
    seconds, cpu, memory, said = run(program, "merge", folder, "-o", scratch / "all.json")
    show(f"merge of {count:.0e} small records", seconds, cpu, memory,
         f"{size / 1e9:.1f} GB, {1e6 * seconds / count:.2f} us a record; {said.split(': ')[-1].strip()}")
    assert f"{count} results" in said and "none missing" in said, said
    for file in folder.iterdir():
        file.unlink()
    (scratch / "all.json").unlink()


# ---- 500 nodes ----

class Fleet:
    """Nodes take chunks as they are free. A chunk that is cut off goes to the end of the queue, and on from its files."""

    def __init__(self, folder, header, record, finish, seed):
        self.folder, self.rng, self.finish = folder, random.Random(seed), finish
        self.header = dict(header, cases=CASES_A_CHUNK, divided=[{"ranges": [[0, CHUNKS * CASES_A_CHUNK]]}])
        self.parts = parts_of_record(small_record(record))
        self.done = [0] * CHUNKS  # cases of a chunk that are kept
        self.files = self.torn = self.failures = self.preemptions = self.copies = 0
        self.lost_s = 0.0
        self.speed = [self.rng.lognormvariate(0, 0.05) * (3 if self.rng.random() < STRAGGLERS else 1) for _ in range(NODES)]

    def write(self, chunk, first, end, is_whole):
        """What one attempt leaves."""
        name = f"shard-{chunk + 1}-of-{CHUNKS}_node_{self.files}_{self.files}.json"
        self.files += 1
        with open(self.folder / name, "w") as file:
            file.write(json.dumps(dict(self.header, shard=f"{chunk + 1}/{CHUNKS}")) + "\n")
            write_records(file, self.parts, range(chunk + first * CHUNKS, chunk + end * CHUNKS, CHUNKS))
            if is_whole:
                file.write(self.finish + "\n")
            elif self.rng.random() < 0.5:
                file.write(self.parts[0][:60])  # in the middle of a line
                self.torn += 1

    def attempt(self, node, chunk, now):
        """When the node is free again, when the chunk is, and whether it is done."""
        case_s = CASE_S * self.speed[node]
        end_s = now + (CASES_A_CHUNK - self.done[chunk]) * case_s
        failure = now + self.rng.expovariate(FAILURES_AN_HOUR / 3600)
        taken = now + self.rng.expovariate(PREEMPTIONS_AN_HOUR / 3600)
        cut = min(failure, taken)
        first = self.done[chunk]
        if end_s <= cut:
            self.done[chunk] = CASES_A_CHUNK
            self.write(chunk, first, CASES_A_CHUNK, True)
            return end_s, end_s, True
        kept = first + int((cut - now) / case_s)
        self.lost_s += (cut - now) % case_s
        is_failure = failure < taken
        self.failures += is_failure
        self.preemptions += not is_failure
        if is_failure and self.rng.random() < LOST_DAEMONS:
            # Only its daemon died: it goes on beside the copy that is begun elsewhere.
            self.write(chunk, first, min(CASES_A_CHUNK, kept + 50), False)
            self.copies += 1
        else:
            self.write(chunk, first, kept, False)
        self.done[chunk] = kept
        return cut + (4 * 3600 if is_failure else 600), cut, False

    def run(self):
        """Hours that it took."""
        queue = list(range(CHUNKS))
        free = [(0.0, node) for node in range(NODES)]
        ends = [0.0]
        running = []  # (when, chunk) that come back into the queue
        heapq.heapify(free)
        while queue or running:
            now, node = heapq.heappop(free)
            while running and (running[0][0] <= now or not queue):
                when, chunk = heapq.heappop(running)
                queue.append(chunk)
                now = max(now, when)
            chunk = queue.pop(0)
            free_s, end_s, is_done = self.attempt(node, chunk, now)
            if is_done:
                ends.append(end_s)
            else:
                heapq.heappush(running, (end_s, chunk))
            heapq.heappush(free, (free_s, node))
        return max(ends) / 3600


def has_status(program):
    return subprocess.run([program, "help", "status"], capture_output=True).returncode == 0


def model_fleet(program, scratch, header, record, finish):
    folder = scratch / "fleet"
    folder.mkdir()
    fleet = Fleet(folder, header, record, finish, seed=20)
    hours = fleet.run()
    even = CHUNKS * CASES_A_CHUNK * CASE_S / 3600 / sum(1 / speed for speed in fleet.speed)
    print(f"{NODES} nodes, {CHUNKS} chunks of {CASES_A_CHUNK} cases: {hours:.1f} h, {even:.1f} h if nothing happened and all ended "
          f"together; {fleet.failures} failures, {fleet.preemptions} preemptions, {fleet.lost_s / 3600:.1f} h of cases lost; "
          f"{fleet.files} files, {fleet.torn} torn lines, {fleet.copies} copies beside each other")
    if has_status(program):
        seconds, cpu, memory, said = run(program, "status", folder, may_fail=True)
        show("status of the fleet", seconds, cpu, memory, said.splitlines()[0] if said else "")
    seconds, cpu, memory, said = run(program, "merge", folder, "-o", scratch / "fleet.json", "--quiet")
    show("merge of the fleet", seconds, cpu, memory)
    indices = [json.loads(line)["index"] for line in open(scratch / "fleet.json") if '"op_name"' in line]
    assert indices == list(range(CHUNKS * CASES_A_CHUNK)), "not every case once"
    # A chunk whose files are gone, and one whose last file is.
    for chunk in (7, 1200):
        for file in folder.glob(f"shard-{chunk}-of-*"):
            file.unlink()
    seconds, cpu, memory, said = run(program, "merge", folder, "-o", scratch / "fleet.json", "--force", may_fail=True)
    assert f"{2 * CASES_A_CHUNK} missing" in said and said.count("measure them: opbench run --shard") == 2, said[-2000:]
    show("merge without two chunks", seconds, cpu, memory, "1000 missing, 2 commands")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=10**8)
    parser.add_argument("--shards", type=int, default=1000)
    parser.add_argument("--records", type=int, default=10**7, help="that are joined; 10^8 need 40 GB of disk")
    parser.add_argument("--folder", default=None, help="where files are written; default: TMPDIR")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    os.environ.update(OPBENCH_GIT="off", OPBENCH_DOCTOR="off")
    with tempfile.TemporaryDirectory(prefix="opbench-scale-", dir=options.folder) as temporary:
        scratch = pathlib.Path(temporary)
        header, record, finish = measure_shards(program, options, scratch)
        measure_costs(program, scratch)
        model_fleet(program, scratch, header, record, finish)
        measure_merge(program, options, scratch, header, record, finish)
    return 0


if __name__ == "__main__":
    sys.exit(main())
