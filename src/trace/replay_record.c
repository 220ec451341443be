/* SPDX-License-Identifier: Apache-2.0
 *
 * What the records of a replay say: of the step how much of it ran, of each operator how long its calls take, of each
 * kind of call that was not made why.
 */
#include "trace/replay_int.h"

#include "base/json_node.h"
#include "run/pass_statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls of one name and fate, and of one reason if they were not made: one record. */
typedef struct group {
    const char *name;
    ob_replay_fate fate;
    const char *reason;
    size_t column; /* of the times, if they ran */
    double total_ns;
    uint64_t count;
    const ob_lost_part *lost;
    const char *check; /* worst verdict; NULL = none */
} group;

static bool has_times(const group *g)
{
    return g->fate == OB_REPLAY_RAN || g->fate == OB_REPLAY_IN_FLOAT32;
}

static int by_kind(const void *a, const void *b)
{
    const group *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    if (order != 0)
        return order;
    if (x->fate != y->fate)
        return x->fate < y->fate ? -1 : 1;
    return has_times(x) ? 0 : strcmp(x->reason, y->reason);
}

/* What ran first, the longest first; then the most frequent. */
static int for_people(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (has_times(x) != has_times(y))
        return has_times(x) ? -1 : 1;
    if (x->total_ns < y->total_ns || x->total_ns > y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return by_kind(a, b);
}

static size_t merge(group *groups, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(groups, count, sizeof *groups, by_kind);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && by_kind(&groups[kept - 1], &groups[i]) == 0) {
            groups[kept - 1].count += groups[i].count;
            if (groups[i].check != NULL && strcmp(groups[i].check, "same") != 0)
                groups[kept - 1].check = groups[i].check;
        } else
            groups[kept++] = groups[i];
    return kept;
}

static const ob_lost_part *find_lost(const ob_session *s, int64_t node)
{
    for (size_t i = 0; i < s->lost_count; i++)
        if (s->lost[i].part == node)
            return &s->lost[i];
    return NULL;
}

static group group_of(const ob_made_case *m, size_t at)
{
    const ob_replay_step *step = &m->plan.steps[at];
    const bool widened = step->fate == OB_REPLAY_RAN && step->in_float32;
    const ob_replay_check *check = m->checks != NULL ? &m->checks[at] : NULL;
    if (check != NULL && step->fate == OB_REPLAY_RAN && check->verdict != NULL &&
        strcmp(check->verdict, "differs") == 0)
        return (group){.name = m->plan.name_of[step->op],
                       .fate = OB_REPLAY_DIFFERS,
                       .count = 1,
                       .check = check->verdict,
                       .reason = check->reason != NULL ? check->reason : ""};
    group g = {.name = m->plan.name_of[step->op],
               .check = check != NULL ? check->verdict : NULL,
               .fate = widened ? OB_REPLAY_IN_FLOAT32 : step->fate,
               .column = 2 * (size_t)step->op + widened,
               .count = 1,
               .reason = m->reasons[at] != NULL ? m->reasons[at] : step->why};
    if (step->fate == OB_REPLAY_CRASHED)
        g.lost = find_lost(m->session, step->node->id);
    if (g.lost != NULL)
        g.reason = g.lost->why.reason;
    if (g.reason == NULL)
        g.reason = g.fate != OB_REPLAY_RAN ? ob_replay_fate_get_info(g.fate)->help : "";
    return g;
}

/* ---- times ---- */

/* Times of an operator's calls together, one per measured pass; of a step that was interrupted before one was, those of
 * the last whole pass, or of the calls until then. */
static bool take_times(const ob_made_case *m, const group *g, ob_series *out)
{
    const size_t width = 2 * (size_t)m->plan.names.count;
    const size_t count = m->row_count > 0 ? m->row_count : 1;
    if (!ob__series_reserve(out, count))
        return false;
    for (size_t i = 0; i < m->row_count; i++)
        out->values[out->count++] = m->rows_ns[i * width + g->column];
    if (m->row_count == 0 && m->is_stopped)
        out->values[out->count++] = m->row_ns[g->column];
    return true;
}

/* Of a pass that was not finished, the calls that were made. */
static void take_unfinished(ob_made_case *m)
{
    if (!m->is_stopped || m->row_count > 0 || m->has_row)
        return;
    for (size_t i = 0; i < m->plan.step_count; i++) {
        const ob_replay_step *step = &m->plan.steps[i];
        if (i < m->stopped_at)
            m->row_ns[2 * (size_t)step->op + step->in_float32] += m->call_ns[i];
    }
}

/* Whether the call is in the times that there are. */
static bool was_made(const ob_made_case *m, size_t at)
{
    return !m->is_stopped || m->row_count > 0 || m->has_row || at < m->stopped_at;
}

static double median_of(ob_series *times)
{
    if (times->count == 0)
        return 0;
    ob_stats_sort(times->values, times->count);
    return ob_stats_quantile(times->values, times->count, 0.5);
}

