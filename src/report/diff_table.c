/* SPDX-License-Identifier: Apache-2.0
 *
 * A difference as a table: both times, what changed, how sure that is, and the verdict.
 */
#include "report/diff_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

const char *ob__diff_row_word(const ob_diff_row *row)
{
    return row->state == OB_DIFF_COMPARED ? ob_verdict_word(row->time.kind)
                                          : ob_diff_state_word(row->state);
}

bool ob__diff_row_is(const ob_diff_row *row, ob_diff_choice choice)
{
    const bool compared = row->state == OB_DIFF_COMPARED;
    const bool changed = !compared || row->time.kind == OB_VERDICT_SLOWER ||
                         row->time.kind == OB_VERDICT_FASTER || row->memory == OB_VERDICT_SLOWER ||
                         row->memory == OB_VERDICT_FASTER;
    const bool undecided = compared && row->time.kind == OB_VERDICT_UNDECIDED;
    switch (choice) {
    case OB_DIFF_ALL:
        return true;
    case OB_DIFF_CHANGED:
        return changed;
    case OB_DIFF_UNDECIDED_ROWS:
        return !changed && undecided;
    case OB_DIFF_UNCHANGED:
        break;
    }
    return !changed && !undecided;
}

char *ob__diff_change(double ratio, char *out)
{
    const double change = 100 * (ratio - 1);
    if (isnan(ratio))
        return strcpy(out, "");
    if (ratio >= 2 || ratio < 0.5)
        snprintf(out, 32, "x %.3g", ratio);
    else
        snprintf(out, 32, "%+.*f %%", fabs(change) < 9.995 ? 2 : 1, change);
    return out;
}

static bool append_bytes(ob_text *out, double bytes)
{
    static const char *const UNITS[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < sizeof UNITS / sizeof *UNITS; unit++)
        bytes /= 1024;
    return ob_text_printf(out, "%.4g %s", bytes, UNITS[unit]);
}

static bool append_memory(const ob_diff_row *row, ob_text *out)
{
    char change[32];
    return ob_text_append_str(out, row->memory == OB_VERDICT_SLOWER ? "more memory: "
                                                                    : "less memory: ") &&
           append_bytes(out, row->subject_bytes) && ob_text_append_str(out, ", was ") &&
           append_bytes(out, row->baseline_bytes) &&
           (row->baseline_bytes <= 0 ||
            ob_text_printf(out, " (%s)",
                           ob__diff_change(row->subject_bytes / row->baseline_bytes, change)));
}

/* "new: a segmentation fault; old: the same": who failed is named, and why. */
static bool append_failures(const ob_diff_row *row, ob_text *out)
{
    const bool same = row->reason != NULL && row->baseline_reason != NULL &&
                      strcmp(row->reason, row->baseline_reason) == 0;
    if (same)
        return ob_text_printf(out, "%s and %s: %s", row->baseline, row->side, row->reason);
    return (row->baseline_reason == NULL ||
            ob_text_printf(out, "%s: %s", row->baseline, row->baseline_reason)) &&
           (row->reason == NULL ||
            ob_text_printf(out, "%s%s: %s", row->baseline_reason != NULL ? "; " : "", row->side,
                           row->reason));
}

bool ob__diff_append_remark(const ob_diff_row *row, ob_text *out)
{
    const size_t from = out->size;
    bool ok = true;
    if (row->state == OB_DIFF_COMPARED) {
        ok = ob_text_append_str(out, row->time.why);
        if (ok && (row->memory == OB_VERDICT_SLOWER || row->memory == OB_VERDICT_FASTER))
            ok = ob_text_append_str(out, out->size > from ? "; " : "") && append_memory(row, out);
        if (ok && row->functions != NULL)
            ok = ob_text_printf(out, "%sinstructions: %s", out->size > from ? "; " : "",
                                row->functions);
    } else {
        ok = append_failures(row, out);
    }
    if (ok && row->worse && row->allowed != NULL)
        ok = ob_text_printf(out, "%saccepted: %s", out->size > from ? "; " : "", row->allowed);
    if (ok && row->worse && row->not_allowed != NULL)
        ok = ob_text_printf(out, "%s%s", out->size > from ? "; " : "", row->not_allowed);
    return ok;
}

