#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces that are cut off, corrupt or made to do harm: an error with its place, or a skipped node with its
reason; never a crash, never unbounded memory."""
import argparse
import gzip
import io
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import checks  # noqa: E402
import replayed  # noqa: E402
from checks import check  # noqa: E402

MEMORY = 2 << 30


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(options, *words):
    return subprocess.run([options.program, *words], capture_output=True, text=True, errors="replace", timeout=250,
                          preexec_fn=None if options.no_limit else limit)


RELU = "aten::relu(Tensor self) -> Tensor"


def node(number, value, shape, parent=1, kind="Tensor(float)", schema=RELU, strides=None):
    inputs = {"values": [value], "shapes": [shape], "types": [kind]}
    if strides is not None:
        inputs["strides"] = [strides]
    return {"id": number, "name": schema.split("(")[0], "ctrl_deps": parent, "inputs": inputs,
            "outputs": {"values": [], "shapes": [], "types": []},
            "attrs": [{"name": "op_schema", "type": "string", "value": schema}]}


def trace(*nodes):
    return json.dumps({"schema": "1.1.1-chakra.0.0.4", "nodes": list(nodes)}).encode()


def good(number=2):
    return node(number, [10, 11, 0, 6, 4, "cuda:0"], [2, 3])


def replay(options, path):
    got = run(options, "replay", path, "--backend", "native", "-w", "0", "-i", "1", "--json", "--max-memory", "512")
    summary = replayed.summary(got.stdout) if got.stdout else None
    return got, summary


def test_refused(options, folder):
    """Files that are no traces: exit 2 and a message with the file's name."""
    whole = trace(good())
    packed = gzip.compress(whole)
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as file:
        info = tarfile.TarInfo("readme.txt")
        info.size = 3
        file.addfile(info, io.BytesIO(b"hey"))
    cases = {
        "empty": b"", "blank": b"   \n", "cut": whole[:-7], "cut_gzip": packed[:-9],
        "bad_gzip": packed[:20] + b"xxxxxxxx" + packed[28:], "no_json_in_tar": tar.getvalue(),
        "binary": bytes(range(256)) * 20, "list_of_numbers": b"[1, 2", "nodes_of_numbers": b'{"nodes": [1]}',
        "deep": b'{"nodes": [' + b"[" * 100000, "no_id": b'{"nodes": [{"name": "x"}]}',
        "bomb": gzip.compress(b'{"nodes": [' + b" " * (300 << 20) + b"]}"),
        "long_string": b'{"nodes": [{"id": 1, "name": "' + b"a" * (70 << 20) + b'"}]}',
    }
    for name, data in cases.items():
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        for command in (["trace"], ["convert"], ["replay", "--backend", "native"]):
            got = run(options, *command, path)
            check(got.returncode == 2, "%s %s: exit code %d\n%s" % (command[0], name, got.returncode, got.stderr))
            check(name in got.stderr, "%s %s: the message lacks the file: %s" % (command[0], name, got.stderr))


def test_skipped(options, folder):
    """Nodes that cannot be called are skipped; the others run."""
    cases = {
        "huge_shape": node(3, [12, 13, 0, 10**24, 4, "cpu"], [10**12, 10**12]),
        "too_large": node(3, [12, 13, 0, 10**12, 4, "cpu"], [10**12]),
        "negative_size": node(3, [12, 13, 0, 6, 4, "cpu"], [-2, 3]),
        "far_offset": node(3, [12, 13, 2**62, 6, 4, "cpu"], [2, 3]),
        "negative_offset": node(3, [12, 13, -5, 6, 4, "cpu"], [2, 3]),
        "far_stride": node(3, [12, 13, 0, 6, 4, "cpu"], [2, 3], strides=[2**61, 2**60]),
        "unknown_type": node(3, [12, 13, 0, 6, 4, "cpu"], [2, 3], kind="Tensor(quint8)"),
        "object": node(3, "x", [], kind="Object"),
        "bad_schema": node(3, [12, 13, 0, 6, 4, "cpu"], [2, 3], schema="aten::relu((((("),
        "many_dims": node(3, [12, 13, 0, 1, 4, "cpu"], [1] * 40),
    }
    for name, odd in cases.items():
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(trace(good(), odd))
        got, summary = replay(options, path)
        check(summary is not None and got.returncode in (0, 1), "%s: %d %s" % (name, got.returncode, got.stderr))
        if summary is None:
            continue
        check(summary["coverage"]["ran"] >= 1, "%s: the good call did not run: %s" % (name, summary["skipped"]))
        if name != "bad_schema":
            check(len(summary["skipped"]) == 1, "%s: skipped %s" % (name, summary["skipped"]))
        got = run(options, "convert", path)
        check(got.returncode == 0, "convert %s: %s" % (name, got.stderr))
        json.loads(got.stdout)


def test_links(options, folder):
    """Cycles, self-parents and ids out of range change nothing about the calls."""
    path = os.path.join(folder, "links")
    nodes = [good(2), good(3), good(4), good(5), good(2**62)]
    for one, parent in zip(nodes, (3, 2, 4, 10**18, -(2**62))):
        one["ctrl_deps"] = parent
    with open(path, "wb") as file:
        file.write(trace(*nodes))
    got, summary = replay(options, path)
    check(summary["coverage"]["ran"] == 4, "%s" % summary["coverage"])  # 3 is below 2, a call itself
    check("missing or started after" in got.stderr, got.stderr)
    check(run(options, "trace", path, "--tree").returncode == 0, "the tree of odd links")


def test_deep_tree(options, folder):
    """A chain of 200,000 nodes is walked without recursion."""
    path = os.path.join(folder, "chain")
    with open(path, "w") as file:
        file.write('{"schema": "1.0.2-chakra.0.0.4", "nodes": [')
        file.write(",".join('{"id":%d,"ctrl_deps":%d,"name":"n"}' % (i, max(i - 1, 1)) for i in range(1, 200001)))
        file.write("]}")
    got = run(options, "trace", path, "--tree")
    check(got.returncode == 0 and got.stdout.count("\n") == 200000, "the deep tree: %s" % got.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--no-limit", action="store_true", help="for sanitizers, which map terabytes")
    options = parser.parse_args()
    with open(options.program, "rb") as file:
        options.no_limit = options.no_limit or b"__asan_init" in file.read()
    for test in (test_refused, test_skipped, test_links, test_deep_tree):
        with tempfile.TemporaryDirectory() as folder:
            test(options, folder)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
