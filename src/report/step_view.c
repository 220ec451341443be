/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a step: a row per operator and pass, sums for people, and below it what each backend takes, what the best one
 * of each operator would save, and why cases are missing.
 */
#include "report/step.h"
#include "report/views.h"

#include <inttypes.h>

enum { OPERATOR, PASS, CALLS, FIXED };

typedef struct columns {
    size_t time[OB_STEP_SIDES], measured[OB_STEP_SIDES], share, best, lead, clear;
} columns;

static void add_columns(const ob_step *step, ob_table *table, columns *at)
{
    static const ob_column FIRST[FIXED] = {
        [OPERATOR] = {.title = "operator", .name = "operator", .flags = OB_COLUMN_SHORTENED},
        [PASS] = {.title = "pass", .name = "pass"},
        [CALLS] = {.title = "calls", .name = "calls", .hint = OB_HINT_COUNT},
    };
    const uint32_t compared = step->side_count > 1 ? 0 : OB_COLUMN_HIDDEN;
    ob_text name = {.data = NULL};
    for (int c = 0; c < FIXED; c++)
        ob_table_add_column(table, &FIRST[c]);
    for (size_t s = 0; s < step->side_count; s++) {
        name.size = 0;
        const bool ok = ob_text_printf(&name, "%s_ns", step->sides[s]) && /* and its NUL */
                        ob_text_append(&name, "", 1);
        at->time[s] = ob_table_add_column(table, &(ob_column){.title = step->sides[s],
                                                              .name = ok ? name.data : "",
                                                              .hint = OB_HINT_TIME});
        table->no_memory = table->no_memory || !ok;
    }
    for (size_t s = 0; s < step->side_count; s++) {
        name.size = 0;
        const bool ok =
            ob_text_printf(&name, "%s_calls", step->sides[s]) && ob_text_append(&name, "", 1);
        at->measured[s] = ob_table_add_column(
            table, &(ob_column){.name = ok ? name.data : "", .hint = OB_HINT_COUNT});
        table->no_memory = table->no_memory || !ok;
    }
    ob_text_fini(&name);
    at->share = ob_table_add_column(
        table, &(ob_column){.title = "share", .name = "share", .hint = OB_HINT_SHARE});
    at->best = ob_table_add_column(
        table, &(ob_column){.title = "best", .name = "best", .flags = compared});
    at->lead = ob_table_add_column(
        table,
        &(ob_column){.title = "lead", .name = "lead", .hint = OB_HINT_FIGURE, .flags = compared});
    at->clear =
        ob_table_add_column(table, &(ob_column){.name = "lead_is_clear", .flags = compared});
}

static void fill_time(ob_table *table, size_t column, const ob_step_time *time, uint64_t calls)
{
    char text[96], ns[32];
    if (time->calls == 0)
        return;
    ob_table_set_number(table, column, time->ns);
    if (time->calls >= calls)
        return;
    snprintf(text, sizeof text, "%s (%" PRIu64 " of %" PRIu64 ")",
             ob_time_format(time->ns, ns, sizeof ns), time->calls, calls);
    ob_table_set_text(table, column, text);
}

static void fill_best(const ob_step *step, ob_table *table, const columns *at,
                      const ob_step_row *row)
{
    char lead[48];
    if (row->best == OB_STEP_SIDES || isnan(row->lead))
        return;
    snprintf(lead, sizeof lead, "%.2fx%s", row->lead, row->clear ? "" : " ?");
    ob_table_set_text(table, at->best, step->sides[row->best]);
    ob_table_set_text(table, at->lead, lead);
    ob_table_set_number(table, at->lead, row->lead);
    ob_table_set_text(table, at->clear, row->clear ? "true" : "false");
}

static void add_rows(const ob_step *step, ob_table *table, const columns *at)
{
    for (size_t i = 0; i < step->count; i++) {
        const ob_step_row *row = &step->rows[i];
        ob_table_add_row(table);
        ob_table_set_text(table, OPERATOR, row->op);
        ob_table_set_text(table, PASS, row->backward ? "backward" : "forward");
        ob_table_set_number(table, CALLS, (double)row->calls);
        for (size_t s = 0; s < step->side_count; s++) {
            fill_time(table, at->time[s], &row->sides[s], row->calls);
            ob_table_set_number(table, at->measured[s], (double)row->sides[s].calls);
        }
        ob_table_set_number(table, at->share, ob__step_share(step, row));
        fill_best(step, table, at, row);
    }
}

