# SPDX-License-Identifier: Apache-2.0
#
# test_library.py OPBENCH FAKES: libraries that are missing, broken, too old or something else are refused with the reason and
# the cure; nothing crashes, and the other backends go on.

import json
import os
import pathlib
import subprocess
import sys
import tempfile

opbench, fakes = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def call(library, home, *words):
    env = dict(os.environ, HOME=str(home), XDG_DATA_HOME=str(home))
    env.pop("OPBENCH_ONNXRUNTIME", None)
    if library is not None:
        env["OPBENCH_ONNXRUNTIME"] = str(library)
    done = subprocess.run([opbench, *words], capture_output=True, text=True, env=env, cwd=home)
    assert done.returncode >= 0, (words, done.returncode, done.stderr)
    return done


def listed(library, home):
    done = call(library, home, "list", "backends", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert rows["native"]["available"], rows["native"]
    return rows["onnxruntime"]


def timed(library, home, backend):
    return call(library, home, "time", "--op", "torch.add", "f32[4]", "f32[4]", "--backend", backend, "--min-run-time", "0.001")


def names_in_system():
    """What the linker's cache and /usr/local have of it."""
    path = os.pathsep.join(filter(None, [os.environ.get("PATH"), "/usr/sbin", "/sbin"]))
    cache = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, env=dict(os.environ, PATH=path)).stdout
    names = [line.split()[0] for line in cache.splitlines() if "=>" in line]
    names += [file.name for file in pathlib.Path("/usr/local/lib").glob("libonnxruntime.so*")]
    return [name for name in names if name.startswith("libonnxruntime.so")]


def check_refused(library, home, *texts):
    done = timed(library, home, "onnxruntime")
    assert done.returncode != 0, (library, done.stdout)
    for text in texts:
        assert text in done.stdout + done.stderr, (text, done.stdout, done.stderr)
    assert timed(library, home, "native").returncode == 0


with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    row = listed(None, home)
    if names_in_system():
        assert row["available"], row
    else:
        assert not row["available"] and "set OPBENCH_ONNXRUNTIME to its path" in row["reason"], row
        assert "tools/" not in row["reason"], row  # an installed program comes without them
        check_refused(None, home, "docs/onnxruntime.md")

    # Where the linker looks: the project's soname, else those with a minor version, the newest first;
    # none that is too old, none with another name.
    search = home / "search"
    search.mkdir()
    os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(search), os.environ.get("LD_LIBRARY_PATH")]))

    def put(*names):
        for name in names:
            (search / name).symlink_to((fakes / "fake_old.so").resolve())

    if "libonnxruntime.so.1" not in names_in_system():
        put("libonnxruntime.so.1.98", "libonnxruntime.so.1.9", "libonnxruntime.so.1.x", "libonnxruntime.so")
        check_refused(None, home, "search/libonnxruntime.so.1.98 is")
        put("libonnxruntime.so.1.99")
        check_refused(None, home, "search/libonnxruntime.so.1.99 is")
    put("libonnxruntime.so.1")
    check_refused(None, home, "search/libonnxruntime.so.1 is")
    row = listed(home / "nowhere.so", home)
    assert not row["available"] and "nowhere.so" in row["reason"], row
    check_refused(home / "nowhere.so", home, "nowhere.so")

    # What only opening shows.
    broken = home / "broken.so"
    broken.write_text("this is not a library\n")
    row = listed(broken, home)
    assert not row["available"] and "broken.so" in row["reason"], row
    check_refused(broken, home, "broken.so", "set OPBENCH_ONNXRUNTIME to the path of another one")
    cut = home / "cut.so"
    cut.write_bytes((fakes / "fake_old.so").read_bytes()[:4000])
    check_refused(cut, home, "cut.so", "shorter than its header")
    check_refused(fakes / "fake_old.so", home, "1.2.3", "too old", "1.20")
    check_refused(fakes / "fake_other.so", home, "OrtGetApiBase")
    check_refused(fakes / "fake_empty.so", home, "fake_empty.so")

    # The place of tools/fetch_onnxruntime.
    place = home / "opbench/onnxruntime"
    place.mkdir(parents=True)
    (place / "libonnxruntime.so").symlink_to((fakes / "fake_old.so").resolve())
    check_refused(None, home, "opbench/onnxruntime/libonnxruntime.so", "too old")

    # A repro line names the library that was chosen, by the option or by the variable.
    config, records = home / "config.json", home / "records.json"
    argument = {"type": "tensor", "dtype": "float", "shape": [4]}
    config.write_text(json.dumps({"torch.add": {"input_data_generator": "PyTorch:DefaultDataGenerator",
                                                "config": [{"input": [{"args": [argument, argument]}]}]}}))
    old = str((fakes / "fake_old.so").resolve())
    for library, options in ((None, ["--onnxruntime-library", old]), (old, [])):
        call(library, home, "run", "-c", str(config), "--backend", "onnxruntime", "--output", str(records), "--force", *options)
        for line in map(json.loads, records.read_text().splitlines()):
            assert "repro" not in line or line["repro"].startswith(f"OPBENCH_ONNXRUNTIME={old} {opbench} run "), line["repro"]
            assert line.get("status", "unsupported") != "ok", line
