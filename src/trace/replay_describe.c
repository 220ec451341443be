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
    const char *name;
    ob_replay_skip skip;
    const char *reason;
    uint64_t count;
} group;

static const char *help_of(ob_replay_skip skip)
{
    switch (skip) {
#define HELP_TEXT(id, word, compute, help)                                                         \
    case OB_REPLAY_##id:                                                                           \
        return help;
        OB_REPLAY_SKIP_MAP(HELP_TEXT)
#undef HELP_TEXT
    case OB_REPLAY_SKIP_COUNT:
    case OB_REPLAY_RAN:
        break;
    }
    return "";
}

static int by_group(const void *a, const void *b)
{
    const group *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    if (order != 0)
        return order;
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

/* Equal ones become one, the most frequent first. */
static size_t merge(group *groups, size_t count)
{
    size_t kept = 0;
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

static const char *reason_of(const ob_replay *r, size_t at)
{
    const ob_replay_step *step = &r->plan.steps[at];
    if (r->reasons[at] != NULL)
        return r->reasons[at];
    if (step->skip == OB_REPLAY_RAN)
        return "";
    return step->why != NULL ? step->why : help_of(step->skip);
}

static void add_group(group *groups, size_t *count, const group *one)
{
    groups[*count] = *one;
    *count += 1;
}

static size_t gather(const ob_replay *r, group *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        if (step->skip != OB_REPLAY_RAN)
            add_group(groups, &count,
                      &(group){.name = r->plan.name_of[step->op],
                               .skip = step->skip,
                               .reason = reason_of(r, i),
                               .count = 1});
    }
    return merge(groups, count);
}

static void describe_groups(ob_describe *d, group *groups, size_t count, const char *key,
                            ob_json *out)
{
    ob_json *list = ob_json_new_array(d->doc);
    count = groups != NULL ? merge(groups, count) : 0;
    for (size_t i = 0; i < count; i++) {
        ob_json *row = ob_json_new_object(d->doc);
        ob__describe_text(d, row, "name", groups[i].name);
        ob__describe_text(d, row, "reason", groups[i].reason);
        ob__describe_int(d, row, "count", (int64_t)groups[i].count);
        ob__describe_append(d, list, row);
    }
    ob__describe_set(d, out, key, groups != NULL ? list : NULL);
}

/* Calls in whose place the calls stand that they made. */
static void describe_replaced(ob_describe *d, const ob_replay *r, ob_json *out)
{
    const size_t nodes = ob_trace_node_count(r->trace);
    size_t count = 0;
    for (size_t i = 0; i < nodes; i++)
        count += r->replaced[i] != NULL;
    group *groups = calloc(count + 1, sizeof *groups);
    count = 0;
    for (size_t i = 0; groups != NULL && i < nodes; i++)
        if (r->replaced[i] != NULL)
            add_group(groups, &count,
                      &(group){.name = ob_trace_node_at(r->trace, i)->name,
                               .reason = r->replaced[i],
                               .count = 1});
    describe_groups(d, groups, count, "replaced", out);
    free(groups);
}

/* Calls that have no kernel in half or bfloat16. */
static void describe_widened(ob_describe *d, const ob_replay *r, ob_json *out)
{
    group *groups = calloc(r->plan.step_count + 1, sizeof *groups);
    size_t count = 0;
    for (size_t i = 0; groups != NULL && i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        if (step->in_float32 && step->skip == OB_REPLAY_RAN)
            add_group(
                groups, &count,
                &(group){.name = r->plan.name_of[step->op], .reason = reason_of(r, i), .count = 1});
    }
    describe_groups(d, groups, count, "in_float32", out);
    free(groups);
}

static void describe_skipped(ob_describe *d, const ob_replay *r, ob_json *out)
{
    group *groups = calloc(r->plan.step_count + 1, sizeof *groups);
    ob_json *lists[2] = {ob_json_new_array(d->doc), ob_json_new_array(d->doc)};
    const size_t count = groups != NULL ? gather(r, groups) : 0;
    for (size_t i = 0; i < count; i++) {
        ob_json *row = ob_json_new_object(d->doc);
        ob__describe_text(d, row, "name", groups[i].name);
        ob__describe_text(d, row, "what", ob_replay_skip_word(groups[i].skip));
        ob__describe_text(d, row, "reason", groups[i].reason);
        ob__describe_int(d, row, "count", (int64_t)groups[i].count);
        ob__describe_append(d, lists[ob_replay_skip_is_compute(groups[i].skip)], row);
    }
    ob__describe_set(d, out, "skipped", groups != NULL ? lists[1] : NULL);
    ob__describe_set(d, out, "not_compute", groups != NULL ? lists[0] : NULL);
    free(groups);
}

/* Counted are the chosen calls; one that was replaced ran if all did that stand in its place. */
static void describe_coverage(ob_describe *d, const ob_replay *r, ob_json *out)
{
    enum { COMPUTES = 1, MISSES = 2, HOST_ONLY = 4 };
    const size_t ops = r->plan.names.count, tops = r->plan.top_count;
    uint8_t *seen = calloc(ops + 1, 1), *calls = calloc(tops + 1, 1);
    uint64_t compute = 0, ran = 0, compute_ops = 0, whole_ops = 0;
    for (size_t i = 0; calls != NULL && i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        if (!ob_replay_skip_is_compute(step->skip))
            calls[step->top] |= HOST_ONLY;
        else
            calls[step->top] |= step->skip == OB_REPLAY_RAN ? COMPUTES : COMPUTES | MISSES;
    }
    for (size_t i = 0; seen != NULL && calls != NULL && i < tops; i++) {
        if (calls[i] == HOST_ONLY)
            continue;
        compute++;
        ran += (calls[i] & MISSES) == 0;
        seen[r->plan.tops[i]] |= COMPUTES | (calls[i] & MISSES);
    }
    for (size_t i = 0; seen != NULL && i < ops; i++) {
        compute_ops += seen[i] != 0;
        whole_ops += seen[i] == COMPUTES;
    }
    ob_json *coverage = ob_json_new_object(d->doc);
    ob__describe_real(d, coverage, "nodes", compute > 0 ? (double)ran / (double)compute : 1);
    ob__describe_real(d, coverage, "operators",
                      compute_ops > 0 ? (double)whole_ops / (double)compute_ops : 1);
    ob__describe_int(d, coverage, "ran", (int64_t)ran);
    ob__describe_int(d, coverage, "compute", (int64_t)compute);
    ob__describe_int(d, coverage, "operators_ran", (int64_t)whole_ops);
    ob__describe_int(d, coverage, "operators_compute", (int64_t)compute_ops);
    ob__describe_set(d, out, "coverage", seen != NULL && calls != NULL ? coverage : NULL);
    free(seen);
    free(calls);
}

/* Names of median, mean and extremes: of passes, of operators. */
static const char *const PASS_NAMES[] = {"median", "mean", "min", "max"};
static const char *const OPERATOR_NAMES[] = {"time_ns", "mean_ns", "min_ns", "max_ns"};

/* Those and the 95 % interval of the mean, over passes. */
static bool describe_spread(ob_describe *d, const double *values, size_t count,
                            const char *const *names, ob_json *out)
{
    double *scratch = calloc(count + 1, sizeof *scratch);
    ob_stats stats;
    ob_interval interval;
    if (scratch == NULL)
        return false;
    if (count > 0 && ob_stats_compute(values, count, scratch, &stats, NULL) == OB_OK) {
        const double numbers[] = {stats.median, stats.mean, stats.min, stats.max};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            ob__describe_real(d, out, names[i], numbers[i]);
        if (ob_interval_from_processes(values, count, 0, &interval, NULL) == OB_OK &&
            interval.enough) {
            ob__describe_real(d, out, "ci_low", interval.low > 0 ? interval.low : 0);
            ob__describe_real(d, out, "ci_high", interval.high);
            ob__describe_real(d, out, "confidence", interval.confidence);
        }
    }
    free(scratch);
    return true;
}

static void describe_times(ob_describe *d, const ob_replay *r, ob_json *out)
{
    ob_json *times = ob_json_new_object(d->doc), *raw = ob_json_new_array(d->doc);
    ob__describe_text(d, times, "unit", "ns");
    ob__describe_int(d, times, "warmup", (int64_t)r->warmup);
    ob__describe_int(d, times, "iterations", (int64_t)r->time_count);
    const bool ok = describe_spread(d, r->times_ns, r->time_count, PASS_NAMES, times);
    for (size_t i = 0; i < r->time_count; i++)
        ob__describe_append(d, raw, ob_json_new_real(d->doc, r->times_ns[i]));
    ob__describe_set(d, times, "raw", ok ? raw : NULL);
    ob__describe_set(d, out, "times", times);
}

typedef struct op_time {
    uint32_t op;
    uint64_t calls;
    double median;
} op_time;

static int longest_first(const void *a, const void *b)
{
    const op_time *x = a, *y = b;
    if (x->median != y->median)
        return x->median > y->median ? -1 : 1;
    return x->op < y->op ? -1 : 1;
}

static void take_column(const ob_replay *r, size_t op, double *column)
{
    for (size_t pass = 0; pass < r->time_count; pass++)
        column[pass] = r->op_ns[pass * r->plan.names.count + op];
}

static void describe_operator(ob_describe *d, const ob_replay *r, const op_time *op, double total,
                              double *column, ob_json *list)
{
    ob_json *row = ob_json_new_object(d->doc);
    take_column(r, op->op, column);
    ob__describe_text(d, row, "name", r->plan.name_of[op->op]);
    ob__describe_int(d, row, "count", (int64_t)op->calls);
    ob__describe_real(d, row, "share", total > 0 ? op->median / total : 0);
    const bool ok = describe_spread(d, column, r->time_count, OPERATOR_NAMES, row);
    ob__describe_append(d, list, ok ? row : NULL);
}

static double median_of(const ob_replay *r, size_t op, double *column, double *scratch)
{
    ob_stats stats;
    take_column(r, op, column);
    return r->time_count > 0 &&
                   ob_stats_compute(column, r->time_count, scratch, &stats, NULL) == OB_OK
               ? stats.median
               : 0;
}

/* Operators that ran, those with most time first. Shares are of the sum of the medians: one pass in which something
 * else had the machine does not move them. */
static void describe_operators(ob_describe *d, const ob_replay *r, ob_json *out)
{
    const size_t ops = r->plan.names.count;
    op_time *rows = calloc(ops + 1, sizeof *rows);
    double *column = calloc(r->time_count + 1, sizeof *column);
    double *scratch = calloc(r->time_count + 1, sizeof *scratch);
    const bool ok = rows != NULL && column != NULL && scratch != NULL;
    ob_json *list = ob_json_new_array(d->doc);
    double total = 0;
    for (uint32_t i = 0; ok && i < ops; i++) {
        rows[i].op = i;
        rows[i].median = median_of(r, i, column, scratch);
        total += rows[i].median;
    }
    for (size_t i = 0; ok && i < r->plan.step_count; i++)
        rows[r->plan.steps[i].op].calls += r->plan.steps[i].skip == OB_REPLAY_RAN;
    if (ok && ops > 0)
        qsort(rows, ops, sizeof *rows, longest_first);
    for (size_t i = 0; ok && i < ops; i++)
        if (rows[i].calls > 0)
            describe_operator(d, r, &rows[i], total, column, list);
    ob__describe_set(d, out, "operators", ok ? list : NULL);
    free(rows);
    free(column);
    free(scratch);
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
    describe_replaced(&d, r, object);
    describe_widened(&d, r, object);
    describe_times(&d, r, object);
    describe_operators(&d, r, object);
    ob__describe_int(&d, object, "untouched_bytes", (int64_t)r->untouched_bytes);
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
    bool ok = ob_text_append_str(text, "{\"traceEvents\": [");
    bool first = true;
    for (size_t i = 0; ok && i < r->plan.step_count; i++) {
        const ob_replay_step *step = &r->plan.steps[i];
        const char *name = r->plan.name_of[step->op];
        const double us = (double)r->step_ns[i] / 1e3;
        if (step->skip != OB_REPLAY_RAN)
            continue;
        ok =
            ob_text_append_str(text, first ? "\n" : ",\n") &&
            ob_text_append_str(text, "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"pid\": 1, \"tid\": 1, "
                                     "\"name\": ") &&
            ob__json_write_string(text, name, strlen(name)) &&
            ob_text_printf(text, ", \"ts\": %.3f, \"dur\": %.3f, \"args\": {\"node\": %lld}}",
                           start_us, us, (long long)step->node->id);
        start_us += us;
        first = false;
    }
    ok = ok && ob_text_append_str(text, "\n]}\n");
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a trace file");
}
