#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""However a snippet ends, nothing is left behind: no process, no file, no endless search for a block size.

usage: test_endings.py OPBENCH
"""

import os
import pathlib
import signal
import sys
import time

from program import LOOP, check, run_tests


def group_members(mark):
    """Processes whose command line has the text, but for this one."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if mark.encode() in words and path.parent.name != str(os.getpid()):
            found.append((path.parent.name, words[:200]))
    return found


def descendants(pid):
    found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return found + [below for child in found for below in descendants(child)]


def wait_until(condition, what):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    check(False, f"{what} within a minute: {group_members('slow-cc')}")


def slow_compiler(program):
    """A compiler that starts another process, as gcc does, and takes for ever."""
    path = program.home / "slow-cc"
    inner = program.home / "slow-cc1"
    inner.write_text("#!/bin/sh\necho part > \"$TMPDIR/cc1.s\"\nsleep 600 &\nwait\n")
    path.write_text(f"#!/bin/sh\n{inner} &\nwait\n")
    for script in (path, inner):
        script.chmod(0o755)
    return str(path)


def test_interrupted_compile(program):
    """The compiler's whole group ends with opbench, and so do its files."""
    compiler = slow_compiler(program)
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130)):
        for command in ("count", "time"):
            running = program.start(command, *LOOP, "--cc", compiler)
            wait_until(lambda: list(program.cache.glob("*/cc1.s")), "the compiler runs")
            running.send_signal(number)
            error = running.communicate(timeout=60)[1]
            check(running.returncode == code, f"{command}: exit code {running.returncode}, {error}")
            check(f"opbench {command}: error: interrupted" in error, f"{command}: {error}")
            # Killed is not gone: somebody has to wait for them first.
            wait_until(lambda: group_members(compiler) == [], "the compiler's group is gone")
            check(program.left() == [], f"files: {program.left()}")


def test_interrupted_snippet(program):
    """While it is counted, or timed."""
    mark = program.home / "runs"
    for command in ("count", "time"):
        code = f'FILE *f = fopen("{mark}", "w"); fclose(f); for (;;) ;'
        running = program.start(command, "--lang", "c", code)
        wait_until(mark.exists, "the statement runs")
        children = descendants(running.pid)
        check(len(children) == 2, f"the statement and its guard: {children}")
        running.send_signal(signal.SIGINT)
        error = running.communicate(timeout=60)[1]
        check(running.returncode == 130, f"{command}: exit code {running.returncode}, {error}")
        check(not any(pathlib.Path("/proc", child).exists() for child in children), "both are gone")
        mark.unlink()


def test_killed(program):
    """What a killed process started dies with it; its files are removed by the next one."""
    compiler = slow_compiler(program)
    running = program.start("count", *LOOP, "--cc", compiler)
    wait_until(lambda: list(program.cache.glob("*/cc1.s")), "the compiler runs")
    running.kill()
    running.communicate(timeout=60)
    check(len(program.left()) == 2, f"it leaves two folders: {program.left()}")
    wait_until(lambda: group_members(compiler) == [], "the compiler's group is gone")
    other = program.start("count", "--lang", "c", "for (;;) ;")
    wait_until(lambda: not list(program.cache.glob("*/cc1.s")), "the next one sweeps")
    live = program.left()
    check(len(live) >= 1, "a running one has a folder")
    check(program.run(*LOOP).returncode == 0, "a third one works")
    check(set(live) & set(program.left()) != set(), "and leaves the folders of running ones alone")
    other.send_signal(signal.SIGTERM)
    other.communicate(timeout=60)


def test_killed_count(program):
    """valgrind and what its process started die with opbench."""
    mark = program.home / "counted"
    code = f'if (system("sleep 600 & echo $! > {mark}")) abort(); for (;;) ;'
    running = program.start("count", "--lang", "c", code)
    wait_until(lambda: mark.exists() and mark.read_text().strip(), "the statement runs")
    children = descendants(running.pid)
    running.kill()
    running.communicate(timeout=60)
    for child in [*children, mark.read_text().strip()]:
        wait_until(lambda: not is_alive(child), f"process {child} is gone")
    program.run("--lang", "c", ";")  # removes its folder


def is_alive(pid):
    try:
        return pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def headers(program):
    return [path.name for path in program.cache.glob("torch_*")]


def test_header(program):
    """libtorch's header, interrupted or killed while it is made, leaves nothing that stays."""
    if not pathlib.Path("/usr/include/torch/csrc/api/include").exists():
        print("not tested: libtorch's headers are not there")
        return
    words = ("count", "--lang", "c++", "torch::ones({1});", "--cxx", slow_compiler(program))
    running = program.start(*words)
    wait_until(lambda: list(program.cache.glob("*/cc1.s")), "the compiler runs")
    check(len(headers(program)) == 2, f"a header and its lock: {headers(program)}")
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    check(headers(program) == [], f"an interrupt leaves no header: {headers(program)}")
    running = program.start(*words)
    wait_until(lambda: list(program.cache.glob("*/cc1.s")), "the compiler runs again")
    running.kill()
    running.communicate(timeout=60)
    check(len(headers(program)) == 2, f"a kill leaves both: {headers(program)}")
    wait_until(lambda: group_members(words[-1]) == [], "the compiler's group is gone")
    program.run("--lang", "c", "/* after a kill */;")
    check(headers(program) == [], f"the next one removes them: {headers(program)}")


