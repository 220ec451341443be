/* SPDX-License-Identifier: Apache-2.0
 *
 * What is accepted for a while: a list in a file, each entry with a reason and the day on which it ends.
 */
#include "opbench/vec.h"
#include "verdict/diff_int.h"

#include <string.h>

static bool is_between(const char *two_digits, const char *least, const char *most)
{
    return strncmp(two_digits, least, 2) >= 0 && strncmp(two_digits, most, 2) <= 0;
}

/* "2026-12-31": four digits, two, two; dates then compare as texts. */
static bool is_date(const char *text)
{
    static const char SHAPE[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof SHAPE; i++)
        if (SHAPE[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != SHAPE[i])
            return false;
    return is_between(text + 5, "01", "12") && is_between(text + 8, "01", "31");
}

static ob_status take_entry(ob_diff *diff, const ob_json *entry, const char *path,
                            const char *today, ob_err *err)
{
    const char *name = ob_json_string(ob_json_get(entry, "key"), NULL);
    const char *reason = ob_json_string(ob_json_get(entry, "reason"), NULL);
    const char *until = ob_json_string(ob_json_get(entry, "until"), NULL);
    if (name == NULL || reason == NULL || reason[0] == '\0' || until == NULL || !is_date(until))
        return ob_err_set_at(err, OB_ERR_CONFIG, path, ob_json_line(entry), ob_json_column(entry),
                             NULL,
                             "each entry needs \"key\" (a case's key, or \"OPERATOR|ID\"), "
                             "\"reason\" and \"until\" (a date, like \"2026-12-31\")");
    if (!OB_RESERVE(diff->allowed, diff->allowed_room, diff->allowed_count + 1))
        return ob__diff_no_memory(err);
    ob_diff_allowed *a = &diff->allowed[diff->allowed_count];
    *a = (ob_diff_allowed){.over = strcmp(until, today) < 0};
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

ob_diff_allowed *ob__diff_find_allowed(ob_diff *diff, const ob_diff_case *c)
{
    ob_diff_allowed *found = NULL; /* one that is over only if there is no other */
    for (size_t i = 0; i < diff->allowed_count; i++)
        if (fits(&diff->allowed[i], c) && (found == NULL || found->over))
            found = &diff->allowed[i];
    if (found != NULL)
        found->used = true;
    return found;
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
