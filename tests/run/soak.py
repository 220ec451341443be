# SPDX-License-Identifier: Apache-2.0
"""A million tiny cases: memory and descriptors of worker and supervisor are flat after the first thousand. A tenth of
them again, killed at random moments and resumed until all is done: each has one record. SOAK_CASES says how many."""

import os
import random
import signal
import time

import harness
from harness import RunTest, many_cases, workers

CASES = int(os.environ.get("SOAK_CASES", "1000000"))
SETTLED = 1000
SLACK_KIB = 1024  # the allocator's, not one byte per case
LOOK_EVERY = CASES // 50
KILLS = 20
RECORD_BYTES = 1500


def resident_kib(pid):
    with open("/proc/%d/status" % pid) as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def descriptors(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


class Soak(RunTest):
    def test_nothing_grows(self):
        # A pipe: the records of a million cases take 1.5 GB.
        os.mkfifo(self.output)
        process = self.start(self.command(self.config(many_cases(CASES)), "-q"))
        lines, looked, seen = 0, 0, []
        with open(self.output, "rb", buffering=0) as pipe:
            while piece := pipe.read(1 << 20):
                lines += piece.count(b"\n")
                if lines < SETTLED or lines - looked < LOOK_EVERY:
                    continue
                looked = lines
                seen.append([(resident_kib(p), descriptors(p)) for p in (process.pid, *workers(process.pid))])
        self.assertEqual(process.wait(harness.LIMIT_S), 0)
        self.assertEqual(lines, CASES + 2)
        pairs = [pair for pair in seen if len(pair) == 2]
        self.assertGreater(len(pairs), CASES // LOOK_EVERY // 2)
        for who, name in enumerate(("supervisor", "worker")):
            memory, files = zip(*(pair[who] for pair in pairs))
            self.assertLessEqual(max(memory), memory[0] + SLACK_KIB, "%s: %s" % (name, memory))
            self.assertLessEqual(max(files), files[0], "%s: %s" % (name, files))

    def has(self, size):
        return os.path.exists(self.output) and os.path.getsize(self.output) > size

    def test_resumes_after_kills(self):
        count = CASES // 10
        words = self.command(self.config(many_cases(count)), "-q", force=False)
        draw = random.Random(20261117)
        kills = 0
        while True:
            before = os.path.getsize(self.output) if os.path.exists(self.output) else 0
            process = self.start([*words, *(["--resume"] if before > 0 else [])])
            enough = before + draw.uniform(0, 2 * count * RECORD_BYTES / KILLS)
            while process.poll() is None and (kills == KILLS or not self.has(enough)):
                time.sleep(0.01)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.wait(harness.LIMIT_S)
            kills += 1
        self.assertEqual(process.returncode, 0, process.stderr.read())
        self.assertGreater(kills, 0)
        self.assertEqual([r["index"] for r in self.results()], list(range(count)))


if __name__ == "__main__":
    harness.main()
