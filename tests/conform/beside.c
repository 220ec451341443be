/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend beside the reference: every call of the goldens, in all dtypes, layouts and sizes that the fuzzer draws, forward
 * and backward, through what --check does. A call that the backend or the reference does not take is counted, not compared.
 * The slack is how much of their bounds the results used.
 */
#include "variants.h"

#include "run/result_check.h"

#include <stdlib.h>
#include <string.h>

typedef struct tally {
    int compared, gradients, denied, failed, unchecked;
    double worst;
} tally;

typedef struct pair {
    subject tested, native;
    const ob_reference_desc *reference;
    tally tally;
    ob_dtype dtype; /* of the goldens' real numbers */
    bool verbose, slack;
    bool bytes; /* numbers of the dtype's whole range in place of the goldens' */
} pair;

/* ---- one call ---- */

/* Whether the call makes sense at all: native looks at its numbers, others may divide by zero or leave their memory. */
static ob_status try_call(const pair *p, const golden *g, ob_pass pass, ob_err *err)
{
    trial t;
    ob_status status = trial_prepare(&t, &p->native, g, pass, err);
    if (status == OB_OK)
        status = trial_run(&t, OB_PHASE_FORWARD, err);
    trial_release(&t);
    return status;
}

/* The same prepared case with other inputs in its memory, where the backend can be told and they make sense. */
static ob_status check_refilled(const pair *p, trial *t, const golden *changed, ob_pass pass,
                                ob_check_result *result, ob_err *err)
{
    const ob_backend_desc *desc = p->tested.desc;
    ob_check_result later;
    trial other;
    ob_status status = trial_prepare(&other, &p->native, changed, pass, err);
    if (status == OB_OK)
        status = ob__setup_exchange_inputs(&t->setup, &other.setup)
                     ? desc->refill(t->setup.prepared, err)
                     : OB_ERR_UNSUPPORTED;
    trial_release(&other);
    if (status == OB_OK)
        status = ob__check_case(&t->setup, p->tested.backend, p->reference, &later, err);
    if (status == OB_OK)
        ob__check_join(result, &later);
    return status == OB_ERR_UNSUPPORTED || trial_refused(t, status) ? OB_OK : status;
}

/* OB_ERR_UNSUPPORTED, OB_END: not taken. */
static ob_status run_check(const pair *p, const golden *g, const golden *changed, ob_pass pass,
                           ob_check_result *result, ob_err *err)
{
    trial t;
    ob_status status = trial_prepare(&t, &p->tested, g, pass, err);
    if (status == OB_OK)
        status = ob__check_case(&t.setup, p->tested.backend, p->reference, result, err);
    if (trial_refused(&t, status))
        status = OB_ERR_UNSUPPORTED;
    if (status == OB_OK && strcmp(result->verdict, "same") == 0 && changed != NULL &&
        p->tested.desc->refill != NULL)
        status = check_refilled(p, &t, changed, pass, result, err);
    trial_release(&t);
    return status;
}

static bool may_differ(const pair *p, const golden *g, const char *reason)
{
    return ((strstr(reason, " is nan") != NULL || golden_holds_nan(g)) &&
            nan_may_be_lost(p->tested.desc->name, g->op, p->dtype)) ||
           result_may_differ(p->tested.desc->name, g->op, p->dtype);
}

static void compare(pair *p, const golden *g, variant_kind kind, uint64_t number, ob_pass pass)
{
    const char *const word = pass == OB_PASS_BACKWARD ? " backward" : "";
    ob_check_result result = {.verdict = NULL};
    char text[512] = "";
    ob_err err = {.message = ""};
    golden made;
    ob_status status = variant_make(g, kind, number, &made, &err);
    if (status != OB_OK) { /* the driver's own fault, never the backend's */
        variant_fini(&made);
        p->tally.failed++;
        printf("%s: no variant of it can be made: %s\n", g->op, err.message);
        return;
    }
    variant_print(&made, text, sizeof text);
    golden again;
    if (variant_make(g, kind, number, &again, &err) == OB_OK) {
        if (try_call(p, &again, pass, &err) != OB_OK)
            status = OB_ERR_UNSUPPORTED;
        variant_fini(&again);
    }
    if (status == OB_OK) {
        golden changed;
        const bool sensible = variant_change(g, kind, number, &again, &err) == OB_OK &&
                              try_call(p, &again, pass, &err) == OB_OK &&
                              variant_change(g, kind, number, &changed, &err) == OB_OK;
        variant_fini(&again);
        status = run_check(p, &made, sensible ? &changed : NULL, pass, &result, &err);
        if (sensible)
            variant_fini(&changed);
    }
    variant_fini(&made);
    /* A variant may make no sense, such as a division by zero. */
    if (status == OB_ERR_UNSUPPORTED || status == OB_ERR_INVALID || status == OB_END) {
        p->tally.denied++;
        if (p->verbose)
            printf("denied: %s(%s)%s: %s\n", g->op, text, word, err.message);
        return;
    }
    if (status == OB_OK && strcmp(result.verdict, "not checked") == 0) {
        p->tally.unchecked++;
        if (p->verbose || p->slack)
            printf("unchecked\t%s\t%s\t%s\t%s\n", ob_dtype_get_info(p->dtype)->name, g->op, word,
                   result.reason);
        return;
    }
    p->tally.compared++;
    p->tally.gradients += pass == OB_PASS_BACKWARD;
    const char *reason = status != OB_OK ? err.message : result.reason;
    if (p->slack && status == OB_OK)
        printf("slack\t%s\t%s\t%s\t%.3g\t%s\n", ob_dtype_get_info(p->dtype)->name, g->op, word,
               result.worst, result.verdict);
    if (status == OB_OK && (strcmp(result.verdict, "differs") != 0 || may_differ(p, g, reason))) {
        if (strcmp(result.verdict, "differs") != 0 && result.worst > p->tally.worst)
            p->tally.worst = result.worst;
        return;
    }
    p->tally.failed++;
    printf("%s(%s)%s: %s\n", g->op, text, word, reason);
}