/* ---- coverage ---- */

/* Counted are the chosen calls; one that was replaced ran if all did that stand in its place. */
static ob_status fill_coverage(const ob_made_case *m, ob_record_replay *r, ob_err *err)
{
    enum { COMPUTES = 1, MISSES = 2, HOST_ONLY = 4 };
    const size_t ops = m->plan.names.count, tops = m->plan.top_count;
    uint8_t *seen = calloc(ops + 1, 1), *calls = calloc(tops + 1, 1);
    const bool ok = seen != NULL && calls != NULL;
    r->computing = r->ran = r->operators = r->operators_ran = 0;
    for (size_t i = 0; ok && i < m->plan.step_count; i++) {
        const ob_replay_step *step = &m->plan.steps[i];
        const bool ran = step->fate == OB_REPLAY_RAN;
        if (ran)
            calls[step->top] |= was_made(m, i) ? COMPUTES : COMPUTES | MISSES;
        else
            calls[step->top] |=
                ob_replay_fate_get_info(step->fate)->missing ? COMPUTES | MISSES : HOST_ONLY;
    }
    for (size_t i = 0; ok && i < tops; i++) {
        if (calls[i] == HOST_ONLY)
            continue;
        r->computing++;
        r->ran += (calls[i] & MISSES) == 0;
        seen[m->plan.tops[i]] |= COMPUTES | (calls[i] & MISSES);
    }
    for (size_t i = 0; ok && i < ops; i++) {
        r->operators += seen[i] != 0;
        r->operators_ran += seen[i] == COMPUTES;
    }
    free(seen);
    free(calls);
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
}

/* ---- parts ---- */

/* Whether its records are wanted. */
static bool is_told(const ob_made_case *m, size_t at)
{
    const ob_replay_fate fate = m->plan.steps[at].fate;
    return fate == OB_REPLAY_RAN
               ? was_made(m, at)
               : !m->settings.options.compute_only || ob_replay_fate_get_info(fate)->missing;
}

static size_t gather(const ob_made_case *m, group *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < m->plan.step_count; i++)
        if (is_told(m, i))
            groups[count++] = group_of(m, i);
    for (size_t i = 0; i < ob_trace_node_count(m->trace); i++)
        if (m->replaced[i] != NULL) {
            groups[count] = (group){.name = ob_trace_node_at(m->trace, i)->name,
                                    .fate = OB_REPLAY_REPLACED,
                                    .reason = m->replaced[i],
                                    .count = 1};
            count++;
        }
    return merge(groups, count);
}

static void fill_part(const ob_made_case *m, const group *g, const ob_record_result *step,
                      ob_record_result *r)
{
    const ob_replay_fate_info *info = ob_replay_fate_get_info(g->fate);
    r->op_name = g->name;
    r->id = step->id;
    r->index = step->index;
    r->part_of = step->key;
    r->status = g->lost != NULL ? g->lost->why.status : info != NULL ? info->status : OB_RECORD_OK;
    r->reason = g->fate != OB_REPLAY_RAN ? g->reason : NULL;
    r->signal = g->lost != NULL && g->lost->why.signal[0] != '\0' ? g->lost->why.signal : NULL;
    r->replay.what = info != NULL ? info->word : NULL;
    r->replay.trace = step->replay.trace;
    r->replay.step = step->replay.step;
    r->count = (int64_t)g->count;
    r->check_verdict = g->check;
    r->backend = step->backend;
    r->device = step->device;
    r->mode = step->mode;
    r->threads = step->threads;
    r->seed = m->session->options.seed;
    r->task = (ob_task_spec){.stmt = g->name,
                             .label = step->task.label,
                             .sub_label = g->name,
                             .description = step->task.description,
                             .num_threads = step->threads};
}

/* An operator's calls are the iterations of a block, one block per pass. */
static ob_status print_part(const ob_made_case *m, const group *g, const ob_record_result *step,
                            int64_t number, ob_text *parts, ob_err *err)
{
    static const ob_pass_facts FACTS = {.source = OB_OVER_PASSES};
    ob_record record;
    ob_exec_result times = {.number_per_run = g->count};
    ob_pass_statistics statistics = {0};
    double *raw = NULL;
    ob_series *measured = &times.forward.measure_ns;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    fill_part(m, g, step, &record.result);
    record.result.part = number;
    ob_status status = !has_times(g) || take_times(m, g, measured)
                           ? OB_OK
                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the samples");
    for (size_t i = 0; status == OB_OK && i < measured->count; i++)
        measured->values[i] /= (double)g->count;
    if (status == OB_OK && measured->count > 0)
        status = ob__fill_pass(&times.forward, &FACTS, &statistics, &record.result.forward, err);
    if (status == OB_OK && measured->count > 0)
        status = ob__fill_raw_times(&times, &raw, &record.result, err);
    if (status == OB_OK)
        status = ob_record_print(&record, parts, err);
    ob__pass_statistics_fini(&statistics);
    ob__exec_result_fini(&times);
    free(raw);
    return status;
}

