#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opbench doctor in a control group with a real CPU quota, of version 1 or 2, whichever the machine has. Making one takes root.

usage: run_quota.py OPBENCH
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
PERIOD = 100000


class Group:
    """A control group of our own; set() is its quota in CPUs."""

    def __init__(self, folder, quota_file):
        self.folder, self.quota_file = folder, folder / quota_file
        folder.mkdir()

    def set(self, cpus):
        quota = int(cpus * PERIOD)
        if self.quota_file.name == "cpu.max":
            self.quota_file.write_text(f"{quota} {PERIOD}")
        else:
            (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD))
            self.quota_file.write_text(str(quota))

    def start(self, words, **more):
        def enter():
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

        return subprocess.Popen(words, preexec_fn=enter, text=True, **more)  # pylint: disable=subprocess-popen-preexec-fn

    def run(self, *words, **variables):
        with self.start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **variables}) as process:
            out, errors = process.communicate()
        return process.returncode, out, errors


def make_group():
    """One of this process' own group; why there is none."""
    name = f"opbench_test_{os.getpid()}"
    why = "there is no /proc/self/cgroup with a cpu controller"
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(","):
            bases, file = [pathlib.Path("/sys/fs/cgroup", controllers), pathlib.Path("/sys/fs/cgroup/cpu")], "cpu.cfs_quota_us"
        elif controllers == "":
            bases, file = [pathlib.Path("/sys/fs/cgroup")], "cpu.max"
        else:
            continue
        for base in bases:
            folder = base / path.lstrip("/") / name
            try:
                group = Group(folder, file)
            except OSError as error:
                why = str(error)
                continue
            try:
                group.set(0.5)
                return group, None
            except OSError as error:
                why = str(error)
                folder.rmdir()
    return None, why


def check(condition, *told):
    if not condition:
        print("FAILED:", *told)
        raise SystemExit(1)


def find(out):
    rows = {row["check"]: row for row in map(json.loads, out.splitlines())}
    return rows["CPU quota"]


def check_doctor(group, program):
    cpus = len(os.sched_getaffinity(0))
    code, out, errors = group.run(program, "doctor", "--json", "--seconds", "0", OPBENCH_DOCTOR="")
    row = find(out)
    check(row["level"] == "bad" and code == 1, code, row, errors)
    check(row["found"] == f"0.50 CPUs of {cpus} ({group.quota_file})", row)
    check("--num-threads 1" in row["fix"] and "100 ms" in row["cost"], row)
    group.set(cpus + 1)
    _, out, errors = group.run(program, "doctor", "--json", "--seconds", "0")
    row = find(out)
    check(row["level"] == "ok" and row["found"] == f"{cpus + 1}.00 CPUs, for {cpus} that may be used", row, errors)


def check_used_up(group, program):
    """A process that computes uses up a twentieth of a CPU in every period, and the kernel stops the group."""
    group.set(0.05)
    with group.start([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            code, out, errors = group.run(program, "doctor", "--json", "--seconds", "2")
        finally:
            busy.kill()
    row = find(out)
    check(row["level"] == "bad" and code == 1, code, row, errors)
    check(row["found"].startswith("0.05 CPUs of ") and row["found"].endswith("it was used up during the check"), row)


def check_run(group, program):
    """Before a measurement it is said once, and is in the header."""
    group.set(0.5)
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "out.json")
        code, _, errors = group.run(program, "time", "--backend", "null", "--op", "torch.relu", "f32[4]", "-o", output,
                                    OPBENCH_DOCTOR="on", OPBENCH_ROOFLINE="off")
        check(code == 0, code, errors)
        check(errors.count("this machine is not fit for measuring:") == 1 and "CPU quota (0.50 CPUs of " in errors, errors)
        header = json.loads(output.read_text().splitlines()[0])
        levels = {row["check"]: row["level"] for row in header["sys_info"]["findings"]}
        check(levels.get("CPU quota") == "bad", header["sys_info"]["findings"])


def main():
    program = os.path.abspath(sys.argv[1])
    group, why = make_group()
    if group is None:
        print("skipped: a control group with a CPU quota cannot be made here, which takes root and a cpu controller:", why)
        return SKIP
    print("in", group.folder)
    try:
        check_doctor(group, program)
        check_used_up(group, program)
        check_run(group, program)
    finally:
        group.folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
