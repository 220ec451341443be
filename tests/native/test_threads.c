/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that is large enough for several threads gives what one thread gives: the same bits where
 * every element, or every piece of a sum, is computed by itself; nearly so for matrix products of OpenBLAS,
 * whose cells end elsewhere. No backend takes more threads than there are processors.
 */
#include "native_test.h"

#include <math.h>
#include <sched.h>

typedef struct result {
    double values[1 << 19];
    int64_t count;
} result;

static result alone, together;

static double read_element(const ob_tensor *t, int64_t i)
{
    uint16_t half;
    uint32_t bits;
    float value;
    switch (t->dtype) {
    case OB_DTYPE_F32:
        return (double)((const float *)ob_tensor_data(t))[i];
    case OB_DTYPE_BF16:
        half = ((const uint16_t *)ob_tensor_data(t))[i];
        bits = (uint32_t)half << 16;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    case OB_DTYPE_I64:
        return (double)((const int64_t *)ob_tensor_data(t))[i];
    default:
        return (double)((const int32_t *)ob_tensor_data(t))[i];
    }
}

/* Numbers around 0 that depend on the place only; whole ones for integers. */
static void fill(ob_tensor *t)
{
    ob_rng rng;
    ob_rng_init(&rng, 11, (uint64_t)t->ndim);
    for (int64_t i = 0; i < ob_tensor_numel(t); i++) {
        const float x = (float)ob_rng_uniform(&rng, -1, 1);
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        if (t->dtype == OB_DTYPE_F32)
            ((float *)ob_tensor_data(t))[i] = x;
        else if (t->dtype == OB_DTYPE_BF16)
            ((uint16_t *)ob_tensor_data(t))[i] = (uint16_t)(bits >> 16);
        else if (t->dtype == OB_DTYPE_I64)
            ((int64_t *)ob_tensor_data(t))[i] = (int64_t)(x * 1000);
        else
            ((int32_t *)ob_tensor_data(t))[i] = (int32_t)(x * 1000);
    }
}

/* One operator on filled tensors; a NaN stands at `nan_at` of the first, unless that is negative. */
typedef struct trial {
    const char *op;
    ob_dtype dtype;
    int64_t sizes[2][4]; /* 0 ends; no sizes: no second operand */
    int64_t nan_at;
    double tolerance; /* of the largest value; 0: the same bits */
} trial;

static const trial TRIALS[] = {
    {"aten::add.Tensor", OB_DTYPE_F32, {{601, 701}, {601, 701}}, -1, 0},
    {"aten::add.Tensor", OB_DTYPE_BF16, {{601, 701}, {701}}, -1, 0},
    {"aten::exp", OB_DTYPE_F32, {{300000}, {0}}, -1, 0},
    {"aten::rand_like", OB_DTYPE_F32, {{300000}, {0}}, -1, 0},
    {"aten::randn_like", OB_DTYPE_BF16, {{601, 701}, {0}}, -1, 0},
    {"aten::sum", OB_DTYPE_F32, {{500001}, {0}}, -1, 0},
    {"aten::sum", OB_DTYPE_I64, {{500001}, {0}}, -1, 0},
    {"aten::mean", OB_DTYPE_BF16, {{601, 701}, {0}}, -1, 0},
    {"aten::prod", OB_DTYPE_F32, {{70000}, {0}}, -1, 0},
    {"aten::max", OB_DTYPE_F32, {{500001}, {0}}, -1, 0},
    {"aten::max", OB_DTYPE_F32, {{500001}, {0}}, 499999, 0},
    {"aten::min", OB_DTYPE_F32, {{500001}, {0}}, 3, 0},
    {"aten::std", OB_DTYPE_F32, {{500001}, {0}}, -1, 0},
    {"aten::mm", OB_DTYPE_F32, {{301, 257}, {257, 303}}, -1, 1e-6},
    {"aten::mm", OB_DTYPE_F32, {{2, 3001}, {3001, 403}}, -1, 1e-6},
    {"aten::mm", OB_DTYPE_BF16, {{301, 257}, {257, 303}}, -1, 0},
    {"aten::mm", OB_DTYPE_BF16, {{2, 3001}, {3001, 403}}, -1, 0},
    {"aten::bmm", OB_DTYPE_BF16, {{7, 101, 99}, {7, 99, 97}}, -1, 0},
    {"aten::mv", OB_DTYPE_BF16, {{1501, 1003}, {1003}}, -1, 0},
    {"aten::mm", OB_DTYPE_I64, {{131, 157}, {157, 103}}, -1, 0},
    {"aten::mm", OB_DTYPE_I32, {{131, 157}, {157, 103}}, -1, 0},
    {"aten::bmm", OB_DTYPE_F32, {{7, 101, 99}, {7, 99, 97}}, -1, 1e-6},
    {"aten::mv", OB_DTYPE_F32, {{1501, 1003}, {1003}}, -1, 1e-6},
    /* Tiles of one image; images; fewer tiles than threads; patches that are added up. */
    {"aten::conv2d", OB_DTYPE_F32, {{1, 16, 43, 41}, {12, 16, 3, 3}}, -1, 1e-6},
    {"aten::conv2d", OB_DTYPE_F32, {{7, 5, 13, 11}, {6, 5, 3, 3}}, -1, 1e-6},
    {"aten::conv2d", OB_DTYPE_F32, {{1, 257, 6, 6}, {65, 257, 3, 3}}, -1, 1e-6},
    {"aten::conv2d", OB_DTYPE_F32, {{3, 33, 31, 29}, {17, 33, 1, 1}}, -1, 1e-6},
    {"aten::conv_transpose2d", OB_DTYPE_F32, {{5, 9, 13, 11}, {9, 7, 3, 3}}, -1, 1e-6},
    {"aten::conv_transpose2d", OB_DTYPE_F32, {{1, 9, 43, 41}, {9, 33, 3, 3}}, -1, 1e-6},
};

