# SPDX-License-Identifier: Apache-2.0
"""Selecting cases: operators by any of their names, warnings of what is selected alone, and repro lines
that work from anywhere."""

import json
import os
import shlex
import subprocess

import harness
from harness import RunTest, entry, many_cases, operator, tensor, three_operators

PAIR = entry(tensor(4), tensor(4))


def names(results):
    return [r["op_name"] for r in results]


class Operators(RunTest):
    MIXED = {name: operator(PAIR) for name in ("torch.add", "torch.mul", "torch.Tensor.add")}

    def selected(self, *options, code=0):
        done = self.run_config(self.MIXED, *options, code=code)
        return names(self.results()) if code == 0 else done.stderr

    def test_by_the_name_in_the_config(self):
        self.assertEqual(self.selected("--op", "torch.add"), ["torch.add"])
        self.assertEqual(self.selected("--op", "torch.mul"), ["torch.mul"])

    def test_by_another_name(self):
        for name in ("aten::add", "aten::add.Tensor", "torch.ops.aten.add"):
            self.assertEqual(self.selected("--op", name), ["torch.add", "torch.Tensor.add"])
            self.assertEqual([r["index"] for r in self.results()], [0, 2])
        self.assertEqual(self.finish()["results"], {"ok": 2})
        self.assertEqual(self.lines()[0]["cases"], 2)
        self.assertEqual(len([line for line in self.lines() if "start_time" in line]), 1)

    def test_within_begin_and_end(self):
        self.assertEqual(self.selected("--op", "aten::add", "-r", "torch.mul|0|0|0"),
                         ["torch.Tensor.add"])
        self.assertEqual(self.selected("--op", "aten::add", "-s", "torch.mul|0|0|0"), ["torch.add"])

    def test_unknown(self):
        self.assertIn(b'has no operator "torch.ad"; did you mean "torch.add"?',
                      self.selected("--op", "torch.ad", code=2))
        self.assertIn(b'has no operator "aten::relu"; `opbench expand -c` lists its cases',
                      self.selected("--op", "aten::relu", code=2))
        self.assertIn(b'has no operator "torch.ad"; did you mean "torch.add"?',
                      self.selected("--case", "torch.ad|0|0|0", code=2))


class Warnings(RunTest):
    CONTENT = {"torch.add": operator(PAIR), "my.own": operator(PAIR), "my.other": operator(PAIR)}

    def warned(self, *options):
        done = self.run_config(self.CONTENT, *options)
        return [name for name in ("my.own", "my.other") if name.encode() in done.stderr]

    def test_only_of_what_is_selected(self):
        self.assertEqual(self.warned(), ["my.own", "my.other"])
        self.assertEqual(self.warned("--op", "torch.add"), [])
        self.assertEqual(self.warned("--op", "my.own"), ["my.own"])
        self.assertEqual(self.warned("--case", "my.other|0|0|0"), ["my.other"])

    def test_quiet(self):
        self.assertEqual(self.warned("-q"), [])
        self.assertEqual(self.warned("-q", "-l", "warning"), ["my.own", "my.other"])


class Marks(RunTest):
    def test_rows_with_warnings_are_marked(self):
        done = self.run_config(many_cases(2), "-i", "0", code=0)
        text = done.stdout.decode()
        self.assertEqual(text.count(" ok* "), 2, text)
        self.assertIn("* 2 results, the first is add(f32[4], f32[4], alpha=1): nothing was measured: "
                      "-i asks for no iterations\n", text)
        done = self.run_config(many_cases(1), "-i", "0", "--format", "csv", code=0)
        cells = done.stdout.decode().splitlines()[1].split(",")
        self.assertEqual(cells[2], "ok")
        self.assertIn("nothing was measured: -i asks for no iterations", cells)
        done = self.run_config(many_cases(1), "-i", "1", code=0)
        self.assertNotIn("*", done.stdout.decode())

    def test_csv_has_all_digits(self):
        done = self.run_config(many_cases(1), "--backend-options", "forward_ns=7", "--format", "csv",
                               code=0)
        (r,) = self.results()
        title, row = (line.split(",") for line in done.stdout.decode().splitlines())
        got = dict(zip(title, row))
        self.assertEqual(float(got["gflop_per_second"]), r["statistics"]["forward"]["gflops_per_s"])
        self.assertEqual(float(got["gb_per_second"]), r["statistics"]["forward"]["gb_per_s"])
        self.assertGreater(len(got["gflop_per_second"]), 8)


