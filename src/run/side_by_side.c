/* SPDX-License-Identifier: Apache-2.0
 *
 * Several sides: each has its own worker, all on one CPU, and the token of a ring goes from
 * one to the next after every block, so that what changes on the machine meanwhile meets all of them. A
 * case is leased to all at once and is over when each has a record, its own or that of its loss; then
 * the records get their ratios and are handed on in the order of the sides.
 */
#include "opbench/version.h"
#include "run/best_side.h"
#include "run/case_parts.h"
#include "run/process_plan.h"
#include "run/ratio.h"
#include "run/sides.h"
#include "run/supervisor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct group;

typedef struct side {
    struct group *group;
    unsigned member;
    const char *name;
    ob_supervisor s;
    const ob_run_options *options;
    ob_run_params params;
    ob_merge merge; /* --processes */
    char *properties;
    char reason[1024];
    /* Of the present case: */
    bool silent;  /* its record is dropped, because there is one already */
    bool wanted;  /* it takes part */
    bool waiting; /* its worker is on it */
    bool got;     /* the worker's record came */
    bool over;    /* s.record is its record */
} side;

typedef struct group {
    ob_supervisor *outer;
    ob_run_sides given;
    side sides[OB_MOST_MEMBERS];
    size_t count;
    ob_shared_memory memory;
    ob_ring *ring;                  /* in it */
    ob_text reference_parts, parts; /* of the case: the reference's, and another's beside them */
    bool stopped;                   /* the user wants to end at once */
    bool again; /* a part took a worker down: the case begins again without it, for all */
    bool told_ready;
    double began_s; /* the present case */
} group;

/* ---- hooks: each side is a supervisor of its own ---- */

static ob_status on_record(void *ctx, const ob_record *record, const char *line, size_t length,
                           ob_err *err)
{
    const ob_run_params *params = ((side *)ctx)->group->outer->params;
    return params->on_record(params->ctx, record, line, length, err);
}

static ob_status on_ready(void *ctx, const ob_json *properties, ob_err *err)
{
    side *l = ctx;
    size_t length;
    return ob_json_print(properties, &l->properties, &length, err);
}

static void on_progress(void *ctx, const ob_run_progress *progress)
{
    const ob_run_params *params = ((side *)ctx)->group->outer->params;
    if (params->on_progress != NULL)
        params->on_progress(params->ctx, progress);
}

static void on_wrapped(void *ctx, const char *text, size_t length)
{
    const ob_run_params *params = ((side *)ctx)->group->outer->params;
    if (params->on_wrapped != NULL)
        params->on_wrapped(params->ctx, text, length);
}

static int on_stop(void *ctx)
{
    const ob_run_params *params = ((side *)ctx)->group->outer->params;
    return params->stop != NULL ? params->stop(params->ctx) : 0;
}

/* ---- opening ---- */

static ob_status make_ring(group *w, ob_err *err)
{
    OB_TRY(ob__shared_memory_make("opbench-ring", sizeof *w->ring, &w->memory, err));
    w->ring = w->memory.at;
    return OB_OK;
}

/* A file that the user took for an opbench: how long its first word is waited for. A busy machine takes some
 * seconds, whatever the limit of a case. */
static double hello_limit(const ob_run_options *options)
{
    const double least_s = 5, most_s = 30;
    return options->case_timeout_s > 0 ? fmax(least_s, fmin(options->case_timeout_s, most_s))
                                       : most_s;
}

