# SPDX-License-Identifier: Apache-2.0
"""Iterators and generators of a plug-in that is not opbench's own, whose code no process may load that the user started: configs
with them are expanded and run all the same, and one that crashes, hangs, ends its process or tells nonsense is an error that
names the plug-in and the line of the config.

usage: test_walks.py PROGRAM FIXTURES [unittest's options]"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

LIMIT_S = 60 * int(os.environ.get("OPBENCH_TEST_PATIENCE", "1"))
program = fixtures = None

CONFIG = """{"torch.neg": {
"input_iterator": "%s", "input_data_generator": "%s", %s
"config": [{%s
"input": [
%s
]}]}}
"""
ENTRY = '{"args": [{"type": "tensor", "dtype": "float", "shape": [4]}]%s}'
WALKED = '{"args": [{"type": "walked"%s}]%s}'
DEFAULT = "PyTorch:DefaultDataGenerator"


def does(**functions):
    return ', "does": ' + json.dumps(functions)


def frame(data, kind=16, version=1):  # WALKED, as src/process/wire.h counts
    mark, size = 0x4F424D53, len(data)
    check = (mark ^ (kind * 2654435761) ^ (size * 40503)) & 0xFFFFFFFF
    return struct.pack("=IHHII", mark, version, kind, size, check) + data


class Walks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-walks-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(self.path("plugins"), 0o755)
        shutil.copy(os.path.join(fixtures, "walks.so"), self.path("plugins"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_it(self, entries, *words, iterator="WalksIterator", generator=DEFAULT, more="", build=""):
        with open(self.path("config.json"), "w", encoding="utf-8") as file:
            file.write(CONFIG % (iterator, generator, more, build, ",\n".join(entries)))
        variables = dict(os.environ, OPBENCH_PLUGIN_PATH=self.path("plugins"), OPBENCH_TEST_PARENT=str(os.getpid()),
                         OPBENCH_TEST_ONCE=self.path("once"), OPBENCH_DOCTOR="quiet")
        command, *options = words or ("expand",)
        return subprocess.run([program, command, "-c", "config.json", *options], env=variables, capture_output=True, text=True,
                              check=False, timeout=LIMIT_S, cwd=self.folder)

    def works(self, *args, **kwargs):
        result = self.run_it(*args, **kwargs)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def fails(self, *args, **kwargs):
        result = self.run_it(*args, **kwargs)
        self.assertEqual(result.returncode, 2, (result.stdout, result.stderr))
        return result.stderr

    def ids(self, *args, **kwargs):
        return [json.loads(line)["id"] for line in self.works(*args, **kwargs).splitlines()]

    def test_works(self):
        entries = [ENTRY % "", ENTRY % ', "id": "second"', ENTRY % ""]
        self.assertEqual(self.ids(entries), ["0|0|w0", "0|0|second", "0|0|w2"])
        shown = json.loads(self.works(entries).splitlines()[1])
        self.assertEqual(shown["input"], json.loads(entries[1]))
        self.assertIn("w2", self.works(entries, "run", "-w", "1", "-i", "2", "--backend", "null"))
        self.assertEqual(self.ids([WALKED % ("", "")] * 2, generator="WalksGenerator"), ["0|0|w0", "0|0|w1"])
        self.assertIn("w1", self.works([WALKED % ("", "")] * 2, "run", "-w", "1", "-i", "2", "--backend", "native",
                                       generator="WalksGenerator"))

    def test_after_build(self):
        build = '"build": [' + ENTRY % "" + ", " + ENTRY % "" + "],"
        more = '"build_iterator": "WalksIterator", "build_data_generator": "%s",' % DEFAULT
        self.assertEqual(self.ids([ENTRY % "", ENTRY % ""], iterator="WalksAfterBuild", more=more, build=build),
                         ["0|w0|w0", "0|w0|w1", "0|w1|w0", "0|w1|w1"])

    def test_as_in_one_process(self):
        """With --no-isolate the code is in the program once a backend is open; its results are the same."""
        words = ("run", "-w", "1", "-i", "2", "--backend", "null", "--format", "csv", "--quiet")
        entries = [ENTRY % "", ENTRY % ""]
        apart = self.works(entries, *words).splitlines()
        variables = dict(os.environ, OPBENCH_PLUGIN_PATH=self.path("plugins"), OPBENCH_DOCTOR="quiet")
        together = subprocess.run([program, words[0], "-c", "config.json", *words[1:], "--no-isolate"], env=variables,
                                  capture_output=True, text=True, check=True, timeout=LIMIT_S, cwd=self.folder)
        self.assertEqual([line.split(",")[:3] for line in together.stdout.splitlines()],
                         [line.split(",")[:3] for line in apart])

    def test_dies(self):
        ends = {"crash": "crashed (Segmentation fault)", "exit": "ended its process (exit code 7)"}
        functions = {"validate": "checked", "open": "began with", "count": "began with", "at": "made an item of"}
        for function, doing in functions.items():
            for what, end in ends.items():
                with self.subTest(function=function, what=what):
                    told = self.fails([ENTRY % does(**{function: what})])
                    self.assertIn(f"config.json:4:10: error: .\"torch.neg\".config[0].input: plug-in 'walks' {end} when its "
                                  f"iterator 'WalksIterator' {doing} \"input\"; fix it, or remove "
                                  f"{self.path('plugins')}/walks.so", told)
        for where, doing, place in (("check", 'checked an argument of type "walked"', ".args[0]"), ("entry", 'checked "args"', "")):
            with self.subTest(where=where):
                bad = does(**{where: "crash"})
                told = self.fails([WALKED % ((bad, "") if place else ("", bad))], generator="WalksGenerator",
                                  iterator="DefaultConfigIterator")
                self.assertIn(f"config.json:5:{11 if place else 1}: error: .\"torch.neg\".config[0].input[0]{place}: plug-in "
                              f"'walks' crashed (Segmentation fault) when its generator 'WalksGenerator' {doing}; fix", told)

    def test_dies_later(self):
        """The first items are good: the run ends with the error, and what was measured is kept."""
        entries = [ENTRY % "", ENTRY % "", ENTRY % does(at="crash")]
        result = self.run_it(entries)
        self.assertEqual(len(result.stdout.splitlines()), 2)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("config.json:4:10: ", result.stderr)
        self.assertIn("plug-in 'walks' crashed (Segmentation fault) when its iterator 'WalksIterator' made an item of", result.stderr)
        self.assertIn("'WalksIterator' ended with \"input\"", self.fails([ENTRY % does(close="crash")]))

    def test_hangs(self):
        told = self.fails([ENTRY % does(at="hang")])
        self.assertIn("config.json:4:10: ", told)
        self.assertIn("plug-in 'walks' did not answer within 20 s when its iterator 'WalksIterator' made an item of", told)

    def test_nonsense(self):
        answer = '{"number": %d, "warnings": [], "error": {"code": 0}%s}'
        item = ', "id": %s, "entry": %s'
        for said in (b"no frame at all, but text enough for a head",
                     frame(b"{"), frame(b"[]"), frame(b"[" * 5000), frame(b"{}"), frame(b"x" * 100, kind=3),
                     frame((answer % (99, "")).encode()),
                     frame((answer % (3, item % ('"a\\u001bb"', "[1, 1, 1]"))).encode()),
                     frame((answer % (3, item % ('"' + "i" * 64 + '"', "[1, 1, 1]"))).encode()),
                     frame((answer % (3, item % ("7", "[1, 1, 1]"))).encode()),
                     frame((answer % (3, item % ('"i"', "[{}, 1]"))).encode()),
                     frame((answer % (3, item % ('"i"', "[{}, 1, -1]"))).encode()),
                     frame((answer % (3, item % ('"i"', "[{}, 1, 1, 1]"))).encode()),
                     frame((answer % (3, item % ('"i"', "[]"))).encode())):
            with self.subTest(said=said[:100]):
                with open(self.path("once"), "wb") as file:
                    file.write(said)
                told = self.fails([ENTRY % does(at="say"), ENTRY % ""])
                self.assertIn("plug-in 'walks' gave a malformed answer when its iterator 'WalksIterator' made an item of \"input\"", told)

    def test_says_no(self):
        """What it refuses is told where the config has it, in one line."""
        told = self.fails([ENTRY % "", ENTRY % does(validate="fail")])
        self.assertIn(f"config.json:6:{len(ENTRY % '') + 23}: error: ", told)
        self.assertIn("validate is told to fail?", told)
        told = self.fails([WALKED % (does(check="fail"), "")], generator="WalksGenerator", iterator="DefaultConfigIterator")
        self.assertIn("config.json:5:48: error: ", told)
        self.assertIn("check is told to fail?", told)
        result = self.run_it([ENTRY % does(validate="warn")])
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("a warning of validate"), 1)


if __name__ == "__main__":
    program, fixtures = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
