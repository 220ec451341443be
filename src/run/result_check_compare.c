/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed results side by side. Both come from arithmetic with rounding, so they may differ by twice what one of them may
 * be off the exact result. Random results have nothing in common but their distribution: means and
 * variances must agree within six of their standard errors.
 */
#include "run/result_check_int.h"

#include "base/text_append.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The comparison under way. */
typedef struct check {
    const char *reference;
    ob_bound_facts facts;
    ob_check_result *out;
} check;

/* Complex elements are two real ones. */
static uint64_t reals_of(const ob_pack_item *item)
{
    const bool complex = item->item.dtype == OB_DTYPE_C64 || item->item.dtype == OB_DTYPE_C128;
    return complex ? 2 * item->count : item->count;
}

static double real_at(const ob_pack_item *item, uint64_t i)
{
    const size_t size = ob_dtype_size((ob_dtype)item->item.dtype);
    const bool complex = item->item.dtype == OB_DTYPE_C64 || item->item.dtype == OB_DTYPE_C128;
    return ob__element_get((ob_dtype)item->item.dtype,
                           item->data + i * (complex ? size / 2 : size));
}

static void append_sizes(char *out, size_t size, const int64_t *values, int count)
{
    size_t at = (size_t)snprintf(out, size, "[");
    for (int i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
    if (at < size)
        snprintf(out + at, size - at, "]");
}

static void differs(const check *c, const ob_item *item, const char *text)
{
    c->out->verdict = "differs";
    snprintf(c->out->reason, sizeof c->out->reason, "%s %s", item->name, text);
}

/* False: shape or dtype are not the same, and it was said. */
static bool same_form(const check *c, const ob_pack_item *got, const ob_pack_item *want)
{
    const ob_item *a = &got->item, *b = &want->item;
    char text[384], shape[2][128];
    const bool shapes =
        a->ndim == b->ndim && memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0;
    if (shapes && a->dtype == b->dtype)
        return true;
    append_sizes(shape[0], sizeof shape[0], a->sizes, a->ndim);
    append_sizes(shape[1], sizeof shape[1], b->sizes, b->ndim);
    snprintf(text, sizeof text, "is %s %s, that of %s is %s %s",
             ob_dtype_get_info((ob_dtype)a->dtype)->name, shape[0], c->reference,
             ob_dtype_get_info((ob_dtype)b->dtype)->name, shape[1]);
    differs(c, a, text);
    return false;
}

/* ---- by elements ---- */

static double largest_of(const ob_pack_item *item)
{
    double most = 0;
    for (uint64_t i = 0; i < reals_of(item); i++) {
        const double x = fabs(real_at(item, i));
        most = isfinite(x) && x > most ? x : most;
    }
    return most;
}

static void say_element(const check *c, const ob_pack_item *got, uint64_t i, const double *values,
                        const double *statistics)
{
    const uint64_t per = reals_of(got) / (got->count > 0 ? got->count : 1);
    int64_t index[OB_MAX_DIMS];
    char place[128], text[384];
    uint64_t rest = i / (per > 0 ? per : 1);
    for (int d = got->item.ndim - 1; d >= 0; d--) {
        index[d] = (int64_t)(rest % (uint64_t)got->item.sizes[d]);
        rest /= (uint64_t)got->item.sizes[d];
    }
    append_sizes(place, sizeof place, index, got->item.ndim);
    snprintf(text, sizeof text,
             "at %s is %.9g, that of %s is %.9g: they may differ by %.3g (%.0f of %" PRIu64
             " elements differ by more)",
             place, values[0], c->reference, values[1], statistics[0], statistics[1],
             reals_of(got));
    differs(c, &got->item, text);
}

static void compare_elements(const check *c, const ob_bound *bound, const ob_pack_item *got,
                             const ob_pack_item *want)
{
    uint64_t wrong = 0, first = 0;
    for (uint64_t i = 0; i < reals_of(got); i++) {
        const double x = real_at(got, i), y = real_at(want, i);
        const double allowed = ob__bound_at(bound, y);
        if (allowed > 0 && isfinite(x) && isfinite(y))
            c->out->worst = fmax(c->out->worst, fabs(x - y) / allowed);
        if (ob__bound_holds(bound, x, y))
            continue;
        if (wrong++ == 0)
            first = i;
    }
    if ((double)wrong <= bound->outliers * (double)reals_of(got))
        return;
    const double values[] = {real_at(got, first), real_at(want, first)};
    const double statistics[] = {ob__bound_at(bound, values[1]), (double)wrong};
    say_element(c, got, first, values, statistics);
}

/* ---- by moments ---- */

typedef struct moments {
    double mean, variance;
    double mean_error, variance_error; /* standard errors */
} moments;

static moments moments_of(const ob_pack_item *item)
{
    const double n = (double)reals_of(item);
    double sum = 0, second = 0, fourth = 0;
    for (uint64_t i = 0; i < reals_of(item); i++)
        sum += real_at(item, i);
    moments m = {.mean = sum / n};
    for (uint64_t i = 0; i < reals_of(item); i++) {
        const double d = real_at(item, i) - m.mean;
        second += d * d;
        fourth += d * d * d * d;
    }
    m.variance = second / n;
    m.mean_error = sqrt(m.variance / n);
    m.variance_error = sqrt(fmax(0, fourth / n - m.variance * m.variance) / n);
    return m;
}

/* Below so many elements moments say too little. */
enum { LEAST_RANDOM = 100 };

static void compare_moments(const check *c, const ob_pack_item *got, const ob_pack_item *want)
{
    static const double ERRORS = 6;
    char text[384];
    if (reals_of(got) < LEAST_RANDOM)
        return;
    const moments x = moments_of(got), y = moments_of(want);
    const double mean_bound = ERRORS * hypot(x.mean_error, y.mean_error) +
                              ob__dtype_epsilon((ob_dtype)got->item.dtype) * fabs(y.mean);
    const double variance_bound = ERRORS * hypot(x.variance_error, y.variance_error) +
                                  8 * ob__dtype_epsilon((ob_dtype)got->item.dtype) * y.variance +
                                  1e-300;
    const bool mean = fabs(x.mean - y.mean) <= mean_bound;
    if (mean && fabs(x.variance - y.variance) <= variance_bound)
        return;
    snprintf(text, sizeof text,
             "is random and its %s is %.6g, that of %s is %.6g: they may differ by %.3g",
             mean ? "variance" : "mean", mean ? x.variance : x.mean, c->reference,
             mean ? y.variance : y.mean, mean ? variance_bound : mean_bound);
    differs(c, &got->item, text);
}

/* ---- */

static void compare_items(const check *c, const ob_bound_facts *facts, const ob_pack_item *got,
                          const ob_pack_item *want)
{
    const ob_dtype dtype = (ob_dtype)got->item.dtype;
    if (!same_form(c, got, want))
        return;
    ob_bound bound = ob__bound_make(facts, dtype, largest_of(want));
    if (bound.skip)
        return;
    if (bound.random) {
        compare_moments(c, got, want);
        return;
    }
    bound.relative *= 2;
    bound.absolute *= 2;
    if (!ob_dtype_is_floating(dtype))
        bound = (ob_bound){.relative = 0};
    compare_elements(c, &bound, got, want);
}

static ob_status damaged(ob_err *err)
{
    return ob_err_set(err, OB_ERR_SYNTAX,
                      "the results that were to be compared are damaged; an operator wrote into "
                      "memory that is not its own");
}

static ob_status compare_outputs(const check *c, ob_pack_cursor *got, ob_pack_cursor *want,
                                 ob_err *err)
{
    if (got->head.outputs != want->head.outputs) {
        c->out->verdict = "differs";
        snprintf(c->out->reason, sizeof c->out->reason,
                 "there are %" PRIu64 " outputs, %s gives %" PRIu64, got->head.outputs,
                 c->reference, want->head.outputs);
        return OB_OK;
    }
    for (uint64_t i = 0; i < got->head.outputs && c->out->verdict == NULL; i++) {
        ob_pack_item x, y;
        if (!ob__pack_next(got, &x) || !ob__pack_next(want, &y))
            return damaged(err);
        compare_items(c, &c->facts, &x, &y);
    }
    return OB_OK;
}

/* Of the items behind the cursor, the one with the name. False: none. */
static bool find_item(const ob_pack_cursor *in, const char *name, ob_pack_item *out)
{
    ob_pack_cursor cursor = *in;
    for (uint64_t i = 0; i < in->head.gradients; i++) {
        if (!ob__pack_next(&cursor, out))
            return false;
        if (strcmp(out->item.name, name) == 0)
            return true;
    }
    return false;
}

/* Gradients are found by name: a backend may leave out those that are nothing but zeros. */
static ob_status compare_gradients(const check *c, ob_pack_cursor *got, ob_pack_cursor *want,
                                   ob_err *err)
{
    ob_pack_cursor cursor = *got;
    for (uint64_t i = 0; i < got->head.gradients && c->out->verdict == NULL; i++) {
        ob_pack_item x, y;
        if (!ob__pack_next(&cursor, &x))
            return damaged(err);
        const ob_bound_facts facts = ob__bound_facts_of_gradient(&c->facts, x.count);
        if (find_item(want, x.item.name, &y))
            compare_items(c, &facts, &x, &y);
        else if (largest_of(&x) > 0)
            differs(c, &x.item, "is not zero, and the reference has none");
    }
    cursor = *want;
    for (uint64_t i = 0; i < want->head.gradients && c->out->verdict == NULL; i++) {
        ob_pack_item x, y;
        if (!ob__pack_next(&cursor, &y))
            return damaged(err);
        if (!find_item(got, y.item.name, &x) && largest_of(&y) > 0)
            differs(c, &y.item, "is missing, and that of the reference is not zero");
    }
    return OB_OK;
}

ob_status ob__results_compare(ob_packed got, ob_packed want, const char *reference,
                              ob_check_result *out, ob_err *err)
{
    ob_pack_cursor x, y;
    check c = {.reference = reference, .out = out};
    *out = (ob_check_result){.verdict = NULL, .worst = 0};
    if (!ob__pack_open(got, &x) || !ob__pack_open(want, &y))
        return damaged(err);
    c.facts = x.head.facts;
    ob__bound_facts_join(&c.facts, &y.head.facts);
    OB_TRY(compare_outputs(&c, &x, &y, err));
    if (out->verdict == NULL && x.head.gradients > 0 && y.head.gradients > 0)
        OB_TRY(compare_gradients(&c, &x, &y, err));
    if (out->verdict == NULL)
        out->verdict = "same";
    return OB_OK;
}
