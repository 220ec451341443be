#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_backend_names finds a backend, its library and its models by what their folder says, and leaves operators alone."""

import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "check_backend_names"

FILES = {
    "backends/gadget/gadget.backend.json":
        '{"name": "gadget", "help": "", "library": {"name": "libwheel"}, "models": {"runtime": "WheelScript"}}',
    "backends/torch/torch.backend.json": '{"name": "torch", "help": ""}',
    "backends/kit/kit.c": "",
    "include/opbench/x.h": "/* gadget, libwheel and torch in a comment */\n",
    "src/a/a.c": """const char *text = "// no comment: gadget"; // gadget
int uses_libwheel; /* two
lines of libwheel */ const char *wheelscript = "torch.add torch.float32 PyTorch native kit";
const char *torch = "--backend gadget";
""",
    "cli/b.def": "ROW(\"torch\")\n",
    "cli/b.md": "gadget\n",
}
WANT = [f"{place}: error: '{word}' names a backend; say it in the manifest of its folder"
        for place, word in (("src/a/a.c:1", "gadget"), ("src/a/a.c:2", "uses_libwheel"), ("src/a/a.c:3", "wheelscript"),
                            ("src/a/a.c:4", "torch"), ("cli/b.def:1", "torch"))]
UNUSED = ("src/count/valgrind.c:1: error: 'ONEDNN' (instructions that valgrind does not know) no longer exists; "
          "remove its row from ONLY_IN")


def run(root):
    done = subprocess.run([sys.executable, str(TOOL), str(root)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = run(root)
        for name in ("src/a/a.c", "cli/b.def"):
            (root / name).unlink()
        clean = run(root)
        (root / "src/count").mkdir()
        (root / "src/count/valgrind.c").write_text("int x;\n", encoding="utf-8")
        unused = run(root)
    failed = False
    for got, want in ((found, (1, WANT)), (clean[0], 0), (unused, (1, [UNUSED]))):
        if got != want:
            failed = True
            print(f"got {got}\nwant {want}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
