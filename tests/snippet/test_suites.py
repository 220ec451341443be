#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Suites that are run: every snippet counted or timed, failures among them, tables, records, the CI form.

usage: test_suites.py OPBENCH
"""

import json
import os
import signal
import subprocess
import sys
import time

from program import check, run_tests

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

MIXED = """
definitions:
  add:
    variants:
      python: |
        # @setup
        x = 1
        # @numbers
        x + 1
        x + x + x
      c: |
        // @setup
        volatile int x = 1;
        // @numbers
        x + 1;
        x + x + x;
  one:
    timer: {stmt: "x += 1;", setup: "volatile int x = 0;", language: c, num_threads: 2}
"""


def test_counts(program):
    """All snippets are counted, one that fails is told, and an earlier run can be compared with."""
    suite = program.home / "run.yaml"
    suite.write_text(SUITE % "s += 1;")
    words = ["-s", str(suite), "--repeats", "2", "--json"]
    first = program.run(*words)
    check(first.returncode == 1, f"a failure shows in the exit code: {first.returncode}")
    name = "loops / broken  Eager, Forward  C, 1 thread"
    check(f"{name}: failed after 1 attempt: the snippet does not compile" in first.stderr and
          "'nothing' undeclared" in first.stderr, f"what does not compile is tried once: {first.stderr}")
    check(f"count -s {suite} --only '{name}'" in first.stderr, f"how to run it alone: {first.stderr}")
    lines = [json.loads(line) for line in first.stdout.splitlines()]
    check(len(lines) == 1 and '"count"' in lines[0]["task_spec"]["label"], f"{lines}")

    before = program.home / "before.json"
    before.write_text(first.stdout)
    suite.write_text((SUITE % "s += 1; s += 1;").replace("nothing;", ""))
    words += ["--baseline", str(before)]
    grown = program.run(*words)
    check(grown.returncode == 1 and "more than allowed" in grown.stderr, grown.stderr)
    check("stmt:ob_snippet_entry" in grown.stderr, f"by function: {grown.stderr}")
    # How many instructions a statement is depends on the compiler; twice the statement adds as many again.
    own = sum(count for count, function in lines[0]["stmt_exclusive_stats"]["data"] if function.startswith("stmt:"))
    check(own > 0 and own % lines[0]["number_per_run"] == 0, f"as many in every repetition: {lines}")
    counts = f"{lines[0]['counts'] + own} instructions instead of {lines[0]['counts']}"
    check(f"loops / count  Eager, Forward  C, 1 thread: {counts}" in grown.stderr, f"by its name: {grown.stderr}")
    allowed = program.run(*words, "--max-regression", "200")
    check(allowed.returncode == 0, f"within the limit: {allowed.stderr}")
    other = program.run(*words, "--number", "50")
    check(other.returncode == 2 and "give --number 100 too" in other.stderr and other.stdout == "",
          f"another number is refused before anything is counted: {other}")
    suite.write_text((SUITE % "s += 1;").replace("loops:", "others:").replace("nothing;", ""))
    strange = program.run(*words)
    check(strange.returncode == 2 and "there is nothing to compare" in strange.stderr and strange.stdout == "",
          f"a baseline of another suite is refused before anything is counted: {strange}")


def test_retries(program):
    """What fails or takes too long is tried again."""
    suite = program.home / "retry.yaml"
    tries = program.home / "tries"
    suite.write_text(f"""
definitions:
  flaky:
    stmts:
      python: |
        pass
      setup:
        python: |
          with open({str(tries)!r}, "a") as file:
              file.write("x")
          if len(open({str(tries)!r}).read()) < 2:
              raise ValueError("not yet")
  slow: {{stmts: {{c: "for (;;) ;"}}}}
