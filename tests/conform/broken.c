/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether --check finds broken backends: every call of the goldens runs on a right backend, one tensor of its results is
 * spoiled in one way, and what --check does must say that it differs. A result that the defect does not change, and one that has no
 * reference, is not counted. What is not found must be in the list of exceptions.
 */
#include "broken.h"
#include "variants.h"

#include "run/result_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TENSORS = 64 };

typedef struct tester {
    subject right;
    ob_backend_desc broken;
    ob_reference_desc reference;
    broken_exceptions exceptions;
    ob_dtype dtype;
    int line; /* of the goldens */
    int tried[DEFECT_COUNT][OB_DTYPE_COUNT], caught[DEFECT_COUNT][OB_DTYPE_COUNT];
    int unknown, random, denied, failed;
    bool verbose;
} tester;

typedef struct results {
    ob_value *values;
    size_t count;
} results;

/* What the wrapped functions do next. They have no context of their own. */
static struct {
    const ob_backend_desc *right;
    const ob_reference_desc *reference;
    const ob_setup *setup;
    bool active; /* spoil something */
    defect which;
    ob_pass pass;
    size_t tensor;
    uint64_t seed;
    results older; /* of other inputs, of the same pass */
    /* what they saw */
    bool changed;
    size_t tensors[2];           /* of the passes */
    bool known[2][MOST_TENSORS]; /* whether there is a reference, and not all of it is zero */
} state;

/* ---- the backend that is broken ---- */

static ob_status copy_tensor(const ob_tensor *from, ob_value *out, ob_err *err)
{
    ob_tensor made;
    OB_TRY(ob_tensor_init(&made, from->dtype, from->sizes, from->ndim, NULL, err));
    for (int64_t i = 0; i < tensor_count(from); i++)
        tensor_set(&made, i, tensor_get(from, i));
    const ob_status status = ob_value_init_tensor(out, &made, err);
    ob_tensor_fini(&made);
    return status;
}

static bool is_spoilable(const ob_tensor *t)
{
    return t->layout == OB_LAYOUT_STRIDED && t->storage != NULL && t->dtype != OB_DTYPE_C64 &&
           t->dtype != OB_DTYPE_C128;
}

/* The tensor of that number among values whose lists are flat. */
static ob_value *find_tensor(ob_value *values, size_t count, size_t number)
{
    for (size_t i = 0; i < count; i++) {
        ob_value *v = &values[i];
        const bool list = v->kind == OB_VALUE_LIST || v->kind == OB_VALUE_TUPLE;
        for (size_t k = 0; k < (list ? v->as.list.count : 1); k++) {
            ob_value *item = list ? &v->as.list.items[k] : v;
            if (item->kind == OB_VALUE_TENSOR && number-- == 0)
                return item;
        }
    }
    return NULL;
}

static size_t count_tensors(ob_value *values, size_t count)
{
    size_t number = 0;
    while (find_tensor(values, count, number) != NULL)
        number++;
    return number;
}

static ob_status spoil(ob_value *values, size_t count, bool in_place, ob_err *err)
{
    ob_value *chosen = find_tensor(values, count, state.tensor);
    const ob_value *older = find_tensor(state.older.values, state.older.count, state.tensor);
    ob_value own;
    if (chosen == NULL || !is_spoilable(chosen->as.tensor))
        return OB_OK;
    OB_TRY(copy_tensor(chosen->as.tensor, &own, err));
    state.changed = defect_apply(state.which, own.as.tensor,
                                 older != NULL ? older->as.tensor : NULL, state.seed);
    if (in_place) {
        for (int64_t i = 0; i < tensor_count(own.as.tensor); i++)
            tensor_set(chosen->as.tensor, i, tensor_get(own.as.tensor, i));
        ob_value_fini(&own);
        return OB_OK;
    }
    ob_value_fini(chosen);
    *chosen = own;
    return OB_OK;
}

