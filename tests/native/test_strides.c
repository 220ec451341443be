/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands that lie across each other: transposed, permuted, with gaps, expanded, tiny and empty.
 * Values are small whole numbers, so that every dtype gives them exactly.
 */
#include "native_test.h"

static native_subject subject;

/* A shape, and the order in which its dimensions lie in memory, the outermost first. */
typedef struct form {
    int ndim;
    int64_t sizes[4];
    int order[4];
    int64_t gap; /* elements left out after each line of memory */
} form;

static const form FORMS[] = {
    {2, {64, 96}, {1, 0}, 0},
    {2, {33, 35}, {1, 0}, 0},
    {2, {31, 1025}, {1, 0}, 0},
    {2, {1025, 31}, {1, 0}, 3},
    {2, {3, 700}, {1, 0}, 0},
    {2, {700, 3}, {1, 0}, 0},
    {2, {5, 700}, {1, 0}, 0},
    {2, {700, 5}, {1, 0}, 1},
    {2, {1, 2000}, {1, 0}, 0},
    {2, {2000, 1}, {1, 0}, 0},
    {2, {40, 40}, {0, 1}, 7},
    {3, {5, 33, 47}, {0, 2, 1}, 0},
    {3, {5, 33, 47}, {2, 1, 0}, 0},
    {3, {33, 5, 47}, {1, 2, 0}, 2},
    {3, {33, 5, 47}, {2, 0, 1}, 0},
    {4, {3, 8, 9, 17}, {0, 2, 3, 1}, 0},
    {4, {3, 8, 9, 17}, {0, 3, 1, 2}, 0},
    {4, {2, 64, 3, 60}, {0, 2, 1, 3}, 0},
    {4, {7, 6, 5, 11}, {3, 2, 1, 0}, 1},
    {2, {0, 40}, {1, 0}, 0},
    {2, {40, 0}, {1, 0}, 0},
    {1, {1}, {0}, 0},
    {2, {200, 300}, {1, 0}, 0},
};
enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0] };

static const ob_dtype DTYPES[] = {OB_DTYPE_F32, OB_DTYPE_BF16, OB_DTYPE_F16, OB_DTYPE_F64,
                                  OB_DTYPE_I32, OB_DTYPE_I64,  OB_DTYPE_U8};

/* ---- elements ---- */

static int64_t offset_of(const ob_tensor *t, int64_t number)
{
    int64_t offset = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        offset += number % t->sizes[d] * t->strides[d];
        number /= t->sizes[d];
    }
    return offset;
}

static uint16_t half_of(int64_t value) /* 0 to 2047 */
{
    if (value == 0)
        return 0;
    int exponent = 63 - __builtin_clzll((unsigned long long)value);
    return (uint16_t)((exponent + 15) << 10 | (int)(((uint64_t)value << 10 >> exponent) & 0x3ff));
}

static void write_at(const ob_tensor *t, int64_t number, int64_t value)
{
    const int64_t at = offset_of(t, number);
    const float real = (float)value;
    uint32_t bits;
    void *data = ob_tensor_data(t);
    memcpy(&bits, &real, sizeof bits);
    switch (t->dtype) {
    case OB_DTYPE_F32:
        ((float *)data)[at] = real;
        break;
    case OB_DTYPE_F64:
        ((double *)data)[at] = (double)value;
        break;
    case OB_DTYPE_BF16:
        ((uint16_t *)data)[at] = (uint16_t)(bits >> 16);
        break;
    case OB_DTYPE_F16:
        ((uint16_t *)data)[at] = half_of(value);
        break;
    case OB_DTYPE_I32:
        ((int32_t *)data)[at] = (int32_t)value;
        break;
    case OB_DTYPE_I64:
        ((int64_t *)data)[at] = value;
        break;
    case OB_DTYPE_C128:
        ((double *)data)[2 * at] = (double)value;
        ((double *)data)[2 * at + 1] = (double)-value;
        break;
    default:
        ((uint8_t *)data)[at] = (uint8_t)value;
    }
}

static bool is_at(const ob_tensor *t, int64_t number, int64_t value)
{
    char want[16], got[16];
    const size_t size = ob_dtype_get_info(t->dtype)->size_bytes;
    char *place = (char *)ob_tensor_data(t) + (size_t)offset_of(t, number) * size;
    memcpy(got, place, size);
    write_at(t, number, value);
    memcpy(want, place, size);
    return memcmp(got, want, size) == 0;
}

static int64_t first_value(int64_t i)
{
    return i * 7 % 61;
}

static int64_t second_value(int64_t i)
{
    return i * 5 % 53;
}

static void make_tensor(const form *f, bool permuted, ob_dtype dtype, int64_t (*value)(int64_t),
                        ob_value *out)
{
    ob_tensor t;
    int64_t strides[4], step = 1;
    for (int k = f->ndim - 1; k >= 0; k--) {
        const int d = permuted ? f->order[k] : k;
        strides[d] = step;
        step *= f->sizes[d] > 0 ? f->sizes[d] : 1;
        step += permuted && k == f->ndim - 1 ? f->gap : 0;
    }
    CHECK_INT(ob_tensor_init(&t, dtype, f->sizes, f->ndim, strides, NULL), OB_OK);
    for (int64_t i = 0; i < ob_tensor_numel(&t); i++)
        write_at(&t, i, value(i));
    CHECK_INT(ob_value_init_tensor(out, &t, NULL), OB_OK);
    ob_tensor_fini(&t);
}

/* ---- calls ---- */

static void run_call(const char *op, ob_value *args, size_t count, ob_value *output)
{
    run_operator(&subject, op, args, count, output, 1);
}

static int64_t sum_value(int64_t i)
{
    return first_value(i) + second_value(i);
}

