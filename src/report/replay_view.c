/* SPDX-License-Identifier: Apache-2.0
 *
 * Replays. People get, for each step and backend, what was replayed and how much of it, then the operators, those of
 * several backends beside each other; programs get a row per operator, per kind of call that was not made, and per step.
 */
#include "report/views.h"

#include "opbench/replay.h"
#include "opbench/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One step, on one backend or on several in turns. */
typedef struct group {
    ob_table *summaries[OB_MOST_REPLAY_BACKENDS];
    size_t count;
    ob_table *operators; /* of the first backend */
    ob_side_by_side_view *sides;
} group;

struct ob_replay_view {
    ob_table *all;
    ob_field_columns fields;
    group *groups;
    size_t count, room;
    ob_text parts; /* lines of parts whose step has not come */
    bool no_memory;
};

/* ---- all rows ---- */

enum { FIELD, OPERATOR, CALLS, TIME, LOW, HIGH, SHARE };
static const struct {
    ob_column column;
    int what;
    const char *path; /* of a field */
} COLUMNS[] = {
    {{.title = "trace", .name = "trace"}, FIELD, "replay/trace"},
    {{.title = "step", .name = "step"}, FIELD, "replay/step"},
    {{.title = "backend", .name = "backend"}, FIELD, "backend"},
    {{.title = "operator", .name = "operator"}, OPERATOR, NULL},
    {{.title = "status", .name = "status"}, FIELD, "status"},
    {{.name = "what"}, FIELD, "replay/what"},
    {{.title = "calls", .name = "calls", .hint = OB_HINT_COUNT}, CALLS, NULL},
    {{.title = "time", .name = "time_ns", .hint = OB_HINT_TIME}, TIME, NULL},
    {{.name = "time_low_ns", .hint = OB_HINT_TIME}, LOW, NULL},
    {{.name = "time_high_ns", .hint = OB_HINT_TIME}, HIGH, NULL},
    {{.title = "share", .name = "share", .hint = OB_HINT_SHARE}, SHARE, NULL},
    {{.name = "passes"}, FIELD, "statistics/*/count"},
    {{.name = "ratio"}, FIELD, "statistics/*/ratio/value"},
    {{.name = "ratio_low"}, FIELD, "statistics/*/ratio/low"},
    {{.name = "ratio_high"}, FIELD, "statistics/*/ratio/high"},
    {{.name = "check"}, FIELD, "check/verdict"},
    {{.name = "computing"}, FIELD, "replay/computing"},
    {{.name = "ran"}, FIELD, "replay/ran"},
    {{.name = "operators"}, FIELD, "replay/operators"},
    {{.name = "operators_ran"}, FIELD, "replay/operators_ran"},
    {{.name = "bfloat16_for_half"}, FIELD, "replay/bfloat16_for_half"},
    {{.name = "process_peak"}, FIELD, "process_peak"},
    {{.name = "untouched"}, FIELD, "replay/untouched"},
    {{.name = "reason"}, FIELD, "reason"},
    {{.name = "warnings"}, FIELD, "warnings"},
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS };

static size_t column_of(int what)
{
    size_t i = 0;
    while (COLUMNS[i].what != what)
        i++;
    return i;
}

ob_replay_view *ob__replay_view_create(const ob_table_choice *choice)
{
    ob_replay_view *view = calloc(1, sizeof *view);
    ob_table *all = view != NULL ? ob_table_create() : NULL;
    if (all == NULL) {
        free(view);
        return NULL;
    }
    view->all = all;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (COLUMNS[i].what == FIELD)
            ob__field_columns_add(&view->fields, all, COLUMNS[i].path, &COLUMNS[i].column);
        else
            ob_table_add_column(all, &COLUMNS[i].column);
    ob__field_columns_ask(&view->fields, all, choice);
    return view;
}

void ob__replay_view_destroy(ob_replay_view *view)
{
    if (view == NULL)
        return;
    for (size_t i = 0; i < view->count; i++) {
        for (size_t k = 0; k < view->groups[i].count; k++)
            ob_table_destroy(view->groups[i].summaries[k]);
        ob_table_destroy(view->groups[i].operators);
        ob__side_by_side_view_destroy(view->groups[i].sides);
    }
    ob_table_destroy(view->all);
    ob_text_fini(&view->parts);
    free(view->fields.items);
    free(view->groups);
    free(view);
}

/* An operator's time is that of all its calls in a pass; the record has it per call. */
static double calls_of(const ob_record_result *r)
{
    return r->part_of != NULL && r->count > 0 ? (double)r->count : 1;
}

static double time_ns(const ob_record_result *r)
{
    return r->forward.measure_time_ms.count > 0 ? r->forward.time_ms.median * 1e6 * calls_of(r)
                                                : (double)NAN;
}

