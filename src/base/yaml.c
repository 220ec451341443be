/* SPDX-License-Identifier: Apache-2.0
 *
 * From libyaml's events to a tree. A container is appended to the one around it when it ends, so the stack
 * holds what is open and depth is bounded by it. Aliases are refused because a short file could name a
 * tree of any size with them.
 */
#include "base/yaml.h"

#include "base/json_node.h"
#include "base/number.h"

#include <ctype.h>
#include <yaml.h>

enum { MAX_DEPTH = 64, MAX_KEYS = 10000 };

typedef struct level {
    ob_json *container;
    const char *key; /* of the member under way; NULL = the next scalar is one */
} level;

typedef struct builder {
    yaml_parser_t parser;
    ob_json_doc *doc;
    level levels[MAX_DEPTH];
    size_t depth;
    size_t documents;
    yaml_mark_t place; /* of the event at hand */
} builder;

static ob_status fail(const builder *b, ob_status code, const char *what, ob_err *err)
{
    return ob_err_set_at(err, code, b->doc->name, (uint32_t)b->place.line + 1,
                         (uint32_t)b->place.column + 1, NULL, "%s", what);
}

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a YAML document");
}

/* ---- scalars ---- */

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* [-+]?digits, or with fraction and exponent. */
static bool is_number(const char *text, bool *is_integer)
{
    const char *c = text + (*text == '-' || *text == '+');
    size_t digits = 0;
    *is_integer = true;
    for (; isdigit((unsigned char)*c) || (*c == '.' && *is_integer); c++) {
        digits += *c != '.';
        *is_integer = *is_integer && *c != '.';
    }
    if (digits == 0)
        return false;
    if (*c == 'e' || *c == 'E') {
        c += 1 + (c[1] == '-' || c[1] == '+');
        *is_integer = false;
        if (!isdigit((unsigned char)*c))
            return false;
        while (isdigit((unsigned char)*c))
            c++;
    }
    return *c == '\0';
}

static ob_json *plain_node(ob_json_doc *doc, const char *text, size_t length)
{
    static const char *const NULLS[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const TRUE_WORDS[] = {"true", "True", "TRUE", NULL};
    static const char *const FALSE_WORDS[] = {"false", "False", "FALSE", NULL};
    bool is_integer;
    if (is_one_of(text, NULLS))
        return ob_json_new_null(doc);
    if (is_one_of(text, TRUE_WORDS) || is_one_of(text, FALSE_WORDS))
        return ob_json_new_bool(doc, is_one_of(text, TRUE_WORDS));
    if (!is_number(text, &is_integer))
        return ob_json_new_string(doc, text, length);
    const size_t sign = *text == '+';
    int64_t integer;
    if (is_integer && ob__parse_i64(text + sign, length - sign, &integer))
        return ob_json_new_int(doc, integer);
    return ob_json_new_real(doc, ob__parse_double(text + sign, length - sign));
}

/* ---- the tree ---- */

static ob_status add(builder *b, const ob_json *node, ob_err *err)
{
    if (b->depth == 0) {
        ob_json_doc_set_root(b->doc, node);
        return OB_OK;
    }
    level *top = &b->levels[b->depth - 1];
    if (ob_json_get_kind(top->container) == OB_JSON_ARRAY)
        return ob_json_append(b->doc, top->container, node, err);
    if (top->key == NULL)
        return fail(b, OB_ERR_SYNTAX, "a key must be a string, not a list or a mapping", err);
    if (ob_json_count(top->container) >= MAX_KEYS)
        return fail(b, OB_ERR_LIMIT, "a mapping has more than 10000 keys", err);
    const ob_status status = ob_json_set(b->doc, top->container, top->key, node, err);
    top->key = NULL;
    return status;
}

static bool wants_key(const builder *b)
{
    const level *top = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
    return top != NULL && ob_json_get_kind(top->container) == OB_JSON_OBJECT && top->key == NULL;
}

static ob_status add_scalar(builder *b, const yaml_event_t *event, ob_err *err)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL)
        return fail(b, OB_ERR_SYNTAX, "anchors and tags are not supported; write the text itself",
                    err);
    if (strlen(text) != length)
        return fail(b, OB_ERR_SYNTAX, "a string holds a NUL", err);
    if (wants_key(b)) {
        level *top = &b->levels[b->depth - 1];
        top->key = ob__arena_strdup(&b->doc->arena, text, length);
        if (top->key == NULL)
            return no_memory(err);
        return ob_json_get(top->container, text) == NULL
                   ? OB_OK
                   : fail(b, OB_ERR_SYNTAX, "a key appears twice in its mapping", err);
    }
    ob_json *node = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
                        ? plain_node(b->doc, text, length)
                        : ob_json_new_string(b->doc, text, length);
    if (node == NULL)
        return no_memory(err);
    node->line = (uint32_t)b->place.line + 1;
    node->column = (uint32_t)b->place.column + 1;
    return add(b, node, err);
}

