# SPDX-License-Identifier: Apache-2.0
"""The output file: full disks, files that cannot be written, appending, resuming, beginning and ending
at a case."""

import json
import os
import resource
import time

import harness
from harness import RunTest, many_cases, three_operators


def limit_file_size(size):
    """As a full disk: write() takes what fits and then fails."""
    def limit():
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class Disk(RunTest):
    def test_full_device(self):
        done = self.run_program(
            self.command(self.config(three_operators()), output="/dev/full"), code=1)
        self.assertIn(b"No space left on device", done.stderr)
        self.assert_no_process(self.folder)

    def test_disk_fills_up(self):
        for size in (6000, 20000, 50001):
            done = self.run_config(many_cases(500), code=1, preexec_fn=limit_file_size(size))
            self.assertIn(b"cannot be written", done.stderr)
            self.assertIn(b"then --resume", done.stderr)
            got = [r["index"] for r in self.results()]
            self.assertEqual(got, list(range(len(got))))
            self.assertLessEqual(os.path.getsize(self.output), size)
            self.assertGreater(len(got), 0)
            self.run_config(many_cases(500), "--resume", code=0)
            self.assertEqual([r["index"] for r in self.results()], list(range(500)))
            os.remove(self.output)

    def test_unwritable_is_refused_before_the_run(self):
        for output in (self.path("no/such/folder.json"), self.folder):
            done = self.run_program(
                self.command(self.config(three_operators()), "--backend-options", "fault=abort",
                             output=output))
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(output.encode(), done.stderr)
            self.assertEqual(done.stdout, b"")
            self.assertNotIn(b"SIGABRT", done.stderr)

    def test_second_run_on_the_same_file_is_refused(self):
        config = self.config(three_operators())
        first = self.start(self.command(config, "--backend-options",
                                        "fault=hang,fault_op=aten::mul.Tensor"))
        self.wait_for_records(1)
        done = self.run_program(self.command(config, "-a"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"another run writes to this file", done.stderr)
        self.assertIsNone(first.poll())


class SlowReader(RunTest):
    def test_is_not_the_case_s_fault(self):
        """A worker whose records nobody takes waits; its cases are not over their time."""
        count = 1000  # more than the pipe and the socket hold
        os.mkfifo(self.output)
        process = self.start(self.command(self.config(many_cases(count)), "--case-timeout", "0.3"))
        with open(self.output, "rb") as pipe:
            time.sleep(1)
            results = [r for r in map(json.loads, pipe) if "op_name" in r]
        self.assertEqual(process.wait(harness.LIMIT_S), 0)
        self.assertEqual([r["index"] for r in results], list(range(count)))
        self.assertEqual({r["status"] for r in results}, {"ok"})


class Modes(RunTest):
    def test_replaces_or_appends(self):
        self.run_config(three_operators(), code=0)
        self.run_config(three_operators(), code=0)
        self.assertEqual(len(self.results()), 3)
        self.run_config(three_operators(), "-a", code=0)
        self.assertEqual([r["index"] for r in self.results()], [0, 1, 2] * 2)

    def test_begin_and_end_by_id(self):
        def indices(*options):
            self.run_config(many_cases(10), *options, code=0)
            return [r["index"] for r in self.results()]

        self.assertEqual(indices("-r", "torch.add|0|0|0_4"), [4, 5, 6, 7, 8, 9])
        self.assertEqual(indices("-s", "torch.add|0|0|0_4"), [0, 1, 2, 3])
        self.assertEqual(self.finish()["end"], "stopped")
        self.assertEqual(indices("-r", "torch.add|0|0|0_2", "-s", "torch.add|0|0|0_4"), [2, 3])
        self.assertEqual(indices("-r", "torch.add|0|0|0_4", "-s", "torch.add|0|0|0_4"), [])
        self.assertEqual(indices("--case", "torch.add|0|0|0_7"), [7])

    def test_unknown_id_is_an_error(self):
        for letter in ("-r", "-s", "--case"):
            done = self.run_config(many_cases(3), letter, "torch.add|0|0|0_3", code=2)
            self.assertIn(b'has no case "torch.add|0|0|0_3"', done.stderr)
            self.assertFalse(os.path.exists(self.output))


class Resume(RunTest):
    def cut(self, keep):
        with open(self.output, "rb+") as file:
            file.truncate(keep)

    def test_every_kind_of_cut(self):
        config = many_cases(6)
        self.run_config(config, code=0)
        with open(self.output, "rb") as file:
            whole = file.read()
        ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
        for keep in [0, 1, *ends, *(end - 1 for end in ends), *(end - 40 for end in ends)]:
            with open(self.output, "wb") as file:
                file.write(whole[:keep])
            self.run_config(config, "--resume", code=0)
            self.assertEqual([r["index"] for r in self.results()], list(range(6)), keep)

    def test_failed_cases_are_not_run_again(self):
        fault = ("--backend-options", "fault=segfault,fault_op=aten::mul.Tensor")
        self.run_config(three_operators(), *fault, code=1)
        done = self.run_config(three_operators(), "--resume", code=0)
        self.assertEqual(len(self.results()), 3)
        self.assertIn(b"3 cases were done already", done.stdout)

    def test_changed_config_is_refused(self):
        self.run_config(many_cases(6), "-s", "torch.add|0|0|0_2", code=0)
        before = self.lines()
        done = self.run_config(many_cases(7), "--resume", code=2)
        self.assertIn(b"was made from other cases than", done.stderr)
        self.assertEqual(self.lines(), before)

    def test_damaged_line_is_refused(self):
        self.run_config(many_cases(3), code=0)
        with open(self.output, "a") as file:
            file.write("{broken\n" + json.dumps({"op_name": "x"}) + "\n")
        self.assertNotEqual(self.run_config(many_cases(3), "--resume").returncode, 0)

    def test_needs_a_file(self):
        done = self.run_program(
            [harness.program, "run", "-c", self.config(many_cases(3)), "--backend", "null",
             "--resume"], code=2)
        self.assertIn(b"--resume needs --output FILE", done.stderr)


if __name__ == "__main__":
    harness.main()
