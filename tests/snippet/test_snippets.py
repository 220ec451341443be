#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts of snippets: the same number each time, errors in the user's own lines, a cache that is checked.

usage: test_snippets.py OPBENCH
"""

import json
import platform
import shutil
import stat
import subprocess
import sys

from program import LOOP, check, run_tests


def test_equal_counts(program):
    first = program.counts(*LOOP, "--repeats", "5")
    check(len(first) == 5 and len(set(first)) == 1, f"five counts in a process: {first}")
    others = [program.counts(*LOOP)[0] for _ in range(5)]
    check(set(others) == set(first), f"counts in other processes: {others}, {first}")
    twice = program.counts(*LOOP, "-n", "200")
    check(twice == [2 * first[0]], f"200 runs are twice 100: {twice}, {first}")
    check(len(program.objects()) == 1, "the snippet is compiled once")


AVX512 = """#include <immintrin.h>
__attribute__((target("avx512f"), noinline)) static float f(const float *a)
{
    return _mm512_reduce_add_ps(_mm512_loadu_ps(a));
}"""


def test_code_that_valgrind_cannot_run(program):
    if platform.machine() != "x86_64":
        return
    done = program.run("--lang", "c", "--global-setup", AVX512, "--setup",
                       "float a[16] = {1}; volatile float r;", "r = f(a);")
    if "error: " in done.stderr and "global setup:" in done.stderr:
        print("not tested: cc has no AVX-512")
        return
    check(done.returncode == 2 and "valgrind cannot run this code" in done.stderr
          and "AVX-512" in done.stderr and "AVX2" in done.stderr, f"AVX-512: {done.stderr}")


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
    check(stats["built_with_debug_symbols"] is True, "nothing of libtorch is in it")


def test_debug_symbols(program):
    """Whether libtorch has them is read from its file: this one is a stand-in of that name."""
    source = program.home / "torch.c"
    source.write_text("int stand_in(int a) { return a * a; }\n")
    setup = ("#include <dlfcn.h>", 'int (*f)(int) = (int (*)(int))dlsym(dlopen("%s", RTLD_NOW), "stand_in"); '
             "volatile int r;")
    for flags, want in ((["-g"], True), (["-g0", "-s"], False)):
        library = program.home / f"libtorch_cpu.so{len(flags)}"
        subprocess.run(["cc", "-shared", "-fPIC", *flags, "-o", library, source], check=True)
        done = program.run("--lang", "c", "--global-setup", setup[0], "--setup", setup[1] % library, "r = f(3);",
                           "--json", "-n", "5")
        check(done.returncode == 0, done.stderr)
        stats = json.loads(done.stdout or "{}")
        check(any("libtorch_cpu" in name for _, name in stats["stmt_exclusive_stats"]["data"]), f"{stats}")
        check(stats["built_with_debug_symbols"] is want, f"{flags}: {stats['built_with_debug_symbols']}")


def test_normalised_texts(program):
    """A task holds what a Timer's holds, and an error the line that the user sees."""
    for language, setup, stmt in (("c", "volatile int s = 0;", "s += 1;"), ("python", "s = 0", "s + 1")):
        code = ["--lang", language, "--setup", f"\n    {setup}\n", f"\n    {stmt}\n  \n"]
        for command, json_word in (("count", ["--json", "-n", "2"]), ("time", ["--format", "json", "-n", "2"])):
            done = program.command(command, *code, *json_word)
            check(done.returncode == 0, done.stderr)
            task = json.loads(done.stdout)["task_spec"]
            check((task["stmt"], task["setup"]) == (stmt, setup), f"{command} {language}: {task}")
    for language, x in (("c", "int x = 1;"), ("python", "x = 1")):
        done = program.run("--lang", language, f"\n    {x}\n    nothing;")
        check("stmt:3:" in done.stderr and "nothing" in done.stderr, f"{language}: {done.stderr}")


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
    shim = program.home / "shim"
    shim.write_text("#!/bin/sh\nexec python3 \"$@\"\n")
    shim.chmod(0o755)
    cases = [
        (["--lang", "c", "int x = 1;\nint y = foo;"], 2, "stmt:2:9: error: 'foo' undeclared"),
        (["--lang", "c", "--setup", "\n  bar;", "1;"], 2, "setup:2:1: error: 'bar' undeclared"),
        (["--lang", "c", "--global-setup", "int a;\nint b = ;", "1;"], 2, "global setup:2:9: error"),
        (["--lang", "c", "int x = 1;\nx +"], 2, "stmt:3:1: error: expected expression before '}' token"),
        (["--lang", "c", "--setup", "int x = 1", "x;"], 2, "setup:2:1: error: expected ',' or ';' before 'while'"),
        (["--lang", "c", "*(volatile int *)0 = 1;"], 1, "ended by signal 11"),
        (["--lang", "c", "for (;;) ;", "--case-timeout", "2"], 1, "it took longer than 2 s"),
        (["--lang", "python", "x = 1\nx = ("], 2, "does not compile:\nstmt:2: SyntaxError"),
        (["--lang", "python", "a = 1\nb"], 1, "stmt:2: NameError: name 'b' is not defined"),
        (["--lang", "python", "--global-setup", "x", "1"], 2, "Python has no global setup"),
        (["--lang", "c", "1;", "--cc", "no-such-cc"], 2,
         "Missing: no-such-cc, the compiler for C, is not in PATH; install it, or name another with --cc PROGRAM"),
        (["--lang", "c++", "1;", "--cxx", "/no/c++"], 2,
         "Missing: cannot run /no/c++, the compiler for C++: No such file or directory; name another with --cxx"),
        (["--lang", "python", "1", "--python", "no-python"], 2, "name another with --python PROGRAM"),
        (["--lang", "python", "1", "--python", str(shim)], 2, f"{shim} is a script that starts an interpreter"),
        (["--lang", "c", "--setup", "-", "-"], 2, "standard input can be read only once"),
        (["--lang", "c", "1;", "2;"], 2, "one statement at a time"),
        (["--lang", "c"], 2, "no statement given; give its code"),
        (["--lang", "c", "@nothing.c"], 2, "nothing.c cannot be read"),
    ]
    for words, code, text in cases:
        done = program.run(*words)
        check(text in done.stderr, f"{words}: wanted {text!r} in {done.stderr!r}")
        check(done.returncode == code, f"{words}: exit code {done.returncode}, want {code}")


