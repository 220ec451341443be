/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed results compared: what is the same, what differs and how it is said, damaged texts.
 */
#include "check.h"
#include "run/result_check.h"

#include <stdlib.h>

static const ob_bound_facts ELEMENTWISE = {
    .kind = OB_TOL_ELEMENTWISE, .factor = 1, .steps = 1, .longest = 4, .magnitude = 1};

/* A tensor of float32 over the values; ndim 1, or 2 with rows of `columns`. */
static ob_value floats(const float *values, int64_t count, int64_t columns)
{
    const int64_t sizes[] = {columns > 0 ? count / columns : count, columns};
    ob_tensor tensor;
    ob_value value;
    ob_err err;
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, sizes, columns > 0 ? 2 : 1, NULL, &err), OB_OK);
    memcpy(ob_tensor_data(&tensor), values, (size_t)count * sizeof *values);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, &err), OB_OK);
    ob_tensor_fini(&tensor);
    return value;
}

typedef struct side {
    ob_value outputs[2], gradients[2];
    size_t output_count, gradient_count;
    const char *names[2];
} side;

static void side_fini(side *s)
{
    for (size_t i = 0; i < s->output_count; i++)
        ob_value_fini(&s->outputs[i]);
    for (size_t i = 0; i < s->gradient_count; i++)
        ob_value_fini(&s->gradients[i]);
}

static ob_text pack(const side *s, const ob_bound_facts *facts)
{
    ob_text text = {0};
    ob_err err;
    const ob_pack_args args = {.facts = facts,
                               .outputs = s->outputs,
                               .output_count = s->output_count,
                               .gradients = s->gradients,
                               .gradient_count = s->gradient_count,
                               .gradient_names = s->names};
    CHECK_INT(ob__results_pack(&args, &text, &err), OB_OK);
    return text;
}

/* Takes over both sides. */
static ob_check_result compare(side *got, side *want, const ob_bound_facts *facts)
{
    ob_check_result result = {.verdict = NULL};
    ob_err err;
    ob_text x = pack(got, facts), y = pack(want, facts);
    CHECK_INT(ob__results_compare((ob_packed){.data = x.data, .size = x.size},
                                  (ob_packed){.data = y.data, .size = y.size}, "other", &result,
                                  &err),
              OB_OK);
    ob_text_fini(&x);
    ob_text_fini(&y);
    side_fini(got);
    side_fini(want);
    return result;
}

static side one(ob_value value)
{
    return (side){.outputs = {value}, .output_count = 1};
}

static void within_the_bound(void)
{
    const float x[] = {1, 2, 3, 4}, y[] = {1, 2, 3.0000002f, 4};
    side a = one(floats(x, 4, 0)), b = one(floats(y, 4, 0));
    const ob_check_result r = compare(&a, &b, &ELEMENTWISE);
    CHECK_STR(r.verdict, "same");
    /* One step of 2^-22; allowed are 2 (2^-23 * 3 + 2^-23 * 4 / 4). */
    CHECK_NEAR(r.worst, 0x1p-22 / (2 * 0x1p-23 * 4), 1e-6);
}

static void first_difference(void)
{
    const float x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 2, 3, 4.5f, 5, 7};
    side a = one(floats(x, 6, 2)), b = one(floats(y, 6, 2));
    const ob_check_result r = compare(&a, &b, &ELEMENTWISE);
    CHECK_STR(r.verdict, "differs");
    CHECK_STR(r.reason, "output 0 at [1, 1] is 4, that of other is 4.5: they may differ by "
                        "1.49e-06 (2 of 6 elements differ by more)");
}

static void not_numbers(void)
{
    const float x[] = {NAN, INFINITY, -INFINITY}, y[] = {NAN, INFINITY, INFINITY};
    side a = one(floats(x, 3, 0)), b = one(floats(x, 3, 0));
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).verdict, "same");
    a = one(floats(x, 3, 0));
    b = one(floats(y, 3, 0));
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).reason,
              "output 0 at [2] is -inf, that of other is inf: they may differ by inf (1 of 3 "
              "elements differ by more)");
}

static void shapes_and_numbers(void)
{
    const float x[] = {1, 2, 3, 4};
    side a = one(floats(x, 4, 0)), b = one(floats(x, 4, 2));
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).reason,
              "output 0 is f32 [4], that of other is f32 [2, 2]");
    a = one(floats(x, 4, 0));
    b = (side){.output_count = 0};
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).reason, "there are 1 outputs, other gives 0");
    a = one(ob_value_int(7));
    b = one(ob_value_int(8));
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).reason,
              "output 0 at [] is 7, that of other is 8: they may differ by 0 (1 of 1 elements "
              "differ by more)");
    a = one(ob_value_double(7));
    b = one(ob_value_int(7));
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).reason, "output 0 is f64 [], that of other is i64 []");
}

static void strides_do_not_matter(void)
{
    const float x[] = {1, 2, 3, 4, 5, 6}, turned[] = {1, 4, 2, 5, 3, 6};
    side a = one(floats(x, 6, 3)), b = one(floats(turned, 6, 2));
    ob_tensor *t = b.outputs[0].as.tensor; /* [3, 2] read as [2, 3] by columns */
    t->sizes[0] = 2;
    t->sizes[1] = 3;
    t->strides[0] = 1;
    t->strides[1] = 2;
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).verdict, "same");
}