static ob_status open_side(group *w, unsigned member, ob_err *err)
{
    side *l = &w->sides[member];
    const ob_run_side *from = &w->given.items[member];
    const ob_worker_start_params place = {.ring_fd = w->memory.fd,
                                          .member = member,
                                          .variables = from->given.variables,
                                          .plugins = from->given.plugins};
    l->group = w;
    l->member = member;
    l->name = from->given.name;
    l->options = &from->options;
    l->params = *w->outer->params;
    l->params.options = l->options;
    if (from->given.program != NULL)
        l->params.worker_program = from->given.program;
    l->params.on_record = on_record;
    l->params.on_ready = on_ready;
    l->params.on_progress = on_progress;
    l->params.on_wrapped = on_wrapped;
    l->params.stop = on_stop;
    l->params.ctx = l;
    l->s = (ob_supervisor){.context = w->outer->context,
                           .config = w->outer->config,
                           .params = &l->params,
                           .summary = w->outer->summary,
                           .cases = w->outer->cases,
                           .side = w->given.named ? l->name : NULL};
    OB_TRY(ob__line_parser_create(&l->s.parser, err));
    OB_TRY(ob__worker_client_open(&l->s.client, l->s.config, &l->params, &place, err));
    if (from->given.program != NULL)
        l->s.client.hello_limit_s = hello_limit(l->options);
    l->s.client.ring = w->ring;
    l->s.client.member = member;
    l->s.client.finish_case = true; /* the others of a case are not left alone */
    return OB_OK;
}

static ob_status open_group(group *w, ob_err *err)
{
    OB_TRY(ob__sides_make(w->outer->context, w->outer->params, &w->given, err));
    w->count = w->given.count;
    OB_TRY(make_ring(w, err));
    for (unsigned i = 0; i < w->count; i++)
        OB_TRY(open_side(w, i, err));
    return OB_OK;
}

static void close_group(group *w, bool at_once)
{
    for (size_t i = 0; i < w->count; i++) {
        side *l = &w->sides[i];
        if (l->group == NULL)
            continue;
        ob__supervisor_close_workers(&l->s, at_once);
        ob_text_fini(&l->s.line);
        ob__identity_fini(&l->s.identity);
        ob__unfinished_fini(&l->s.unfinished);
        ob__merge_fini(&l->merge);
        free(l->properties);
    }
    ob__shared_memory_close(&w->memory);
    ob_text_fini(&w->reference_parts);
    ob_text_fini(&w->parts);
    ob__sides_fini(&w->given);
}

/* ---- workers ---- */

/* The properties of all sides' backends under the names of the sides. */
static ob_status tell_ready(group *w, ob_err *err)
{
    const ob_run_params *params = w->outer->params;
    ob_json_doc *all, *parts[OB_MOST_MEMBERS] = {NULL};
    if (w->told_ready || params->on_ready == NULL)
        return OB_OK;
    w->told_ready = true;
    OB_TRY(ob_json_doc_create(&all, err));
    ob_json *object = ob_json_new_object(all);
    ob_status status = object != NULL ? OB_OK
                                      : ob_err_set(err, OB_ERR_NOMEM,
                                                   "out of memory for the backends' properties");
    for (size_t i = 0; status == OB_OK && i < w->count; i++) {
        const side *l = &w->sides[i];
        status =
            ob_json_parse("worker", l->properties, strlen(l->properties), NULL, &parts[i], err);
        if (status == OB_OK)
            status = ob_json_set(all, object, l->name, ob_json_doc_root(parts[i]), err);
    }
    if (status == OB_OK)
        status = params->on_ready(params->ctx, object, err);
    for (size_t i = 0; i < w->count; i++)
        ob_json_doc_destroy(parts[i]);
    ob_json_doc_destroy(all);
    return status;
}

static bool spread(const side *l)
{
    return l->options->processes > 1;
}

static ob_process_plan plan_of(const group *w, const ob_process_turn *t)
{
    const ob_process_plan nothing = {.first = 0};
    const side *l = &w->sides[0];
    return spread(l) ? ob__process_plan((uint64_t)l->options->seed, t->index, (uint64_t)t->process,
                                        (unsigned)w->count)
                     : nothing;
}

