/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of options: their defaults, and from struct to text, words and JSON and back.
 */
#include "base/option_field.h"

#include "base/number.h"
#include "base/text_append.h"
#include "opbench/old_option.h"

#include <stdio.h>
#include <string.h>

/* Any field by itself. */
typedef union field {
    bool flag;
    int64_t integer;
    double real;
    const char *text;
    ob_option_list list;
} field;

size_t ob__option_bytes(ob_option_type type)
{
    switch (type) {
    case OB_OPTION_FLAG:
        return sizeof(bool);
    case OB_OPTION_INT:
        return sizeof(int64_t);
    case OB_OPTION_DOUBLE:
        return sizeof(double);
    case OB_OPTION_STRING:
    case OB_OPTION_CHOICE:
        return sizeof(const char *);
    case OB_OPTION_LIST:
        return sizeof(ob_option_list);
    case OB_OPTION_ROWS:
        break;
    }
    return 0;
}

static field get(const ob_option *row, const void *target)
{
    field f = {.list = {{NULL}}};
    memcpy(&f, (const char *)target + row->offset, ob__option_bytes(row->type));
    return f;
}

static bool is_text(const ob_option *row)
{
    return row->type == OB_OPTION_STRING || row->type == OB_OPTION_CHOICE;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same(const ob_option *row, field a, field b)
{
    bool same = true;
    if (is_text(row))
        return is_same_text(a.text, b.text);
    if (row->type == OB_OPTION_LIST) {
        for (size_t i = 0; i < OB_OPTION_MAX_VALUES; i++)
            same = same && is_same_text(a.list.items[i], b.list.items[i]);
        return same;
    }
    return memcmp(&a, &b, ob__option_bytes(row->type)) == 0;
}

/* ---- defaults ---- */

/* Some defaults say that there is none, and so lie outside of what may be given: -1 for no CPU. */
ob_status ob__option_store_default(const ob_option *row, void *to, ob_err *err)
{
    ob_option any = *row;
    any.min = any.max = 0;
    memset(to, 0, ob__option_bytes(row->type));
    return row->initial != NULL ? ob__option_store(&any, row->name, row->initial, to, err) : OB_OK;
}

ob_status ob_options_init(const ob_option *rows, void *target, ob_err *err)
{
    for (const ob_option *row = rows; row->name != NULL; row++)
        if (row->initial != NULL && row->refused == NULL)
            OB_TRY(ob__option_store_default(row, (char *)target + row->offset, err));
    return OB_OK;
}

/* ---- comparing ---- */

bool ob_option_is_default(const ob_option *row, const void *target)
{
    field usual = {.list = {{NULL}}};
    return row->refused != NULL || ob__option_store_default(row, &usual, NULL) != OB_OK ||
           is_same(row, get(row, target), usual);
}

const ob_option *ob_options_find_difference(const ob_option *rows, const void *a, const void *b)
{
    for (const ob_option *row = rows; row->name != NULL; row++)
        if (row->affects_measurement && !is_same(row, get(row, a), get(row, b)))
            return row;
    return NULL;
}

/* ---- as text ---- */

void ob_option_format_value(const ob_option *row, const void *target, char *out, size_t size)
{
    const field f = get(row, target);
    char digits[32] = "";
    if (row->type == OB_OPTION_INT)
        snprintf(out, size, "%lld", (long long)f.integer);
    else if (row->type == OB_OPTION_DOUBLE && ob__format_double(f.real, digits) > 0)
        snprintf(out, size, "%s", digits);
    else if (is_text(row) && f.text != NULL)
        snprintf(out, size, "%.160s", f.text);
    else if (row->type == OB_OPTION_LIST && f.list.items[0] != NULL)
        snprintf(out, size, "%.160s%s", f.list.items[0],
                 f.list.items[1] != NULL ? " and others" : "");
    else
        snprintf(out, size, "%s", row->type == OB_OPTION_FLAG && f.flag ? "given" : "not given");
}

/* The value behind "=". */
static bool append_value(ob_text *words, const ob_option *row, field f)
{
    if (row->type == OB_OPTION_FLAG)
        return true;
    if (!ob_text_append(words, "=", 1))
        return false;
    if (row->type == OB_OPTION_INT)
        return ob__text_append_i64(words, f.integer);
    return row->type == OB_OPTION_DOUBLE ? ob__text_append_real(words, f.real)
                                         : ob_text_append_str(words, f.text);
}

static bool append_word(ob_text *words, const ob_option *row, field f)
{
    return ob_text_append_str(words, "--") && ob_text_append_str(words, row->name) &&
           append_value(words, row, f) && ob_text_append(words, "", 1);
}

bool ob__options_append_words(const ob_option *rows, const void *target, ob_text *words)
{
    bool ok = true;
    for (const ob_option *row = rows; ok && row->name != NULL; row++) {
        const field f = get(row, target);
        if (ob_option_is_default(row, target) || (is_text(row) && f.text == NULL))
            continue;
        if (row->type != OB_OPTION_LIST)
            ok = append_word(words, row, f);
        for (size_t i = 0; ok && row->type == OB_OPTION_LIST && f.list.items[i] != NULL; i++)
            ok = append_word(words, row, (field){.text = f.list.items[i]});
    }
    return ok;
}

/* ---- as JSON ---- */

typedef struct key {
    char text[72];
} key;

static key make_key(const ob_option *row)
{
    key k;
    snprintf(k.text, sizeof k.text, "%s", row->name);
    for (char *c = k.text; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    return k;
}

/* NULL when memory is out. */
static ob_json *list_to_json(const ob_option_list *from, ob_json_doc *doc)
{
    ob_json *list = ob_json_new_array(doc);
    for (size_t i = 0; list != NULL && from->items[i] != NULL; i++) {
        const ob_json *item = ob_json_new_string(doc, from->items[i], strlen(from->items[i]));
        if (item == NULL || ob_json_append(doc, list, item, NULL) != OB_OK)
            return NULL;
    }
    return list;
}

static void list_from_json(const ob_json *from, ob_option_list *list)
{
    if (ob_json_get_kind(from) != OB_JSON_ARRAY || ob_json_count(from) > OB_OPTION_MAX_VALUES)
        return;
    *list = (ob_option_list){{NULL}};
    for (size_t i = 0; i < ob_json_count(from); i++)
        list->items[i] = ob_json_string(ob_json_item(from, i), NULL);
}

static ob_json *to_json(const ob_option *row, field f, ob_json_doc *doc)
{
    switch (row->type) {
    case OB_OPTION_FLAG:
        return ob_json_new_bool(doc, f.flag);
    case OB_OPTION_INT:
        return ob_json_new_int(doc, f.integer);
    case OB_OPTION_DOUBLE:
        return ob_json_new_real(doc, f.real);
    case OB_OPTION_STRING:
    case OB_OPTION_CHOICE:
        return f.text != NULL ? ob_json_new_string(doc, f.text, strlen(f.text))
                              : ob_json_new_null(doc);
    case OB_OPTION_LIST:
        return list_to_json(&f.list, doc);
    case OB_OPTION_ROWS:
        break;
    }
    return NULL;
}

ob_status ob_options_to_json(const ob_option *rows, const void *target, ob_json_doc *doc,
                             ob_json *object, ob_err *err)
{
    static const field NOTHING = {.list = {{NULL}}};
    for (const ob_option *row = rows; row->name != NULL; row++) {
        if (ob_option_new_name(row) != NULL)
            continue; /* the same field */
        const ob_json *value = to_json(row, row->refused != NULL ? NOTHING : get(row, target), doc);
        if (value == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the options' values");
        OB_TRY(ob_json_set(doc, object, make_key(row).text, value, err));
    }
    return OB_OK;
}

void ob_options_from_json(const ob_option *rows, const ob_json *object, void *target)
{
    for (const ob_option *row = rows; row->name != NULL; row++) {
        const ob_json *value = ob_json_get(object, make_key(row).text);
        if (value == NULL || row->refused != NULL)
            continue;
        field f = get(row, target);
        switch (row->type) {
        case OB_OPTION_FLAG:
            f.flag = ob_json_bool(value, f.flag);
            break;
        case OB_OPTION_INT:
            f.integer = ob_json_int(value, f.integer);
            break;
        case OB_OPTION_DOUBLE:
            f.real = ob_json_real(value, f.real);
            break;
        case OB_OPTION_STRING:
        case OB_OPTION_CHOICE:
            if (ob_json_get_kind(value) == OB_JSON_STRING ||
                ob_json_get_kind(value) == OB_JSON_NULL)
                f.text = ob_json_string(value, NULL);
            break;
        case OB_OPTION_LIST:
            list_from_json(value, &f.list);
            break;
        case OB_OPTION_ROWS:
            break;
        }
        memcpy((char *)target + row->offset, &f, ob__option_bytes(row->type));
    }
}
