#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/test_cpu: which tests it serves, what the guest is told to run, and what is made of what the guest says.

usage: test_guest.py PROGRAM
"""

import importlib.machinery
import importlib.util
import pathlib
import platform
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/test_cpu"
LOADER = importlib.machinery.SourceFileLoader("test_cpu", str(TOOL))
test_cpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("test_cpu", LOADER))
LOADER.exec_module(test_cpu)

TESTS = """add_test(unit.own "{build}/own" "an argument")
set_tests_properties(unit.own PROPERTIES ENVIRONMENT "A=b c" WORKING_DIRECTORY "{build}")
add_test(unit.script "/bin/sh" "-c" "true")
add_test(unit.missing "{build}/missing")
add_test(unit.will_fail "{build}/own")
set_tests_properties(unit.will_fail PROPERTIES WILL_FAIL TRUE)
add_test(unit.long "{build}/own")
set_tests_properties(unit.long PROPERTIES LABELS full)
add_test(other.own "{build}/own")
"""
SERIAL = """[    0.1] a kernel speaks\r
#opbench# booted\r
#opbench# begin 0\r
2 checks, 0 failed\r
\r
#opbench# end 0 0\r
#opbench# begin 1\r
2 checks, 1 failed\r
\r
#opbench# end 1 1\r
#opbench# begin 2\r
\r
#opbench# end 2 77\r
#opbench# begin 3\r
"by": "nobody"\r
\r
#opbench# end 3 0\r
"""


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"{got} is not {wanted}")


def test_choose(folder, program):
    """Programs of the build alone, quick ones; calls by their names."""
    (folder / "own").write_bytes(pathlib.Path(program).read_bytes()[:64])
    (folder / "own").chmod(stat.S_IRWXU)
    (folder / "CTestTestfile.cmake").write_text(TESTS.format(build=folder))
    tests, left_out = test_cpu.choose(folder, "sapphire_rapids", r"^unit\.|^cpu\.(libraries|mm)")
    expect([test.name for test in tests], ["unit.own", "unit.will_fail", "cpu.libraries", "cpu.mm_native"])
    expect(left_out, ["unit.script", "unit.missing"])
    own, will_fail, libraries, _ = tests
    expect(own.line(7), f"cd {folder} && one 7 15000 env OPBENCH_TEST_PATIENCE=10 'A=b c' {folder}/own 'an argument'")
    expect([own.verdict(code, "") for code in (0, 1, 77)], ["Passed", "Failed", "Skipped"])
    expect([will_fail.verdict(code, "") for code in (0, 1)], ["Failed", "Passed"])
    expect(libraries.verdict(0, "nothing of it"), "Failed") # this processor has AMX that works
    expect(libraries.verdict(0, '"own": "AVX512_CORE_AMX", "value": "", "by": "library"'), "Passed")


def test_follow(folder):
    """What the guest says, to the end; and where the emulator ends before it."""
    tests = [test_cpu.Test(name, ["x"], expected="library" if name == "d" else "") for name in "abcd"]
    serial = folder / "serial"
    serial.write_text(SERIAL + "#opbench# done\r\n", newline="")
    with subprocess.Popen(["true"]) as emulator:
        emulator.wait()
        got = test_cpu.follow(emulator, serial, tests, False)
        expect(got, [("a", "Passed"), ("b", "Failed"), ("c", "Skipped"), ("d", "Failed")])
        serial.write_text(SERIAL + "Kernel panic\r\n", newline="")
        try:
            test_cpu.follow(emulator, serial, tests, False)
        except test_cpu.Failure as failure:
            expect("Kernel panic" in str(failure), True)
        else:
            sys.exit("an emulator that ended was not noticed")


def test_libraries(program):
    found = test_cpu.needed_libraries([program])
    expect([name for name in ("libc.so.6", "ld-linux-x86-64.so.2") if not any(path.endswith(name) for path in found)], [])


def main():
    program = sys.argv[1]
    if platform.machine() != "x86_64":
        print("emulated processors are for builds of x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="opbench-guest-") as name:
        test_choose(pathlib.Path(name), program)
        test_follow(pathlib.Path(name))
    test_libraries(program)


if __name__ == "__main__":
    main()