bool ob__diff_append_totals(const ob_diff_summary *sum, ob_text *out)
{
    static const struct {
        ob_verdict_kind kind;
        const char *word;
    } VERDICTS[] = {{OB_VERDICT_SLOWER, "slower"},
                    {OB_VERDICT_FASTER, "faster"},
                    {OB_VERDICT_SAME, "the same"},
                    {OB_VERDICT_UNDECIDED, "undecided"}};
    static const char *const STATES[OB_DIFF_STATE_COUNT] = {[OB_DIFF_FAILS] = "failed",
                                                            [OB_DIFF_DIFFERS] = "wrong",
                                                            [OB_DIFF_BOTH_FAIL] =
                                                                "failed on both sides"};
    const char *between = "";
    bool ok = true;
    for (size_t s = 0; s < OB_DIFF_COMPARED; s++)
        if (ok && sum->states[s] > 0) {
            ok = ob_text_printf(out, "%s%llu %s", between, (unsigned long long)sum->states[s],
                                STATES[s] != NULL ? STATES[s]
                                                  : ob_diff_state_word((ob_diff_state)s));
            between = ", ";
        }
    for (size_t v = 0; v < sizeof VERDICTS / sizeof *VERDICTS; v++)
        if (ok && sum->verdicts[VERDICTS[v].kind] > 0) {
            ok = ob_text_printf(out, "%s%llu %s", between,
                                (unsigned long long)sum->verdicts[VERDICTS[v].kind],
                                VERDICTS[v].word);
            between = ", ";
        }
    if (ok && sum->more_memory > 0)
        ok = ob_text_printf(out, "%s%llu using more memory", between,
                            (unsigned long long)sum->more_memory);
    if (ok && sum->allowed > 0)
        ok = ob_text_printf(out, "; %llu of these accepted", (unsigned long long)sum->allowed);
    return ok;
}

/* ---- the table ---- */

enum column {
    SHOWN_CALL,
    OPERATOR,
    ID,
    PASS,
    SIDE,
    BASELINE,
    SUBJECT,
    CHANGE,
    INTERVAL,
    INSTRUCTIONS,
    VERDICT,
    STATE,
    KEY,
    BACKEND,
    THREADS,
    BASELINE_NS,
    SUBJECT_NS,
    RATIO,
    LOW,
    HIGH,
    MEDIAN_RATIO,
    TAIL_RATIO,
    BASELINE_UNITS,
    SUBJECT_UNITS,
    SET_ASIDE,
    MORE,
    BASELINE_BYTES,
    SUBJECT_BYTES,
    INSTRUCTION_RATIO,
    BASELINE_COUNT,
    SUBJECT_COUNT,
    FUNCTIONS,
    SECONDS,
    START_SECONDS,
    WORSE,
    ALLOWED,
    REMARK,
    REPRO,
    CALL,
    BEST,
    COLUMNS
};

