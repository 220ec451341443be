# SPDX-License-Identifier: Apache-2.0
"""Several backends: every case on each, in turns, one record per case and backend."""

import math
import statistics
import os
import signal
import subprocess

import harness
from harness import CANONICAL, RunTest, many_cases, three_operators

BOTH = ("--backend", "native,null")
OPERATORS = list(CANONICAL)


def null_options(text):
    return ("--backend-options", ",".join("null." + option for option in text.split(",")))


def names(results):
    return [(r["op_name"], r["backend"]) for r in results]


EACH = [(op, backend) for op in OPERATORS for backend in ("native", "null")]


def batch_median(values, k, batches):
    return statistics.median(values[k * len(values) // batches : (k + 1) * len(values) // batches])


class Side(RunTest):
    def assert_ratio(self, native, null, name="forward", processes=False):
        x, y = (r["metric"][name]["measure.time"] for r in (native, null))
        ratio = null["statistics"][name]["ratio"]
        if processes:  # pairs of the processes' medians, which are not in the record
            self.assertTrue(min(y) / max(x) <= ratio["value"] <= max(y) / min(x))
            return ratio
        pairs = min(len(x), len(y), 30)
        logs = [math.log(batch_median(y, k, pairs) / batch_median(x, k, pairs)) for k in range(pairs)]
        averages = sorted((a + b) / 2 for i, a in enumerate(logs) for b in logs[i:])
        want = math.exp(statistics.median(averages))
        self.assertAlmostEqual(ratio["value"], want, delta=1e-9 * want)
        return ratio

    def test_one_record_per_case_and_backend(self):
        for mode, more in (("discrete", ()), ("continuous", ()), ("continuous", ("--block", "3")),
                           ("continuous_events", ())):
            self.run_config(three_operators(), *BOTH, "-w", "2", "-i", "40", "--exec-mode", mode, *more,
                            *null_options("forward_ns=700,launch_ns=5,queue=off"), code=0)
            results = self.results()
            self.assertEqual(names(results), EACH)
            self.assertEqual([r["index"] for r in results], [0, 0, 1, 1, 2, 2])
            for native, null in zip(results[::2], results[1::2]):
                self.assertEqual((native["status"], null["status"]), ("ok", "ok"))
                self.assertEqual(native["key"], null["key"])
                self.assertEqual(native["seed"], null["seed"])
                self.assertEqual(native["cpu"], null["cpu"])
                self.assertNotIn("reference", native)
                self.assertNotIn("ratio", native["statistics"]["forward"])
                self.assertEqual(null["reference"], "native")
                ratio = self.assert_ratio(native, null)
                if "low" in ratio:  # the machine may drift too much for one
                    self.assertLessEqual(ratio["low"], ratio["value"])
                    self.assertLessEqual(ratio["value"], ratio["high"])
                    self.assertGreaterEqual(ratio["confidence"], 0.95)
                self.assertIn("--backend=null", null["repro"])
                self.assertNotIn("native", null["repro"])
                self.assertTrue(null["task_spec"]["sub_label"].startswith("torch."))
                self.assertEqual(null["task_spec"]["sub_label"], native["task_spec"]["stmt"])
                self.assertEqual(null["task_spec"]["description"],
                                 "null" if mode == "discrete" else f"null, {mode}")
            self.assertEqual(self.finish()["results"], {"ok": 6})

    def test_iterations_are_cut_into_blocks(self):
        self.run_config(three_operators(), *BOTH, "-i", "45", "--exec-mode", "continuous", code=0)
        for r in self.results():
            self.assertEqual(r["number_per_run"], 3)
            self.assertEqual(len(r["metric"]["forward"]["measure.time"]), 15)

    def test_backward(self):
        self.run_config(three_operators(), *BOTH, "-i", "12", "-b", code=0)
        for r in self.results():
            self.assertEqual(len(r["metric"]["forward"]["measure.time"]), 12)

    def test_stopping_rules(self):
        self.run_config(three_operators(), *BOTH, "--min-time", "0.002", code=0)
        self.assertEqual(names(self.results()), EACH)

    def test_pin(self):
        cpu = max(os.sched_getaffinity(0))
        self.run_config(three_operators(), *BOTH, code=0)
        self.assertEqual({r["cpu"] for r in self.results()}, {cpu})
        self.run_config(three_operators(), *BOTH, "--pin", str(min(os.sched_getaffinity(0))), code=0)
        self.assertEqual({r["cpu"] for r in self.results()}, {min(os.sched_getaffinity(0))})
        self.run_config(three_operators(), *BOTH, "--num-threads", "2", code=0)
        self.assertEqual({"cpu" in r for r in self.results()}, {False})

    def test_header(self):
        self.run_config(three_operators(), *BOTH, code=0)
        header = self.lines()[0]
        self.assertEqual(set(header["sys_info"]["backends"]), {"native", "null"})

    def test_a_failure_is_one_backend_s(self):
        for fault, status in (("segfault", "crashed"), ("error", "failed"), ("exit", "crashed"),
                              ("late", "failed")):
            self.run_config(three_operators(), *BOTH, "-i", "30",
                            *null_options("fault=%s,fault_op=aten::mul.Tensor" % fault), code=1)
            results = self.results()
            self.assertEqual(names(results), EACH)
            self.assertEqual([r["status"] for r in results], ["ok", "ok", "ok", status, "ok", "ok"])
            self.assertNotIn("ratio", results[3].get("statistics", {}).get("forward", {}))
            self.assertEqual(len(results[2]["metric"]["forward"]["measure.time"]), 30)
            self.assertEqual(results[3]["reference"], "native")

    def test_a_failing_reference(self):
        self.run_config(three_operators(), "--backend", "null,native",
                        *null_options("fault=segfault,fault_op=aten::mul.Tensor"), code=1)
        results = self.results()
        self.assertEqual([r["status"] for r in results],
                         ["ok", "ok", "crashed", "ok", "ok", "ok"])
        self.assertNotIn("ratio", results[3]["statistics"]["forward"])
        self.assertIn("ratio", results[5]["statistics"]["forward"])

    def test_time_limit_counts_own_turns_only(self):
        self.run_config(three_operators(), *BOTH, "--case-timeout", str(0.5 * harness.PATIENCE),
                        *null_options("fault=hang,fault_op=aten::mul.Tensor"), code=1)
        results = self.results()
        self.assertEqual([r["status"] for r in results],
                         ["ok", "ok", "ok", "timed_out", "ok", "ok"])
        self.assert_no_process(self.folder)

    def test_processes(self):
        self.run_config(three_operators(), *BOTH, "--processes", "6", "-i", "4", code=0)
        results = self.results()
        self.assertEqual(names(results), EACH)
        for native, null in zip(results[::2], results[1::2]):
            self.assertEqual((native["processes"], null["processes"]), (6, 6))
            self.assertEqual(len(null["metric"]["forward"]["measure.time"]), 24)
            self.assertIn("low", self.assert_ratio(native, null, processes=True))

    def test_processes_that_fail(self):
        self.run_config(three_operators(), *BOTH, "--processes", "2", "-i", "4",
                        *null_options("fault=segfault,fault_op=aten::mul.Tensor"), code=1)
        results = self.results()
        self.assertEqual([r["status"] for r in results],
                         ["ok", "ok", "ok", "crashed", "ok", "ok"])
        self.assertEqual(results[3]["reason"],
                         "process 1 of 2: the worker died of SIGSEGV (Segmentation fault)")
        self.assertEqual(results[3]["processes"], 2)
        self.assertEqual(len(results[2]["metric"]["forward"]["measure.time"]), 8)

    def test_resume(self):
        config = self.config(many_cases(6))
        self.run_program(self.command(config, *BOTH, "-i", "2"), code=0)
        whole = self.lines()
        with open(self.output, "rb") as file:
            lines = file.readlines()
        # The header, two cases, and the first backend of the third.
        with open(self.output, "wb") as file:
            file.writelines(lines[:6])
        self.run_program(self.command(config, *BOTH, "-i", "2", "--resume"), code=0)
        results = self.results()
        self.assertEqual([(r["index"], r["backend"]) for r in results],
                         [(r["index"], r["backend"]) for r in whole if "op_name" in r])
        self.assertNotIn("ratio", results[5]["statistics"]["forward"])
        self.assertIn("ratio", results[7]["statistics"]["forward"])
        done = self.run_program(self.command(config, *BOTH, "-i", "2", "--resume"), code=0)
        self.assertIn(b"6 cases were already done\n", done.stdout)
        self.assertEqual(len(self.results()), 12)

    def test_resumed_with_other_backends_is_refused(self):
        config = self.config(many_cases(2))
        self.run_program(self.command(config, *BOTH), code=0)
        done = self.run_program(self.command(config, "--resume"), code=2)
        self.assertIn(b"was measured with --backend: native,null", done.stderr)

    def test_interrupt(self):
        process = self.start(self.command(self.config(many_cases(2000)), *BOTH, "-i", "2000"))
        self.wait_for_records(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        got = [(r["index"], r["backend"]) for r in self.results()]
        self.assertEqual(got, [(i // 2, ("native", "null")[i % 2]) for i in range(len(got))])
        self.assertEqual(len(got) % 2, 0)
        self.assertLess(len(got), 4000)
        self.assertEqual(self.finish()["end"], "interrupted")
        self.assert_no_process(self.folder)

    def test_second_interrupt(self):
        process = self.start(self.command(
            self.config(three_operators()), *BOTH,
            *null_options("fault=hang,fault_op=aten::mul.Tensor")))
        self.wait_for_records(2)
        self.wait_for("the hanging case", lambda: len(harness.workers(process.pid)) == 2)
        # Two that come at once may count as one.
        process.send_signal(signal.SIGINT)
        for _ in range(harness.LIMIT_S):
            try:
                process.wait(1)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(names(self.results())[:2], EACH[:2])
        self.assertLessEqual({r["status"] for r in self.results()[2:]}, {"interrupted", "ok"})
        self.assert_no_process(self.folder)

    def test_check(self):
        # The null backend computes nothing: its results are zeros.
        done = self.run_config(three_operators(), *BOTH, "-i", "12", "--check", code=1)
        results = self.results()
        self.assertEqual(names(results), EACH)
        for native, null in zip(results[::2], results[1::2]):
            self.assertEqual((native["status"], null["status"]), ("ok", "differs"))
            self.assertEqual(native["check"]["verdict"], "same")
            # Before and after measuring, four elements each.
            self.assertEqual((native["check"]["checked"], native["check"]["elements"]), (8, 8))
            self.assertEqual(null["check"]["verdict"], "differs")
            self.assertGreater(null["check"]["worst"], 1)
            self.assertRegex(null["reason"], r"^output 0 at \[\d\] is 0 but must be [-0-9.e]+, "
                             r"within [0-9.e-]+ \(\d of 4 elements are off by more\)$")
            self.assertEqual(null["metric"], {})
            self.assertIn(("null: " + null["reason"]).encode(), done.stdout)
        self.assertEqual(self.finish()["results"], {"ok": 3, "differs": 3})

    def test_check_of_one(self):
        self.run_config(three_operators(), "--check", "-i", "12", code=1)
        self.assertEqual([(r["backend"], r["status"]) for r in self.results()],
                         [("null", "differs")] * 3)

    def test_check_beside_a_crash(self):
        """Each has the reference itself: what another loses is not lost to it."""
        self.run_config(three_operators(), "--backend", "null,native", "--check",
                        *null_options("fault=segfault,fault_op=aten::mul.Tensor"), code=1)
        self.assertEqual([r["status"] for r in self.results()],
                         ["differs", "ok", "crashed", "ok", "differs", "ok"])

    def test_check_resumed(self):
        """What has a record is not run again."""
        config = self.config(three_operators())
        self.run_program(self.command(config, *BOTH, "--check"), code=1)
        with open(self.output, "rb") as file:
            lines = file.readlines()
        with open(self.output, "wb") as file:
            file.writelines(lines[:2])
        self.run_program(self.command(config, *BOTH, "--check", "--resume"), code=1)
        self.assertEqual(names(self.results()), EACH)
        self.assertEqual(self.results()[1]["status"], "differs")

    def test_check_of_native(self):
        self.run_config(three_operators(), "--backend", "native", "--check")
        self.assertEqual({r["check"]["verdict"] for r in self.results()}, {"same"})

    def test_refused_before_anything_runs(self):
        for options, message in (
                (("--backend", "native,nul"), 'there is no backend "nul"; did you mean "null"? `opbench'),
                (("--backend", "native,native"), "--backend has native twice; name it once"),
                (("--backend", "native,"), "--backend has an empty name"),
                ((*BOTH, "--no-isolate"), "needs a worker process for each"),
                ((*BOTH, "--ncu"), "--ncu and --nsys can only profile one backend"),
                ((*BOTH, "--backend-options", "forward_ns=7"), "native.forward_ns=7 or null.forward_ns=7")):
            done = self.run_config(three_operators(), *options, code=2)
            self.assertIn(message, done.stderr.decode())

    def test_a_backend_that_does_not_open(self):
        done = self.run_config(three_operators(), *BOTH,
                               *null_options("fault=error,fault_phase=open"))
        self.assertNotEqual(done.returncode, 0)
        self.assertNotEqual(done.stderr, b"")
        self.assertEqual(self.results(), [])


if __name__ == "__main__":
    harness.main()
