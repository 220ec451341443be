# SPDX-License-Identifier: Apache-2.0
"""The output file: full disks, files that cannot be written, appending, resuming, beginning and ending
at a case."""

import fcntl
import json
import os
import resource
import signal
import time

import harness
from harness import RunTest, many_cases, three_operators


def limit_file_size(size):
    """As a full disk: write() takes what fits and then fails. Here as shells leave it: the signal would end the program."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class Disk(RunTest):
    def test_full_device(self):
        done = self.run_program(
            self.command(self.config(three_operators()), output="/dev/full"), code=1)
        self.assertIn(b"No space left on device", done.stderr)
        self.assert_no_process(self.folder)

    def test_nobody_reads_the_table(self):
        """It ends by SIGPIPE, as programs do, and its workers with it."""
        reader, writer = os.pipe()
        os.close(reader)
        process = self.start(self.command(self.config(many_cases(300))), pipe=writer)
        os.close(writer)
        self.assertEqual(process.wait(harness.LIMIT_S), -signal.SIGPIPE)
        self.assert_no_process(self.folder)

    def test_file_limit_of_other_commands(self):
        """ulimit -f: said with the file's name, and what fits stays and is gone on from."""
        config = self.config(many_cases(100))
        for words in ([harness.program, "time", "-c", config, "--backend", "null", "--number", "10", "-q"],
                      [harness.program, "run", "-c", config, "--backend", "null,native", "-i", "3", "-q"]):
            with self.subTest(words[1]):
                words += ["--output" if words[1] == "run" else "-o", self.output]
                done = self.run_program(words, code=1, preexec_fn=limit_file_size(40000))
                self.assertIn(self.output.encode() + b": error: a record of ", done.stderr)
                self.assertIn(b"File too large", done.stderr)
                before = self.results()
                self.assertGreater(len(before), 0)
                self.run_program([*words, "--resume"], code=0)
                self.assertEqual(self.results()[:len(before)], before)
                self.assertEqual({r["index"] for r in self.results()}, set(range(100)))
                os.remove(self.output)

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
        for output in (self.path("no/such/folder.json"), "/proc/no_file.json"):
            done = self.run_program(
                self.command(self.config(three_operators()), "--backend-options", "fault=abort",
                             output=output))
            self.assertEqual(done.returncode, 2)
            self.assertIn(output.encode() + b": error: cannot be written: ", done.stderr)
            self.assertIn(b"; check the folder and its permissions, or give another --output",
                          done.stderr)
            self.assertEqual(done.stdout, b"")
            self.assertNotIn(b"SIGABRT", done.stderr)

    def test_second_run_on_the_same_file_is_refused(self):
        config = self.config(three_operators())
        first = self.start(self.command(config, "--backend-options",
                                        "fault=hang,fault_op=aten::mul.Tensor"))
        self.wait_for_records(1)
        done = self.run_program(self.command(config, "-a"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"another run (process %d) is writing to this file; --wait waits for it" % first.pid,
                      done.stderr)
        self.assertIsNone(first.poll())


class AnotherRun(RunTest):
    """A run that is resumed while the first one still writes must lose nothing of it."""

    def other_words(self):
        # Long enough to be under way while the second one begins, and no longer.
        return "--backend-options", "fault=hang,fault_op=aten::mul.Tensor", "--case-timeout", "2"

    def test_is_refused_while_the_file_is_written(self):
        config = self.config(three_operators())
        first = self.start(self.command(config, *self.other_words()[:2]))
        self.wait_for_records(1)
        with open(self.output, "a") as file:
            file.write('{"op_name": "under way')
        with open(self.output, "rb") as file:
            before = file.read()
        done = self.run_program(self.command(config, "--resume", *self.other_words()[:2]))
        self.assertEqual(done.returncode, 1)
        self.assertIn(self.output.encode() + b": error: another run (process %d) is writing to this file" %
                      first.pid, done.stderr)
        with open(self.output, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertIsNone(first.poll())

    def test_waits_when_asked(self):
        config = self.config(three_operators())
        first = self.start(self.command(config, *self.other_words()))
        self.wait_for_records(1)
        done = self.run_program(self.command(config, "--resume", "--wait", *self.other_words()), code=0)
        self.assertEqual(first.wait(harness.LIMIT_S), 1)
        self.assertIn(b"waiting for process %d, which writes to %s" %
                      (first.pid, self.output.encode()), done.stderr)
        self.assertEqual([r["index"] for r in self.results()], [0, 1, 2])
        self.assertIn(b"3 cases were already done", done.stdout)

    def suite(self):
        path = self.path("suite.yaml")
        with open(path, "w") as file:
            file.write("definitions: {a: {stmts: {python: pass}}}\n")
        return path

    def writers(self):
        """Each command that adds to a file of records, on the same file."""
        config = self.config(three_operators())
        run = [harness.program, "run", "-c", config, "--backend", "null", "--output", self.output]
        return {
            "append": [*run, "-a"],
            "resume": [*run, "--resume"],
            "force": [*run, "--force"],
            "new": run,
            "time": [harness.program, "time", "-c", config, "--backend", "null", "-o", self.output],
            "time a suite": [harness.program, "time", "-s", self.suite(), "-o", self.output],
            "time a statement": [harness.program, "time", "--lang", "python", "pass", "--number", "1",
                                 "-o", self.output],
        }

    def test_every_writer_takes_the_lock(self):
        line = b'{"trace_file": "x"}\n'
        for name, words in self.writers().items():
            with open(self.output, "wb") as other:
                fcntl.flock(other, fcntl.LOCK_EX)
                other.write(line)
                other.flush()
                with self.subTest(name):
                    done = self.run_program(words, code=1)
                    self.assertIn(b"another run (process %d) is writing to this file" % os.getpid(), done.stderr)
                    with open(self.output, "rb") as file:
                        self.assertEqual(file.read(), line)

    def test_an_interrupt_ends_the_waiting(self):
        for name, words in self.writers().items():
            with open(self.output, "wb") as other, self.subTest(name):
                fcntl.flock(other, fcntl.LOCK_EX)
                process = self.start([*words, "--wait"])
                self.assertIn(b"waiting for process %d" % os.getpid(), process.stderr.readline())
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(harness.LIMIT_S), 130)
                self.assertEqual(os.path.getsize(self.output), 0)

    def has_read_all(self, process):
        """Whether the process has the file open and is at its end."""
        folder = "/proc/%d/" % process.pid
        try:
            for name in os.listdir(folder + "fd"):
                if os.readlink(folder + "fd/" + name) == self.output:
                    with open(folder + "fdinfo/" + name) as info:
                        return int(info.readline().split()[1]) >= os.path.getsize(self.output)
        except FileNotFoundError:
            pass
        return False

    def test_cuts_nothing_that_was_written_after_it_was_read(self):
        """The other run writes and ends at the worst moment: when this one has read the file."""
        config = self.config(many_cases(3000))
        self.run_program(self.command(config, "-q"), code=0)
        with open(self.output, "r+b") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            other.seek(0, os.SEEK_END)
            process = self.start(self.command(config, "--resume"))
            self.wait_for("a reader or its end",
                          lambda: self.has_read_all(process) or process.poll() is not None)
            process.send_signal(signal.SIGSTOP)
            other.write(b'{"trace_file": "late"}\n')
            other.flush()
            size = other.tell()
            fcntl.flock(other, fcntl.LOCK_UN)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(harness.LIMIT_S), 1)
        self.assertIn(b"is writing to this file", process.stderr.read())
        self.assertEqual(os.path.getsize(self.output), size)