static void add_row(ob_replay_view *view, const ob_record *record, double total_ns)
{
    const ob_record_result *r = &record->result;
    const double scale = 1e6 * calls_of(r);
    ob_table *all = view->all;
    ob_table_add_row(all);
    ob__field_columns_fill(&view->fields, all, record, false);
    ob_table_set_text(all, column_of(OPERATOR), r->part_of != NULL ? r->op_name : NULL);
    const int64_t calls = r->part_of != NULL ? r->count : r->replay.calls;
    ob_table_set_number(all, column_of(CALLS), calls != OB_NO_INT ? (double)calls : (double)NAN);
    ob_table_set_number(all, column_of(TIME), time_ns(r));
    ob_table_set_number(all, column_of(LOW), r->forward.interval_ms.low * scale);
    ob_table_set_number(all, column_of(HIGH), r->forward.interval_ms.high * scale);
    if (r->part_of != NULL && total_ns > 0)
        ob_table_set_number(all, column_of(SHARE), time_ns(r) / total_ns);
}

/* ---- for people: the operators ---- */

static const char *interval_text(const ob_record_pass *pass, double scale, char *out, size_t size)
{
    char low[32], high[32];
    if (isnan(pass->interval_ms.low))
        return NULL;
    snprintf(out, size, "%s to %s",
             ob_time_format(pass->interval_ms.low > 0 ? pass->interval_ms.low * scale : 0, low,
                            sizeof low),
             ob_time_format(pass->interval_ms.high * scale, high, sizeof high));
    return out;
}

enum { NAME, COUNT, TOTAL, PART, INTERVAL };

static ob_table *make_operators(void)
{
    static const ob_column TITLES[] = {
        [NAME] = {.title = "operator"},
        [COUNT] = {.title = "calls", .hint = OB_HINT_COUNT},
        [TOTAL] = {.title = "time", .hint = OB_HINT_TIME},
        [PART] = {.title = "share", .hint = OB_HINT_SHARE},
        [INTERVAL] = {.title = "95 % interval", .flags = OB_COLUMN_NOT_EMPTY}};
    ob_table *table = ob_table_create();
    for (size_t i = 0; table != NULL && i < sizeof TITLES / sizeof *TITLES; i++)
        ob_table_add_column(table, &TITLES[i]);
    return table;
}

static ob_status add_operator(group *g, const ob_record_result *r, double total_ns, ob_err *err)
{
    char interval[80];
    const double calls = calls_of(r);
    if (isnan(time_ns(r)))
        return OB_OK;
    if (g->count == 1) {
        ob_table_add_row(g->operators);
        ob_table_set_text(g->operators, NAME, r->op_name);
        ob_table_set_number(g->operators, COUNT, calls);
        ob_table_set_number(g->operators, TOTAL, time_ns(r));
        ob_table_set_number(g->operators, PART, total_ns > 0 ? time_ns(r) / total_ns : 0);
        ob_table_set_text(g->operators, INTERVAL,
                          interval_text(&r->forward, 1e6 * calls, interval, sizeof interval));
    }
    ob_record_result pass = *r;
    pass.forward.time_ms.median *= calls;
    pass.forward.time_ms.mean *= calls;
    pass.reason = NULL;
    return ob__side_by_side_view_add(g->sides, &pass, err);
}

/* ---- for people: the step ---- */

/* Libraries explain at length; the first sentence says what is wrong, the record has all of it. */
static int first_sentence(const char *text)
{
    enum { SHORT = 160 };
    const char *end = strpbrk(text, "\n");
    const char *stop = strstr(text, ". ");
    size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
    if (length > SHORT && stop != NULL && (size_t)(stop - text) < length)
        length = (size_t)(stop - text);
    return (int)(length > 2 * SHORT ? 2 * SHORT : length);
}

static void say(ob_table *table, const char *what, const char *format, ...) OB_PRINTF(3, 4);
static void say(ob_table *table, const char *what, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ob_table_add_row(table);
    ob_table_set_text(table, 0, what);
    ob_table_set_text(table, 1, text);
}

static const char *list_of(const ob_record_result *r)
{
    const ob_replay_fate fate = ob_replay_fate_from_word(r->replay.what);
    const ob_replay_fate_info *info = ob_replay_fate_get_info(fate);
    return info == NULL                   ? NULL
           : fate == OB_REPLAY_REPLACED   ? "inner calls"
           : fate == OB_REPLAY_IN_FLOAT32 ? "in float32"
           : fate == OB_REPLAY_DIFFERS    ? "differs"
           : info->missing                ? "skipped"
                                          : "not compute";
}

