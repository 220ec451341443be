# SPDX-License-Identifier: Apache-2.0
"""A control group whose processes may have a share of one CPU, whichever version of control groups this machine has."""

import os
import pathlib

PERIOD_US = 50000  # quotas below 1000 are refused
ROOTS = {1: pathlib.Path("/sys/fs/cgroup/cpu"), 2: pathlib.Path("/sys/fs/cgroup")}


class Quota:
    def __init__(self, share):
        version = 1 if (ROOTS[1] / "cpu.cfs_period_us").exists() or (ROOTS[1] / "tasks").exists() else 2
        quota = int(share * PERIOD_US)
        self.limits = ({"cpu.cfs_period_us": PERIOD_US, "cpu.cfs_quota_us": quota} if version == 1 else
                       {"cpu.max": f"{quota} {PERIOD_US}"})
        self.path = ROOTS[version] / f"opbench-test-{os.getpid()}"
        self.file = self.path / "cgroup.procs"  # takes the numbers of processes

    def open(self):
        """Why there can be none, or None."""
        try:
            self.path.mkdir()
        except OSError as error:
            return f"no control group can be made: {error}"
        try:
            for name, value in self.limits.items():
                (self.path / name).write_text(str(value))
        except OSError as error:
            self.path.rmdir()
            return f"no control group can limit a CPU: {error}"
        return None

    def close(self):
        """What the group still has goes where it came from, so that the group can go."""
        for process in self.file.read_text().split():
            try:
                (self.path.parent / "cgroup.procs").write_text(process)
            except OSError:
                pass
        self.path.rmdir()
