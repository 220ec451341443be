/* SPDX-License-Identifier: Apache-2.0
 *
 * The first few of long lines against a full sort, and running sums against plain ones: along rows, along
 * columns, over the length of a chunk, with equal elements and NaN.
 */
#include "native_test.h"

#include <math.h>

enum { ROWS = 9, LENGTH = 1500 };

static native_subject subject;

/* Runs on tensor and whole numbers; gives up to two outputs. */
static void run_call(const char *op, const ob_tensor *in, const ob_value *rest, size_t rest_count,
                     ob_value *outputs)
{
    native_case c = {0};
    ob_value args[6] = {{.kind = OB_VALUE_NONE}};
    size_t count = 0;
    ob_err err;
    ob_err_clear(&err);
    CHECK_INT(ob_value_init_tensor(&args[0], in, &err), OB_OK);
    for (size_t i = 0; i < rest_count; i++)
        args[i + 1] = rest[i];
    const ob_call call = {.args = args, .arg_count = rest_count + 1};
    CHECK_INT(case_build(&c, &subject, op, NULL, &call, false, &err), OB_OK);
    CHECK_INT(case_prepare(&c, &err), OB_OK);
    CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_OK);
    CHECK_INT(subject.desc->outputs(c.prepared, OB_PASS_FORWARD, outputs, 2, &count, &err), OB_OK);
    CHECK_STR(err.message, "");
    case_close(&c);
    ob_value_fini(&args[0]);
}

/* ROWS lines of LENGTH: along the last dimension, or along the first. */
static ob_tensor make_lines(ob_dtype dtype, bool by_columns, double (*value)(int64_t, int64_t))
{
    ob_tensor t;
    const int64_t sizes[2] = {by_columns ? LENGTH : ROWS, by_columns ? ROWS : LENGTH};
    CHECK_INT(ob_tensor_init(&t, dtype, sizes, 2, NULL, NULL), OB_OK);
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t i = 0; i < LENGTH; i++) {
            const int64_t at = by_columns ? i * ROWS + r : r * LENGTH + i;
            if (dtype == OB_DTYPE_F32)
                ((float *)ob_tensor_data(&t))[at] = (float)value(r, i);
            else if (dtype == OB_DTYPE_F64)
                ((double *)ob_tensor_data(&t))[at] = value(r, i);
            else
                ((int64_t *)ob_tensor_data(&t))[at] = (int64_t)value(r, i);
        }
    return t;
}

/* ---- topk ---- */

static double plain_value(int64_t r, int64_t i)
{
    return (double)((i * 7919 + r * 31) % 401); /* each value some four times in a line */
}

static double nan_value(int64_t r, int64_t i)
{
    return i % 700 == 699 ? (double)NAN : plain_value(r, i);
}

/* Whether element a comes before b, by value and then by place. */
static bool goes_before(double a, int64_t a_at, double b, int64_t b_at, bool largest)
{
    const double x = isnan(a) ? INFINITY : a, y = isnan(b) ? INFINITY : b;
    return x != y ? (largest ? x > y : x < y) : a_at < b_at;
}

static void check_line(const ob_value *outputs, double (*value)(int64_t, int64_t), int64_t r,
                       int64_t kept, bool by_columns, bool largest)
{
    const int64_t *indices = ob_tensor_data(outputs[1].as.tensor);
    int64_t wrong = 0;
    for (int64_t k = 0; k < kept; k++) {
        const int64_t index = indices[by_columns ? k * ROWS + r : r * kept + k];
        int64_t before = 0;
        for (int64_t i = 0; i < LENGTH; i++)
            before += goes_before(value(r, i), i, value(r, index), index, largest);
        wrong += before != k;
    }
    CHECK_INT(wrong, 0);
}

static void finds_the_first_few(void)
{
    static const int64_t KEPT[] = {1, 2, 10, 374, 375, 1500};
    for (int n = 0; n < 16; n++)
        for (size_t k = 0; k < sizeof KEPT / sizeof KEPT[0]; k++) {
            const bool by_columns = n & 1, largest = n & 2, whole = n & 4,
                       has_nan = (n & 8) && !whole;
            double (*value)(int64_t, int64_t) = has_nan ? nan_value : plain_value;
            ob_tensor t = make_lines(whole ? OB_DTYPE_I64 : OB_DTYPE_F32, by_columns, value);
            const ob_value rest[] = {ob_value_int(KEPT[k]), ob_value_int(by_columns ? 0 : 1),
                                     ob_value_bool(largest)};
            ob_value outputs[2] = {{.kind = OB_VALUE_NONE}};
            run_call("aten::topk", &t, rest, 3, outputs);
            for (int64_t r = 0; r < ROWS; r++)
                check_line(outputs, value, r, KEPT[k], by_columns, largest);
            for (int i = 0; i < 2; i++)
                ob_value_fini(&outputs[i]);
            ob_tensor_fini(&t);
        }
}

/* ---- cumsum ---- */

static double read_at(const ob_tensor *t, int64_t at)
{
    if (t->dtype == OB_DTYPE_F32)
        return (double)((const float *)ob_tensor_data(t))[at];
    if (t->dtype == OB_DTYPE_F64)
        return ((const double *)ob_tensor_data(t))[at];
    return (double)((const int64_t *)ob_tensor_data(t))[at];
}

static void adds_up(void)
{
    static const ob_dtype DTYPES[] = {OB_DTYPE_F32, OB_DTYPE_F64, OB_DTYPE_I64};
    for (int n = 0; n < 6; n++) {
        const bool by_columns = n & 1;
        ob_tensor t = make_lines(DTYPES[n / 2], by_columns, plain_value);
        const ob_value rest[] = {ob_value_int(by_columns ? 0 : 1)};
        ob_value outputs[2] = {{.kind = OB_VALUE_NONE}};
        run_call("aten::cumsum", &t, rest, 1, outputs);
        int64_t wrong = 0;
        for (int64_t r = 0; r < ROWS; r++) {
            double total = 0; /* exact: all sums are below 2^24 */
            for (int64_t i = 0; i < LENGTH; i++) {
                total += plain_value(r, i);
                wrong += read_at(outputs[0].as.tensor,
                                 by_columns ? i * ROWS + r : r * LENGTH + i) != total;
            }
        }
        CHECK_INT(wrong, 0);
        ob_value_fini(&outputs[0]);
        ob_tensor_fini(&t);
    }
}

int main(void)
{
    for (int threads = 1; threads <= 2; threads++) {
        subject_open(&subject, threads);
        RUN(finds_the_first_few);
        RUN(adds_up);
        subject_close(&subject);
    }
    return ob_test_end();
}
