/* SPDX-License-Identifier: Apache-2.0
 *
 * Split embedding tables on the native backend: the sums of the forward and the row-wise Adagrad
 * of the backward against plain loops in double, for both precisions, both poolings, with weights,
 * with rows that occur several times; and what bad indices and offsets say.
 */
#include "native_test.h"

#include "tensor/half.h"

enum { TABLES = 2, BATCH = 3, INDICES = 11, WIDTH = 5, ROWS = 9, ELEMENTS = 23 };
static const int64_t TABLE_ROWS[TABLES] = {4, 5}, TABLE_DIMS[TABLES] = {2, 3};
static const int64_t FIRST_ELEMENT[TABLES] = {0, 8}, FIRST_ROW[TABLES] = {0, 4};
static const int64_t FIRST_COLUMN[TABLES] = {0, 2};
static const int64_t GOOD_INDICES[INDICES] = {1, 3, 1, 0, 1, 4, 2, 2, 2, 0, 4};
static const int64_t GOOD_OFFSETS[TABLES * BATCH + 1] = {0, 3, 3, 5, 6, 9, 11};
static const double LR = 0.125, EPS = 1e-8;

typedef struct setting {
    bool half, mean, weighted;
    int64_t indices[INDICES], offsets[TABLES * BATCH + 1];
} setting;

static native_subject subject;

static ob_value tensor_of(ob_dtype dtype, int64_t length, const int64_t *integers)
{
    ob_tensor tensor;
    ob_value value;
    CHECK_INT(ob_tensor_init(&tensor, dtype, &length, 1, NULL, NULL), OB_OK);
    for (int64_t i = 0; i < length; i++)
        if (dtype == OB_DTYPE_I64)
            ((int64_t *)ob_tensor_data(&tensor))[i] = integers[i];
        else
            ((float *)ob_tensor_data(&tensor))[i] = (float)(i % 4) * 0.5f - 0.75f;
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
    return value;
}

static ob_value list_of(const int64_t *items)
{
    ob_value list;
    CHECK_INT(ob_value_init_list(&list, OB_VALUE_LIST, TABLES, NULL), OB_OK);
    for (size_t i = 0; i < TABLES; i++)
        list.as.list.items[i] = ob_value_int(items[i]);
    return list;
}

static double get_weight(const ob_tensor *weights, int64_t i)
{
    const void *data = ob_tensor_data(weights);
    return weights->dtype == OB_DTYPE_F16 ? (double)ob__f16_to_float(((const uint16_t *)data)[i])
                                          : (double)((const float *)data)[i];
}

/* Multiples of 1/8, exact in both precisions. */
static void set_weights(const ob_tensor *weights)
{
    void *data = ob_tensor_data(weights);
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const float x = (float)(i * 7 % 17 - 8) / 8;
        if (weights->dtype == OB_DTYPE_F16)
            ((uint16_t *)data)[i] = ob__f16_from_float(x);
        else
            ((float *)data)[i] = x;
    }
}

static ob_status open_case(const setting *s, native_case *c, ob_err *err)
{
    static const char *const names[] = {"lr", "eps"};
    ob_value args[6] = {ob_value_int(TABLES), list_of(TABLE_ROWS), list_of(TABLE_DIMS),
                        ob_value_int(s->mean), ob_value_bool(s->weighted)};
    const ob_value kwargs[2] = {ob_value_double(LR), ob_value_double(EPS)};
    CHECK_INT(ob_value_init_str(&args[5], s->half ? "fp16" : "fp32", 4, NULL), OB_OK);
    ob_value inputs[3] = {tensor_of(OB_DTYPE_I64, INDICES, s->indices),
                          tensor_of(OB_DTYPE_I64, TABLES * BATCH + 1, s->offsets),
                          s->weighted ? tensor_of(OB_DTYPE_F32, INDICES, NULL) : ob_value_none()};
    const ob_call build = {
        .args = args, .arg_count = 6, .kwarg_names = names, .kwargs = kwargs, .kwarg_count = 2};
    const ob_call input = {.args = inputs, .arg_count = 3};
    ob_err_clear(err);
    ob_status status =
        case_build(c, &subject, "SplitTableBatchedEmbeddingBagsCodegen", &build, &input, true, err);
    if (status == OB_OK) {
        set_weights(case_parameter(c, "weights"));
        status = case_prepare(c, err);
    }
    for (size_t i = 0; i < 6; i++)
        ob_value_fini(&args[i]);
    for (size_t i = 0; i < 3; i++)
        ob_value_fini(&inputs[i]);
    return status;
}

/* What the rows of bag (t, b) are multiplied with. */
static double factor_of(const setting *s, int64_t t, int64_t b, int64_t i)
{
    const int64_t length = s->offsets[t * BATCH + b + 1] - s->offsets[t * BATCH + b];
    const double share = s->mean && length > 1 ? 1.0 / (double)length : 1;
    return s->weighted ? share * ((double)(i % 4) * 0.5 - 0.75) : share;
}

