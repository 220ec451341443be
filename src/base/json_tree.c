/* SPDX-License-Identifier: Apache-2.0
 *
 * A JSON tree from the reader's events. Children wait on a stack until their container closes, then
 * move into the arena as one array: every node is written once and containers are contiguous.
 */
#include "base/json_node.h"
#include "base/json_read.h"
#include "base/number.h"
#include "base/sized.h"
#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MEMORY = 512 << 20 };

typedef struct frame {
    ob_json node; /* the container itself, children not attached yet */
    ob_json key;  /* objects: the key that waits for its value */
    size_t first; /* index of its first child on the stack */
} frame;

typedef struct builder {
    ob_json_doc *doc;
    ob_json_reader *reader;
    ob_json *stack; /* children of open containers; objects alternate key, value */
    size_t count, capacity;
    frame *frames; /* open containers */
    size_t depth, frame_capacity;
} builder;

static ob_status out_of_memory(const builder *b, uint32_t line, uint32_t column, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_LIMIT, b->doc->name, line, column, NULL,
                         "the text needs more memory than the limit of %zu MiB (or than is "
                         "available); split it into several files",
                         b->doc->arena.limit_bytes >> 20);
}

static bool push(builder *b, const ob_json *node)
{
    /* The stack counts against the document's limit: it holds what will move into the arena. */
    if ((b->count + 1) * sizeof *b->stack > b->doc->arena.limit_bytes ||
        !OB_RESERVE(b->stack, b->capacity, b->count + 1))
        return false;
    b->stack[b->count++] = *node;
    return true;
}

static bool add_value(builder *b, const ob_json *node)
{
    if (b->depth == 0) {
        b->doc->root = *node;
        return true;
    }
    const frame *top = &b->frames[b->depth - 1];
    return (top->node.kind != OB_JSON_OBJECT || push(b, &top->key)) && push(b, node);
}

static bool open_frame(builder *b, const ob_json_event *event)
{
    if (!OB_RESERVE(b->frames, b->frame_capacity, b->depth + 1))
        return false;
    const bool object = event->kind == OB_JSON_EVENT_BEGIN_OBJECT;
    b->frames[b->depth++] = (frame){.node = {.kind = object ? OB_JSON_OBJECT : OB_JSON_ARRAY,
                                             .line = event->line,
                                             .column = event->column},
                                    .first = b->count};
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const ob_json *x = *(const ob_json *const *)a, *y = *(const ob_json *const *)b;
    const int order = strcmp(x->as.string, y->as.string);
    if (order != 0)
        return order;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : (x->column < y->column ? -1 : 1);
}

/* The later of the first two equal keys, by sorting: quadratic time would let a hostile file stall us. */
static ob_status find_duplicate(const ob_json *object, const ob_json **first,
                                const ob_json **second)
{
    *first = *second = NULL;
    const ob_json **keys = malloc((size_t)object->count * sizeof *keys);
    if (keys == NULL)
        return OB_ERR_NOMEM;
    for (uint32_t i = 0; i < object->count; i++)
        keys[i] = &object->as.members[i].key;
    qsort(keys, object->count, sizeof *keys, compare_keys);
    for (uint32_t i = 1; i < object->count && *second == NULL; i++) {
        if (strcmp(keys[i - 1]->as.string, keys[i]->as.string) == 0) {
            *first = keys[i - 1];
            *second = keys[i];
        }
    }
    free(keys);
    return OB_OK;
}

static ob_status check_duplicates(const builder *b, const ob_json *object, ob_err *err)
{
    const ob_json *first = NULL, *second = NULL;
    if (object->count > 16) {
        if (find_duplicate(object, &first, &second) != OB_OK)
            return out_of_memory(b, object->line, object->column, err);
    } else {
        for (uint32_t i = 1; i < object->count && second == NULL; i++)
            for (uint32_t j = 0; j < i && second == NULL; j++)
                if (strcmp(object->as.members[i].key.as.string,
                           object->as.members[j].key.as.string) == 0) {
                    first = &object->as.members[j].key;
                    second = &object->as.members[i].key;
                }
    }
    if (second == NULL)
        return OB_OK;
    return ob_err_set_at(
        err, OB_ERR_SYNTAX, b->doc->name, second->line, second->column, NULL,
        "the key \"%.100s\" appears twice in this object, first in line %u; rename or remove one",
        second->as.string, first->line);
}

static ob_status close_frame(builder *b, ob_err *err)
{
    frame *top = &b->frames[b->depth - 1];
    ob_json node = top->node;
    const bool object = node.kind == OB_JSON_OBJECT;
    const size_t children = b->count - top->first;
    const size_t size = sizeof(ob_json) * (object ? 2 : 1);
    node.count = (uint32_t)(object ? children / 2 : children);
    void *array = children ? ob__arena_alloc_array(&b->doc->arena, node.count, size) : NULL;
    if (children > 0) {
        if (array == NULL)
            return out_of_memory(b, node.line, node.column, err);
        _Static_assert(sizeof(ob_json_member) == 2 * sizeof(ob_json), "a member is two nodes");
        memcpy(array, b->stack + top->first, children * sizeof(ob_json));
    }
    if (object)
        node.as.members = array;
    else
        node.as.items = array;
    if (object)
        OB_TRY(check_duplicates(b, &node, err));
    b->count = top->first;
    b->depth--;
    return add_value(b, &node) ? OB_OK : out_of_memory(b, node.line, node.column, err);
}

