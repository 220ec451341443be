#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `opbench expand` over the recorded expansions of PARAM's iterators.

param/configs holds configs, param/expansion what the original made of them, param/manifest.json what
we keep, refuse or change on purpose; param/ours states our result for each changed one, written by hand
or, for those that differ only in what is dropped from the record, derived here.
Configs that are not part of this project are read from ../shared and skipped where that is absent.

usage: run_expansion.py OPBENCH [--shipped DIR]
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "param")
META = {"__range__", "__copy__", "__list__"}
failures = []
counts = {"kept": 0, "refused": 0, "changed": 0, "skipped": 0}


def load(*parts):
    with open(os.path.join(HERE, *parts), encoding="utf-8") as file:
        return json.load(file)


def expand(opbench, path):
    done = subprocess.run([opbench, "expand", "-c", path], capture_output=True, text=True, timeout=60)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def check(name, what, got, want):
    if got != want:
        failures.append(f"{name}: {what} is\n    {json.dumps(got)}\n  want\n    {json.dumps(want)}")


def check_entries(name, got, want):
    check(name, "number of cases", len(got), len(want))
    for index, (ours, theirs) in enumerate(zip(got, want)):
        for key in ("op_name", "id", "build", "input"):
            check(name, f"case {index} {key}", ours[key], theirs[key])
            if key in ("build", "input"):
                check(name, f"case {index} {key} key order", json.dumps(ours[key]), json.dumps(theirs[key]))


def check_kept(opbench, name, path):
    golden = load("expansion", name + ".json")
    code, entries, errors = expand(opbench, path)
    check(name, "exit code", code, 0)
    check_entries(name, entries, golden["entries"])
    if " error: " in errors:
        failures.append(f"{name}: unexpected error: {errors}")


def check_refused(opbench, name, rule):
    path = os.path.join(HERE, "configs", name + ".json")
    code, entries, errors = expand(opbench, path)
    check(name, "exit code", code, 2)
    check(name, "standard output", entries, [])
    # FILE:LINE:COL: error: PATH: what is wrong; what to do
    form = re.compile(re.escape(path) + r":(\d+:\d+): error: (\.\S*): (.+)")
    places = [match.group(1) for match in map(form.match, errors.splitlines()) if match]
    if not places:
        failures.append(f"{name}: no message of the form FILE:LINE:COL: error: PATH: ..., but\n{errors}")
    elif "at" in rule:
        check(name, "place", places[0], rule["at"])
    for text in rule["has"]:
        if text not in errors:
            failures.append(f"{name}: no {text!r} in\n{errors}")


def main():
    opbench = os.path.abspath(sys.argv[1])
    shipped = sys.argv[sys.argv.index("--shipped") + 1] if "--shipped" in sys.argv else None
    manifest = load("manifest.json")
    named = set(manifest["kept"]) | set(manifest["refused"]) | set(manifest["changed"])
    present = {name[:-5] for name in os.listdir(os.path.join(HERE, "configs"))}
    check("manifest", "configs without a verdict", sorted(present - named), [])
    check("manifest", "verdicts without a config", sorted(named - present), [])

    for name in manifest["kept"]:
        check_kept(opbench, name, os.path.join(HERE, "configs", name + ".json"))
        counts["kept"] += 1
    for name in manifest["kept_shipped"]:
        path = os.path.join(shipped or "", name + ".json")
        if shipped is None or not os.path.exists(path):
            print(f"skipped: {name}: the config is not part of the project, and {shipped} is absent")
            counts["skipped"] += 1
            continue
        check_kept(opbench, name, path)
        counts["kept"] += 1
    for name, rule in manifest["refused"].items():
        check_refused(opbench, name, rule)
        counts["refused"] += 1
    for name, why in manifest["changed"].items():
        ours = load("ours", name + ".json")
        check(name, "reason", ours["why"], why)
        code, entries, errors = expand(opbench, os.path.join(HERE, "configs", name + ".json"))
        check(name, "exit code", code, 0)
        check_entries(name, entries, ours["entries"])
        for text in ours.get("stderr_has", []):
            if text not in errors:
                failures.append(f"{name}: no {text!r} in\n{errors}")
        counts["changed"] += 1

    for failure in failures:
        print("FAIL " + failure)
    print(", ".join(f"{count} {what}" for what, count in counts.items()), f"- {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
