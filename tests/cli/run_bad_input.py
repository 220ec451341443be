#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile configs through the real program: an error with its place and exit code 2, never a crash, never
more than a fixed amount of memory.

usage: run_bad_input.py OPBENCH
"""
import functools
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

MEMORY = 300 << 20
BRIEF = "OPBENCH_TEST_BRIEF" in os.environ  # a part of what is alike
HERE = os.path.dirname(os.path.abspath(__file__))
FRAME = ('{"torch.add": {"input_data_generator": "PyTorch:DefaultDataGenerator", '
         '"config": [{"input": [{"args": [%s]}]}]}}')
failures = []


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@functools.cache
def sanitized(opbench):
    """AddressSanitizer reserves terabytes of address space; its own runs go without the limit."""
    with open(opbench, "rb") as file:
        return b"__asan_init" in file.read()


def run(opbench, pieces, memory=True):
    """Feeds the pieces to `opbench expand -c -`; returns exit code, stdout, stderr."""
    bounded = memory and not sanitized(opbench)
    process = subprocess.Popen([opbench, "expand", "-c", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=limited if bounded else None)
    try:
        for piece in pieces:
            process.stdin.write(piece)
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdin = None
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err.decode("utf-8", "replace")


def refuse(opbench, name, pieces, says, place=None):
    code, out, err = run(opbench, pieces)
    if code != 2 or out:
        failures.append(f"{name}: exit code {code}, {len(out)} bytes on standard output, {err!r}")
    first = err.splitlines()[0] if err else ""
    match = re.match(r"<stdin>:(\d+:\d+): error: (\.\S*): (.+)", first)
    if not match:
        failures.append(f"{name}: no FILE:LINE:COL: error: PATH: ... but {first!r}")
    elif says not in match.group(3):
        failures.append(f"{name}: {first!r} does not say {says!r}")
    elif place and match.group(1) != place:
        failures.append(f"{name}: at {match.group(1)}, not at {place}")


def main():
    opbench = os.path.abspath(sys.argv[1])
    config = open(os.path.join(HERE, "configs", "baddbmm.json"), "rb").read()

    refuse(opbench, "empty", [b""], "the text is empty")
    refuse(opbench, "100,000 brackets", [b"[" * 100_000], "nested deeper than", "1:257")
    refuse(opbench, "100,000 objects", [b'{"a":' * 100_000], "nested deeper than")
    megabyte = b"x" * (1 << 20)
    refuse(opbench, "1 GB string", [b'{"', *([megabyte] * 1024), b'": 1}'], "longer than 16777216 bytes", "1:2")
    refuse(opbench, "1 GB number", [b"[", *([b"1" * (1 << 20)] * 1024)], "longer than 1024 characters", "1:2")
    refuse(opbench, "1 GB of blanks", [*([b" \n" * (1 << 19)] * 1024)], "the text is empty")
    refuse(opbench, "an endless list", [b"[", *([b"1," * (1 << 19)] * 64)], "")
    refuse(opbench, "NaN", [FRAME.encode() % b'{"type": "float", "value": NaN}'], "'NaN' is not JSON", "1:131")
    refuse(opbench, "invalid UTF-8", [b'{"\xff": 1}'], "not valid UTF-8", "1:3")
    refuse(opbench, "UTF-16", ['{"a": 1}'.encode("utf-16")], "unexpected byte 0xFF", "1:1")
    refuse(opbench, "duplicate key", [b'{"a": {},\n "a": {}}'], 'the key "a" appears twice', "2:2")
    refuse(opbench, "a zip file", [b"PK\x03\x04" + bytes(100)], "is not JSON", "1:1")
    refuse(opbench, "an ELF file", [open(opbench, "rb").read(4096)], "unexpected byte 0x7F", "1:1")
    refuse(opbench, "zeros", [bytes(4096)], "unexpected byte 0x00", "1:1")
    shape = '{"type": "tensor", "dtype": "float", "shape": %s}'
    for text in ("[9223372036854775807, 2]", "[4294967296, 4294967296]", "[0, 9223372036854775807, 9]"):
        refuse(opbench, "shape " + text, [(FRAME % (shape % text)).encode()], "does not fit 64 bits")
    refuse(opbench, "bytes", [(FRAME % (shape % "[2305843009213693952]")).encode()], "bytes")
    refuse(opbench, "a dimension of 2^63", [(FRAME % (shape % "[9223372036854775808]")).encode()], "64-bit integer")

    # Cut at every byte: inside every kind of token.
    for length in range(0, len(config.rstrip()), 4 if BRIEF else 1):
        code, out, err = run(opbench, [config[:length]], memory=False)
        if code != 2 or out or " error: " not in err:
            failures.append(f"cut at {length}: exit code {code}, {err!r}")
    # One byte changed at random places: refused or accepted, but never a crash.
    rng = random.Random(7)
    for _ in range(50 if BRIEF else 200):
        broken = bytearray(config)
        broken[rng.randrange(len(broken))] = rng.randrange(256)
        code, _, err = run(opbench, [bytes(broken)], memory=False)
        if code not in (0, 2):
            failures.append(f"a changed byte: exit code {code}, {err!r}, {bytes(broken)!r}")

    with tempfile.TemporaryDirectory() as folder:
        for path in (os.path.join(folder, "absent.json"), folder):
            done = subprocess.run([opbench, "expand", "-c", path], capture_output=True, text=True, check=False)
            if done.returncode != 2 or done.stdout or not done.stderr.startswith(path + ": error: cannot be "):
                failures.append(f"{path}: exit code {done.returncode}, {done.stderr!r}")

    for failure in failures:
        print("FAIL " + failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
