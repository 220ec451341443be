#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Four nodes of a real Slurm measure the same cases, one after the other; one of them has a fiftieth of a CPU, and must be found.

All are one machine, on which others may be at work, so nothing is asserted of the other three.

usage: run_nodes.py OPBENCH
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import cpu_quota
import slurm_cluster

SICK, SHARE = "n3", 0.02
VISITS = ("n1", "n2", "n4", "n4", "n2", "n1", SICK, "n2", "n4", "n1")  # what comes and goes on the machine meets all
ROUNDS = 3  # at most: records of all count together
CASES = {
    "torch.mm": [[[n, n], [n, n]] for n in (224, 240, 256, 272)],
    "torch.relu": [[[n, 1024]] for n in (1024, 1280, 1536, 1792)],
}


def write_config(path):
    def argument(shape):
        return {"type": "tensor", "dtype": "float", "shape": shape}

    path.write_text(json.dumps({op: {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [
        {"input": [{"args": [argument(shape) for shape in shapes]} for shapes in inputs]}]} for op, inputs in CASES.items()}))


def measure(cluster, program, config, folder, node, group):
    """Blocks of some milliseconds are longer than what the group gets at once. What else runs on the machine has to wait."""
    command = ["nice", "-n", "-20", program, "run", "-c", config, "--backend", "native", "--exec-mode", "continuous", "-i", 48,
               "--block", 16, "--quiet", "--output", f"{folder}/"]
    line = f"exec {shlex.join(map(str, command))}"
    if group is not None:
        line = f"echo $$ > {shlex.quote(str(group.file))} && {line}"
    cluster.run("srun", "-N1", "-n1", "-w", node, "sh", "-c", line)


def is_found(program, folder):
    said = subprocess.run([program, "nodes", folder, "--format", "json"], capture_output=True, text=True)
    assert said.returncode in (0, 1), said.stdout + said.stderr
    nodes = {node["node"]: node for node in json.loads(said.stdout)["nodes"]}
    assert sorted(nodes) == ["n1", "n2", "n3", "n4"], nodes
    assert said.returncode == any(node["sick"] for node in nodes.values()), nodes
    print(subprocess.run([program, "nodes", folder, "--all"], capture_output=True, text=True).stdout)
    return nodes[SICK]["verdict"] == "slow"


def check_lists(program, folder):
    """What schedulers and people get of it."""
    listed = subprocess.run([program, "nodes", folder, "--drain"], capture_output=True, text=True)
    assert listed.returncode == 1 and SICK in listed.stdout.split(), listed
    page = folder.parent / "page.html"
    subprocess.run([program, "report", *sorted(folder.glob("*.json")), "-o", page, "--quiet"], check=True)
    assert f">{SICK}</th>" in page.read_text()


def measure_nodes(program, scratch, group):
    folder, config = scratch / "health", scratch / "health.json"
    write_config(config)
    with slurm_cluster.Cluster(scratch) as cluster:
        for _ in range(ROUNDS):
            for node in VISITS:
                measure(cluster, program, config, folder, node, group if node == SICK else None)
            if is_found(program, folder):
                check_lists(program, folder)
                return
    raise AssertionError(f"{SICK} was not found")


def main():
    program, why = os.path.abspath(sys.argv[1]), slurm_cluster.missing()
    group = cpu_quota.Quota(SHARE)
    if why is None:
        why = group.open()
    if why is not None:
        print(f"skipped: {why}")
        return 77
    try:
        with tempfile.TemporaryDirectory(prefix="opbench-nodes-") as temporary:
            pathlib.Path(temporary).chmod(0o755)
            measure_nodes(program, pathlib.Path(temporary), group)
    finally:
        group.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
