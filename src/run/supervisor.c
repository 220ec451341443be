/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor: leases ranges of cases to a worker and takes its records. When the worker is lost, the
 * page that both see says whether a case was under way: that case becomes a failed record, a new worker
 * goes on behind it. No finished record is ever lost, because each is handed on before the next is
 * waited for; and records come in order, so the case whose record did not come is known even if the
 * page is wrong.
 */
#include "run/supervisor.h"

#include "base/sized.h"
#include "base/text_append.h"
#include "run/backend_list.h"
#include "run/case_parts.h"
#include "run/count_hook.h"
#include "run/counting.h"
#include "run/session_int.h"
#include "run/sides.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEASE_CASES = 256 };

/* ---- records ---- */

ob_status ob__supervisor_hand_on(ob_supervisor *s, const char *line, size_t length, ob_err *err)
{
    s->summary->cases[s->record.result.status]++;
    if (s->client.parts.size > 0)
        OB_TRY(ob__parts_hand_on(&s->client.parts, s->params, s->part_parser, err));
    s->client.parts.size = 0;
    s->start_seconds = 0;
    return s->params->on_record(s->params->ctx, &s->record, line, length, err);
}

static bool parts_are_right(ob_supervisor *s)
{
    if (s->client.parts.size == 0)
        return true;
    if (s->part_parser == NULL && ob__line_parser_create(&s->part_parser, NULL) != OB_OK)
        return false;
    return ob__parts_are_of(&s->client.parts, &s->record.result, s->part_parser);
}

bool ob__supervisor_read(ob_supervisor *s, const ob_wire_message *message, uint64_t index)
{
    const size_t length = message->size;
    return length > 1 && message->data[length - 1] == '\n' &&
           memchr(message->data, '\n', length - 1) == NULL &&
           ob__line_parse(s->parser, "worker", message->data, length - 1, &s->record, NULL) ==
               OB_OK &&
           s->record.kind == OB_RECORD_RESULT_LINE && s->record.result.index >= 0 &&
           (uint64_t)s->record.result.index == index && parts_are_right(s);
}

/* What was measured of the case before it took the worker down, and with --processes what the
 * processes before measured. */
static ob_status take_samples(ob_supervisor *s, uint64_t index, ob_merge *merge, ob_err *err)
{
    const ob_state_page *page = s->client.seed.page;
    ob_record_result *r = &s->record.result;
    ob__unfinished_fini(&s->unfinished);
    if (atomic_load(&page->case_index) == index && s->client.seed.has_samples) {
        ob_exec_result samples = {0};
        ob_status status = ob__sample_log_read(&page->samples, &samples, err);
        if (status == OB_OK)
            status = ob__fill_unfinished(&samples, &s->unfinished, r, err);
        ob__exec_result_fini(&samples);
        OB_TRY(status);
    }
    if (merge == NULL || merge->processes == 0)
        return OB_OK;
    if (r->forward.measure_time_ms.count > 0)
        OB_TRY(ob__merge_add(merge, r, err));
    return ob__merge_finish(merge, r, err);
}

ob_status ob__supervisor_print_loss(ob_supervisor *s, const ob_lost_case *lost, const ob_loss *why,
                                    ob_err *err)
{
    const ob_case *c;
    char output[OB_MOST_OUTPUT];
    uint64_t printed;
    ob_record_result *r = &s->record.result;
    s->client.parts.size = 0;
    OB_TRY(ob_cases_seek(s->cases, lost->index, err));
    OB_TRY(ob_cases_next(s->cases, &c, err));
    OB_TRY(ob__identity_fill(&s->identity, s->params->options, ob__backend_name(s->params->options),
                             c, &s->record, err));
    r->status = why->status;
    r->reason = why->reason;
    r->signal = why->signal[0] != '\0' ? why->signal : NULL;
    r->exit_code = why->exit_code;
    if (s->params->options->processes > 1) {
        r->processes = s->params->options->processes;
        r->start_seconds = s->start_seconds;
    }
    OB_TRY(take_samples(s, lost->index, lost->merge, err));
    const size_t size = ob__worker_client_output(&s->client, output, sizeof output, &printed);
    if (size > 0)
        r->output = (ob_bytes){.data = output, .size = size};
    r->output_dropped_bytes = printed - size;
    s->line.size = 0;
    return ob_record_print(&s->record, &s->line, err);
}

