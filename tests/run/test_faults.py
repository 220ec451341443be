# SPDX-License-Identifier: Apache-2.0
"""An operator that takes its process down costs its own case only, wherever it stands in the run."""

import shlex

import harness
from harness import CANONICAL, RunTest, three_operators

# fault: status, part of the reason, other fields
FAULTS = {
    "error": ("failed", "injected error in forward iteration 0", {}),
    "late": ("failed", "injected late error", {}),
    "nomem": ("out_of_memory", "injected lack of device memory", {}),
    "segfault": ("crashed", "the worker died of SIGSEGV (Segmentation fault)",
                 {"signal": "SIGSEGV"}),
    "illegal": ("crashed", "the worker died of SIGILL (Illegal instruction)", {"signal": "SIGILL"}),
    "abort": ("crashed", "the worker died of SIGABRT (Aborted)", {"signal": "SIGABRT"}),
    "exit": ("crashed", "the worker ended with exit code 3", {"exit_code": 3}),
    "hang": ("timed_out", "the case took longer than 0.4 s; see --case-timeout", {}),
    "stop": ("timed_out", "the case took longer than 0.4 s; see --case-timeout", {}),
    "oom-kill": ("crashed", "the worker died of SIGKILL (Killed)", {"signal": "SIGKILL"}),
    "scribble": ("crashed", "the operator wrote to the worker's own descriptor", {}),
    "hangup": ("crashed", "the operator closed the worker's own descriptor", {}),
    "orphan": ("crashed", "the worker died of SIGABRT (Aborted)", {"signal": "SIGABRT"}),
    "runaway": ("crashed", "the worker died of SIGABRT (Aborted)", {"signal": "SIGABRT"}),
}
TIMEOUT = ("--case-timeout", "0.4")


def fault_options(fault, operator, phase="forward"):
    # A worker that closed its socket and hangs must be noticed by that, not by the time limit. Much output takes its time.
    timeout = () if fault in ("hangup", "flood") else TIMEOUT
    words = "fault=%s,fault_op=%s,fault_phase=%s" % (fault, CANONICAL[operator], phase)
    return ("--backend-options", words, *timeout)


class Faults(RunTest):
    def check_fault(self, fault, victim, *more, phase="forward"):
        status, reason, fields = FAULTS[fault]
        self.run_config(three_operators(), *fault_options(fault, victim, phase), *more, code=1)
        results = self.results()
        self.assertEqual([r["op_name"] for r in results], list(CANONICAL))
        self.assertEqual([r["index"] for r in results], [0, 1, 2])
        for r in results:
            if r["op_name"] != victim:
                self.assertEqual(r["status"], "ok")
                self.assertEqual(r["metric"]["forward"]["measure.time"], [0.001])
                self.assertNotIn("reason", r)
                continue
            self.assertEqual(r["status"], status)
            self.assertIn(reason, r["reason"])
            for name in ("signal", "exit_code"):
                self.assertEqual(r.get(name), fields.get(name))
        self.assertEqual(self.finish()["results"], {"ok": 2, status: 1})
        self.assertEqual(self.finish()["end"], "finished")
        self.assert_no_process(self.folder)
        return next(r for r in results if r["op_name"] == victim)

    def check_repro(self, record):
        """The record's command runs that case alone, to the same end."""
        words = shlex.split(record["repro"])
        self.assertEqual(words[0], harness.program)
        other = self.path("repro.json")
        self.run_program([*words, "--output", other], code=1)
        (again,) = self.results(other)
        for name in ("op_name", "id", "key", "index", "status", "reason", "repro"):
            self.assertEqual(again.get(name), record.get(name))

    def test_samples_before_the_fault_are_kept(self):
        for fault in ("hang", "segfault", "error"):
            victim = dict(fault=fault, fault_op=CANONICAL["torch.mul"], fault_at="4")
            words = ",".join("%s=%s" % pair for pair in victim.items())
            for mode, per_sample in (("discrete", 1), ("continuous", 2)):
                options = ("--exec-mode", mode, "-w", "0", "-i", "10")
                if mode == "continuous":
                    options += ("--block", "2")
                self.run_config(three_operators(), "--backend-options", words, *options, *TIMEOUT,
                                code=1)
                cut = self.results()[1]
                self.assertEqual(cut["status"], FAULTS[fault][0])
                times = cut["metric"]["forward"]["measure.time"]
                self.assertEqual(len(times), 4 // per_sample, (fault, mode))
                self.assertEqual(cut["number_per_run"], per_sample)
                self.assertEqual(len(cut["raw_times"]), len(times))
                # the next case begins with none
                self.assertEqual(len(self.results()[2]["metric"]["forward"]["measure.time"]),
                                 10 // per_sample)

    def test_prepare(self):
        self.check_fault("segfault", "torch.mul", phase="prepare")
        self.check_fault("hang", "torch.sub", phase="prepare")

    def test_in_backward(self):
        self.run_config(three_operators(), "-b", *fault_options("abort", "torch.sub", "backward"),
                        code=1)
        self.assertEqual([r["status"] for r in self.results()], ["ok", "ok", "crashed"])

    def test_every_case_crashes(self):
        self.run_config(three_operators(), "--backend-options", "fault=segfault", code=1)
        self.assertEqual([r["status"] for r in self.results()], ["crashed"] * 3)

    def test_open_crashes(self):
        done = self.run_config(three_operators(), "--backend-options",
                               "fault=abort,fault_phase=open", code=1)
        self.assertIn(b"cannot start a worker: the worker died of SIGABRT", done.stderr)
        self.assertEqual(self.lines(), [])

    def test_garbage_on_standard_output(self):
        for victim in CANONICAL:
            self.run_config(three_operators(), *fault_options("garbage", victim), code=0)
            for r in self.results():
                self.assertEqual(r["status"], "ok")
                want = '{"status": "ok"}\n\0\ufffd\ufffd garbage without a newline'
                self.assertEqual(r.get("output"), want if r["op_name"] == victim else None)

    def test_much_output_is_cut_and_counted(self):
        self.run_config(three_operators(), *fault_options("flood", "torch.mul"), code=0)
        line = len("line 000000 of a library that says too much\n")
        for r in self.results():
            if r["op_name"] == "torch.mul":
                self.assertEqual(len(r["output"]), 4096)
                self.assertTrue(r["output"].startswith("line 000000 of a library"))
                self.assertEqual(r["output_dropped"], 50000 * line - 4096)
            else:
                self.assertNotIn("output", r)


def add_test(fault, place, victim):
    def test(self):
        if fault == "runaway":
            harness.need_subreaper(self)
        record = self.check_fault(fault, victim)
        if place == "middle":
            self.check_repro(record)

    setattr(Faults, "test_%s_%s" % (fault.replace("-", "_"), place), test)


for fault in FAULTS:
    for place, victim in zip(("first", "middle", "last"), CANONICAL):
        add_test(fault, place, victim)

if __name__ == "__main__":
    harness.main()
