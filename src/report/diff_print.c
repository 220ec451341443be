/* SPDX-License-Identifier: Apache-2.0
 *
 * A difference in each of its forms.
 */
#include "base/arena.h"
#include "base/json_node.h"
#include "base/sized.h"
#include "op/name_index.h"
#include "report/diff_view.h"
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const FORMS[OB_DIFF_FORM_COUNT] = {
#define ROW(id, word, help) [OB_DIFF_FORM_##id] = word,
    OB_DIFF_FORM_MAP(ROW)
#undef ROW
};

bool ob_diff_form_from_word(const char *word, ob_diff_form *out)
{
    for (int i = 0; i < OB_DIFF_FORM_COUNT; i++)
        if (strcmp(word, FORMS[i]) == 0) {
            *out = (ob_diff_form)i;
            return true;
        }
    return false;
}

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the comparison");
}

static ob_status print_rows(const ob_diff *diff, ob_diff_choice choice, size_t most,
                            ob_table_format format, ob_text *text, ob_err *err)
{
    const ob_table_style style = {.size = sizeof style, .format = format, .trimmed = true};
    ob_table *table = ob__diff_table(diff, choice, most);
    if (table == NULL)
        return no_memory(err);
    const ob_status status = ob_table_print(table, &style, text, err);
    ob_table_destroy(table);
    return status;
}

static bool has_several(const ob_diff *diff)
{
    return ob_diff_side(diff, 2) != NULL;
}

/* A comment has a limit, and names need not have one. */
static bool append_short_markdown(ob_text *text, const char *name)
{
    enum { MOST = 120 };
    char head[MOST + 4];
    size_t length = strnlen(name, MOST + 1);
    if (length <= MOST)
        return ob__append_markdown(text, name);
    for (length = MOST; length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80; length--)
        ; /* not inside a character */
    snprintf(head, sizeof head, "%.*s...", (int)length, name);
    return ob__append_markdown(text, head);
}

/* "new.json against base.json": what is said to be faster or slower than what. */
static bool append_side(const ob_diff *diff, size_t side, bool (*append)(ob_text *, const char *),
                        ob_text *text)
{
    return append(text, ob_diff_side(diff, side)) && ob_text_append_str(text, " against ") &&
           append(text, ob_diff_side(diff, 0));
}

/* All of them: "new.json, other.json against base.json". */
static bool append_sides(const ob_diff *diff, bool (*append)(ob_text *, const char *),
                         ob_text *text)
{
    bool ok = true;
    size_t s = 1;
    for (; ok && ob_diff_side(diff, s + 1) != NULL; s++)
        ok = append(text, ob_diff_side(diff, s)) && ob_text_append_str(text, ", ");
    return ok && append_side(diff, s, append, text);
}

/* What a side comes to, which each form says in its own words. */
typedef bool (*side_fn)(const ob_diff *diff, size_t side, const ob_diff_summary *sum,
                        ob_text *text);

static ob_status each_side(const ob_diff *diff, side_fn say, ob_text *text, ob_err *err)
{
    for (size_t s = 1; ob_diff_side(diff, s) != NULL; s++) {
        ob_diff_summary sum = {.size = sizeof sum};
        OB_TRY(ob_diff_summarise_side(diff, s, &sum, err));
        if (!say(diff, s, &sum, text))
            return no_memory(err);
    }
    return OB_OK;
}

static bool append_plain(ob_text *text, const char *from)
{
    return ob__append_harmless(text, from, false);
}

static bool append_mean(const ob_diff_summary *sum, ob_text *text)
{
    char change[32];
    return isnan(sum->geometric_mean) ||
           ob_text_printf(text, "; geometric mean %s",
                          ob__diff_change(sum->geometric_mean, change));
}

/* ---- table ---- */