ob_status ob__supervisor_write_loss(ob_supervisor *s, const ob_lost_case *lost, const ob_loss *why,
                                    ob_err *err)
{
    OB_TRY(ob__supervisor_print_loss(s, lost, why, err));
    return ob__supervisor_hand_on(s, s->line.data, s->line.size, err);
}

/* ---- workers ---- */

static ob_status take_ready(ob_supervisor *s, const ob_wire_message *message, ob_err *err)
{
    ob_json_doc *doc;
    if (s->told_ready)
        return OB_OK;
    s->told_ready = true;
    if (s->params->on_ready == NULL)
        return OB_OK;
    OB_TRY(ob_json_parse("worker", message->data, message->size, NULL, &doc, err));
    const ob_status status = s->params->on_ready(s->params->ctx, ob_json_doc_root(doc), err);
    ob_json_doc_destroy(doc);
    return status;
}

/* What the user asked for and cannot have stays the user's error; all else is the backend's. */
static ob_status take_refusal(const ob_wire_message *message, ob_err *err)
{
    ob_refusal refusal = {.status = OB_ERR_BACKEND};
    size_t skip = 0;
    if (message->type == OB_MESSAGE_REFUSED && message->size >= sizeof refusal) {
        skip = sizeof refusal;
        memcpy(&refusal, message->data, skip);
    }
    const bool of_user = refusal.status == OB_ERR_INVALID || refusal.status == OB_ERR_NOT_FOUND ||
                         refusal.status == OB_ERR_UNSUPPORTED || refusal.status == OB_ERR_LIMIT;
    return ob_err_set(err, of_user ? (ob_status)refusal.status : OB_ERR_BACKEND, "%.*s",
                      (int)(message->size - skip), message->data + skip);
}

/* Its first message says which build it is, the second, in *news, whether its backend is open. */
static ob_status greet(ob_supervisor *s, ob_news *news, ob_err *err)
{
    OB_TRY(ob__worker_client_next(&s->client, news, err));
    if (news->kind != OB_NEWS_MESSAGE)
        return OB_OK;
    const ob_status status = ob__hello_check(s->params->worker_program, &news->message, err);
    if (status != OB_OK) {
        ob__worker_client_end_worker(&s->client, true);
        return status;
    }
    return ob__worker_client_next(&s->client, news, err);
}

static ob_status start(ob_supervisor *s, ob_err *err)
{
    ob_news news = {.kind = OB_NEWS_LOST};
    for (int attempt = 0; attempt < OB_MOST_FAILED_STARTS; attempt++) {
        OB_TRY(ob__worker_client_start_worker(&s->client, err));
        s->summary->workers++;
        OB_TRY(greet(s, &news, err));
        if (news.kind == OB_NEWS_STOPPED)
            return OB_END;
        if (news.kind == OB_NEWS_MESSAGE && news.message.type == OB_MESSAGE_READY)
            return take_ready(s, &news.message, err);
        if (news.kind == OB_NEWS_MESSAGE)
            return take_refusal(&news.message, err);
        if (news.loss.status == OB_RECORD_TIMED_OUT)
            break; /* what hangs would hang again */
    }
    char output[512];
    uint64_t printed;
    const size_t size = ob__worker_client_output(&s->client, output, sizeof output, &printed);
    return ob_err_set(err, OB_ERR_BACKEND, "cannot start a worker: %s%s%.*s", news.loss.reason,
                      size > 0 ? "; it said: " : "", (int)size, output);
}

ob_status ob__supervisor_start(ob_supervisor *s, ob_err *err)
{
    const double began_s = ob__now_s();
    const ob_status status = start(s, err);
    s->start_seconds += ob__now_s() - began_s;
    return status;
}

/* ---- leases ---- */

/* A lease under way. */
typedef struct range {
    ob_case_range left; /* of which no record came yet */
    bool leased;
    int idle_losses; /* workers in a row that were lost without a case under way */
} range;

static void go_on(range *r)
{
    r->left.first += r->left.step;
    r->left.count--;
}

/* The worker is gone: the next case is charged if it was under way, or if workers keep dying in front
 * of it. */
