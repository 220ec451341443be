/* SPDX-License-Identifier: Apache-2.0
 *
 * Selecting cases without walking over them: the ids of an operator's cases ascend when they are read as
 * numbers, so a case of a billion is found in thirty steps.
 */
#include "job/job_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Up to so many cases all are looked at before an id is said not to be there: an iterator of a plug-in
 * may number its cases in another order. */
static const uint64_t MOST_WALKED = 1000000;

void ob_case_selection_destroy(ob_case_selection *selection)
{
    if (selection == NULL)
        return;
    free(selection->ranges);
    free(selection);
}

/* ---- operators by name ---- */

/* Whether two names lead to the same operator: torch.add, aten::add and aten::add.Tensor do. */
static bool same_operator(const ob_context *context, const char *a, const char *b)
{
    const ob_op_table *table = ob_context_operators(context);
    ob_op_name x, y;
    if (strcmp(a, b) == 0)
        return true;
    return ob_op_resolve_name(table, a, &x, NULL) == OB_OK && x.known &&
           ob_op_resolve_name(table, b, &y, NULL) == OB_OK && y.known &&
           strcmp(x.base, y.base) == 0 &&
           (x.overload[0] == '\0' || y.overload[0] == '\0' || strcmp(x.overload, y.overload) == 0);
}

static ob_status no_operator(const ob_config *config, const char *name, ob_err *err)
{
    const size_t count = ob_config_op_count(config);
    const char **names = count > 0 ? calloc(count, sizeof *names) : NULL;
    for (size_t i = 0; names != NULL && i < count; i++)
        names[i] = ob_config_op_name(config, i);
    const char *near = names != NULL ? ob_nearest_name(name, names, count) : NULL;
    ob_status status;
    if (near != NULL)
        status =
            ob_err_set(err, OB_ERR_NOT_FOUND, "%s has no operator \"%s\"; did you mean \"%s\"?",
                       ob_config_name(config), name, near);
    else
        status = ob_err_set(err, OB_ERR_NOT_FOUND,
                            "%s has no operator \"%s\"; `opbench expand -c` lists its cases",
                            ob_config_name(config), name);
    free(names);
    return status;
}

/* ---- cases by id ---- */

/* Ids as numbers between separators: "0|0|0_9" < "0|0|0_10", and a shorter one comes first. False: they
 * cannot be compared, because one has something else in it. */
static bool compare_ids(const char *a, const char *b, int *order)
{
    for (;;) {
        char *end_a, *end_b;
        if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b))
            return false;
        const unsigned long long x = strtoull(a, &end_a, 10), y = strtoull(b, &end_b, 10);
        *order = x != y ? (x < y ? -1 : 1) : *end_a != *end_b ? (*end_a < *end_b ? -1 : 1) : 0;
        if (*order != 0 || *end_a == '\0')
            return true;
        a = end_a + 1;
        b = end_b + 1;
    }
}

static ob_status id_at(ob_cases *cases, uint64_t index, const char **id, ob_err *err)
{
    const ob_case *c;
    OB_TRY(ob_cases_seek(cases, index, err));
    OB_TRY(ob_cases_next(cases, &c, err));
    *id = ob_case_id(c);
    return OB_OK;
}

