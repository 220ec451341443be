/* SPDX-License-Identifier: Apache-2.0
 *
 * Results against the float64 reference, within the bound that follows from the operator's row.
 */
#include "conform.h"

#include "graph/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ob_bound bound_for(const golden *g, const trial *t, ob_dtype dtype)
{
    ob_bound_facts facts;
    ob__bound_facts(t->graph, g->args, g->arg_count, &facts);
    return ob__bound_make(&facts, dtype, ob__value_magnitude(&g->wanted));
}

static int compare_tensor(const golden *g, const trial *t, const ob_tensor *got,
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
    ob_bound b = bound_for(g, t, got->dtype);
    if (!real)
        b = (ob_bound){.skip = b.skip};
    if (b.skip)
        return 0;
    for (int64_t i = 0; i < tensor_count(want); i++) {
        const double w = tensor_get(want, i), x = tensor_get(got, i);
        if (ob__bound_holds(&b, x, w))
            continue;
        printf("%s (%s): result %zu element %lld is %.17g, want %.17g, may be off by %.3g\n", g->op,
               ob_dtype_get_info(dtype)->name, k, (long long)i, x, w, ob__bound_at(&b, w));
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
        failures += compare_tensor(g, t, got->as.tensor, want->as.tensor, k, dtype);
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
