/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16 and f16 in every instruction set: blocks and their edges, few rows, transposed factors, batches,
 * odd lengths. The numbers are small and whole, so that every sum is exact in float whatever its order, and
 * only the rounding of the result is left: results are compared exactly.
 */
#include "native_test.h"

static const char *const ISAS[] = {"best", "avx512", "avx2", "sve", "base"};

typedef struct native_options_of_test {
    const char *isa;
} native_options_of_test;

static bool open_with(native_subject *s, const char *isa)
{
    ob_err err;
    CHECK_INT(ob_context_create(NULL, &s->context, &err), OB_OK);
    CHECK_INT(ob_plugin_load(s->context, OB_NATIVE_PLUGIN, &err), OB_OK);
    s->desc = ob_context_find_backend(s->context, "native");
    const native_options_of_test options = {.isa = isa};
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = {.type = "cpu", .index = -1},
                                          .threads = 2,
                                          .options = &options};
    if (s->desc->open(&settings, &s->backend, &err) == OB_OK)
        return true;
    CHECK_INT(err.code, OB_ERR_UNSUPPORTED); /* this processor does not have it */
    ob_context_destroy(s->context);
    return false;
}

/* Whole numbers up to 256 are the same in both dtypes; larger ones are rounded to their bits, ties to even. */
static double round_to(double value, ob_dtype dtype)
{
    const int bits = dtype == OB_DTYPE_BF16 ? 8 : 11;
    double unit = 1;
    const double size = value < 0 ? -value : value;
    while (size >= unit * (double)(1 << bits))
        unit *= 2;
    const double down = (double)(int64_t)(size / unit) * unit, rest = size - down;
    const bool odd = (int64_t)(down / unit) % 2 != 0;
    const double rounded = rest > unit / 2 || (rest == unit / 2 && odd) ? down + unit : down;
    return value < 0 ? -rounded : rounded;
}

static uint16_t half_from(double value, ob_dtype dtype)
{
    uint16_t half = 0;
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (dtype == OB_DTYPE_BF16)
        half = (uint16_t)(bits >> 16);
    else if (value != 0)
        half = (uint16_t)((bits >> 16 & 0x8000u) | (((bits >> 23 & 0xffu) - 112) << 10) |
                          (bits >> 13 & 0x3ffu));
    return half;
}

static double value_of(uint16_t half, ob_dtype dtype)
{
    uint32_t bits = (uint32_t)half << 16;
    float single;
    if (dtype == OB_DTYPE_F16)
        bits = (half & 0x7fffu) == 0 ? 0
                                     : (half & 0x8000u) << 16 | ((half >> 10 & 0x1fu) + 112) << 23 |
                                           (half & 0x3ffu) << 13;
    memcpy(&single, &bits, sizeof single);
    return (double)single;
}

typedef enum order { DENSE, TURNED, SPARSE } order; /* SPARSE: no stride is 1 */

typedef struct trial {
    const char *op;
    int64_t count, m, k, n; /* count 0: no batch */
    order a, b;
} trial;

/* A batch of rows x columns matrices in that order, with numbers from -3 to 3. */
static void make_matrix(const trial *t, int64_t rows, int64_t columns, order how, ob_dtype dtype,
                        ob_value *out)
{
    static uint32_t state = 1;
    const int64_t gap = how == SPARSE ? 3 : 1;
    const int64_t batch = rows * columns * gap;
    const int64_t sizes[] = {t->count, rows, columns};
    const int64_t strides[] = {batch, how == TURNED ? 1 : columns * gap,
                               how == TURNED ? rows : gap};
    const int first = t->count == 0 ? 1 : 0;
    ob_tensor tensor;
    CHECK_INT(ob_tensor_init(&tensor, dtype, sizes + first, 3 - first, strides + first, NULL),
              OB_OK);
    uint16_t *data = ob_tensor_data(&tensor);
    const size_t all = ob_storage_size(tensor.storage) / sizeof *data;
    for (size_t i = 0; i < all; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = half_from((double)((int)(state >> 16) % 7 - 3), dtype);
    }
    CHECK_INT(ob_value_init_tensor(out, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
}

static double read_at(const ob_tensor *t, int64_t batch, int64_t row, int64_t column)
{
    const int last = t->ndim - 1;
    int64_t place = 0;
    if (t->ndim == 1)
        place = (row + column) * t->strides[0];
    else if (t->ndim > 1)
        place = row * t->strides[last - 1] + column * t->strides[last];
    if (t->ndim == 3)
        place += batch * t->strides[0];
    return value_of(((const uint16_t *)ob_tensor_data(t))[place], t->dtype);
}

/* How many elements differ from the sums; self NULL: nothing is added. */
static int64_t count_wrong(const trial *t, const ob_tensor *a, const ob_tensor *b,
                           const ob_tensor *self, const ob_tensor *out)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < (t->count == 0 ? 1 : t->count); i++)
        for (int64_t r = 0; r < t->m; r++)
            for (int64_t c = 0; c < t->n; c++) {
                double sum = self != NULL
                                 ? read_at(self, i, self->sizes[self->ndim - 2] == 1 ? 0 : r, c)
                                 : 0;
                for (int64_t p = 0; p < t->k; p++)
                    sum += read_at(a, i, r, p) * read_at(b, i, p, c);
                wrong += read_at(out, i, r, c) != round_to(sum, out->dtype);
            }
    return wrong;
}