/* What is wrong with one of several says of which. */
static ob_status start_worker(side *l, ob_err *err)
{
    const ob_status status = ob__supervisor_start(&l->s, err);
    if (status == OB_OK || status == OB_END || l->s.side == NULL || err == NULL)
        return status;
    const ob_err why = *err;
    const char *program = l->group->given.items[l->member].given.program;
    if (program == NULL || status != OB_ERR_BACKEND)
        return ob_err_set(err, status, "side %s: %s", l->name, why.message);
    return ob_err_set(
        err, status,
        "side %s: %s does not work with this opbench, %s; use a build of the same version: %s",
        l->name, program, OB_VERSION, why.message);
}

/* All that take part have a worker, which are started in the order of their turns. OB_END: the user wants to end. */
static ob_status start_workers(group *w, const ob_process_turn *t, bool all, ob_err *err)
{
    const ob_process_plan plan = plan_of(w, t);
    for (size_t i = 0; i < w->count; i++) {
        side *l = &w->sides[(plan.first + i) % w->count];
        if (spread(l))
            ob__worker_seed_set_pad(&l->s.client.seed, plan.pad);
        if ((all || (l->wanted && !l->over)) && l->s.client.worker.guard == 0)
            OB_TRY(start_worker(l, err));
    }
    return OB_OK;
}

static void end_workers(group *w)
{
    for (size_t i = 0; i < w->count; i++)
        ob__worker_client_end_worker(&w->sides[i].s.client, false);
}

/* ---- one case ---- */

/* The record of a side that failed, with the number of its process in front of the reason. */
static ob_status fail_side(side *l, const ob_process_turn *t)
{
    ob_record_result *r = &l->s.record.result;
    l->over = true;
    if (!spread(l))
        return OB_OK;
    ob__say_process(t, r->reason != NULL ? r->reason : "", l->reason, sizeof l->reason);
    r->reason = l->reason;
    r->processes = t->processes;
    return OB_OK;
}

/* A case that took its worker down: its record, read back so that nothing of it is borrowed. */
static ob_status lose_side(side *l, const ob_process_turn *t, const ob_loss *why, ob_err *err)
{
    const ob_lost_case lost = {.index = t->index, .merge = spread(l) ? &l->merge : NULL};
    const bool begun = atomic_load(&l->s.client.seed.page->case_index) == t->index;
    l->waiting = false;
    ob__ring_leave(l->group->ring, l->member);
    if (!l->got && !spread(l) && ob__worker_client_lose_part(&l->s.client, t->index, why)) {
        l->group->again = true;
        return OB_OK;
    }
    if (l->got || (why->status == OB_RECORD_INTERRUPTED && !begun))
        return OB_OK;
    OB_TRY(ob__supervisor_print_loss(&l->s, &lost, why, err));
    OB_TRY(
        ob__line_parse(l->s.parser, "run", l->s.line.data, l->s.line.size - 1, &l->s.record, err));
    return fail_side(l, t);
}

static ob_status take_record(side *l, const ob_process_turn *t, ob_err *err)
{
    const ob_record_status_info *info = ob_record_status_get_info(l->s.record.result.status);
    const double start_s = l->s.record.result.start_seconds; /* of what the worker itself started */
    l->got = true;
    if (start_s > 0 && start_s < ob__now_s() - l->group->began_s)
        l->s.start_seconds += start_s;
    ob__ring_leave(l->group->ring, l->member);
    if (info == NULL || !info->ran)
        return fail_side(l, t);
    if (spread(l))
        return ob__merge_add(&l->merge, &l->s.record.result, err);
    l->over = true;
    return OB_OK;
}

static ob_status take_news(side *l, const ob_process_turn *t, ob_news *news, ob_err *err)
{
    if (news->kind == OB_NEWS_MESSAGE) {
        if (news->message.type == OB_MESSAGE_RECORD && !l->got &&
            ob__supervisor_read(&l->s, &news->message, t->index))
            return take_record(l, t, err);
        if (news->message.type == OB_MESSAGE_IDLE && l->got) {
            l->waiting = false;
            return OB_OK;
        }
        ob__worker_client_reject(&l->s.client, &news->loss);
    }
    if (news->kind == OB_NEWS_STOPPED)
        l->group->stopped = true;
    return lose_side(l, t, &news->loss, err);
}

