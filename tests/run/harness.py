# SPDX-License-Identifier: Apache-2.0
"""What the tests of `opbench run` share: configs, runs on the null backend, records, processes."""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

GENERATOR = "PyTorch:DefaultDataGenerator"
PATIENCE = int(os.environ.get("OPBENCH_TEST_PATIENCE", "1"))  # more where programs are emulated
LIMIT_S = 60 * PATIENCE  # a run that takes longer hangs: no test here needs a second

# Sanitizers catch the signals of injected faults; here they must reach the process. The search for leaks
# stops a process by a second one, which a kill -9 in the middle leaves behind.
os.environ["ASAN_OPTIONS"] = ":".join(
    filter(None, [os.environ.get("ASAN_OPTIONS"), "handle_segv=0", "handle_abort=0", "detect_leaks=0"]))

program = None
rounds = 10


def tensor(*shape, dtype="float"):
    return {"type": "tensor", "dtype": dtype, "shape": list(shape)}


def entry(*args):
    return {"args": list(args)}


def operator(*inputs, **more):
    return {"input_data_generator": GENERATOR, "config": [{"input": list(inputs)}], **more}


def three_operators():
    """One case each; the null backend's faults choose by operator."""
    pair = entry(tensor(4), tensor(4))
    return {name: operator(pair) for name in ("torch.add", "torch.mul", "torch.sub")}


def many_cases(count):
    """Cases with ids 0|0|0_0, 0|0|0_1, ..."""
    scaled = {
        "args": [tensor(4), tensor(4)],
        "kwargs": {"alpha": {"type": "int", "value": [1, count, 1], "__range__": ["value"]}},
    }
    return {"torch.add": operator(scaled, input_iterator="RangeConfigIterator")}


CANONICAL = {
    "torch.add": "aten::add.Tensor",
    "torch.mul": "aten::mul.Tensor",
    "torch.sub": "aten::sub.Tensor",
}


class RunTest(unittest.TestCase):
    def need_valgrind(self):
        if shutil.which("valgrind") is None:
            self.skipTest("there is no valgrind here")
        with open(program, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("a sanitized program does not run under valgrind")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-run-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.output = self.path("records.json")

    def path(self, name):
        return os.path.join(self.folder, name)

    def config(self, content, name="config.json"):
        with open(self.path(name), "w") as file:
            json.dump(content, file)
        return self.path(name)

    def command(self, config, *options, output=None, force=True):
        """A run that replaces what an earlier one left, unless the options say what is to become of it."""
        kept = {"-a", "--resume", "--force"} & set(options) or not force
        return [
            program, "run", "-c", config, "--backend", "null",
            "--output", output or self.output, *([] if kept else ["--force"]), *options,
        ]

    def run_program(self, words, code=None, **more):
        done = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S,
            cwd=self.folder, **more)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace"))
        return done

    def run_config(self, content, *options, code=None, **more):
        return self.run_program(self.command(self.config(content), *options), code, **more)

    def start(self, words, pipe=subprocess.DEVNULL, **more):
        process = subprocess.Popen(
            words, stdout=pipe, stderr=subprocess.PIPE, cwd=self.folder, **more)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def lines(self, path=None):
        """All lines as objects; every one must be whole."""
        with open(path or self.output, "rb") as file:
            text = file.read()
        self.assertTrue(text == b"" or text.endswith(b"\n"), "the last line is torn")
        return [json.loads(line) for line in text.splitlines()]

    def results(self, path=None):
        return [line for line in self.lines(path) if "op_name" in line]

    def finish(self):
        last = self.lines()[-1]
        self.assertIn("finish_time", last)
        return last

    def wait_for(self, what, condition):
        end = time.monotonic() + LIMIT_S
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain: " + what)
            time.sleep(0.002)

    def wait_for_records(self, count):
        def there():
            try:
                with open(self.output, "rb") as file:
                    return sum(b'"op_name"' in line for line in file) >= count
            except FileNotFoundError:
                return False

        self.wait_for("%d records" % count, there)

    def assert_no_process(self, mark):
        """Nothing that has the mark (the test's folder) on its command line still lives."""
        self.wait_for("the end of all workers", lambda: not processes_with(mark))


def processes_with(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                words = file.read().split(b"\0")
            with open("/proc/%s/stat" % pid) as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        # Below the words of an emulator, which may have started it, are the program's own.
        if state != "Z" and program.encode() in words[:3] and any(mark.encode() in w for w in words):
            found.append(int(pid))
    return found


def guards(pid):
    """The children of the program: each stands before a process that it started."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def workers(pid):
    return [worker for guard in guards(pid) for worker in guards(guard)]


def need_subreaper(test):
    """What left its group is found by this alone; QEMU has none for the programs that it emulates."""
    pr_set_child_subreaper = 36
    if ctypes.CDLL(None).prctl(pr_set_child_subreaper, 0, 0, 0, 0) != 0:
        test.skipTest("there is no subreaper here")


def main():
    global program, rounds
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=rounds)
    options, rest = parser.parse_known_args()
    program = os.path.abspath(options.program)
    rounds = options.rounds
    sys.modules["harness"].program = program
    sys.modules["harness"].rounds = rounds
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
