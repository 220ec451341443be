# SPDX-License-Identifier: Apache-2.0
"""A plug-in that is not opbench's own, whose code no process may load that the user started: it is listed, runs, is timed and
checked all the same; and one that tells nonsense of itself, or kills its parent, is refused alone.

usage: test_apart.py PROGRAM FIXTURES [unittest's options]"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

LIMIT_S = 60 * int(os.environ.get("OPBENCH_TEST_PATIENCE", "1"))
CONFIG = {name: {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": [
    {"args": [{"type": "tensor", "dtype": "float", "shape": [4]}]}]}]} for name in ("torch.neg", "apart.same")}
PLUGIN, FAILED, PARTS = 12, 8, 11  # as src/process/wire.h counts them
program = fixtures = None


def frame(kind, data, size=None):
    mark, size = 0x4F424D53, len(data) if size is None else size
    check = (mark ^ (kind * 2654435761) ^ (size * 40503)) & 0xFFFFFFFF
    return struct.pack("=IHHII", mark, 1, kind, size, check) + data


class Apart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-apart-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        plugins = self.path("plugins")
        os.mkdir(plugins, 0o755)
        shutil.copy(os.path.join(fixtures, "apart.so"), plugins)
        with open(self.path("config.json"), "w", encoding="utf-8") as file:
            json.dump(CONFIG, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_it(self, death, *words):
        variables = dict(os.environ, OPBENCH_PLUGIN_PATH=self.path("plugins"), OPBENCH_TEST_PARENT=str(os.getpid()),
                         OPBENCH_TEST_ONCE=self.path("once"), OPBENCH_DOCTOR="quiet")
        if death:
            variables["OPBENCH_TEST_DEATH"] = death
        return subprocess.run([program, *words], env=variables, capture_output=True, text=True, check=False,
                              timeout=LIMIT_S, cwd=self.folder)

    def works(self, death, *words):
        result = self.run_it(death, *words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), (words, result.stdout))
        self.assertNotEqual(result.stdout, "", words)
        return result.stdout

    def commands(self):
        """Each with what its output must have."""
        run = ("-w", "1", "-i", "2", "--backend", "apart")
        return {("list", "backends", "apart", "--json"): '"devices": ["cpu", "apart"]',
                ("list", "plugins", "apart"): "version 2.5; backends apart; operators apart::same",
                ("list", "ops", "apart.same"): "apart::same(Tensor self) -> Tensor",
                ("list", "ops", "--backend", "apart"): "apart::own",
                ("expand", "-c", "config.json", "--count-cases"): "2",
                ("run", "-c", "config.json", "--check", *run): "apart.same",
                ("run", "-c", "config.json", "--device", "apart", "--backend-options", "depth=3", *run): "neg(f32[4])",
                ("run", "-c", "config.json", "-w", "1", "-i", "2", "--backend", "native,apart"): "neg(f32[4])",
                ("time", "--backend", "apart", "--min-run-time", "0.01", "--op", "torch.neg", "f32[4]"): "torch.neg"}

    def test_never_loaded(self):
        for death in ("abort", "exit"):
            for words, part in self.commands().items():
                with self.subTest(death=death, words=words):
                    self.assertIn(part, self.works(death, *words))

    def test_hangs(self):
        """A constructor without an end: the file is refused when its time is over, and the others are listed."""
        result = self.run_it("hang", "list", "plugins")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("it did not load within 20 s", result.stdout)
        self.assertIn("native", result.stdout)

    def test_as_before(self):
        """What a process prints that may load it is the same."""
        for words in (("list", "plugins", "apart", "--json"), ("list", "backends", "apart"), ("list", "ops", "apart::")):
            with self.subTest(words=words):
                self.assertEqual(self.works("abort", *words), self.works("", *words))

    def test_asked_for(self):
        """--no-isolate has the code in this process, as it says."""
        words = ("run", "-c", "config.json", "-w", "1", "-i", "2", "--backend", "apart", "--no-isolate")
        self.assertIn("apart.same", self.works("", *words))
        self.assertEqual(self.run_it("abort", *words).returncode, -6)

    def test_wrong_option(self):
        result = self.run_it("abort", "run", "-c", "config.json", "--backend", "apart", "--backend-options", "dept=3")
        self.assertIn("depth", result.stdout + result.stderr)

    def refused(self, death, part):
        result = self.run_it(death, "list", "plugins", "apart")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not available: ", result.stdout)
        self.assertIn(part, result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        if os.path.exists(self.path("once")) and death == "parent":
            os.remove(self.path("once"))
        result = self.run_it(death, "list", "backends", "null")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("null", result.stdout)

    def test_kills_its_parent(self):
        self.refused("parent", "illed")  # the guard, before or after it has said that the trial goes on

    def test_nonsense(self):
        name = b'{"name": "apart", "version": null, "backends": [%s], "operators": [], "generators": [], "iterators": []}'
        nonsense = "gave a malformed report"
        for said, part in ((b"no frame at all, but text enough for a head", nonsense),
                           (b"", "it ends the process when it is loaded (exit code 0)"),
                           (frame(PLUGIN, b"{"), nonsense),
                           (frame(PLUGIN, b"[]"), nonsense),
                           (frame(PLUGIN, b"[" * 5000), nonsense),
                           (frame(PLUGIN, b'{"name": "a\\u001b[2Jb"}'), "a control character"),
                           (frame(PLUGIN, name % b'{"name": "x"}'), nonsense),
                           (frame(PLUGIN, name % b'7'), nonsense),
                           (frame(PLUGIN, b"", size=1 << 30), nonsense),
                           (frame(PARTS, b"x" * (21 << 20), size=200 << 20), nonsense),
                           (frame(FAILED, b"\x1b]0;gone\x07" + b"y" * 5000), "?]0;gone?yyy"),
                           (frame(3, b"a record"), nonsense)):
            with self.subTest(said=said[:60]):
                with open(self.path("once"), "wb") as file:
                    file.write(said)
                self.refused("say", part)

    def test_lies(self):
        """A report of what is not in the file: who loads it says so."""
        backend = json.dumps({"name": "other", "help": "h", "device_types": "cpu", "isa_limits": None} | dict.fromkeys(
            ("has_autograd", "asynchronous", "owns_gradients", "takes_sparse", "sync", "schemas"), False) | dict.fromkeys(
            ("open", "close", "supports", "prepare", "release", "run"), True))
        with open(self.path("once"), "wb") as file:
            file.write(frame(PLUGIN, json.dumps({"name": "apart", "version": "1", "backends": [json.loads(backend)],
                                                 "operators": [], "generators": [], "iterators": []}).encode()))
        listed = self.run_it("say", "list", "backends", "other")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("its library ends the process when it is opened", listed.stdout)


if __name__ == "__main__":
    program, fixtures = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