static ob_status after_loss(ob_supervisor *s, range *r, const ob_loss *why, ob_err *err)
{
    const uint64_t index = atomic_load(&s->client.seed.page->case_index);
    const bool under_way = index != OB_NO_CASE && index >= r->left.first;
    r->leased = false;
    if (r->left.count == 0)
        return OB_OK;
    if (!under_way && why->status == OB_RECORD_INTERRUPTED)
        return OB_OK;
    if (under_way && ob__worker_client_lose_part(&s->client, index, why))
        return OB_OK;
    if (!why->scribbled && !under_way && ++r->idle_losses < OB_MOST_FAILED_STARTS)
        return OB_OK;
    r->idle_losses = 0;
    const ob_lost_case lost = {.index = r->left.first};
    OB_TRY(ob__supervisor_write_loss(s, &lost, why, err));
    go_on(r);
    return OB_OK;
}

/* Takes a message. OB_END: the lease is at its end, done or not. */
static ob_status take_message(ob_supervisor *s, range *r, const ob_wire_message *message,
                              ob_err *err)
{
    if (message->type == OB_MESSAGE_RECORD && r->left.count > 0 &&
        ob__supervisor_read(s, message, r->left.first)) {
        go_on(r);
        r->idle_losses = 0;
        return ob__supervisor_hand_on(s, message->data, message->size, err);
    }
    if (message->type == OB_MESSAGE_IDLE && (r->left.count == 0 || s->client.told_to_stop))
        return OB_END;
    ob_loss why;
    ob__worker_client_reject(&s->client, &why);
    /* Who ends too early between two cases has read a wish that nobody had: the next case is not to blame. */
    why.scribbled = message->type != OB_MESSAGE_IDLE;
    return after_loss(s, r, &why, err);
}

ob_status ob__supervisor_run_range(ob_supervisor *s, const ob_case_range *cases, ob_err *err)
{
    range r = {.left = *cases};
    for (;;) {
        ob_news news;
        if (s->client.worker.guard == 0) {
            if (r.left.count == 0)
                return OB_OK;
            if (ob__worker_client_wanted_stop(&s->client) > 0)
                return OB_END;
            OB_TRY(ob__supervisor_start(s, err));
        }
        if (!r.leased) {
            /* What is leased may begin before the worker sees that it should not. */
            if (ob__worker_client_wanted_stop(&s->client) > 0)
                return OB_END;
            ob__worker_client_lease(&s->client, &r.left);
        }
        r.leased = true;
        OB_TRY(ob__worker_client_next(&s->client, &news, err));
        if (news.kind != OB_NEWS_MESSAGE) {
            OB_TRY(after_loss(s, &r, &news.loss, err));
            if (news.kind == OB_NEWS_STOPPED)
                return OB_END;
            continue;
        }
        const ob_status status = take_message(s, &r, &news.message, err);
        if (status == OB_END)
            return r.left.count == 0 ? OB_OK : OB_END;
        OB_TRY(status);
    }
}

/* ---- which cases ---- */

bool ob__supervisor_is_done(const ob_supervisor *s, const ob_case *c)
{
    const ob_done_name name = {.key = ob_case_key(c),
                               .id = ob_case_id(c),
                               .backend = ob__backend_name(s->params->options),
                               .side = s->side,
                               .process = OB_NO_INT,
                               .threads = s->params->options->threads};
    return s->params->done != NULL && ob_done_has(s->params->done, &name);
}

typedef ob_status (*range_fn)(ob_supervisor *s, const ob_case_range *cases, ob_err *err);

static ob_status case_is_done(ob_supervisor *s, uint64_t index, bool *is_done, ob_err *err)
{
    const ob_case *c;
    *is_done = false;
    if (s->params->done == NULL)
        return OB_OK;
    OB_TRY(ob_cases_seek(s->cases, index, err));
    OB_TRY(ob_cases_next(s->cases, &c, err));
    *is_done = ob__supervisor_is_done(s, c);
    return OB_OK;
}

/* Leaves out what is done at the beginning of *left, and takes what is to be run from it, no more than a lease. */
static ob_status take_stretch(ob_supervisor *s, ob_case_range *left, ob_case_range *out,
                              ob_err *err)
{
    /* A counted case is over before the next is measured: valgrind must not disturb its times. */
    const uint64_t lease = s->params->options->count ? 1 : LEASE_CASES;
    *out = (ob_case_range){.first = left->first, .step = left->step};
    for (bool is_done; left->count > 0 && out->count < lease;) {
        OB_TRY(case_is_done(s, left->first, &is_done, err));
        if (is_done && out->count > 0)
            break;
        left->first += left->step;
        left->count--;
        s->summary->left_out += is_done;
        if (is_done)
            out->first = left->first;
        else
            out->count++;
    }
    return OB_OK;
}

