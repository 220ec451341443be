/* SPDX-License-Identifier: Apache-2.0
 *
 * Results against the float64 reference. The bound follows from the operator's row: its tolerance in
 * epsilons of the result's dtype, times the magnitude, times the growth with the reduction's length.
 */
#include "conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double largest(const ob_value *value)
{
    double most = 0;
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        most = fmax(most, largest(&value->as.list.items[i]));
    for (int64_t i = 0; value->kind == OB_VALUE_TENSOR && i < tensor_count(value->as.tensor); i++) {
        const double x = fabs(tensor_get(value->as.tensor, i));
        most = isfinite(x) ? fmax(most, x) : most;
    }
    return most;
}

static int64_t longest(const golden *g)
{
    int64_t most = 1;
    for (size_t i = 0; i < g->arg_count; i++) {
        if (g->args[i].kind == OB_VALUE_TENSOR && tensor_count(g->args[i].as.tensor) > most)
            most = tensor_count(g->args[i].as.tensor);
    }
    return most;
}

/* What one result may be off by, besides `relative` of itself. */
typedef struct bound {
    double relative, absolute;
    bool skip;
} bound;

static bound bound_for(const golden *g, const trial *t, const ob_op *op, ob_dtype dtype)
{
    const ob_tolerance *tolerance = &op->row->tolerance;
    const double epsilon = dtype_epsilon(dtype);
    /* Each call of a decomposition rounds; intermediate results in half precision too. */
    const double calls = t->graph->node_count > 1 ? (double)t->graph->node_count : 1;
    const double steps = op->row->decomposition != NULL ? 4 * calls : 1;
    const double factor = fmax(tolerance->factor, 1) * steps;
    switch (tolerance->kind) {
    case OB_TOL_EXACT:
        return (bound){.relative = op->row->decomposition != NULL ? epsilon * steps : epsilon / 2};
    case OB_TOL_UNDEFINED:
        return (bound){.skip = true};
    case OB_TOL_REDUCTION: {
        const double growth = 1 + log2((double)longest(g));
        const double magnitude = fmax(1, largest(&g->wanted));
        return (bound){.relative = epsilon * factor,
                       .absolute = epsilon * factor * magnitude * growth};
    }
    default: {
        double most = largest(&g->wanted);
        for (size_t i = 0; i < g->arg_count; i++)
            most = fmax(most, largest(&g->args[i]));
        /* Cancellation inside an expression leaves the rounding of its parts. */
        return (bound){.relative = epsilon * factor,
                       .absolute = epsilon * factor * fmax(1, most) / 4};
    }
    }
}

static bool near_enough(const bound *b, double got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return want == got;
    return fabs(got - want) <= b->relative * fabs(want) + b->absolute;
}

static int compare_tensor(const golden *g, const trial *t, const ob_op *op, const ob_tensor *got,
                          const ob_tensor *want, size_t k, ob_dtype dtype)
{
    bool same = got->ndim == want->ndim;
    for (int d = 0; same && d < want->ndim; d++)
        same = got->sizes[d] == want->sizes[d];
    if (!same) {
        printf("%s: result %zu has another shape\n", g->op, k);
        return 1;
    }
    const bool real = ob_dtype_is_floating(want->dtype);
    if (real != ob_dtype_is_floating(got->dtype)) {
        printf("%s: result %zu is %s\n", g->op, k, ob_dtype_get_info(got->dtype)->name);
        return 1;
    }
    bound b = bound_for(g, t, op, got->dtype);
    if (!real)
        b = (bound){.skip = b.skip};
    if (b.skip)
        return 0;
    for (int64_t i = 0; i < tensor_count(want); i++) {
        const double w = tensor_get(want, i), x = tensor_get(got, i);
        if (near_enough(&b, x, w))
            continue;
        printf("%s (%s): result %zu element %lld is %.17g, want %.17g, may be off by %.3g\n", g->op,
               ob_dtype_get_info(dtype)->name, k, (long long)i, x, w,
               b.relative * fabs(w) + b.absolute);
        return 1;
    }
    return 0;
}

static const ob_value *item_of(const ob_value *values, size_t count, size_t k)
{
    if (count == 1 && values[0].kind == OB_VALUE_LIST)
        return k < values[0].as.list.count ? &values[0].as.list.items[k] : NULL;
    return k < count ? &values[k] : NULL;
}

/* Results of in-place operators on lists are the list itself: nothing is returned. */
static int compare(const golden *g, const trial *t, const ob_value *values, size_t count,
                   ob_dtype dtype)
{
    const ob_op *op = ob_op_table_find(ob_context_operators(t->subject->context), g->op);
    int failures = 0;
    if (op == NULL) {
        printf("%s: there is no such row\n", g->op);
        return 1;
    }
    const bool returns_nothing = op->schema->return_count == 0;
    for (size_t k = 0; k < g->wanted.as.list.count; k++) {
        const ob_value *want = &g->wanted.as.list.items[k];
        const ob_value *got = returns_nothing ? item_of(g->args, 1, k) : item_of(values, count, k);
        if (want->kind != OB_VALUE_TENSOR)
            continue;
        if (got == NULL || got->kind != OB_VALUE_TENSOR) {
            printf("%s: result %zu is missing\n", g->op, k);
            failures++;
            continue;
        }
        failures += compare_tensor(g, t, op, got->as.tensor, want->as.tensor, k, dtype);
    }
    return failures > 0;
}

static int run_one(const subject *s, const golden *g, ob_dtype dtype, int *denied)
{
    trial t;
    ob_err err = {.message = ""};
    ob_value *values = NULL;
    size_t count = 0;
    ob_status status = trial_prepare(&t, s, g, false, &err);
    if (status == OB_ERR_UNSUPPORTED && dtype != OB_DTYPE_F64) {
        ++*denied;
        return 0;
    }
    if (status == OB_OK) {
        /* Twice, with inputs restored: the second run must not see what the first left behind. */
        for (int run = 0; status == OB_OK && run < 2; run++) {
            status = trial_run(&t, OB_PHASE_RESTORE, &err);
            if (status == OB_OK)
                status = trial_run(&t, OB_PHASE_FORWARD, &err);
        }
        if (status == OB_OK)
            status = trial_outputs(&t, OB_PASS_FORWARD, &values, &count, &err);
    }
    int failed = status != OB_OK;
    if (status != OB_OK)
        printf("%s (%s): %s\n", g->op, ob_dtype_get_info(dtype)->name, err.message);
    else
        failed = compare(g, &t, values, count, dtype);
    values_free(values, count);
    if (t.subject != NULL)
        trial_release(&t);
    return failed;
}

int run_values(const char *plugin, const char *goldens_path, ob_dtype dtype, const char *isa,
               int threads)
{
    subject s;
    goldens file;
    golden g;
    ob_err err;
    int failures = 0, denied = 0, count = 0;
    if (subject_open(&s, plugin, isa, threads, &err) != OB_OK ||
        goldens_open(&file, goldens_path, &err) != OB_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    for (;;) {
        const ob_status status = goldens_next(&file, dtype, &g, &err);
        if (status == OB_END)
            break;
        if (status != OB_OK) {
            printf("line %d: %s\n", file.line, err.message);
            failures++;
            break;
        }
        failures += run_one(&s, &g, dtype, &denied);
        count++;
        golden_fini(&g);
    }
    printf("%s, %s, %d threads: %d calls, %d not supported, %d failed\n",
           ob_dtype_get_info(dtype)->name, isa, threads, count, denied, failures);
    goldens_close(&file);
    subject_close(&s);
    return failures;
}
