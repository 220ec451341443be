/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking a backend for every call of the goldens, in every dtype and pass, whether it takes it: `supports`, and
 * `prepare` after a yes; libtorch refuses at run only, so there it is run. The answers are printed as a list, or compared with one.
 */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

static const ob_dtype DTYPES[] = {OB_DTYPE_F64, OB_DTYPE_F32,  OB_DTYPE_BF16, OB_DTYPE_F16,
                                  OB_DTYPE_I64, OB_DTYPE_I32,  OB_DTYPE_I16,  OB_DTYPE_I8,
                                  OB_DTYPE_U8,  OB_DTYPE_BOOL, OB_DTYPE_C64,  OB_DTYPE_C128};

/* Under which dtype a call without real arguments is listed. */
static ob_dtype own_dtype(const golden *g)
{
    for (size_t i = 0; i < g->arg_count; i++)
        if (g->args[i].kind == OB_VALUE_TENSOR)
            return g->args[i].as.tensor->dtype;
    const ob_value *wanted = &g->wanted;
    if (wanted->kind == OB_VALUE_LIST && wanted->as.list.count > 0 &&
        wanted->as.list.items[0].kind == OB_VALUE_TENSOR &&
        !ob_dtype_is_floating(wanted->as.list.items[0].as.tensor->dtype))
        return wanted->as.list.items[0].as.tensor->dtype;
    return OB_DTYPE_F32;
}

static ob_status run_passes(trial *t, ob_pass pass, ob_err *err)
{
    OB_TRY(trial_run(t, OB_PHASE_FORWARD, err));
    if (pass == OB_PASS_BACKWARD) {
        OB_TRY(trial_run(t, OB_PHASE_MAKE_GRAD, err));
        OB_TRY(trial_run(t, OB_PHASE_BACKWARD, err));
    }
    return t->subject->desc->sync != NULL ? t->subject->desc->sync(t->subject->backend, err)
                                          : OB_OK;
}

/* False when there is nothing to ask: nothing can be differentiated. */
static bool ask(const subject *s, const golden *g, ob_pass pass, bool *yes, ob_err *err)
{
    trial t;
    ob_status status = trial_prepare(&t, s, g, pass, err);
    /* Real numbers become zeros in integers: that some of them are divided by is no refusal. */
    if (status == OB_OK && s->desc->has_autograd)
        status = run_passes(&t, pass, err);
    if (status != OB_OK && strstr(err->message, "ZeroDivisionError") != NULL)
        status = OB_OK;
    trial_release(&t);
    *yes = status == OB_OK;
    if (!*yes && getenv("CONFORM_VERBOSE") != NULL)
        fprintf(stderr, "%s %s: %s\n", g->op, pass == OB_PASS_FORWARD ? "forward" : "backward",
                err->message);
    return status != OB_END;
}

static ob_status ask_call(const subject *s, golden *g, ob_dtype dtype, support *out, ob_err *err)
{
    support_row *row = support_find(out, g->op);
    if (row == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "%s: there is no such row", g->op);
    if (!g->has_real && own_dtype(g) != dtype)
        return OB_OK;
    if (ob_dtype_is_integral(dtype))
        golden_make_whole(g);
    const bool differentiate = !g->nograd && ob_dtype_is_floating(dtype) && g->has_real &&
                               dtype != OB_DTYPE_C64 && dtype != OB_DTYPE_C128;
    for (int pass = 0; pass < (differentiate ? 2 : 1); pass++) {
        bool yes;
        if (pass == 1)
            golden_require_grad(g);
        if (ask(s, g, pass == 0 ? OB_PASS_FORWARD : OB_PASS_BACKWARD, &yes, err)) {
            row->cells[pass][dtype].tried++;
            row->cells[pass][dtype].taken += yes;
        }
    }
    return OB_OK;
}

static ob_status ask_file(const subject *s, const char *path, ob_dtype dtype, support *out,
                          ob_err *err)
{
    goldens file;
    OB_TRY(goldens_open(&file, path, err));
    ob_status status = OB_OK;
    while (status == OB_OK) {
        golden g;
        status = goldens_next(&file, dtype, &g, err);
        if (status != OB_OK)
            break;
        status = ask_call(s, &g, dtype, out, err);
        golden_fini(&g);
    }
    goldens_close(&file);
    return status == OB_END ? OB_OK : status;
}

