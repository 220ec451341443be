/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting cases: a worker under valgrind, kept from case to case because loading a large library there takes
 * long. It writes a dump for the switching alone and one per pass; the difference of their tables is the
 * case.
 */
#include "run/counting.h"

#include "count/debug_symbols.h"
#include "run/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

/* Our own functions around the call are not of the case; in inclusive tables they would hold all of it. */
static bool is_of_case(void *ctx, const char *function)
{
    (void)ctx;
    return strstr(function, ":" OB_COUNTED_PREFIX) == NULL &&
           strstr(function, ":ob__callgrind_") == NULL;
}

static ob_status without_ours(const ob_count_file *file, bool inclusive, ob_counts **out,
                              ob_err *err)
{
    const ob_count_stats_params *is = ob_count_stats_get(ob_count_file_part(file, 0));
    return ob_counts_filter(inclusive ? is->stmt_inclusive : is->stmt_exclusive, is_of_case, NULL,
                            out, err);
}

/* What `with` has more than `nothing`. */
static ob_status subtract(const ob_count_file *nothing, const ob_count_file *with, bool inclusive,
                          ob_counts **out, ob_err *err)
{
    ob_counts *less = NULL, *all = NULL;
    ob_status status = without_ours(nothing, inclusive, &less, err);
    if (status == OB_OK)
        status = without_ours(with, inclusive, &all, err);
    if (status == OB_OK)
        status = ob_counts_subtract(all, less, out, err);
    ob_counts_destroy(less);
    ob_counts_destroy(all);
    return status;
}

/* What the tables of a case are made of. */
typedef struct dumps {
    const ob_counting *counting;
    const ob_record_result *result;
    ob_count_file *nothing; /* the switching alone */
    int64_t next;           /* from 1 */
} dumps;

static ob_status make_stats(dumps *d, bool backward, ob_count_stats **out, ob_err *err)
{
    const ob_counting *c = d->counting;
    const ob_record_result *r = d->result;
    char description[256], key[64];
    ob_counts *exclusive = NULL, *inclusive = NULL;
    ob_count_file *file = NULL;
    ob_count_stats_params params = {.size = sizeof params,
                                    .task = r->task,
                                    .number_per_run = c->options.count_number,
                                    .key = key};
    snprintf(key, sizeof key, "%.40s%s", r->key, backward ? " backward" : "");
    if (backward) {
        snprintf(description, sizeof description, "%.200s, backward",
                 r->task.description != NULL ? r->task.description : "");
        params.task.description = description;
    }
    ob_status status = ob__valgrind_read(&c->valgrind, c->dumped + d->next++, &file, err);
    if (status == OB_OK)
        status = subtract(d->nothing, file, false, &exclusive, err);
    if (status == OB_OK)
        status = subtract(d->nothing, file, true, &inclusive, err);
    params.stmt_exclusive = exclusive;
    params.stmt_inclusive = inclusive;
    params.built_with_debug_symbols = ob__built_with_debug_symbols(exclusive);
    if (status == OB_OK)
        status = ob_count_stats_create(&params, out, err);
    ob_counts_destroy(exclusive);
    ob_counts_destroy(inclusive);
    ob_count_file_destroy(file);
    return status;
}

static ob_status make_room(const ob_counting *c, bool backward, ob_case_count *out, ob_err *err)
{
    out->repeats = c->repeats;
    out->forward = calloc((size_t)c->repeats, sizeof *out->forward);
    out->backward = backward ? calloc((size_t)c->repeats, sizeof *out->backward) : NULL;
    if (out->forward != NULL && (out->backward != NULL || !backward))
        return OB_OK;
    out->repeats = 0;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
}

/* The dumps that the case left: the switching alone, then those of each repeat. */
static ob_status read_dumps(const ob_counting *c, const ob_record_result *result, int64_t count,
                            ob_case_count *out, ob_err *err)
{
    const bool backward = count > 1 + c->repeats;
    dumps d = {.counting = c, .result = result, .next = 2};
    OB_TRY(make_room(c, backward, out, err));
    ob_status status = ob__valgrind_read(&c->valgrind, c->dumped + 1, &d.nothing, err);
    for (int64_t i = 0; status == OB_OK && i < c->repeats; i++) {
        status = make_stats(&d, false, &out->forward[i], err);
        if (status == OB_OK && backward)
            status = make_stats(&d, true, &out->backward[i], err);
    }
    ob_count_file_destroy(d.nothing);
    return status;
}