static bool append_worst(const ob_diff *diff, const ob_diff_summary *sum, ob_text *text)
{
    char change[32];
    const ob_diff_row *w = sum->worst;
    return w == NULL ||
           (ob_text_append_str(text, "worst") &&
            (!has_several(diff) ||
             (ob_text_append_str(text, " of ") && append_plain(text, w->side))) &&
            ob_text_append_str(text, ": ") && append_plain(text, w->call) &&
            (w->backend == NULL || ob_text_printf(text, " %s", w->pass)) && /* code has none */
            ob_text_printf(text, ", %s\n", ob__diff_change(w->time.ratio, change)) &&
            (w->repro == NULL || (ob_text_append_str(text, "  alone: ") &&
                                  append_plain(text, w->repro) && ob_text_append_str(text, "\n"))));
}

static bool say_side(const ob_diff *diff, size_t side, const ob_diff_summary *sum, ob_text *text)
{
    return append_side(diff, side, append_plain, text) && ob_text_append_str(text, ": ") &&
           ob__diff_append_totals(sum, text) && append_mean(sum, text) &&
           ob_text_append_str(text, "\n") && append_worst(diff, sum, text);
}

/* Of sides that were measured to be compared. */
static bool append_times(const ob_diff_summary *sum, ob_text *text)
{
    return !(sum->start_seconds > 0) ||
           ob_text_printf(text, "measured for %.3g s; starting processes took another %.3g s\n",
                          sum->seconds, sum->start_seconds);
}

static bool append_notes(const ob_diff *diff, const char *before,
                         bool (*append)(ob_text *, const char *), ob_text *text)
{
    bool ok = true;
    for (size_t i = 0; ok && ob_diff_note(diff, i) != NULL; i++)
        ok = ob_text_append_str(text, before) && append(text, ob_diff_note(diff, i)) &&
             ob_text_append_str(text, "\n");
    return ok;
}

typedef struct screen {
    ob_table_style style;
    ob_table_choice choice;
} screen;

static ob_status print_on(const ob_diff *diff, const screen *on, ob_text *text, ob_err *err)
{
    const ob_table_style style = {.size = sizeof style,
                                  .trimmed = true,
                                  .width = on->style.width,
                                  .coloured = on->style.coloured};
    ob_table *table = ob__diff_table(diff, OB_DIFF_ALL, SIZE_MAX);
    if (table == NULL)
        return no_memory(err);
    ob_status status = ob_table_choose(table, &on->choice, err);
    ob__table_fold_notes(table);
    if (status == OB_OK)
        status = ob_table_print(table, &style, text, err);
    ob_table_destroy(table);
    return status;
}

static ob_status print_table(const ob_diff *diff, const ob_diff_summary *sum, const screen *on,
                             ob_text *text, ob_err *err)
{
    /* Whoever divides them gets something else. */
    const char *times = sum->in_pairs
                            ? "times are undisturbed times, not medians; changes are from pairs\n"
                            : "times are undisturbed times, not medians\n";
    OB_TRY(print_on(diff, on, text, err));
    OB_TRY(ob_text_append_str(text, "\n") ? OB_OK : no_memory(err));
    OB_TRY(each_side(diff, say_side, text, err));
    const bool compared = sum->states[OB_DIFF_COMPARED] > 0;
    const bool ok = (!compared || ob_text_append_str(text, times)) && append_times(sum, text) &&
                    append_notes(diff, "note: ", append_plain, text);
    return ok ? OB_OK : no_memory(err);
}

/* ---- Markdown ---- */

static size_t count_rows(const ob_diff *diff, ob_diff_choice choice)
{
    size_t count = 0;
    for (size_t i = 0; i < ob_diff_count(diff); i++)
        count += ob__diff_row_is(ob_diff_at(diff, i), choice);
    return count;
}

/* A comment of GitHub's has at most 65,536 characters; a job may add a few of its own. */
enum { MOST_MARKDOWN = 65000, MOST_NOTES = 8000, LEAST_ROW = 16 };

/* How many rows of each kind a comment has: those that changed go last. */
typedef struct kept_rows {
    size_t changed, undecided, unchanged;
} kept_rows;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static kept_rows keep(const kept_rows *all, size_t rows)
{
    kept_rows kept = {.changed = least(all->changed, rows)};
    kept.undecided = least(all->undecided, rows - kept.changed);
    kept.unchanged = least(all->unchanged, rows - kept.changed - kept.undecided);
    return kept;
}