""")
    done = program.command("time", "-s", str(suite), "--case-timeout", "4", "--retries", "1",
                           "--min-run-time", "0", "--format", "json")
    check(done.returncode == 1, f"{done}")
    records = {line["task_spec"]["label"]: line for line in map(json.loads, done.stdout.splitlines())}
    check(records["flaky"]["status"] == "ok", f"the second attempt works: {records['flaky']}")
    check(records["slow"]["status"] == "timed_out" and "--case-timeout" in records["slow"]["reason"],
          f"{records['slow']}")
    check("slow  Eager, Forward  C, 1 thread: failed after 2 attempts" in done.stderr, done.stderr)


def test_tables_and_records(program):
    """A table on standard output, a record per snippet in a file."""
    suite = program.home / "mixed.yaml"
    suite.write_text(MIXED)
    counts = program.home / "counts.jsonl"
    done = program.run("-s", str(suite), "--lang", "c", "-o", str(counts))
    check(done.returncode == 0, done.stderr)
    want = [
        "Instructions per run",
        "               | Eager, Forward |",
        "               |              C | C",
        "add",
        "  numbers",
        "    Case:  0   |              5 |",
        "    Case:  1   |              7 |",
        "one, 2 threads |                | 6",
    ]
    got = done.stdout.splitlines()
    check(len(got) == len(want), done.stdout)
    for have, expected in zip(got, want):  # compilers differ in a few instructions
        check("".join(c for c in have if not c.isdigit()) == "".join(c for c in expected if not c.isdigit()),
              f"{have!r}, want {expected!r}")
    header, *records, finish = map(json.loads, counts.read_text().splitlines())
    check(finish["end"] == "finished" and finish["results"] == {"ok": 3}, f"{finish}")
    check(header.get("sys_info") is not None and str(suite) in json.dumps(header), f"{header}")
    check([r["id"] for r in records][:1] == ["add / numbers / Case:  0  Eager, Forward  C, 1 thread"] or
          len(records) == 3, f"{records}")
    for record in records:
        check(record["status"] == "ok" and record["instructions"]["forward"] > 0 and
              record["instructions"]["number"] == 100, f"{record}")

    counts = program.home / "counts.jsonl"
    counted = program.command("count", "-s", str(suite), "-o", str(counts))
    again = program.command("show", str(counts))
    check(again.stdout.startswith("Instructions per run\n") and again.stdout == counted.stdout,
          f"{again} is not {counted}")
    for form in ("markdown", "csv"):
        first = program.command("count", "-s", str(suite), "--format", form)
        again = program.command("show", str(counts), "--format", form)
        check(first.stdout == again.stdout and first.stdout != counted.stdout, f"{again} is not {first}")
    # Records are what --baseline and diff read, too.
    same = program.run("-s", str(suite), "--baseline", str(counts), "--lang", "c")
    check(same.returncode == 0 and "0 of 3 counts grew" in same.stderr, f"{same}")
    times = program.home / "times.jsonl"
    done = program.command("time", "-s", str(suite), "--min-run-time", "0.001", "-o", str(times))
    check(done.returncode == 0 and done.stdout.startswith("Median time of a run in"), f"{done}")
    check("| Python" in done.stdout and "one, 2 threads" in done.stdout, done.stdout)
    compared = program.command("compare", str(times))
    check(compared.returncode == 0 and "numbers / Case:  1" in compared.stdout and
          "Eager, Forward, Python" in compared.stdout and "2 threads:" in compared.stdout, f"{compared}")
    shown = program.command("show", str(times), "--measurements")
    check(shown.returncode == 0 and shown.stdout.count("<opbench Measurement>") == 5, f"{shown}")
    again = program.command("show", str(times))
    check(again.returncode == 0 and again.stdout == done.stdout, f"{again} is not {done}")


def test_resume(program):
    """What the file has is not counted again, and is shown and written as if it were; --ci has counts, then times."""
    suite = program.home / "resumed.yaml"
    suite.write_text(SUITE % "s += 1;")
    path, ci = program.home / "resumed.jsonl", program.home / "resumed.json"
    words = ["-s", str(suite), "--only", "count", "-o", str(path), "--rounds", "2", "--repeats", "2",
             "--min-run-time", "0.001", "--ci", str(ci)]
    done = program.run(*words)
    lines = path.read_text().splitlines()
    check(done.returncode == 0 and len(lines) == 6, f"{done}")
    values = json.loads(ci.read_text())["values"]
    header, *records, _ = lines  # several are counted at a time
    records.sort(key=lambda line: json.loads(line)["process"])
    check([(json.loads(line)["mode"], json.loads(line)["process"]) for line in records] ==
          [("count", 0), ("count", 1), ("blocked", 2), ("blocked", 3)], f"{records}")
    path.write_text("".join(line + "\n" for line in [header, *records[:2], records[3]]))
    again = program.run(*words, "--resume", "--force")  # the file of --ci
    more = [json.loads(line) for line in path.read_text().splitlines()[4:]]
    check([line.get("mode") for line in more] == [None, "blocked", None] and more[1]["process"] == 2, f"{more}")
    check(again.returncode == 0 and again.stdout == done.stdout, f"{again} is not {done}")
    (_, value), = json.loads(ci.read_text())["values"].items()
    (_, first), = values.items()
    check(value["counts"] == first["counts"] and len(value["times"]) >= 2, f"{value}, {first}")
    other = program.run("-s", str(suite), "-o", str(path), "--resume")
    check(other.returncode == 2 and "a different choice of" in other.stderr and other.stdout == "", f"{other}")


def test_ci(program):
    """The file of the original: lists over all rounds, and times beside counts."""
    suite = program.home / "ci.yaml"
    suite.write_text(SUITE % "s += 1;")
    ci = program.home / "ci.json"
    done = program.run("-s", str(suite), "--ci", str(ci), "--rounds", "2", "--repeats", "3",
                       "--min-run-time", "0.002", "--retries", "0")
    check(done.returncode == 1, f"{done}")
    values = json.loads(ci.read_text())
    check(list(values) == ["version", "md5", "start_time", "end_time", "values"], f"{values}")
    check(values["version"] == -1 and values["md5"] == "none", f"{values}")
    (key, value), = values["values"].items()
    check(json.loads(key) == {"label": ["loops", "count"], "num_threads": 1,
                              "autolabels": {"runtime": "Eager", "autograd": "Forward", "language": "C"}}, key)
    check(len(value["counts"]) == 6 and len(set(value["counts"])) == 1, f"two rounds of three: {value}")
    check(len(value["times"]) >= 2 and all(t > 0 for t in value["times"]), f"{value}")
    words = ["-s", str(suite), "--only", "count", "--ci", str(ci), "--no-times", "-n", "10"]
    before = ci.read_text()
    done = program.run(*words)
    check(done.returncode == 2 and f"{ci}: error: already exists; --force replaces it" in done.stderr and
          ci.read_text() == before, f"results are not replaced unasked: {done}")
    done = program.run(*words, "--force")
    check(done.returncode == 0, f"{done}")
    (value,) = json.loads(ci.read_text())["values"].values()
    check(len(value["counts"]) == 25 and value["times"] == [], f"5 x 5 as the original has it: {value}")
    done = program.run("-s", str(suite), "--ci", str(program.home / "missing" / "ci.json"))
    check(done.returncode == 2 and "cannot be written" in done.stderr and done.stdout == ""
          and "undeclared" not in done.stderr, f"a wrong path is told before anything runs: {done}")


def test_only(program):
    suite = program.home / "only.yaml"
    suite.write_text(MIXED)
    listed = program.run("-s", str(suite), "--list", "--only", "Case:  1", "--lang", "python")
    check(listed.stdout.splitlines()[0] ==
          "add / numbers / Case:  1  Eager, Forward  Python, 1 thread:  x + x + x", listed.stdout)
    done = program.run("-s", str(suite), "--only", "nothing like it")
    check(done.returncode == 2 and "no snippet of the suite has 'nothing like it'" in done.stderr, f"{done}")
    for words in (["count", "-s", str(suite), "--max-regression", "1"], ["count", "-s", str(suite), "--no-times"],
                  ["count", "-s", str(suite), "--inclusive"], ["count", "--lang", "c", ";", "--jobs", "2"],
                  ["count", "-s", str(suite), "--lang", "c++"],
                  ["count", "--only", "x"], ["time", "--only", "x", "--lang", "c", "1;"],
                  ["time", "-s", str(suite), "word"], ["count", "-s", str(suite), "--setup", "x"],
                  ["time", "-s", str(suite), "--num-threads", "2"], ["time", "-s", str(suite), "--op", "x"]):
        check(program.command(*words).returncode == 2, f"{words} is refused")


def test_interrupt(program):
    """What was measured is kept, nothing goes on running."""
    suite = program.home / "long.yaml"
    mark = program.home / "long.mark"
    suite.write_text(f"""