/* The same difference as the result of a long sum that cancels, and of one without terms. */
static void terms_that_cancel(void)
{
    const float x[] = {-6e-4f, 0}, y[] = {6e-4f, 0};
    ob_bound_facts facts = {
        .kind = OB_TOL_REDUCTION, .factor = 4, .steps = 4, .longest = 2 * 12544, .magnitude = 1};
    side a = {.gradients = {floats(x, 2, 0)}, .gradient_count = 1, .names = {"weight"}};
    side b = {.gradients = {floats(y, 2, 0)}, .gradient_count = 1, .names = {"weight"}};
    CHECK_STR(compare(&a, &b, &facts).verdict, "same");
    a = (side){.gradients = {floats(x, 2, 0)}, .gradient_count = 1, .names = {"weight"}};
    b = (side){.gradients = {floats(y, 2, 0)}, .gradient_count = 1, .names = {"weight"}};
    facts.longest = 2;
    CHECK_STR(compare(&a, &b, &facts).verdict, "differs");
}

static void gradients_by_name(void)
{
    const float x[] = {1, 2}, zeros[] = {0, 0};
    side a = {.gradients = {floats(x, 2, 0), floats(zeros, 2, 0)},
              .gradient_count = 2,
              .names = {"weight", "bias"}};
    side b = {.gradients = {floats(x, 2, 0)}, .gradient_count = 1, .names = {"weight"}};
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).verdict, "same");
    a = (side){.gradients = {floats(x, 2, 0), floats(x, 2, 0)},
               .gradient_count = 2,
               .names = {"weight", "bias"}};
    b = (side){.gradients = {floats(x, 2, 0)}, .gradient_count = 1, .names = {"weight"}};
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).reason, "bias is not zero, and the reference has none");
    a = (side){.gradients = {floats(x, 2, 0)}, .gradient_count = 1, .names = {"weight"}};
    b = (side){.gradients = {floats(x, 2, 0), floats(x, 2, 0)},
               .gradient_count = 2,
               .names = {"weight", "bias"}};
    CHECK_STR(compare(&a, &b, &ELEMENTWISE).reason,
              "bias is missing, and that of the reference is not zero");
}

static void random_by_moments(void)
{
    enum { COUNT = 4000 };
    const ob_bound_facts facts = {.kind = OB_TOL_RANDOM, .factor = 1, .steps = 1, .longest = 1};
    float x[COUNT], y[COUNT], wide[COUNT], high[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 100) / 100;
        y[i] = (float)((i * 37 + 11) % 100) / 100;
        wide[i] = 2 * x[i] - 0.5f;
        high[i] = x[i] + 0.1f;
    }
    side a = one(floats(x, COUNT, 0)), b = one(floats(y, COUNT, 0));
    CHECK_STR(compare(&a, &b, &facts).verdict, "same");
    a = one(floats(x, COUNT, 0));
    b = one(floats(high, COUNT, 0));
    CHECK(strstr(compare(&a, &b, &facts).reason, "is random and its mean is 0.495") != NULL);
    a = one(floats(x, COUNT, 0));
    b = one(floats(wide, COUNT, 0));
    CHECK(strstr(compare(&a, &b, &facts).reason, "is random and its variance is 0.083") != NULL);
}

static void undefined_by_form(void)
{
    const ob_bound_facts facts = {.kind = OB_TOL_UNDEFINED, .factor = 1, .steps = 1, .longest = 1};
    const float x[] = {1, 2}, y[] = {3, 4};
    side a = one(floats(x, 2, 0)), b = one(floats(y, 2, 0));
    CHECK_STR(compare(&a, &b, &facts).verdict, "same");
}

/* Whatever a wild operator leaves in the file, the reader stays inside it. */
static void damaged(void)
{
    const float x[] = {1, 2, 3, 4};
    side a = one(floats(x, 4, 0));
    ob_text good = pack(&a, &ELEMENTWISE);
    ob_check_result result;
    ob_err err;
    const ob_packed whole = {.data = good.data, .size = good.size};
    for (size_t size = 0; size < good.size; size++) {
        const ob_status status = ob__results_compare(
            whole, (ob_packed){.data = good.data, .size = size}, "other", &result, &err);
        CHECK_INT(status, OB_ERR_SYNTAX);
    }
    char *copy = malloc(good.size);
    for (size_t i = 0; i < good.size; i++)
        for (int byte = 0; byte < 256; byte += 51) {
            memcpy(copy, good.data, good.size);
            copy[i] = (char)byte;
            ob__results_compare(whole, (ob_packed){.data = copy, .size = good.size}, "other",
                                &result, &err);
        }
    free(copy);
    ob_text_fini(&good);
    side_fini(&a);
}

int main(void)
{
    RUN(within_the_bound);
    RUN(first_difference);
    RUN(not_numbers);
    RUN(shapes_and_numbers);
    RUN(strides_do_not_matter);
    RUN(terms_that_cancel);
    RUN(gradients_by_name);
    RUN(random_by_moments);
    RUN(undefined_by_form);
    RUN(damaged);
    return ob_test_end();
}