/* A case without outputs has its results in its inputs. */
static ob_status give_broken(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                             size_t *count, ob_err *err)
{
    const ob_setup *setup = state.setup;
    const bool inputs = pass == OB_PASS_FORWARD && setup->graph->output_count == 0;
    OB_TRY(state.right->outputs(prepared, pass, values, capacity, count, err));
    state.tensors[pass] =
        count_tensors(inputs ? setup->inputs : values, inputs ? setup->input_count : *count);
    if (!state.active || pass != state.pass)
        return OB_OK;
    return inputs ? spoil(setup->inputs, setup->input_count, true, err)
                  : spoil(values, *count, false, err);
}

/* Less is zero: what float64 leaves where numbers of about 1 cancel, and what a kernel gives there is rounding alone. */
static const double NOTHING = 1e-12;

static bool is_known(const ob_reference_result *r)
{
    if (r->kind != OB_REFERENCE_VALUES || r->values == NULL)
        return r->kind != OB_REFERENCE_UNKNOWN;
    for (int64_t i = 0; i < r->count; i++)
        if (!(fabs(r->values[i]) < NOTHING))
            return true;
    return false;
}

static void look_and_destroy(ob_reference *reference)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < state.reference->count(reference, (ob_pass)pass) && i < MOST_TENSORS;
             i++)
            state.known[pass][i] = is_known(state.reference->result(reference, (ob_pass)pass, i));
    state.reference->destroy(reference);
}

/* ---- one call ---- */

static ob_status check(const tester *t, trial *ran, ob_check_result *result, ob_err *err)
{
    state.setup = &ran->setup;
    ran->setup.desc = &t->broken;
    return ob__check_case(&ran->setup, t->right.backend, &t->reference, result, err);
}

/* Values of the inputs, for cases that have their results in them. */
static ob_status copy_inputs(const ob_setup *setup, ob_value **out, ob_err *err)
{
    *out = calloc(setup->input_count + 1, sizeof **out);
    if (*out == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < setup->input_count; i++)
        if (setup->inputs[i].kind == OB_VALUE_TENSOR && is_spoilable(setup->inputs[i].as.tensor))
            OB_TRY(copy_tensor(setup->inputs[i].as.tensor, &(*out)[i], err));
    return OB_OK;
}

static void put_back(const ob_setup *setup, const ob_value *saved)
{
    for (size_t i = 0; i < setup->input_count; i++)
        if (saved[i].kind == OB_VALUE_TENSOR)
            for (int64_t k = 0; k < tensor_count(saved[i].as.tensor); k++)
                tensor_set(setup->inputs[i].as.tensor, k, tensor_get(saved[i].as.tensor, k));
}

static void results_free(results *r)
{
    if (r->values != NULL)
        values_free(r->values, r->count);
    *r = (results){.values = NULL};
}

/* Results of a right run, tensors alone, in memory of their own. */
static ob_status run_right(trial *ran, results *out, ob_err *err)
{
    const ob_setup *setup = &ran->setup;
    results given = {.values = NULL};
    OB_TRY(trial_run(ran, OB_PHASE_FORWARD, err));
    if (state.pass == OB_PASS_BACKWARD) {
        OB_TRY(trial_run(ran, OB_PHASE_MAKE_GRAD, err));
        OB_TRY(trial_run(ran, OB_PHASE_BACKWARD, err));
    }
    if (state.pass == OB_PASS_FORWARD && setup->graph->output_count == 0) {
        out->count = setup->input_count;
        return copy_inputs(setup, &out->values, err);
    }
    OB_TRY(trial_outputs(ran, state.pass, &given.values, &given.count, err));
    out->count = count_tensors(given.values, given.count);
    out->values = calloc(out->count + 1, sizeof *out->values);
    ob_status status = out->values != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (size_t k = 0; status == OB_OK && k < out->count; k++) {
        const ob_tensor *from = find_tensor(given.values, given.count, k)->as.tensor;
        if (is_spoilable(from))
            status = copy_tensor(from, &out->values[k], err);
    }
    results_free(&given);
    return status;
}