/* Tables for people have no remarks in Markdown, so they stand below. */
static bool append_remarks(const ob_diff *diff, ob_diff_choice choice, size_t most, ob_text *text)
{
    ob_text remark = {.data = NULL};
    bool ok = true;
    for (size_t i = 0; ok && most > 0 && i < ob_diff_count(diff); i++) {
        const ob_diff_row *row = ob_diff_at(diff, i);
        remark.size = 0;
        if (!ob__diff_row_is(row, choice))
            continue;
        most--;
        ok = ob__diff_append_remark(row, &remark) && ob_text_append(&remark, "", 1);
        if (ok && remark.size > 1)
            ok = ob_text_append_str(text, "- ") && ob__append_markdown(text, row->call) &&
                 ob_text_append_str(text, ": ") && ob__append_markdown(text, remark.data) &&
                 ob_text_append_str(text, "\n");
    }
    ob_text_fini(&remark);
    return ok;
}

static ob_status print_folded(const ob_diff *diff, ob_diff_choice choice, size_t most,
                              ob_text *text, ob_err *err)
{
    const char *what = choice == OB_DIFF_UNDECIDED_ROWS ? "undecided" : "unchanged";
    if (most == 0)
        return OB_OK;
    if (!ob_text_printf(text, "\n<details><summary>%zu %s</summary>\n\n", count_rows(diff, choice),
                        what))
        return no_memory(err);
    OB_TRY(print_rows(diff, choice, most, OB_TABLE_MARKDOWN, text, err));
    const bool ok = ob_text_append_str(text, "\n") && append_remarks(diff, choice, most, text) &&
                    ob_text_append_str(text, "\n</details>\n");
    return ok ? OB_OK : no_memory(err);
}

static bool list_side(const ob_diff *diff, size_t side, const ob_diff_summary *sum, ob_text *text)
{
    return ob_text_append_str(text, "- ") &&
           append_short_markdown(text, ob_diff_side(diff, side)) &&
           ob_text_append_str(text, ": ") && ob__diff_append_totals(sum, text) &&
           append_mean(sum, text) && ob_text_append_str(text, "\n");
}

/* Something is worse that was accepted, or that does not make the exit code 1. */
static bool has_tolerated(const ob_diff *diff)
{
    for (size_t i = 0; i < ob_diff_count(diff); i++) {
        const ob_diff_row *row = ob_diff_at(diff, i);
        if (row->slower_beyond || row->memory_beyond || row->state == OB_DIFF_FAILS ||
            row->state == OB_DIFF_DIFFERS || row->state == OB_DIFF_MISSING)
            return true;
    }
    return false;
}

/* A line, or of several sides a list. */
static ob_status print_verdict(const ob_diff *diff, const ob_diff_summary *sum, ob_text *text,
                               ob_err *err)
{
    const char *said = sum->worse > 0                            ? "**Worse.**"
                       : has_tolerated(diff)                     ? "Nothing that counts is worse."
                       : sum->verdicts[OB_VERDICT_UNDECIDED] > 0 ? "Nothing was shown to be worse."
                                                                 : "Nothing is worse.";
    if (has_several(diff)) {
        OB_TRY(ob_text_printf(text, "%s\n\n", said) ? OB_OK : no_memory(err));
        return each_side(diff, list_side, text, err);
    }
    const bool ok = ob_text_printf(text, "%s ", said) && ob__diff_append_totals(sum, text) &&
                    append_mean(sum, text) && ob_text_append_str(text, ".\n");
    return ok ? OB_OK : no_memory(err);
}

static bool append_left_out(const kept_rows *all, const kept_rows *kept, ob_text *text)
{
    const size_t changed = all->changed - kept->changed,
                 undecided = all->undecided - kept->undecided,
                 unchanged = all->unchanged - kept->unchanged;
    return changed + undecided + unchanged == 0 ||
           ob_text_printf(text,
                          "\nLeft out, because a comment may not be longer: %zu changed, %zu "
                          "undecided and %zu unchanged rows. `--format table` has them all.\n",
                          changed, undecided, unchanged);
}