class Repro(RunTest):
    def run_here(self, words, **more):
        return subprocess.run([*words, "--backend", "null", "--output", self.output, "--force"],
                              cwd=self.folder, stdout=subprocess.DEVNULL, check=True, **more)

    def test_paths_are_absolute(self):
        self.config(three_operators())
        self.run_here([harness.program, "run", "-c", "config.json"])
        for r in self.results():
            words = shlex.split(r["repro"])
            self.assertEqual(words[0], harness.program)
            self.assertEqual(words[3], os.path.realpath(self.path("config.json")))
            other = self.path("other.json")
            subprocess.run([*words, "--output", other, "--force", "-q"], cwd="/", check=True)
            self.assertEqual([again["key"] for again in self.results(other)], [r["key"]])

    def test_program_in_the_path(self):
        self.config(three_operators())
        os.symlink(harness.program, self.path("opbench"))
        paths = {"PATH": self.folder + ":" + os.environ["PATH"]}
        self.run_here([harness.program, "run", "-c", "config.json"], env={**os.environ, **paths})
        self.assertTrue(self.results()[0]["repro"].startswith("opbench run -c /"))

    def test_config_from_standard_input(self):
        text = json.dumps(three_operators())
        self.run_here([harness.program, "run", "-c", "-"], input=text, text=True)
        repro = self.results()[1]["repro"]
        self.assertIn(" run -c - --case ", repro)
        self.assertTrue(repro.endswith(
            " # the config came from standard input; pipe it in again"), repro)
        other = self.path("other.json")
        subprocess.run(repro.replace(" #", " -q --output %s #" % other), shell=True, check=True,
                       cwd="/", input=text, text=True)
        self.assertEqual(names(self.results(other)), ["torch.mul"])


class Precision(RunTest):
    def test_disturbed_samples_do_not_hold_it_up(self):
        """One sample in twelve takes 20 times as long: a mean within 1 % would take hundreds of thousands of them."""
        self.run_config(many_cases(1), "--precision", "0.01", "--backend-options",
                        "forward_ns=96000,slow_every=12,slow_ns=2000000", code=0)
        (r,) = self.results()
        figures = r["statistics"]["forward"]
        self.assertEqual(r["stop"], {"rule": "precision", "verdict": "done"})
        self.assertEqual((figures["count"], figures["median"], figures["max"]), (38, 0.096, 2.096))
        self.assertEqual(figures["interval"]["relative_half_width"], 0)

    def test_one_sample_says_so(self):
        self.run_config(many_cases(1), code=0)
        (r,) = self.results()
        self.assertEqual(r["statistics"]["forward"]["interval"], {
            "independent": 1, "over": "samples",
            "reason": "one sample gives no interval; use --precision 0.02, or -i 10 or more"})


class Blocks(RunTest):
    def test_a_short_time_gives_enough_blocks(self):
        for seconds in ("0.00001", "0.001", "0.05"):
            self.run_config(many_cases(1), "--exec-mode", "continuous", "--min-time", seconds,
                            "--backend-options", "forward_ns=700", code=0)
            (r,) = self.results()
            count = len(r["metric"]["forward"]["measure.time"])
            self.assertGreaterEqual(count, 10, seconds)
            self.assertGreaterEqual(sum(r["raw_times"]), float(seconds) * 0.999)
            self.assertIn("low", r["statistics"]["forward"]["interval"])


if __name__ == "__main__":
    harness.main()