/* OB_END: it is not there, if the ids ascend. */
static ob_status bisect(ob_cases *cases, const char *wanted, uint64_t *index, ob_err *err)
{
    uint64_t low = 0, high = ob_cases_count(cases);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const char *id = NULL;
        int order;
        OB_TRY(id_at(cases, middle, &id, err));
        if (!compare_ids(id, wanted, &order))
            return OB_END;
        if (order == 0) {
            *index = middle;
            return OB_OK;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return OB_END;
}

static ob_status walk(ob_cases *cases, const char *wanted, uint64_t *index, ob_err *err)
{
    const ob_case *c;
    if (ob_cases_count(cases) > MOST_WALKED)
        return OB_END;
    OB_TRY(ob_cases_seek(cases, 0, err));
    for (;;) {
        OB_TRY(ob_cases_next(cases, &c, err));
        if (strcmp(ob_case_id(c), wanted) == 0) {
            *index = ob_case_index(c);
            return OB_OK;
        }
    }
}

/* The index of the case called "operator|id". */
static ob_status find_case(const ob_config *config, const char *name, uint64_t *index, ob_err *err)
{
    const char *bar = strchr(name, '|');
    ob_cases *cases = NULL;
    if (bar == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "\"%s\" is not a case; write OPERATOR|CONFIG|BUILD|INPUT", name);
    if (strspn(name, "0123456789") == (size_t)(bar - name))
        return ob_err_set(err, OB_ERR_INVALID,
                          "\"%s\" does not start with an operator; write OPERATOR|%s", name, name);
    char *op = strndup(name, (size_t)(bar - name));
    if (op == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the name of a case");
    ob_status status = ob_cases_open(config, op, &cases, err);
    if (status == OB_ERR_NOT_FOUND)
        status = no_operator(config, op, err);
    free(op);
    OB_TRY(status);
    status = bisect(cases, bar + 1, index, err);
    if (status == OB_END)
        status = walk(cases, bar + 1, index, err);
    *index += ob_cases_first(cases);
    ob_cases_close(cases);
    if (status == OB_END)
        status =
            ob_err_set(err, OB_ERR_NOT_FOUND, "%s has no case \"%s\"; `opbench expand` lists them",
                       ob_config_name(config), name);
    return status;
}

/* ---- the selection ---- */

/* --op beside --case may only say the same. */
static ob_status check_operator_of_case(const ob_context *context, const ob_case_choice *choice,
                                        ob_err *err)
{
    if (choice->op == NULL || strchr(choice->only_case, '|') == NULL)
        return OB_OK;
    char *op = strndup(choice->only_case, strcspn(choice->only_case, "|"));
    if (op == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the name of a case");
    const bool same = same_operator(context, op, choice->op);
    free(op);
    return same ? OB_OK
                : ob_err_set(err, OB_ERR_INVALID,
                             "--case %s is not a case of --op %s; leave one of them out",
                             choice->only_case, choice->op);
}

/* The part of [first, end) that lies within [low, high). Ranges that touch become one. */
static void add_range(ob_case_selection *to, ob_case_range within, uint64_t first, uint64_t end)
{
    const uint64_t high = within.first + within.count;
    first = first > within.first ? first : within.first;
    end = end < high ? end : high;
    if (first >= end)
        return;
    to->cases += end - first;
    ob_case_range *last = to->count > 0 ? &to->ranges[to->count - 1] : NULL;
    if (last != NULL && last->first + last->count == first)
        last->count += end - first;
    else
        to->ranges[to->count++] = (ob_case_range){.first = first, .count = end - first};
}

static ob_status add_operators(const ob_context *context, const ob_config *config, const char *name,
                               ob_case_range within, ob_case_selection *out, ob_err *err)
{
    const size_t count = ob_config_op_count(config);
    bool exact = false, found = false;
    for (size_t i = 0; i < count; i++)
        exact = exact || strcmp(ob_config_op_name(config, i), name) == 0;
    for (size_t i = 0; i < count; i++) {
        const char *op = ob_config_op_name(config, i);
        ob_cases *cases;
        if (exact ? strcmp(op, name) != 0 : !same_operator(context, op, name))
            continue;
        OB_TRY(ob_cases_open(config, op, &cases, err));
        const uint64_t first = ob_cases_first(cases);
        add_range(out, within, first, first + ob_cases_count(cases));
        ob_cases_close(cases);
        found = true;
    }
    return found ? OB_OK : no_operator(config, name, err);
}

static ob_status select_cases(const ob_context *context, const ob_config *config,
                              const ob_case_choice *choice, ob_case_selection *out, ob_err *err)
{
    uint64_t low = 0, high = ob_config_case_count(config);
    const uint64_t all = high;
    if (choice->only_case != NULL) {
        OB_TRY(check_operator_of_case(context, choice, err));
        OB_TRY(find_case(config, choice->only_case, &low, err));
        add_range(out, (ob_case_range){.count = all}, low, low + 1);
        return OB_OK;
    }
    if (choice->first_case != NULL)
        OB_TRY(find_case(config, choice->first_case, &low, err));
    if (choice->end_case != NULL)
        OB_TRY(find_case(config, choice->end_case, &high, err));
    const ob_case_range within = {.first = low, .count = high > low ? high - low : 0};
    if (choice->op != NULL)
        return add_operators(context, config, choice->op, within, out, err);
    add_range(out, within, 0, all);
    return OB_OK;
}

ob_status ob_cases_select(const ob_context *context, const ob_config *config,
                          const ob_case_choice *choice, ob_case_selection **out, ob_err *err)
{
    ob_case_choice own;
    *out = NULL;
    OB_TRY(OB__TAKE(ob_case_choice, &own, choice, err));
    ob_case_selection *selection = calloc(1, sizeof *selection);
    if (selection != NULL)
        selection->ranges = calloc(ob_config_op_count(config) + 1, sizeof *selection->ranges);
    if (selection == NULL || selection->ranges == NULL) {
        ob_case_selection_destroy(selection);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the ranges of cases");
    }
    selection->first_case = own.first_case;
    selection->end_case = own.end_case;
    const ob_status status = select_cases(context, config, &own, selection, err);
    if (status != OB_OK) {
        ob_case_selection_destroy(selection);
        return status;
    }
    *out = selection;
    return OB_OK;
}

bool ob_case_choice_has(const ob_context *context, const ob_case_choice *choice, const char *op)
{
    const char *only = choice->only_case;
    if (only != NULL)
        return strlen(op) == strcspn(only, "|") && strncmp(op, only, strlen(op)) == 0;
    return choice->op == NULL || same_operator(context, op, choice->op);
}
