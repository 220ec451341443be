#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C of docs/library.md and the examples in the public headers compile: each is put into a function whose surroundings
declare what the text takes for granted; what an example defines at the outermost level stays there.

usage: check_library.py CC"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FEWEST_PARTS, FEWEST_EXAMPLES = 8, 5

BEFORE = """
#include <opbench/run.h>
void use(const char *name, ...);
void print_message(void *ctx, ob_log_level level, const ob_err *what);
ob_status keep(void *ctx, const ob_record *record, const char *line, size_t length, ob_err *err);
ob_status take(void *ctx, const ob_job_event *event, ob_err *err);
ob_status see_draw(void *ctx, const ob_fuzz_draw *draw, ob_err *err);
int asked_to_stop(void *ctx);
extern const ob_iterator_desc HALVING;
struct list {
    int *items;
    size_t count, capacity;
};
"""

# name, type: declared in a part's function unless the part declares it itself.
NAMES = {
    "context": "ob_context *", "config": "ob_config *", "cases": "ob_cases *", "c": "const ob_case *",
    "session": "ob_session *", "b": "ob_builder *", "text": "const char *", "size": "size_t ",
    "status": "ob_status ", "options": "ob_run_options ", "summary": "ob_run_summary ",
    "results": "int ", "err": "ob_err ", "fuzzer": "ob_fuzzer *", "measurements": "ob_measurements *",
    "ctx": "void *", "list": "struct list *", "item": "int ",
}
# What an example defines itself has a type that is known after it.
OWN_NAMES = {"numbers": "struct numbers "}
OUTERMOST = re.compile(r"^(?:(?:static|struct) [^\n]*\n\{\n.*?^\}\n|struct \w+ \{\n.*?^\};\n|static const [^;]*;\n|OB_\w+\([^;]*\);\n)",
                       re.MULTILINE | re.DOTALL)


def as_function(name, part, names):
    """The part as a function, after what it defines outside of one."""
    outside = "".join(OUTERMOST.findall(part)) if name.startswith("example_") else ""
    part = OUTERMOST.sub("", part) if outside else part
    declared = "".join(
        f"    {kind}{name} = {{0}};\n" if "*" not in kind else f"    {kind}{name} = NULL;\n"
        for name, kind in names.items()
        if re.search(rf"\b{name}\b", part) and not re.search(rf"^(const )?\w+ \*?{name};$", part, re.MULTILINE))
    return f"{outside}ob_status {name}(void);\nob_status {name}(void)\n{{\n{declared}{part}return OB_OK;\n}}\n"


def check(compiler, what, source):
    with tempfile.NamedTemporaryFile("w", suffix=".c", prefix="opbench-library-") as file:
        file.write(source)
        file.flush()
        done = subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable",
                               "-Wno-unused-but-set-variable", "-Wno-unused-parameter", "-fsyntax-only",
                               f"-I{ROOT}/include", file.name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{what} does not compile:\n{done.stderr}")


def check_page(compiler):
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    parts = re.findall(r"^```c\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if len(parts) < FEWEST_PARTS:
        sys.exit(f"docs/library.md has {len(parts)} C parts; are they still marked ```c?")
    # A part that needs another header begins with it.
    headers = sorted(set(re.findall(r"^#include <opbench/\w+\.h>\n", "".join(parts), re.MULTILINE)))
    source = "".join(headers) + "#include <opbench/fuzz.h>\n" + BEFORE
    for number, part in enumerate(parts):
        part = re.sub(r"^#include .*\n", "", part, flags=re.MULTILINE)
        part = part.replace("\n...\n", "\n").replace("use(record.result.status,", "use(NULL, record.result.status,")
        source += as_function(f"part_{number}", part, NAMES)
    check(compiler, "docs/library.md", source)


def check_headers(compiler):
    examples = 0
    for path in sorted((ROOT / "include/opbench").glob("*.h")):
        head = path.read_text(encoding="utf-8").split("*/", 1)[0]
        lines = re.findall(r"^ \*     (.*\n)", head, re.MULTILINE)
        if not lines:
            continue
        examples += 1
        source = f'#include <opbench/{path.name}>\n#include <opbench/builder.h>\n#include <opbench/fuzz.h>\n{BEFORE}'
        names = NAMES | {name: kind for name, kind in OWN_NAMES.items() if kind.strip() in "".join(lines)}
        check(compiler, f"the example of {path.name}", source + as_function(f"example_{path.stem}", "".join(lines), names))
    if examples < FEWEST_EXAMPLES:
        sys.exit(f"{examples} headers have an example; are they still indented by five blanks?")


def main():
    check_page(sys.argv[1])
    check_headers(sys.argv[1])


if __name__ == "__main__":
    main()
