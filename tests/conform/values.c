/* SPDX-License-Identifier: Apache-2.0
 *
 * Results against the float64 reference, within the bound that follows from the operator's row.
 */
#include "conform.h"

#include "bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ob_bound bound_for(const golden *g, const trial *t, ob_dtype dtype)
{
    ob_bound_facts facts;
    ob__bound_facts(t->setup.graph, g->args, g->arg_count, &facts);
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
        if (ob__bound_holds(&b, x, w) || ((isnan(w) || golden_holds_nan(g)) &&
                                          nan_may_be_lost(t->subject->desc->name, g->op, dtype)))
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
    if (returns_nothing && t->subject->desc->alloc != NULL)
        return 0; /* what changed is in the device's memory, which nothing brings back */
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

/* ---- one call ---- */

typedef struct tally {
    int calls, ran, denied, failed;
} tally;

/* Twice, with inputs restored: the second run must not see what the first left behind. */
static ob_status run_twice(trial *t, ob_err *err)
{
    for (int run = 0; run < 2; run++) {
        OB_TRY(trial_run(t, OB_PHASE_RESTORE, err));
        OB_TRY(trial_run(t, OB_PHASE_FORWARD, err));
    }
    return OB_OK;
}

/* Whether a refusal is one: the list says that the backend takes every call of the operator. */
static bool must_take(const support *listed, const golden *g, ob_dtype dtype)
{
    const support_row *row = listed->table != NULL ? support_find(listed, g->op) : NULL;
    return row != NULL && g->has_real && support_taken(row, 0, dtype) == TAKEN_ALL;
}

static void run_one(const subject *s, const golden *g, ob_dtype dtype, const support *listed,
                    tally *count)
{
    trial t;
    ob_err err = {.message = ""};
    ob_value *values = NULL;
    size_t value_count = 0;
    count->calls++;
    ob_status status = trial_prepare(&t, s, g, OB_PASS_FORWARD, &err);
    bool denied = status == OB_ERR_UNSUPPORTED;
    if (status == OB_OK) {
        status = run_twice(&t, &err);
        denied = trial_refused(&t, status);
    }
    if (status == OB_OK)
        status = trial_outputs(&t, OB_PASS_FORWARD, &values, &value_count, &err);
    count->ran += status == OB_OK;
    count->denied += denied;
    const bool may_differ = g->shifted || result_may_differ(s->desc->name, g->op, dtype);
    if (status == OB_OK) {
        count->failed += !may_differ && compare(g, &t, values, value_count, dtype);
    } else if (!denied || must_take(listed, g, dtype)) {
        printf("%s (%s): %s\n", g->op, ob_dtype_get_info(dtype)->name, err.message);
        count->failed++;
    }
    values_free(values, value_count);
    trial_release(&t);
}

/* ---- all of them ---- */

static ob_status run_file(const subject *s, const values_args *args, const support *listed,
                          tally *count, ob_err *err)
{
    goldens file;
    OB_TRY(goldens_open(&file, args->goldens, err));
    ob_status status;
    golden g;
    while ((status = goldens_next(&file, args->dtype, &g, err)) == OB_OK) {
        run_one(s, &g, args->dtype, listed, count);
        golden_fini(&g);
    }
    goldens_close(&file);
    if (status == OB_END)
        return OB_OK;
    printf("line %d: ", file.line);
    return status;
}

/* Whether the list has the dtype, for calls that depend on it. */
static bool is_listed(const support *listed, ob_dtype dtype)
{
    for (size_t i = 0; listed->table != NULL && i < ob_op_table_count(listed->table); i++)
        if (support_taken(&listed->rows[i], 0, dtype) != TAKEN_NONE)
            return true;
    return false;
}

int run_values(const values_args *args)
{
    subject s;
    support listed = {.table = NULL};
    ob_err err;
    tally count = {0};
    const char *dtype = ob_dtype_get_info(args->dtype)->name;
    ob_status status = subject_open(&s, args->plugin, args->isa, args->threads, &err);
    if (status == OB_ERR_UNSUPPORTED) {
        printf("skipped: %s\n", err.message);
        subject_close(&s);
        return SKIPPED;
    }
    if (status == OB_OK && args->support != NULL)
        status = support_init(&listed, ob_context_operators(s.context), &err);
    if (status == OB_OK && args->support != NULL) {
        char list[4096];
        subject_list(&s, args->support, list, sizeof list);
        status = support_read(&listed, list, &err);
    }
    if (status == OB_OK && args->support != NULL && !subject_has_listed(&s, &listed, args->dtype)) {
        printf("refusals of %s are no failures: the machine of the list differs in whether it has "
               "aten::mm of it\n",
               dtype);
        support_fini(&listed);
    }
    const bool expected = args->support == NULL || is_listed(&listed, args->dtype);
    if (status == OB_OK)
        status = run_file(&s, args, &listed, &count, &err);
    if (status != OB_OK) {
        printf("%s\n", err.message);
        count.failed++;
    }
    printf("%s, %s, %d threads: %d calls, %d ran, %d not supported, %d failed\n", dtype,
           args->isa != NULL ? args->isa
           : s.desc != NULL  ? s.desc->name
                             : "",
           args->threads, count.calls, count.ran, count.denied, count.failed);
    support_fini(&listed);
    subject_close(&s);
    if (count.failed == 0 && count.ran == 0 && !expected)
        return printf("skipped: the backend has no %s\n", dtype), SKIPPED;
    return count.failed > 0 || count.ran == 0;
}
