# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the worker, of its guard or of the supervisor at random moments, then --resume: every case has exactly
one record, and no process is left. --rounds says how often."""

import os
import random
import signal
import time

import harness
from harness import RunTest, guards, many_cases, workers

CASES = 300
OPTIONS = ("-i", "300", "-q")
SEED = 20240501


class Kill(RunTest):
    def setUp(self):
        super().setUp()
        self.words = self.command(self.config(many_cases(CASES)), *OPTIONS, force=False)
        self.seconds = min(self.time_run() for _ in range(3))  # moments of a run that was held up would miss the others
        self.want = [(r["op_name"], r["id"], r["key"]) for r in self.results()]
        self.assertEqual(len(set(self.want)), CASES)

    def time_run(self):
        if os.path.exists(self.output):
            os.remove(self.output)
        begin = time.monotonic()
        self.run_program(self.words, code=0)
        return time.monotonic() - begin

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def round(self, target, moment):
        if os.path.exists(self.output):
            os.remove(self.output)
        process = self.start(self.words)
        time.sleep(moment)
        find = {"worker": workers, "guard": guards, "supervisor": lambda pid: [pid]}[target]
        for pid in find(process.pid):
            self.kill(pid)
        code = process.wait(harness.LIMIT_S)
        self.assert_no_process(self.folder)
        killed = code == -signal.SIGKILL
        self.assertIn(code, (0, -signal.SIGKILL) if target == "supervisor" else (0, 1))
        resume = ["--resume"] if os.path.exists(self.output) else []
        again = self.run_program([*self.words, *resume], code=0)
        self.assertEqual(again.stderr, b"")
        results = self.results()
        self.assertEqual([(r["op_name"], r["id"], r["key"]) for r in results], self.want)
        failed = [r for r in results if r["status"] != "ok"]
        self.assertLessEqual(len(failed), 0 if target == "supervisor" else 1)
        for r in failed:
            self.assertEqual((r["status"], r["signal"]), ("crashed", "SIGKILL"))
        return killed or len(failed) > 0

    def test_random_moments(self):
        draw = random.Random(SEED)
        hits = 0
        for number in range(harness.rounds):
            target = ("worker", "supervisor", "guard")[number % 3]
            moment = draw.uniform(0, self.seconds)
            with self.subTest(target=target, moment=moment):
                hits += self.round(target, moment)
        self.assertGreater(hits, harness.rounds // 5, "too few of the moments hit a run")


if __name__ == "__main__":
    harness.main()