static const ob_column SHAPES[COLUMNS] = {
    [SHOWN_CALL] = {.title = "call", .flags = OB_COLUMN_SHORTENED},
    [OPERATOR] = {.name = "operator"},
    [ID] = {.name = "id"},
    [PASS] = {.title = "pass", .name = "pass"},
    [SIDE] = {.title = "side", .name = "side"},
    [BASELINE] = {.hint = OB_HINT_TIME, .flags = OB_COLUMN_SPARE},
    [SUBJECT] = {.hint = OB_HINT_TIME, .flags = OB_COLUMN_WITH_LAST},
    [CHANGE] = {.title = "change"},
    [INTERVAL] = {.title = "95 % interval"},
    [INSTRUCTIONS] = {.title = "instructions", .flags = OB_COLUMN_NOT_EMPTY | OB_COLUMN_LESSER},
    [VERDICT] = {.title = "verdict", .name = "verdict"},
    [STATE] = {.name = "state"},
    [KEY] = {.name = "key"},
    [BACKEND] = {.name = "backend"},
    [THREADS] = {.name = "threads", .hint = OB_HINT_COUNT},
    [BASELINE_NS] = {.name = "baseline_ns", .hint = OB_HINT_TIME},
    [SUBJECT_NS] = {.name = "subject_ns", .hint = OB_HINT_TIME},
    [RATIO] = {.name = "ratio", .hint = OB_HINT_FIGURE},
    [LOW] = {.name = "ratio_low", .hint = OB_HINT_FIGURE},
    [HIGH] = {.name = "ratio_high", .hint = OB_HINT_FIGURE},
    [MEDIAN_RATIO] = {.name = "median_ratio", .hint = OB_HINT_FIGURE},
    [TAIL_RATIO] = {.name = "tail_ratio", .hint = OB_HINT_FIGURE},
    [BASELINE_UNITS] = {.name = "baseline_units", .hint = OB_HINT_COUNT},
    [SUBJECT_UNITS] = {.name = "subject_units", .hint = OB_HINT_COUNT},
    [SET_ASIDE] = {.name = "set_aside", .hint = OB_HINT_SHARE},
    [MORE] = {.name = "more", .hint = OB_HINT_FIGURE},
    [BASELINE_BYTES] = {.name = "baseline_bytes", .hint = OB_HINT_COUNT},
    [SUBJECT_BYTES] = {.name = "subject_bytes", .hint = OB_HINT_COUNT},
    [INSTRUCTION_RATIO] = {.name = "instruction_ratio", .hint = OB_HINT_FIGURE},
    [BASELINE_COUNT] = {.name = "baseline_instructions", .hint = OB_HINT_COUNT},
    [SUBJECT_COUNT] = {.name = "subject_instructions", .hint = OB_HINT_COUNT},
    [FUNCTIONS] = {.name = "functions"},
    [SECONDS] = {.name = "seconds", .hint = OB_HINT_FIGURE},
    [START_SECONDS] = {.name = "start_seconds", .hint = OB_HINT_FIGURE},
    [WORSE] = {.name = "worse"},
    [ALLOWED] = {.name = "allowed"},
    [REMARK] = {.name = "remark"},
    [REPRO] = {.name = "repro"},
    [CALL] = {.name = "call"},
    [BEST] = {.title = "best", .name = "best", .flags = OB_COLUMN_NOT_EMPTY},
};

static void add_columns(const ob_diff *diff, ob_table *table)
{
    const bool several = ob_diff_side(diff, 2) != NULL;
    for (int c = 0; c < COLUMNS; c++) {
        ob_column column = SHAPES[c];
        if (c == SIDE && !several)
            column.title = NULL;
        if (c == BASELINE)
            column.title = ob_diff_side(diff, 0);
        if (c == SUBJECT)
            column.title = several ? "this side" : ob_diff_side(diff, 1);
        ob_table_add_column(table, &column);
    }
}

static void fill_times(const ob_diff_row *row, ob_table *table)
{
    const ob_verdict *v = &row->time;
    char change[32], low[32], high[32], text[72];
    if (v->baseline > 0) {
        ob_table_set_number(table, BASELINE, v->baseline * 1e6);
        ob_table_set_number(table, SUBJECT, v->subject * 1e6);
        ob_table_set_number(table, BASELINE_NS, v->baseline * 1e6);
        ob_table_set_number(table, SUBJECT_NS, v->subject * 1e6);
        ob_table_set_number(table, RATIO, v->ratio);
        ob_table_set_number(table, LOW, v->low);
        ob_table_set_number(table, HIGH, v->high);
        ob_table_set_number(table, MEDIAN_RATIO, v->median_ratio);
        ob_table_set_number(table, TAIL_RATIO, v->tail_ratio);
        ob_table_set_number(table, BASELINE_UNITS, (double)v->baseline_units);
        ob_table_set_number(table, SUBJECT_UNITS, (double)v->subject_units);
        ob_table_set_number(table, SET_ASIDE, v->set_aside);
        ob_table_set_number(table, MORE, v->more);
        ob_table_set_number(table, SECONDS, row->seconds);
        ob_table_set_number(table, START_SECONDS, row->start_seconds);
        ob_table_set_text(table, CHANGE, ob__diff_change(v->ratio, change));
    }
    if (!isnan(v->low)) {
        snprintf(text, sizeof text, "%s to %s", ob__diff_change(v->low, low),
                 ob__diff_change(v->high, high));
        ob_table_set_text(table, INTERVAL, text);
    }
}

