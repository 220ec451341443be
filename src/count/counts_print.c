/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of counts as text and as JSON. Below its heading the text is the original's to the letter, so a
 * negative count still makes the column one blank wider than it need be.
 */
#include "base/sized.h"
#include "base/text_append.h"
#include "count/counts_int.h"

#include <string.h>

enum {
    DEFAULT_WIDTH = 80,
    LEAST_NAME_WIDTH = 40,
    BLANKS_OF_ROW = 4,  /* two before the count, two before the name */
    MOST_ROWS = 18,     /* more than these: the first and the last 9 are shown */
    ELLIPSIS_WIDTH = 5, /* " ... " in a name that is too long */
};

/* ---- names, measured in code points ---- */

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

static size_t character_count(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += starts_character(*text);
    return count;
}

/* The place of the character with this number. */
static const char *character_at(const char *text, size_t number)
{
    for (; *text != '\0'; text++)
        if (starts_character(*text) && number-- == 0)
            break;
    return text;
}

bool ob__counts_append_name(ob_text *out, const char *name, size_t width)
{
    const size_t length = character_count(name);
    width = width > LEAST_NAME_WIDTH ? width : LEAST_NAME_WIDTH;
    if (length <= width)
        return ob_text_append_str(out, name);
    const size_t left = (width - ELLIPSIS_WIDTH) / 2;
    const size_t right = width - ELLIPSIS_WIDTH - left;
    return ob_text_append(out, name, (size_t)(character_at(name, left) - name)) &&
           ob_text_append_str(out, " ... ") &&
           ob_text_append_str(out, character_at(name, length - right));
}

/* ---- text ---- */

static size_t count_width(const ob_counts *counts)
{
    size_t width = 0;
    for (size_t i = 0; i < counts->size; i++) {
        char digits[20];
        const int64_t count = counts->rows[i].count;
        const size_t length = ob__format_i64(count, digits) + (count < 0);
        width = length > width ? length : width;
    }
    return width;
}

static bool append_rows(ob_text *out, const ob_counts *counts, size_t first, size_t end,
                        size_t name_width)
{
    const size_t width = count_width(counts);
    for (size_t i = first; i < end; i++) {
        char digits[20];
        const ob_count row = counts->rows[i];
        const int length = (int)ob__format_i64(row.count, digits);
        if (!ob_text_printf(out, "\n  %*s%.*s  ", (int)width - length, "", length, digits) ||
            !ob__counts_append_name(out, row.function, name_width))
            return false;
    }
    return true;
}

ob_status ob_counts_print(const ob_counts *counts, const ob_counts_style *style, ob_text *out,
                          ob_err *err)
{
    ob_counts_style own;
    OB_TRY(OB__TAKE_OPTIONAL(ob_counts_style, &own, style, err));
    style = &own;
    const size_t width = count_width(counts);
    const size_t line = style->line_width == 0 ? DEFAULT_WIDTH : style->line_width;
    const size_t name_width = line > width + BLANKS_OF_ROW ? line - width - BLANKS_OF_ROW : 0;
    const size_t half = MOST_ROWS / 2, size = counts->size;
    const bool cut = counts->truncate_rows && !style->all_rows && size > MOST_ROWS;

    bool ok = ob_text_printf(out, "<opbench FunctionCounts, %s>",
                             counts->inclusive ? "inclusive" : "exclusive");
    if (cut)
        ok = ok && append_rows(out, counts, 0, half, name_width) &&
             ob_text_printf(out, "\n%*s", (int)width + 2, "...") &&
             append_rows(out, counts, size - half, size, name_width);
    else
        ok = ok && append_rows(out, counts, 0, size, name_width);
    if (!counts->inclusive)
        ok = ok && ob_text_append_str(out, "\n\nTotal: ") &&
             ob__text_append_i64(out, ob_counts_sum(counts));
    return ok ? OB_OK : ob__counts_no_memory(err);
}

/* ---- JSON ---- */

static ob_status append_pair(ob_json_doc *doc, ob_json *data, const ob_count *row, ob_err *err)
{
    ob_json *pair = ob_json_new_array(doc);
    const ob_json *count = ob_json_new_int(doc, row->count);
    const ob_json *name = ob_json_new_string(doc, row->function, strlen(row->function));
    if (pair == NULL || count == NULL || name == NULL)
        return ob__counts_no_memory(err);
    OB_TRY(ob_json_append(doc, pair, count, err));
    OB_TRY(ob_json_append(doc, pair, name, err));
    return ob_json_append(doc, data, pair, err);
}

ob_status ob_counts_to_json(const ob_counts *counts, ob_json_doc *doc, ob_json **out, ob_err *err)
{
    if (counts == NULL) {
        *out = ob_json_new_null(doc);
        return *out != NULL ? OB_OK : ob__counts_no_memory(err);
    }
    *out = ob_json_new_object(doc);
    ob_json *data = ob_json_new_array(doc);
    const ob_json *inclusive = ob_json_new_bool(doc, counts->inclusive);
    if (*out == NULL || data == NULL || inclusive == NULL)
        return ob__counts_no_memory(err);
    for (size_t i = 0; i < counts->size; i++)
        OB_TRY(append_pair(doc, data, &counts->rows[i], err));
    OB_TRY(ob_json_set(doc, *out, "inclusive", inclusive, err));
    return ob_json_set(doc, *out, "data", data, err);
}

static ob_status bad_form(const ob_json *node, const char *want, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_CONFIG, NULL, ob_json_line(node), ob_json_column(node), NULL,
                         "a table of counts has %s here; write it with opbench count --json", want);
}

static ob_status read_pairs(const ob_json *data, ob_counts *counts, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(data); i++) {
        const ob_json *pair = ob_json_item(data, i);
        const ob_json *count = ob_json_item(pair, 0);
        size_t length;
        const char *name = ob_json_string(ob_json_item(pair, 1), &length);
        if (ob_json_get_kind(pair) != OB_JSON_ARRAY || ob_json_count(pair) != 2 ||
            ob_json_get_kind(count) != OB_JSON_INT || name == NULL || strlen(name) != length)
            return bad_form(pair, "[count, \"function\"]", err);
        if (!ob__counts_push(counts, ob_json_int(count, 0), name, length))
            return ob__counts_no_memory(err);
    }
    return OB_OK;
}

ob_status ob_counts_from_json(const ob_json *node, ob_counts **out, ob_err *err)
{
    *out = NULL;
    if (node == NULL || ob_json_get_kind(node) == OB_JSON_NULL)
        return OB_OK;
    const ob_json *inclusive = ob_json_get(node, "inclusive"), *data = ob_json_get(node, "data");
    if (ob_json_get_kind(inclusive) != OB_JSON_BOOL || ob_json_get_kind(data) != OB_JSON_ARRAY)
        return bad_form(node, "{\"inclusive\": ..., \"data\": [...]}", err);
    ob_counts *counts = ob__counts_new(ob_json_bool(inclusive, false));
    if (counts == NULL)
        return ob__counts_no_memory(err);
    const ob_status status = read_pairs(data, counts, err);
    if (status != OB_OK) {
        ob_counts_destroy(counts);
        return status;
    }
    *out = counts;
    return OB_OK;
}