/* The others of a case that begins again have nothing to finish. */
static void give_up_case(group *w)
{
    for (size_t i = 0; i < w->count; i++) {
        side *l = &w->sides[i];
        l->over = false;
        l->s.client.parts.size = 0;
        if (l->waiting)
            ob__worker_client_end_worker(&l->s.client, true);
        l->waiting = false;
    }
}

/* Until no side waits. */
static ob_status collect(group *w, const ob_process_turn *t, ob_err *err)
{
    for (;;) {
        ob_worker_client *clients[OB_MOST_MEMBERS];
        size_t waiting = 0;
        bool news_came = false;
        for (size_t i = 0; i < w->count; i++) {
            side *l = &w->sides[i];
            ob_news news;
            if (!l->waiting)
                continue;
            const ob_status status = ob__worker_client_try(&l->s.client, &news, err);
            if (status == OB_OK)
                OB_TRY(take_news(l, t, &news, err));
            else if (status != OB_END)
                return status;
            news_came = news_came || status == OB_OK;
            if (l->waiting)
                clients[waiting++] = &l->s.client;
        }
        if (w->again)
            give_up_case(w);
        if (waiting == 0 || w->again)
            return OB_OK;
        if (!news_came)
            OB_TRY(ob__worker_client_wait(clients, waiting, err));
    }
}

/* The case once in the workers that are there. */
static ob_status run_once(group *w, const ob_process_turn *t, ob_err *err)
{
    uint32_t members = 0;
    OB_TRY(start_workers(w, t, false, err));
    for (size_t i = 0; i < w->count; i++) {
        side *l = &w->sides[i];
        l->got = false;
        l->waiting = l->wanted && !l->over;
        if (l->waiting)
            members |= (uint32_t)1 << i;
    }
    ob__ring_begin(w->ring, members, plan_of(w, t).first);
    for (size_t i = 0; i < w->count; i++)
        if (w->sides[i].waiting)
            ob__worker_client_lease(&w->sides[i].s.client,
                                    &(ob_lease){.first = t->index, .count = 1, .step = 1});
    return collect(w, t, err);
}

/* ---- ratios ---- */

static ob_status fill_ratio(const side *reference, side *l, bool forward, ob_err *err)
{
    const ob_record_result *x = &reference->s.record.result;
    ob_record_result *y = &l->s.record.result;
    const ob_record_pass *of_x = forward ? &x->forward : &x->backward;
    ob_record_pass *of_y = forward ? &y->forward : &y->backward;
    const ob_series *medians_x =
        forward ? &reference->merge.forward.medians_ms : &reference->merge.backward.medians_ms;
    const ob_series *medians_y =
        forward ? &l->merge.forward.medians_ms : &l->merge.backward.medians_ms;
    const ob_ratio_args samples = {.reference = of_x->measure_time_ms.items,
                                   .reference_count = of_x->measure_time_ms.count,
                                   .subject = of_y->measure_time_ms.items,
                                   .subject_count = of_y->measure_time_ms.count,
                                   .independent = ob__pass_is_of_steps(of_y)};
    const ob_ratio_args processes = {.reference = medians_x->values,
                                     .reference_count = medians_x->count,
                                     .subject = medians_y->values,
                                     .subject_count = medians_y->count,
                                     .independent = true};
    return ob__ratio_compute(spread(l) ? &processes : &samples, &of_y->ratio, err);
}

/* The reference's parts were handed on before, so they are those that were kept. */
static ob_status put_parts_beside(group *w, side *l, ob_err *err)
{
    const ob_parts_pair pair = {.reference = &w->reference_parts,
                                .subject = &l->s.client.parts,
                                .reference_name = l != w->sides ? w->sides[0].name : NULL,
                                .side = l->s.side,
                                .parser = l->s.part_parser};
    if (l->s.client.parts.size == 0)
        return OB_OK;
    w->parts.size = 0;
    OB_TRY(ob__parts_put_beside(&pair, &w->parts, err));
    l->s.client.parts.size = 0;
    return ob_text_append(&l->s.client.parts, w->parts.data, w->parts.size)
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the parts of a case");
}

