# SPDX-License-Identifier: Apache-2.0
"""A wall clock that is set while the program runs: times are of clocks that nobody sets, limits of time hold, a file is
gone on from, and nothing that is in use is taken for old."""

import datetime
import os
import shutil
import signal
import unittest

import harness
from harness import CANONICAL, RunTest, many_cases, three_operators

DAY_S = 24 * 3600
CLOCK = os.environ.get("JUMPING_CLOCK_LIBRARY")


@unittest.skipUnless(CLOCK, "no other clock can be loaded before a sanitizer, or an emulator")
class Clock(RunTest):
    def environment(self, how):
        return dict(os.environ, LD_PRELOAD=CLOCK, JUMPING_CLOCK=str(how), TMPDIR=self.path("tmp"),
                    XDG_CACHE_HOME=self.path("cache"))

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))

    def test_the_clock_jumps(self):
        """Else the others test nothing."""
        self.run_config(many_cases(1), code=0, env=self.environment("wild"))
        self.assertGreater(self.lines()[0]["start_time"], self.finish()["finish_time"])

    def test_run(self):
        plain = self.run_config(many_cases(200), code=0).stdout
        done = self.run_config(many_cases(200), "--case-timeout", "30", code=0, env=self.environment("wild"))
        self.assertEqual((done.stdout, done.stderr), (plain, b""))
        self.assertEqual({r["status"] for r in self.results()}, {"ok"})
        self.assertTrue(0 <= self.finish()["seconds"] < harness.LIMIT_S, self.finish())
        for line in self.lines():
            for name in ("start_time", "finish_time"):
                if name in line:
                    datetime.datetime.fromisoformat(line[name])

    def test_resume(self):
        environment = self.environment("wild")
        self.run_config(many_cases(20), "-s", "torch.add|0|0|0_9", code=0, env=environment)
        self.run_config(many_cases(20), "--resume", code=0, env=self.environment(-36500 * DAY_S))
        self.assertEqual([r["index"] for r in self.results()], list(range(20)))

    def test_limits_hold(self):
        victim = "fault=hang,fault_op=%s" % CANONICAL["torch.mul"]
        self.run_config(three_operators(), "--backend-options", victim, "--case-timeout", "0.4", code=1,
                        env=self.environment("wild"))
        self.assertEqual([r["status"] for r in self.results()], ["ok", "timed_out", "ok"])

    def time_statement(self, code):
        return [harness.program, "time", "--lang", "c", code, "--number", "10", "--cache-dir", self.path("made")]

    def objects(self):
        return sorted(name for name in os.listdir(self.path("made")) if name.endswith(".so"))

    def test_caches(self):
        """Set forward, what is compiled is compiled again; set back, it is used; what is not ours stays."""
        if shutil.which("cc") is None:
            self.skipTest("there is no compiler here")
        for how in (0, 400 * DAY_S, -36500 * DAY_S, "wild"):
            self.run_program(self.time_statement("int x = 1; (void)x;"), code=0, env=self.environment(how))
            self.assertEqual(len(self.objects()), 1, how)
            mine = os.path.join(self.path("made"), "thesis-%s.txt" % how)
            with open(mine, "w") as file:
                file.write("x")
        self.assertEqual(sum(name.startswith("thesis") for name in os.listdir(self.path("made"))), 4)

    def test_what_runs_is_not_swept(self):
        """A process whose clock is a year ahead leaves the folders of a running one alone."""
        if shutil.which("cc") is None or shutil.which("valgrind") is None:
            self.skipTest("there is no compiler or no valgrind here")
        mark = self.path("runs")
        code = 'FILE *f = fopen("%s", "w"); fclose(f); for (;;) ;' % mark
        words = [harness.program, "count", "--lang", "c", code, "--cache-dir", self.path("made")]
        first = self.start(words, env=self.environment(0))
        self.wait_for("the statement", lambda: os.path.exists(mark) or first.poll() is not None)
        self.assertIsNone(first.poll())
        before = sorted(os.listdir(self.path("tmp")))
        self.assertGreater(len(before), 0, "a running one has a folder")
        self.run_program(self.time_statement("int x = 2; (void)x;"), code=0, env=self.environment(400 * DAY_S))
        self.assertEqual(sorted(os.listdir(self.path("tmp"))), before)
        first.send_signal(signal.SIGTERM)
        first.wait(harness.LIMIT_S)
        self.assertEqual(os.listdir(self.path("tmp")), [])


if __name__ == "__main__":
    harness.main()
