# SPDX-License-Identifier: Apache-2.0
"""`opbench run --count` and `opbench count --op`: instructions of cases, and what becomes of a case that valgrind
cannot run. A stand-in for valgrind makes the failures."""

import json
import os
import signal

import harness
from harness import RunTest, entry, operator, tensor, three_operators

NATIVE = ("--backend", "native")


def product():
    return {"torch.mm": operator(entry(tensor(8, 8), tensor(8, 8)), entry(tensor(4, 4), tensor(4, 4)))}


class Stand(RunTest):
    """Without valgrind itself."""

    def stand_in(self, script):
        """A folder whose `valgrind` is this; "$@" are valgrind's own words and the worker's."""
        folder = self.path("bin")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "valgrind")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return {**os.environ, "PATH": folder + ":" + os.environ["PATH"]}

    def counted(self, environment, *options, code=0):
        self.run_config(three_operators(), *NATIVE, "--count", *options, code=code, env=environment)
        results = self.results()
        for result in results:
            self.assertEqual(result["status"], "ok")
            self.assertEqual(len(result["metric"]["forward"]["measure.time"]), 1)
        return results

    def assert_reason(self, results, text, count=3):
        self.assertEqual(len(results), count)
        for result in results:
            self.assertEqual(set(result["instructions"]), {"source", "reason"})
            self.assertIn(text, result["instructions"]["reason"])

    def test_missing(self):
        environment = {**os.environ, "PATH": self.folder}
        self.assert_reason(self.counted(environment), "Missing: valgrind; install valgrind")
        done = self.run_program([harness.program, "count", "--op", "torch.neg", "f32[4]"], 2,
                                env=environment)
        self.assertIn(b"Missing: valgrind; install valgrind", done.stderr)

    def test_no_worker_comes_up(self):
        environment = self.stand_in("kill -SEGV $$\n")
        self.assert_reason(self.counted(environment), "under valgrind: cannot start a worker:")

    def test_worker_that_is_not_under_valgrind(self):
        worker = 'while [ "$1" != worker ]; do p=$1; shift; done\n"$p" "$@" &\nwait\n'
        environment = self.stand_in(worker)
        self.assert_reason(self.counted(environment), "built without valgrind's headers")

    def test_crash(self):
        environment = self.stand_in("exit 3\n")
        self.assert_reason(self.counted(environment), "code 3")

    def test_time_limit(self):
        environment = self.stand_in("exec sleep 60\n")
        results = self.counted(environment, "--count-timeout", "0.1")
        self.assert_reason(results, "did not open within 0.1 s")
        self.assert_no_process(self.folder)

    def test_environment(self):
        """Libraries are told to do without AVX-512."""
        environment = self.stand_in("env > %s\nexit 1\n" % self.path("env"))
        self.counted(environment)
        with open(self.path("env")) as file:
            text = file.read()
        for line in ("ATEN_CPU_CAPABILITY=avx2", "DNNL_MAX_CPU_ISA=AVX2", "ONEDNN_MAX_CPU_ISA=AVX2",
                     "OPENBLAS_CORETYPE=Haswell"):
            self.assertIn(line + "\n", text)

    def test_failed_case_is_not_counted(self):
        environment = self.stand_in("touch %s\nexit 1\n" % self.path("started"))
        config = {"torch.mm": operator(entry(tensor(2, 3), tensor(2, 3)))}
        self.run_config(config, *NATIVE, "--count", code=1, env=environment)
        self.assertNotIn("instructions", self.results()[0])
        self.assertFalse(os.path.exists(self.path("started")))

    def test_interrupt(self):
        environment = self.stand_in("echo > %s\nexec sleep 60\n" % self.path("started"))
        words = self.command(self.config(three_operators()), *NATIVE, "--count")
        process = self.start(words, env=environment)
        self.wait_for("valgrind", lambda: os.path.exists(self.path("started")))

        def ended():  # the second interrupt ends it at once
            process.send_signal(signal.SIGINT)
            return process.poll() is not None

        self.wait_for("the end", ended)
        self.assertEqual(process.returncode, 130)
        results = self.results()
        self.assertEqual([result["status"] for result in results], ["ok"])  # the next one did not begin
        self.assertIn("interrupted", results[0]["instructions"]["reason"])
        self.assert_no_process(self.folder)

    def test_one_interrupt(self):
        """The first one lets a count of a second end, and no further case begin."""
        worker = 'while [ "$1" != worker ]; do p=$1; shift; done\necho > %s\nsleep 1\nexit 3\n'
        environment = self.stand_in(worker % self.path("started"))
        process = self.start(self.command(self.config(three_operators()), *NATIVE, "--count"), env=environment)
        self.wait_for("valgrind", lambda: os.path.exists(self.path("started")))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertEqual([result["status"] for result in self.results()], ["ok"])

    def test_interrupted_count(self):
        """count -c ends at once, with nothing told of cases that did not begin."""
        environment = self.stand_in("echo > %s\nexec sleep 60\n" % self.path("started"))
        words = [harness.program, "count", "-c", self.config(three_operators())]
        process = self.start(words, env=environment)
        self.wait_for("valgrind", lambda: os.path.exists(self.path("started")))
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 130)
        self.assertRegex(error, r"^opbench count: error: interrupted\nopbench count: interrupted after [0-3] of 3 results, which "
                                r"were not saved; with --output FILE it could continue\n$")
        self.assert_no_process(self.folder)

    def test_options(self):
        cases = [
            (("--count-dir", "x"), "add --count"),
            (("--count-number", "3"), "add --count"),
            (("--count", "--no-isolate"), "leave out --no-isolate"),
            (("--count", "--count-with", "perf_event", "--count-dir", "x"), "--count-dir keeps"),
            (("--count", "--count-dir", "/dev/null"), "cannot make the folder"),
        ]
        for options, text in cases:
            done = self.run_config(three_operators(), *NATIVE, *options, code=2)
            self.assertIn(text, done.stderr.decode())

    def test_hardware_counters(self):
        """Whether there are some is said once; asked for alone, their absence is an error."""
        done = self.run_config(three_operators(), *NATIVE, "--count", "--count-with", "perf_event",
                               "-l", "info")
        if done.returncode == 0:
            self.assertEqual(self.lines()[0]["sys_info"]["perf_event"], "available")
            for result in self.results():
                self.assertEqual(result["counters"]["source"], "perf_event")
                self.assertNotIn("instructions", result)
        else:
            self.assertEqual(done.returncode, 2)
            self.run_config(three_operators(), *NATIVE, code=0)
            why = self.lines()[0]["sys_info"]["perf_event"]
            self.assertIn(why, done.stderr.decode())
            self.assertEqual(done.stderr.decode().count(why), 1)


