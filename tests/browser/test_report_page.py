#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports and the site of a history in a real browser: no complaint, no request, a table that sorts, searches and filters, pictures on demand, and
texts that mean harm as texts, on wide and narrow screens, light and dark, with the script and without it.

usage: test_report_page.py OPBENCH [FOLDER for screenshots]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser

HOSTILE = ["<script>document.title = 'harm'</script>", '"><img src=x onerror="document.title=\'harm\'">',
           "\u202egnp.exe", "</script><svg onload=\"document.title='harm'\">", "x" * (1 << 20)]


def result(op, number, backend, ms, **more):
    """A record of five warm-ups and twenty samples around a time, of which two were disturbed."""
    times = [ms * (1 + 0.01 * (i % 7)) for i in range(20)]
    times[11] = ms * 9
    ordered = sorted(times)
    return {"op_name": op, "id": f"0|{number}", "key": f"{op}{number}", "call": f"{op}(f32[{number}])", "backend": backend,
            "threads": 1, "count": number + 1, "status": "ok", "repro": f"opbench run --case '{op}|0|{number}'",
            "metric": {"forward": {"warmup.time": [2 * ms] * 5, "measure.time": times}},
            "statistics": {"forward": {"count": 20, "median": ordered[10], "p99": ordered[-1], "disturbed": [4, 11],
                                       "interval": {"low": ordered[5], "high": ordered[14]}}}, **more}


def records():
    header = {"run_options": {"device": "cpu"}, "start_time": "2026-11-17T20:00:00", "config_file": "/tmp/step.json",
              "sys_info": {"hostname": HOSTILE[1], "cpu_model": HOSTILE[0], "opbench_version": "0",
                           "backends": {"native": {"version": HOSTILE[3]}},
                           "findings": [{"check": "load", "level": "warning", "found": HOSTILE[1], "cost": "much",
                                         "fix": "end it"}]}}
    lines = [header]
    for number in range(40):
        lines.append(result("mm", number, "native", 1 + number))
        lines.append(result("mm", number, "other", (1 + number) * (0.5 if number % 2 else 2)))
    for number, name in enumerate(HOSTILE):
        lines.append(result(name, 100 + number, "native", 0.001))
        lines.append({"op_name": name, "id": "f", "call": name, "status": "failed", "reason": name, "backend": "native",
                      "threads": 1, "repro": name})
    lines += [{"op_name": "relu", "id": f"{i}", "status": "unsupported", "reason": "nothing for relu", "backend": "other",
               "threads": 1, "repro": "opbench run"} for i in range(48)]
    return lines


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")


def rows(page):
    return page.script("return [...document.querySelectorAll('#table tbody tr:not([hidden]):not(.drawn)')]"
                       ".map(row => [...row.cells].map(cell => cell.textContent))")


def type_into(page, field, text):
    page.script("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
                "e.dispatchEvent(new Event('input', {bubbles: true}))", field, text)


def look_at(page, path, folder, name):
    for width in (1280, 400):
        for dark in (False, True):
            page.show(width, 1000, dark)
            page.open(path)
            check(page.complaints() == [], f"{name}, {width}: the console has nothing to say")
            check(page.requests() == [], f"{name}, {width}: nothing is asked for")
            check(page.script("return document.documentElement.scrollWidth") <= width, f"{name}: {width} pixels are enough")
            check(page.script("return document.title") != "harm" and not page.script(
                "return document.querySelector('img, svg[onload], main script:not([type])')"), f"{name}: no text is obeyed")
            if folder is not None:
                page.driver.save_screenshot(str(folder / f"{name}_{width}_{'dark' if dark else 'light'}.png"))