static ob_status ask_all(subject *s, const char *plugin, char *const *paths, support *out,
                         ob_err *err)
{
    *out = (support){.table = NULL};
    OB_TRY(subject_open(s, plugin, NULL, 1, err));
    OB_TRY(support_init(out, ob_context_operators(s->context), err));
    for (; *paths != NULL; paths++)
        for (size_t i = 0; i < sizeof DTYPES / sizeof *DTYPES; i++)
            OB_TRY(ask_file(s, *paths, DTYPES[i], out, err));
    return OB_OK;
}

static int say(const ob_err *err, ob_status status)
{
    if (status == OB_OK)
        return 0;
    fprintf(stderr, "%s%s\n", status == OB_ERR_UNSUPPORTED ? "skipped: " : "", err->message);
    return status == OB_ERR_UNSUPPORTED ? SKIPPED : 1;
}

int run_support_print(const char *plugin, const char *list_path, char *const *goldens_paths)
{
    subject s;
    support now, before = {.table = NULL};
    char path[4096];
    ob_err err;
    ob_status status = ask_all(&s, plugin, goldens_paths, &now, &err);
    if (status == OB_OK && subject_list_before(&s, list_path, path, sizeof path)) {
        status = support_init(&before, now.table, &err);
        if (status == OB_OK)
            status = support_read(&before, path, &err);
        if (status == OB_OK)
            support_print_changes(&now, &before, strrchr(path, '/') + 1, stdout);
    } else if (status == OB_OK) {
        support_print(&now, stdout);
    }
    support_fini(&now);
    support_fini(&before);
    subject_close(&s);
    return say(&err, status);
}

/* ---- comparing ---- */

/* Whether the list has a dtype that nothing takes here: the processor or the device lacks it. f32 is never lacking. */
static bool lacks(const support *now, ob_dtype dtype)
{
    for (size_t i = 0; dtype != OB_DTYPE_F32 && i < ob_op_table_count(now->table); i++)
        if (now->rows[i].cells[0][dtype].taken > 0)
            return false;
    return dtype != OB_DTYPE_F32;
}

static int compare_dtype(const support *now, const support *listed, const char *backend,
                         ob_dtype dtype)
{
    static const char *const words[] = {
        [TAKEN_NONE] = "no", [TAKEN_SOME] = "some calls", [TAKEN_ALL] = "all calls"};
    static const char *const passes[] = {"forward", "backward"};
    int differences = 0;
    for (size_t i = 0; i < ob_op_table_count(now->table); i++)
        for (int pass = 0; pass < 2; pass++) {
            const taken is = support_taken(&now->rows[i], pass, dtype);
            const taken was = support_taken(&listed->rows[i], pass, dtype);
            char name[192];
            if (is == was)
                continue;
            support_op_name(ob_op_table_at(now->table, i), name, sizeof name);
            if (taking_may_differ(backend, name, dtype))
                continue;
            printf("%s %s %s: takes %s, the list says %s\n", name, passes[pass],
                   ob_dtype_get_info(dtype)->name, words[is], words[was]);
            differences++;
        }
    return differences;
}

int run_support_check(const char *plugin, const char *list_path, char *const *goldens_paths)
{
    subject s;
    support now, listed = {.table = NULL};
    ob_err err;
    char list[4096] = "";
    int differences = 0;
    ob_status status = ask_all(&s, plugin, goldens_paths, &now, &err);
    if (status == OB_OK)
        status = support_init(&listed, now.table, &err);
    if (status == OB_OK) {
        subject_list(&s, list_path, list, sizeof list);
        status = support_read(&listed, list, &err);
    }
    for (size_t i = 0; status == OB_OK && i < sizeof DTYPES / sizeof *DTYPES; i++) {
        if (lacks(&now, DTYPES[i]))
            printf("%s is not there at all\n", ob_dtype_get_info(DTYPES[i])->name);
        else if (!subject_has_listed(&s, &listed, DTYPES[i]))
            printf("%s is not compared: the machine of the list differs in whether it has aten::mm "
                   "of it\n",
                   ob_dtype_get_info(DTYPES[i])->name);
        else
            differences += compare_dtype(&now, &listed, s.desc->name, DTYPES[i]);
    }
    if (differences > 0)
        printf("%d differences from %s; if they are wanted, `make support` writes it anew\n",
               differences, list);
    support_fini(&now);
    support_fini(&listed);
    subject_close(&s);
    return status != OB_OK ? say(&err, status) : differences > 0;
}