static ob_status open_container(builder *b, ob_json *container, const void *anchor, const void *tag,
                                ob_err *err)
{
    if (container == NULL)
        return no_memory(err);
    if (anchor != NULL || tag != NULL)
        return fail(b, OB_ERR_SYNTAX, "anchors and tags are not supported; write the text itself",
                    err);
    if (b->depth == MAX_DEPTH)
        return fail(b, OB_ERR_LIMIT, "more than 64 levels of nesting", err);
    if (wants_key(b))
        return fail(b, OB_ERR_SYNTAX, "a key must be a string, not a list or a mapping", err);
    container->line = (uint32_t)b->place.line + 1;
    container->column = (uint32_t)b->place.column + 1;
    b->levels[b->depth++] = (level){.container = container};
    return OB_OK;
}

static ob_status close_container(builder *b, ob_err *err)
{
    const ob_json *container = b->levels[--b->depth].container;
    return add(b, container, err);
}

static ob_status take_event(builder *b, const yaml_event_t *event, ob_err *err)
{
    b->place = event->start_mark;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return b->documents++ == 0 ? OB_OK
                                   : fail(b, OB_ERR_SYNTAX, "a second document begins here", err);
    case YAML_ALIAS_EVENT:
        return fail(b, OB_ERR_SYNTAX, "aliases are not supported; write the text itself", err);
    case YAML_SCALAR_EVENT:
        return add_scalar(b, event, err);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(b, ob_json_new_array(b->doc), event->data.sequence_start.anchor,
                              event->data.sequence_start.tag, err);
    case YAML_MAPPING_START_EVENT:
        return open_container(b, ob_json_new_object(b->doc), event->data.mapping_start.anchor,
                              event->data.mapping_start.tag, err);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_container(b, err);
    default:
        return OB_OK;
    }
}

static ob_status build(builder *b, ob_err *err)
{
    bool done = false;
    while (!done) {
        yaml_event_t event;
        if (yaml_parser_parse(&b->parser, &event) == 0) {
            const yaml_parser_t *p = &b->parser;
            if (p->error == YAML_MEMORY_ERROR)
                return no_memory(err);
            b->place = p->problem_mark;
            return fail(b, OB_ERR_SYNTAX, p->problem != NULL ? p->problem : "not YAML", err);
        }
        done = event.type == YAML_STREAM_END_EVENT;
        const ob_status status = take_event(b, &event, err);
        yaml_event_delete(&event);
        OB_TRY(status);
    }
    return OB_OK;
}

ob_status ob__yaml_parse(const char *name, const void *data, size_t size, ob_json_doc **out,
                         ob_err *err)
{
    builder b = {.depth = 0};
    *out = NULL;
    OB_TRY(ob_json_doc_create(&b.doc, err));
    b.doc->name = name;
    if (yaml_parser_initialize(&b.parser) == 0) {
        ob_json_doc_destroy(b.doc);
        return no_memory(err);
    }
    yaml_parser_set_input_string(&b.parser, data, size);
    const ob_status status = build(&b, err);
    yaml_parser_delete(&b.parser);
    if (status != OB_OK) {
        ob_json_doc_destroy(b.doc);
        return status;
    }
    *out = b.doc;
    return OB_OK;
}
