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
ASK = "apt-get install --assume-no --no-install-recommends ninja-build"
# What apt says when it is asked and answered no.
ASKED = LOG + (
    'case "$*" in *--assume-no*) echo "0 upgraded, 7 newly installed, 0 to remove and 3 not upgraded."; '
    'echo "Need to get 371 MB of archives."; '
    'echo "After this operation, 1,912 MB of additional disk space will be used."; exit 1 ;; esac'
)
ANNOUNCED = (
    "install_deps: installing ninja-build\ninstall_deps: 7 newly installed\n"
    "install_deps: 371 MB to download\ninstall_deps: 1,912 MB of additional disk space will be used\n"
)
# Debian's ONNX Runtime is not there; where the lists do not know it either, it is fetched elsewhere.
NO_ORT = 'case "$*" in *onnxruntime*) exit 1 ;; *) echo "install ok installed" ;; esac'
ORT = "libonnxruntime-dev"

# name; the fakes; argument; exit code; what the output holds; what was called, in order
CASES = [
    ("all there", {"dpkg-query": ALL_THERE, "apt-get": LOG, "id": "echo 1000"}, "run", 0, "", []),
    ("root", {"dpkg-query": NO_NINJA, "apt-get": LOG, "id": "echo 0"}, "run", 0, "",
     ["apt-get update -q", ASK, INSTALL]),
    ("announced", {"dpkg-query": NO_NINJA, "apt-get": ASKED, "id": "echo 0"}, "run", 0, ANNOUNCED,
     ["apt-get update -q", ASK, INSTALL]),
    ("Debian's ONNX Runtime", {"dpkg-query": NO_ORT, "apt-get": LOG, "apt-cache": "echo Package: x", "id": "echo 0"},
     "test", 0, "", ["apt-get update -q", ASK.replace("ninja-build", ORT), INSTALL.replace("ninja-build", ORT)]),
    ("only a wish, and no rights", {"dpkg-query": NO_ORT, "apt-get": LOG, "apt-cache": "echo Package: x", "id": "echo 1000"},
     "bench", 0, "without libonnxruntime-dev, which needs root", []),
    ("a release without it", {"dpkg-query": NO_ORT, "apt-get": LOG, "apt-cache": "exit 100", "id": "echo 0"},
     "bench", 0, "", []),
    ("a release where others provide it", {"dpkg-query": NO_ORT, "apt-get": LOG, "apt-cache": "exit 0", "id": "echo 0"},
     "bench", 0, "", []),
    ("removed, but not purged", {"dpkg-query": REMOVED_NINJA, "apt-get": LOG, "id": "echo 0"},
     "test", 0, "", ["apt-get update -q", ASK, INSTALL]),
    ("sudo", {"dpkg-query": NO_NINJA, "apt-get": LOG, "id": "echo 1000", "sudo": RUN}, "run", 0, "",
     ["sudo apt-get update -q", "apt-get update -q", ASK,
      "sudo env DEBIAN_FRONTEND=noninteractive " + INSTALL, INSTALL]),
    ("neither", {"dpkg-query": NO_NINJA, "apt-get": LOG, "id": "echo 1000"}, "run", 1,
     "needs root, and there is no sudo. As root, run:\n    apt-get install ninja-build\n", []),
    ("no network", {"dpkg-query": NO_NINJA, "apt-get": LOG + "exit 100", "id": "echo 0"}, "run", 1,
     "could not install ninja-build; install them by hand", ["apt-get update -q", ASK, INSTALL]),
    ("not Debian", {"id": "echo 0"}, "run", 0, "not a Debian system", []),
    ("only the formatter", {"dpkg-query": "exit 1", "apt-get": LOG, "id": "echo 0"}, "format", 0, "installing clang-format\n",
     ["apt-get update -q", ASK.replace("ninja-build", "clang-format"), INSTALL.replace("ninja-build", "clang-format")]),
    ("no argument", {"id": "echo 0"}, "", 2, "usage: tools/install_deps run|test|python|deb|format|check", []),
]


def run(fakes, argument, directory):
    for name, body in fakes.items():
        path = directory / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
    for name in ("sh", "env", "basename", "dirname", "sed"):
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
        if done.returncode != code or text not in done.stdout + done.stderr or calls != want:
            failed = True
            print(f"{name}: exit code {done.returncode}, want {code}; calls {calls}, want {want}")
            print(done.stdout + done.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
