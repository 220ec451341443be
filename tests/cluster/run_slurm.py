#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that a real Slurm divides: by an array, by tasks, and by an array whose tasks are given up and begun again.

usage: run_slurm.py OPBENCH
"""

import os
import pathlib
import shlex
import sys
import tempfile

import divided
import slurm_cluster


def wrap(*words):
    return ["--wrap", shlex.join(map(str, words))]


def array(cluster, program, folder):
    """Eight chunks on four nodes, and a job after them that joins the files."""
    job = cluster.run("sbatch", "--parsable", "--array=0-7", "--output=chunk.%a", *wrap(
        *divided.command(program, "--shard", "auto", "--output", f"{folder}/", "--resume"))).strip()
    cluster.run("sbatch", "--wait", f"--dependency=afterany:{job}", "--output=merge.out",
                *wrap(program, "merge", folder, "-o", folder.parent / "by_job.json"))
    found = divided.headers(folder)
    assert sorted(h["shard"] for h in found) == [f"{k}/8" for k in range(1, 9)], found
    assert {h["cluster"]["launcher"] for h in found} == {"Slurm array"}
    assert {h["cluster"]["job"] for h in found} == {job}
    assert all(h["cluster"]["node"].startswith("n") for h in found)
    assert (folder.parent / "by_job.json").exists(), (cluster.folder / "merge.out").read_text()


def tasks(cluster, program, folder):
    cluster.run("srun", "-N4", "-n4", *divided.command(program, "--shard", "auto", "--output", f"{folder}/"))
    found = divided.headers(folder)
    assert sorted(h["shard"] for h in found) == ["1/4", "2/4", "3/4", "4/4"], found
    assert {h["cluster"]["launcher"] for h in found} == {"Slurm tasks"}
    assert len({h["cluster"]["node"] for h in found}) == 4


def begun_again(cluster, program, folder):
    """A chunk is cancelled in the middle of a case; another job goes on with it, in a file of its own."""
    chunk = divided.command(program, "--shard", "1/1", "--output", f"{folder}/", "--resume", "--backend", "native", "--min-time", "0.3")

    def results():
        return [line for file in folder.glob("*.json") for line in open(file) if '"op_name"' in line]

    job = cluster.run("sbatch", "--parsable", "--output=again", *wrap(*chunk)).strip()
    cluster.wait_for(lambda: len(results()) >= 2, "the first results")
    cluster.run("scancel", job)
    cluster.wait_for(lambda: cluster.run("squeue", "-h", "-j", job, check=False).strip() == "", "the end of the job")
    before = len(results())
    assert before < len(divided.cases(folder.parent / "whole.json")), "it was not cancelled in the middle"
    cluster.run("sbatch", "--wait", "--output=again", *wrap(*chunk))
    assert len(list(folder.glob("*.json"))) == 2


def main():
    program, why = os.path.abspath(sys.argv[1]), slurm_cluster.missing()
    if why is not None:
        print(f"skipped: {why}")
        return 77
    with tempfile.TemporaryDirectory(prefix="opbench-slurm-") as temporary:
        scratch = pathlib.Path(temporary)
        scratch.chmod(0o755)
        with slurm_cluster.Cluster(scratch) as cluster:
            for what in (array, tasks, begun_again):
                folder = scratch / what.__name__
                what(cluster, program, folder)
                divided.check_union(program, folder, scratch)
                print(f"{what.__name__}: joined")
    return 0


if __name__ == "__main__":
    sys.exit(main())
