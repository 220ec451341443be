# SPDX-License-Identifier: Apache-2.0
#
# test_header.py CC BACKEND_FOLDER CHECK: compiles CHECK against the header that `tools/fetch_onnxruntime --header` brought:
# every function must be where api.h says.

import os
import pathlib
import subprocess
import sys
import tempfile

compiler, backend, check = sys.argv[1:]
data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
include = pathlib.Path(data) / "opbench/onnxruntime/include"
if not (include / "onnxruntime_c_api.h").exists():
    print("skipped: no header of ONNX Runtime; run tools/fetch_onnxruntime --header")
    sys.exit(77)


def compile_with(folder):
    return subprocess.run([compiler, "-std=c17", "-fsyntax-only", f"-I{folder}", f"-I{include}", check],
                          capture_output=True, text=True)


done = compile_with(backend)
assert done.returncode == 0, done.stderr
# The check can fail.
with tempfile.TemporaryDirectory() as folder:
    text = pathlib.Path(backend, "api.h").read_text().replace("SetIntraOpNumThreads, 24", "SetIntraOpNumThreads, 25")
    pathlib.Path(folder, "api.h").write_text(text)
    assert "another place" in compile_with(folder).stderr
