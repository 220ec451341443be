# SPDX-License-Identifier: Apache-2.0
"""--processes: one record per case, with the samples of all processes in their order."""

import harness
from harness import CANONICAL, RunTest, many_cases, three_operators

TIMES = ("--backend-options", "forward_ns=700,backward_ns=900,launch_ns=5")


class Processes(RunTest):
    def test_samples_of_all(self):
        self.run_config(three_operators(), "--processes", "6", "-w", "2", "-i", "2", "-b", *TIMES,
                        code=0)
        results = self.results()
        self.assertEqual([r["op_name"] for r in results], list(CANONICAL))
        for r in results:
            self.assertEqual(r["processes"], 6)
            self.assertNotIn("process", r)
            forward, backward = r["metric"]["forward"], r["metric"]["backward"]
            self.assertEqual(forward["warmup.time"], [0.000705] * 12)
            self.assertEqual(forward["measure.time"], [0.000705] * 12)
            self.assertEqual(backward["measure.time"], [0.000905] * 12)
            self.assertEqual(len(forward["measure.gpu.memory"]), 12)
            self.assertEqual(r["raw_times"], [7.05e-07] * 12)
            for name, median in (("forward", 0.000705), ("backward", 0.000905)):
                figures = r["statistics"][name]
                self.assertEqual(figures["count"], 12)
                self.assertEqual(figures["median"], median)
                interval = figures["interval"]
                self.assertEqual((interval["over"], interval["independent"]), ("processes", 6))
                self.assertEqual(interval["confidence"], 0.96875)
                self.assertNotIn("reason", interval)
                self.assertAlmostEqual(interval["low"], median, places=15)
                self.assertAlmostEqual(interval["high"], median, places=15)
            self.assertAlmostEqual(r["statistics"]["forward"]["gflops_per_s"], 4 / 705)
        self.assertEqual(self.finish()["results"], {"ok": 3})

    def test_too_few_for_an_interval(self):
        self.run_config(many_cases(1), "--processes", "5", "-i", "50", code=0)
        interval = self.results()[0]["statistics"]["forward"]["interval"]
        self.assertEqual(interval, {"confidence": 0.9375, "independent": 5, "over": "processes",
                                    "reason": "fewer than 6 processes give no 95 % interval; "
                                              "use --processes 6 or more"})

    def test_disturbed_samples_do_not_count(self):
        """Every process has long samples, so its mean is far off; the medians are exact."""
        self.run_config(many_cases(1), "--processes", "6", "-i", "20", "--backend-options",
                        "forward_ns=700,slow_every=7,slow_ns=90000", code=0)
        figures = self.results()[0]["statistics"]["forward"]
        self.assertEqual((figures["median"], figures["max"]), (0.0007, 0.0907))
        self.assertGreater(figures["mean"], 0.01)
        self.assertEqual((figures["interval"]["low"], figures["interval"]["high"]), (0.0007, 0.0007))

    def test_one_is_the_default(self):
        self.run_config(many_cases(1), "--processes", "1", "-i", "50", code=0)
        (r,) = self.results()
        self.assertNotIn("processes", r)
        self.assertEqual(r["statistics"]["forward"]["interval"]["over"], "samples")
        self.assertNotIn("--processes", r["repro"])

    def test_repro(self):
        self.run_config(many_cases(1), "--processes", "2", code=0)
        self.assertIn("--processes=2", self.results()[0]["repro"])

    def test_a_crash_is_the_case_s(self):
        self.run_config(three_operators(), "--processes", "3", "--backend-options",
                        "fault=segfault,fault_op=aten::mul.Tensor", code=1)
        first, crashed, last = self.results()
        self.assertEqual([first["status"], last["status"]], ["ok", "ok"])
        self.assertEqual(crashed["status"], "crashed")
        self.assertEqual(crashed["processes"], 3)
        self.assertEqual(crashed["reason"],
                         "process 1 of 3: the worker died of SIGSEGV (Segmentation fault)")

    def test_a_failure_is_the_case_s(self):
        self.run_config(three_operators(), "--processes", "3", "--backend-options",
                        "fault=error,fault_op=aten::sub.Tensor", code=1)
        self.assertEqual([r["status"] for r in self.results()], ["ok", "ok", "failed"])
        self.assertEqual(self.results()[2]["reason"],
                         "process 1 of 3: injected error in forward iteration 0")

    def test_resumed(self):
        self.run_config(many_cases(6), "--processes", "2", code=0)
        with open(self.output, "rb+") as file:
            text = file.read()
            file.truncate(len(text) // 2)
        self.run_config(many_cases(6), "--processes", "2", "--resume", code=0)
        self.assertEqual([r["index"] for r in self.results()], list(range(6)))

    def test_needs_workers(self):
        done = self.run_config(many_cases(1), "--processes", "2", "--no-isolate", code=2)
        self.assertIn(b"--processes needs worker processes; leave out --no-isolate", done.stderr)
        done = self.run_config(many_cases(1), "--processes", "0", code=2)
        self.assertIn(b"--processes", done.stderr)


if __name__ == "__main__":
    harness.main()
