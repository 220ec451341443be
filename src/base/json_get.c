/* SPDX-License-Identifier: Apache-2.0
 *
 * Accessors of JSON nodes: any node, NULL too, gets an answer.
 */
#include "base/json_node.h"

#include <string.h>

ob_json_kind ob_json_get_kind(const ob_json *node)
{
    return node == NULL ? OB_JSON_NULL : (ob_json_kind)node->kind;
}

const char *ob_json_kind_name(ob_json_kind kind)
{
    static const char *const NAMES[] = {
        [OB_JSON_NULL] = "null",        [OB_JSON_BOOL] = "a boolean",  [OB_JSON_INT] = "an integer",
        [OB_JSON_REAL] = "a number",    [OB_JSON_STRING] = "a string", [OB_JSON_ARRAY] = "a list",
        [OB_JSON_OBJECT] = "an object",
    };
    return kind >= OB_JSON_NULL && kind <= OB_JSON_OBJECT ? NAMES[kind] : "nothing";
}

uint32_t ob_json_line(const ob_json *node)
{
    return node == NULL ? 0 : node->line;
}

uint32_t ob_json_column(const ob_json *node)
{
    return node == NULL ? 0 : node->column;
}

bool ob_json_bool(const ob_json *node, bool fallback)
{
    return ob_json_get_kind(node) == OB_JSON_BOOL ? node->as.boolean : fallback;
}

int64_t ob_json_int(const ob_json *node, int64_t fallback)
{
    return ob_json_get_kind(node) == OB_JSON_INT ? node->as.integer : fallback;
}

double ob_json_real(const ob_json *node, double fallback)
{
    switch (ob_json_get_kind(node)) {
    case OB_JSON_INT:
        return (double)node->as.integer;
    case OB_JSON_REAL:
        return node->as.real.value;
    default:
        return fallback;
    }
}

const char *ob_json_string(const ob_json *node, size_t *length)
{
    const bool is_string = ob_json_get_kind(node) == OB_JSON_STRING;
    if (length != NULL)
        *length = is_string ? node->count : 0;
    return is_string ? node->as.string : NULL;
}

size_t ob_json_count(const ob_json *node)
{
    const ob_json_kind kind = ob_json_get_kind(node);
    return kind == OB_JSON_ARRAY || kind == OB_JSON_OBJECT ? node->count : 0;
}

const ob_json *ob_json_item(const ob_json *node, size_t index)
{
    if (index >= ob_json_count(node))
        return NULL;
    return node->kind == OB_JSON_ARRAY ? &node->as.items[index] : &node->as.members[index].value;
}

const ob_json *ob_json_key_node(const ob_json *node, size_t index)
{
    if (ob_json_get_kind(node) != OB_JSON_OBJECT || index >= node->count)
        return NULL;
    return &node->as.members[index].key;
}

const char *ob_json_key(const ob_json *node, size_t index)
{
    return ob_json_string(ob_json_key_node(node, index), NULL);
}

ob_json *ob__json_get_mutable(ob_json *object, const char *key)
{
    if (ob_json_get_kind(object) != OB_JSON_OBJECT)
        return NULL;
    for (uint32_t i = 0; i < object->count; i++)
        if (object->as.members[i].key.as.string[0] == key[0] && /* mostly it is not */
            strcmp(object->as.members[i].key.as.string, key) == 0)
            return &object->as.members[i].value;
    return NULL;
}

const ob_json *ob_json_get(const ob_json *node, const char *key)
{
    return ob__json_get_mutable((ob_json *)node, key);
}
