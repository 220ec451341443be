#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python parts of docs/python_running.md run, one after the other, as a reader would type them.

usage: test_run_docs.py [OPBENCH]
"""

import os
import pathlib
import re
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, exit_code  # noqa: E402

import opbench  # noqa: E402

PAGE = HERE.parent.parent / "docs/python_running.md"


def main():
    warnings.simplefilter("ignore", opbench.OpbenchWarning)
    parts = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    check(len(parts) >= 6, f"{len(parts)} parts; are they still marked?")
    names = {"__name__": "page"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in parts:
            exec(compile(part, PAGE.name, "exec"), names)  # noqa: S102
        check(pathlib.Path("softmax.json").exists(), "what it saves is there")
        os.chdir("/")
    columns = re.search(r"a row for each case and pass: ([^.]*)\.", PAGE.read_text(encoding="utf-8"))[1].split(", ")
    from opbench._result import _COLUMNS

    check(columns == [name for name, _, _ in _COLUMNS], f"the columns of a frame are listed: {columns}")
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
