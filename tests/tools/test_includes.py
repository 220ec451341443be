#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_includes finds every wrong include of the fixture and every start of a process, no other, and fails."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parent.parent / "tools" / "check_includes"

WANT = [
    "include/opbench/bad.h:2: error: includes src/base/low.h: public headers may include "
    "include/opbench only",
    "src/base/low.c:3: error: includes src/op/row.h: src/base is above src/op: a layer never "
    "includes one below it",
    'src/config/model.h:3: error: "lost.h" is not a file of this tree',
    "src/novel/new.c:1: error: src/novel is not a layer; add it to LAYERS in tools/check_includes",
    "src/op/row.c:2: error: includes src/config/model.h: src/op is above src/config: a layer never "
    "includes one below it",
    "cli/main.c:4: error: includes src/base/low.h: cli may include include/opbench and its own "
    "folder only",
    "backends/two/two.c:2: error: includes backends/one/one.h: backends/two may include "
    "include/opbench and its own folder only",
    "backends/two/two.c:3: error: includes src/op/row.h: backends/two may include include/opbench "
    "and its own folder only",
    *(f"cli/starts.c:{line}: error: '{word}' starts a process: use src/process/process.h"
      for line, word in ((11, "vfork"), (11, "execvp"), (11, "posix_spawnp"), (11, "system"), (12, "SYS_clone"),
                         (12, "CLONE_VM"), (14, "fork"))),
    *(f"runners/python/starts.py:{line}: error: '{word}' starts a process: use src/process/process.h"
      for line, word in ((4, "subprocess"), (6, "os.execv"))),
]


def main():
    done = subprocess.run(
        [sys.executable, str(TOOL), str(HERE / "include_fixture")],
        capture_output=True,
        text=True,
        check=False,
    )
    got = done.stdout.splitlines()
    failed = False
    for line in got:
        if line not in WANT:
            failed = True
            print(f"not wanted: {line}")
    for line in WANT:
        if line not in got:
            failed = True
            print(f"not found: {line}")
    if done.returncode != 1:
        failed = True
        print(f"exit code is {done.returncode}, want 1")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
