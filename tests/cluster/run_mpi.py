#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that real MPI launchers divide, joined again.

usage: run_mpi.py OPBENCH
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import divided

LAUNCHERS = {
    "Open MPI": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "4"],
    "PMI": ["mpirun.mpich", "-n", "4"],
}


def main():
    program, ran = os.path.abspath(sys.argv[1]), 0
    for name, launcher in LAUNCHERS.items():
        if shutil.which(launcher[0]) is None:
            print(f"skipped: no {launcher[0]}")
            continue
        with tempfile.TemporaryDirectory() as temporary:
            scratch = pathlib.Path(temporary)
            folder = scratch / "shards"
            # Within a job of Slurm's its variables would win over nothing; here there are none.
            env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "OMPI_COMM", "PMI"))}
            subprocess.run(launcher + divided.command(program, "--shard", "auto", "--output", f"{folder}/"), check=True, env=env,
                           timeout=300)
            found = divided.headers(folder)
            assert sorted(h["shard"] for h in found) == ["1/4", "2/4", "3/4", "4/4"], found
            assert {h["cluster"]["launcher"] for h in found} == {name}, found
            divided.check_union(program, folder, scratch)
        print(f"{name}: 4 shards joined")
        ran += 1
    return 0 if ran > 0 else 77


if __name__ == "__main__":
    sys.exit(main())