/* Sums are for people: programs would take them for operators. */
static void add_sums(const ob_step *step, ob_table *table, const columns *at)
{
    static const char *const WORDS[] = {
        [OB_STEP_BOTH] = "both", [OB_STEP_FORWARD] = "forward", [OB_STEP_BACKWARD] = "backward"};
    static const ob_step_pass ORDER[] = {OB_STEP_FORWARD, OB_STEP_BACKWARD, OB_STEP_BOTH};
    uint64_t calls;
    ob__step_sum(step, 0, OB_STEP_BACKWARD, &calls);
    const bool backward = calls > 0;
    for (size_t p = 0; p < (backward ? 3 : 1); p++) {
        ob_table_add_row(table);
        ob_table_set_text(table, OPERATOR, "all");
        ob_table_set_text(table, PASS, WORDS[ORDER[p]]);
        for (size_t s = 0; s < step->side_count; s++) {
            const ob_step_time sum = ob__step_sum(step, s, ORDER[p], &calls);
            ob_table_set_number(table, CALLS, (double)calls);
            fill_time(table, at->time[s], &sum, calls);
            if (s == step->main && step->main_ns > 0)
                ob_table_set_number(table, at->share, sum.ns / step->main_ns);
        }
    }
}

/* ---- below ---- */

bool ob__step_append_side(const ob_step *step, size_t s, ob_text *out)
{
    char own[32], best[32];
    uint64_t calls;
    const ob_step_time all = ob__step_sum(step, s, OB_STEP_BOTH, &calls);
    const double best_ns = step->best_ns[s];
    bool ok =
        ob_text_printf(out, "%s: %s", step->sides[s], ob_time_format(all.ns, own, sizeof own));
    if (ok && all.calls < calls)
        ok = ob_text_printf(out, " for %" PRIu64 " of %" PRIu64 " calls", all.calls, calls);
    if (!ok || step->side_count < 2 || !(all.ns > 0))
        return ok;
    return best_ns < all.ns
               ? ob_text_printf(
                     out, "; with the best backend for each operator it takes %s%s, %.1f %% less",
                     ob_time_format(best_ns, best, sizeof best),
                     all.calls < calls ? " for these" : "", 100 * (1 - best_ns / all.ns))
               : ob_text_append_str(out, "; it is the best for every operator");
}

static void add_line(ob_table *table, ob_text *line)
{
    if (ob_text_append(line, "", 1))
        ob_table_add_line(table, line->data);
    else
        table->no_memory = true;
    line->size = 0;
}

static void add_lines(const ob_step *step, ob_table *table)
{
    ob_text line = {.data = NULL};
    bool ok = true;
    if (!step->weighted)
        ob_table_add_line(table, "Each case counts once: the config does not say how often the "
                                 "program makes each call.");
    if (step->other_threads)
        ob_table_add_line(table,
                          "Results with a different thread count than the first are left out.");
    if (step->side_count > 1 && step->main_ns > 0) {
        ok = ob_text_printf(
            &line, "Shares are of the step on %s. A lead marked ? is within the intervals.",
            step->sides[step->main]);
        add_line(table, &line);
    }
    for (size_t s = 0; ok && s < step->side_count; s++)
        if ((ok = ob__step_append_side(step, s, &line)))
            add_line(table, &line);
    for (size_t i = 0; ok && i < step->reasons.count; i++)
        if ((ok = ob__reason_append(&line, &step->reasons.items[i], step->side_count > 1)))
            add_line(table, &line);
    ob_text_fini(&line);
    table->no_memory = table->no_memory || !ok;
}

ob_table *ob__step_table(ob_step *step, bool for_people)
{
    columns at = {.share = 0};
    ob_table *table = ob_table_create();
    if (table == NULL)
        return NULL;
    ob__step_end(step);
    add_columns(step, table, &at);
    add_rows(step, table, &at);
    if (for_people && step->count > 0) {
        add_sums(step, table, &at);
        add_lines(step, table);
    }
    table->no_memory = table->no_memory || step->no_memory;
    return table;
}