def work_with(page, path):
    page.show(1280)
    page.open(path)
    every = rows(page)
    check(len(every) == 80 + 2 * len(HOSTILE) + 48, f"all rows are there, not {len(every)}")
    check(any(row[0].startswith(HOSTILE[0]) for row in every), "a hostile name is a text")
    check(not any("\u202e" in cell for row in every for cell in row), "nothing turns the direction of texts")
    check(max(len(row[0]) for row in every) < 5000, "a long name is cut")
    check(page.script("return document.querySelector('#table .open').offsetParent !== null && [...document.querySelectorAll("
                      "'#table .open')].every(button => button.textContent.length < 400)"), "and what is long is behind its beginning")
    heads = page.script("return [...document.querySelectorAll('#table thead th')].map(head => head.textContent)")
    median = heads.index("median")
    button = f"document.querySelectorAll('#table thead button')[{median}]"
    page.script(f"{button}.click()")
    check([row[median] for row in rows(page)][:2] == ["1.03 \u00b5s", "1.03 \u00b5s"], "the shortest come first")
    check(rows(page)[-1][median] == "", "what has no time comes last")
    page.script(f"{button}.click()")
    check(rows(page)[0][median] == "80.34 ms", "the longest come first")
    check(rows(page)[-1][median] == "", "what has no time still comes last")
    type_into(page, "search", "MM f32[39]")
    check([row[0] for row in rows(page)] == ["mm(f32[39])"] * 2, "all words of a search are looked for")
    check(page.script("return document.getElementById('shown').textContent").startswith("2 of "), "the rows are counted")
    type_into(page, "search", "")
    type_into(page, "status", "unsupported")
    check(len(rows(page)) == 48, "rows of a status")
    type_into(page, "status", "")
    type_into(page, "least", "40 ms")
    check(all(row[median].endswith("ms") and float(row[median][:-3]) >= 40 for row in rows(page)), "rows above a time")
    type_into(page, "least", "")
    page.script("document.querySelector('#columns input[value=\"1\"]').click()")
    check(page.script("return getComputedStyle(document.querySelector('#table tbody td')).display") == "none",
          "a column can be left out")
    page.script("document.querySelector('#table .open').click()")
    drawn = page.script("const r = document.querySelector('tr.drawn'); return [r.querySelectorAll('svg').length,"
                        "(r.querySelector('.crosses').getAttribute('d').match(/M/g) || []).length,"
                        "(r.querySelector('.dots.c0').getAttribute('d').match(/M/g) || []).length,"
                        "(r.querySelector('.dots.warm').getAttribute('d').match(/M/g) || []).length]")
    check(drawn == [2, 2, 18, 5], f"the samples of a row are drawn: {drawn}")
    page.script("document.querySelector('#table .open').click()")
    check(page.script("return document.querySelector('tr.drawn')") is None, "and put away again")
    listed = page.script("return [...document.querySelectorAll('#failures > details')].map(reason => reason.querySelectorAll('li').length)")
    check(listed == [48] + [1] * len(HOSTILE), f"each reason has its cases: {listed}")
    check("48 cases on other: nothing for relu" in page.script(
        "return document.getElementById('failures').textContent"), "equal reasons are told once")
    check(page.script("return document.querySelectorAll('#sides tbody tr').length") == 40, "sides stand beside each other")
    check(page.script("return document.querySelectorAll('#step rect').length") > 4, "the step is drawn")
    page.script("document.querySelector('#cases .repro button').focus()")
    check(page.script("return document.activeElement.textContent") == "Copy", "command lines can be copied")
    check(page.complaints() == [], "nothing went wrong meanwhile")


def history(number):
    """A run of a history; the tenth one on everything takes twice as long."""
    header = {"run_options": {"device": "cpu"}, "start_time": f"2026-01-{1 + number:02d}T06:00:00",
              "config_hash": f"{number}", "sys_info": {"hostname": HOSTILE[1], "cpu_model": HOSTILE[0], "pid": number}}
    return [header] + [result(name, index, "native", 2 if number >= 14 else 1) for index, name in enumerate(["mm"] + HOSTILE)]