def test_long_code(program):
    (program.home / "code.c").write_text("s += 1;\n")
    by_file = program.counts(*LOOP[:-1], f"@{program.home / 'code.c'}")
    check(by_file == program.counts(*LOOP), f"@FILE: {by_file}")
    done = program.run(*LOOP[:-1], "-", "--json", text="s += 1;\n")
    check(json.loads(done.stdout)["counts"] == by_file[0], "- is standard input")


def test_names(program):
    """Functions of a snippet have the same names wherever it was compiled: in a scratch folder, another each time."""
    for lang in ("c", "c++"):
        found = []
        for _ in range(2):
            for path in program.objects():
                path.unlink()
            done = program.run("--lang", lang, "--setup", "volatile int s = 0;", "s += 1;", "--json")
            check(done.returncode == 0 and "opbench-build-" not in done.stdout,
                  f"{lang}: no name has the scratch folder: {done}")
            found.append(done.stdout)
        check(found[0] == found[1], f"{lang}: two builds have the same names and counts")


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
    check(done.returncode == 2 and "others can write to it; fix that" in done.stderr, f"open cache: {done.stderr}")
    program.cache.chmod(0o700)


def test_time(program):
    """The same statements with the Timer; no figure is judged."""
    for words in (LOOP, ["--lang", "c++", "std::string s(100, 'a');"], ["--lang", "python", "len('')"]):
        done = program.command("time", *words, "--number", "1000", "--format", "json")
        check(done.returncode == 0, f"time {words}: {done.stderr}")
        record = json.loads(done.stdout or "{}")
        check(len(record.get("raw_times", [])) == 1, f"time {words}: one block")
        check(record.get("mode") == "timeit" and record.get("status") == "ok", f"{record}")
    done = program.command("time", "--lang", "c", "--op", "torch.add", "1;")
    check(done.returncode == 2 and "leave out -c and --op" in done.stderr, done.stderr)