static void say_time(ob_table *table, const ob_record_result *r)
{
    char median[32], half[48] = "", mean[48] = "", number[32];
    const ob_record_pass *pass = &r->forward;
    const size_t passes = pass->measure_time_ms.count;
    if (passes == 0) {
        say(table, "time", "no pass was measured");
        return;
    }
    if (!isnan(pass->interval_ms.low))
        snprintf(half, sizeof half, " +- %s (95 %%)",
                 ob_time_format((pass->interval_ms.high - pass->interval_ms.low) / 2 * 1e6, number,
                                sizeof number));
    if (passes > 2)
        snprintf(mean, sizeof mean, ", mean %s",
                 ob_time_format(pass->time_ms.mean * 1e6, number, sizeof number));
    say(table, "time", "%s per pass%s%s; %zu %s after %zu to warm up",
        ob_time_format(pass->time_ms.median * 1e6, median, sizeof median), half, mean, passes,
        passes == 1 ? "pass" : "passes", pass->warmup_time_ms.count);
    if (pass->no_interval != NULL)
        say(table, "note", "%s", pass->no_interval);
    if (isnan(pass->ratio.low) && !isnan(pass->ratio.value))
        say(table, "ratio", "%.3f times %s's", pass->ratio.value, r->reference);
    else if (!isnan(pass->ratio.value))
        say(table, "ratio", "%.3f times %s's (%.3f to %.3f)", pass->ratio.value, r->reference,
            pass->ratio.low, pass->ratio.high);
}

/* A step that took its worker down has said nothing, but its case names the trace. */
static const char *trace_of(const ob_record_result *r)
{
    const ob_json *arg = ob_json_get(ob_json_get(r->input, "kwargs"), "trace");
    const char *name =
        r->replay.trace != NULL ? r->replay.trace : ob_json_string(ob_json_get(arg, "value"), NULL);
    return name != NULL ? name : "?";
}

static ob_table *begin_summary(const ob_record_result *r)
{
    char text[1024];
    const ob_record_replay *replay = &r->replay;
    ob_table *table = ob_table_create();
    if (table == NULL)
        return NULL;
    snprintf(text, sizeof text, "%s%s%s", trace_of(r), replay->step != NULL ? ", " : "",
             replay->step != NULL ? replay->step : "");
    if (replay->calls != OB_NO_INT)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %" PRId64 " call%s",
                 replay->calls, replay->calls == 1 ? "" : "s");
    ob_table_add_column(table, &(ob_column){.title = "trace"});
    ob_table_add_column(table, &(ob_column){.title = text});
    say(table, "backend", "%s, %" PRId64 " thread%s%s", r->backend != NULL ? r->backend : "?",
        r->threads, r->threads == 1 ? "" : "s",
        replay->bfloat16_for_half == 1 ? ", with bfloat16 instead of half" : "");
    if (replay->computing != OB_NO_INT)
        say(table, "coverage",
            "%" PRId64 " of %" PRId64 " computing calls (%.1f %%), %" PRId64 " of %" PRId64
            " operators",
            replay->ran, replay->computing,
            replay->computing > 0 ? 100.0 * (double)replay->ran / (double)replay->computing : 100,
            replay->operators_ran, replay->operators);
    return table;
}

static void end_summary(ob_table *table, const ob_record_result *r)
{
    static const double MIB = 1048576;
    say_time(table, r);
    if (r->check_verdict != NULL)
        say(table, "check", "%s; %.0f of %.0f elements compared", r->check_verdict,
            r->check_checked > 0 ? r->check_checked : 0,
            r->check_elements > 0 ? r->check_elements : 0);
    if (r->process_peak_bytes > 0)
        say(table, "peak memory", "%.1f MiB", (double)r->process_peak_bytes / MIB);
    if (r->replay.untouched_bytes > 0)
        say(table, "", "%.1f MiB of large tensors were left zero, because memory is short",
            (double)r->replay.untouched_bytes / MIB);
    /* The coverage says it, unless there is none. */
    if (r->reason != NULL && (r->status != OB_RECORD_MISTRUSTED || r->replay.computing == 0))
        say(table, ob_record_status_get_info(r->status)->word, "%.*s", first_sentence(r->reason),
            r->reason);
    for (size_t i = 0; i < r->warnings.count; i++)
        say(table, "note", "%s", r->warnings.items[i]);
}

/* ---- adding ---- */

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the table");
}

typedef ob_status (*part_fn)(void *ctx, const ob_record *part, ob_err *err);

