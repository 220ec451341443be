/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting cases: a worker under valgrind, kept from case to case because loading a large library there takes
 * long. It writes a dump for the switching alone and one per pass; the difference of their tables is the
 * case. What goes wrong in that process never costs more than the count.
 */
#include "opbench/case_count.h"

#include "count/debug_symbols.h"
#include "count/valgrind.h"
#include "run/counted.h"
#include "run/supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ob_case_counter {
    ob_run_options options;
    ob_run_params params;
    ob_run_summary summary;
    ob_supervisor supervisor;
    ob_valgrind valgrind;
    int64_t repeats;
    int64_t dumped; /* dumps that the worker wrote for cases before */
    bool open;      /* client and parser are */
    ob_err refused; /* why no worker starts; OB_OK = one may */
};

/* ---- opening ---- */

/* What changes which instructions a case executes; how often and how long it is measured does not. */
static void copy_options(const ob_run_options *from, ob_run_options *to)
{
    ob_run_options_init(to);
    to->backend = from->backend;
    to->backend_options = from->backend_options;
    to->device = from->device;
    to->backward = from->backward;
    to->threads = from->threads;
    to->seed = from->seed;
    to->inference_mode = from->inference_mode;
    to->max_memory_mib = from->max_memory_mib;
    to->case_timeout_s = from->count_timeout_s;
    to->config_name = from->config_name;
    to->config_command = from->config_command;
    to->program = from->program;
    to->command = from->command;
    to->by_words = from->by_words;
    to->count = true;
    to->count_with = "callgrind";
    to->count_number = from->count_number;
}

static ob_status open_worker(ob_case_counter *c, const ob_config *config, ob_err *err)
{
    const ob_worker_start_params place = {.ring_fd = -1,
                                          .check_fd = -1,
                                          .counts = (unsigned)c->repeats,
                                          .before = c->valgrind.words,
                                          .variables = ob__valgrind_variables};
    ob_supervisor *s = &c->supervisor;
    OB_TRY(ob_cases_open(config, NULL, &s->cases, err));
    OB_TRY(ob__line_parser_create(&s->parser, err));
    const ob_status status = ob__worker_client_open(&s->client, config, &c->params, &place, err);
    c->open = true;
    s->client.start_limit_s = c->options.case_timeout_s;
    return status;
}