definitions:
  quick: {{timer: {{stmt: "s += 1;", setup: "volatile int s = 0;", language: c}}}}
  long: {{timer: {{stmt: 'fclose(fopen("{mark}", "w")); for (;;) ;', language: c}}}}
""")
    running = program.start("time", "-s", str(suite), "--min-run-time", "0", "--format", "json")
    for _ in range(3000):
        if mark.exists():
            break
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    output, error = running.communicate(timeout=60)
    check(running.returncode == 130 and "interrupted" in error, f"{running.returncode}: {error}")
    check([json.loads(line)["task_spec"]["label"] for line in output.splitlines()] == ["quick"], output)


def test_progress(program):
    """On a terminal a line says how far the run is, and is gone at the end."""
    suite = program.home / "two.yaml"
    suite.write_text("definitions: {a: {stmts: {c: ';'}}, b: {stmts: {c: '1;'}}}\n")
    ours, theirs = os.openpty()
    done = subprocess.run([program.path, "time", "-s", str(suite), "--min-run-time", "0"], stderr=theirs,
                          env=program.environment, stdout=subprocess.PIPE, text=True, timeout=280)
    os.close(theirs)
    shown = ""
    try:  # one read may give less than everything; the end of a terminal is an error
        while more := os.read(ours, 65536):
            shown += more.decode()
    except OSError:
        pass
    os.close(ours)
    check(done.returncode == 0 and "\033[K1 of 2, " in shown and " s left: a  Eager, Forward  C, 1 thread" in shown,
          f"{shown!r}")
    check(shown.endswith("\r\033[K"), f"it is gone: {shown!r}")


def test_list_runs_nothing(program):
    """A suite alone starts no process and writes no file."""
    suite = program.home / "suite.yaml"
    marker = program.home / "marker"
    code = f"open('{marker}', 'w')"
    suite.write_text(f"""