class Names(RunTest):
    """Names of files are bytes; those of records are UTF-8."""

    def setUp(self):
        super().setUp()
        self.folder = os.path.join(os.fsencode(self.folder), b"\xff\xfe \x9b31m")
        try:
            os.mkdir(self.folder)
        except OSError:
            self.skipTest("this file system takes UTF-8 alone")
        self.file = os.path.join(self.folder, b"config\xff.json")
        with open(self.file, "w") as file:
            json.dump(many_cases(6), file)
        self.output = os.path.join(self.folder, b"records\xff.json")

    def command_of(self, name, *options):
        return [os.fsencode(harness.program), name, b"-c", self.file, b"--backend", b"null", *options]

    def check(self, words):
        """All records, then half of them and a torn one."""
        done = self.run_program(words, code=0)
        self.assertEqual(done.stderr, b"")
        want = [(r["index"], r["key"]) for r in self.results()]
        with open(self.output, "rb+") as file:
            file.truncate(len(file.read()) // 2)
        again = self.run_program([*words, b"--resume"], code=0)
        self.assertEqual(again.stderr, b"")
        self.assertEqual([(r["index"], r["key"]) for r in self.results()], want)
        for text in done.stdout, again.stdout:
            text.decode()  # is UTF-8
            self.assertNotIn("\x9b", text.decode())
        shown = self.run_program([harness.program, b"show", self.output], code=0)
        self.assertEqual(shown.stdout, self.run_program([harness.program, b"show", self.output], code=0).stdout)

    def test_run(self):
        self.check(self.command_of("run", b"--output", self.output))

    def test_time(self):
        self.check(self.command_of("time", b"--number", b"10", b"-o", self.output))

    def test_repro_works_in_a_shell(self):
        for name, options in ("run", (b"--output",)), ("time", (b"--number", b"10", b"-o")):
            with self.subTest(name):
                self.run_program(self.command_of(name, *options, self.output, b"--force"), code=0)
                record = self.results()[3]
                again = os.path.join(self.folder, b"again.json")
                line = os.fsencode(record["repro"]) + b" " + options[-1] + b' "$1" --force'
                self.run_program(["bash", "-c", line, "bash", again], code=0)
                self.output, first = again, self.output
                (r,) = self.results()
                self.output = first
                self.assertEqual((r["index"], r["key"]), (record["index"], record["key"]))

    def test_messages_are_text(self):
        os.remove(self.file)
        done = self.run_program(self.command_of("run", b"--output", self.output), code=2)
        self.assertIn("config\ufffd.json: error: ", done.stderr.decode())

    def test_replay_says_why_not(self):
        done = self.run_program([harness.program, b"replay", self.file, b"--backend", b"null"], code=2)
        self.assertIn("its name is not UTF-8", done.stderr.decode())


class SlowReader(RunTest):
    def test_is_not_the_case_s_fault(self):
        """A worker whose records nobody takes waits; its cases are not over their time."""
        count = 1000  # more than the pipe and the socket hold
        os.mkfifo(self.output)
        timeout = 0.3 * harness.PATIENCE
        process = self.start(self.command(self.config(many_cases(count)), "--case-timeout", str(timeout)))
        with open(self.output, "rb") as pipe:
            time.sleep(3 * timeout)
            results = [r for r in map(json.loads, pipe) if "op_name" in r]
        self.assertEqual(process.wait(harness.LIMIT_S), 0)
        self.assertEqual([r["index"] for r in results], list(range(count)))
        self.assertEqual({r["status"] for r in results}, {"ok"})


class Modes(RunTest):
    def test_replaces_or_appends(self):
        self.run_config(three_operators(), code=0)
        self.run_config(three_operators(), "--force", code=0)
        self.assertEqual(len(self.results()), 3)
        self.run_config(three_operators(), "-a", code=0)
        self.assertEqual([r["index"] for r in self.results()], [0, 1, 2] * 2)

    def test_replaces_nothing_unasked(self):
        words = self.command(self.config(three_operators()), force=False)
        open(self.output, "w").close()  # one that is empty holds nothing
        self.run_program(words, code=0)
        before = self.lines()
        done = self.run_program(words, code=2)
        self.assertIn(self.output.encode() + b": error: already exists; --resume continues from it, "
                      b"--append adds to it, --force replaces it", done.stderr)
        self.assertEqual(self.lines(), before)

    def test_one_word_for_the_file(self):
        for pair in (("-a", "--resume"), ("--resume", "--force"), ("-a", "--force")):
            done = self.run_config(three_operators(), *pair, code=2)
            self.assertIn(b"--append, --resume and --force conflict;", done.stderr)

    def test_a_case_of_a_billion_is_found_at_once(self):
        count = 1000000000
        for index in (0, 7, 999999999):
            self.run_config(many_cases(count), "--case", "torch.add|0|0|0_%d" % index, code=0)
            (r,) = self.results()
            self.assertEqual((r["index"], r["config"]["input"]["kwargs"]["alpha"]["value"]),
                             (index, index + 1))
        self.run_config(many_cases(count), "-r", "torch.add|0|0|0_500000000", "-s",
                        "torch.add|0|0|0_500000002", code=0)
        self.assertEqual([r["index"] for r in self.results()], [500000000, 500000001])
        for name in ("torch.add|0|0|0_1000000000", "torch.add|0|0|0", "torch.add|0|0|x"):
            done = self.run_config(many_cases(count), "--case", name, code=2)
            self.assertIn(b'has no case "%s"' % name.encode(), done.stderr)

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
        done = self.run_config(three_operators(), *fault, "--resume", code=0)
        self.assertEqual(len(self.results()), 3)
        self.assertIn(b"3 cases were already done", done.stdout)

    def test_the_table_has_all_cases(self):
        self.run_config(many_cases(4), "-s", "torch.add|0|0|0_2", code=0)
        done = self.run_config(many_cases(4), "--resume", "--format", "csv", code=0)
        rows = [line.split(",")[1] for line in done.stdout.decode().splitlines()]
        self.assertEqual(rows, ["id", "0|0|0_0", "0|0|0_1", "0|0|0_2", "0|0|0_3"])
        done = self.run_config(many_cases(4), "--resume", "--format", "json", code=0)
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()], self.results())

    def test_other_options_are_refused(self):
        base = ("-i", "5", "--exec-mode", "continuous", "--seed", "3")
        self.run_config(many_cases(3), *base, "-s", "torch.add|0|0|0_1", code=0)
        before = self.lines()
        changes = {
            "exec-mode": (("--exec-mode", "discrete"), "continuous", "discrete"),
            "backend": (("--backend", "native"), "null", "native"),
            "iteration": (("-i", "6"), "5", "6"),
            "warmup": (("-w", "2"), "1", "2"),
            "backward": (("-b",), "not given", "given"),
            "pin": (("--pin", "0"), "not given", "0"),
            "membind": (("--membind", "0"), "not given", "0"),
            "seed": (("--seed", "4"), "3", "4"),
            "block": (("--block", "2"), "0", "2"),
            "warmup-time": (("--warmup-time", "0.001"), "0.0", "0.001"),
            "processes": (("--processes", "2"), "1", "2"),
            "backend-options": (("--backend-options", "forward_ns=7"), "not given", "forward_ns=7"),
            "inference-mode": (("--inference-mode",), "not given", "given"),
            "cache": (("--exec-mode", "discrete", "--cuda-l2-cache", "off"), "hot", "cold"),
        }
        for name, (options, old, new) in changes.items():
            done = self.run_config(many_cases(3), *base, *options, "--resume", code=2)
            if name != "cache":  # the mode differs too, and is told first
                self.assertIn(("was measured with --%s: %s, but this run has: %s; give the same "
                               "options for --resume, or another --output" % (name, old, new)).encode(),
                              done.stderr)
            self.assertEqual(self.lines(), before)
        # The same in other words, and what does not change a number.
        self.run_config(many_cases(3), *base, "--device", "cpu", "--cuda-l2-cache", "on",
                        "--case-timeout", "50", "--max-memory", "9000", "--resume", code=0)
        self.assertEqual([r["index"] for r in self.results()], [0, 1, 2])

    def test_changed_config_is_refused(self):
        self.run_config(many_cases(6), "-s", "torch.add|0|0|0_2", code=0)
        before = self.lines()
        done = self.run_config(many_cases(7), "--resume", code=2)
        self.assertIn(b"was made from a different config than", done.stderr)
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
