/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows as Markdown, for docs/records.md.
 */
#include "base/text_append.h"
#include "result/line.h"

#include <string.h>

static const char *type_text(ob_field_type type)
{
    static const char *const TEXTS[] = {
        [OB_FIELD_STR] = "string",      [OB_FIELD_CHARS] = "string",  [OB_FIELD_BYTES] = "string",
        [OB_FIELD_INT] = "integer",     [OB_FIELD_COUNT] = "integer", [OB_FIELD_REAL] = "number",
        [OB_FIELD_FLAG] = "boolean",    [OB_FIELD_STATUS] = "string", [OB_FIELD_REALS] = "numbers",
        [OB_FIELD_STRINGS] = "strings", [OB_FIELD_JSON] = "any",      [OB_FIELD_OBJECT] = "object",
    };
    return TEXTS[type];
}

/* "|" would end the table's cell. */
static bool append_cell(ob_text *text, const char *cell)
{
    for (; *cell != '\0'; cell++)
        if (!(*cell == '|' ? ob_text_append(text, "\\|", 2) : ob_text_append(text, cell, 1)))
            return false;
    return true;
}

static bool print_row(ob_text *text, const ob_field *field)
{
    return ob_text_printf(text, "| `%s`%s | %s | %s | ", field->path,
                          field->flags & OB_FIELD_PARAM ? " P" : "", type_text(field->type),
                          ob_unit_text(field->unit)) &&
           append_cell(text, field->help) && ob_text_append_str(text, " |\n");
}

static bool print_kind(ob_text *text, ob_record_kind kind, const char *word, const char *help)
{
    size_t count;
    const ob_field *fields = ob_record_fields(&count);
    bool ok = ob_text_printf(
        text, "### %s: %s\n\n| field | type | unit | meaning |\n|---|---|---|---|\n", word, help);
    for (size_t i = 0; ok && i < count; i++)
        if (fields[i].kind == kind)
            ok = print_row(text, &fields[i]);
    return ok && ob_text_append_str(text, "\n");
}

static bool print_status(ob_text *text, const char *word, bool failed, const char *help)
{
    return ob_text_printf(text, "| `%s` | %s | %s |\n", word, failed ? "yes" : "no", help);
}

ob_status ob__record_print_docs(ob_text *text, ob_err *err)
{
    const size_t size_before = text->size;
    bool ok = true;
#define PRINT_KIND(id, word, help) ok = ok && print_kind(text, OB_RECORD_##id##_LINE, word, help);
    OB_RECORD_KIND_MAP(PRINT_KIND)
#undef PRINT_KIND
    ok = ok && ob_text_append_str(
                   text, "### status\n\n| word | fails the run | meaning |\n|---|---|---|\n");
#define PRINT_STATUS(id, word, ran, failed, settled, help)                                         \
    ok = ok && print_status(text, word, failed, help);
    OB_RECORD_STATUS_MAP(PRINT_STATUS)
#undef PRINT_STATUS
    if (ok)
        return OB_OK;
    text->size = size_before;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the table of fields");
}
