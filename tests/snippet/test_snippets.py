#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts of snippets: the same number each time, errors in the user's own lines, a cache that is checked.

usage: test_snippets.py OPBENCH
"""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

SKIP = 77
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


class Program:
    def __init__(self, path, home):
        self.path = path
        self.cache = home / "cache" / "opbench" / "snippets"
        self.temporary = home / "tmp"
        self.temporary.mkdir()
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(home / "cache"),
                                TMPDIR=str(self.temporary))

    def run(self, *words, text=None):
        return subprocess.run([self.path, "count", *words], env=self.environment, input=text,
                              capture_output=True, text=True, timeout=280)

    def counts(self, *words):
        """The counts of each repeat; stops the test when there are none."""
        done = self.run(*words, "--json")
        if done.returncode != 0:
            print(done.stderr)
            check(False, f"{words} gave {done.returncode}")
            return []
        return [json.loads(line)["counts"] for line in done.stdout.splitlines()]

    def objects(self):
        return sorted(self.cache.glob("*.so"))


LOOP = ["--lang", "c", "--setup", "volatile int s = 0;", "s += 1;"]


def test_equal_counts(program):
    first = program.counts(*LOOP, "--repeats", "5")
    check(len(first) == 5 and len(set(first)) == 1, f"five counts in a process: {first}")
    others = [program.counts(*LOOP)[0] for _ in range(2)]
    check(set(others) == set(first), f"counts in other processes: {others}, {first}")
    twice = program.counts(*LOOP, "-n", "200")
    check(twice == [2 * first[0]], f"200 runs are twice 100: {twice}, {first}")
    check(len(program.objects()) == 1, "the snippet is compiled once")


def test_tables(program):
    setup = "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }"
    done = program.run("--lang", "c", "--global-setup", f"__attribute__((noinline)) {setup}",
                       "--setup", "volatile int n = 6, r;", "r = f(n);", "--json")
    check(done.returncode == 0, done.stderr)
    stats = json.loads(done.stdout)
    names = [name for _, name in stats["stmt_exclusive_stats"]["data"]]
    check(any(name.startswith("global setup:f") for name in names), f"f is in {names}")
    check(any(name.startswith("stmt:ob_snippet_entry") for name in names), f"stmt is in {names}")
    check(not any("ob_snippet_serve" in name or "next_block" in name for name in names),
          f"nothing of ours is in {names}")
    check(sum(count for count, _ in stats["stmt_exclusive_stats"]["data"]) == stats["counts"],
          "the table sums up to the counts")
    check(stats["task_spec"]["stmt"] == "r = f(n);", "the task is kept")


def test_cpp(program):
    words = ["--lang", "c++", "--setup", "std::string s;", 's = "\\n\\\\d\\"" + s.substr(0, 0);']
    counts = program.counts(*words, "--repeats", "2")
    check(len(counts) == 2 and counts[0] == counts[1], f"C++ counts: {counts}")
    done = program.run("--lang", "c++", 'std::string("x").substr(5);')
    check(done.returncode == 1 and "substr" in done.stderr, f"an exception: {done.stderr}")


def test_python(program):
    words = ["--lang", "python", "--setup", "x = [3, 1, 2]", "y = '''a\n  b\\n'''; sorted(x)"]
    done = program.run(*words, "--repeats", "2", "--json", "-n", "50")
    check(done.returncode == 0, done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    check(len(lines) == 2 and all(line["counts"] > 0 for line in lines), "counts of Python")
    check(all(line["baseline_exclusive_stats"]["data"] for line in lines), "it has a baseline")
    done = program.run(*words, "--no-baseline", "--json", "-n", "5")
    check(json.loads(done.stdout)["baseline_exclusive_stats"] is None, "or none")
    multi = program.run("--lang", "python", "--setup", "z = '''a\n  b'''",
                        "assert z == 'a\\n  b' and '''c\n d''' == 'c\\n d'", "-n", "2")
    check(multi.returncode == 0, f"texts of several lines arrive untouched: {multi.stderr}")


def test_errors(program):
    cases = [
        (["--lang", "c", "int x = 1;\nint y = foo;"], 2, "stmt:2:9: error: 'foo' undeclared"),
        (["--lang", "c", "--setup", "\n  bar;", "1;"], 2, "setup:2:1: error: 'bar' undeclared"),
        (["--lang", "c", "--global-setup", "int a;\nint b = ;", "1;"], 2, "global setup:2:9: error"),
        (["--lang", "c", "*(volatile int *)0 = 1;"], 1, "ended by signal 11"),
        (["--lang", "c", "for (;;) ;", "--timeout", "3"], 2, "it took longer than 3 s"),
        (["--lang", "python", "x = 1\nx = ("], 1, "stmt:2: SyntaxError"),
        (["--lang", "python", "a = 1\nb"], 1, "stmt:2: NameError: name 'b' is not defined"),
        (["--lang", "python", "--global-setup", "x", "1"], 2, "Python has no global setup"),
        (["--lang", "c", "1;", "--cc", "no-such-cc"], 2, "Missing: no-such-cc"),
        (["--lang", "c", "1;", "2;"], 2, "one statement at a time"),
        (["--lang", "c"], 2, "no statement; give its code"),
        (["--lang", "c", "@nothing.c"], 2, "nothing.c cannot be read"),
    ]
    for words, code, text in cases:
        done = program.run(*words)
        check(text in done.stderr, f"{words}: wanted {text!r} in {done.stderr!r}")
        check(done.returncode == code, f"{words}: exit code {done.returncode}, want {code}")


def test_long_code(program, home):
    (home / "code.c").write_text("s += 1;\n")
    by_file = program.counts(*LOOP[:-1], f"@{home / 'code.c'}")
    check(by_file == program.counts(*LOOP), f"@FILE: {by_file}")
    done = program.run(*LOOP[:-1], "-", "--json", text="s += 1;\n")
    check(json.loads(done.stdout)["counts"] == by_file[0], "- is standard input")


def test_cache(program):
    """What is in the cache is checked before it is loaded, and the cache is the user's alone."""
    before = program.counts(*LOOP)
    for path in program.objects():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    check(program.counts(*LOOP) == before, "a changed object is made again")
    for path in program.cache.glob("*.so"):
        check(stat.S_IMODE(path.stat().st_mode) & 0o022 == 0, f"{path} is not for others to write")
    program.cache.chmod(0o777)
    done = program.run(*LOOP)
    check(done.returncode == 2 and "not yours alone" in done.stderr, f"open cache: {done.stderr}")
    program.cache.chmod(0o700)


