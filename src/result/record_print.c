/* SPDX-License-Identifier: Apache-2.0
 *
 * A record as its line. The rows are walked in order; objects are opened when the first field inside
 * them is there and closed when a row leaves them, so an object without content is not written. The
 * separators are those of Python's json.dumps, so that lines compare with PARAM's as text.
 */
#include "base/json_node.h"
#include "base/sized.h"
#include "opbench/record.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 8, MAX_JSON_DEPTH = 256 };

typedef struct printer {
    ob_text *text;
    const ob_record *record;
    const char *path; /* whose first `depth` keys are open */
    size_t depth;
    bool filled[MAX_DEPTH + 1]; /* per open object: something stands in it */
    ob_text notes;              /* of numbers that are not finite: texts with a NUL behind each */
} printer;

/* The key at `path`, up to the next "/"; *rest is behind it, "" after the last one. */
static size_t key_length(const char *path, const char **rest)
{
    const size_t length = (size_t)(strchrnul(path, '/') - path);
    *rest = path[length] == '/' ? path + length + 1 : path + length;
    return length;
}

static size_t count_keys(const char *path)
{
    size_t count = 1;
    for (; (path = strchr(path, '/')) != NULL; path++)
        count++;
    return count;
}

/* How many keys at the start of `path` name objects that are open, its first `limit` at most. */
static size_t common_depth(const printer *p, const char *path, size_t limit)
{
    const char *open = p->path;
    size_t depth = 0;
    while (depth < limit && depth < p->depth) {
        const char *open_rest, *rest;
        const size_t length = key_length(path, &rest);
        if (key_length(open, &open_rest) != length || memcmp(open, path, length) != 0)
            break;
        depth++;
        open = open_rest;
        path = rest;
    }
    return depth;
}

static bool close_to(printer *p, size_t depth)
{
    for (; p->depth > depth; p->depth--)
        if (!ob_text_append(p->text, "}", 1))
            return false;
    return true;
}

static bool write_key(printer *p, const char *key, size_t length)
{
    const bool ok = (!p->filled[p->depth] || ob_text_append(p->text, ", ", 2)) &&
                    ob__json_write_string(p->text, key, length) && ob_text_append(p->text, ": ", 2);
    p->filled[p->depth] = true;
    return ok;
}

/* Opens the objects of the first `depth` keys of path and closes all others. */
static bool open_objects(printer *p, const char *path, size_t depth)
{
    const size_t common = common_depth(p, path, depth);
    if (!close_to(p, common))
        return false;
    p->path = path;
    for (size_t i = 0; i < depth; i++) {
        const char *rest;
        const size_t length = key_length(path, &rest);
        if (i >= common) {
            if (!write_key(p, path, length) || !ob_text_append(p->text, "{", 1))
                return false;
            p->filled[++p->depth] = false;
        }
        path = rest;
    }
    return true;
}

static bool write_null(printer *p)
{
    return ob_text_append(p->text, "null", 4);
}

static bool note_not_finite(printer *p, const ob_field *field, size_t count)
{
    return ob_text_printf(&p->notes, "%s: %zu %s not finite and written as null", field->path,
                          count, count == 1 ? "number is" : "numbers are") &&
           ob_text_append(&p->notes, "", 1);
}

static bool write_reals(printer *p, const ob_field *field, const ob_reals *list)
{
    size_t bad = 0;
    bool ok = ob_text_append(p->text, "[", 1);
    for (size_t i = 0; ok && i < list->count; i++) {
        const bool finite = isfinite(list->items[i]);
        bad += !finite;
        ok = (i == 0 || ob_text_append(p->text, ", ", 2)) &&
             (finite ? ob__text_append_real(p->text, list->items[i]) : write_null(p));
    }
    return ok && ob_text_append(p->text, "]", 1) && (bad == 0 || note_not_finite(p, field, bad));
}

static bool has_string(const ob_strings *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] != NULL && strcmp(list->items[i], text) == 0)
            return true;
    return false;
}

/* The strings, then the notes that are not among them (a record that was read has them already). */
static bool write_strings(printer *p, const ob_strings *list, const ob_text *notes)
{
    bool ok = ob_text_append(p->text, "[", 1), first = true;
    for (size_t i = 0; ok && i < list->count; i++, first = false) {
        const char *item = list->items[i];
        ok = (first || ob_text_append(p->text, ", ", 2)) &&
             (item != NULL ? ob__json_write_any(p->text, item, strlen(item)) : write_null(p));
    }
    for (size_t at = 0; ok && at < notes->size; at += strlen(notes->data + at) + 1) {
        const char *note = notes->data + at;
        if (has_string(list, note))
            continue;
        ok = (first || ob_text_append(p->text, ", ", 2)) &&
             ob__json_write_any(p->text, note, strlen(note));
        first = false;
    }
    return ok && ob_text_append(p->text, "]", 1);
}

static bool is_warnings(const ob_field *field)
{
    return field->type == OB_FIELD_STRINGS && field->offset == offsetof(ob_record, result.warnings);
}