/* Whether there are times of the case. */
static bool has_run(const side *l)
{
    return l->over && ob_record_status_get_info(l->s.record.result.status)->ran;
}

static void mark_best(group *w, bool forward)
{
    const ob_record_pass *passes[OB_MOST_MEMBERS];
    for (size_t i = 0; i < w->count; i++) {
        const ob_record_result *r = &w->sides[i].s.record.result;
        passes[i] = !has_run(&w->sides[i]) ? NULL : forward ? &r->forward : &r->backward;
    }
    const size_t best = ob__best_side(passes, w->count);
    for (size_t i = 0; i < w->count && best < w->count; i++) {
        ob_record_result *r = &w->sides[i].s.record.result;
        if (passes[i] != NULL)
            *(forward ? &r->best_forward : &r->best_backward) = i == best;
    }
}

/* What is known of the sides when all of them are over. */
static ob_status compare_sides(group *w, ob_err *err)
{
    for (size_t i = 1; i < w->count; i++) {
        side *l = &w->sides[i];
        if (!has_run(&w->sides[0]) || !has_run(l))
            continue;
        OB_TRY(fill_ratio(&w->sides[0], l, true, err));
        OB_TRY(fill_ratio(&w->sides[0], l, false, err));
    }
    mark_best(w, true);
    mark_best(w, false);
    return OB_OK;
}

/* Gives the record its place beside the others and hands it on. */
static ob_status hand_on(group *w, side *l, ob_err *err)
{
    const side *reference = &w->sides[0];
    ob_record_result *r = &l->s.record.result;
    r->side = l->s.side;
    r->reference = l != reference ? reference->name : NULL;
    if (l != reference || r->side != NULL)
        OB_TRY(put_parts_beside(w, l, err));
    if (spread(l))
        r->start_seconds = l->s.start_seconds;
    l->s.line.size = 0;
    OB_TRY(ob_record_print(&l->s.record, &l->s.line, err));
    return ob__supervisor_hand_on(&l->s, l->s.line.data, l->s.line.size, err);
}

static ob_status finish_case(group *w, ob_err *err)
{
    for (size_t i = 0; i < w->count; i++) {
        side *l = &w->sides[i];
        if (l->wanted && !l->over && spread(l) && !w->stopped) {
            OB_TRY(ob__merge_finish(&l->merge, &l->s.record.result, err));
            l->over = true;
        }
    }
    w->reference_parts.size = 0;
    if (!ob_text_append(&w->reference_parts, w->sides[0].s.client.parts.data,
                        w->sides[0].s.client.parts.size))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the parts of a case");
    OB_TRY(compare_sides(w, err));
    for (size_t i = 0; i < w->count; i++)
        if (w->sides[i].over && !w->sides[i].silent)
            OB_TRY(hand_on(w, &w->sides[i], err));
    return OB_OK;
}

static double seconds_of(const ob_merge *merge, const ob_record_pass *pass)
{
    const double number = merge->number_per_run > 0 ? (double)merge->number_per_run : 1;
    double ms = 0;
    for (size_t i = 0; i < pass->measure_time_ms.count; i++)
        ms += pass->measure_time_ms.items[i];
    return ms * number / 1e3;
}