static void note(tester *t, const golden *g, const char *reason)
{
    const char *word = state.pass == OB_PASS_BACKWARD ? " backward" : "";
    t->tried[state.which][t->dtype]++;
    if (reason == NULL) {
        t->caught[state.which][t->dtype]++;
        return;
    }
    const bool known = broken_is_exception(&t->exceptions, g->op, t->dtype, word, state.which);
    t->failed += !known;
    if (!known || t->verbose)
        printf("%s\t%s%s\t%s\t%s\ttensor %zu\t%s\n", known ? "known" : "MISSED", g->op, word,
               defect_name(state.which), ob_dtype_get_info(t->dtype)->name, state.tensor, reason);
}

static ob_status try_defect(tester *t, const golden *g, trial *ran, const ob_value *saved,
                            ob_err *err)
{
    ob_check_result result;
    char text[64] = "";
    state.changed = false;
    state.active = true;
    state.seed = (uint64_t)t->line * 31 + state.tensor; /* the same, whatever ran before */
    const ob_status status = check(t, ran, &result, err);
    state.active = false;
    put_back(&ran->setup, saved);
    OB_TRY(status);
    snprintf(text, sizeof text, "used %.3g", result.worst);
    if (state.changed)
        note(t, g, strcmp(result.verdict, "differs") == 0 ? NULL : text);
    return OB_OK;
}

static ob_status try_defects(tester *t, const golden *g, trial *ran, const ob_value *saved,
                             defect first, defect last, ob_err *err)
{
    const size_t count = state.tensors[state.pass];
    for (state.tensor = 0; state.tensor < count && state.tensor < MOST_TENSORS; state.tensor++) {
        if (!state.known[state.pass][state.tensor]) {
            t->unknown++;
            continue;
        }
        for (state.which = first; state.which <= last; state.which++)
            OB_TRY(try_defect(t, g, ran, saved, err));
    }
    return OB_OK;
}

/* Results of the first inputs where the second ones are in the same memory. */
static ob_status try_old(tester *t, const golden *g, trial *right, const trial *other, ob_err *err)
{
    results now = {.values = NULL};
    ob_value *saved = NULL;
    const ob_setup *setup = &right->setup;
    ob_status status = run_right(right, &now, err);
    if (status == OB_OK && !ob__setup_exchange_inputs(&right->setup, &other->setup)) {
        results_free(&now);
        return OB_OK;
    }
    if (status == OB_OK)
        status = state.right->refill(setup->prepared, err);
    if (status == OB_OK)
        status = copy_inputs(setup, &saved, err);
    state.older = now;
    if (status == OB_OK)
        status = try_defects(t, g, right, saved, DEFECT_OLD, DEFECT_OLD, err);
    if (saved != NULL)
        values_free(saved, setup->input_count);
    results_free(&now);
    return status;
}

static ob_status try_call(tester *t, const golden *g, trial *right, const trial *other, ob_err *err)
{
    ob_check_result result = {.verdict = NULL};
    ob_value *saved = NULL;
    ob_status status = copy_inputs(&right->setup, &saved, err);
    memset(state.known, 0, sizeof state.known);
    if (status == OB_OK)
        status = check(t, right, &result, err);
    if (status == OB_OK) {
        put_back(&right->setup, saved);
        if (strcmp(result.verdict, "same") == 0)
            status = try_defects(t, g, right, saved, 0, DEFECT_OLD - 1, err);
        else
            t->unknown++;
    }
    const bool old = status == OB_OK && strcmp(result.verdict, "same") == 0 && other != NULL;
    if (saved != NULL)
        values_free(saved, right->setup.input_count);
    return old ? try_old(t, g, right, other, err) : status;
}

/* With the same call of other inputs. */
static ob_status try_golden(tester *t, const golden *g, ob_pass pass, ob_err *err)
{
    trial right, other = {.subject = NULL};
    golden changed;
    results others = {.values = NULL};
    ob_status status = trial_prepare(&right, &t->right, g, pass, err);
    state.pass = pass;
    bool has_other = status == OB_OK && variant_change(g, VARIANT_PLAIN, 0, &changed, err) == OB_OK;
    if (has_other) {
        has_other = trial_prepare(&other, &t->right, &changed, pass, err) == OB_OK &&
                    trial_run(&other, OB_PHASE_RESTORE, err) == OB_OK &&
                    run_right(&other, &others, err) == OB_OK &&
                    trial_run(&other, OB_PHASE_RESTORE, err) == OB_OK;
    }
    state.older = others;
    if (status == OB_OK)
        status = try_call(t, g, &right, has_other ? &other : NULL, err);
    results_free(&others);
    if (other.subject != NULL) {
        trial_release(&other);
        variant_fini(&changed);
    }
    trial_release(&right);
    return status;
}

