# SPDX-License-Identifier: Apache-2.0
"""`opbench new plugin` writes a folder that builds at once, by make and by CMake, with a test that passes; from a build
tree and from an installed opbench. The kit refuses what a row's function cannot take.

usage: test_new.py PROGRAM BUILD SOURCE [unittest's options]"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMIT_S = 120 * int(os.environ.get("OPBENCH_TEST_PATIENCE", "1"))
# Rows of every kind, and one that is wrong.
ROWS = """
#include <opbench/kernel_plugin.h>
static void half(const ob_kit_function_args *args)
{
    const double *x = args->in[0].data;
    double *y = args->out[0].data;
    for (int64_t i = 0; i < args->out[0].count; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
}
static void add(const ob_kit_function_args *args)
{
    const float *x = args->in[0].data, *y = args->in[1].data;
    float *z = args->out[0].data;
    for (int64_t i = 0; i < args->out[0].count; i++)
        z[i] = x[i] + (float)args->numbers[0] * y[i];
}
static void mm(const ob_kit_function_args *args)
{
    const ob_kit_data *a = &args->in[0], *b = &args->in[1], *c = &args->out[0];
    for (int64_t i = 0; i < c->sizes[0]; i++)
        for (int64_t j = 0; j < c->sizes[1]; j++) {
            float sum = 0;
            for (int64_t k = 0; k < a->sizes[1]; k++)
                sum += ((const float *)a->data)[i * a->strides[0] + k * a->strides[1]] *
                       ((const float *)b->data)[k * b->strides[0] + j * b->strides[1]];
            ((float *)c->data)[i * c->strides[0] + j * c->strides[1]] = sum;
        }
}
static void transposed(const ob_kit_function_args *args)
{
    for (int64_t i = 0; i < args->out[0].count; i++)
        ((double *)args->out[0].data)[i] = (double)args->threads + (double)args->in_count;
}
static void pick(const ob_kit_function_args *args)
{
    const int64_t *rows = args->in[1].data, width = args->in[0].sizes[1];
    for (int64_t i = 0; i < args->out[0].count; i++)
        ((float *)args->out[0].data)[i] = ((const float *)args->in[0].data)[rows[i / width] * width + i % width];
}
static void threshold(const ob_kit_function_args *args)
{
    const float *grad = args->in[0].data, *x = args->in[1].data;
    for (int64_t i = 0; i < args->out[0].count; i++)
        ((float *)args->out[0].data)[i] = x[i] > args->numbers[0] ? grad[i] : 0;
}
static void relu(const ob_kit_function_args *args)
{
    const float *x = args->in[0].data;
    for (int64_t i = 0; i < args->out[0].count; i++)
        ((float *)args->out[0].data)[i] = x[i] < 0 ? 0 : x[i];
}
static const ob_kit_function_row ROWS[] = {
    {"aten::relu", OB_KIT_BIT(F32), relu, OB_KIT_ONE_SHAPE, 0},
    {"aten::relu_", OB_KIT_BIT(F32), relu, OB_KIT_ONE_SHAPE, 0},
    {"aten::relu", OB_KIT_BIT(F64), half, OB_KIT_ONE_SHAPE, 0},
    {"aten::threshold_backward", OB_KIT_BIT(F32), threshold, OB_KIT_ONE_SHAPE, 0},
    {"aten::add.Tensor", OB_KIT_BIT(F32), add, OB_KIT_ONE_SHAPE, 0},
    {"aten::mm", OB_KIT_BIT(F32), mm, OB_KIT_ANY_STRIDES, 0},
    {"aten::mm", OB_KIT_BIT(F64), transposed, OB_KIT_CONTIGUOUS, 0},
    {"aten::index_select", OB_KIT_BIT(F32), pick, OB_KIT_CONTIGUOUS, OB_KIT_BIT(I64)},
    WRONG
    {NULL, 0, NULL, OB_KIT_ONE_SHAPE, 0},
};
OB_KERNEL_PLUGIN("rows", ROWS);
"""
program = build = source = None


class New(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opbench-new-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_it(self, *words, where=".", **variables):
        return subprocess.run(words, env=dict(os.environ, OPBENCH_DOCTOR="quiet", OPBENCH_LIBRARY_CAPS="quiet", **variables),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=LIMIT_S, cwd=self.path(where))

    def works(self, *words, **how):
        result = self.run_it(*words, **how)
        self.assertEqual(result.returncode, 0, (words, result.stdout))
        return result.stdout

    def builds(self, opbench):
        self.assertEqual(self.works(opbench, "new", "plugin", "mine-1"),
                         "mine-1: a backend with one kernel, aten::relu in mine-1.c\nnext: cd mine-1 && make && make test\n")
        self.assertEqual(sorted(os.listdir(self.path("mine-1"))),
                         ["CMakeLists.txt", "Makefile", "README.md", "cases.json", "mine-1.c", "opbench.mk", "test.sh"])
        for name in os.listdir(self.path("mine-1")):
            with open(self.path("mine-1", name), encoding="utf-8") as file:
                self.assertNotIn("my_kernels", file.read(), name)
        self.works("make", "-s", where="mine-1")
        for said in (self.works("make", "-s", "test", where="mine-1"), self.by_cmake()):
            self.assertEqual(said.count("6 results checked, worst error 0 of the bound"), 2, said)
            self.assertIn("mine-1/native", said)
        with open(self.path("mine-1", "build", "cold.json"), encoding="utf-8") as file:
            rows = [row for row in map(json.loads, file) if "op_name" in row]
        sides = {row["backend"]: row["cache"]["state"] for row in rows}
        self.assertEqual(sides, {"native": "cold", "mine-1": "cold"})

    def by_cmake(self):
        self.works("cmake", "-S", "mine-1", "-B", "made")
        self.works("cmake", "--build", "made")
        return self.works("ctest", "--test-dir", "made", "-V")

    def test_build_tree(self):
        self.builds(program)
        again = self.run_it(program, "new", "plugin", "mine-1")
        self.assertEqual((again.returncode, again.stdout),
                         (2, "opbench new: error: mine-1 already exists; choose another name, or remove it\n"))

    def test_wrong_kernel_is_found(self):
        self.works(program, "new", "plugin", "mine")
        with open(self.path("mine", "mine.c"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("mine", "mine.c"), "w", encoding="utf-8") as file:
            file.write(text.replace("x[i] < 0 ? 0 : x[i]", "x[i]"))
        said = self.run_it("make", "-s", "test", where="mine")
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("differs", said.stdout)

    def test_installed(self):
        prefix = self.path("a prefix")
        for name, to in (("opbench", "bin"), ("lib/libopbench_kit.a", "lib"), ("plugins/native.so", "lib/opbench/plugins"),
                         ("plugins/native.backend.json", "lib/opbench/plugins")):
            os.makedirs(os.path.join(prefix, to), exist_ok=True)
            shutil.copy(os.path.join(build, name), os.path.join(prefix, to))
        alone = self.run_it(os.path.join(prefix, "bin/opbench"), "new", "plugin", "mine-1")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("opbench's headers and kit are not next to " + prefix, alone.stdout)
        self.assertFalse(os.path.exists(self.path("mine-1")))
        shutil.copytree(os.path.join(source, "include"), os.path.join(prefix, "include"))
        self.builds(os.path.join(prefix, "bin/opbench"))
        with open(self.path("mine-1", "opbench.mk"), encoding="utf-8") as file:
            self.assertIn(f"OPBENCH_CFLAGS = -I'{prefix}/include'\n", file.read())

    def rows(self, wrong=""):
        os.makedirs(self.path("plug"), mode=0o755, exist_ok=True)
        with open(self.path("rows.c"), "w", encoding="utf-8") as file:
            file.write(ROWS.replace("WRONG", wrong))
        self.works("cc", "-std=c17", "-fPIC", "-shared", "-Wall", "-Werror", "-I", os.path.join(source, "include"), "-o",
                   "plug/rows.so", "rows.c", os.path.join(build, "lib/libopbench_kit.a"), "-lm")

    def measured(self, *words):
        said = self.run_it(program, "run", *words, "--backend", "rows", "--check", "-w", "1", "-i", "10", "--output", "out.json",
                           "--force", OPBENCH_PLUGIN_PATH=self.path("plug"))
        with open(self.path("out.json"), encoding="utf-8") as file:
            rows = [row for row in map(json.loads, file) if "op_name" in row]
        self.assertEqual(len(rows), 1, said.stdout)
        return rows[0]["status"], rows[0].get("reason", "")

    def test_what_rows_take(self):
        self.rows()
        for words in (("torch.relu", "f32[3,4]"), ("torch.relu", "f64[3,4]"), ("torch.relu_", "f32[5]"),
                      ("torch.add", "f32[3,4]", "f32[3,4]", "alpha=3"), ("torch.mm", "f32[3,4]:[1,3]", "f32[4,2]"),
                      ("torch.index_select", "f32[5,4]", "0", "i64[7]<5"), ("torch.relu", "f32[64]+grad", "-b")):
            self.assertEqual(self.measured(*words), ("ok", ""), words)

    def test_what_rows_refuse(self):
        self.rows()
        one = "rows's function for aten::add.Tensor takes tensors of one shape, but other has a different one; a row that handles sizes sets OB_KIT_CONTIGUOUS"
        for words, why in ((("torch.add", "f32[3,4]", "f32[4]"), one),
                           (("torch.add", "f32[3,4]", "f64[3,4]"),
                            "rows's function for aten::add.Tensor does not take other of f64 together with f32; use one dtype, or another row"),
                           (("torch.relu", "f32[3,4]:[1,3]"),
                            "rows's function for aten::relu takes contiguous tensors, but self is not contiguous; a row that handles strides sets OB_KIT_ANY_STRIDES"),
                           (("torch.relu", "i32[3]"), "the rows backend does not have aten::relu for i32; use another dtype or backend"),
                           (("torch.neg", "f32[3]"), "the rows backend has no kernel for aten::neg (it has aten::relu, aten::relu_, "
                            "aten::threshold_backward, aten::add.Tensor, aten::mm, aten::index_select); use another backend")):
            status, reason = self.measured(*words)
            self.assertEqual((status, reason), ("unsupported", why), words)
        self.assertEqual(self.measured("torch.mm", "f64[2,2]", "f64[2,2]")[0], "differs")

    def test_wrong_rows(self):
        for row, why in (('{"relu", OB_KIT_BIT(F32), relu, OB_KIT_ONE_SHAPE, 0},', 'the row "relu" does not name an operator; write its namespace'),
                         ('{"aten::abs", 0, relu, OB_KIT_ONE_SHAPE, 0},', "the row of aten::abs has no dtypes; add it"),
                         ('{"aten::abs", OB_KIT_BIT(F32), NULL, OB_KIT_ONE_SHAPE, 0},', "the row of aten::abs has no function; add it"),
                         ('{"aten::view", OB_KIT_BIT(F32), relu, OB_KIT_ONE_SHAPE, 0},', "two kernels are called aten::view; remove one row")):
            self.rows(row)
            said = self.run_it(program, "list", "backends", "rows", OPBENCH_PLUGIN_PATH=self.path("plug")).stdout
            self.assertIn(why, " ".join(said.split()), row)


if __name__ == "__main__":
    program, build, source = (os.path.abspath(word) for word in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