def look_at_site(page, program, folder, shots):
    files = []
    for number in range(28):
        files.append(pathlib.Path(folder, f"run{number:02d}.json"))
        files[-1].write_text("".join(json.dumps(line) + "\n" for line in history(number)), encoding="utf-8")
    database, site = pathlib.Path(folder, "history.db"), pathlib.Path(folder, "site")
    subprocess.run([program, "history", "add", *files, "--db", database], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "report", "--db", database, "-o", site], check=True)
    for kind in ("index", "machines", "op-mm", "case-mm0", "case-_script"):
        look_at(page, next(site.glob(f"{kind}*.html")), shots, f"site_{kind}")
    page.open(site / "index.html")
    check("slower" in page.script("return document.querySelector('main').textContent"), "the step is on the overview")
    for link in page.script("return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"):
        check((site / link).exists(), f"there is a page {link}")
    page.open(next(site.glob("case-mm0*.html")))
    check(page.script("return document.querySelectorAll('circle').length") == 28, "a point per run")
    check("28 points, 1 step" in page.script("return document.querySelector('main').textContent"), "the step is marked")


def look_at_kinds(page, program, folder, shots):
    """What the commands themselves write: two files beside each other, a sweep, a replayed step."""
    top = pathlib.Path(__file__).resolve().parents[2]
    sweep = {"model": "torch.nn.Linear", "model_init_params": ["n", "n"], "input_params": [["b", "n"]], "input_scales": {"b": [1, 2], "n": [8]},
             "job_configs": [{"precision": ["fp32"], "runtime": "null"}]}
    pathlib.Path(folder, "sweep_file.json").write_text(json.dumps(sweep), encoding="utf-8")

    def run(*words):
        subprocess.run([program, *words], check=True, cwd=folder, stdout=subprocess.DEVNULL)

    for name in ("before.json", "after.json"):
        run("run", "-c", top / "examples/configs/tour.json", "--backend", "null", "-i", "5", "-q", "--output", name)
    run("sweep", "sweep_file.json", "-q", "-o", "sweep.csv")
    run("replay", top / "tests/cli/traces/step.json", "--backend", "null", "-q", "--output", "replay.json")
    for kind, words in (("diff", ["--diff", "before.json", "after.json"]), ("sweep", ["sweep.jsonl"]), ("replay", ["replay.json"])):
        run("report", *words, "-q", "-o", f"{kind}.html")
        look_at(page, pathlib.Path(folder, f"{kind}.html"), shots, kind)
        check(rows(page), f"{kind}: there are rows")
        page.script("document.querySelector('#table .open').click()")
        check(page.script("return document.querySelectorAll('tr.drawn svg').length") == 2, f"{kind}: samples are drawn")
        check(page.complaints() == [], f"{kind}: nothing went wrong")


def work_without_script(page, path):
    page.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    page.open(path)
    rows_wanted, until = 80 + 2 * len(HOSTILE) + 48, time.monotonic() + 60
    # Without scripts the driver does not wait for the whole page.
    while len(page.driver.find_elements("css selector", "#table tbody tr")) < rows_wanted and time.monotonic() < until:
        time.sleep(0.1)
    count = page.driver.find_elements("css selector", "#table tbody tr")
    check(len(count) == rows_wanted, "without the script all rows are there")
    check(len(page.driver.find_elements("css selector", "article svg")) == 2 * 85, "and pictures of every case")
    check(not page.driver.find_element("id", "tools").is_displayed(), "and nothing that does nothing")
    page.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def main():
    page = browser.start()
    if page is None:
        return 77
    try:
        with tempfile.TemporaryDirectory() as folder:
            lines, path = pathlib.Path(folder, "records.json"), pathlib.Path(folder, "report.html")
            lines.write_text("".join(json.dumps(line) + "\n" for line in records()), encoding="utf-8")
            subprocess.run([sys.argv[1], "report", lines, "-o", path], check=True)
            look_at(page, path, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None, "report")
            work_with(page, path)
            work_without_script(page, path)
            look_at_kinds(page, pathlib.Path(sys.argv[1]).resolve(), folder, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
            look_at_site(page, sys.argv[1], folder, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    finally:
        page.close()
    print("reports in a browser: all is well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
