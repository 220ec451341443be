/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON trees made in memory. Arrays grow by doubling inside the document's arena: the old array is left
 * behind, which costs at most as much again and needs no bookkeeping.
 */
#include "base/json_node.h"

#include <stdlib.h>
#include <string.h>

ob_status ob_json_doc_create(ob_json_doc **out, ob_err *err)
{
    ob_json_doc *doc = malloc(sizeof *doc);
    *out = doc;
    if (doc == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a JSON document");
    *doc = (ob_json_doc){.root = {.kind = OB_JSON_NULL}, .name = "<memory>"};
    ob__arena_init(&doc->arena, 0);
    return OB_OK;
}

void ob_json_doc_destroy(ob_json_doc *doc)
{
    if (doc == NULL)
        return;
    ob__arena_fini(&doc->arena);
    free(doc);
}

const ob_json *ob_json_doc_root(const ob_json_doc *doc)
{
    return &doc->root;
}

void ob_json_doc_set_root(ob_json_doc *doc, const ob_json *root)
{
    doc->root = *root;
}

const char *ob_json_doc_name(const ob_json_doc *doc)
{
    return doc->name;
}

size_t ob_json_doc_trailing_commas(const ob_json_doc *doc, uint32_t *line, uint32_t *column)
{
    if (line != NULL)
        *line = doc->comma_line;
    if (column != NULL)
        *column = doc->comma_column;
    return doc->trailing_commas;
}

bool ob__json_make_string(ob_arena *arena, const char *text, size_t length, ob_json *out)
{
    const char *copy = length < UINT32_MAX ? ob__arena_strdup(arena, text, length) : NULL;
    if (copy == NULL)
        return false;
    uint8_t plain = OB_JSON_FLAG_PLAIN;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)copy[i];
        if (c < 0x20 || c == '"' || c == '\\' || c >= 0x7F)
            plain = 0;
    }
    *out = (ob_json){
        .kind = OB_JSON_STRING, .flags = plain, .count = (uint32_t)length, .as = {.string = copy}};
    return true;
}

bool ob__json_clone(ob_arena *arena, const ob_json *from, ob_json *to)
{
    *to = *from;
    if (from->count == 0)
        return true;
    if (from->kind == OB_JSON_ARRAY) {
        to->as.items = ob__arena_alloc_array(arena, from->count, sizeof *to->as.items);
        for (uint32_t i = 0; to->as.items != NULL && i < from->count; i++)
            if (!ob__json_clone(arena, &from->as.items[i], &to->as.items[i]))
                return false;
        return to->as.items != NULL;
    }
    if (from->kind == OB_JSON_OBJECT) {
        to->as.members = ob__arena_alloc_array(arena, from->count, sizeof *to->as.members);
        for (uint32_t i = 0; to->as.members != NULL && i < from->count; i++) {
            to->as.members[i].key = from->as.members[i].key;
            if (!ob__json_clone(arena, &from->as.members[i].value, &to->as.members[i].value))
                return false;
        }
        return to->as.members != NULL;
    }
    return true;
}

static ob_json *new_node(ob_json_doc *doc, ob_json node)
{
    ob_json *made = ob__arena_alloc(&doc->arena, sizeof *made);
    if (made != NULL)
        *made = node;
    return made;
}

ob_json *ob_json_new_null(ob_json_doc *doc)
{
    return new_node(doc, (ob_json){.kind = OB_JSON_NULL});
}

ob_json *ob_json_new_bool(ob_json_doc *doc, bool value)
{
    return new_node(doc, (ob_json){.kind = OB_JSON_BOOL, .as = {.boolean = value}});
}

ob_json *ob_json_new_int(ob_json_doc *doc, int64_t value)
{
    return new_node(doc, (ob_json){.kind = OB_JSON_INT, .as = {.integer = value}});
}

ob_json *ob_json_new_real(ob_json_doc *doc, double value)
{
    return new_node(doc, (ob_json){.kind = OB_JSON_REAL, .as = {.real = {.value = value}}});
}

ob_json *ob_json_new_string(ob_json_doc *doc, const char *text, size_t length)
{
    ob_json node;
    return ob__json_make_string(&doc->arena, text, length, &node) ? new_node(doc, node) : NULL;
}

ob_json *ob_json_new_array(ob_json_doc *doc)
{
    return new_node(doc, (ob_json){.kind = OB_JSON_ARRAY});
}

ob_json *ob_json_new_object(ob_json_doc *doc)
{
    return new_node(doc, (ob_json){.kind = OB_JSON_OBJECT});
}

/* Room for one more element behind `count`; arrays are full at every power of two. */
static void *room_for_one(ob_json_doc *doc, void *array, uint32_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return array;
    if (count >= UINT32_MAX / 2)
        return NULL;
    void *bigger = ob__arena_alloc_array(&doc->arena, count ? 2 * (size_t)count : 1, size);
    if (bigger != NULL && count > 0)
        memcpy(bigger, array, count * size);
    return bigger;
}

ob_status ob_json_append(ob_json_doc *doc, ob_json *array, const ob_json *value, ob_err *err)
{
    if (ob_json_get_kind(array) != OB_JSON_ARRAY || array == NULL || value == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "ob_json_append needs an array and a value");
    ob_json *items = room_for_one(doc, array->as.items, array->count, sizeof *items);
    if (items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a JSON array");
    array->as.items = items;
    items[array->count++] = *value;
    return OB_OK;
}

ob_status ob_json_set(ob_json_doc *doc, ob_json *object, const char *key, const ob_json *value,
                      ob_err *err)
{
    if (ob_json_get_kind(object) != OB_JSON_OBJECT || object == NULL || value == NULL ||
        key == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "ob_json_set needs an object, a key and a value");
    ob_json *old = ob__json_get_mutable(object, key);
    if (old != NULL) {
        *old = *value;
        return OB_OK;
    }
    ob_json name;
    ob_json_member *members = room_for_one(doc, object->as.members, object->count, sizeof *members);
    if (members == NULL || !ob__json_make_string(&doc->arena, key, strlen(key), &name))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a JSON object");
    object->as.members = members;
    members[object->count++] = (ob_json_member){.key = name, .value = *value};
    return OB_OK;
}