definitions:
  a: {{stmts: {{python: "{code}", signature: f() -> None, torchscript: true}}}}
""")
    before = sorted(program.cache.iterdir())
    for word in ("--list", "--md5"):
        done = program.run("-s", str(suite), word)
        check(done.returncode == 0 and not marker.exists(), f"{word} runs nothing: {done}")
    check(sorted(program.cache.iterdir()) == before, "nor does it write anything")


def test_no_shell(program):
    """Words of a suite and of the command line reach programs as they are."""
    marker = program.home / "shell"
    label = f"$(touch {marker}); `touch {marker}`"
    suite = program.home / "shell.yaml"
    suite.write_text("definitions:\n  " + json.dumps(label) +
                     ": {stmts: {python: x, c: ';', signature: f() -> None}}\n")
    program.command("time", "-s", str(suite), "--min-run-time", "0", "--retries", "0")
    program.command("time", "--lang", "c", f'puts("$(touch {marker})");', "--cc", f"cc;touch {marker}")
    program.command("time", "--lang", "python", "1", "--python", f"python3; touch {marker}")
    check(not os.path.exists(marker), "no shell saw the words")


if __name__ == "__main__":
    sys.exit(run_tests([test_counts, test_retries, test_tables_and_records, test_resume, test_ci, test_only,
                        test_interrupt, test_progress, test_list_runs_nothing, test_no_shell]))