/* ---- one case ---- */

void ob__case_count_fini(ob_case_count *count)
{
    for (int64_t i = 0; i < count->repeats; i++) {
        ob_count_stats_destroy(count->forward[i]);
        if (count->backward != NULL)
            ob_count_stats_destroy(count->backward[i]);
    }
    free(count->forward);
    free(count->backward);
    *count = (ob_case_count){.status = OB_RECORD_NO_STATUS};
}

void ob__case_count_give_up(ob_case_count *count, ob_record_status status, const char *why)
{
    count->status = status;
    snprintf(count->reason, sizeof count->reason, "%.*s", (int)sizeof count->reason - 1, why);
}

/* Why a case that took its worker down has no count. */
static void explain_loss(const ob_counting *c, const ob_record_result *r, ob_case_count *out)
{
    char printed[2048];
    ob_err err;
    snprintf(printed, sizeof printed, "%s %.*s", r->signal != NULL ? r->signal : "",
             (int)(r->output.size < 2000 ? r->output.size : 2000),
             r->output.data != NULL ? r->output.data : "");
    if (ob__valgrind_cannot(printed)) {
        ob__valgrind_unable(&err);
        ob__case_count_give_up(out, OB_RECORD_UNSUPPORTED, err.message);
    } else if (r->status == OB_RECORD_TIMED_OUT) {
        snprintf(out->reason, sizeof out->reason,
                 "under valgrind it took longer than %g s; see --%s-timeout",
                 c->options.case_timeout_s,
                 c->outer->options->count_repeats > 0 ? "case" : "count");
    } else if (r->status != OB_RECORD_INTERRUPTED) {
        snprintf(out->reason, sizeof out->reason, "under valgrind: %s", r->reason);
    }
}

ob_status ob__counting_take(ob_counting *c, const ob_record_result *r, ob_case_count *out,
                            ob_err *err)
{
    const bool is_lost = r->pid == OB_NO_INT; /* the record is not the worker's own */
    *out = (ob_case_count){.status = r->status};
    if (r->reason != NULL)
        ob__case_count_give_up(out, r->status, r->reason);
    if (is_lost)
        explain_loss(c, r, out);
    if (r->pid != c->pid)
        c->dumped = 0; /* a new one begins with dump 1 */
    c->pid = r->pid;
    const int64_t count = ob__valgrind_dumps(&c->valgrind, c->dumped);
    ob_status status = OB_OK;
    ob_err why;
    if (!is_lost && out->reason[0] == '\0')
        status = read_dumps(c, r, count, out, &why);
    ob__valgrind_clear(&c->valgrind);
    c->dumped += count;
    if (status == OB_OK)
        return OB_OK;
    ob__case_count_fini(out);
    ob__case_count_give_up(out, OB_RECORD_FAILED, why.message);
    return status == OB_ERR_NOMEM ? ob_err_set(err, status, "%s", why.message) : OB_OK;
}

/* ---- a run that counts and measures nothing ---- */

static ob_status add_tables(ob_json_doc *doc, const ob_case_count *count, ob_json *list,
                            ob_err *err)
{
    for (int64_t i = 0; i < count->repeats; i++) {
        ob_json *node;
        OB_TRY(ob_count_stats_to_json(count->forward[i], doc, &node, err));
        OB_TRY(ob_json_append(doc, list, node, err));
        if (count->backward == NULL)
            continue;
        OB_TRY(ob_count_stats_to_json(count->backward[i], doc, &node, err));
        OB_TRY(ob_json_append(doc, list, node, err));
    }
    return OB_OK;
}