static ob_status print_parts(const ob_made_case *m, const ob_record_result *step, ob_text *parts,
                             ob_err *err)
{
    group *groups = calloc(m->plan.step_count + ob_trace_node_count(m->trace) + 1, sizeof *groups);
    if (groups == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    const size_t count = gather(m, groups);
    ob_series times = {0};
    for (size_t i = 0; i < count; i++) {
        times.count = 0;
        if (has_times(&groups[i]) && take_times(m, &groups[i], &times))
            groups[i].total_ns = median_of(&times);
    }
    if (count > 0)
        qsort(groups, count, sizeof *groups, for_people);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++)
        status = print_part(m, &groups[i], step, (int64_t)i, parts, err);
    ob__series_fini(&times);
    free(groups);
    return status;
}

/* ---- */

/* With --profile-output: the calls of the last pass, one behind the other, without the gaps in which arguments were made. */
static ob_status fill_kernels(ob_made_case *m, ob_record_result *r, ob_err *err)
{
    enum { NAME, PASS, DEPTH, START, DURATION, FIELDS };
    static const char FORWARD[] = "forward";
    OB_TRY(ob_json_doc_create(&m->kernels, err));
    ob_json *list = ob_json_new_array(m->kernels);
    double start_ns = (double)m->started_ns;
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < m->plan.step_count; i++) {
        const ob_replay_step *step = &m->plan.steps[i];
        if (step->fate != OB_REPLAY_RAN || (m->is_stopped && i >= m->stopped_at))
            continue;
        const char *name = m->plan.name_of[step->op];
        const ob_json *const fields[FIELDS] = {
            [NAME] = ob_json_new_string(m->kernels, name, strlen(name)),
            [PASS] = ob_json_new_string(m->kernels, FORWARD, sizeof FORWARD - 1),
            [DEPTH] = ob_json_new_int(m->kernels, 0),
            [START] = ob_json_new_int(m->kernels, (int64_t)start_ns),
            [DURATION] = ob_json_new_int(m->kernels, (int64_t)m->call_ns[i])};
        ob_json *call = ob_json_new_array(m->kernels);
        ok = call != NULL;
        for (int f = 0; ok && f < FIELDS; f++)
            ok = fields[f] != NULL && ob_json_append(m->kernels, call, fields[f], NULL) == OB_OK;
        ok = ok && ob_json_append(m->kernels, list, call, NULL) == OB_OK;
        start_ns += m->call_ns[i];
    }
    r->kernels = list;
    r->kernel_iterations = 1;
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the calls of a pass");
}

static void judge(ob_made_case *m, ob_record_result *r)
{
    const ob_record_replay *replay = &r->replay;
    if (m->is_stopped) {
        r->status = OB_RECORD_INTERRUPTED;
        snprintf(m->reason, sizeof m->reason,
                 "it was interrupted after %zu of the %zu calls of pass %llu%s", m->stopped_at,
                 m->plan.step_count, (unsigned long long)m->passes,
                 m->row_count > 0 ? ""
                 : m->has_row     ? "; operator times are from the pass before"
                                  : "; operator times are from these calls");
    } else if (r->status == OB_RECORD_OK && replay->computing == 0) {
        r->status = OB_RECORD_MISTRUSTED;
        snprintf(m->reason, sizeof m->reason,
                 "no call of it computes anything, so nothing was timed; record the trace from "
                 "before the step on");
    } else if (r->status == OB_RECORD_OK && replay->ran < replay->computing) {
        r->status = OB_RECORD_MISTRUSTED;
        snprintf(
            m->reason, sizeof m->reason,
            "%lld of %lld computing calls did not run, so this is not the time of the whole step",
            (long long)(replay->computing - replay->ran), (long long)replay->computing);
    } else {
        return;
    }
    r->reason = m->reason;
}

ob_status ob__replay_report(ob_made_case *m, ob_record *record, ob_text *parts, ob_err *err)
{
    ob_record_result *r = &record->result;
    const int64_t iteration = m->settings.selection.iteration;
    r->replay.trace = ob_trace_name(m->trace);
    if (iteration >= 0)
        r->replay.step = ob_trace_iteration_at(m->trace, (size_t)iteration)->name;
    r->replay.calls = (int64_t)m->plan.step_count;
    r->replay.bfloat16_for_half = m->bfloat16_for_half;
    r->replay.untouched_bytes = m->values.untouched_bytes;
    r->task.label = r->replay.trace;
    r->task.sub_label = r->replay.step != NULL ? r->replay.step : "all";
    OB_TRY(fill_coverage(m, &r->replay, err));
    take_unfinished(m);
    judge(m, r);
    if (m->session->options.profile)
        OB_TRY(fill_kernels(m, r, err));
    return print_parts(m, r, parts, err);
}