static void compare_call(pair *p, golden *g, uint64_t variants)
{
    const ob_op *op = ob_op_table_find(ob_context_operators(p->tested.context), g->op);
    /* torch calls its backward operators with what its own forward left: as large as each other, and
     * contiguous. Given something else some of them read and write outside of it. */
    const bool inner = strstr(g->op, "backward") != NULL;
    const bool sized = op != NULL && !inner && variant_is_elementwise(g, op);
    for (int pass = 0; pass < (g->nograd ? 1 : 2); pass++) {
        const ob_pass which = pass == 0 ? OB_PASS_FORWARD : OB_PASS_BACKWARD;
        if (pass == 1)
            golden_require_grad(g);
        compare(p, g, VARIANT_PLAIN, 0, which);
        for (uint64_t v = 0; v < variants; v++) {
            if (!inner)
                compare(p, g, VARIANT_STRIDED, 1000 * v, which);
            if (sized)
                compare(p, g, VARIANT_SIZED, v, which);
        }
    }
}

static void compare_file(pair *p, const char *path, ob_dtype dtype, uint64_t variants)
{
    goldens file;
    golden g;
    ob_err err;
    p->tally = (tally){0};
    p->dtype = dtype;
    if (goldens_open(&file, path, &err) != OB_OK) {
        printf("%s\n", err.message);
        p->tally.failed++;
        return;
    }
    while (goldens_next(&file, dtype, &g, &err) == OB_OK) {
        if (p->bytes) {
            golden_make_whole(&g);
            golden_fill_bytes(&g, dtype, (uint64_t)file.line);
        }
        compare_call(p, &g, variants);
        golden_fini(&g);
    }
    goldens_close(&file);
    printf("%s: %d compared, %d of them gradients, %d not taken, %d without a reference, %d "
           "differ; the "
           "others used %.2f of their bounds at most\n",
           ob_dtype_get_info(dtype)->name, p->tally.compared, p->tally.gradients, p->tally.denied,
           p->tally.unchecked, p->tally.failed, p->tally.worst);
}

/* The exit code when it is missing. */
static int open_side(subject *s, const char *plugin)
{
    ob_err err;
    const ob_status status = subject_open(s, plugin, NULL, 1, &err);
    if (status != OB_OK)
        printf("%s%s\n", status == OB_ERR_UNSUPPORTED ? "skipped: " : "", err.message);
    return status == OB_OK ? 0 : status == OB_ERR_UNSUPPORTED ? SKIPPED : 1;
}

/* The reference is the native plug-in's. */
static int open_reference(pair *p, const char *plugin)
{
    const int code = open_side(&p->native, plugin);
    p->reference = code == 0 ? p->native.desc->reference : NULL;
    return code;
}

int run_beside(const char *plugin, const char *reference, const char *goldens_path, const char *how)
{
    static const ob_dtype all[] = {OB_DTYPE_F64, OB_DTYPE_F32, OB_DTYPE_BF16, OB_DTYPE_F16,
                                   OB_DTYPE_I64, OB_DTYPE_I32, OB_DTYPE_U8};
    static const ob_dtype bytes[] = {OB_DTYPE_I8, OB_DTYPE_U8};
    const bool only_bytes = strcmp(how, "bytes") == 0;
    const ob_dtype *dtypes = only_bytes ? bytes : all;
    const size_t count = only_bytes ? sizeof bytes / sizeof *bytes : sizeof all / sizeof *all;
    const uint64_t variants = strcmp(how, "full") == 0 ? 20 : only_bytes ? 3 : 1;
    pair p = {.bytes = only_bytes,
              .verbose = getenv("CONFORM_VERBOSE") != NULL,
              .slack = getenv("CONFORM_SLACK") != NULL};
    int failures = 0, compared = 0;
    int code = open_side(&p.tested, plugin);
    if (code == 0)
        code = open_reference(&p, reference);
    for (size_t i = 0; code == 0 && i < count; i++) {
        compare_file(&p, goldens_path, dtypes[i], variants);
        failures += p.tally.failed;
        compared += p.tally.compared;
    }
    subject_close(&p.tested);
    subject_close(&p.native);
    return code != 0 ? code : failures > 0 || compared == 0;
}
