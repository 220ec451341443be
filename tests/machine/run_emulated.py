#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A processor that an OpenBLAS of its suite does not know, emulated: Intel's family 6 model 207 without AVX-512.

usage: run_emulated.py PROGRAM SHOW_CAPS

The system's own OpenBLAS is asked. 0.3.21 takes Prescott's kernels there and has to be told Haswell; a newer one may
choose that by itself. Nothing else is right."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SHOW_CAPS = sys.argv[1:3]
CPU = "max,vendor=GenuineIntel,family=6,model=207,stepping=2"
MISSING = 77


def main():
    qemu = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
    if os.uname().machine != "x86_64":
        print("the emulated processor is an x86-64, and this system is for another one")
        sys.exit(MISSING)
    if qemu is None:
        print("there is no qemu-x86_64 here: apt-get install qemu-user")
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory(prefix="opbench-emulated-") as folder:
        # What is executed leaves the emulator, unless it is the emulator again.
        wrapper = pathlib.Path(folder, "opbench")
        wrapper.write_text(f'#!/bin/sh\nexec {qemu} -cpu {CPU} {PROGRAM} "$@"\n')
        wrapper.chmod(0o700)
        cache = os.path.join(folder, "cache")
        os.mkdir(cache)
        done = subprocess.run([qemu, "-cpu", CPU, SHOW_CAPS, str(wrapper), cache, "native,onednn"], text=True,
                              capture_output=True, check=False)
        print(done.stdout + done.stderr)
        if done.returncode != 0:
            sys.exit(1)
        caps = {cap["library"]: cap for cap in json.loads(done.stdout)}
        blas, dnn = caps["OpenBLAS"], caps["oneDNN"]
        if "own" not in blas:
            print("there is no OpenBLAS here")
            sys.exit(MISSING)
        chosen = blas["own"] if blas["by"] == "library" else blas.get("value")
        if chosen != "Haswell" or dnn["by"] != "library":
            sys.exit("not what that processor needs")


if __name__ == "__main__":
    main()