static int64_t count_wrong(const ob_value *output, int64_t (*value)(int64_t))
{
    int64_t wrong = 0;
    if (output->kind != OB_VALUE_TENSOR)
        return -1;
    for (int64_t i = 0; i < ob_tensor_numel(output->as.tensor); i++)
        wrong += !is_at(output->as.tensor, i, value(i));
    return wrong;
}

static void adds_across(void)
{
    for (int n = 0; n < FORM_COUNT * 3; n++)
        for (size_t t = 0; t < sizeof DTYPES / sizeof DTYPES[0]; t++) {
            const form *f = &FORMS[n / 3];
            ob_value args[2] = {{.kind = OB_VALUE_NONE}}, out = {.kind = OB_VALUE_NONE};
            make_tensor(f, n % 3 != 0, DTYPES[t], first_value, &args[0]);
            make_tensor(f, n % 3 != 1, DTYPES[t], second_value, &args[1]);
            run_call("aten::add.Tensor", args, 2, &out);
            CHECK_INT(count_wrong(&out, sum_value), 0);
            for (int i = 0; i < 2; i++)
                ob_value_fini(&args[i]);
            ob_value_fini(&out);
        }
}

/* A copy with another order, for every size of element. */
static void copies_across(void)
{
    static const ob_dtype SIZES[] = {OB_DTYPE_U8, OB_DTYPE_BF16, OB_DTYPE_F32, OB_DTYPE_I64,
                                     OB_DTYPE_C128};
    for (int n = 0; n < FORM_COUNT; n++)
        for (size_t t = 0; t < sizeof SIZES / sizeof SIZES[0]; t++) {
            ob_value args[2] = {{.kind = OB_VALUE_NONE}}, out = {.kind = OB_VALUE_NONE};
            make_tensor(&FORMS[n], false, SIZES[t], first_value, &args[0]);
            make_tensor(&FORMS[n], true, SIZES[t], second_value, &args[1]);
            run_call("aten::copy_", args, 2, &out);
            CHECK_INT(count_wrong(&out, second_value), 0);
            for (int i = 0; i < 2; i++)
                ob_value_fini(&args[i]);
            ob_value_fini(&out);
        }
}

static void converts_across(void)
{
    for (int n = 0; n < FORM_COUNT; n++)
        for (size_t t = 0; t < sizeof DTYPES / sizeof DTYPES[0]; t++) {
            const ob_dtype to = DTYPES[(t + 1) % (sizeof DTYPES / sizeof DTYPES[0])];
            ob_value args[2] = {{.kind = OB_VALUE_NONE}}, out = {.kind = OB_VALUE_NONE};
            make_tensor(&FORMS[n], true, to, first_value, &args[0]);
            make_tensor(&FORMS[n], false, DTYPES[t], second_value, &args[1]);
            run_call("aten::copy_", args, 2, &out);
            CHECK_INT(count_wrong(&out, second_value), 0);
            for (int i = 0; i < 2; i++)
                ob_value_fini(&args[i]);
            ob_value_fini(&out);
        }
}

static int64_t mask_value(int64_t i)
{
    return i * 3 % 7 < 3;
}

static int64_t chosen_value(int64_t i)
{
    return mask_value(i) ? first_value(i) : second_value(i);
}

static void chooses_across(void)
{
    for (int n = 0; n < FORM_COUNT; n++) {
        ob_value args[3] = {{.kind = OB_VALUE_NONE}}, out = {.kind = OB_VALUE_NONE};
        make_tensor(&FORMS[n], true, OB_DTYPE_BOOL, mask_value, &args[0]);
        make_tensor(&FORMS[n], false, OB_DTYPE_F32, first_value, &args[1]);
        make_tensor(&FORMS[n], true, OB_DTYPE_F32, second_value, &args[2]);
        run_call("aten::where.self", args, 3, &out);
        CHECK_INT(count_wrong(&out, chosen_value), 0);
        for (int i = 0; i < 3; i++)
            ob_value_fini(&args[i]);
        ob_value_fini(&out);
    }
}

/* The factors of a product in every order, against the sums themselves. */
static void multiplies_across(void)
{
    enum { M = 37, K = 41, N = 43 };
    const form left = {2, {M, K}, {1, 0}, 2}, right = {2, {K, N}, {1, 0}, 0};
    static const ob_dtype KINDS[] = {OB_DTYPE_F32, OB_DTYPE_F64, OB_DTYPE_I32, OB_DTYPE_I64};
    for (int n = 0; n < 4; n++)
        for (size_t t = 0; t < sizeof KINDS / sizeof KINDS[0]; t++) {
            ob_value args[2] = {{.kind = OB_VALUE_NONE}}, out = {.kind = OB_VALUE_NONE};
            make_tensor(&left, n % 2, KINDS[t], first_value, &args[0]);
            make_tensor(&right, n / 2, KINDS[t], second_value, &args[1]);
            run_call("aten::mm", args, 2, &out);
            int64_t wrong = 0;
            for (int64_t i = 0; i < (int64_t)M * N; i++) {
                int64_t total = 0;
                for (int64_t k = 0; k < K; k++)
                    total += first_value(i / N * K + k) * second_value(k * N + i % N);
                wrong += !is_at(out.as.tensor, i, total);
            }
            CHECK_INT(wrong, 0);
            for (int i = 0; i < 2; i++)
                ob_value_fini(&args[i]);
            ob_value_fini(&out);
        }
}

int main(void)
{
    for (int threads = 1; threads <= 2; threads++) {
        subject_open(&subject, threads);
        RUN(adds_across);
        RUN(copies_across);
        RUN(converts_across);
        RUN(chooses_across);
        RUN(multiplies_across);
        subject_close(&subject);
    }
    return ob_test_end();
}
