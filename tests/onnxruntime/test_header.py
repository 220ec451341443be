# SPDX-License-Identifier: Apache-2.0
#
# test_header.py CC BACKEND_FOLDER CHECK: compiles CHECK against every header of ONNX Runtime that is here, the one that
# `tools/fetch_onnxruntime --header` brought and that of Debian's libonnxruntime-dev: every function must be where onnxruntime_api.h says.

import os
import pathlib
import subprocess
import sys
import tempfile

compiler, backend, check = sys.argv[1:]
data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
FOLDERS = (pathlib.Path(data, "opbench/onnxruntime/include"), pathlib.Path("/usr/include/onnxruntime"),
           pathlib.Path("/usr/local/include/onnxruntime"))
includes = [folder for folder in FOLDERS if (folder / "onnxruntime_c_api.h").exists()]
if not includes:
    print("skipped: no header of ONNX Runtime; install libonnxruntime-dev (Debian 13 and later), or run "
          "tools/fetch_onnxruntime --header")
    sys.exit(77)


def compile_with(folder, include):
    return subprocess.run([compiler, "-std=c17", "-fsyntax-only", f"-I{folder}", f"-I{include}", check],
                          capture_output=True, text=True)


for include in includes:
    done = compile_with(backend, include)
    assert done.returncode == 0, done.stderr
# The check can fail.
with tempfile.TemporaryDirectory() as folder:
    text = pathlib.Path(backend, "onnxruntime_api.h").read_text().replace("SetIntraOpNumThreads, 24", "SetIntraOpNumThreads, 25")
    pathlib.Path(folder, "onnxruntime_api.h").write_text(text)
    assert "another place" in compile_with(folder, includes[0]).stderr
