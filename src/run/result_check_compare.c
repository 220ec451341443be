/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of a backend beside the reference's: each element within its own bound, and all of a tensor together within the
 * bound of their norm, which finds what is a little off everywhere.
 */
#include "run/result_check.h"

#include "tensor/half.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct check {
    const ob_reference_desc *desc;
    const ob_reference *reference;
    ob_check_result *out;
    char unknown[160]; /* why something was not compared; "" = everything was */
} check;

static void differs(const check *c, const char *name, const char *text)
{
    c->out->verdict = "differs";
    snprintf(c->out->reason, sizeof c->out->reason, "%s %s", name, text);
}

/* ---- elements ---- */

static const char *element_at(const ob_tensor *t, int64_t place)
{
    int64_t offset = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        offset += place % t->sizes[d] * t->strides[d];
        place /= t->sizes[d];
    }
    return (const char *)ob_tensor_data(t) + offset * (int64_t)ob_dtype_size(t->dtype);
}

static double real_of(ob_dtype dtype, const char *at, int part)
{
    switch (dtype) {
    case OB_DTYPE_F16:
        return (double)ob__f16_to_float(*(const uint16_t *)(const void *)at);
    case OB_DTYPE_BF16:
        return (double)ob__bf16_to_float(*(const uint16_t *)(const void *)at);
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return (double)((const float *)(const void *)at)[part];
    default:
        return ((const double *)(const void *)at)[part];
    }
}

static int64_t whole_of(ob_dtype dtype, const char *at)
{
    switch (dtype) {
    case OB_DTYPE_BOOL:
        return *at != 0;
    case OB_DTYPE_U8:
        return *(const uint8_t *)at;
    case OB_DTYPE_I8:
        return *(const int8_t *)at;
    case OB_DTYPE_I16:
        return *(const int16_t *)(const void *)at;
    case OB_DTYPE_I32:
        return *(const int32_t *)(const void *)at;
    default:
        return *(const int64_t *)(const void *)at;
    }
}

/* How far apart, in units of the bound; INFINITY where one of them is no number or infinite and the other is not. */
static double apart(double got, double want, double bound)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (isinf(want) || isinf(got))
        return got == want || isinf(bound) ? 0 : INFINITY;
    const double off = fabs(got - want);
    return off == 0 ? 0 : off / bound;
}

/* ---- what is said ---- */

