# SPDX-License-Identifier: Apache-2.0
"""A divided run and its undivided twin."""

import json
import pathlib
import subprocess

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
CONFIG = TREE / "examples/configs/tour.json"


def command(program, *more):
    return [program, "run", "-c", str(CONFIG), "--backend", "null", "--quiet", *map(str, more)]


def cases(path):
    """What names the results of a file, in their order."""
    lines = [json.loads(line) for line in open(path)]
    return [(line["index"], line["op_name"], line["id"], line["key"]) for line in lines if "op_name" in line]


def headers(folder):
    return [json.loads(open(file).readline()) for file in sorted(pathlib.Path(folder).glob("*.json"))]


def check_union(program, folder, scratch):
    """The parts in a folder come to the undivided run, case for case."""
    whole, joined = scratch / "whole.json", scratch / "joined.json"
    subprocess.run(command(program, "--output", whole, "--force"), check=True)
    said = subprocess.run([program, "merge", folder, "-o", joined, "--force"], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert cases(joined) == cases(whole), said.stdout
