#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/abi_list: additions pass, everything that breaks a program that was built before is named."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "abi_list"
HEADER = """\
#define X_MOST 4 /* not ours: it has another prefix */
#define OB_MOST 64
typedef enum ob_kind { OB_ONE, OB_TWO = 5, OB_THREE } ob_kind;
typedef struct ob_params { /* grows at its end */
    size_t size;
    int first;
} ob_params;
typedef struct ob_pair {
    int a, b;
} ob_pair;
typedef void (*ob_fn)(void *ctx, int what);
int ob_call(const ob_params *params,
            ob_fn fn);
static inline int ob_twice(int x)
{
    return 2 * x;
}
"""


class AbiList(unittest.TestCase):
    def after(self, *changes):
        """Exit code and text after replacements in a header whose list was written before."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "cmake").mkdir()
            header = root / "include" / "opbench" / "opbench.h"
            header.parent.mkdir(parents=True)
            header.write_text(HEADER, encoding="utf-8")
            subprocess.run([TOOL, "--write", folder], check=True)
            text = HEADER
            for old, new in changes:
                self.assertIn(old, text)
                text = text.replace(old, new)
            header.write_text(text, encoding="utf-8")
            done = subprocess.run([TOOL, folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def breaks(self, what, *changes):
        code, text = self.after(*changes)
        self.assertEqual(code, 1, text)
        self.assertIn(what, text)
        self.assertIn("abi_list --write", text)

    def passes(self, *changes):
        code, text = self.after(*changes)
        self.assertEqual(code, 0, text)

    def test_additions(self):
        self.passes()
        self.passes(("int ob_call", "void ob_more(void);\nint ob_call"))
        self.passes(("    int first;\n", "    int first;\n    double second;\n"))
        self.passes(("OB_THREE }", "OB_THREE, OB_FOUR }"))

    def test_names_of_parameters_and_bodies_are_free(self):
        self.passes(("ob_params *params", "ob_params *p"), ("int what", "int that"))
        self.passes(("return 2 * x;", "return x + x;"))

    def test_breaks(self):
        self.breaks("function ob_call: is gone", ("ob_call", "ob_called"))
        self.breaks("function ob_call: was int ob_call(", ("const ob_params *params", "ob_params *params"))
        self.breaks("function ob_call: was int ob_call(", ("int ob_call", "long ob_call"))
        self.breaks("type ob_fn: was", ("int what", "long what"))
        self.breaks("constant OB_MOST: was 64 and is 65", ("OB_MOST 64", "OB_MOST 65"))

    def test_members(self):
        self.breaks("struct ob_pair: was int a, b and is int a, b, c", ("int a, b;", "int a, b, c;"))
        self.breaks("struct ob_pair: was", ("int a, b;", "int a, b;\n    int c;"))
        self.breaks("struct ob_params: was", ("    int first;\n", "    double zeroth;\n    int first;\n"))

    def test_structs_that_callers_make_have_their_size(self):
        code, text = self.after(("ob_params *params", "ob_pair *params"))
        self.assertEqual(code, 1, text)
        self.assertIn("struct ob_pair: start it with `size_t size`", text)

    def test_what_grows_inside_another_struct_is_its_last_member(self):
        pair = "typedef struct ob_pair {\n    int a, b;\n"
        self.passes((pair, "typedef struct ob_more {\n    int a;\n    ob_params own;\n} ob_more;\n" + pair))
        code, text = self.after((pair, "typedef struct ob_more {\n    ob_params own;\n    int a;\n} ob_more;\n" + pair))
        self.assertEqual(code, 1, text)
        self.assertIn("ob_more.own grows, and what comes after it would move", text)

    def test_usage(self):
        for words, code in ((["--help"], 0), (["-h"], 0), (["--what"], 2), (["a", "b"], 2)):
            done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done)
            self.assertIn("usage: abi_list [--write] [ROOT]", done.stdout if code == 0 else done.stderr)

    def test_the_main_header_stays_small(self):
        def more(line, count):
            return self.after(("int ob_call", "".join(line.format(i) for i in range(count)) + "int ob_call"))
        for line, most in (("int ob_f{}(void);\n", 33), ("typedef struct ob_s{0} ob_s{0};\n", 36)):
            self.assertEqual(more(line, most)[0], 0, line)
            code, text = more(line, most + 1)
            self.assertEqual(code, 1, text)
            self.assertIn("declare what is new in a header of its own", text)

    def test_values_of_enums(self):
        self.breaks("enum ob_kind: lost OB_THREE = 6", ("OB_TWO = 5, OB_THREE", "OB_TWO = 5, OB_NEW, OB_THREE"))
        self.breaks("enum ob_kind: lost OB_ONE = 0", ("OB_ONE, ", ""))


if __name__ == "__main__":
    unittest.main()