static ob_status take_event(builder *b, const ob_json_event *event, ob_err *err)
{
    ob_json node = {.line = event->line, .column = event->column};
    bool ok = true;
    switch (event->kind) {
    case OB_JSON_EVENT_NULL:
        node.kind = OB_JSON_NULL;
        break;
    case OB_JSON_EVENT_BOOL:
        node.kind = OB_JSON_BOOL;
        node.as.boolean = event->boolean;
        break;
    case OB_JSON_EVENT_INT:
        node.kind = OB_JSON_INT;
        node.as.integer = event->integer;
        break;
    case OB_JSON_EVENT_REAL:
        node.kind = OB_JSON_REAL;
        node.as.real.value = ob__parse_double(event->text, event->length);
        node.as.real.text = ob__arena_strdup(&b->doc->arena, event->text, event->length);
        ok = node.as.real.text != NULL;
        break;
    case OB_JSON_EVENT_STRING:
    case OB_JSON_EVENT_KEY:
        ok = ob__json_make_string(&b->doc->arena, event->text, event->length, &node);
        node.line = event->line;
        node.column = event->column;
        if (ok && event->kind == OB_JSON_EVENT_KEY) {
            b->frames[b->depth - 1].key = node;
            return OB_OK;
        }
        break;
    case OB_JSON_EVENT_BEGIN_ARRAY:
    case OB_JSON_EVENT_BEGIN_OBJECT:
        return open_frame(b, event) ? OB_OK : out_of_memory(b, event->line, event->column, err);
    case OB_JSON_EVENT_END_ARRAY:
    case OB_JSON_EVENT_END_OBJECT:
        return close_frame(b, err);
    case OB_JSON_EVENT_END:
        return OB_END;
    }
    ok = ok && add_value(b, &node);
    return ok ? OB_OK : out_of_memory(b, event->line, event->column, err);
}

/* An error in the middle gets the path of the container that was open. */
static void add_path(const builder *b, ob_err *err)
{
    ob_text path = {0};
    if (err == NULL || err->line == 0)
        return;
    for (size_t i = 0; i + 1 < b->depth; i++) {
        const frame *f = &b->frames[i];
        if (f->node.kind == OB_JSON_OBJECT && f->key.as.string != NULL)
            ob__json_path_key(&path, f->key.as.string, f->key.count);
        else
            ob__json_path_index(&path, b->frames[i + 1].first - f->first);
    }
    ob__json_path_copy(&path, err->path, sizeof err->path);
    ob_text_fini(&path);
}

static ob_status build(const ob_json_source *source, const ob_json_limits *limits,
                       ob_json_doc **out, ob_err *err)
{
    builder b = {0};
    ob_err local; /* the path is needed even when the caller does not look */
    ob_err *to = err != NULL ? err : &local;
    ob_json_limits own;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_json_limits, &own, limits, err));
    ob_status status = ob_json_doc_create(&b.doc, to);
    if (status != OB_OK)
        return status;
    ob__arena_init(&b.doc->arena,
                   own.max_memory_bytes != 0 ? own.max_memory_bytes : DEFAULT_MEMORY);
    b.doc->name = ob__arena_strdup(&b.doc->arena, source->name, strlen(source->name));
    if (b.doc->name == NULL) {
        ob_json_doc_destroy(b.doc);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a JSON document");
    }
    status = ob__json_reader_create(source, &own, &b.reader, to);
    while (status == OB_OK) {
        ob_json_event event;
        status = ob__json_reader_next(b.reader, &event, to);
        if (status == OB_OK)
            status = take_event(&b, &event, to);
    }
    if (status == OB_END) {
        b.doc->trailing_commas =
            ob__json_reader_trailing_commas(b.reader, &b.doc->comma_line, &b.doc->comma_column);
        *out = b.doc;
        status = OB_OK;
    } else {
        add_path(&b, to);
        ob_json_doc_destroy(b.doc);
    }
    ob__json_reader_destroy(b.reader);
    free(b.stack);
    free(b.frames);
    return status;
}

ob_status ob_json_parse(const char *name, const void *data, size_t size,
                        const ob_json_limits *limits, ob_json_doc **out, ob_err *err)
{
    const ob_json_source source = {.name = name, .data = data, .size = size};
    return build(&source, limits, out, err);
}

ob_status ob_json_parse_file(const char *path, const ob_json_limits *limits, ob_json_doc **out,
                             ob_err *err)
{
    ob_json_file file;
    *out = NULL;
    OB_TRY(ob__json_file_open(&file, path, err));
    const ob_json_source source = {.name = file.name, .fill = ob__json_file_fill, .ctx = &file};
    const ob_status status = build(&source, limits, out, err);
    ob__json_file_close(&file);
    return status;
}
