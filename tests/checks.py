# SPDX-License-Identifier: Apache-2.0
"""What the test scripts that go on after a failure share: failures are printed, counted, and make the exit code."""
import json
import subprocess
import sys

SKIPPED = 77  # ctest's word for a test that could not run here
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("failed: " + what, file=sys.stderr)


def exit_code():
    print("%d failures" % failures)
    return 1 if failures else 0


def has_backend(program, name):
    got = subprocess.run([program, "list", "backends", "--json"], capture_output=True, text=True, check=False, timeout=600)
    rows = [json.loads(line) for line in got.stdout.splitlines()]
    return any(row.get("name") == name and row.get("available") for row in rows)