static bool write_value(printer *p, const ob_field *field)
{
    static const ob_text NO_NOTES = {.data = NULL};
    const void *member = ob_record_member(p->record, field);
    const char *string;
    switch (field->type) {
    case OB_FIELD_STR:
        string = *(const char *const *)member;
        return ob__json_write_any(p->text, string, strlen(string));
    case OB_FIELD_CHARS:
        return ob__json_write_any(p->text, member, strnlen(member, field->size));
    case OB_FIELD_BYTES:
        return ob__json_write_any(p->text, ((const ob_bytes *)member)->data,
                                  ((const ob_bytes *)member)->size);
    case OB_FIELD_INT:
        return ob__text_append_i64(p->text, *(const int64_t *)member);
    case OB_FIELD_COUNT:
        return ob__text_append_u64(p->text, *(const uint64_t *)member);
    case OB_FIELD_REAL:
        if (isfinite(*(const double *)member))
            return ob__text_append_real(p->text, *(const double *)member);
        return write_null(p) && note_not_finite(p, field, 1);
    case OB_FIELD_FLAG:
        return ob_text_append_str(p->text, *(const int8_t *)member ? "true" : "false");
    case OB_FIELD_STATUS:
        string = ob_record_status_get_info(*(const ob_record_status *)member)->word;
        return ob__json_write_any(p->text, string, strlen(string));
    case OB_FIELD_REALS:
        return write_reals(p, field, member);
    case OB_FIELD_STRINGS:
        return write_strings(p, member, is_warnings(field) ? &p->notes : &NO_NOTES);
    case OB_FIELD_JSON:
        return ob__json_write(p->text, *(const ob_json *const *)member);
    case OB_FIELD_OBJECT:
        break;
    }
    return false;
}

static bool write_row(printer *p, const ob_field *field)
{
    const bool has = ob_record_has(p->record, field) || (is_warnings(field) && p->notes.size > 0);
    if (!has && field->type != OB_FIELD_OBJECT &&
        !(field->flags & (OB_FIELD_ALWAYS | OB_FIELD_FILL)))
        return true; /* most fields of most records */
    const size_t parents = count_keys(field->path) - 1;
    if (field->type == OB_FIELD_OBJECT)
        return open_objects(p, field->path, parents + 1);
    if (!has && !(field->flags & OB_FIELD_ALWAYS) &&
        !((field->flags & OB_FIELD_FILL) && p->depth >= parents &&
          common_depth(p, field->path, parents) == parents))
        return true;
    const char *key = strrchr(field->path, '/');
    key = key != NULL ? key + 1 : field->path;
    return open_objects(p, field->path, parents) && write_key(p, key, strlen(key)) &&
           (has ? write_value(p, field) : write_null(p));
}

/* JSON that was built by code may hold what has no JSON text, or be nested without bound. */
static bool is_printable(const ob_json *node, int depth)
{
    if (node->kind == OB_JSON_REAL)
        return node->as.real.text != NULL || isfinite(node->as.real.value);
    if (node->kind != OB_JSON_ARRAY && node->kind != OB_JSON_OBJECT)
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (depth == MAX_JSON_DEPTH || !is_printable(ob_json_item(node, i), depth + 1))
            return false;
    return true;
}

static ob_status check_row(const ob_record *record, const ob_field *field, ob_err *err)
{
    const void *member = ob_record_member(record, field);
    if (field->type == OB_FIELD_STATUS &&
        ob_record_status_get_info(*(const ob_record_status *)member) == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "%s: there is no status with the number %d",
                          field->path, (int)*(const ob_record_status *)member);
    if (field->type == OB_FIELD_JSON && *(const ob_json *const *)member != NULL &&
        !is_printable(*(const ob_json *const *)member, 0))
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s: the JSON holds a number that is not finite, or more than %d levels; "
                          "leave that out",
                          field->path, MAX_JSON_DEPTH);
    return OB_OK;
}

ob_status ob_record_print(const ob_record *record, ob_text *text, ob_err *err)
{
    size_t count;
    const ob_field *fields = ob_record_fields(&count);
    const size_t size_before = text->size;
    printer p = {.text = text, .record = record, .path = ""};
    OB_TRY(ob__check_same_size(record->size, sizeof *record, "ob_record", err));
    if ((unsigned)record->kind >= OB_RECORD_KIND_COUNT)
        return ob_err_set(err, OB_ERR_INVALID, "a record of kind %d cannot be written",
                          (int)record->kind);
    bool ok = ob_text_append(text, "{", 1);
    ob_status status = OB_OK;
    for (size_t i = 0; ok && status == OB_OK && i < count; i++) {
        if (fields[i].kind != record->kind)
            continue;
        status = check_row(record, &fields[i], err);
        ok = status != OB_OK || write_row(&p, &fields[i]);
    }
    ok = ok && close_to(&p, 0) && ob_text_append(text, "}\n", 2);
    if (status == OB_OK && !ok)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the line of a record");
    if (status != OB_OK)
        text->size = size_before;
    ob_text_fini(&p.notes);
    return status;
}