/* Whole notes, as many as there is room for. */
static bool quote_notes(const ob_diff *diff, ob_text *text)
{
    const size_t from = text->size;
    size_t left_out = 0;
    bool ok = ob_diff_note(diff, 0) == NULL || ob_text_append_str(text, "\n");
    for (size_t i = 0; ok && ob_diff_note(diff, i) != NULL; i++) {
        const size_t before = text->size;
        ok = ob_text_append_str(text, "> ") && ob__append_markdown(text, ob_diff_note(diff, i)) &&
             ob_text_append_str(text, "\n");
        if (text->size - from > MOST_NOTES) {
            text->size = before;
            left_out++;
        }
    }
    return ok && (left_out == 0 || ob_text_printf(text,
                                                  "> %zu more notes: `--format table` has "
                                                  "them all\n",
                                                  left_out));
}

static ob_status print_comment(const ob_diff *diff, const ob_diff_summary *sum,
                               const kept_rows *all, size_t rows, ob_text *text, ob_err *err)
{
    const kept_rows kept = keep(all, rows);
    bool ok = ob_text_append_str(text, "### opbench: ") &&
              append_sides(diff, append_short_markdown, text) && ob_text_append_str(text, "\n\n");
    if (!ok)
        return no_memory(err);
    OB_TRY(print_verdict(diff, sum, text, err));
    if (kept.changed > 0) {
        OB_TRY(ob_text_append_str(text, "\n") ? OB_OK : no_memory(err));
        OB_TRY(print_rows(diff, OB_DIFF_CHANGED, kept.changed, OB_TABLE_MARKDOWN, text, err));
        ok = ob_text_append_str(text, "\n") &&
             append_remarks(diff, OB_DIFF_CHANGED, kept.changed, text);
    }
    if (!ok)
        return no_memory(err);
    OB_TRY(print_folded(diff, OB_DIFF_UNDECIDED_ROWS, kept.undecided, text, err));
    OB_TRY(print_folded(diff, OB_DIFF_UNCHANGED, kept.unchanged, text, err));
    ok = append_left_out(all, &kept, text) && quote_notes(diff, text);
    return ok ? OB_OK : no_memory(err);
}

/* As many rows as fit, found by halving: how long a row becomes, its table knows. */
static ob_status print_markdown(const ob_diff *diff, const ob_diff_summary *sum, ob_text *text,
                                ob_err *err)
{
    const kept_rows all = {.changed = count_rows(diff, OB_DIFF_CHANGED),
                           .undecided = count_rows(diff, OB_DIFF_UNDECIDED_ROWS),
                           .unchanged = count_rows(diff, OB_DIFF_UNCHANGED)};
    const size_t from = text->size;
    size_t fits = 0, above = least(ob_diff_count(diff), MOST_MARKDOWN / LEAST_ROW) + 1;
    for (size_t rows = above - 1; fits + 1 < above; rows = fits + (above - fits) / 2) {
        text->size = from;
        OB_TRY(print_comment(diff, sum, &all, rows, text, err));
        if (text->size - from <= MOST_MARKDOWN)
            fits = rows;
        else
            above = rows;
    }
    text->size = from;
    return print_comment(diff, sum, &all, fits, text, err);
}

/* ---- JSON ---- */

/* A list of texts in JSON. */
static ob_status append_list(const ob_diff *diff, const char *(*get)(const ob_diff *, size_t),
                             ob_text *text, ob_err *err)
{
    ob_json_doc *doc;
    char *printed = NULL;
    size_t length = 0;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_json *list = ob_json_new_array(doc);
    ob_status status = list != NULL ? OB_OK : no_memory(err);
    for (size_t i = 0; status == OB_OK && get(diff, i) != NULL; i++) {
        const ob_json *item = ob_json_new_string(doc, get(diff, i), strlen(get(diff, i)));
        status = item != NULL ? ob_json_append(doc, list, item, err) : no_memory(err);
    }
    if (status == OB_OK)
        status = ob_json_print(list, &printed, &length, err);
    if (status == OB_OK && !ob_text_append(text, printed, length))
        status = no_memory(err);
    free(printed);
    ob_json_doc_destroy(doc);
    return status;
}

