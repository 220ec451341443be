#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The unit tests of the store once more, with a PostgreSQL server. usage: run_postgres.py TEST_PROGRAM..."""

import os
import subprocess
import sys

import postgres_server


def main():
    postgres_server.stop_cleanly()
    failed = 0
    with postgres_server.running() as make_database:
        for program in sys.argv[1:]:
            environment = {**os.environ, "OPBENCH_TEST_DATABASE": make_database()}
            failed += subprocess.run([program], env=environment, check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
