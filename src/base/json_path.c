/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a value stands, in jq's notation, so that `jq '<path>' FILE` shows it. Found by searching the
 * tree for the value's line and column: only errors need a path, so nothing keeps track of it before.
 */
#include "base/json_node.h"

#include <stdio.h>

static bool is_identifier(const char *key, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = key[i];
        const bool letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return length > 0;
}

bool ob__json_path_key(ob_text *path, const char *key, size_t length)
{
    return ob_text_append(path, ".", 1) &&
           (is_identifier(key, length) ? ob_text_append(path, key, length)
                                       : ob__json_write_string(path, key, length));
}

bool ob__json_path_index(ob_text *path, size_t index)
{
    return ob_text_printf(path, path->size == 0 ? ".[%zu]" : "[%zu]", index);
}

void ob__json_path_copy(const ob_text *path, char *out, size_t size)
{
    size_t length = path->size;
    if (length < size) {
        snprintf(out, size, "%.*s", length > 0 ? (int)length : 1, length > 0 ? path->data : ".");
        return;
    }
    length = size - 4;
    while (length > 0 && path->data != NULL && path->data[length] != '[' &&
           path->data[length] != '.')
        length--;
    snprintf(out, size, "%.*s...", (int)length, path->data);
}

/* Appends the way down from node to the place; false (and path as it was) when it is not below. */
static bool find(const ob_json *node, uint32_t line, uint32_t column, ob_text *path)
{
    if (node->line == line && node->column == column)
        return true;
    const size_t mark = path->size;
    for (size_t i = 0; i < ob_json_count(node); i++) {
        const ob_json *key = ob_json_key_node(node, i);
        const bool named = key != NULL ? ob__json_path_key(path, key->as.string, key->count)
                                       : ob__json_path_index(path, i);
        if (!named)
            return false;
        if (key != NULL && key->line == line && key->column == column)
            return true;
        if (find(ob_json_item(node, i), line, column, path))
            return true;
        path->size = mark;
    }
    return false;
}

void ob__json_path_at(const ob_json *root, uint32_t line, uint32_t column, char *out, size_t size)
{
    ob_text path = {0};
    out[0] = '\0';
    if (line > 0 && find(root, line, column, &path))
        ob__json_path_copy(&path, out, size);
    ob_text_fini(&path);
}