static void make_value(const trial *t, int which, ob_value *out)
{
    ob_tensor tensor;
    int ndim = 0;
    while (ndim < 4 && t->sizes[which][ndim] != 0)
        ndim++;
    CHECK_INT(ob_tensor_init(&tensor, t->dtype, t->sizes[which], ndim, NULL, NULL), OB_OK);
    fill(&tensor);
    if (which == 0 && t->nan_at >= 0)
        ((float *)ob_tensor_data(&tensor))[t->nan_at] = (float)NAN;
    CHECK_INT(ob_value_init_tensor(out, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
}

static void run_trial(const trial *t, int threads, result *out)
{
    native_subject subject;
    native_case c = {0};
    ob_value args[2] = {{.kind = OB_VALUE_NONE}}, output = {.kind = OB_VALUE_NONE};
    const size_t count = t->sizes[1][0] != 0 ? 2 : 1;
    size_t outputs = 0;
    ob_err err;
    ob_err_clear(&err);
    subject_open(&subject, threads);
    for (size_t i = 0; i < count; i++)
        make_value(t, (int)i, &args[i]);
    const ob_call call = {.args = args, .arg_count = count};
    CHECK_INT(case_build(&c, &subject, t->op, NULL, &call, false, &err), OB_OK);
    CHECK_INT(case_prepare(&c, &err), OB_OK);
    for (int i = 0; i < 3; i++)
        CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_OK);
    CHECK_INT(subject.desc->outputs(c.prepared, OB_PASS_FORWARD, &output, 1, &outputs, &err),
              OB_OK);
    out->count = ob_tensor_numel(output.as.tensor);
    for (int64_t i = 0; i < out->count; i++)
        out->values[i] = read_element(output.as.tensor, i);
    ob_value_fini(&output);
    case_close(&c);
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&args[i]);
    subject_close(&subject);
}

static void gives_what_one_thread_gives(void)
{
    for (size_t i = 0; i < sizeof TRIALS / sizeof TRIALS[0]; i++) {
        const trial *t = &TRIALS[i];
        run_trial(t, 1, &alone);
        double largest = 0, worst = 0;
        for (int64_t k = 0; k < alone.count; k++)
            largest = fabs(alone.values[k]) > largest ? fabs(alone.values[k]) : largest;
        for (int threads = 2; threads <= 3; threads++) {
            run_trial(t, threads, &together);
            CHECK_INT(together.count, alone.count);
            if (t->tolerance == 0) {
                CHECK_INT(memcmp(together.values, alone.values,
                                 (size_t)alone.count * sizeof alone.values[0]),
                          0);
                continue;
            }
            for (int64_t k = 0; k < alone.count; k++)
                worst = fmax(worst, fabs(together.values[k] - alone.values[k]));
            CHECK(worst <= t->tolerance * largest);
        }
        if (t->nan_at >= 0)
            CHECK(isnan(alone.values[0]));
    }
}

/* ---- how many threads ---- */

typedef struct found {
    char threads[16], asked[16];
} found;

static void take_property(void *ctx, const char *name, const char *value)
{
    found *f = ctx;
    if (strcmp(name, "threads") == 0)
        snprintf(f->threads, sizeof f->threads, "%s", value);
    if (strcmp(name, "threads_asked") == 0)
        snprintf(f->asked, sizeof f->asked, "%s", value);
}

static void takes_no_more_threads_than_processors(void)
{
    native_subject subject;
    cpu_set_t set;
    char usable[16];
    found f = {.threads = ""};
    ob_err err;
    ob_err_clear(&err);
    CHECK_INT(sched_getaffinity(0, sizeof set, &set), 0);
    snprintf(usable, sizeof usable, "%d", CPU_COUNT(&set));
    subject_open(&subject, 1);
    subject.desc->properties(subject.backend, take_property, &f);
    CHECK_STR(f.threads, "1");
    CHECK_STR(f.asked, "");
    CHECK_INT(subject.desc->set_threads(subject.backend, 4096, &err), OB_OK);
    subject.desc->properties(subject.backend, take_property, &f);
    CHECK_STR(f.threads, usable);
    CHECK_STR(f.asked, "4096");
    CHECK_INT(subject.desc->set_threads(subject.backend, 0, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "0 threads; the native backend takes 1 to 4096");
    subject_close(&subject);
}

int main(void)
{
    RUN(gives_what_one_thread_gives);
    RUN(takes_no_more_threads_than_processors);
    return ob_test_end();
}
