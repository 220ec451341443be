/* SPDX-License-Identifier: Apache-2.0
 *
 * Results beside a reference whose numbers are given here: what is the same, what differs, and what is said.
 */
#include "check.h"

#include "run/result_check.h"

#include <math.h>
#include <string.h>

/* ---- a reference of one output ---- */

struct ob_reference {
    ob_reference_result result;
    bool accepts;
};

static size_t count_results(const ob_reference *reference, ob_pass pass)
{
    (void)reference;
    return pass == OB_PASS_FORWARD ? 1 : 0;
}

static const ob_reference_result *result_at(const ob_reference *reference, ob_pass pass,
                                            size_t index)
{
    (void)pass, (void)index;
    return &reference->result;
}

static bool judge(const ob_reference *reference, ob_pass pass, size_t index, const ob_tensor *got,
                  ob_reason *why)
{
    (void)pass, (void)index, (void)got;
    strcpy(why->text, "is judged wrong");
    return reference->accepts;
}

static const ob_reference_desc DESC = {.count = count_results, .result = result_at, .judge = judge};

static const int64_t SIZES[] = {2, 2};
static const double VALUES[] = {1, 2, 3, -4}, BOUNDS[] = {0.01, 0.01, 0.01, 0.01};

static ob_reference values(void)
{
    return (ob_reference){.result = {.kind = OB_REFERENCE_VALUES,
                                     .dtype = OB_DTYPE_F32,
                                     .ndim = 2,
                                     .sizes = SIZES,
                                     .count = 4,
                                     .values = VALUES,
                                     .bounds = BOUNDS,
                                     .norm = 0.012}};
}

static ob_check_result compare(const ob_reference *reference, const float *elements)
{
    ob_tensor tensor;
    ob_value value;
    ob_check_result out;
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, SIZES, 2, NULL, NULL), OB_OK);
    memcpy(ob_tensor_data(&tensor), elements, 4 * sizeof *elements);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    const ob_results_given given = {.outputs = &value, .output_count = 1};
    ob__results_compare(&given, &DESC, reference, NULL, &out);
    ob_value_fini(&value);
    ob_tensor_fini(&tensor);
    return out;
}

/* ---- */

static void test_same(void)
{
    const ob_reference reference = values();
    const ob_check_result out = compare(&reference, (float[]){1, 2, 3, -4.005f});
    CHECK_STR(out.verdict, "same");
    CHECK(fabs(out.worst - 0.5) < 1e-3);
    CHECK_INT((int)out.checked, 4);
    CHECK_INT((int)out.elements, 4);
}

static void test_element_off(void)
{
    const ob_reference reference = values();
    const ob_check_result out = compare(&reference, (float[]){1, 2, 3.5f, 0});
    CHECK_STR(out.verdict, "differs");
    CHECK_STR(
        out.reason,
        "output 0 at [1, 0] is 3.5 but must be 3, within 0.01 (2 of 4 elements are off by more)");
}

/* Each element is within its bound, all together are not. */
static void test_norm_off(void)
{
    const ob_reference reference = values();
    const ob_check_result out = compare(&reference, (float[]){1.009f, 2.009f, 3.009f, -3.991f});
    CHECK_STR(out.verdict, "differs");
    CHECK(strstr(out.reason, "as a whole") != NULL);
}

static void test_no_number(void)
{
    const ob_reference reference = values();
    CHECK_STR(compare(&reference, (float[]){1, NAN, 3, -4}).verdict, "differs");
    CHECK_STR(compare(&reference, (float[]){1, INFINITY, 3, -4}).verdict, "differs");
}

/* Only the elements that the reference has count. */
static void test_some_elements(void)
{
    static const int64_t places[] = {3};
    static const double value[] = {-4};
    ob_reference reference = values();
    reference.result.places = places;
    reference.result.values = value;
    reference.result.count = 1;
    const ob_check_result out = compare(&reference, (float[]){7, 7, 7, -4});
    CHECK_STR(out.verdict, "same");
    CHECK_INT((int)out.checked, 1);
    CHECK_INT((int)out.elements, 4);
    CHECK_STR(compare(&reference, (float[]){1, 2, 3, 4}).verdict, "differs");
}

static void test_unknown(void)
{
    ob_reference reference = values();
    reference.result.kind = OB_REFERENCE_UNKNOWN;
    reference.result.reason = "it is not initialised";
    const ob_check_result out = compare(&reference, (float[]){1, 2, 3, -4});
    CHECK_STR(out.verdict, "not checked");
    CHECK_STR(out.reason, "output 0: it is not initialised");
    CHECK_INT((int)out.checked, 0);
}

/* Bounds that are infinite are a reason too. */
static void test_unbounded(void)
{
    static const double bounds[] = {INFINITY, INFINITY, INFINITY, INFINITY};
    ob_reference reference = values();
    reference.result.bounds = bounds;
    const ob_check_result out = compare(&reference, (float[]){1, 2, 3, -4});
    CHECK_STR(out.verdict, "not checked");
    CHECK_STR(out.reason, "rounding errors of this many steps may add up to anything; use fewer "
                          "steps, larger sizes or float64");
}

static void test_judged(void)
{
    ob_reference reference = values();
    reference.result.kind = OB_REFERENCE_JUDGED;
    CHECK_STR(compare(&reference, (float[]){0, 0, 0, 0}).reason, "output 0 is judged wrong");
    reference.accepts = true;
    CHECK_STR(compare(&reference, (float[]){0, 0, 0, 0}).verdict, "same");
}

static void test_form(void)
{
    static const int64_t other[] = {4, 1};
    ob_reference reference = values();
    reference.result.sizes = other;
    CHECK_STR(compare(&reference, (float[]){1, 2, 3, -4}).reason,
              "output 0 is f32 of [2, 2] but must be f32 of [4, 1]");
}

/* The later check counts, unless the first was worse. */
static void test_join(void)
{
    ob_check_result first = {.verdict = "same", .worst = 0.2, .checked = 4, .elements = 4};
    const ob_check_result later = {
        .verdict = "differs", .worst = 3, .checked = 4, .elements = 4, .reason = "why"};
    ob__check_join(&first, &later);
    CHECK_STR(first.verdict, "differs");
    CHECK_STR(first.reason, "why");
    CHECK_INT((int)first.checked, 8);
}

int main(void)
{
    RUN(test_same);
    RUN(test_element_off);
    RUN(test_norm_off);
    RUN(test_no_number);
    RUN(test_some_elements);
    RUN(test_unknown);
    RUN(test_unbounded);
    RUN(test_judged);
    RUN(test_form);
    RUN(test_join);
    return ob_test_end();
}
