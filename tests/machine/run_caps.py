#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Libraries that misjudge the machine: what is set, said and recorded.

usage: run_caps.py PROGRAM STAND_IN_DIR MAKE_MEMO

STAND_IN_DIR has a libopenblas.so.0 that is wrong in the way that STAND_IN says; MAKE_MEMO writes down that an
instruction set does not work on this machine."""

import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

PROGRAM, STAND_IN_DIR, MAKE_MEMO = sys.argv[1:4]
MM = ["time", "--op", "torch.mm", "f32[8,8]", "f32[8,8]", "-n", "1"]
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"failed: {what}")


class Place:
    """A home of its own, and what one command did there."""

    def __init__(self, folder, stand_in="old"):
        self.folder = pathlib.Path(folder)
        self.log = self.folder / "loads"
        self.memo = self.folder / ".cache" / "opbench" / "machine"
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "LD_LIBRARY_PATH": STAND_IN_DIR,
                            "STAND_IN": stand_in, "STAND_IN_LOG": str(self.log)}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def run(self, *words, **variables):
        output = self.folder / "records.jsonl"
        output.unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, *words], env={**self.environment, **variables}, text=True,
                              capture_output=True, check=False)
        self.said, self.code = done.stderr, done.returncode
        self.loads = self.log.read_text().split() if self.log.exists() else []
        self.records = [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []
        return self

    def mm(self, *words, **variables):
        return self.run(*MM, "-o", str(self.folder / "records.jsonl"), *words, **variables)

    def caps(self, library="OpenBLAS"):
        caps = self.records[0]["sys_info"].get("library_caps") if self.records else None
        return next((c for c in caps if c["library"] == library), {}) if isinstance(caps, list) else caps

    def core(self):
        """Which kernels were really used."""
        return self.records[1].get("libraries", {}).get("blas_core") if len(self.records) > 1 else None


def test_old(folder):
    place = Place(folder).mm()
    best = place.core()
    check(place.code == 0, f"old: exit code {place.code}: {place.said}")
    check(best in ("Haswell", "Zen", "SkylakeX"), f"old: the product ran with {best}'s kernels")
    check("OpenBLAS would choose Prescott" in place.said and f"opbench sets OPENBLAS_CORETYPE={best}" in place.said,
          f"old: not said: {place.said}")
    check(place.said.count("OpenBLAS") == 1, f"old: said more than once: {place.said}")
    cap = place.caps()
    check(cap.get("own") == "Prescott" and cap.get("value") == best and cap.get("by") == "opbench" and
          cap.get("variable") == "OPENBLAS_CORETYPE" and "does not know the CPU" in cap.get("why", ""),
          f"old: header says {cap}")
    check(len(place.loads) > 2, f"old: nothing was tried: {place.loads}")

    place.mm()
    check(place.loads == [best], f"old: tried again: {place.loads}")
    check(place.caps() == cap, "old: another header from the cache")

    for name in list(place.memo.iterdir()):
        name.write_text(name.read_text().replace("Prescott", "SkylakeX"))
    place.mm()
    check(len(place.loads) > 2 and place.caps() == cap, f"a changed cache was believed: {place.loads}")

    place.mm("--library-caps", "quiet")
    check(place.said == "" and place.caps() == cap, f"quiet: {place.said}")
    place.mm(OPBENCH_LIBRARY_CAPS="quiet")
    check(place.said == "" and place.caps() == cap, f"quiet by variable: {place.said}")
    place.mm("--no-isolate")
    check(place.core() == best and place.caps() == cap, f"--no-isolate ran with {place.core()}")

    for words, variables in ((["--library-caps", "off"], {}), ([], {"OPBENCH_LIBRARY_CAPS": "off"})):
        place.mm(*words, **variables)
        check(place.caps() == "off" and place.core() == "Prescott" and place.said == "",
              f"off: {place.caps()} {place.core()} {place.said}")
        check(place.loads == ["Prescott"], f"off: tried all the same: {place.loads}")

    place.mm(OPENBLAS_CORETYPE="Haswell")
    check(place.caps() == {"library": "OpenBLAS", "variable": "OPENBLAS_CORETYPE", "value": "Haswell", "by": "user"},
          f"the user's word: {place.caps()}")
    check(place.core() == "Haswell" and place.said == "" and place.loads == ["Haswell"],
          f"the user's word: {place.core()} {place.said} {place.loads}")

    place.mm(OPBENCH_LIBRARY_CAPS="perhaps")
    check(place.code == 2 and "OPBENCH_LIBRARY_CAPS is 'perhaps'; set it to on, quiet or off" in place.said,
          f"a wrong word: {place.code} {place.said}")
    place.mm("--backend", "null")
    check(place.caps() == {} and place.loads == [], f"null loads nothing: {place.caps()} {place.loads}")
    place.run("time", "--lang", "python", "--setup", f"import os; assert os.environ['OPENBLAS_CORETYPE'] == '{best}'",
              "pass", "-n", "1")
    check(place.code == 0, f"a Python snippet: {place.code} {place.said}")


def test_list(folder):
    place = Place(folder)
    done = subprocess.run([PROGRAM, "list", "libraries", "--json"], env=place.environment, capture_output=True,
                          text=True, check=False)
    rows = {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}
    check(set(rows) == {"oneDNN", "OpenBLAS", "ATen", "oneMKL"}, f"list: {done.stdout} {done.stderr}")
    blas = rows.get("OpenBLAS", {})
    check(blas.get("own") == "Prescott" and blas.get("by") == "opbench" and blas.get("value"), f"list: {blas}")
    place.mm()
    check(place.caps().get("value") == blas.get("value") and len(place.loads) == 1,
          f"list: a run decides otherwise, or tries again: {place.caps()} {place.loads}")


def test_dies(folder):
    place = Place(folder, "dies").mm()
    check(place.code == 0 and place.core() not in (None, "Prescott"), f"dies: {place.code} {place.said}")
    check("dies of SIGILL" in place.said and "dies of SIGILL" in place.caps().get("why", ""), f"dies: {place.said}")
    place.mm("--library-caps", "off")
    check(place.code == 1, f"dies, uncorrected: exit code {place.code}")
    check(any(r.get("signal") == "SIGILL" for r in place.records[1:]), f"dies, uncorrected: {place.records[1:]}")


def test_wrong(folder):
    place = Place(folder, "wrong").mm()
    check(place.code == 0 and place.core() not in (None, "Prescott"), f"wrong: {place.code} {place.said}")
    check("products are wrong" in place.said, f"wrong: {place.said}")


def test_fixed(folder):
    place = Place(folder, "fixed").mm()
    check(place.code == 0 and place.core() == "Prescott", f"fixed: {place.code} {place.core()}")
    check("OpenBLAS chooses Prescott, which OPENBLAS_CORETYPE cannot correct" in place.said,
          f"fixed: {place.said}")
    check(place.caps().get("by") == "nobody" and "value" not in place.caps(), f"fixed: {place.caps()}")


def test_no_cache(folder):
    """Neither a file in the way of the cache nor a folder that cannot be written to stops anything."""
    place = Place(folder)
    (place.folder / ".cache").write_text("mine")
    place.mm()
    check(place.code == 0 and place.core() not in (None, "Prescott"), f"no cache: {place.code} {place.said}")
    check((place.folder / ".cache").read_text() == "mine", "no cache: the file in the way was touched")


def test_instruction_sets(folder):
    """What follows for real libraries where an instruction set does not work."""
    place = Place(folder)
    del place.environment["LD_LIBRARY_PATH"]
    told = subprocess.run([MAKE_MEMO, str(place.memo), "avx2", "it is a lie"], capture_output=True, text=True,
                          check=True).stdout
    listing = subprocess.run([PROGRAM, "list", "backends", "--json"], env=place.environment, capture_output=True,
                             text=True, check=True).stdout
    there = [r["name"] for r in map(json.loads, listing.splitlines()) if r["available"]]
    if told != "announced\n":
        print("this machine has no AVX2: caps of instruction sets are not tried")
        return
    if "onednn" in there:
        place.mm("--backend", "onednn")
        cap = place.caps("oneDNN")
        check(cap.get("value") == "SSE41" and cap.get("by") == "opbench" and cap.get("why") == "it is a lie",
              f"oneDNN: {cap}")
        check("oneDNN would choose" in place.said and "opbench sets ONEDNN_MAX_CPU_ISA=SSE41" in place.said,
              f"oneDNN: {place.said}")
        isa = place.records[0]["sys_info"]["backends"].get("isa") if place.records else None
        check(isa == "sse41", f"oneDNN took {isa} all the same")
        place.mm("--backend", "onednn", DNNL_MAX_CPU_ISA="AVX")
        check(place.caps("oneDNN").get("by") == "user" and place.caps("oneDNN").get("value") == "AVX",
              f"oneDNN, the user's word: {place.caps('oneDNN')}")
    if "torch" in there:
        place.mm("--backend", "torch")
        check(place.caps("ATen").get("value") == "default", f"ATen: {place.caps('ATen')}")
        backend = place.records[0]["sys_info"]["backends"] if place.records else {}
        check(not backend.get("isa", "AVX2").startswith("AVX"), f"ATen took {backend} all the same")
        check(backend.get("onednn_isa", "sse41") == "sse41", f"torch's oneDNN took {backend} all the same")
    check_named_backends(place, there)


def check_named_backends(place, there):
    """The caps of a backend are those of its libraries wherever it is named: in the jobs of a sweep, on sides, on an axis."""
    records = str(place.folder / "records.jsonl")
    call = ("torch.mm", "f32[8,8]", "f32[8,8]")
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
        place.run("run", *call, "--backend", "python", "--python", python, "-i", "5", "--output", records)
        if "ASan runtime does not come first" in place.said:
            print("an interpreter does not load a backend built with sanitizers: python's caps are not tried")
        else:
            aten, onednn = (place.caps("ATen") or {}), (place.caps("oneDNN") or {})
            check(aten.get("value") == "default", f"python, ATen: {aten} {place.said}")
            check(onednn.get("value") == "SSE41", f"python, oneDNN: {onednn} {place.said}")
    if "onednn" not in there:
        return
    sweep = place.folder / "sweep.json"
    sweep.write_text(json.dumps({
        "model": "torch.mm", "input_params": [["n", 8], [8, 8]], "input_scales": {"n": [8]},
        "job_configs": [{"precision": "fp32", "runtime": "onednn"}]}))
    swept = ("sweep", str(sweep), "-i", "2", "-o", str(place.folder / "rows.csv"), "--records", records, "--force")
    sides = place.folder / "sides.json"
    sides.write_text(json.dumps([{"name": "x", "backend": "native"}, {"name": "y", "backend": "onednn"}]))
    measured = ("--budget", "0.05", "--processes", "1", "--records", records, "--force")
    for words in (swept,
                  ("diff", *call, "--a", "x:backend=native", "--b", "y:backend=onednn", *measured),
                  ("diff", *call, "--side", "x:backend=native", "--side", "y:backend=onednn", *measured),
                  ("diff", *call, "--sides", str(sides), *measured),
                  ("diff", *call, "--axis", "backend=native,onednn", *measured)):
        place.run(*words)
        cap = place.caps("oneDNN") or {}
        check(cap.get("value") == "SSE41", f"{words}: {place.records and cap} {place.said}")


def ask_doctor(place, **variables):
    """Its exit code, and what it found by check."""
    done = subprocess.run([PROGRAM, "doctor", "--seconds", "0", "--json"], env={**place.environment, **variables},
                          capture_output=True, text=True, check=False)
    return done.returncode, {row["check"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_doctor_core_type(folder):
    """What the library would choose, and what is set; bad only where nothing can be set."""
    code, found = ask_doctor(Place(folder))
    blas = found.get("OpenBLAS", {})
    check(blas.get("level") == "warning", f"doctor, a wrong core type: {code} {blas}")
    check("Prescott" in blas.get("found", "") and "OPENBLAS_CORETYPE" in blas.get("found", ""),
          f"doctor, a wrong core type: {blas}")
    code, found = ask_doctor(Place(folder), OPENBLAS_CORETYPE="Haswell")
    check(found.get("OpenBLAS", {}).get("level") == "ok", f"doctor, the user's word: {found.get('OpenBLAS')}")
    other = pathlib.Path(folder) / "other"  # what is known of a library is kept per home
    other.mkdir()
    code, found = ask_doctor(Place(str(other), "fixed"))
    check(found.get("OpenBLAS", {}).get("level") == "bad" and code == 1,
          f"doctor, a core type that stays: {code} {found.get('OpenBLAS')}")


def test_doctor_missing_library(folder):
    """What is missing is said with its cure each time, also after it was there, and no reason to measure nothing."""
    place = Place(folder)
    del place.environment["LD_LIBRARY_PATH"]
    _, before = ask_doctor(place)
    if before.get("onednn", {}).get("level") != "ok":
        print("oneDNN is not here: that it is missing is not tried")
        return
    check(before["onednn"]["found"].startswith("oneDNN "), f"doctor, the version: {before['onednn']}")
    for _ in range(2):
        code, found = ask_doctor(place, OPBENCH_ONEDNN_LIBRARY="/nowhere/libdnnl.so.2")
        row = found.get("onednn", {})
        check(row.get("level") == "warning" and "/nowhere/libdnnl.so.2" in row.get("found", "") and
              "install oneDNN" in row.get("found", "") and row.get("cost") == "this backend cannot be used",
              f"doctor, a missing library: {row}")
        check(found.get("native", {}).get("level") == "ok", f"doctor, a missing library: {found.get('native')}")
    for library in {"libdnnl.so.2", *(path.name for path in pathlib.Path("/usr/lib").glob("*/libdnnl.so.*"))}:
        (place.folder / library).write_text("not a library")
    _, found = ask_doctor(place, LD_LIBRARY_PATH=folder)
    check("exists, but cannot be opened" in found.get("onednn", {}).get("found", ""),
          f"doctor, a broken library: {found.get('onednn')}")
    check(ask_doctor(place)[1].get("onednn") == before["onednn"], "doctor, the library that is there again")


def main():
    if platform.machine() != "x86_64":
        print("caps of libraries are for x86-64")
        sys.exit(77)
    for test in (test_old, test_list, test_dies, test_wrong, test_fixed, test_no_cache, test_instruction_sets,
                 test_doctor_core_type, test_doctor_missing_library):
        with tempfile.TemporaryDirectory(prefix="opbench-caps-") as folder:
            test(folder)
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