/* The members of a summary's object. */
static bool append_summary(const ob_diff_summary *sum, ob_text *text)
{
    bool ok = ob_text_printf(text, "\"rows\": %llu", (unsigned long long)sum->rows);
    for (int s = 0; ok && s < OB_DIFF_STATE_COUNT; s++) {
        ok = ob_text_append_str(text, ", \"");
        for (const char *c = ob_diff_state_word((ob_diff_state)s); ok && *c != '\0'; c++)
            ok = ob_text_append(text, *c == ' ' ? "_" : c, 1);
        ok = ok && ob_text_printf(text, "\": %llu", (unsigned long long)sum->states[s]);
    }
    for (int v = 0; ok && v < OB_VERDICT_KIND_COUNT; v++)
        ok = ob_text_printf(text, ", \"%s\": %llu", ob_verdict_word((ob_verdict_kind)v),
                            (unsigned long long)sum->verdicts[v]);
    return ok &&
           ob_text_printf(text,
                          ", \"more_memory\": %llu, \"less_memory\": %llu, \"worse\": %llu, "
                          "\"allowed\": %llu, \"geometric_mean\": ",
                          (unsigned long long)sum->more_memory,
                          (unsigned long long)sum->less_memory, (unsigned long long)sum->worse,
                          (unsigned long long)sum->allowed) &&
           (isfinite(sum->geometric_mean) ? ob__text_append_real(text, sum->geometric_mean)
                                          : ob_text_append_str(text, "null")) &&
           ob_text_append_str(text, ", \"floor\": ") && ob__text_append_real(text, sum->floor) &&
           ob_text_append_str(text, ", \"threshold\": ") &&
           ob__text_append_real(text, sum->threshold);
}

static bool append_side_summary(const ob_diff *diff, size_t side, const ob_diff_summary *sum,
                                ob_text *text)
{
    const char *name = ob_diff_side(diff, side);
    return ob_text_append_str(text, side > 1 ? ",\n {\"side\": " : "\n {\"side\": ") &&
           ob__json_write_string(text, name, strlen(name)) && ob_text_append_str(text, ", ") &&
           append_summary(sum, text) && ob_text_append_str(text, "}");
}

static ob_status print_json(const ob_diff *diff, const ob_diff_summary *sum, ob_text *text,
                            ob_err *err)
{
    ob_table *table = ob__diff_table(diff, OB_DIFF_ALL, SIZE_MAX);
    bool ok = table != NULL && ob_text_append_str(text, "{\"sides\": ");
    ob_status status = ok ? append_list(diff, ob_diff_side, text, err) : no_memory(err);
    ok = status == OB_OK && ob_text_append_str(text, ", \"summary\": {") &&
         append_summary(sum, text) && ob_text_append_str(text, "}, \"summaries\": [");
    if (ok)
        status = each_side(diff, append_side_summary, text, err);
    ok = ok && status == OB_OK && ob_text_append_str(text, "], \"notes\": ");
    if (ok)
        status = append_list(diff, ob_diff_note, text, err);
    ok = ok && status == OB_OK && ob_text_append_str(text, ", \"rows\": [");
    for (size_t i = 0; ok && i < ob_table_row_count(table); i++)
        ok = ob_text_append_str(text, i > 0 ? ",\n " : "\n ") &&
             ob__table_print_json_row(table, i, text);
    ok = ok && ob_text_append_str(text, "]}\n");
    ob_table_destroy(table);
    return ok ? OB_OK : status != OB_OK ? status : no_memory(err);
}

/* ---- JUnit ---- */

static bool append_attribute(ob_text *text, const char *name, const char *value)
{
    return ob_text_printf(text, " %s=\"", name) && ob__append_xml(text, value) &&
           ob_text_append_str(text, "\"");
}

