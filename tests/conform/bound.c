/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds from rows.
 */
#include "bound.h"

#include "tensor/half.h"

#include <math.h>

double ob__dtype_epsilon(ob_dtype dtype)
{
    switch (dtype) {
    case OB_DTYPE_F16:
        return 0x1p-10;
    case OB_DTYPE_BF16:
        return 0x1p-7;
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return 0x1p-23;
    case OB_DTYPE_F64:
    case OB_DTYPE_C128:
        return 0x1p-52;
    default:
        return 0;
    }
}

double ob__element_get(ob_dtype dtype, const void *at)
{
#define GET(type) (double)*(const type *)at
    switch (dtype) {
    case OB_DTYPE_BOOL:
    case OB_DTYPE_U8:
        return GET(uint8_t);
    case OB_DTYPE_I8:
        return GET(int8_t);
    case OB_DTYPE_I16:
        return GET(int16_t);
    case OB_DTYPE_I32:
        return GET(int32_t);
    case OB_DTYPE_I64:
        return GET(int64_t);
    case OB_DTYPE_F16:
        return (double)ob__f16_to_float(*(const uint16_t *)at);
    case OB_DTYPE_BF16:
        return (double)ob__bf16_to_float(*(const uint16_t *)at);
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return GET(float);
    default:
        return GET(double);
    }
#undef GET
}

/* ---- magnitudes ---- */

static double tensor_magnitude(const ob_tensor *tensor)
{
    const char *data = ob_tensor_data(tensor);
    const int64_t count = data != NULL ? ob_tensor_numel(tensor) : 0;
    const int64_t size = (int64_t)ob_dtype_size(tensor->dtype);
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t offset = 0, index = i;
        for (int d = tensor->ndim - 1; d >= 0; d--) {
            offset += index % tensor->sizes[d] * tensor->strides[d];
            index /= tensor->sizes[d];
        }
        const double x = fabs(ob__element_get(tensor->dtype, data + offset * size));
        most = isfinite(x) && x > most ? x : most;
    }
    return most;
}

double ob__value_magnitude(const ob_value *value)
{
    double most = 0;
    if (value->kind == OB_VALUE_TENSOR && value->as.tensor->layout == OB_LAYOUT_STRIDED)
        return tensor_magnitude(value->as.tensor);
    if (value->kind == OB_VALUE_DOUBLE && isfinite(value->as.real))
        return fabs(value->as.real);
    if (value->kind == OB_VALUE_INT)
        return fabs((double)value->as.integer);
    if (value->kind == OB_VALUE_LIST || value->kind == OB_VALUE_TUPLE)
        for (size_t i = 0; i < value->as.list.count; i++)
            most = fmax(most, ob__value_magnitude(&value->as.list.items[i]));
    return most;
}

/* ---- facts ---- */

enum { MOST_RANDOM_CALLS = 4, MOST_SMOOTH_CALLS = 16 };
/* Somewhere in a long graph a rounding decides which side of a step (relu, the largest of a window) an
 * element is on; few gradients are then quite different, and right. */
static const double OUTLIERS = 1e-3;

void ob__bound_facts(const ob_graph *graph, const ob_value *inputs, size_t input_count,
                     ob_bound_facts *out)
{
    const double calls = graph->node_count > 1 ? (double)graph->node_count : 1;
    bool composed = graph->node_count > 1;
    *out = (ob_bound_facts){.kind = OB_TOL_EXACT, .factor = 1, .steps = 1, .longest = 1};
    for (size_t i = 0; i < graph->node_count; i++) {
        const ob_op_row *row = graph->nodes[i].op->row;
        if (row == NULL)
            continue;
        if (row->tolerance.kind > out->kind)
            out->kind = row->tolerance.kind;
        out->factor = fmax(out->factor, row->tolerance.factor);
        composed = composed || row->decomposition != NULL;
    }
    /* Behind many calls random elements depend on each other: moments say nothing of them. */
    if (out->kind == OB_TOL_RANDOM && graph->node_count > MOST_RANDOM_CALLS)
        out->kind = OB_TOL_UNDEFINED;
    /* Each call of a decomposition rounds; intermediate results in half precision too. */
    if (composed)
        out->steps = 4 * calls;
    for (size_t i = 0; i < input_count; i++) {
        if (inputs[i].kind == OB_VALUE_TENSOR)
            out->longest = fmax(out->longest, (double)ob_tensor_numel(inputs[i].as.tensor));
        out->magnitude = fmax(out->magnitude, ob__value_magnitude(&inputs[i]));
    }
}

void ob__bound_facts_join(ob_bound_facts *to, const ob_bound_facts *other)
{
    to->kind = other->kind > to->kind ? other->kind : to->kind;
    to->factor = fmax(to->factor, other->factor);
    to->steps = fmax(to->steps, other->steps);
    to->longest = fmax(to->longest, other->longest);
    to->magnitude = fmax(to->magnitude, other->magnitude);
}

ob_bound_facts ob__bound_facts_of_gradient(const ob_bound_facts *forward, uint64_t elements)
{
    ob_bound_facts facts = *forward;
    if (facts.kind < OB_TOL_REDUCTION)
        facts.kind = OB_TOL_REDUCTION;
    facts.factor = fmax(facts.factor, 4);
    if (facts.steps > 4 * MOST_SMOOTH_CALLS)
        facts.outliers = OUTLIERS;
    facts.steps *= 4;
    facts.terms = elements > 0 ? facts.longest / (double)elements : 0;
    return facts;
}

/* ---- bounds ---- */

/* The terms of a gradient may cancel (that of a normalisation's weight is 0 where the gradient of its output is constant) while
 * their roundings, such as that of a mean which is in all of them, add up. */
static ob_bound reduction_bound(const ob_bound_facts *facts, double epsilon, double largest)
{
    const double factor = facts->factor * facts->steps;
    const double of_result = factor * fmax(1, largest) * (1 + log2(facts->longest));
    const double of_terms = factor * facts->terms * fmax(1, facts->magnitude);
    return (ob_bound){.relative = epsilon * factor,
                      .absolute = epsilon * fmax(of_result, of_terms),
                      .outliers = facts->outliers};
}

ob_bound ob__bound_make(const ob_bound_facts *facts, ob_dtype dtype, double largest)
{
    const double epsilon = ob__dtype_epsilon(dtype);
    const double factor = facts->factor * facts->steps;
    switch (facts->kind) {
    case OB_TOL_EXACT:
        return (ob_bound){.relative = facts->steps > 1 ? epsilon * facts->steps : epsilon / 2};
    case OB_TOL_UNDEFINED:
        return (ob_bound){.skip = true};
    case OB_TOL_RANDOM:
        return (ob_bound){.random = true};
    case OB_TOL_REDUCTION:
        return reduction_bound(facts, epsilon, largest);
    case OB_TOL_ELEMENTWISE:
        break;
    }
    /* Cancellation inside an expression leaves the rounding of its parts. */
    return (ob_bound){.relative = epsilon * factor,
                      .absolute = epsilon * factor * fmax(1, fmax(largest, facts->magnitude)) / 4};
}

double ob__bound_at(const ob_bound *bound, double want)
{
    return bound->relative * fabs(want) + bound->absolute;
}

bool ob__bound_holds(const ob_bound *bound, double got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return isinf(want) && isinf(got) && signbit(want) == signbit(got);
    return fabs(got - want) <= ob__bound_at(bound, want);
}