static void try_file(tester *t, const char *path)
{
    goldens file;
    golden g;
    ob_err err;
    if (goldens_open(&file, path, &err) != OB_OK) {
        printf("%s\n", err.message);
        t->failed++;
        return;
    }
    while (goldens_next(&file, t->dtype, &g, &err) == OB_OK) {
        const ob_op *op = ob_op_table_find(ob_context_operators(t->right.context), g.op);
        t->line = file.line;
        if (op != NULL && op->row->tolerance.kind == OB_TOL_RANDOM) {
            t->random++;
            golden_fini(&g);
            continue;
        }
        for (int pass = 0; pass < (g.nograd || !ob_dtype_is_floating(t->dtype) ? 1 : 2); pass++) {
            if (pass == 1)
                golden_require_grad(&g);
            const ob_status status = try_golden(t, &g, (ob_pass)pass, &err);
            t->denied += status != OB_OK;
            if (status != OB_OK && t->verbose)
                printf("denied: %s %s: %s\n", g.op, pass == 1 ? "backward" : "", err.message);
        }
        golden_fini(&g);
    }
    goldens_close(&file);
}

static void print_shares(const tester *t, const ob_dtype *dtypes, size_t count)
{
    printf("caught/tried");
    for (size_t d = 0; d < count; d++)
        printf("\t%s", ob_dtype_get_info(dtypes[d])->name);
    printf("\tall\n");
    for (int which = 0; which < DEFECT_COUNT; which++) {
        int tried = 0, caught = 0;
        printf("%-12s", defect_name((defect)which));
        for (size_t d = 0; d < count; d++) {
            tried += t->tried[which][dtypes[d]];
            caught += t->caught[which][dtypes[d]];
            printf("\t%d/%d", t->caught[which][dtypes[d]], t->tried[which][dtypes[d]]);
        }
        printf("\t%d/%d\n", caught, tried);
    }
    printf("%d results had no reference or were zero, %d calls were random, %d were not taken; %d "
           "defects were missed that are no exceptions\n",
           t->unknown, t->random, t->denied, t->failed);
}

int run_broken(const char *plugin, const char *how, const char *exceptions, char *const *paths)
{
    static const ob_dtype all[] = {OB_DTYPE_F32, OB_DTYPE_BF16, OB_DTYPE_F16, OB_DTYPE_F64,
                                   OB_DTYPE_I64, OB_DTYPE_I32,  OB_DTYPE_I16, OB_DTYPE_I8,
                                   OB_DTYPE_U8,  OB_DTYPE_BOOL};
    static tester t;
    ob_err err;
    const bool quick = strcmp(how, "quick") == 0;
    const size_t count = quick ? 2 : sizeof all / sizeof *all;
    t = (tester){.verbose = getenv("CONFORM_VERBOSE") != NULL};
    if (subject_open(&t.right, plugin, NULL, 1, &err) != OB_OK ||
        !broken_exceptions_read(&t.exceptions, exceptions))
        return 1;
    t.broken = *t.right.desc;
    t.broken.outputs = give_broken;
    t.reference = *t.right.desc->reference;
    t.reference.destroy = look_and_destroy;
    state.right = t.right.desc;
    state.reference = t.right.desc->reference;
    for (size_t d = 0; d < count; d++) {
        t.dtype = all[d];
        for (size_t i = 0; paths[i] != NULL; i++)
            try_file(&t, paths[i]);
    }
    print_shares(&t, all, count);
    broken_exceptions_end(&t.exceptions, !quick);
    subject_close(&t.right);
    return t.failed > 0;
}
