#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The OpenCL backend through the program: records of late failures, the header, devices, missing libraries.

usage: test_opencl_run.py OPBENCH FAKE_OPENCL [no_device]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
CONFIG = {
    "torch.add": {
        "input_iterator": "RangeConfigIterator",
        "input_data_generator": "PyTorch:DefaultDataGenerator",
        "config": [{"input": [{"args": [{"type": "tensor", "dtype": "float", "shape": [32, 8]}] * 2}]}],
    },
    "torch.nn.functional.embedding": {
        "input_iterator": "RangeConfigIterator",
        "input_data_generator": "PyTorch:DefaultDataGenerator",
        "config": [
            {
                "input": [
                    {
                        "args": [
                            {"type": "tensor", "dtype": "long", "shape": [6], "low": 0, "high": 9},
                            {"type": "tensor", "dtype": "float", "shape": [10, 4]},
                        ]
                    }
                ]
            }
        ],
    },
}


def run(program, *words, **environment):
    return subprocess.run([program, *words], capture_output=True, text=True, env={**os.environ, **environment}, check=False)


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def check(condition, *told):
    if not condition:
        print("FAILED:", *told)
        sys.exit(1)


def check_fake(program, library, folder):
    """A kernel that fails late is a failed record; the run goes on and ends with 1."""
    out = folder / "late.json"
    words = ["run", "-c", folder / "config.json", "--backend", "opencl", "--backend-options", f"library={library}", "-w", "1",
             "-i", "3", "--output", out, "--force"]
    for fault, word in (("event", "CL_EXEC_STATUS_ERROR"), ("finish", "CL_OUT_OF_RESOURCES")):
        done = run(program, *words, FAKE_OPENCL=fault)
        check(done.returncode == 1, done.returncode, done.stdout, done.stderr)
        text = out.read_text()
        check(text.count('"status": "failed"') == 2, text)
        check(word in text and "as reported when waiting" in text, text)
    done = run(program, *words, FAKE_OPENCL="")
    check(done.returncode == 0, done.stdout, done.stderr)
    header = records(out)[0]
    check("fake device" in json.dumps(header) and '"driver_version": "7.1"' in json.dumps(header), header)
    done = run(program, *words, FAKE_OPENCL="devices")
    check(done.returncode != 0 and "pocl-opencl-icd" in done.stdout + done.stderr, done.stdout, done.stderr)
    done = run(program, *words, "--device", "opencl:4")
    check("there are: opencl:0 fake device" in done.stdout + done.stderr, done.stdout, done.stderr)


def check_missing(program, folder):
    """A broken library: the backend says what to install, the others work."""
    (folder / "libOpenCL.so.1").write_text("")
    done = run(program, "list", "backends", LD_LIBRARY_PATH=str(folder))
    check(done.returncode == 0 and "ocl-icd-libopencl1" in done.stdout, done.stdout, done.stderr)
    check("native" in done.stdout, done.stdout)
    (folder / "libOpenCL.so.1").unlink()


def check_modes(program, folder):
    """All modes on the device, beside the native backend, with right results before and after, of two sets of inputs."""
    out = folder / "modes.json"
    for mode in ("discrete", "continuous", "continuous_events"):
        done = run(program, "run", "-c", folder / "config.json", "--backend", "native,opencl", "--check", "-w", "1", "-i", "4",
                   "--exec-mode", mode, "--output", out, "--force")
        check(done.returncode == 0, mode, done.stdout, done.stderr)
        check(out.read_text().count('"status": "ok"') == 4, mode, out.read_text())
        checks = [(r["check"]["verdict"], r["check"]["again"], r["check"]["checked"]) for r in records(out) if "check" in r]
        want = [("same", "refilled", 2 * count) for count in (32 * 8, 32 * 8, 6 * 4, 6 * 4)]
        check(checks == want, mode, checks)


def check_roofline(program, folder):
    """The device's memory and the way to it have ceilings, and a case there stands below them."""
    ceilings, out = folder / "roofline.json", folder / "below.json"
    done = run(program, "roofline", "--backend", "opencl", "--num-threads", "1", "--budget", "0.1", "--json", "-o", ceilings)
    # Others may be at work, which it says.
    check(done.returncode == 0 and "error" not in done.stderr, done.stdout, done.stderr)
    rows = [row for row in map(json.loads, done.stdout.splitlines()) if row["of"] == "opencl:0"]
    check([row["kind"] for row in rows] == ["upload", "copy", "download"] + ["load", "triad"] * 3, rows)
    check(all(row["value"] > 0 and row["set"] == "opencl" for row in rows), rows)
    done = run(program, "run", "-c", folder / "config.json", "--backend", "opencl", "-w", "1", "-i", "4", "--roofline", ceilings,
               "--output", out, "--force")
    check(done.returncode == 0, done.stdout, done.stderr)
    check(out.read_text().count('"attainable_by": "overhead"') == 2, out.read_text())


def main():
    program, library = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        check_fake(program, library, folder)
        check_missing(program, folder)
        if "no_device" in sys.argv[3:]:
            return 0
        probe = run(program, "list", "backends", "--format", "json").stdout
        if "pocl-opencl-icd" in probe:
            print("skipped: no device:", probe)
            return SKIP
        check_modes(program, folder)
        check_roofline(program, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