ob_status ob_case_counter_open(ob_context *context, const ob_config *config,
                               const ob_case_counter_params *params, ob_case_counter **out,
                               ob_err *err)
{
    ob_case_counter *c = calloc(1, sizeof *c);
    *out = NULL;
    if (c == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counting");
    copy_options(params->options, &c->options);
    c->repeats = params->repeats > 0 ? params->repeats : 1;
    c->params = (ob_run_params){.options = &c->options,
                                .worker_program = params->worker_program,
                                .stop = params->stop,
                                .ctx = params->ctx};
    c->supervisor = (ob_supervisor){.context = context,
                                    .config = config,
                                    .params = &c->params,
                                    .summary = &c->summary,
                                    .client = {.params = &c->params}};
    ob_status status = ob__valgrind_open(&c->valgrind, NULL, err);
    if (status == OB_OK)
        status = open_worker(c, config, err);
    if (status != OB_OK) {
        ob_case_counter_close(c);
        return status;
    }
    *out = c;
    return OB_OK;
}

void ob_case_counter_close(ob_case_counter *c)
{
    if (c == NULL)
        return;
    ob_supervisor *s = &c->supervisor;
    if (c->open)
        ob__worker_client_close(&s->client);
    ob__line_parser_destroy(s->parser);
    ob_cases_close(s->cases);
    ob_text_fini(&s->line);
    ob__identity_fini(&s->identity);
    ob__unfinished_fini(&s->unfinished);
    ob__valgrind_close(&c->valgrind);
    free(c);
}

void ob_case_count_fini(ob_case_count *count)
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

static ob_status make_stats(const ob_case_counter *c, const ob_count_file *nothing, int64_t dump,
                            bool backward, ob_count_stats **out, ob_err *err)
{
    const ob_record_result *r = &c->supervisor.record.result;
    char description[256], key[64];
    ob_counts *exclusive = NULL, *inclusive = NULL;
    ob_count_file *file = NULL;
    ob_count_stats_params params = {
        .task = r->task, .number_per_run = c->options.count_number, .key = key};
    snprintf(key, sizeof key, "%.40s%s", r->key, backward ? " backward" : "");
    if (backward) {
        snprintf(description, sizeof description, "%.200s, backward",
                 r->task.description != NULL ? r->task.description : "");
        params.task.description = description;
    }
    ob_status status = ob__valgrind_read(&c->valgrind, c->dumped + dump, &file, err);
    if (status == OB_OK)
        status = subtract(nothing, file, false, &exclusive, err);
    if (status == OB_OK)
        status = subtract(nothing, file, true, &inclusive, err);
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

static ob_status make_room(const ob_case_counter *c, bool backward, ob_case_count *out, ob_err *err)
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
static ob_status read_dumps(const ob_case_counter *c, int64_t dumps, ob_case_count *out,
                            ob_err *err)
{
    const bool backward = dumps > 1 + c->repeats;
    ob_count_file *nothing = NULL;
    int64_t next = 1;
    OB_TRY(make_room(c, backward, out, err));
    ob_status status = ob__valgrind_read(&c->valgrind, c->dumped + next++, &nothing, err);
    for (int64_t i = 0; status == OB_OK && i < c->repeats; i++) {
        status = make_stats(c, nothing, next++, false, &out->forward[i], err);
        if (status == OB_OK && backward)
            status = make_stats(c, nothing, next++, true, &out->backward[i], err);
    }
    ob_count_file_destroy(nothing);
    return status;
}

/* ---- one case ---- */

static void give_up(ob_case_count *out, ob_record_status status, const char *why)
{
    out->status = status;
    snprintf(out->reason, sizeof out->reason, "%.*s", (int)sizeof out->reason - 1, why);
}

/* Why a case that took its worker down has no count. */
static void take_loss(const ob_case_counter *c, const ob_loss *loss, ob_case_count *out)
{
    char printed[2048];
    uint64_t all;
    ob_err err;
    const size_t size =
        ob__worker_client_output(&c->supervisor.client, printed, sizeof printed - 1, &all);
    printed[size] = '\0';
    if (ob__valgrind_cannot(loss->signal) || ob__valgrind_cannot(printed)) {
        ob__valgrind_unable(&err);
        give_up(out, OB_RECORD_UNSUPPORTED, err.message);
        return;
    }
    give_up(out, loss->status, loss->reason);
    if (loss->status == OB_RECORD_TIMED_OUT)
        snprintf(out->reason, sizeof out->reason,
                 "under valgrind it took longer than %g s; see --count-timeout",
                 c->options.case_timeout_s);
    else if (loss->status != OB_RECORD_INTERRUPTED)
        snprintf(out->reason, sizeof out->reason, "under valgrind %s", loss->reason);
}

/* *started false: there is no worker, and out says why. What refused once would refuse again. */
static void start(ob_case_counter *c, ob_case_count *out, bool *started)
{
    ob_supervisor *s = &c->supervisor;
    *started = s->client.worker.guard != 0;
    if (*started)
        return;
    if (c->refused.code == OB_OK) {
        ob_err why;
        ob__valgrind_clear(&c->valgrind);
        c->dumped = 0; /* a new one begins with dump 1 */
        const ob_status status = ob__supervisor_start(s, &why);
        *started = status == OB_OK;
        if (status == OB_OK)
            return;
        ob__worker_client_end_worker(&s->client, true);
        if (status == OB_END) {
            give_up(out, OB_RECORD_INTERRUPTED, "the run was interrupted");
            return;
        }
        /* The backend's own words say what is wrong with it; all else is about valgrind. */
        ob_err_set(&c->refused, status, "%s%s", status == OB_ERR_BACKEND ? "under valgrind " : "",
                   why.message);
    }
    give_up(out, OB_RECORD_FAILED, c->refused.message);
    out->refusal = c->refused.code;
}

/* Until the worker is ready for the next case, or gone. */
static ob_status wait_for_record(ob_case_counter *c, uint64_t index, ob_case_count *out,
                                 ob_err *err)
{
    ob_supervisor *s = &c->supervisor;
    bool got = false;
    for (;;) {
        ob_news news;
        OB_TRY(ob__worker_client_next(&s->client, &news, err));
        if (news.kind != OB_NEWS_MESSAGE) {
            take_loss(c, &news.loss, out);
            return OB_OK;
        }
        if (news.message.type == OB_MESSAGE_IDLE && got)
            return OB_OK;
        if (got || news.message.type != OB_MESSAGE_RECORD ||
            !ob__supervisor_read(s, &news.message, index)) {
            ob__worker_client_reject(&s->client, &news.loss);
            take_loss(c, &news.loss, out);
            return OB_OK;
        }
        got = true;
        out->status = s->record.result.status;
        if (s->record.result.reason != NULL)
            give_up(out, out->status, s->record.result.reason);
    }
}

/* Makes tables of what the case left, which is then removed. */
static ob_status take_dumps(ob_case_counter *c, ob_case_count *out, ob_err *err)
{
    const int64_t dumps = ob__valgrind_dumps(&c->valgrind, c->dumped);
    ob_status status = OB_OK;
    ob_err why;
    if (out->reason[0] == '\0')
        status = read_dumps(c, dumps, out, &why);
    ob__valgrind_clear(&c->valgrind);
    c->dumped += dumps;
    if (status == OB_OK)
        return OB_OK;
    ob_case_count_fini(out);
    give_up(out, OB_RECORD_FAILED, why.message);
    return status == OB_ERR_NOMEM ? ob_err_set(err, status, "%s", why.message) : OB_OK;
}

ob_status ob_case_counter_count(ob_case_counter *c, uint64_t index, ob_case_count *out, ob_err *err)
{
    bool started;
    *out = (ob_case_count){.status = OB_RECORD_NO_STATUS};
    start(c, out, &started);
    if (!started)
        return OB_OK;
    ob__worker_client_lease(&c->supervisor.client, index, 1);
    OB_TRY(wait_for_record(c, index, out, err));
    return take_dumps(c, out, err);
}
