/* SPDX-License-Identifier: Apache-2.0
 *
 * Reader of the types in a schema: names, containers, what may follow a type, alias annotations.
 * Plain types are shared nodes; only what has parts of its own takes a node of the schema.
 */
#include "op/schema_parser.h"

#include <string.h>

static ob_type *new_type(ob__parser *p, ob_type_kind kind)
{
    ob_type *type = p->next_type++;
    *type = (ob_type){.kind = kind, .list_size = -1};
    return type;
}

/* Types up to the closing bracket, at least `least`, at most `most` of them. */
static ob_status parse_params(ob__parser *p, int depth, size_t least, size_t most, ob_type *owner)
{
    const ob_type **link = &owner->element;
    for (size_t count = 1;; count++) {
        const ob_type *param;
        OB_TRY(ob__parser_type(p, depth + 1, &param));
        /* A node of its own: `next` cannot be set in a shared plain type. */
        ob_type *own = p->next_type++;
        *own = *param;
        *link = own;
        link = &own->next;
        if (ob__parser_take(p, ")"))
            return count >= least
                       ? OB_OK
                       : ob__parser_fail(p, "expected another type in the brackets before");
        if (count == most)
            return ob__parser_fail(p, "expected ')'");
        if (!ob__parser_take(p, ","))
            return ob__parser_fail(p, "expected ',' or ')' between the types");
    }
}

/* "a|b", "*" */
static ob_status parse_alias_set(ob__parser *p)
{
    do {
        if (!ob__parser_take(p, "*") && ob__parser_take_word(p) == NULL)
            return ob__parser_fail(p, "expected an alias annotation such as 'a!'");
    } while (ob__parser_take(p, "|"));
    return OB_OK;
}

/* "a! -> *" and the closing bracket; kept as text. */
static ob_status parse_alias(ob__parser *p, const ob_type **type)
{
    const char *start = p->at;
    OB_TRY(parse_alias_set(p));
    (void)ob__parser_take(p, "!");
    if (ob__parser_take(p, "->"))
        OB_TRY(parse_alias_set(p));
    const char *stop = p->at;
    if (!ob__parser_take(p, ")"))
        return ob__parser_fail(p, "expected ')' after the alias annotation");
    ob_type *own = p->next_type++;
    *own = **type;
    own->alias = ob__parser_string(p, start, stop);
    *type = own;
    return OB_OK;
}

static ob_status parse_list_size(ob__parser *p, ob_type *list)
{
    ob__parser_skip_space(p);
    if (ob__parser_take(p, "]"))
        return OB_OK;
    int32_t size = 0;
    const char *start = p->at;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        size = size * 10 + (*p->at - '0');
        if (size > OB__TYPE_MAX_LIST_SIZE)
            return ob__parser_fail_code(p, OB_ERR_LIMIT, "a list size can be at most 64");
    }
    if (p->at == start || !ob__parser_take(p, "]"))
        return ob__parser_fail(p, "expected a list size or ']'");
    list->list_size = size;
    return OB_OK;
}

/* What may follow a type: '?', '[]', '[2]', '(a!)'. Each counts as a level: the nodes nest. */
static ob_status parse_suffixes(ob__parser *p, int depth, const ob_type **type)
{
    for (;; depth++) {
        if (depth > OB__TYPE_MAX_DEPTH)
            return ob__parser_fail_code(p, OB_ERR_LIMIT, "types are nested too deeply");
        if (p->at >= p->end)
            return OB_OK;
        if (*p->at == '?') {
            p->at++;
            ob_type *optional = new_type(p, OB_TYPE_OPTIONAL);
            optional->element = *type;
            *type = optional;
        } else if (*p->at == '[') {
            p->at++;
            ob_type *list = new_type(p, OB_TYPE_LIST);
            list->element = *type;
            OB_TRY(parse_list_size(p, list));
            *type = list;
        } else if (*p->at == '(' && (*type)->alias == NULL) {
            p->at++;
            OB_TRY(parse_alias(p, type));
        } else {
            return OB_OK;
        }
    }
}

static ob_status parse_type_name(ob__parser *p, int depth, const ob_type **out)
{
    const char *start = ob__parser_take_word(p);
    if (start == NULL)
        return ob__parser_fail(p, "expected a type");
    while (p->at + 1 < p->end && *p->at == '.' && ob__is_word_start(p->at[1])) {
        p->at++;
        (void)ob__parser_take_word(p);
    }
    const size_t length = (size_t)(p->at - start);
    if (p->at < p->end && *p->at == '(') {
        static const struct {
            const char *name;
            ob_type_kind kind;
            size_t params;
        } GENERIC[] = {{"Dict", OB_TYPE_DICT, 2},
                       {"Future", OB_TYPE_FUTURE, 1},
                       {"RRef", OB_TYPE_FUTURE, 1},
                       {"Await", OB_TYPE_FUTURE, 1}};
        for (size_t i = 0; i < sizeof GENERIC / sizeof GENERIC[0]; i++) {
            if (strlen(GENERIC[i].name) != length || memcmp(GENERIC[i].name, start, length) != 0)
                continue;
            ob_type *type = new_type(p, GENERIC[i].kind);
            type->name = GENERIC[i].kind == OB_TYPE_FUTURE ? GENERIC[i].name : NULL;
            *out = type;
            p->at++;
            return parse_params(p, depth, GENERIC[i].params, GENERIC[i].params, type);
        }
    }
    *out = ob__type_find_plain(start, length);
    if (*out == NULL) {
        ob_type *named = new_type(p, OB_TYPE_NAMED);
        named->name = ob__parser_string(p, start, p->at);
        *out = named;
    }
    return OB_OK;
}

ob_status ob__parser_type(ob__parser *p, int depth, const ob_type **out)
{
    /* *out always points to a type, also on failure. */
    static const ob_type UNKNOWN = {.kind = OB_TYPE_NAMED, .list_size = -1, .name = ""};
    *out = &UNKNOWN;
    if (depth > OB__TYPE_MAX_DEPTH)
        return ob__parser_fail_code(p, OB_ERR_LIMIT, "types are nested too deeply");
    if (ob__parser_take(p, "(")) {
        ob_type *tuple = new_type(p, OB_TYPE_TUPLE);
        OB_TRY(parse_params(p, depth, 1, SIZE_MAX, tuple));
        *out = tuple;
    } else {
        OB_TRY(parse_type_name(p, depth, out));
    }
    return parse_suffixes(p, depth, out);
}