def test_time_file(program):
    """-o gives a file with a header that show and compare read."""
    path = program.home / "times.jsonl"
    words = ["time", *LOOP, "--number", "1000", "-o", str(path), "--label", "loop", "-q"]
    for env in ("a", "b"):
        done = program.command(*words, "--env", env, "--num-threads", "1,2")
        check(done.returncode == 0 and done.stdout == "", f"{done}")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    check(["raw_times" in line for line in lines] == [False, True, True, False] * 2, f"{lines}")
    check(lines[3]["end"] == "finished" and lines[3]["results"] == {"ok": 2}, f"{lines[3]}")
    check(all(line["repro"].endswith("'s += 1;'") for line in lines if "raw_times" in line), f"{lines}")
    again = program.command(*words, "--env", "b", "--num-threads", "1,2,3", "--resume")
    more = [json.loads(line) for line in path.read_text().splitlines()[8:]]
    check(again.returncode == 0 and [line.get("threads") for line in more] == [None, 3, None],
          f"only what is not there is measured again: {more}")
    other = program.command("time", *LOOP, "--number", "10", "--label", "loop", "--env", "b", "-o", str(path), "--resume")
    check(other.returncode == 2 and "how to count or time them" in other.stderr, f"{other}")
    shown = program.command("show", str(path))
    check(shown.returncode == 0 and shown.stdout.count("s += 1;") == 0 and
          shown.stdout.count("loop") == 5, f"show: {shown}")
    compared = program.command("compare", str(path))
    check(compared.returncode == 0 and "2 threads:" in compared.stdout and
          "s += 1;" in compared.stdout, f"compare: {compared}")


def test_records(program):
    """A count is a record as any other; show prints from the file what was printed, and what failed says how to run it."""
    path = program.home / "counts.jsonl"
    words = [*LOOP, "--num-threads", "1,2", "--repeats", "2"]
    done = program.run(*words, "-o", str(path))
    check(done.returncode == 0 and done.stdout.count("<opbench CallgrindStats>") == 4, f"{done}")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    check([line.get("mode") for line in lines] == [None, "count", "count", None], f"{lines}")
    instructions = lines[1]["instructions"]
    check(instructions["number"] == 100 and len(instructions["counts"]) == 2 and
          len(instructions["tables"]) == 2 and instructions["forward"] * 100 == instructions["counts"][1],
          f"{instructions}")
    again = program.command("show", str(path))
    check(again.stdout == done.stdout and again.stderr == "", f"{again} is not {done}")
    as_json = program.run("show", str(path), "--json")
    check([json.loads(line)["counts"] for line in as_json.stdout.splitlines()] ==
          [count for line in lines[1:3] for count in line["instructions"]["counts"]], f"{as_json}")
    table = program.run(*words, "--format", "csv")
    check(table.stdout == program.command("show", str(path), "--format", "csv").stdout and
          table.stdout.startswith("operator,id,status,pass,threads,speed_up,efficiency,instructions,"), f"{table}")
    records = program.run(*words, "--format", "json")
    check([json.loads(line)["threads"] for line in records.stdout.splitlines()] == [1, 2], f"{records}")
    resumed = program.run(*words, "-o", str(path), "--resume")
    check(resumed.stdout == done.stdout and len(path.read_text().splitlines()) == 5, f"{resumed}")
    bad = program.run("--lang", "c", "abort();", "-o", str(path), "--force", "-n", "3")
    check(bad.returncode == 1 and bad.stdout == "", f"{bad}")
    failed = json.loads(path.read_text().splitlines()[1])
    check(failed["status"] == "crashed" and failed["repro"].endswith("count --number=3 --lang c 'abort();'"),
          f"{failed}")
    check(program.run("--lang", "c", "nothing;", "-q").returncode == 2, "what does not compile is the user's")
    both = program.run(*LOOP, "--json", "--format", "csv")
    check(both.returncode == 2 and "give only one of them" in both.stderr, f"{both}")