def test_time(program):
    """The same statements with the Timer; no figure is judged."""
    for words in (LOOP, ["--lang", "c++", "std::string s(100, 'a');"], ["--lang", "python", "len('')"]):
        done = subprocess.run([program.path, "time", *words, "--number", "1000", "--format", "json"],
                              env=program.environment, capture_output=True, text=True, timeout=200)
        check(done.returncode == 0, f"time {words}: {done.stderr}")
        check(len(json.loads(done.stdout or "{}").get("times", [])) == 1, f"time {words}: one block")
    done = subprocess.run([program.path, "time", "--lang", "c", "--op", "torch.add", "1;"],
                          env=program.environment, capture_output=True, text=True, timeout=200)
    check(done.returncode == 2 and "leave out -c and --op" in done.stderr, done.stderr)


def test_operators(program):
    """Statements in C call operators of the native backend."""
    add = 'ob_op *add = ob_op_prepare("torch.add", "f32[4,4]", "f32[4,4]");'
    counts = program.counts("--lang", "c", "--setup", add, "ob_op_call(add);", "--repeats", "2")
    check(len(counts) == 2 and counts[0] == counts[1] > 0, f"counts of an operator: {counts}")
    done = program.run("--lang", "c", "--setup", 'ob_op *o = ob_op_prepare("torch.addd");',
                       "ob_op_call(o);")
    check(done.returncode == 1 and "no operator aten::addd is known" in done.stderr, done.stderr)


SUITE = """
definitions:
  loops:
    variants:
      c: |
        // @setup
        volatile int s = 0;
        // @count
        %s
        // @broken
        nothing;
"""


def test_suite(program, home):
    """All snippets are counted, one that fails is told, and an earlier run can be compared with."""
    suite = home / "run.yaml"
    suite.write_text(SUITE % "s += 1;")
    ci = home / "ci.json"
    words = ["-s", str(suite), "--retries", "1", "--repeats", "2", "--json"]
    first = program.run(*words, "--ci", str(ci))
    check(first.returncode == 1, f"a failure shows in the exit code: {first.returncode}")
    check("failed after 2 attempts" in first.stderr and "'nothing' undeclared" in first.stderr,
          first.stderr)
    lines = [json.loads(line) for line in first.stdout.splitlines()]
    check(len(lines) == 1 and '"count"' in lines[0]["task_spec"]["label"], f"{lines}")
    values = json.loads(ci.read_text())
    check(list(values) == ["version", "md5", "start_time", "end_time", "values"], f"{values}")
    check([len(v["counts"]) for v in values["values"].values()] == [2], f"{values}")

    before = home / "before.json"
    before.write_text(first.stdout)
    suite.write_text((SUITE % "s += 1; s += 1;").replace("nothing;", ""))
    words += ["--baseline", str(before)]
    grown = program.run(*words)
    check(grown.returncode == 1 and "more than allowed" in grown.stderr, grown.stderr)
    check("stmt:ob_snippet_entry" in grown.stderr, f"by function: {grown.stderr}")
    allowed = program.run(*words, "--max-regression", "200")
    check(allowed.returncode == 0, f"within the limit: {allowed.stderr}")


def test_no_valgrind(program, home):
    """Without valgrind it says so; compilers are still found."""
    tools = home / "tools"
    tools.mkdir()
    for name in ("cc", "as", "ld", "python3"):
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    environment = dict(program.environment, PATH=str(tools))
    done = subprocess.run([program.path, "count", *LOOP], env=environment, capture_output=True,
                          text=True, timeout=100)
    check(done.returncode == 2 and "Missing: valgrind" in done.stderr, f"no valgrind: {done.stderr}")


def test_list_runs_nothing(program, home):
    """A suite alone starts no process and writes no file."""
    suite = home / "suite.yaml"
    marker = home / "marker"
    suite.write_text(f"definitions: {{a: {{stmts: {{python: \"open('{marker}', 'w')\"}}}}}}\n")
    done = program.run("-s", str(suite), "--list")
    check(done.returncode == 0 and not marker.exists(), "--list runs nothing")


def main():
    for name in ("valgrind", "cc", "c++"):
        if shutil.which(name) is None:
            print(f"skipped: there is no {name}")
            return SKIP
    if b"__asan_init" in pathlib.Path(sys.argv[1]).read_bytes():
        print("skipped: a program with AddressSanitizer does not run under valgrind")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        program = Program(sys.argv[1], home)
        test_equal_counts(program)
        test_tables(program)
        test_cpp(program)
        test_python(program)
        test_errors(program)
        test_long_code(program, home)
        test_cache(program)
        test_time(program)
        test_operators(program)
        test_suite(program, home)
        test_no_valgrind(program, home)
        test_list_runs_nothing(program, home)
        left = [path.name for path in program.temporary.iterdir()]
        check(left == [], f"nothing is left behind: {left}")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
