# SPDX-License-Identifier: Apache-2.0
"""Interrupts: the first ends the run behind the present case, which has a second for it, the second at once."""

import os
import signal
import time

import harness
from harness import RunTest, many_cases, three_operators

LONG = ("-i", "20000")  # a case takes some milliseconds
HANG_AT_MUL = ("--backend-options", "fault=hang,fault_op=aten::mul.Tensor")


class Interrupt(RunTest):
    def interrupt_after_first_record(self, number, *options):
        if os.path.exists(self.output):
            os.remove(self.output)
        process = self.start(self.command(self.config(many_cases(2000)), *LONG, *options))
        self.wait_for_records(1)
        process.send_signal(number)
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        got = [r["index"] for r in self.results()]
        self.assertEqual(got, list(range(len(got))))
        self.assertTrue(1 <= len(got) < 2000, len(got))
        statuses = [r["status"] for r in self.results()]
        given_up = statuses.count("interrupted")  # a busy machine may take longer than a second for the case
        self.assertEqual(statuses, ["ok"] * (len(got) - given_up) + ["interrupted"] * given_up)
        self.assertLessEqual(given_up, 1)
        self.assertEqual(self.finish()["end"], "interrupted")
        self.assertEqual(self.finish()["results"], {"ok": len(got) - given_up, **({"interrupted": 1} if given_up else {})})
        self.assert_no_process(self.folder)
        return len(got)

    def test_first_ends_behind_the_case(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupt_after_first_record(number)

    def test_without_a_worker(self):
        self.interrupt_after_first_record(signal.SIGINT, "--no-isolate")

    def test_case_of_several_processes_is_finished(self):
        self.interrupt_after_first_record(signal.SIGINT, "--processes", "3")
        for r in (r for r in self.results() if r["status"] == "ok"):
            self.assertEqual(r["processes"], 3)
            self.assertEqual(len(r["metric"]["forward"]["measure.time"]), 60000)

    def test_resumed(self):
        config = self.config(many_cases(40))
        process = self.start(self.command(config, *LONG))
        self.wait_for_records(1)
        process.send_signal(signal.SIGINT)
        process.wait(harness.LIMIT_S)
        self.run_program(self.command(config, *LONG, "--resume"), code=0)
        self.assertEqual([r["index"] for r in self.results() if r["status"] == "ok"], list(range(40)))

    def interrupt_in_the_hanging_case(self, *more, options=HANG_AT_MUL[1]):
        """The process, interrupted once while the second case hangs. On a busy machine the interrupt may
        come before that case has begun; then the run ends at once, and it is tried again."""
        for _ in range(10):
            if os.path.exists(self.output):
                os.remove(self.output)
            process = self.start(
                self.command(self.config(three_operators()), "--backend-options", options, *more))
            self.wait_for_records(1)
            time.sleep(0.1 * harness.PATIENCE)
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)  # and not a second, after which it is given up
            if process.poll() is None:
                return process
            self.assertEqual(process.returncode, 130)
        self.fail("the case under way was never waited for")

    def test_second_ends_at_once(self):
        process = self.interrupt_in_the_hanging_case()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        self.assertEqual([(r["op_name"], r["status"]) for r in self.results()],
                         [("torch.add", "ok"), ("torch.mul", "interrupted")])
        self.assertEqual(self.results()[1]["reason"],
                         "the run was interrupted in the middle of the case")
        self.assertEqual(self.finish()["end"], "interrupted")
        self.assertEqual(self.finish()["results"], {"ok": 1, "interrupted": 1})
        self.assert_no_process(self.folder)

    def test_second_keeps_the_samples_so_far(self):
        process = self.interrupt_in_the_hanging_case(
            "-w", "1", "-i", "10", "-b", options=HANG_AT_MUL[1] + ",fault_at=4")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        cut = self.results()[1]
        self.assertEqual(cut["status"], "interrupted")
        self.assertEqual(len(cut["metric"]["forward"]["warmup.time"]), 1)
        self.assertEqual(cut["metric"]["forward"]["measure.time"], [0.001] * 3)
        self.assertEqual(len(cut["raw_times"]), 3)
        self.assertEqual(cut["statistics"]["forward"]["median"], 0.001)

    def test_interrupted_case_is_run_again(self):
        process = self.interrupt_in_the_hanging_case()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        self.run_program(
            self.command(self.config(three_operators()), *HANG_AT_MUL, "--case-timeout", str(0.5 * harness.PATIENCE),
                         "--resume"), code=1)
        self.assertEqual([(r["index"], r["status"]) for r in self.results()],
                         [(0, "ok"), (1, "interrupted"), (1, "timed_out"), (2, "ok")])

    def test_second_in_one_of_several_processes(self):
        process = self.interrupt_in_the_hanging_case("--processes", "2", "-i", "3")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        self.assertEqual([r["status"] for r in self.results()], ["ok", "interrupted"])
        self.assertIn("process 1 of 2: the run was interrupted", self.results()[1]["reason"])

    def test_one_is_enough(self):
        """A case that does not end is given up, and no worker is started for the one behind it."""
        process = self.interrupt_in_the_hanging_case()
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        self.assertEqual([r["status"] for r in self.results()], ["ok", "interrupted"])
        self.assertEqual(self.finish()["results"], {"ok": 1, "interrupted": 1})
        self.assert_no_process(self.folder)

    def test_without_a_worker_the_second_ends_the_program(self):
        process = self.interrupt_in_the_hanging_case("--no-isolate")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.LIMIT_S), -signal.SIGINT)
        self.assertEqual([r["status"] for r in self.results()], ["ok"])


if __name__ == "__main__":
    harness.main()
