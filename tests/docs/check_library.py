#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C parts of docs/library.md compile: each is put into a function whose surroundings declare what the
page's text takes for given.

usage: check_library.py CC"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

BEFORE = """
#include <opbench/run.h>
void use(const char *name, ...);
void print_message(void *ctx, ob_log_level level, const ob_err *what);
ob_status keep(void *ctx, const ob_record *record, const char *line, size_t length, ob_err *err);
ob_status take(void *ctx, const ob_job_event *event, ob_err *err);
int asked_to_stop(void *ctx);
extern const ob_iterator_desc HALVING;
"""

# name, type: declared in a part's function unless the part declares it itself.
NAMES = {
    "context": "ob_context *", "config": "ob_config *", "cases": "ob_cases *", "c": "const ob_case *",
    "session": "ob_session *", "b": "ob_builder *", "text": "const char *", "size": "size_t ",
    "status": "ob_status ", "options": "ob_run_options ", "summary": "ob_run_summary ",
    "results": "int ", "err": "ob_err ",
}


def main():
    compiler = sys.argv[1]
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    parts = re.findall(r"^```c\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if len(parts) < 4:
        sys.exit(f"docs/library.md has {len(parts)} C parts; are they still marked ```c?")
    # A part that needs another header begins with it.
    headers = sorted(set(re.findall(r"^#include <opbench/\w+\.h>\n", "".join(parts), re.MULTILINE)))
    source = "".join(headers) + BEFORE
    for number, part in enumerate(parts):
        part = re.sub(r"^#include .*\n", "", part, flags=re.MULTILINE)
        part = part.replace("\n...\n", "\n").replace("use(record.result.status,", "use(NULL, record.result.status,")
        declared = "".join(
            f"    {kind}{name} = {{0}};\n" if "*" not in kind else f"    {kind}{name} = NULL;\n"
            for name, kind in NAMES.items()
            if not re.search(rf"^(const )?\w+ \*?{name};$", part, re.MULTILINE))
        source += f"void part_{number}(void);\nvoid part_{number}(void)\n{{\n{declared}{part}}}\n"
    with tempfile.NamedTemporaryFile("w", suffix=".c", prefix="opbench-library-") as file:
        file.write(source)
        file.flush()
        done = subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable",
                               "-Wno-unused-but-set-variable", "-Wno-unused-parameter", "-fsyntax-only",
                               f"-I{ROOT}/include", file.name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"docs/library.md does not compile:\n{done.stderr}")


if __name__ == "__main__":
    main()
