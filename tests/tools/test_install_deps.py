#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/install_deps with a faked package system: what it asks for, when, and what it says."""

import os
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "install_deps"

ALL_THERE = 'echo "install ok installed"'
NO_NINJA = 'case "$*" in *ninja-build*) exit 1 ;; *) echo "install ok installed" ;; esac'
REMOVED_NINJA = (
    'case "$*" in *ninja-build*) echo "deinstall ok config-files" ;; '
    '*) echo "install ok installed" ;; esac'
)
LOG = 'echo "$(basename "$0") $*" >> "$LOG"\n'
RUN = LOG + 'exec "$@"'
INSTALL = "apt-get install -y -q --no-install-recommends ninja-build"

# name; the fakes; argument; exit code; what standard error holds; what was called, in order
CASES = [
    ("all there", {"dpkg-query": ALL_THERE, "apt-get": LOG, "id": "echo 1000"}, "run", 0, "", []),
    ("root", {"dpkg-query": NO_NINJA, "apt-get": LOG, "id": "echo 0"}, "run", 0, "",
     ["apt-get update -q", INSTALL]),
    ("removed, but not purged", {"dpkg-query": REMOVED_NINJA, "apt-get": LOG, "id": "echo 0"},
     "test", 0, "", ["apt-get update -q", INSTALL]),
    ("sudo", {"dpkg-query": NO_NINJA, "apt-get": LOG, "id": "echo 1000", "sudo": RUN}, "run", 0, "",
     ["sudo apt-get update -q", "apt-get update -q",
      "sudo env DEBIAN_FRONTEND=noninteractive " + INSTALL, INSTALL]),
    ("neither", {"dpkg-query": NO_NINJA, "apt-get": LOG, "id": "echo 1000"}, "run", 1,
     "needs root, and there is no sudo. As root, run:\n    apt-get install ninja-build\n", []),
    ("no network", {"dpkg-query": NO_NINJA, "apt-get": LOG + "exit 100", "id": "echo 0"}, "run", 1,
     "could not install ninja-build; install them by hand", ["apt-get update -q", INSTALL]),
    ("not Debian", {"id": "echo 0"}, "run", 0, "not a Debian system", []),
    ("no argument", {"id": "echo 0"}, "", 2, "usage: tools/install_deps run|test", []),
]


def run(fakes, argument, directory):
    for name, body in fakes.items():
        path = directory / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
    for name in ("sh", "env", "basename"):
        (directory / name).symlink_to(f"/usr/bin/{name}")
    log = directory / "log"
    environment = {"PATH": str(directory), "LOG": str(log)}
    command = ["/bin/sh", str(TOOL)] + ([argument] if argument else [])
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    calls = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return done, calls


def main():
    if not os.path.exists("/usr/bin/env"):
        print("skipped: no /usr/bin/env")
        return 77
    failed = False
    for name, fakes, argument, code, text, want in CASES:
        with tempfile.TemporaryDirectory() as directory:
            done, calls = run(fakes, argument, pathlib.Path(directory))
        if done.returncode != code or text not in done.stderr or calls != want:
            failed = True
            print(f"{name}: exit code {done.returncode}, want {code}; calls {calls}, want {want}")
            print(done.stdout + done.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
