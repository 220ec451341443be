# SPDX-License-Identifier: Apache-2.0
"""Results below made-up ceilings: what is attainable is in the record and the tables, what cannot be is mistrusted, with the null backend
and with a plug-in that returns before it has computed, and where there are no ceilings people are told once how to get some."""

import csv
import glob
import io
import json
import os
import pty
import shutil
import subprocess

import harness
from harness import RunTest, entry, operator, tensor

# 64 MiB in, 64 MiB out: beyond any cache.
LARGE = {"torch.exp": operator(entry(tensor(16 << 20)))}
SMALL = {"torch.add": operator(entry(tensor(1000), tensor(1000)))}


class Roofline(RunTest):
    kept = None  # see measured()

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("plugins"))
        shutil.copy(os.environ["SPOILED_PLUGIN"], self.path("plugins"))
        self.environment = dict(os.environ, OPBENCH_PLUGIN_PATH=self.path("plugins"), XDG_CACHE_HOME=self.path("cache"),
                                OPBENCH_DOCTOR="quiet")
        self.environment.pop("OPBENCH_ROOFLINE", None)

    def ceilings(self, bandwidth):
        """The same of every level of the memory; no processor computes faster."""
        rows = [{"kind": kind, "of": of, "set": "made up", "threads": 1, "value": bandwidth, "unit": "B/s", "bytes": 1}
                for kind in ("load", "store", "copy", "triad") for of in ("L1", "L2", "L3", "memory")]
        rows.append({"kind": "peak", "of": "f32", "set": "made up", "threads": 1, "value": 1e18, "unit": "op/s", "bytes": 0})
        with open(self.path("roofline.json"), "w") as file:
            json.dump({"opbench_roofline": 1, "class": "0", "noted": "nothing", "ceilings": rows}, file)
        return ("--roofline", self.path("roofline.json"))

    def measured(self):
        """This machine's own file, with the null backend's device, and the rows that were printed of it. It is measured once for all
        tests."""
        if not Roofline.kept:
            words = [harness.program, "roofline", "--num-threads", "1", "--budget", "0.1", "--backend", "null", "--device", "null", "--json"]
            said = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True).stdout
            (file,) = glob.glob(self.path("cache/opbench/roofline/*.json"))
            with open(file) as text:
                Roofline.kept = (os.path.basename(file), text.read(), [json.loads(line) for line in said.splitlines()])
        name, text, rows = Roofline.kept
        os.makedirs(self.path("cache/opbench/roofline"), exist_ok=True)
        with open(self.path("cache/opbench/roofline/" + name), "w") as file:
            file.write(text)
        return self.path("cache/opbench/roofline/" + name), rows

    def test_another_build(self):
        """Its loops are not these: what it kept is not used, and the command says so."""
        file, _ = self.measured()
        with open(file) as text:
            kept = json.load(text)
        kept["noted"] = kept["noted"].replace("opbench ", "opbench 0.0.")
        with open(file, "w") as text:
            json.dump(kept, text)
        words = [harness.program, "run", "torch.add", "f32[1024]", "f32[1024]", "--output", self.path("other.json"), "-w", "1", "-i", "5"]
        said = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True).stderr
        self.assertIn("by another build of opbench and are not used", said)
        self.assertIn("run opbench roofline to measure them again", said)
        with open(self.path("other.json")) as text:
            self.assertNotIn("attainable", text.read())

    def one(self, config, *options):
        self.run_config(config, "-w", "1", "-i", "5", *options, code=0, env=self.environment)
        results = self.results()
        self.assertEqual(len(results), 1)
        return results[0], results[0]["statistics"]["forward"]

    def test_null_backend(self):
        """It takes exactly a microsecond: 12,000 bytes at 24 GB/s are half of that, at 8 GB/s more than it takes."""
        result, forward = self.one(SMALL, *self.ceilings(24e9))
        self.assertEqual(result["status"], "ok")
        self.assertAlmostEqual(forward["attainable"], 0.5e-3)
        self.assertAlmostEqual(forward["of_attainable"], 0.5)
        self.assertEqual((forward["attainable_by"], forward["bound_by"]), ("memory", "nothing"))
        result, forward = self.one(SMALL, *self.ceilings(12e9))
        self.assertEqual((result["status"], forward["bound_by"]), ("ok", "memory"))
        result, forward = self.one(SMALL, *self.ceilings(8e9))
        self.assertEqual(result["status"], "mistrusted")
        self.assertEqual(result["reason"].split(":")[1], " 12 GB/s of 8")

    def test_device(self):
        """Ceilings of the null backend's device, as the program measures them, and a case there: 268 MB in 2 us are half of what was
        measured."""
        file, rows = self.measured()
        device = [(row["kind"], row["bytes"], row["value"]) for row in rows if row["of"] == "null:0"]
        self.assertEqual([(kind, size) for kind, size, _ in device],
                         [("upload", 64 << 20), ("copy", 128 << 20), ("download", 64 << 20), ("load", 1 << 20), ("triad", 1048572),
                          ("load", 16 << 20), ("triad", 16777212), ("load", 256 << 20), ("triad", 268435452)])
        for _, size, rate in device:
            self.assertAlmostEqual(rate, size / 1e3)  # a microsecond each, in GB/s
        self.assertEqual([row["of"] for row in rows if row["kind"] == "launch"], ["null"])
        case = {"torch.neg": operator(entry(tensor(32 << 20)))}
        options = ("--device", "null", "--roofline", file, "--backend-options")
        result, forward = self.one(case, *options, "forward_ns=2000")
        self.assertAlmostEqual(forward["attainable"], 1e-3)
        self.assertAlmostEqual(forward["of_attainable"], 0.5)
        result, forward = self.one(case, *options, "forward_ns=500")
        self.assertEqual((result["status"], result["reason"]),
                         ("mistrusted", "faster than device memory: 536871 GB/s of 268435"))
        result, forward = self.one(case, "--device", "null", *self.ceilings(1e9))
        self.assertNotIn("attainable", forward)  # the host's memory says nothing of it
        picture = subprocess.run([harness.program, "roofline", "--show", "--plot", "-o", file], env=self.environment,
                                 capture_output=True, text=True, check=True).stdout
        self.assertIn("null:0 2.684e+05 GB/s", picture)

    def test_returning_early(self):
        """Right numbers of an earlier call, and no time to compute them in: more than a terabyte a second."""
        options = ("--backend", "spoiled", "--backend-options", "fault=early")
        result, _ = self.one(LARGE, *options, *self.ceilings(1e12))
        self.assertEqual(result["status"], "mistrusted")
        self.assertTrue(result["reason"].startswith("faster than memory: "), result["reason"])
        result, _ = self.one(LARGE, *options, "--roofline", "off")
        self.assertEqual(result["status"], "ok")

    def test_columns(self):
        self.one(SMALL, *self.ceilings(24e9))
        text = subprocess.run([harness.program, "show", self.output, "--format", "csv"], env=self.environment,
                              capture_output=True, text=True, check=True).stdout
        row = next(csv.DictReader(io.StringIO(text)))
        self.assertAlmostEqual(float(row["attainable_ns"]), 500)
        self.assertAlmostEqual(float(row["of_attainable"]), 0.5)
        self.assertEqual(row["bound_by"], "nothing")
        text = subprocess.run([harness.program, "show", self.output, "--format", "table"], env=self.environment,
                              capture_output=True, text=True, check=True).stdout
        self.assertIn("of roof  bound by", text)
        self.assertIn(" 50.0 %  nothing", text)
        self.one(SMALL, "--roofline", "off")
        text = subprocess.run([harness.program, "show", self.output, "--format", "csv"], env=self.environment,
                              capture_output=True, text=True, check=True).stdout
        row = next(csv.DictReader(io.StringIO(text)))
        self.assertEqual((row["attainable_ns"], row["of_attainable"], row["bound_by"]), ("", "", ""))

    def output_of(self, *words):
        return subprocess.run([harness.program, *words], env=self.environment, capture_output=True, text=True, check=True).stdout

    def test_time(self):
        words = ("time", "--backend", "null", "--op", "torch.add", "f32[1000]", "f32[1000]")
        line = "  Attainable: 500.00 ns, 50.0% of it reached, bound by nothing\n"
        self.assertTrue(self.output_of(*words, *self.ceilings(24e9)).endswith("  Backend: null\n" + line))
        self.assertNotIn("Attainable", self.output_of(*words, "--roofline", "off"))
        self.assertNotIn("Attainable", self.output_of(*words, "-b", *self.ceilings(24e9)))  # no pass has a time of its own
        row = next(csv.DictReader(io.StringIO(self.output_of(*words, *self.ceilings(12e9), "--format", "csv"))))
        self.assertEqual((row["attainable_ns"], row["of_attainable"], row["bound_by"]), ("1000", "1", "memory"))
        output = self.path("time.json")
        self.output_of(*words, *self.ceilings(24e9), "-o", output)
        self.assertIn(line, self.output_of("show", output))

    def test_side_by_side(self):
        options = ("--backend", "null,spoiled")
        self.run_config(SMALL, "-w", "1", "-i", "5", *options, *self.ceilings(24e9), code=0, env=self.environment)
        row = next(csv.DictReader(io.StringIO(self.output_of("show", self.output, "--format", "csv"))))
        self.assertAlmostEqual(float(row["null_attainable_ns"]), 500)
        self.assertAlmostEqual(float(row["null_of_attainable"]), 0.5)
        self.assertEqual(row["null_bound_by"], "nothing")
        self.assertAlmostEqual(float(row["spoiled_attainable_ns"]), 500)
        text = self.output_of("show", self.output, "--format", "table", "--wide")
        self.assertIn("null of roof  bound by  spoiled of roof  bound by", text)
        text = self.output_of("show", self.output, "--format", "table")
        self.assertIn("GB/s  of roof  bound by\n", text)  # of the fastest
        self.run_config(SMALL, "-w", "1", "-i", "5", *options, "--roofline", "off", code=0, env=self.environment)
        self.assertNotIn("of roof", self.output_of("show", self.output, "--format", "table"))

    def test_another_library(self):
        """Ceilings of this machine that were measured with a library which is another one now: said once, with the command."""
        kept, _ = self.measured()
        with open(kept) as file:
            ceilings = json.load(file)
        self.assertEqual([row["backend"] for row in ceilings["libraries"]], ["null"])
        self.assertIn("libc.so", ceilings["libraries"][0]["files"])
        self.assertNotIn("null.so", ceilings["libraries"][0]["files"])
        warning = "warning: the ceilings were measured with My BLAS 1.0 under null, and " + self.path("gone.so") \
            + " has since been replaced or removed; run opbench roofline to measure them again\n"
        many = {"torch.add": operator(*[entry(tensor(1000), tensor(1000))] * 3)}
        words = [*self.command(self.config(many), "-w", "1", "-i", "5"), "--force"]
        self.assertNotIn("warning", self.errors_of(words))
        ceilings["libraries"].append({"backend": "null", "library": "My BLAS 1.0", "files": self.path("gone.so") + "\tidentity\n"})
        ceilings["libraries"].append({"backend": "native", "library": "", "files": "/nowhere\tidentity\n"})
        with open(kept, "w") as file:
            json.dump(ceilings, file)
        self.assertEqual(self.errors_of(words).count(warning), 1)
        self.assertNotIn("warning", self.errors_of([*words, "--roofline", kept]))
        self.assertNotIn("warning", self.errors_of([*words, "-q"]))
        self.assertIn(warning, self.errors_of([harness.program, "roofline", "--show"]))

    def errors_of(self, words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True).stderr

    def said(self, **variables):
        """What a terminal sees of standard error."""
        parent, child = pty.openpty()
        words = self.command(self.config(SMALL), "-w", "1", "-i", "5")
        subprocess.run(words, env={**self.environment, **variables}, stdout=subprocess.DEVNULL, stderr=child, check=True)
        os.close(child)
        text = b""
        try:
            while chunk := os.read(parent, 65536):
                text += chunk
        except OSError:  # Linux' word for the end of it
            pass
        os.close(parent)
        return text.decode()

    def test_hint(self):
        hint = "`opbench roofline` once"
        self.assertEqual(self.said().count(hint), 1)
        self.assertNotIn(hint, self.said(OPBENCH_ROOFLINE="off"))
        self.assertNotIn(hint, self.said(OPBENCH_ROOFLINE=self.ceilings(1e12)[1]))


if __name__ == "__main__":
    harness.main()
