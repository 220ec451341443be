# SPDX-License-Identifier: Apache-2.0
"""`python -m opbench ...` runs the program, which replaces this process."""

import os
import sys

from opbench import Error
from opbench._program import program_path


def main():
    try:
        path = program_path()
    except Error as error:
        print(f"opbench: error: {error}", file=sys.stderr)
        return 2
    try:
        os.execv(path, ["opbench", *sys.argv[1:]])
    except OSError as error:
        print(f"opbench: error: {path}: {error.strerror}; set OPBENCH_PROGRAM to the program's path", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