static bool is_accepted(const ob_diff_row *row)
{
    return row->worse && row->allowed != NULL;
}

static bool append_message(const ob_diff_row *row, ob_text *text)
{
    char change[32];
    ob_text remark = {.data = NULL};
    bool ok = ob_text_append_str(&remark, row->state == OB_DIFF_BOTH_FAIL ? "fails on both sides"
                                                                          : ob__diff_row_word(row));
    if (ok && row->state == OB_DIFF_COMPARED && !isnan(row->time.ratio))
        ok = ob_text_printf(&remark, " (%s)", ob__diff_change(row->time.ratio, change));
    const size_t before = remark.size;
    ok = ok && ob_text_append_str(&remark, ": ") && ob__diff_append_remark(row, &remark);
    if (ok && remark.size == before + 2)
        remark.size = before;
    ok = ok && ob_text_append(&remark, "", 1) && append_attribute(text, "message", remark.data);
    ob_text_fini(&remark);
    return ok;
}

static bool append_accepted(const ob_diff_row *row, ob_text *text)
{
    ob_text message = {.data = NULL};
    const bool ok =
        ob_text_printf(&message, "accepted until %s: %s", row->allowed_until, row->allowed) &&
        ob_text_append(&message, "", 1) && append_attribute(text, "message", message.data);
    ob_text_fini(&message);
    return ok;
}

/* Neither better nor worse: whoever counts what passed must not count it. */
static bool is_skipped(const ob_diff_row *row)
{
    return is_accepted(row) || row->state == OB_DIFF_BOTH_FAIL ||
           (row->state == OB_DIFF_COMPARED && row->time.kind == OB_VERDICT_UNDECIDED &&
            !row->worse);
}

static bool is_of(const ob_diff *diff, size_t row, size_t side)
{
    return strcmp(ob_diff_at(diff, row)->side, ob_diff_side(diff, side)) == 0;
}

/* Which rows of a side have a call and pass that others of it have too: those are told apart by their id. */
static bool mark_repeats(const ob_diff *diff, size_t side, ob_arena *names, bool *repeats)
{
    const size_t count = ob_diff_count(diff);
    ob__name_index index = {0};
    ob_text name = {.data = NULL};
    bool ok = ob__index_reserve(&index, count);
    for (size_t i = 0; ok && i < count; i++) {
        const ob_diff_row *row = ob_diff_at(diff, i);
        if (!is_of(diff, i, side))
            continue;
        name.size = 0;
        ok = ob_text_printf(&name, "%s\n%s\n%s", row->op_name, row->call, row->pass);
        const char *kept = ok ? ob__arena_strdup(names, name.data, name.size) : NULL;
        ok = kept != NULL;
        const uint32_t at = ok ? ob__index_find(&index, kept, name.size) : OB__INDEX_NONE;
        if (at != OB__INDEX_NONE)
            repeats[i] = repeats[at] = true;
        else if (ok)
            ob__index_put(&index, kept, name.size, (uint32_t)i);
    }
    ob__index_fini(&index);
    ob_text_fini(&name);
    return ok;
}

static bool append_test(const ob_diff *diff, const ob_diff_row *row, bool repeats, ob_text *text)
{
    ob_text name = {.data = NULL};
    const bool failed = row->worse && !is_accepted(row);
    const bool several = has_several(diff);
    bool ok = ob_text_printf(&name, "%s%s%s%s%s%s%s", row->call, repeats ? " " : "",
                             repeats ? row->id : "", row->pass[0] != '\0' ? " " : "", row->pass,
                             several ? " " : "", several ? row->side : "") &&
              ob_text_append(&name, "", 1) && ob_text_append_str(text, "  <testcase") &&
              append_attribute(text, "classname", row->op_name) &&
              append_attribute(text, "name", name.data) &&
              ob_text_printf(text, " time=\"%.9f\">\n", row->time.subject * 1e-3);
    ob_text_fini(&name);
    if (ok && failed)
        ok = ob_text_append_str(text, "    <failure") &&
             append_attribute(text, "type",
                              row->memory_beyond && !row->slower_beyond ? "memory"
                                                                        : ob__diff_row_word(row)) &&
             append_message(row, text) && ob_text_append_str(text, ">") &&
             ob__append_xml(text, row->repro != NULL ? row->repro : "") &&
             ob_text_append_str(text, "</failure>\n");
    if (ok && !failed && is_skipped(row))
        ok = ob_text_append_str(text, "    <skipped") &&
             (is_accepted(row) ? append_accepted(row, text) : append_message(row, text)) &&
             ob_text_append_str(text, "/>\n");
    return ok && ob_text_append_str(text, "  </testcase>\n");
}

