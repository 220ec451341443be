/* SPDX-License-Identifier: Apache-2.0
 *
 * A replay as JSON: how much ran, what did not and why, how long it took.
 */
#include "base/json_node.h"
#include "opbench/measure.h"
#include "trace/describe.h"
#include "trace/replay_int.h"

#include <stdlib.h>
#include <string.h>

/* One line of the list of skipped calls: equal name, kind and reason are counted. */
typedef struct group {
    uint32_t op;
    ob_replay_skip skip;
    const char *reason;
    uint64_t count;
} group;

static const char *help_of(ob_replay_skip skip)
{
    static const char *const HELP[] = {
#define HELP_TEXT(id, word, compute, help) help,
        OB_REPLAY_SKIP_MAP(HELP_TEXT)
#undef HELP_TEXT
    };
    return HELP[skip];
}

static int by_group(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->skip != y->skip)
        return x->skip < y->skip ? -1 : 1;
    return strcmp(x->reason, y->reason);
}

static int by_count(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return by_group(a, b);
}

static size_t gather(const ob_replay *r, group *groups)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        if (step->skip == OB_REPLAY_RAN)
            continue;
        groups[count] =
            (group){.op = step->op,
                    .skip = step->skip,
                    .reason = r->reasons[i] != NULL ? r->reasons[i] : help_of(step->skip),
                    .count = 1};
        count++;
    }
    if (count > 0)
        qsort(groups, count, sizeof *groups, by_group);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_group(&groups[kept - 1], &groups[i]) == 0)
            groups[kept - 1].count++;
        else
            groups[kept++] = groups[i];
    }
    if (kept > 0)
        qsort(groups, kept, sizeof *groups, by_count);
    return kept;
}

static void describe_skipped(ob_describe *d, const ob_replay *r, ob_json *out)
{
    group *groups = calloc(r->plan.step_count + 1, sizeof *groups);
    ob_json *lists[2] = {ob_json_new_array(d->doc), ob_json_new_array(d->doc)};
    const size_t count = groups != NULL ? gather(r, groups) : 0;
    for (size_t i = 0; i < count; i++) {
        ob_json *row = ob_json_new_object(d->doc);
        ob__describe_text(d, row, "name", r->plan.name_of[groups[i].op]);
        ob__describe_text(d, row, "what", ob_replay_skip_word(groups[i].skip));
        ob__describe_text(d, row, "reason", groups[i].reason);
        ob__describe_int(d, row, "count", (int64_t)groups[i].count);
        ob__describe_append(d, lists[ob_replay_skip_is_compute(groups[i].skip)], row);
    }
    ob__describe_set(d, out, "skipped", groups != NULL ? lists[1] : NULL);
    ob__describe_set(d, out, "not_compute", groups != NULL ? lists[0] : NULL);
    free(groups);
}

static void describe_coverage(ob_describe *d, const ob_replay *r, ob_json *out)
{
    const size_t ops = r->plan.names.count;
    uint8_t *seen = calloc(ops + 1, 1); /* 1: computing, 2: some call did not run */
    uint64_t compute = 0, ran = 0, compute_ops = 0, whole_ops = 0;
    for (size_t i = 0; seen != NULL && i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        if (!ob_replay_skip_is_compute(step->skip))
            continue;
        compute++;
        ran += step->skip == OB_REPLAY_RAN;
        seen[step->op] |= step->skip == OB_REPLAY_RAN ? 1 : 3;
    }
    for (size_t i = 0; seen != NULL && i < ops; i++) {
        compute_ops += seen[i] != 0;
        whole_ops += seen[i] == 1;
    }
    ob_json *coverage = ob_json_new_object(d->doc);
    ob__describe_real(d, coverage, "nodes", compute > 0 ? (double)ran / (double)compute : 1);
    ob__describe_real(d, coverage, "operators",
                      compute_ops > 0 ? (double)whole_ops / (double)compute_ops : 1);
    ob__describe_int(d, coverage, "ran", (int64_t)ran);
    ob__describe_int(d, coverage, "compute", (int64_t)compute);
    ob__describe_int(d, coverage, "operators_ran", (int64_t)whole_ops);
    ob__describe_int(d, coverage, "operators_compute", (int64_t)compute_ops);
    ob__describe_set(d, out, "coverage", seen != NULL ? coverage : NULL);
    free(seen);
}