static void check_forward(const setting *s, native_case *c, const double *weights)
{
    ob_value out;
    size_t count = 0;
    ob_err err;
    CHECK_INT(subject.desc->outputs(c->prepared, OB_PASS_FORWARD, &out, 1, &count, &err), OB_OK);
    CHECK_INT(count, 1);
    const float *got = ob_tensor_data(out.as.tensor);
    for (int64_t t = 0; t < TABLES; t++)
        for (int64_t b = 0; b < BATCH; b++)
            for (int64_t k = 0; k < TABLE_DIMS[t]; k++) {
                double want = 0;
                for (int64_t i = s->offsets[t * BATCH + b]; i < s->offsets[t * BATCH + b + 1]; i++)
                    want += factor_of(s, t, b, i) *
                            weights[FIRST_ELEMENT[t] + s->indices[i] * TABLE_DIMS[t] + k];
                CHECK_NEAR((double)got[b * WIDTH + FIRST_COLUMN[t] + k], want, 1e-6);
            }
    ob_value_fini(&out);
}

/* One update with gradients of ones. */
static void update(const setting *s, double *weights, double *momentum)
{
    for (int64_t t = 0; t < TABLES; t++)
        for (int64_t row = 0; row < TABLE_ROWS[t]; row++) {
            double g = 0; /* the same for all columns */
            bool met = false;
            for (int64_t b = 0; b < BATCH; b++)
                for (int64_t i = s->offsets[t * BATCH + b]; i < s->offsets[t * BATCH + b + 1]; i++)
                    if (s->indices[i] == row) {
                        g += factor_of(s, t, b, i);
                        met = true;
                    }
            if (!met)
                continue;
            double *m = &momentum[FIRST_ROW[t] + row];
            *m += g * g;
            for (int64_t k = 0; k < TABLE_DIMS[t]; k++)
                weights[FIRST_ELEMENT[t] + row * TABLE_DIMS[t] + k] -= LR / (sqrt(*m) + EPS) * g;
        }
}

static void check_tables(const setting *s, native_case *c, const double *weights,
                         const double *momentum)
{
    const ob_tensor *w = case_parameter(c, "weights"), *m = case_parameter(c, "momentum");
    for (int64_t i = 0; i < ELEMENTS; i++)
        CHECK_NEAR(get_weight(w, i), weights[i], s->half ? 2e-3 : 1e-6);
    for (int64_t i = 0; i < ROWS; i++)
        CHECK_NEAR((double)((const float *)ob_tensor_data(m))[i], momentum[i], 1e-5);
}

static void run_setting(const setting *s)
{
    native_case c;
    ob_err err;
    double weights[ELEMENTS], momentum[ROWS] = {0};
    if (open_case(s, &c, &err) != OB_OK) {
        OB_TEST_FAIL("%s", err.message);
        case_close(&c);
        return;
    }
    for (int64_t i = 0; i < ELEMENTS; i++)
        weights[i] = get_weight(case_parameter(&c, "weights"), i);
    for (int step = 0; step < 3; step++) {
        CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_OK);
        if (!s->half || step == 0)
            check_forward(s, &c, weights);
        CHECK_INT(case_run(&c, OB_PHASE_MAKE_GRAD, &err), OB_OK);
        CHECK_INT(case_run(&c, OB_PHASE_BACKWARD, &err), OB_OK);
        CHECK_INT(case_run(&c, OB_PHASE_ZERO_GRAD, &err), OB_OK);
        update(s, weights, momentum);
        check_tables(s, &c, weights, momentum);
    }
    case_close(&c);
}

static setting make_setting(bool half, bool mean, bool weighted)
{
    setting s = {.half = half, .mean = mean, .weighted = weighted};
    memcpy(s.indices, GOOD_INDICES, sizeof s.indices);
    memcpy(s.offsets, GOOD_OFFSETS, sizeof s.offsets);
    return s;
}

static void sums_and_updates(void)
{
    for (int bits = 0; bits < 8; bits++) {
        const setting s = make_setting(bits & 1, bits & 2, bits & 4);
        run_setting(&s);
    }
}

/* The forward fails with the message; the tables stay as they are. */
static void refuse(const setting *s, const char *part)
{
    native_case c;
    ob_err err;
    CHECK_INT(open_case(s, &c, &err), OB_OK);
    CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, part);
    case_close(&c);
}

static void names_bad_indices_and_offsets(void)
{
    setting s = make_setting(false, false, false);
    s.indices[4] = 4; /* in the table of four rows */
    refuse(&s, "indices has the index 4, which is not in [0, 4)");
    s.indices[4] = -1;
    refuse(&s, "indices has the index -1, which is not in [0, 4)");
    s = make_setting(false, false, false);
    s.offsets[2] = 7;
    refuse(&s, "offset 3 is 5; offsets must rise to at most 11");
    s.offsets[2] = 3;
    s.offsets[6] = 12;
    refuse(&s, "offset 6 is 12; offsets must rise to at most 11");
}

int main(void)
{
    subject_open(&subject, 1);
    RUN(sums_and_updates);
    RUN(names_bad_indices_and_offsets);
    subject_close(&subject);
    return ob_test_end();
}