static void append_sizes(char *out, size_t size, const int64_t *sizes, int ndim)
{
    size_t used = (size_t)snprintf(out, size, "[");
    for (int d = 0; d < ndim && used < size; d++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%" PRId64, d > 0 ? ", " : "", sizes[d]);
    if (used < size)
        snprintf(out + used, size - used, "]");
}

typedef struct difference {
    int64_t place, wrong;
    double got, want, bound;
} difference;

static void say_element(const check *c, const char *name, const ob_reference_result *r,
                        const difference *d)
{
    int64_t index[OB_MAX_DIMS], rest = d->place;
    char place[128], text[384];
    for (int k = r->ndim - 1; k >= 0; k--) {
        index[k] = rest % r->sizes[k];
        rest /= r->sizes[k];
    }
    append_sizes(place, sizeof place, index, r->ndim);
    snprintf(text, sizeof text,
             "at %s is %.9g but must be %.9g, within %.3g (%" PRId64 " of %" PRId64
             " elements are off by more)",
             place, d->got, d->want, d->bound, d->wrong, r->count);
    differs(c, name, text);
}

static bool same_form(const check *c, const char *name, const ob_reference_result *r,
                      const ob_tensor *got)
{
    char is[128], want[128], text[384];
    bool same = got->dtype == r->dtype && got->ndim == r->ndim;
    for (int d = 0; same && d < r->ndim; d++)
        same = got->sizes[d] == r->sizes[d];
    if (same)
        return true;
    append_sizes(is, sizeof is, got->sizes, got->ndim);
    append_sizes(want, sizeof want, r->sizes, r->ndim);
    snprintf(text, sizeof text, "is %s of %s but must be %s of %s",
             ob_dtype_get_info(got->dtype)->name, is, ob_dtype_get_info(r->dtype)->name, want);
    differs(c, name, text);
    return false;
}

/* ---- all elements together ---- */

/* How much larger or smaller the results are on the whole than they must be. In half precision single elements may be off by
 * several roundings, which on the whole cancel. Each element says the more of it the smaller its own bound is; elements of equal
 * values may be off by the same, and are put together. */
enum { BIAS_GROUPS = 4096 };
typedef struct bias {
    double along, squares, reach;
    double groups[BIAS_GROUPS];
} bias;

static void bias_add(bias *b, double got, double want, double bound)
{
    uint64_t bits;
    if (bound == 0 || want == 0)
        return;
    memcpy(&bits, &want, sizeof bits);
    const double size = fabs(want) / bound;
    b->along += (got - want) / bound * want / bound;
    b->squares += size * size;
    b->reach += size;
    b->groups[bits * UINT64_C(0x9e3779b97f4a7c15) >> 52] += size;
}

/* What is off in common, such as a factor that was rounded, is no chance and does not cancel. docs/check.md says why these. */
static double bias_bound(const bias *b, const ob_reference_result *r)
{
    static const double ROUNDINGS = 1.25, PART_OF_BOUNDS = 1. / 16, PART_OF_CHANCE = 0.4;
    const double unit = r->dtype == OB_DTYPE_BF16 ? 0x1p-8 : 0x1p-11;
    double chance = 0;
    for (size_t i = 0; i < BIAS_GROUPS; i++)
        chance += b->groups[i] * b->groups[i];
    const double common =
        fmax(fmax(ROUNDINGS * unit, r->shared) * b->squares, PART_OF_BOUNDS * b->reach);
    return fmin(b->reach, PART_OF_CHANCE * sqrt(chance) + common);
}

static void compare_bias(const check *c, const char *name, const ob_reference_result *r,
                         const bias *b)
{
    char text[256];
    if (r->dtype != OB_DTYPE_BF16 && r->dtype != OB_DTYPE_F16)
        return;
    const double ratio = b->along == 0 ? 0 : fabs(b->along) / bias_bound(b, r);
    c->out->worst = fmax(c->out->worst, ratio);
    if (ratio <= 1)
        return;
    snprintf(text, sizeof text,
             "is %.3g times what it must be as a whole, though each single element is close enough",
             1 + b->along / b->squares);
    differs(c, name, text);
}

static void compare_norm(const check *c, const char *name, const ob_reference_result *r,
                         double square)
{
    char text[256];
    if (square == 0)
        return;
    c->out->worst = fmax(c->out->worst, sqrt(square) / r->norm);
    if (sqrt(square) <= r->norm)
        return;
    snprintf(text, sizeof text,
             "is off by %.3g as a whole (root of the sum of squares), more than the allowed %.3g, "
             "though each single element is close enough",
             sqrt(square), r->norm);
    differs(c, name, text);
}

/* ---- one tensor ---- */

static void compare_elements(const check *c, const char *name, const ob_reference_result *r,
                             const ob_tensor *got)
{
    const int parts = r->dtype == OB_DTYPE_C64 || r->dtype == OB_DTYPE_C128 ? 2 : 1;
    difference first = {.wrong = 0};
    bias all = {.along = 0};
    double square = 0;
    for (int64_t i = 0; i < r->count * parts; i++) {
        const int64_t place = r->places != NULL ? r->places[i / parts] : i / parts;
        const char *at = element_at(got, place);
        const double bound = r->bounds[i];
        double ratio, x, want;
        if (isinf(bound))
            continue;
        if (r->wholes != NULL) {
            const int64_t whole = whole_of(r->dtype, at);
            ratio = whole == r->wholes[i] || fabs((double)whole - (double)r->wholes[i]) <= bound
                        ? 0
                        : INFINITY;
            x = (double)whole;
            want = (double)r->wholes[i];
        } else {
            x = real_of(r->dtype, at, (int)(i % parts));
            want = r->values[i];
            ratio = apart(x, want, bound);
            if (isfinite(x) && isfinite(want)) {
                square += (x - want) * (x - want);
                bias_add(&all, x, want, bound);
            }
        }
        c->out->checked += i % parts == 0;
        if (isfinite(ratio))
            c->out->worst = fmax(c->out->worst, ratio);
        if (ratio > 1 && first.wrong++ == 0)
            first = (difference){place, 1, x, want, bound};
    }
    if (first.wrong > 0) {
        say_element(c, name, r, &first);
        return;
    }
    if (r->wholes != NULL)
        return;
    compare_norm(c, name, r, square);
    if (c->out->verdict == NULL)
        compare_bias(c, name, r, &all);
}

static void compare_tensor(check *c, const char *name, ob_pass pass, size_t index,
                           const ob_tensor *got)
{
    const ob_reference_result *r = c->desc->result(c->reference, pass, index);
    ob_reason why = {.text = ""};
    const uint64_t elements = (uint64_t)ob_tensor_numel(got);
    c->out->elements += elements;
    if (r->kind == OB_REFERENCE_UNKNOWN || ob_layout_is_sparse(got->layout)) {
        snprintf(c->unknown, sizeof c->unknown, "%s: %s", name,
                 r->kind == OB_REFERENCE_UNKNOWN ? r->reason : "it is sparse");
        return;
    }
    if (!same_form(c, name, r, got))
        return;
    if (ob_tensor_data(got) == NULL && elements > 0) {
        snprintf(c->unknown, sizeof c->unknown, "%s: the backend returns no elements", name);
        return;
    }
    if (r->kind == OB_REFERENCE_VALUES) {
        compare_elements(c, name, r, got);
        return;
    }
    if (c->desc->judge(c->reference, pass, index, got, &why))
        c->out->checked += elements;
    else
        differs(c, name, why.text);
}

/* ---- all of them ---- */

/* The next tensor of values whose lists are flat; NULL: there is none. */
static const ob_tensor *next_tensor(const ob_value *values, size_t count, size_t *at, size_t *item)
{
    for (; *at < count; (*at)++, *item = 0) {
        const ob_value *v = &values[*at];
        if (v->kind == OB_VALUE_TENSOR && *item == 0) {
            *item = 1;
            return v->as.tensor;
        }
        if (!ob_value_is_list(v))
            continue;
        while (*item < v->as.list.count) {
            const ob_value *inner = &v->as.list.items[(*item)++];
            if (inner->kind == OB_VALUE_TENSOR)
                return inner->as.tensor;
        }
    }
    return NULL;
}

static void compare_outputs(check *c, const ob_results_given *given)
{
    const size_t count = c->desc->count(c->reference, OB_PASS_FORWARD);
    size_t at = 0, item = 0, index = 0;
    const ob_tensor *got;
    while ((got = next_tensor(given->outputs, given->output_count, &at, &item)) != NULL &&
           index < count && c->out->verdict == NULL) {
        char name[32];
        snprintf(name, sizeof name, "output %zu", index);
        compare_tensor(c, name, OB_PASS_FORWARD, index++, got);
    }
    if (c->out->verdict == NULL && (got != NULL || index < count)) {
        c->out->verdict = "differs";
        snprintf(c->out->reason, sizeof c->out->reason,
                 "there are %s outputs than the expected %zu", got != NULL ? "more" : "fewer",
                 count);
    }
}

static bool is_zero(const ob_tensor *t)
{
    for (int64_t i = 0; ob_tensor_data(t) != NULL && i < ob_tensor_numel(t); i++)
        if (ob_dtype_is_floating(t->dtype) && real_of(t->dtype, element_at(t, i), 0) != 0)
            return false;
    return true;
}

static bool must_be_zero(const ob_reference_result *r)
{
    for (int64_t i = 0; r->kind == OB_REFERENCE_VALUES && r->values != NULL && i < r->count; i++)
        if (fabs(r->values[i]) > r->bounds[i])
            return false;
    return true;
}

/* Gradients are found by name: a backend may leave out those that are nothing but zeros. */
static void compare_gradients(check *c, const ob_results_given *given, const char *const *targets)
{
    const size_t count = c->desc->count(c->reference, OB_PASS_BACKWARD);
    for (size_t g = 0; g < given->gradient_count && c->out->verdict == NULL; g++) {
        const char *name = given->gradient_names[g];
        char text[96];
        size_t t = 0;
        if (name[0] == '\0' || given->gradients[g].kind != OB_VALUE_TENSOR)
            continue;
        while (t < count && strcmp(targets[t], name) != 0)
            t++;
        snprintf(text, sizeof text, "gradient of %.64s", name);
        if (t < count)
            compare_tensor(c, text, OB_PASS_BACKWARD, t, given->gradients[g].as.tensor);
        else if (!is_zero(given->gradients[g].as.tensor))
            differs(c, text, "is not zero, but there should be none");
    }
    for (size_t t = 0; t < count && c->out->verdict == NULL; t++) {
        size_t g = 0;
        char text[96];
        while (g < given->gradient_count && strcmp(given->gradient_names[g], targets[t]) != 0)
            g++;
        snprintf(text, sizeof text, "gradient of %.64s", targets[t]);
        if (targets[t][0] != '\0' &&
            (g == given->gradient_count || given->gradients[g].kind != OB_VALUE_TENSOR) &&
            given->gradient_count > 0 &&
            !must_be_zero(c->desc->result(c->reference, OB_PASS_BACKWARD, t)))
            differs(c, text, "is missing, but should not be zero");
    }
}

void ob__results_compare(const ob_results_given *given, const ob_reference_desc *desc,
                         const ob_reference *reference, const char *const *targets,
                         ob_check_result *out)
{
    check c = {.desc = desc, .reference = reference, .out = out, .unknown = ""};
    *out = (ob_check_result){.worst = 0};
    compare_outputs(&c, given);
    if (out->verdict == NULL && desc->count(reference, OB_PASS_BACKWARD) > 0)
        compare_gradients(&c, given, targets);
    if (out->verdict != NULL)
        return;
    if (out->checked > 0 || out->elements == 0) {
        out->verdict = "same";
        return;
    }
    out->verdict = "not checked";
    out->worst = NAN;
    snprintf(out->reason, sizeof out->reason, "%s",
             c.unknown[0] != '\0' ? c.unknown
                                  : "rounding errors of this many steps may add up to anything; "
                                    "use fewer steps, larger sizes or float64");
}

void ob__check_join(ob_check_result *to, const ob_check_result *later)
{
    const bool worse = later->verdict != NULL && strcmp(later->verdict, "same") != 0;
    to->worst = fmax(to->worst, later->worst);
    to->checked += later->checked;
    to->elements += later->elements;
    if (!worse || (to->verdict != NULL && strcmp(to->verdict, "differs") == 0))
        return;
    to->verdict = later->verdict;
    memcpy(to->reason, later->reason, sizeof to->reason);
}
