/* SPDX-License-Identifier: Apache-2.0
 *
 * Slowdowns that are accepted for a while: a list in a file, each entry with a reason and the day on which it ends. Who accepts
 * that a case is slower, or needs more memory, has not accepted that it crashes, computes something wrong or is gone.
 */
#include "opbench/vec.h"
#include "verdict/diff_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long days_of(long year, long month)
{
    static const long DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month < 1 || month > 12 ? 0 : DAYS[month - 1] + (month == 2 && leap);
}

/* "2026-12-31": four digits, two, two; dates then compare as texts. */
static bool is_date(const char *text)
{
    static const char SHAPE[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof SHAPE; i++)
        if (SHAPE[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != SHAPE[i])
            return false;
    const long day = strtol(text + 8, NULL, 10);
    return day >= 1 &&
           day <= days_of(strtol(text, NULL, 10), strtol(text + 5, NULL, 10)); /* 0 of none */
}

static ob_status bad_place(const char *path, const ob_json *at, ob_err *err, const char *what)
{
    return ob_err_set_at(err, OB_ERR_CONFIG, path, ob_json_line(at), ob_json_column(at), NULL, "%s",
                         what);
}

static ob_status check_keys(const ob_json *entry, const char *path, ob_err *err)
{
    static const char *const KEYS[] = {"key", "reason", "until", "at_most"};
    for (size_t i = 0; i < ob_json_count(entry); i++) {
        const char *key = ob_json_key(entry, i);
        bool known = false;
        for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++)
            known |= key == NULL || strcmp(key, KEYS[k]) == 0;
        if (!known)
            return ob_err_set_at(err, OB_ERR_CONFIG, path, ob_json_line(ob_json_item(entry, i)),
                                 ob_json_column(ob_json_item(entry, i)), NULL,
                                 "unknown key \"%.60s\"; an entry has \"key\", \"reason\", "
                                 "\"until\" and \"at_most\"",
                                 key);
    }
    return OB_OK;
}

static ob_status take_entry(ob_diff *diff, const ob_json *entry, const char *path,
                            const char *today, ob_err *err)
{
    const char *name = ob_json_string(ob_json_get(entry, "key"), NULL);
    const char *reason = ob_json_string(ob_json_get(entry, "reason"), NULL);
    const char *until = ob_json_string(ob_json_get(entry, "until"), NULL);
    const ob_json *at_most = ob_json_get(entry, "at_most");
    const double most = at_most != NULL ? ob_json_real(at_most, -1) : INFINITY;
    if (name == NULL || reason == NULL || reason[0] == '\0' || until == NULL)
        return bad_place(path, entry, err,
                         "each entry needs \"key\" (a case's key, or \"OPERATOR|ID\"), "
                         "\"reason\" and \"until\" (a date, like \"2026-12-31\")");
    OB_TRY(check_keys(entry, path, err));
    if (!is_date(until))
        return bad_place(path, ob_json_get(entry, "until"), err,
                         "\"until\" is not a date; write a day of the calendar, like "
                         "\"2026-12-31\"");
    if (!(most >= 0))
        return bad_place(path, at_most, err,
                         "\"at_most\" is how much slower is accepted, a number from 0: 0.05 is "
                         "5 %");
    if (!OB_RESERVE(diff->allowed, diff->allowed_room, diff->allowed_count + 1))
        return ob__diff_no_memory(err);
    ob_diff_allowed *a = &diff->allowed[diff->allowed_count];
    *a = (ob_diff_allowed){.at_most = most, .over = strcmp(until, today) < 0};
    OB_TRY(ob__diff_keep(diff, name, &a->name, err));
    OB_TRY(ob__diff_keep(diff, reason, &a->reason, err));
    OB_TRY(ob__diff_keep(diff, until, &a->until, err));
    diff->allowed_count++;
    return OB_OK;
}

ob_status ob_diff_allow_file(ob_diff *diff, const char *path, const char *today, ob_err *err)
{
    ob_json_doc *doc;
    OB_TRY(ob_json_parse_file(path, NULL, &doc, err));
    const ob_json *root = ob_json_doc_root(doc);
    ob_status status = OB_OK;
    if (ob_json_get_kind(root) != OB_JSON_ARRAY)
        status = ob_err_set_at(err, OB_ERR_CONFIG, path, ob_json_line(root), ob_json_column(root),
                               NULL, "the allowed changes must be a list of objects");
    for (size_t i = 0; status == OB_OK && i < ob_json_count(root); i++)
        status = take_entry(diff, ob_json_item(root, i), path, today, err);
    ob_json_doc_destroy(doc);
    return status;
}

static bool fits(const ob_diff_allowed *a, const ob_diff_case *c)
{
    if (c->key != NULL && strcmp(a->name, c->key) == 0)
        return true;
    const size_t length = strlen(c->op_name);
    return length > 0 && strncmp(a->name, c->op_name, length) == 0 && a->name[length] == '|' &&
           strcmp(a->name + length + 1, c->id) == 0;
}

/* Whether an entry is meant for what is worse in the row. */
static bool covers(const ob_diff *diff, const ob_diff_allowed *a, const ob_diff_row *row)
{
    const bool slower = row->slower_beyond && (diff->tolerate & OB_DIFF_TOLERATE_SLOWER) == 0;
    return row->state == OB_DIFF_COMPARED && (!slower || row->time.ratio <= 1 + a->at_most);
}

static ob_status say_not_covered(ob_diff *diff, const ob_diff_allowed *a, ob_diff_row *row,
                                 ob_err *err)
{
    ob_text text = {.data = NULL};
    const bool ok =
        (row->state == OB_DIFF_COMPARED
             ? ob_text_printf(&text, "more than the accepted %+.3g %%: %s", 100 * a->at_most,
                              a->reason)
             : ob_text_printf(&text,
                              "not covered by --allow, which accepts only more time or memory (%s)",
                              a->reason)) &&
        ob_text_append(&text, "", 1);
    const ob_status status =
        ok ? ob__diff_keep(diff, text.data, &row->not_allowed, err) : ob__diff_no_memory(err);
    ob_text_fini(&text);
    return status;
}

ob_status ob__diff_accept(ob_diff *diff, const ob_diff_case *c, ob_diff_row *row, ob_err *err)
{
    const ob_diff_allowed *nearest = NULL;
    for (size_t i = 0; i < diff->allowed_count; i++) {
        ob_diff_allowed *a = &diff->allowed[i];
        if (!fits(a, c))
            continue;
        a->used = true;
        if (!a->over && row->allowed == NULL && covers(diff, a, row)) {
            row->allowed = a->reason;
            row->allowed_until = a->until;
        }
        if (!a->over && (nearest == NULL || a->at_most > nearest->at_most))
            nearest = a;
    }
    return nearest != NULL && row->allowed == NULL && row->worse
               ? say_not_covered(diff, nearest, row, err)
               : OB_OK;
}

ob_status ob__diff_note_allowed(ob_diff *diff, ob_err *err)
{
    for (size_t i = 0; i < diff->allowed_count; i++) {
        const ob_diff_allowed *a = &diff->allowed[i];
        if (a->over)
            OB_TRY(ob__diff_note(diff, err, "%s was accepted only until %s: %s", a->name, a->until,
                                 a->reason));
        else if (!a->used)
            OB_TRY(ob__diff_note(diff, err, "%s is accepted, but there is no such case", a->name));
    }
    return OB_OK;
}
