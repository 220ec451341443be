/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON text from a tree: one line, with the separators of Python's json.dumps, so that lines from
 * opbench and from PARAM compare as text.
 */
#include "base/json_node.h"

#include "base/json_plain.h"
#include "base/number.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ob__json_write_string(ob_text *text, const char *bytes, size_t length)
{
    /* The longest escape is \u001f: six bytes for one. */
    if (length > (SIZE_MAX - 2) / 6 || !ob_text_reserve(text, 6 * length + 2))
        return false;
    char *to = text->data + text->size;
    *to++ = '"';
    for (size_t i = 0; i < length; i++) {
        const size_t plain = (size_t)(ob__json_plain_end(bytes + i, bytes + length) - bytes) - i;
        const char *rubout = memchr(bytes + i, 0x7F, plain);
        const size_t copied = rubout != NULL ? (size_t)(rubout - bytes) - i : plain;
        to = (char *)memcpy(to, bytes + i, copied) + copied;
        i += copied;
        if (i == length)
            break;
        const unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x80) {
            const char *at = bytes + i;
            const uint32_t code = ob__utf8_next(&at, bytes + length);
            const size_t count = (size_t)(at - bytes) - i;
            if (ob__utf8_is_control(code))
                to += sprintf(to, "\\u%04x", (unsigned)code);
            else
                to = (char *)memcpy(to, bytes + i, count) + count;
            i += count - 1;
            continue;
        }
        static const char FROM[] = "\"\\\n\r\t\b\f", TO[] = "\"\\nrtbf";
        const char *known = c == 0 ? NULL : strchr(FROM, c);
        *to++ = '\\';
        if (known != NULL)
            *to++ = TO[known - FROM];
        else
            to += sprintf(to, "u%04x", c);
    }
    *to++ = '"';
    text->size = (size_t)(to - text->data);
    return true;
}

bool ob__json_write_any(ob_text *text, const char *bytes, size_t length)
{
    if (ob__utf8_valid(bytes, length) == length)
        return ob__json_write_string(text, bytes, length);
    ob_text repaired = {.data = NULL};
    const bool ok = ob__utf8_repair(&repaired, bytes, length) &&
                    ob__json_write_string(text, repaired.data, repaired.size);
    ob_text_fini(&repaired);
    return ok;
}

static bool write_real(ob_text *text, const ob_json *node)
{
    if (node->as.real.text != NULL)
        return ob_text_append_str(text, node->as.real.text);
    char digits[32];
    return ob_text_append(text, digits, ob__format_double(node->as.real.value, digits));
}

static bool write_plain(ob_text *text, const ob_json *node)
{
    if (!(node->flags & OB_JSON_FLAG_PLAIN))
        return ob__json_write_any(text, node->as.string, node->count);
    if (!ob_text_reserve(text, (size_t)node->count + 2))
        return false;
    char *to = text->data + text->size;
    to[0] = '"';
    memcpy(to + 1, node->as.string, node->count);
    to[node->count + 1] = '"';
    text->size += (size_t)node->count + 2;
    return true;
}

/* Recursion is bounded by the reader's depth limit. */
bool ob__json_write(ob_text *text, const ob_json *node)
{
    bool ok = true;
    switch ((ob_json_kind)node->kind) {
    case OB_JSON_NULL:
        return ob_text_append(text, "null", 4);
    case OB_JSON_BOOL:
        return ob_text_append_str(text, node->as.boolean ? "true" : "false");
    case OB_JSON_INT:
        return ob__text_append_i64(text, node->as.integer);
    case OB_JSON_REAL:
        return write_real(text, node);
    case OB_JSON_STRING:
        return write_plain(text, node);
    case OB_JSON_ARRAY:
        ok = ob_text_append(text, "[", 1);
        for (uint32_t i = 0; ok && i < node->count; i++)
            ok = (i == 0 || ob_text_append(text, ", ", 2)) &&
                 ob__json_write(text, &node->as.items[i]);
        return ok && ob_text_append(text, "]", 1);
    case OB_JSON_OBJECT:
        ok = ob_text_append(text, "{", 1);
        for (uint32_t i = 0; ok && i < node->count; i++)
            ok = (i == 0 || ob_text_append(text, ", ", 2)) &&
                 write_plain(text, &node->as.members[i].key) && ob_text_append(text, ": ", 2) &&
                 ob__json_write(text, &node->as.members[i].value);
        return ok && ob_text_append(text, "}", 1);
    }
    return false;
}

ob_status ob_json_print(const ob_json *node, char **out, size_t *length, ob_err *err)
{
    static const ob_json NOTHING = {.kind = OB_JSON_NULL};
    ob_text text = {0};
    *out = NULL;
    if (!ob__json_write(&text, node ? node : &NOTHING) || !ob_text_append(&text, "", 1)) {
        ob_text_fini(&text);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for JSON text");
    }
    *out = text.data;
    if (length != NULL)
        *length = text.size - 1;
    return OB_OK;
}