static ob_status each_part(const ob_replay_view *view, part_fn fn, void *ctx, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *part;
    if (view->parts.size == 0)
        return OB_OK;
    OB_TRY(ob_record_reader_open_memory("parts", view->parts.data, view->parts.size, NULL, &reader,
                                        err));
    ob_status status;
    while ((status = ob_record_reader_next(reader, &part, err)) == OB_OK &&
           (status = fn(ctx, part, err)) == OB_OK)
        continue;
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

typedef struct adding {
    ob_replay_view *view;
    group *group;
    ob_table *summary;
    double
        total_ns; /* of all operators: their shares are of it, whatever else had the machine in a pass */
} adding;

static ob_status sum_part(void *ctx, const ob_record *part, ob_err *err)
{
    adding *a = ctx;
    const double ns = time_ns(&part->result);
    (void)err;
    a->total_ns += isnan(ns) ? 0 : ns;
    return OB_OK;
}

static ob_status add_part(void *ctx, const ob_record *part, ob_err *err)
{
    const adding *a = ctx;
    const ob_record_result *r = &part->result;
    const char *list = list_of(r), *reason = r->reason != NULL ? r->reason : "";
    add_row(a->view, part, a->total_ns);
    if (list != NULL)
        say(a->summary, list, "%" PRId64 "  %s: %.*s", r->count, r->op_name, first_sentence(reason),
            reason);
    return add_operator(a->group, r, a->total_ns, err);
}

/* A backend that took turns with those before it stands beside them. */
static group *find_group(ob_replay_view *view, const ob_record_result *r)
{
    if (view->count > 0 && r->reference != NULL &&
        view->groups[view->count - 1].count < OB_MOST_REPLAY_BACKENDS)
        return &view->groups[view->count - 1];
    if (!OB_RESERVE(view->groups, view->room, view->count + 1))
        return NULL;
    group *last = &view->groups[view->count++];
    *last = (group){.operators = make_operators(), .sides = ob__side_by_side_view_create(false)};
    return last->operators != NULL && last->sides != NULL ? last : NULL;
}

static ob_status add_step(ob_replay_view *view, const ob_record *record, ob_err *err)
{
    adding a = {.view = view,
                .group = find_group(view, &record->result),
                .summary = begin_summary(&record->result)};
    if (a.group == NULL || a.summary == NULL) {
        ob_table_destroy(a.summary);
        return no_memory(err);
    }
    a.group->summaries[a.group->count++] = a.summary;
    OB_TRY(each_part(view, sum_part, &a, err));
    OB_TRY(each_part(view, add_part, &a, err));
    add_row(view, record, a.total_ns);
    end_summary(a.summary, &record->result);
    view->parts.size = 0;
    return OB_OK;
}

ob_status ob__replay_view_add(ob_replay_view *view, const ob_record *record, ob_err *err)
{
    if (record->result.part_of == NULL)
        return add_step(view, record, err);
    if (record->result.part == 0)
        view->parts.size = 0; /* those of a step that did not come to its end */
    return ob_record_print(record, &view->parts, err);
}

void ob__replay_view_take_parts(ob_replay_view *view, ob_text *out)
{
    if (!ob_text_append(out, view->parts.data, view->parts.size))
        view->no_memory = true;
    view->parts.size = 0;
}

/* ---- printing ---- */

static ob_status print_tables(group *g, ob_table_format format, ob_text *text, ob_err *err)
{
    const ob_table_style style = {.size = sizeof style, .format = format, .trimmed = true};
    ob_table *sides =
        g->count > 1 ? ob__side_by_side_view_table(g->sides, 0, SIZE_MAX, NULL) : NULL;
    ob_status status = g->count == 1 || sides != NULL ? OB_OK : no_memory(err);
    for (size_t i = 0; sides != NULL && !sides->no_memory && i <= OB_SIDE_VIEW_PASS; i++)
        if (i == OB_SIDE_VIEW_OPERATOR)
            sides->columns[i].title = "operator";
        else
            sides->columns[i].flags |= OB_COLUMN_HIDDEN; /* the same in all rows */
    for (size_t i = 0; status == OB_OK && i < g->count; i++) {
        status = ob_table_print(g->summaries[i], &style, text, err);
        if (status == OB_OK && !ob_text_append(text, "\n", 1))
            status = no_memory(err);
    }
    if (status == OB_OK)
        status = ob_table_print(sides != NULL ? sides : g->operators, &style, text, err);
    ob_table_destroy(sides);
    return status;
}

ob_status ob__replay_view_print(ob_replay_view *view, const ob_table_choice *choice, bool chosen,
                                ob_table_format format, ob_text *text, ob_err *err)
{
    const ob_table_style style = {.size = sizeof style, .format = format};
    if (view->no_memory)
        return no_memory(err);
    if (chosen || format == OB_TABLE_CSV || format == OB_TABLE_JSON) {
        OB_TRY(ob_table_choose(view->all, choice, err));
        return ob_table_print(view->all, &style, text, err);
    }
    for (size_t i = 0; i < view->count; i++) {
        if (i > 0 && !ob_text_append(text, "\n", 1))
            return no_memory(err);
        OB_TRY(print_tables(&view->groups[i], format, text, err));
    }
    return OB_OK;
}
