#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results: their tables are the program's, files are kept and never replaced unasked, pages and pictures are whole, verdicts
are those of `opbench diff`; and the data frame, where pandas is there or PyPI has it.

usage: test_result_views.py [OPBENCH [--pypi]]
"""

import csv
import gc
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from checks import check, exit_code  # noqa: E402

import opbench  # noqa: E402

COLUMNS = ["operator", "id", "call", "shapes", "dtypes", "backend", "side", "device", "threads", "pass", "median", "low", "high", "n",
           "gflops", "gbps", "status", "reason"]

# In an environment of its own, with pandas from PyPI.
FRAMES = """
import sys, opbench
frame = opbench.load(sys.argv[1]).to_pandas()
assert list(frame.columns) == %r, frame.columns
assert len(frame) == 3, frame
assert list(frame["pass"]) == ["forward", "backward", "forward"], frame
assert abs(frame["median"][0] - 1e-6) < 1e-12, frame["median"]
assert frame["shapes"][0] == "64x4 64x4" and frame["dtypes"][0] == "float float", frame
assert frame["n"][0] == 40 and frame["gflops"][0] > 0 and frame["gbps"][0] > 0, frame
assert frame["low"][0] <= frame["median"][0] <= frame["high"][0], frame
assert frame["median"].isna()[2] and frame["n"][2] == 0 and frame["status"][2] == "invalid" and "must be equal" in frame["reason"][2], frame
assert len(opbench.load([sys.argv[1], sys.argv[1]]).to_pandas()) == 6
print("frames ok")
""" % COLUMNS


def program(*words):
    return subprocess.run([opbench.program_path(), *words], capture_output=True, text=True, check=False).stdout


def refused(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except opbench.Error as error:
        return str(error)
    return ""


def make():
    """A result of a forward and a backward pass, and one that is invalid."""
    tensor = {"type": "tensor", "dtype": "float", "shape": [64, 4]}
    wrong = {"type": "tensor", "dtype": "float", "shape": [64, 3]}
    inputs = [{"args": [tensor, tensor]}, {"args": [tensor, wrong]}]
    config = {"torch.add": {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": inputs}]}}
    return opbench.run(config, backend="null", iteration=40, backward=True)


def tables(result, folder):
    path = result.paths[0]
    check(result.table == program("show", "--format=table", path), "the table is the program's")
    check(str(result) == result.table and "1 ok" in repr(result) and "1 invalid" in repr(result), repr(result))
    check(result.show(sort="-median", top=1) == program("show", "--sort=-median", "--top=1", path), "show takes show's options")
    check(result.to_csv() == program("show", "--long", "--format=csv", path), "CSV is the program's")
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    check(len(rows) == 3 and rows[0]["operator"] == "torch.add", "CSV has a row for each pass")
    written = result.to_csv(folder / "rows.csv")
    check(pathlib.Path(written).read_text(encoding="utf-8") == result.to_csv(), "CSV goes to a file")
    check("already exists" in refused(result.to_csv, written), "which is not replaced")


def files(result, folder):
    kept = result.save(folder / "kept.json")
    check(pathlib.Path(kept).read_bytes() == pathlib.Path(result.paths[0]).read_bytes(), "save copies the records")
    check("already exists" in refused(result.save, kept) and result.save(kept, force=True) == kept, "and replaces nothing unasked")
    loaded = opbench.load(kept)
    check(loaded.records == result.records and loaded.header["config_hash"] == result.header["config_hash"], "load reads them again")
    both = opbench.load([kept, result.paths[0]])
    check(len(both) == 2 * len(result), "several files are one result")
    place = pathlib.Path(result.paths[0]).parent
    del result, both
    return place


def pages(result, folder):
    picture = result.plot(top=1)
    check(picture.svg.lstrip().startswith("<svg") and picture._repr_svg_() == picture.svg, "a picture is SVG")
    check(pathlib.Path(picture.save(folder / "p.svg")).stat().st_size > 500, "which can be saved")
    page = result._repr_html_()
    check(page.startswith("<iframe srcdoc=") and "sandbox" in page and "&lt;!doctype html" in page.lower(), "notebooks get the report's page")
    check(pathlib.Path(result.report(folder / "r.html")).read_text(encoding="utf-8").lower().startswith("<!doctype html"),
          "report writes the page")


def verdicts(folder):
    words = ("torch.add", "f32[4]", "f32[4]")
    slow = opbench.time(*words, backend="null", backend_options="forward_ns=2000", processes=6)
    fast = opbench.time(*words, backend="null", backend_options="forward_ns=1000", processes=6)
    made = opbench.diff(fast, slow, names=["old", "new"])
    check(made.verdict == "slower" and made.worse and abs(made.rows[0]["ratio"] - 2) < 1e-6, made.table)
    check("old" in made.table and "new" in made.table and "1 slower" in repr(made), made.table)
    check(json.loads(made.show("json"))["summary"] == made.summary, "summary is diff's")
    check(not opbench.diff(slow, fast).worse and opbench.diff(slow, fast).verdict == "faster", "the other way round it is faster")
    check(opbench.diff(fast, slow, fail_on="nothing").worse is False, "options of verdicts are taken")
    slow.save(folder / "slow.json")
    fast.save(folder / "fast.json")
    stored = opbench.diff(str(folder / "fast.json"), folder / "slow.json")
    check(stored.verdict == "slower", "files are compared, too")
    sides = opbench.diff(*words, a="one:backend=null,options=forward_ns=1000", b="two:backend=null,options=forward_ns=3000", budget=0.2)
    check(sides.verdict == "slower" and {r["side"] for r in sides.records} == {"one", "two"}, sides.table)
    check("all different" in refused(opbench.diff, fast, slow, names=["x", "x"]), "names are checked")
    check("no option" in refused(opbench.diff, fast, slow, treshold=1), "and options")
    check("srcdoc" in made._repr_html_(), "a diff has a page")


def frames(result, folder):
    from pypi import environment_with, with_opbench

    path = str(result.save(folder / "frames.json"))
    if importlib.util.find_spec("pandas") is None:
        check("pip install pandas" in refused(result.to_pandas), "without pandas the fix is said")
    python = environment_with(build_folder(), "pandas")
    if python is None:
        return
    done = subprocess.run([python, "-c", FRAMES, path], capture_output=True, text=True, check=False, env=with_opbench())
    check(done.stdout == "frames ok\n", f"data frames: {done.stderr}")


def build_folder():
    return pathlib.Path(sys.argv[1]).resolve().parent if len(sys.argv) > 1 else pathlib.Path(tempfile.gettempdir())


def main():
    warnings.simplefilter("ignore", opbench.OpbenchWarning)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result = make()
        tables(result, folder)
        place = files(result, folder)
        pages(result, folder)
        frames(result, folder)
        check(place.exists(), "the file is there as long as the result")
        del result
        gc.collect()  # an exception's traceback holds on to it
        check(not place.exists(), "and goes with it")
        verdicts(folder)
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
