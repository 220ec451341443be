#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/platforms.py: rows from the results of ctest, and their place in the page of platforms; tools/emulated.py: what is run on
another architecture, and what is left out there; tools/test_compilers: which compilers are tried."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
import emulated  # noqa: E402
import fresh_system  # noqa: E402
import platforms  # noqa: E402

RESULTS = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="5">
<testcase name="unit.base.test_arena" status="run"><system-out>ok</system-out></testcase>
<testcase name="conform.torch.f32" status="run"><system-out></system-out></testcase>
<testcase name="capture.models" status="fail"><failure message=""/><system-out>boom</system-out></testcase>
<testcase name="onnx.file" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>a line
skipped: no library | here
</system-out></testcase>
<testcase name="conform.native.f64" status="run"><system-out></system-out></testcase>
</testsuite>
"""
LISTING = (
    '{"name": "torch", "available": true, "version": "libtorch 2.6.0"}\n'
    '{"name": "onnxruntime", "available": false, "version": "", "reason": "no library"}\n'
)
WANT = [
    ("trixie", "amd64", platforms.CORE, "commit 1234567", "1", "0", "0", ""),
    ("trixie", "amd64", "torch", "libtorch 2.6.0", "1", "1", "0", "capture.models: FAILED"),
    ("trixie", "amd64", "onnxruntime", "not available", "0", "0", "1", "onnx.file: no library | here"),
    ("trixie", "amd64", "native", "", "1", "0", "0", ""),
]
PAGE = "# Page\n\n" + platforms.BEGIN + platforms.HEAD + (
    "| trixie | amd64 | torch | old | 1 | 0 | 0 |  |\n| sid | amd64 | torch | 2.14 | 9 | 0 | 0 |  |\n"
) + platforms.END + "the end\n"


def check_emulated():
    for expression, why in emulated.NOT_SERVED:
        assert re.compile(expression).fullmatch("") is None and len(why) > 10, (expression, why)
    tour, words = emulated.steps([("run.count", "no valgrind"), ("a.b", "x")], "run|a")
    assert tour[:2] == ["build/opbench", "run"], tour
    assert words[:4] == ["env", "OPBENCH_TEST_PATIENCE=10", "OPENBLAS_CORETYPE=ARMV8", "ctest"], words
    assert words[words.index("--exclude-regex") + 1] == r"^(run\.count|a\.b)$", words
    assert words[words.index("--tests-regex") + 1] == "run|a", words
    assert "--exclude-regex" not in emulated.steps([], None)[1]
    command = emulated.bootstrap("sid", "arm64", "/place", "MIRROR")
    packages = [word for word in command if word.startswith("--include=")][0]
    assert command[-3:] == ["sid", "/place", "MIRROR"] and ",libarchive-dev," in packages + ",", command


def check_links():
    with tempfile.TemporaryDirectory() as system:
        folder = pathlib.Path(system, "usr/lib/aarch64-linux-gnu")
        folder.mkdir(parents=True)
        (folder / "libm.so").symlink_to("/lib/aarch64-linux-gnu/libm.so.6")
        (folder / "libz.so").symlink_to("libz.so.1")
        (folder / "libc.so").write_text("a script")
        emulated.make_links_relative("arm64", system)
        assert os.readlink(folder / "libm.so") == "../../../lib/aarch64-linux-gnu/libm.so.6", os.readlink(folder / "libm.so")
        assert os.readlink(folder / "libz.so") == "libz.so.1" and not (folder / "libc.so").is_symlink()


def check_places():
    """The places of make test-everywhere are the steps of .ci/run and the weekly jobs of public CI."""
    root = TOOLS.parent
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    places = re.search(r"^PLACES \?= (.*)$", makefile, re.M).group(1).split()
    assert places == re.findall(r"^WHERE_(\S+) = ", makefile, re.M), places
    steps = re.search(r"^places='(.*)'$", (root / ".ci" / "run").read_text(encoding="utf-8"), re.M).group(1)
    assert places == steps.split(), steps
    jobs = (root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    cron, names = re.search(r"github.event.schedule == '(.*?)' && '\[(.*?)\]'", jobs).groups()
    assert f'- cron: "{cron}"' in jobs and places == re.findall(r'"(.*?)"', names), names


def load(name):
    """A program of tools/ as a module."""
    path = TOOLS / name
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def check_compilers(page):
    tool = load("test_compilers")
    listed = "gcc-9 - GNU C\ngcc-14 - GNU C\ngcc-12 - GNU C\nclang-9 - C\nclang-19 - C\nclang-14 - C\ngcc-12-base - x\n"
    assert tool.choose(listed, None) == ["gcc-12", "gcc-14", "clang-14", "clang-19"], tool.choose(listed, None)
    assert tool.choose(listed, ["clang-19", "gcc-14"]) == ["gcc-14", "clang-19"]
    try:
        tool.choose(listed, ["gcc-13"])
    except fresh_system.Failure as failure:
        assert str(failure) == "this release has no package gcc-13; it has gcc-12, gcc-14, clang-14, clang-19", failure
    else:
        raise AssertionError("a compiler that is not there was taken")
    assert list(tool.newest(["clang-9", "gcc-9", "gcc-14", "clang-19"])) == ["gcc-14", "clang-19"]
    assert [tool.cpp_of(name) for name in ("gcc-13", "clang-17")] == ["g++-13", "clang++-17"]
    assert len(tool.WARNING.findall("a.c:1:2: warning: x\nwarning: y\n[1/2] warnings.c\n")) == 2
    printed = "[1/3] cc a.c\nFAILED: a.o \ncc a.c\nSegmentation fault\n[2/3] cc error.c\nninja: build stopped\n"
    assert tool.FAILED.findall(printed) == ["FAILED: a.o \ncc a.c\nSegmentation fault\n"], tool.FAILED.findall(printed)
    read = tool.as_reading(r'cc -O2 "-DX=\"a b\"" -o x.o -c /a/x.c')
    assert read == ["cc", "-O2", '-DX="a b"', "/a/x.c", "-fsyntax-only"], read
    begin, end = platforms.COMPILERS_BEGIN, platforms.COMPILERS_END
    page.write_text(begin + platforms.COMPILERS_HEAD + end, encoding="utf-8")
    row = lambda name, suite, passed: (name, "1.2.3", suite, "abc", "everything", "0", passed, "0")  # noqa: E731
    platforms.write_compilers(page, [row("clang-14", "trixie", "5"), row("gcc-14", "trixie", "6")])
    platforms.write_compilers(page, [row("gcc-9", "sid", "7")])
    platforms.write_compilers(page, [row("clang-14", "bookworm", "8"), row("gcc-14", "trixie", "9")])
    assert page.read_text(encoding="utf-8").splitlines()[3:-1] == [
        f"| {name} | 1.2.3 | {suite} | abc | everything | 0 | {passed} | 0 |" for name, suite, passed in
        (("gcc-9", "sid", 7), ("gcc-14", "trixie", 9), ("clang-14", "bookworm", 8), ("clang-14", "trixie", 5))], page.read_text()


def main():
    check_emulated()
    check_links()
    check_places()
    with tempfile.TemporaryDirectory() as folder:
        results, listing, page = (pathlib.Path(folder) / name for name in ("tests.xml", "list", "page.md"))
        results.write_text(RESULTS, encoding="utf-8")
        listing.write_text(LISTING, encoding="utf-8")
        check_compilers(page)
        page.write_text(PAGE, encoding="utf-8")
        rows = platforms.rows("trixie", "amd64", results, listing, "commit 1234567")
        assert rows == WANT, rows
        assert platforms.as_text(rows).endswith("3 passed, 1 failed, 1 skipped"), platforms.as_text(rows)
        left_out = [("cli.count", "no valgrind here"), ("run.memory", "no limit"), ("run.count", "no valgrind here")]
        more = platforms.rows("trixie", "amd64", results, listing, "commit 1234567", left_out)
        assert more[0] == ("trixie", "amd64", platforms.CORE, "commit 1234567", "1", "0", "3",
                           "cli.count, run.count: no valgrind here; run.memory: no limit"), more
        assert more[1:] == WANT[1:], more
        platforms.write(page, rows)
        lines = page.read_text(encoding="utf-8").splitlines()
        assert lines[:5] == PAGE.splitlines()[:5] and lines[-1] == "the end", lines
        assert lines[5].startswith("| trixie | amd64 | core and program |"), lines
        assert lines[7].endswith("no library \\| here |"), lines
        assert lines[9] == "| sid | amd64 | torch | 2.14 | 9 | 0 | 0 |  |" and len(lines) == 12, lines
        page.write_text("# A page without the lines\n", encoding="utf-8")
        try:
            platforms.write(page, rows)
        except ValueError as error:
            assert "has no place for rows" in str(error)
        else:
            raise AssertionError("a page without a place for rows was taken")
    return 0


if __name__ == "__main__":
    sys.exit(main())