static void fill_exact(const ob_diff_row *row, ob_table *table)
{
    char change[32];
    const double ratio = row->instructions / row->baseline_instructions;
    ob_table_set_number(table, BASELINE_BYTES, row->baseline_bytes);
    ob_table_set_number(table, SUBJECT_BYTES, row->subject_bytes);
    ob_table_set_number(table, BASELINE_COUNT, row->baseline_instructions);
    ob_table_set_number(table, SUBJECT_COUNT, row->instructions);
    ob_table_set_text(table, FUNCTIONS, row->functions);
    if (isfinite(ratio)) {
        ob_table_set_number(table, INSTRUCTION_RATIO, ratio);
        ob_table_set_text(table, INSTRUCTIONS, ob__diff_change(ratio, change));
    }
}

static ob_mark mark_of(const ob_diff_row *row)
{
    if (row->worse)
        return OB_MARK_FAILED;
    if (row->state != OB_DIFF_COMPARED || row->time.kind == OB_VERDICT_UNDECIDED)
        return OB_MARK_DOUBTFUL;
    return row->time.kind == OB_VERDICT_FASTER ? OB_MARK_FINE : OB_MARK_NONE;
}

static bool fill_row(const ob_diff_row *row, ob_table *table, ob_text *remark)
{
    ob_table_add_row(table);
    ob_table_set_text(table, SHOWN_CALL, row->call);
    ob_table_set_text(table, CALL, row->call);
    ob_table_set_text(table, OPERATOR, row->op_name);
    ob_table_set_text(table, ID, row->id);
    ob_table_set_text(table, PASS, row->pass);
    ob_table_set_text(table, SIDE, row->side);
    ob_table_set_text(table, VERDICT, ob__diff_row_word(row));
    ob__table_set_mark(table, VERDICT, mark_of(row));
    ob_table_set_text(table, STATE, ob_diff_state_word(row->state));
    ob_table_set_text(table, KEY, row->key);
    ob_table_set_text(table, BACKEND, row->backend);
    if (row->threads != OB_NO_INT)
        ob_table_set_number(table, THREADS, (double)row->threads);
    ob__table_set_flag(table, WORSE, row->worse);
    ob_table_set_text(table, ALLOWED, row->allowed);
    ob_table_set_text(table, REPRO, row->repro);
    if (row->state == OB_DIFF_COMPARED)
        fill_times(row, table);
    fill_exact(row, table);
    remark->size = 0;
    if (!ob__diff_append_remark(row, remark) || !ob_text_append(remark, "", 1))
        return false;
    if (remark->size > 1)
        ob_table_set_text(table, REMARK, remark->data);
    /* What failed can be run alone. */
    const bool failed = row->state == OB_DIFF_FAILS || row->state == OB_DIFF_DIFFERS;
    remark->size--;
    if (failed && row->repro != NULL &&
        !(ob_text_append_str(remark, remark->size > 0 ? "\nalone: " : "alone: ") &&
          ob_text_append_str(remark, row->repro)))
        return false;
    if (!ob_text_append(remark, "", 1))
        return false;
    if (remark->size > 1)
        ob_table_set_note(table, remark->data);
    return true;
}

static bool is_of_code(const ob_diff *diff)
{
    for (size_t i = 0; i < ob_diff_count(diff); i++)
        if (ob_diff_at(diff, i)->backend != NULL)
            return false;
    return true;
}

ob_table *ob__diff_table(const ob_diff *diff, ob_diff_choice choice, size_t most)
{
    ob_table *table = ob_table_create();
    ob_text remark = {.data = NULL};
    bool ok = table != NULL;
    if (ok)
        add_columns(diff, table);
    const char **best = ob__diff_best(diff);
    ok = ok && best != NULL;
    for (size_t i = 0; ok && most > 0 && i < ob_diff_count(diff); i++) {
        const ob_diff_row *row = ob_diff_at(diff, i);
        if (!ob__diff_row_is(row, choice))
            continue;
        most--;
        ok = fill_row(row, table, &remark);
        ob_table_set_text(table, BEST, best[i]);
    }
    free(best);
    ob_text_fini(&remark);
    if (ok && !table->no_memory) {
        if (ob__table_is_uniform(table, PASS))
            table->columns[PASS].flags |= OB_COLUMN_LESSER;
        if (is_of_code(diff)) /* which has no passes */
            table->columns[PASS].title = NULL;
    }
    if (ok)
        return table;
    ob_table_destroy(table);
    return NULL;
}
