/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of compressed names of a callgrind file. Memory is bounded: a short file must not be able to
 * name a long text very often.
 */
#include "count/callgrind_names.h"

#include "count/counts_int.h"
#include "opbench/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64 << 10, ALL_NAMES_BYTES = 1 << 30 };

void ob__callgrind_names_init(ob_callgrind_names *names)
{
    *names = (ob_callgrind_names){0};
    ob__arena_init(&names->arena, ALL_NAMES_BYTES);
}

void ob__callgrind_names_fini(ob_callgrind_names *names)
{
    ob__arena_fini(&names->arena);
    ob__index_fini(&names->index);
    free((void *)names->texts);
    *names = (ob_callgrind_names){0};
}

/* Length of "(12)" at the start, or 0: "(below main)" is a name. */
static size_t number_length(const ob_count_line *value)
{
    size_t at = 1;
    if (value->size < 3 || value->text[0] != '(')
        return 0;
    while (at < value->size && isdigit((unsigned char)value->text[at]))
        at++;
    return at > 1 && at < value->size && value->text[at] == ')' ? at + 1 : 0;
}

static ob_status keep_text(ob_callgrind_names *names, const char *text, size_t length,
                           const char **out, ob_err *err)
{
    if (length > NAME_BYTES)
        return ob_err_set(err, OB_ERR_LIMIT, "a name of %zu bytes; the limit is %d", length,
                          NAME_BYTES);
    *out = ob__arena_strdup(&names->arena, text, length);
    return *out != NULL ? OB_OK : ob__counts_no_memory(err);
}

static bool grow(ob_callgrind_names *names)
{
    return names->size < OB__INDEX_NONE - 1 &&
           OB_RESERVE(names->texts, names->capacity, names->size + 1);
}

static ob_status define(ob_callgrind_names *names, const char *key, size_t key_length,
                        const char *text, ob_err *err)
{
    const uint32_t found = ob__index_find(&names->index, key, key_length);
    if (found != OB__INDEX_NONE) {
        names->texts[found] = text;
        return OB_OK;
    }
    char *kept = NULL;
    if (!grow(names) || !ob__index_reserve(&names->index, 1) ||
        (kept = ob__arena_strdup(&names->arena, key, key_length)) == NULL)
        return ob__counts_no_memory(err);
    ob__index_put(&names->index, kept, key_length, (uint32_t)names->size);
    names->texts[names->size++] = text;
    return OB_OK;
}

ob_status ob__callgrind_name(ob_callgrind_names *names, ob_callgrind_kind kind,
                             const ob_count_line *value, const char **out, ob_err *err)
{
    const size_t number = number_length(value);
    if (number == 0)
        return keep_text(names, value->text, value->size, out, err);
    char key[32];
    if (number >= sizeof key)
        return ob_err_set(err, OB_ERR_SYNTAX, "a name has a number of %zu digits", number - 2);
    key[0] = (char)kind;
    memcpy(key + 1, value->text, number);
    size_t at = number;
    while (at < value->size && value->text[at] == ' ')
        at++;
    if (at < value->size) {
        OB_TRY(keep_text(names, value->text + at, value->size - at, out, err));
        return define(names, key, number + 1, *out, err);
    }
    const uint32_t found = ob__index_find(&names->index, key, number + 1);
    if (found == OB__INDEX_NONE)
        return ob_err_set(err, OB_ERR_SYNTAX, "the name %.*s is used before it is defined",
                          (int)number, value->text);
    *out = names->texts[found];
    return OB_OK;
}
