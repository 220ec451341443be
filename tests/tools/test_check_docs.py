#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_docs finds everything that is wrong in a small tree, with its line, and nothing in what is right; and the runner of
pages (tests/docs/run_pages.py) fails for a command that fails, for output that does not come and for a command that it does not run."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TREE = {
    "Makefile": "all:\ntest:\n",
    "VERSION": "1.2.3\n",
    "CHANGELOG.md": "# Changes\n\nopbench 0.1.0 was the first.\n",
    "src/base/a.c": "",
    "docs/commands.md": "# Commands\n\n## run: measure\n\n- `-b, --backward`: x\n- `--check`: x\n\n## show: print\n\n- `--top N`: x\n\n"
                        "## submit: divide\n\n- `--slurm`: x\n",
    "docs/architecture.md": "# Architecture\n\n| `src/base` | x |\n| `src/gone` | x |\n",
    "docs/README.md": "# Pages\n\n[a](architecture.md) [c](commands.md) [g](good.md) [b](bad.md)\n",
    "docs/unnamed.md": "# Not in the index\n",
    "docs/good.md": "# Good\n\n## Twice, `a` & b\n\n## Twice, `a` & b\n\n[x](#twice-a--b-1) [y](commands.md#run-measure) `src/base/a.c`\n"
                    "`opbench show r.json --top 2` `--check` <https://example.org/#x> `make test`\n\n"
                    "    $ opbench run -b 'a --nothing' | sort --unknown    # --neither\n"
                    "    opbench submit --slurm -- --check\n\n```sh\n# no heading\nopbench run \\\n  --check\n```\n\n"
                    "    $ opbench --version\n    opbench 1.2.3\n",
    "docs/bad.md": "# Bad\n\n[x](gone.md)\n[y](#no-heading)\n[z](good.md#never)\n`opbench fly`\n`opbench show --check`\n`--nowhere`\n"
                   "`src/gone.c`\n`make rain`\n\n    opbench run \\\n        --top 1\n\n```sh\nopbench run --slurm\n```\n\n"
                   "```\n$ opbench --version\nopbench 1.2.2\n```\n",
}
WANT = """docs/bad.md:3: error: gone.md does not exist
docs/bad.md:4: error: bad.md has no heading #no-heading
docs/bad.md:5: error: good.md has no heading #never
docs/bad.md:6: error: there is no command `opbench fly`
docs/bad.md:7: error: `opbench show` has no option --check
docs/bad.md:8: error: nothing has the option --nowhere; if it is another program's, add it to tools/check_docs
docs/bad.md:9: error: src/gone.c does not exist
docs/bad.md:10: error: there is no target `make rain`
docs/bad.md:12: error: `opbench run` has no option --top
docs/bad.md:15: error: `opbench run` has no option --slurm
docs/bad.md:21: error: opbench 1.2.2 is not the version in VERSION, 1.2.3
docs/architecture.md:4: error: src/gone does not exist
docs/README.md:1: error: does not name docs/unnamed.md
docs/architecture.md:1: error: src/gone is in the table or in the tree, not in both""".splitlines()

# What a page has, and whether it passes.
PAGES = {
    "shows other numbers": ("```console\n$ echo 'a 17 us b'\na 3 ms c\n```\n", True),
    "leaves lines out": ("```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n```\n", True),
    "writes a file": ("<!-- file: x.txt -->\n```text\nhello\n```\n\n```console\n$ cat x.txt\nhello\n```\n", True),
    "goes on in the next line": ("```console\n$ echo a \\\n    b\na b\n```\n", True),
    "fails": ("```console\n$ false\n```\n", False),
    "shows what does not come": ("```console\n$ echo a\nb\n```\n", False),
    "has a command in another block": ("```console\n$ true\n```\n\n```sh\nopbench run x\n```\n", False),
    "has no command": ("text\n", False),
}


def check_tree():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TREE.items():
            place = pathlib.Path(folder) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "tools" / "check_docs", folder], capture_output=True, text=True, check=False)
    got = done.stdout.splitlines()
    for line in got:
        if line not in WANT:
            yield f"not wanted: {line}"
    for line in WANT:
        if line not in got:
            yield f"not found: {line}{done.stderr}"
    if done.returncode != 1:
        yield f"exit code is {done.returncode}, want 1"


def check_pages():
    with tempfile.TemporaryDirectory() as folder:
        for what, (text, passes) in PAGES.items():
            page = pathlib.Path(folder) / "page.md"
            page.write_text("# Page\n\n" + text, encoding="utf-8")
            done = subprocess.run([sys.executable, ROOT / "tests" / "docs" / "run_pages.py", "--program", sys.executable, page],
                                  capture_output=True, text=True, check=False)
            if (done.returncode == 0) != passes:
                yield f"a page that {what}: exit code {done.returncode}\n{done.stdout}{done.stderr}"


def main():
    wrong = [*check_tree(), *check_pages()]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
