/* SPDX-License-Identifier: Apache-2.0
 *
 * --processes: each case in several workers, one after the other, none of which ran anything before.
 * The first that fails ends the case with its status and reason; a wish to stop ends the run between
 * cases, never between the processes of one.
 */
#include "run/process_plan.h"
#include "run/supervisor.h"

#include <stdio.h>
#include <string.h>

void ob__say_process(const ob_process_turn *t, const char *reason, char *out, size_t size)
{
    const int head = snprintf(out, size, "process %lld of %lld: ", (long long)t->process + 1,
                              (long long)t->processes);
    if (memccpy(out + head, reason, '\0', size - (size_t)head) == NULL)
        out[size - 1] = '\0';
}

static ob_status write_lost(ob_supervisor *s, const ob_process_turn *t, ob_merge *merge,
                            const ob_loss *why, ob_err *err)
{
    const ob_lost_case lost = {.index = t->index, .merge = merge};
    ob_loss told = *why;
    ob__say_process(t, why->reason, told.reason, sizeof told.reason);
    return ob__supervisor_write_loss(s, &lost, &told, err);
}

/* The case failed without taking its worker down. */
static ob_status failed(ob_supervisor *s, const ob_process_turn *t, ob_err *err)
{
    ob_record_result *r = &s->record.result;
    char reason[1024];
    ob__say_process(t, r->reason != NULL ? r->reason : "", reason, sizeof reason);
    r->reason = reason;
    r->processes = t->processes;
    r->start_seconds = s->start_seconds;
    s->line.size = 0;
    OB_TRY(ob_record_print(&s->record, &s->line, err));
    return ob__supervisor_hand_on(s, s->line.data, s->line.size, err);
}

/* The case in one fresh worker. *over: it has its record. OB_END = stop at once. */
static ob_status run_turn(ob_supervisor *s, const ob_process_turn *t, ob_merge *merge, bool *over,
                          ob_err *err)
{
    ob_news news;
    const ob_process_plan plan =
        ob__process_plan((uint64_t)s->params->options->seed, t->index, (uint64_t)t->process, 1);
    ob__worker_seed_set_pad(&s->client.seed, plan.pad);
    OB_TRY(ob__supervisor_start(s, err));
    ob__worker_client_lease(&s->client, &(ob_lease){.first = t->index, .count = 1, .step = 1});
    OB_TRY(ob__worker_client_next(&s->client, &news, err));
    if (news.kind == OB_NEWS_STOPPED) {
        OB_TRY(write_lost(s, t, merge, &news.loss, err));
        return OB_END;
    }
    if (news.kind == OB_NEWS_MESSAGE && (news.message.type != OB_MESSAGE_RECORD ||
                                         !ob__supervisor_read(s, &news.message, t->index))) {
        ob__worker_client_reject(&s->client, &news.loss);
        news.kind = OB_NEWS_LOST;
    }
    if (news.kind == OB_NEWS_LOST) {
        *over = true;
        return write_lost(s, t, merge, &news.loss, err);
    }
    ob__worker_client_end_worker(&s->client, false);
    const ob_record_status_info *info = ob_record_status_get_info(s->record.result.status);
    if (info == NULL || !info->ran) {
        *over = true;
        return failed(s, t, err);
    }
    return ob__merge_add(merge, &s->record.result, err);
}

static ob_status run_case(ob_supervisor *s, uint64_t index, ob_merge *merge, ob_err *err)
{
    ob_process_turn t = {.index = index, .processes = s->params->options->processes};
    ob__merge_reset(merge);
    for (; t.process < t.processes; t.process++) {
        bool over = false;
        OB_TRY(run_turn(s, &t, merge, &over, err));
        if (over)
            return OB_OK;
    }
    OB_TRY(ob__merge_finish(merge, &s->record.result, err));
    s->record.result.start_seconds = s->start_seconds;
    s->client.parts.size = 0; /* those of the last process */
    s->line.size = 0;
    OB_TRY(ob_record_print(&s->record, &s->line, err));
    return ob__supervisor_hand_on(s, s->line.data, s->line.size, err);
}

ob_status ob__run_in_processes(ob_supervisor *s, const ob_case_range *cases, ob_err *err)
{
    ob_merge merge = {0};
    ob_status status = OB_OK;
    s->client.finish_case = true;
    for (uint64_t i = 0; status == OB_OK && i < cases->count; i++)
        status = ob__worker_client_wanted_stop(&s->client) > 0
                     ? OB_END
                     : run_case(s, cases->first + i * cases->step, &merge, err);
    ob__merge_fini(&merge);
    return status;
}