/* Whether the caller has seen enough processes of the case. */
static bool has_enough(const group *w, const ob_process_turn *t)
{
    const ob_run_params *params = w->outer->params;
    ob_side_progress sides[OB_MOST_MEMBERS];
    ob_record_pass passes[OB_MOST_MEMBERS][2];
    ob_sides_progress progress = {.index = t->index,
                                  .processes = t->process + 1,
                                  .sides = sides,
                                  .side_size = sizeof *sides,
                                  .side_count = w->count,
                                  .seconds = ob__now_s() - w->began_s};
    if (params->enough == NULL || !spread(w->sides))
        return false;
    for (size_t i = 0; i < w->count; i++) {
        const side *l = &w->sides[i];
        ob_record_pass *forward = &passes[i][0], *backward = &passes[i][1];
        *forward = *backward = (ob_record_pass){.disturbed_by = NULL};
        ob__merge_show(&l->merge, forward, backward);
        sides[i] = (ob_side_progress){.name = l->name,
                                      .failed = l->over,
                                      .forward = l->merge.forward.present ? forward : NULL,
                                      .backward = l->merge.backward.present ? backward : NULL,
                                      .last = l->over ? NULL : &l->s.record.result};
        progress.start_seconds += l->s.start_seconds;
        progress.measured += seconds_of(&l->merge, forward) + seconds_of(&l->merge, backward);
    }
    return params->enough(params->enough_ctx, &progress) != 0;
}

static ob_status run_case(group *w, uint64_t index, ob_err *err)
{
    ob_process_turn t = {.index = index, .processes = w->sides[0].options->processes};
    bool enough = false;
    w->began_s = ob__now_s();
    for (size_t i = 0; i < w->count; i++) {
        w->sides[i].over = false;
        ob__merge_reset(&w->sides[i].merge);
    }
    for (; t.process < t.processes && !w->stopped && !enough; t.process++) {
        do {
            w->again = false;
            OB_TRY(run_once(w, &t, err));
        } while (w->again && !w->stopped);
        if (t.processes > 1)
            end_workers(w);
        enough = !w->stopped && has_enough(w, &t);
    }
    OB_TRY(finish_case(w, err));
    return w->stopped ? OB_END : OB_OK;
}

/* ---- all cases ---- */

/* Which sides have no result of the case yet. False: none. */
static ob_status choose_sides(group *w, uint64_t index, bool *any, ob_err *err)
{
    const ob_case *c = NULL;
    *any = false;
    if (w->outer->params->done != NULL) {
        OB_TRY(ob_cases_seek(w->outer->cases, index, err));
        OB_TRY(ob_cases_next(w->outer->cases, &c, err));
    }
    for (size_t i = 0; i < w->count; i++) {
        side *l = &w->sides[i];
        l->silent = c != NULL && ob__supervisor_is_done(&l->s, c);
        l->wanted = !l->silent;
        *any = *any || l->wanted;
    }
    return OB_OK;
}

static ob_status run_range(group *w, const ob_case_range *range, ob_err *err)
{
    for (uint64_t i = 0; i < range->count; i++) {
        const uint64_t index = range->first + i * range->step;
        bool any;
        if (on_stop(&w->sides[0]) > 0)
            return OB_END;
        OB_TRY(choose_sides(w, index, &any, err));
        if (any)
            OB_TRY(run_case(w, index, err));
        else
            w->outer->summary->left_out++;
    }
    return OB_OK;
}

static ob_status run_all(group *w, ob_err *err)
{
    const ob_run_params *params = w->outer->params;
    OB_TRY(start_workers(w, &(ob_process_turn){.index = params->first}, true, err));
    OB_TRY(tell_ready(w, err));
    for (size_t r = 0; r < params->range_count; r++) {
        const ob_case_range range = ob__range_at(params, r);
        OB_TRY(run_range(w, &range, err));
    }
    return OB_OK;
}

ob_status ob__run_side_by_side(ob_supervisor *s, ob_err *err)
{
    group *w = calloc(1, sizeof *w);
    if (w == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for several sides");
    w->outer = s;
    w->memory = OB_NO_MEMORY;
    ob_status status = open_group(w, err);
    if (status == OB_OK)
        status = run_all(w, err);
    close_group(w, status != OB_OK);
    free(w);
    return status;
}
