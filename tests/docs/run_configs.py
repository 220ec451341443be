#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the config that docs/configs.md begins with, as it stands: every case is measured, and nothing is
said against it.

usage: run_configs.py OPBENCH
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "configs.md"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    config = re.search(r"^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)[1]
    with tempfile.TemporaryDirectory() as name:
        records = pathlib.Path(name) / "records.json"
        done = subprocess.run([program, "run", "-c", "-", "--output", records], input=config,
                              capture_output=True, text=True, check=False)
        lines = records.read_text(encoding="utf-8").splitlines() if records.exists() else []
    found = [(r["status"], r["config"]["build"]["args"][1]["value"]) for r in map(json.loads, lines)
             if "op_name" in r]
    if done.returncode != 0 or done.stderr or found != [("ok", n) for n in (16, 32, 48)]:
        sys.exit(f"exit code {done.returncode}, cases {found}\n{done.stdout}{done.stderr}")
    print("run_configs: the example runs as the page says")


if __name__ == "__main__":
    main()