def test_leaving_the_loop(program):
    """A statement that ends the loop around it has no time, and is said to."""
    cases = [
        ("c", "break;"),
        ("c", "return;"),
        ("c", "if (ob_snippet_i == 5) break;"),
        ("c++", "return;"),
        ("python", "break"),
        ("python", "return"),
        ("python", "return True"),
    ]
    for lang, code in cases:
        for command in ("time", "count") if code in ("break;", "return") else ("time",):
            done = program.command(command, "--lang", lang, code, "--case-timeout", "100")
            check(done.returncode == 2 and "leaves the loop around it" in done.stderr,
                  f"{command} {lang} {code}: {done}")
    done = program.command("time", "--lang", "c", "--setup", "again:;", "goto again;")
    check(done.returncode == 2 and "leaves the loop" in done.stderr, f"goto: {done}")
    for code in ("yield 1", "await x", "async for i in x: pass"):
        done = program.command("time", "--lang", "python", code)
        check(done.returncode == 2 and ("leaves the loop" in done.stderr or "SyntaxError" in done.stderr),
              f"{code}: {done}")
    for lang, code in (("c", "continue;"), ("python", "continue"),
                       ("python", "for i in [1]: break"), ("c", "for (;;) break;")):
        done = program.command("time", "--lang", lang, code, "--number", "100")
        check(done.returncode == 0, f"{lang} {code} is fine: {done}")


def test_old_objects(program):
    """What was not used for a month goes, what is used stays."""
    for path in program.objects():
        path.unlink()
    program.counts(*LOOP)
    used = program.objects()
    old = [program.cache / f"{HASH}.so", program.cache / f"{HASH}.so.sum",
           program.cache / f"torch_{HASH}.hpp.gch", program.cache / "models-0123456789abcdef"]
    foreign = make_foreign(program.cache)
    old[3].mkdir()
    for path in [*old[:3], old[3] / "model.pt"]:
        path.write_text("x")
    age(*old, *used, *foreign)
    program.counts(*LOOP)
    program.counts("--lang", "c", "/* something new */;")
    for path in old:
        check(not path.exists(), f"{path.name} is old and is removed")
    check(all(path.exists() for path in used), "one that is used is not")
    check_there(foreign, "in our own cache")
    for path in foreign:
        path.unlink() if not path.is_dir() or path.is_symlink() else path.rmdir()


HASH = "0123456789abcdef0123456789abcdef"


def age(*paths):
    long_ago = time.time() - 60 * 24 * 3600
    for path in paths:
        os.utime(path, (long_ago, long_ago), follow_symlinks=False)


def make_foreign(folder):
    """Things that somebody may have put there, some with names much like ours."""
    paths = [folder / name for name in ("thesis.txt", "model.so", f"{HASH[:8]}.so", f"{HASH}.so.bak",
                                        "torch_utils.hpp", "models-of-mine", f"{HASH[1:]}0.so")]
    for path in paths[:5]:
        path.write_text("x")
    paths[5].mkdir()
    paths[6].symlink_to(paths[0])
    return paths


def check_there(paths, where):
    for path in paths:
        check(path.is_symlink() or path.exists(), f"{path.name} {where} stays")


def test_foreign_cache(program):
    """A folder that was there before is never swept; one of ours inside it holds what we make."""
    mine = program.home / "mine"
    mine.mkdir(mode=0o700)
    foreign = make_foreign(mine)
    for name in (f"{HASH}.so", f"torch_{HASH}.hpp", "CACHEDIR.TAG"):
        foreign.append(mine / name)
        foreign[-1].write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    age(*foreign)
    for code in ("int x = 1; (void)x;", "int x = 2; (void)x;"):
        done = program.command("time", "--lang", "c", code, "--number", "10", "--cache-dir", str(mine))
        check(done.returncode == 0, f"such a folder can be used: {done}")
    check_there(foreign, "in a folder of mine")
    inner = mine / "opbench-snippets"
    check(len(list(inner.glob("*.so"))) == 2, f"objects are in {inner}")
    check(sorted(path.name for path in mine.iterdir()) ==
          sorted([inner.name, *(path.name for path in foreign)]), "and nothing else is in mine")
    # Without its mark, ours is anybody's.
    (inner / "CACHEDIR.TAG").unlink()
    age(*inner.glob("*.so"))
    program.command("time", "--lang", "c", "int x = 3; (void)x;", "--number", "10", "--cache-dir", str(mine))
    check(len(list(inner.glob("*.so"))) == 3, "a folder that lost its mark is not swept")
    new = program.home / "a" / "b"
    done = program.command("time", "--lang", "c", "int x = 1; (void)x;", "--number", "10",
                           "--cache-dir", f"{new}/")
    check(done.returncode == 0 and len(list(new.glob("*.so"))) == 1, f"a new folder is made: {done}")


def test_foreign_temporary(program):
    """So do folders in TMPDIR that have a name like ours."""
    folder = program.temporary / "opbench-thesis-999999999-abcdef"
    folder.mkdir(mode=0o700)
    (folder / "chapter").write_text("x")
    age(folder)
    program.counts(*LOOP)
    check((folder / "chapter").exists(), "a folder of mine in TMPDIR stays")
    (folder / "chapter").unlink()
    folder.rmdir()


if __name__ == "__main__":
    sys.exit(run_tests([test_interrupted_compile, test_interrupted_snippet, test_killed,
                        test_killed_count, test_header, test_leaving_the_loop, test_old_objects,
                        test_foreign_cache, test_foreign_temporary]))