/* What was found, into the record. The first of several counts is the one that differs, if any does. */
static ob_status fill(const ob_counting *c, ob_json_doc *doc, const ob_case_count *count,
                      ob_record_result *r, ob_err *err)
{
    ob_record_instructions *to = &r->instructions;
    r->status = count->status;
    r->reason = count->reason[0] != '\0' ? count->reason : NULL;
    if (count->repeats == 0)
        return OB_OK;
    const double number = (double)c->options.count_number;
    const int64_t last = count->repeats - 1;
    ob_json *tables = ob_json_new_array(doc);
    if (tables == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    for (int64_t i = 0; i < count->repeats; i++)
        c->counts[i] = (double)ob_count_stats_counts(count->forward[i], false);
    to->number = c->options.count_number;
    to->source = "callgrind";
    to->forward = c->counts[last] / number;
    if (count->backward != NULL)
        to->backward = (double)ob_count_stats_counts(count->backward[last], false) / number;
    to->counts = (ob_reals){.items = c->counts, .count = (size_t)count->repeats};
    to->tables = tables;
    return add_tables(doc, count, tables, err);
}

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    ob_counting *c = ctx;
    ob_record counted = *record;
    ob_case_count count;
    ob_json_doc *doc = NULL;
    (void)line;
    (void)length;
    OB_TRY(ob__counting_take(c, &record->result, &count, err));
    ob_status status = ob_json_doc_create(&doc, err);
    if (status == OB_OK)
        status = fill(c, doc, &count, &counted.result, err);
    c->line.size = 0;
    if (status == OB_OK)
        status = ob_record_print(&counted, &c->line, err);
    if (status == OB_OK)
        status = c->outer->on_record(c->outer->ctx, &counted, c->line.data, c->line.size, err);
    ob_json_doc_destroy(doc);
    ob__case_count_fini(&count);
    return status;
}

static ob_status tell_ready(void *ctx, const ob_json *properties, ob_err *err)
{
    const ob_run_params *outer = ((const ob_counting *)ctx)->outer;
    return outer->on_ready != NULL ? outer->on_ready(outer->ctx, properties, err) : OB_OK;
}

static int stop(void *ctx)
{
    const ob_run_params *outer = ((const ob_counting *)ctx)->outer;
    return outer->stop != NULL ? outer->stop(outer->ctx) : 0;
}

/* ---- opening ---- */

/* As it is measured, so that the same instructions are executed; but nothing is timed, compared or repeated. */
static ob_run_options options_for_counting(const ob_run_options *measured)
{
    ob_run_options options = *measured;
    options.case_timeout_s = measured->count_timeout_s;
    options.processes = 1;
    options.check = options.profile = false;
    options.count = true;
    options.count_with = "callgrind";
    options.count_dir = NULL;
    return options;
}

static size_t list_length(const char *const *list)
{
    size_t count = 0;
    while (list != NULL && list[count] != NULL)
        count++;
    return count;
}

/* NULL when memory is out. */
static const char **join_lists(const char *const *first, const char *const *second)
{
    const size_t before = list_length(first), more = list_length(second);
    const char **all = calloc(before + more + 1, sizeof *all);
    if (all == NULL)
        return NULL;
    for (size_t i = 0; i < before; i++)
        all[i] = first[i];
    for (size_t i = 0; second != NULL && i < more; i++)
        all[before + i] = second[i];
    return all;
}

ob_status ob__counting_open(ob_counting *c, const ob_run_params *outer, ob_err *err)
{
    return ob__counting_open_side(c, outer, NULL, err);
}

ob_status ob__counting_open_side(ob_counting *c, const ob_run_params *outer, const ob_side *side,
                                 ob_err *err)
{
    *c = (ob_counting){.outer = outer, .params = *outer, .pid = OB_NO_INT};
    c->options = options_for_counting(outer->options);
    c->repeats = c->options.count_repeats > 0 ? c->options.count_repeats : 1;
    c->params.options = &c->options;
    c->params.on_record = take_record;
    c->params.on_ready = tell_ready;
    c->params.stop = stop;
    c->params.ctx = c;
    c->counts = calloc((size_t)c->repeats, sizeof *c->counts);
    c->variables = join_lists(ob__valgrind_variables, side != NULL ? side->variables : NULL);
    const ob_status status = c->counts == NULL || c->variables == NULL
                                 ? ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts")
                                 : ob__valgrind_open(&c->valgrind, NULL, err);
    c->place = (ob_worker_start_params){.ring_fd = -1,
                                        .counts = (unsigned)c->repeats,
                                        .before = c->valgrind.words,
                                        .variables = c->variables,
                                        .plugins = side != NULL ? side->plugins : NULL,
                                        .limit_s = c->options.case_timeout_s};
    if (status != OB_OK)
        ob__counting_close(c);
    return status;
}

void ob__counting_close(ob_counting *c)
{
    ob__valgrind_close(&c->valgrind);
    ob_text_fini(&c->line);
    free(c->counts);
    free(c->variables);
    c->counts = NULL;
    c->variables = NULL;
}

ob_status ob__counting_explain(ob_status status, ob_err *err)
{
    /* The backend's own words say what is wrong with it; all else is about valgrind. */
    if (status != OB_ERR_BACKEND || err == NULL)
        return status;
    const ob_err why = *err;
    return ob_err_set(err, status, "under valgrind: %s", why.message);
}