static bool append_tests(const ob_diff *diff, size_t side, ob_text *text)
{
    const size_t count = ob_diff_count(diff);
    bool *repeats = calloc(count + 1, sizeof *repeats);
    ob_arena names;
    ob__arena_init(&names, 0);
    bool ok = repeats != NULL && mark_repeats(diff, side, &names, repeats);
    for (size_t i = 0; ok && i < count; i++)
        ok = !is_of(diff, i, side) || append_test(diff, ob_diff_at(diff, i), repeats[i], text);
    ob__arena_fini(&names);
    free(repeats);
    return ok;
}

static bool append_suite(const ob_diff *diff, size_t side, const ob_diff_summary *sum,
                         ob_text *text)
{
    ob_text name = {.data = NULL};
    size_t skipped = 0;
    for (size_t i = 0; i < ob_diff_count(diff); i++)
        skipped += is_of(diff, i, side) && is_skipped(ob_diff_at(diff, i));
    bool ok =
        ob_text_append_str(&name, "opbench diff: ") &&
        append_side(diff, side, append_plain, &name) && ob_text_append(&name, "", 1) &&
        ob_text_append_str(text, "<testsuite") && append_attribute(text, "name", name.data) &&
        ob_text_printf(text, " tests=\"%llu\" failures=\"%llu\" errors=\"0\" skipped=\"%zu\">\n",
                       (unsigned long long)sum->rows, (unsigned long long)sum->worse, skipped);
    ob_text_fini(&name);
    return ok && append_tests(diff, side, text) && ob_text_append_str(text, "</testsuite>\n");
}

/* A suite, or of several sides one of each. */
static ob_status print_junit(const ob_diff *diff, ob_text *text, ob_err *err)
{
    const bool several = has_several(diff);
    bool ok = ob_text_append_str(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") &&
              (!several || ob_text_append_str(text, "<testsuites>\n"));
    OB_TRY(ok ? OB_OK : no_memory(err));
    OB_TRY(each_side(diff, append_suite, text, err));
    ok = !several || ob_text_append_str(text, "</testsuites>\n");
    return ok ? OB_OK : no_memory(err);
}

/* ---- */

ob_status ob_diff_print(const ob_diff *diff, ob_diff_form form, const ob_table_style *style,
                        const ob_table_choice *choice, ob_text *text, ob_err *err)
{
    ob_diff_summary sum = {.size = sizeof sum};
    screen on;
    OB_TRY(OB__TAKE_OPTIONAL(ob_table_style, &on.style, style, err));
    OB_TRY(OB__TAKE_OPTIONAL(ob_table_choice, &on.choice, choice, err));
    OB_TRY(ob_diff_summarise(diff, &sum, err));
    switch (form) {
    case OB_DIFF_FORM_TABLE:
        return print_table(diff, &sum, &on, text, err);
    case OB_DIFF_FORM_MARKDOWN:
        return print_markdown(diff, &sum, text, err);
    case OB_DIFF_FORM_JSON:
        return print_json(diff, &sum, text, err);
    case OB_DIFF_FORM_CSV:
        return print_rows(diff, OB_DIFF_ALL, SIZE_MAX, OB_TABLE_CSV, text, err);
    case OB_DIFF_FORM_JUNIT:
        return print_junit(diff, text, err);
    case OB_DIFF_FORM_COUNT:
        break;
    }
    return ob_err_set(err, OB_ERR_INVALID, "a comparison has no such format");
}
