# SPDX-License-Identifier: Apache-2.0
"""A million tiny cases: the memory of worker and supervisor is flat after the first thousand."""

import os

import harness
from harness import RunTest, many_cases, workers

CASES = 1000000
SETTLED = 1000
SLACK_KIB = 1024  # the allocator's, not one byte per case
LOOK_EVERY = 20000


def resident_kib(pid):
    with open("/proc/%d/status" % pid) as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


class Soak(RunTest):
    def test_memory_is_flat(self):
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
                seen.append([resident_kib(p) for p in (process.pid, *workers(process.pid))])
        self.assertEqual(process.wait(harness.LIMIT_S), 0)
        self.assertEqual(lines, CASES + 2)
        pairs = [pair for pair in seen if len(pair) == 2]
        self.assertGreater(len(pairs), CASES // LOOK_EVERY // 2)
        for who, name in enumerate(("supervisor", "worker")):
            values = [pair[who] for pair in pairs]
            self.assertLessEqual(max(values), values[0] + SLACK_KIB, "%s: %s" % (name, values))


if __name__ == "__main__":
    harness.main()