static void describe_times(ob_describe *d, const ob_replay *r, ob_json *out)
{
    ob_json *times = ob_json_new_object(d->doc), *raw = ob_json_new_array(d->doc);
    double *scratch = calloc(r->time_count + 1, sizeof *scratch);
    ob_stats stats;
    ob_interval interval;
    ob__describe_text(d, times, "unit", "ns");
    ob__describe_int(d, times, "warmup", (int64_t)r->warmup);
    ob__describe_int(d, times, "iterations", (int64_t)r->time_count);
    if (scratch != NULL && r->time_count > 0 &&
        ob_stats_compute(r->times_ns, r->time_count, scratch, &stats, NULL) == OB_OK) {
        ob__describe_real(d, times, "mean", stats.mean);
        ob__describe_real(d, times, "median", stats.median);
        ob__describe_real(d, times, "min", stats.min);
        ob__describe_real(d, times, "max", stats.max);
        if (ob_interval_from_processes(r->times_ns, r->time_count, 0, &interval, NULL) == OB_OK &&
            interval.enough) {
            ob__describe_real(d, times, "ci_low", interval.low > 0 ? interval.low : 0);
            ob__describe_real(d, times, "ci_high", interval.high);
            ob__describe_real(d, times, "confidence", interval.confidence);
        }
    }
    for (size_t i = 0; i < r->time_count; i++)
        ob__describe_append(d, raw, ob_json_new_real(d->doc, r->times_ns[i]));
    ob__describe_set(d, times, "raw", scratch != NULL ? raw : NULL);
    ob__describe_set(d, out, "times", times);
    free(scratch);
}

typedef struct op_time {
    uint32_t op;
    uint64_t calls;
    double ns;
} op_time;

static int longest_first(const void *a, const void *b)
{
    const op_time *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return x->op < y->op ? -1 : 1;
}

static void describe_operators(ob_describe *d, const ob_replay *r, ob_json *out)
{
    const size_t ops = r->plan.names.count;
    op_time *rows = calloc(ops + 1, sizeof *rows);
    ob_json *list = ob_json_new_array(d->doc);
    double total = 0;
    for (uint32_t i = 0; rows != NULL && i < ops; i++) {
        rows[i] =
            (op_time){.op = i, .ns = r->time_count > 0 ? r->op_ns[i] / (double)r->time_count : 0};
        total += rows[i].ns;
    }
    for (size_t i = 0; rows != NULL && i < r->plan.step_count; i++)
        rows[r->plan.steps[i].op].calls += r->plan.steps[i].skip == OB_REPLAY_RAN;
    if (rows != NULL && ops > 0)
        qsort(rows, ops, sizeof *rows, longest_first);
    for (size_t i = 0; rows != NULL && i < ops; i++) {
        if (rows[i].calls == 0)
            continue;
        ob_json *row = ob_json_new_object(d->doc);
        ob__describe_text(d, row, "name", r->plan.name_of[rows[i].op]);
        ob__describe_int(d, row, "count", (int64_t)rows[i].calls);
        ob__describe_real(d, row, "time_ns", rows[i].ns);
        ob__describe_real(d, row, "share", total > 0 ? rows[i].ns / total : 0);
        ob__describe_append(d, list, row);
    }
    ob__describe_set(d, out, "operators", rows != NULL ? list : NULL);
    free(rows);
}

ob_status ob_replay_describe(const ob_replay *r, ob_json_doc *doc, const ob_json **out, ob_err *err)
{
    ob_describe d = {.doc = doc, .err = err};
    ob_json *object = ob_json_new_object(doc);
    *out = NULL;
    ob__describe_text(&d, object, "kind", "replay");
    ob__describe_text(&d, object, "trace", ob_trace_name(r->trace));
    ob__describe_text(&d, object, "backend", r->backend);
    if (r->iteration >= 0)
        ob__describe_text(&d, object, "iteration",
                          ob_trace_iteration_at(r->trace, (size_t)r->iteration)->name);
    ob__describe_int(&d, object, "calls", (int64_t)r->plan.step_count);
    ob__describe_set(&d, object, "half_to_bfloat16", ob_json_new_bool(doc, r->half_to_bfloat16));
    ob__describe_set(&d, object, "interrupted", ob_json_new_bool(doc, r->interrupted));
    describe_coverage(&d, r, object);
    describe_skipped(&d, r, object);
    describe_times(&d, r, object);
    describe_operators(&d, r, object);
    ob__describe_int(&d, object, "peak_bytes", (int64_t)r->peak_bytes);
    ob__describe_set(&d, object, "allocator_peak_bytes",
                     r->allocator_peak_bytes > 0
                         ? ob_json_new_int(doc, (int64_t)r->allocator_peak_bytes)
                         : ob_json_new_null(doc));
    if (d.status == OB_OK)
        *out = object;
    return d.status;
}

ob_status ob_replay_profile(const ob_replay *r, ob_text *text, ob_err *err)
{
    double start_us = 0;
    bool ok = ob__text_append_str(text, "{\"traceEvents\": [");
    bool first = true;
    for (size_t i = 0; ok && i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        const char *name = r->plan.name_of[step->op];
        const double us = (double)r->step_ns[i] / 1e3;
        if (step->skip != OB_REPLAY_RAN)
            continue;
        ok = ob__text_append_str(text, first ? "\n" : ",\n") &&
             ob__text_append_str(text,
                                 "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"pid\": 1, \"tid\": 1, "
                                 "\"name\": ") &&
             ob__json_write_string(text, name, strlen(name)) &&
             ob__text_printf(text, ", \"ts\": %.3f, \"dur\": %.3f, \"args\": {\"node\": %lld}}",
                             start_us, us, (long long)step->node->id);
        start_us += us;
        first = false;
    }
    ok = ok && ob__text_append_str(text, "\n]}\n");
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a trace file");
}