class Valgrind(RunTest):
    def setUp(self):
        super().setUp()
        self.need_valgrind()
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)
        self.environment = {**os.environ, "TMPDIR": self.temporary}

    def count(self, *words, code=0):
        done = self.run_program([harness.program, "count", *words], code, env=self.environment)
        self.assertEqual(os.listdir(self.temporary), [])
        return done

    def counts(self, *words):
        return [json.loads(line) for line in self.count(*words, "--json").stdout.splitlines()]

    def test_run(self):
        kept = self.path("kept")
        self.run_config(product(), *NATIVE, "-b", "--count", "--count-dir", kept, code=0,
                        env=self.environment)
        first = [r["instructions"] for r in self.results()]
        self.assertEqual(os.listdir(self.temporary), [])
        for result in self.results():
            counts = result["instructions"]
            self.assertEqual((counts["source"], counts["number"]), ("callgrind", 10))
            for name in ("forward", "backward"):
                with open(counts[name + "_file"]) as file:
                    stats = json.load(file)
                self.assertEqual(stats["counts"], counts[name] * 10)
                names = [function for _, function in stats["stmt_exclusive_stats"]["data"]]
                self.assertFalse([n for n in names if "ob__counted" in n or "ob__callgrind" in n])
                self.assertEqual(stats["counts"],
                                 sum(c for c, _ in stats["stmt_exclusive_stats"]["data"]))
        large, small = first
        self.assertGreater(large["forward"], small["forward"])
        shown = self.count("show", large["forward_file"]).stdout.decode()
        self.assertIn("Total: %d" % (large["forward"] * 10), shown)
        # The same again, side by side with a second backend, and case by case.
        self.run_config(product(), "--backend", "native,null", "-b", "--count", code=0,
                        env=self.environment)
        again = {r["id"]: r["instructions"] for r in self.results() if r["backend"] == "native"}
        null = [r["instructions"]["forward"] for r in self.results() if r["backend"] == "null"]
        self.assertEqual([(c["forward"], c["backward"]) for c in again.values()],
                         [(c["forward"], c["backward"]) for c in first])
        self.assertEqual(null[0], null[1])

    def test_equal_counts(self):
        words = ("--op", "torch.add", "f32[4,4]", "f32[4,4]")
        in_one = [c["counts"] for c in self.counts(*words, "--repeats", "5")]
        self.assertEqual(len(in_one), 5)
        in_another = [c["counts"] for c in self.counts(*words)]
        self.assertEqual(set(in_one + in_another), {in_one[0]})
        # Nothing is in it but the iterations.
        twice = self.counts(*words, "-n", "20")[0]
        self.assertEqual((twice["counts"], twice["number_per_run"]), (2 * in_one[0], 20))

    def test_operator(self):
        forward, backward = self.counts("--op", "torch.mm", "f32[4,4]+grad", "f32[4,4]+grad", "-b")
        self.assertEqual(forward["task_spec"]["stmt"], "torch.mm(f32[4,4]+grad, f32[4,4]+grad)")
        self.assertEqual(forward["task_spec"]["description"], "native")
        self.assertEqual(backward["task_spec"]["description"], "native, backward")

    def test_diff(self):
        """Each case beside itself, though both have one operator."""
        files = [self.path(name) for name in ("old.json", "new.json")]
        for file in files:
            with open(file, "wb") as out:
                out.write(self.count("-c", self.config(product()), "-b", "--json").stdout)
        done = self.count("diff", *files)
        self.assertEqual((done.stdout, done.stderr), (b"", b"opbench count: 4 of 4 counts are equal\n"))

    def test_records(self):
        """A count of cases is a file as that of a run: shown, resumed, and with the way to repeat each."""
        path = self.path("counts.json")
        words = ("-c", self.config(product()), "-b", "-n", "3", "--num-threads", "1,2")
        done = self.count(*words, "-o", path)
        with open(path) as file:
            lines = file.read().splitlines()
        header, *results, finish = map(json.loads, lines)
        self.assertEqual((header["cases"], finish["results"]), (4, {"ok": 4}))
        self.assertEqual([(r["mode"], r["status"], r["threads"]) for r in results],
                         [("count", "ok", n) for n in (1, 1, 2, 2)])
        counts = results[0]["instructions"]
        self.assertEqual([t["counts"] for t in counts["tables"]],
                         [3 * counts["forward"], 3 * counts["backward"]])
        self.assertNotIn("warnings", results[0])
        self.assertEqual(self.run_program([harness.program, "show", path]).stdout, done.stdout)
        for form in "table", "markdown", "csv":
            shown = self.run_program([harness.program, "show", path, "--format", form]).stdout
            self.assertEqual(self.count(*words, "--format", form).stdout, shown)
        # The first three lines, and a torn one.
        with open(path, "w") as file:
            file.write("\n".join(lines[:3]) + "\n" + lines[3][:50])
        self.assertEqual(self.count(*words, "-o", path, "--resume").stdout, done.stdout)
        again = self.lines(path)
        self.assertEqual([r["threads"] for r in again if "op_name" in r], [1, 1, 2, 2])
        done = self.count("-c", self.config(product()), "-b", "-n", "4", "-o", path, "--resume", code=2)
        self.assertIn(b"a different choice of --number or --repeats", done.stderr)
        # The repro line counts the same.
        repeat = self.run_program(["sh", "-c", results[1]["repro"] + " --json"], env=self.environment)
        self.assertEqual([json.loads(line)["counts"] for line in repeat.stdout.splitlines()],
                         [t["counts"] for t in results[1]["instructions"]["tables"]])

    def test_shown(self):
        """What show prints of a file is, byte for byte, what was printed when it was written."""
        suite = self.path("suite.yaml")
        with open(suite, "w") as file:
            file.write('definitions: {a: {stmts: {c: "x++;", setup: {c: "int x = 0;"}}},'
                       ' b: {stmts: {c: "x--;", setup: {c: "int x = 0;"}}}}')
        for i, (words, code) in enumerate(((("-c", self.config(product()), "-b", "--num-threads", "1,2"), 0),
                                           (("-s", suite), 0), (("--lang", "c", "--setup", "int x = 0;", "x++;"), 0),
                                           (("--lang", "c", "extern int no_such(void); no_such();"), 1),
                                           (("-b", "-n", "3", "--op", "torch.add", "f32[4]", "f32[4]"), 0))):
            with self.subTest(words=words):
                path = self.path(f"shown{i}.json")
                done = self.count("-o", path, *words, code=code)
                self.assertEqual(done.stdout != b"", code == 0)
                self.assertEqual(self.run_program([harness.program, "show", path]).stdout, done.stdout)

    def test_failed_records(self):
        path = self.path("failed.json")
        config = self.config(three_operators())
        self.count("-c", config, "--backend", "null", "--backend-options",
                   "fault=illegal,fault_op=" + harness.CANONICAL["torch.sub"], "-o", path, code=1)
        results = [r for r in self.lines(path) if "op_name" in r]
        self.assertEqual([r["status"] for r in results], ["ok", "ok", "unsupported"])
        self.assertNotIn("instructions", results[2])
        self.assertIn("count -c %s --case" % config, results[2]["repro"])

    def test_case_that_writes_its_input(self):
        """Restored before every iteration: sorted data would be sorted in fewer steps."""
        words = ("--op", "torch.Tensor.sort", "f32[64]")
        one, many = (self.counts(*words, "-n", n)[0]["counts"] for n in ("1", "4"))
        self.assertEqual(many, 4 * one)

    def test_failures(self):
        done = self.count("--op", "torch.mm", "f32[2,3]", "f32[2,3]", code=1)
        self.assertIn(b"torch.mm|0|0|0: mm: self is [2, 3]", done.stderr)
        config = self.config(three_operators())
        done = self.count("-c", config, "--backend", "null", "--backend-options",
                          "fault=segfault,fault_op=" + harness.CANONICAL["torch.mul"], "--json", code=1)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn(b"torch.mul|0|0|0: under valgrind: the worker died of SIG", done.stderr)
        done = self.count("-c", config, "--backend", "null", "--backend-options",
                          "fault=illegal,fault_op=" + harness.CANONICAL["torch.sub"], "--json", code=1)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn(b"torch.sub|0|0|0: valgrind cannot run this code: it uses instructions that "
                      b"valgrind does not know, such as AVX-512", done.stderr)
        done = self.count("-c", config, "--backend", "null", "--backend-options", "fault=x", code=2)
        self.assertIn(b"'x' is not a choice", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    harness.main()