/* Calls run for stretches of cases that are to be run, none longer than a lease. */
static ob_status for_ranges(ob_supervisor *s, range_fn run, ob_err *err)
{
    for (size_t i = 0; i < s->params->range_count; i++)
        for (ob_case_range left = ob__range_at(s->params, i), next; left.count > 0;) {
            OB_TRY(take_stretch(s, &left, &next, err));
            if (next.count > 0)
                OB_TRY(run(s, &next, err));
        }
    return OB_OK;
}

/* ---- in this process ---- */

static ob_status run_case_here(ob_supervisor *s, uint64_t index, ob_err *err)
{
    const ob_case *c;
    ob_record record;
    if (ob__worker_client_wanted_stop(&s->client) > 0)
        return OB_END;
    OB_TRY(ob_cases_seek(s->cases, index, err));
    OB_TRY(ob_cases_next(s->cases, &c, err));
    OB_TRY(ob_session_run(s->session, c, &record, err));
    s->line.size = 0;
    OB_TRY(ob_record_print(&record, &s->line, err));
    s->summary->cases[record.result.status]++;
    OB_TRY(ob__parts_hand_on(&s->session->parts, s->params, s->part_parser, err));
    return s->params->on_record(s->params->ctx, &record, s->line.data, s->line.size, err);
}

static ob_status run_range_here(ob_supervisor *s, const ob_case_range *cases, ob_err *err)
{
    for (uint64_t i = 0; i < cases->count; i++)
        OB_TRY(run_case_here(s, cases->first + i * cases->step, err));
    return OB_OK;
}

static ob_status run_here(ob_supervisor *s, ob_err *err)
{
    OB_TRY(ob_session_open(s->context, s->params->options, &s->session, err));
    s->session->stop = s->params->stop;
    s->session->stop_ctx = s->params->ctx;
    ob_status status = ob__line_parser_create(&s->part_parser, err);
    if (status == OB_OK && s->params->on_ready != NULL)
        status = s->params->on_ready(s->params->ctx, ob_session_properties(s->session), err);
    if (status == OB_OK)
        status = for_ranges(s, run_range_here, err);
    ob__line_parser_destroy(s->part_parser);
    s->part_parser = NULL;
    ob_session_close(s->session);
    return status;
}

/* ---- */

ob_status ob__supervisor_open_workers(ob_supervisor *s, ob_err *err)
{
    OB_TRY(ob__line_parser_create(&s->parser, err));
    return ob__worker_client_open(&s->client, s->config, s->params, s->place, err);
}

void ob__supervisor_close_workers(ob_supervisor *s, bool at_once)
{
    if (s->parser == NULL)
        return;
    ob__worker_client_end_worker(&s->client, at_once);
    ob__worker_client_close(&s->client);
    ob__line_parser_destroy(s->parser);
    ob__line_parser_destroy(s->part_parser);
    s->parser = s->part_parser = NULL;
}

static ob_status run_with_workers(ob_supervisor *s, ob_err *err)
{
    const bool spread = s->params->options->processes > 1;
    ob_status status = ob__supervisor_open_workers(s, err);
    if (status == OB_OK)
        status = for_ranges(s, spread ? ob__run_in_processes : ob__supervisor_run_range, err);
    ob__supervisor_close_workers(s, status != OB_OK);
    return status;
}

ob_status ob__supervisor_open(ob_supervisor *s, ob_err *err)
{
    return ob_cases_open(s->config, NULL, &s->cases, err);
}

void ob__supervisor_close(ob_supervisor *s)
{
    ob_cases_close(s->cases);
    ob_text_fini(&s->line);
    ob__identity_fini(&s->identity);
    ob__unfinished_fini(&s->unfinished);
}

/* One backend: the device that its records have is the one it will choose. */
static void set_device(const ob_context *context, ob_run_options *options, ob_device_word *word)
{
    const ob_backend_desc *desc;
    /* What is wrong here is said where the backend is opened. */
    if (ob__find_backend(context, ob__backend_name(options), &desc, NULL) == OB_OK &&
        ob__device_choose(desc, options->device, word, NULL) == OB_OK)
        ob__device_set(options, word);
}

