# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments of every command that writes records, a torn last line, then --resume: no finished record is lost or made
twice, the table is that of a command that nobody killed, and no process is left. --rounds says how often, in fifths."""

import csv
import io
import json
import os
import random
import shutil
import signal
import time

import harness
from harness import RunTest, guards, many_cases, workers

SEED = 20261117
STEP = "opbench::replay"
TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "traces", "step.json")


def living(mark):
    """Processes whose environment names the folder: all that came of the command, whatever they call themselves."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            continue
    return found


class Command(RunTest):
    """What the commands share; each has its words, what names a record, and how its table is read."""

    share = 5  # of --rounds
    targets = ("command",)
    sides = 1  # backends
    units = None  # of what is finished as several records: the operator of the last one
    columns = ()  # that are the same in every run

    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, TMPDIR=self.folder, XDG_CACHE_HOME=self.path("cache"))
        self.words = self.make_words()
        begin = time.monotonic()
        self.run_program(self.words, code=0, env=self.environment)
        self.seconds = time.monotonic() - begin
        self.want = self.names(self.records())
        self.assertEqual(len(set(self.want)), len(self.want))
        self.want_table = self.table()

    def records(self):
        return [r for r in self.results() if self.units is None or r["op_name"] == self.units]

    def names(self, records):
        return sorted((r["op_name"] or "", r["id"], r.get("backend"), r["key"]) for r in records)

    def finished(self):
        """The lines of what was finished when the command was killed: of several backends, those of whole cases."""
        if not os.path.exists(self.output):
            return []
        with open(self.output, "rb") as file:
            lines = file.read().split(b"\n")[:-1]
        records = [(json.loads(line), line) for line in lines]
        records = [(r, line) for r, line in records if "op_name" in r]
        sides = {}
        for r, _ in records:
            if self.units in (None, r["op_name"]):
                sides.setdefault((r["id"], r["op_name"]), set()).add(r.get("backend"))
        whole = {key[0] for key, backends in sides.items() if len(backends) == self.sides}
        return [line for r, line in records if r["id"] in whole]

    def table(self):
        return self.run_program([harness.program, "show", self.output, *self.columns], code=0).stdout

    def clear(self):
        for name in os.listdir(self.folder):
            if name.startswith("records."):
                os.remove(self.path(name))

    def kill(self, pids):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def written(self):
        try:
            with open(self.output, "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def tear(self, size):
        """Takes a part of the last line away, as a machine that loses power does."""
        with open(self.output, "rb+") as file:
            text = file.read()
            begin = text[:-1].rfind(b"\n") + 1
            file.truncate(max(begin + 1, len(text) - size))

    def round(self, target, lines, moment, torn):
        """A little after the file has so many lines, so that a busy machine's runs are hit as well."""
        self.clear()
        process = self.start(self.words, env=self.environment)
        self.wait_for("%d lines" % lines, lambda: self.written() >= lines or process.poll() is not None)
        time.sleep(moment)
        self.kill({"worker": workers, "guard": guards, "command": lambda pid: [pid]}[target](process.pid))
        code = process.wait(harness.LIMIT_S)
        self.wait_for("the end of all processes", lambda: not living(self.folder))
        self.assertIn(code, (0, -signal.SIGKILL) if target == "command" else (0, 1))
        if torn > 0 and self.written() > 0:
            self.tear(torn)
        before = self.finished()
        # The records of a command without failed cases: those that were killed with their worker are measured again.
        failed = [r for r in self.lines_if_whole() if r.get("status", "ok") != "ok"]
        self.assertLessEqual(len(failed), 0 if target == "command" else self.sides)
        for r in failed:
            self.assertIn(r["status"], ("crashed", "failed"))
        resume = ["--resume"] if os.path.exists(self.output) else []
        again = self.run_program([*self.words, *resume], env=self.environment)
        self.assertEqual(again.stderr, b"")
        self.assertIn(again.returncode, (0, 1) if failed else (0,))
        with open(self.output, "rb") as file:
            after = file.read().splitlines()
        for line in before:
            self.assertEqual(after.count(line), 1, "a finished record is lost or there twice: %r" % line[:300])
        self.assertEqual(self.names(self.records()), self.want)
        if not failed:
            self.assertEqual(self.table(), self.want_table)
        return code == -signal.SIGKILL or len(failed) > 0

    def lines_if_whole(self):
        try:
            with open(self.output, "rb") as file:
                return [json.loads(line) for line in file.read().split(b"\n")[:-1]]
        except FileNotFoundError:
            return []

    def rounds(self):
        draw = random.Random(SEED)
        hits, count = 0, max(1, harness.rounds // self.share)
        most = self.written()
        for number in range(count):
            target = self.targets[number % len(self.targets)]
            lines, moment = draw.randrange(most - 1), draw.uniform(0, self.seconds / most)
            torn = draw.choice((0, 1, 40, 100000))
            with self.subTest(target=target, lines=lines, moment=moment, torn=torn):
                hits += self.round(target, lines, moment, torn)
        self.assertGreaterEqual(hits, count // 3, "too few of the moments hit the command")


class Run(Command):
    sides = 2
    columns = ("--format", "csv", "--columns", "operator,id,pass,null")
    targets = ("command", "worker", "command", "guard")

    def make_words(self):
        return [harness.program, "run", "-c", self.config(many_cases(100)), "--backend", "null,native", "-i", "50",
                "-q", "--output", self.output]

    def test_several_backends(self):
        self.rounds()


class Processes(Command):
    """Cases that are measured in several processes each."""

    def make_words(self):
        return [harness.program, "run", "-c", self.config(many_cases(10)), "--backend", "null", "--processes", "3",
                "-i", "5", "-q", "--output", self.output]

    def test_several_processes(self):
        self.rounds()


class Time(Command):
    targets = ("command", "worker")

    def make_words(self):
        return [harness.program, "time", "-c", self.config(many_cases(100)), "--backend", "null", "--number", "1000",
                "-q", "-o", self.output]

    def test_time(self):
        self.rounds()


class Statements(Command):
    columns = ("--format", "csv", "--columns", "label,threads")

    def make_words(self):
        suite = self.path("suite.yaml")
        with open(suite, "w") as file:
            file.write("definitions:\n" + "".join("  a%d: {stmts: {python: '%d'}}\n" % (n, n) for n in range(6)))
        return [harness.program, "time", "-s", suite, "--number", "100", "-q", "-o", self.output]

    def test_statements(self):
        self.rounds()


class Sweep(Command):
    """Its rows are a file of their own, which is made anew of the records."""

    targets = ("command", "worker")

    def make_words(self):
        sweep = {"model": "torch.nn.Linear", "model_init_params": ["in_features", "out_features"],
                 "input_params": [["batch", "in_features"]],
                 "input_scales": {"batch": list(range(1, 26)), "in_features": [16, 32], "out_features": 4},
                 "job_configs": [{"precision": ["fp32"], "runtime": ["null", "native"]}]}
        self.output = self.path("records.jsonl")
        return [harness.program, "sweep", self.config(sweep), "-q", "-w", "1", "-i", "20", "-o", self.path("records.csv")]

    def table(self):
        """Without the times that were really measured."""
        with open(self.path("records.csv")) as file:
            rows = list(csv.reader(io.StringIO(file.read())))
        cut = rows[0].index("samples")
        return [row if row[rows[0].index("backend")] == "null" else row[:cut] for row in rows]

    def test_sweep(self):
        self.rounds()


class Replay(Command):
    """What is finished is a whole step, on all backends."""

    sides, units = 2, STEP
    columns = ("--format", "csv", "--columns", "operator,trace,step,backend,status,calls,computing,ran")

    def make_words(self):
        steps = [self.path("step%d.json" % number) for number in range(8)]
        for step in steps:
            shutil.copy(TRACE, step)
        return [harness.program, "replay", *steps, "--backend", "null,native", "-w", "0", "-i", "3", "-q", "-o",
                self.output]

    def table(self):
        """The steps in their order; their operators in any, because the slowest is the first."""
        rows = list(csv.reader(io.StringIO(super().table().decode())))
        return [row for row in rows if row[0] == ""], sorted(row for row in rows if row[0] != "")

    def test_replay(self):
        self.rounds()


class Count(Command):
    share = 10  # a case takes a second under valgrind

    def make_words(self):
        self.need_valgrind()
        return [harness.program, "count", "-c", self.config(many_cases(3)), "--backend", "null", "-n", "3", "-q", "-o",
                self.output]

    def test_count(self):
        self.rounds()


if __name__ == "__main__":
    harness.main()