def test_operators(program):
    """Statements in C call operators of the native backend."""
    add = 'ob_op *add = ob_op_prepare("torch.add", "f32[4,4]", "f32[4,4]");'
    counts = program.counts("--lang", "c", "--setup", add, "ob_op_call(add);", "--repeats", "2")
    check(len(counts) == 2 and counts[0] == counts[1] > 0, f"counts of an operator: {counts}")
    done = program.run("--lang", "c", "--setup", 'ob_op *o = ob_op_prepare("torch.addd");',
                       "ob_op_call(o);")
    check(done.returncode == 1 and "there is no operator aten::addd" in done.stderr, done.stderr)
    done = program.run("--lang", "c", "--setup", 'ob_op *o = ob_op_prepare("torch.relu", "f32[{4,8}]");',
                       "ob_op_call(o);")
    check(done.returncode == 1 and "the lists in its words make 2" in done.stderr, done.stderr)


def test_tensors(program):
    """A statement in C reads and writes the tensors of its operators."""
    setup = """
        ob_op *add = ob_op_prepare("torch.add", "f32[2,3]", "f32[3]");
        ob_tensor a = ob_op_input(add, 0), b = ob_op_input(add, 1);
        float *x = a.data, *y = b.data;
        if (a.ndim != 2 || a.sizes[1] != 3 || a.strides[0] != 3 || a.numel != 6 || strcmp(a.dtype, "f32") != 0)
            abort();"""
    stmt = """
        x[4] += 1;
        ob_op_call(add);
        const float *sum = ob_op_output(add, 0).data;
        if (sum[4] != x[4] + y[1])
            abort();"""
    done = program.command("time", "--lang", "c", "--setup", setup, stmt, "--number", "100")
    check(done.returncode == 0, f"tensors: {done}")
    add = 'ob_op *cat = ob_op_prepare("torch.cat", "[f32[2],f32[3]]");'
    for code, want in (("if (ob_op_input(cat, 1).numel != 3) abort();", None),
                       ("ob_op_input(cat, 2);", "no tensor as input 2"), ("ob_op_output(cat, 0);", "ob_op_call first")):
        done = program.command("time", "--lang", "c", "--setup", add, code, "--number", "2")
        check((done.returncode, want is None or want in done.stderr) == (0 if want is None else 1, True), f"{done}")


def test_no_valgrind(program):
    """Without valgrind it says so; compilers are still found."""
    tools = program.home / "tools"
    tools.mkdir()
    for name in ("cc", "as", "ld", "python3"):
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    environment = dict(program.environment, PATH=str(tools))
    done = subprocess.run([program.path, "count", *LOOP], env=environment, capture_output=True,
                          text=True, timeout=100)
    check(done.returncode == 2 and "Missing: valgrind" in done.stderr, f"no valgrind: {done.stderr}")
    suite = program.home / "none.yaml"
    suite.write_text("definitions: {a: {stmts: {c: ';'}}, b: {stmts: {c: ';'}}}\n")
    done = subprocess.run([program.path, "count", "-s", suite], env=environment, capture_output=True,
                          text=True, timeout=100)
    check(done.returncode == 2 and done.stderr.count("Missing: valgrind") == 1 and
          done.stdout == "", f"told once: {done}")


if __name__ == "__main__":
    sys.exit(run_tests([test_equal_counts, test_debug_symbols, test_code_that_valgrind_cannot_run, test_tables, test_normalised_texts, test_cpp, test_python,
                        test_errors, test_long_code, test_names, test_cache, test_time, test_time_file, test_records, test_operators,
                        test_tensors, test_no_valgrind]))