/* The first and so many become a range, which is within the config; ranges must be. */
static ob_status list_ranges(ob_run_params *params, uint64_t total, ob_case_range *all, ob_err *err)
{
    const uint64_t first = params->first < total ? params->first : total;
    const uint64_t rest = total - first;
    *all = (ob_case_range){
        .first = first, .count = params->count < rest ? params->count : rest, .step = 1};
    for (size_t i = 0; i < params->range_count; i++) {
        const ob_case_range r = ob__range_at(params, i);
        if (r.count > 0 && (r.first >= total || r.count - 1 > (total - 1 - r.first) / r.step))
            return ob_err_set(err, OB_ERR_INVALID,
                              "range %zu of cases ends beyond the config, which has %" PRIu64, i,
                              total);
    }
    if (params->range_count > 0)
        return OB_OK;
    params->ranges = all;
    params->range_count = 1;
    return OB_OK;
}

static ob_status run(ob_context *context, const ob_config *config, const ob_run_params *outer,
                     const ob_worker_start_params *place, ob_run_summary *summary, ob_err *err)
{
    ob_device_word device;
    ob_run_options options = *outer->options;
    ob_run_params own = *outer;
    const ob_run_params *params = &own;
    own.options = &options;
    ob_supervisor s = {.context = context,
                       .config = config,
                       .params = params,
                       .place = place,
                       .summary = summary,
                       .client = {.params = params},
                       .identity = {.manifests = ob_context_manifests(context)}};
    if (params->options->processes > 1 && params->worker_program == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--processes needs worker processes; leave out --no-isolate");
    if (params->options->wrap != NULL && params->worker_program == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--wrap needs worker processes; leave out --no-isolate");
    const bool several = ob__sides_are_several(params);
    if (several && params->worker_program == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--backend with several names needs a worker process for each; leave out "
                          "--no-isolate");
    if (!several && params->options->turn_time_s > 0)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "--turn-time has no effect with one backend, which takes no turns; leave it out");
    if (!several)
        set_device(context, &options, &device);
    OB_TRY(ob__supervisor_open(&s, err));
    ob_case_range all;
    ob_status status = list_ranges(&own, ob_cases_count(s.cases), &all, err);
    if (status == OB_OK)
        status = several                          ? ob__run_side_by_side(&s, err)
                 : params->worker_program != NULL ? run_with_workers(&s, err)
                                                  : run_here(&s, err);
    summary->interrupted =
        status == OB_END || (status == OB_OK && ob__worker_client_wanted_stop(&s.client) > 0);
    if (status == OB_END)
        status = OB_OK;
    ob__supervisor_close(&s);
    return status;
}

/* Cases are counted under valgrind, and not timed. */
static ob_status run_counting(ob_context *context, const ob_config *config,
                              const ob_run_params *params, ob_run_summary *summary, ob_err *err)
{
    ob_counting counting;
    if (params->worker_program == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "counting needs worker processes; leave out --no-isolate");
    OB_TRY(ob__counting_open(&counting, params, err));
    const ob_status status = run(context, config, &counting.params, &counting.place, summary, err);
    ob__counting_close(&counting);
    return ob__counting_explain(status, err);
}

static ob_status run_either(ob_context *context, const ob_config *config,
                            const ob_run_params *params, ob_run_summary *summary, ob_err *err)
{
    ob_count_hook *hook;
    OB_TRY(ob_run_options_check(params->options, err));
    if (params->side_count > 0 && params->options->count_repeats > 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "sides are always timed; use --count to count them too");
    if (params->options->count_repeats > 0)
        return run_counting(context, config, params, summary, err);
    OB_TRY(ob__count_hook_open(context, config, params, &hook, err));
    if (hook == NULL)
        return run(context, config, params, NULL, summary, err);
    const ob_run_params through = ob__count_hook_params(hook);
    const ob_status status = run(context, config, &through, NULL, summary, err);
    ob__count_hook_close(hook);
    return status;
}

ob_status ob_run(ob_context *context, const ob_config *config, const ob_run_params *params,
                 ob_run_summary *summary, ob_err *err)
{
    ob_run_params own;
    ob_run_options options;
    ob_run_summary made = {.size = sizeof made};
    OB_TRY(OB__GIVE(ob_run_summary, summary, &made, err));
    OB_TRY(OB__TAKE(ob_run_params, &own, params, err));
    OB_TRY(OB__TAKE(ob_run_options, &options, own.options, err));
    own.options = &options;
    const ob_status status = run_either(context, config, &own, &made, err);
    OB__GIVE(ob_run_summary, summary, &made, NULL);
    return status;
}