static void run_trial(const native_subject *subject, const trial *t, ob_dtype dtype)
{
    ob_value args[3], output = {.kind = OB_VALUE_NONE};
    const bool adds = strstr(t->op, "add") != NULL;
    ob_value *factors = adds ? args + 1 : args;
    if (adds)
        make_matrix(t, strcmp(t->op, "aten::addmm") == 0 ? 1 : t->m, t->n, DENSE, dtype, &args[0]);
    make_matrix(t, t->m, t->k, t->a, dtype, &factors[0]);
    make_matrix(t, t->k, t->n, t->b, dtype, &factors[1]);
    CHECK_INT(run_operator(subject, t->op, args, adds ? 3 : 2, &output, 1), 1);
    const int64_t wrong = count_wrong(t, factors[0].as.tensor, factors[1].as.tensor,
                                      adds ? args[0].as.tensor : NULL, output.as.tensor);
    if (wrong != 0)
        printf("%s %lld x %lld x %lld, orders %d %d: %lld wrong\n", t->op, (long long)t->m,
               (long long)t->k, (long long)t->n, (int)t->a, (int)t->b, (long long)wrong);
    CHECK_INT(wrong, 0);
    ob_value_fini(&output);
    for (int i = 0; i < (adds ? 3 : 2); i++)
        ob_value_fini(&args[i]);
}

static void run_all(const native_subject *subject, ob_dtype dtype)
{
    /* One element, a tile and its edges, several blocks in each direction, few rows or columns, an odd
     * length, nothing to sum over. */
    static const int64_t SIZES[][3] = {{1, 1, 1},     {12, 64, 32},  {13, 65, 33},  {5, 3, 7},
                                       {250, 40, 70}, {20, 700, 40}, {16, 33, 300}, {1, 129, 200},
                                       {3, 70, 65},   {4, 257, 31},  {90, 77, 1},   {41, 300, 2},
                                       {7, 0, 9}};
    for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++)
        for (int a = DENSE; a <= SPARSE; a++)
            for (int b = DENSE; b <= SPARSE; b++) {
                trial t = {"aten::mm",  0,        SIZES[s][0], SIZES[s][1],
                           SIZES[s][2], (order)a, (order)b};
                run_trial(subject, &t, dtype);
                t.op = "aten::addmm";
                run_trial(subject, &t, dtype);
            }
    static const trial BATCHES[] = {{"aten::bmm", 5, 13, 40, 33, DENSE, TURNED},
                                    {"aten::bmm", 3, 2, 65, 70, DENSE, DENSE},
                                    {"aten::baddbmm", 4, 30, 20, 35, TURNED, DENSE}};
    for (size_t i = 0; i < sizeof BATCHES / sizeof BATCHES[0]; i++)
        run_trial(subject, &BATCHES[i], dtype);
}

static void gives_exact_sums(void)
{
    int opened = 0;
    for (size_t i = 0; i < sizeof ISAS / sizeof ISAS[0]; i++) {
        native_subject subject;
        if (!open_with(&subject, ISAS[i]))
            continue;
        opened++;
        run_all(&subject, OB_DTYPE_BF16);
        run_all(&subject, OB_DTYPE_F16);
        subject_close(&subject);
    }
    CHECK(opened >= 2); /* "best" and "base" are everywhere */
}

static void sums_a_batch(void)
{
    native_subject subject;
    subject_open(&subject, 1);
    const trial t = {"aten::addbmm", 4, 14, 50, 37, DENSE, DENSE};
    ob_value args[3], output = {.kind = OB_VALUE_NONE};
    const trial plain = {.count = 0};
    make_matrix(&plain, t.m, t.n, DENSE, OB_DTYPE_BF16, &args[0]);
    make_matrix(&t, t.m, t.k, DENSE, OB_DTYPE_BF16, &args[1]);
    make_matrix(&t, t.k, t.n, DENSE, OB_DTYPE_BF16, &args[2]);
    CHECK_INT(run_operator(&subject, t.op, args, 3, &output, 1), 1);
    int64_t wrong = 0;
    for (int64_t r = 0; r < t.m; r++)
        for (int64_t c = 0; c < t.n; c++) {
            double sum = read_at(args[0].as.tensor, 0, r, c);
            for (int64_t i = 0; i < t.count; i++)
                for (int64_t p = 0; p < t.k; p++)
                    sum +=
                        read_at(args[1].as.tensor, i, r, p) * read_at(args[2].as.tensor, i, p, c);
            wrong += read_at(output.as.tensor, 0, r, c) != round_to(sum, OB_DTYPE_BF16);
        }
    CHECK_INT(wrong, 0);
    ob_value_fini(&output);
    for (int i = 0; i < 3; i++)
        ob_value_fini(&args[i]);
    subject_close(&subject);
}

int main(void)
{
    RUN(gives_exact_sums);
    RUN(sums_a_batch);
    return ob_test_end();
}
