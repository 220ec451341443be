/* SPDX-License-Identifier: Apache-2.0
 *
 * Reader of operator schemas: recursive descent over the text.
 *
 * A schema is one block of memory: the struct, its arguments, its type nodes, the text, and a
 * second copy of the text in which the strings (names, defaults) end in place: what follows a
 * string is always a separator, which nobody needs there, so a NUL takes its byte. How many
 * arguments and nodes there can be is counted beforehand from the separators. A table of all of
 * PyTorch's operators is thus 3,199 allocations, not 100,000.
 */
#include "op/names.h"
#include "op/schema_parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ob__parser_skip_space(ob__parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static bool is_at(const ob__parser *p, const char *token)
{
    const size_t length = strlen(token);
    return (size_t)(p->end - p->at) >= length && memcmp(p->at, token, length) == 0;
}

bool ob__parser_take(ob__parser *p, const char *token)
{
    ob__parser_skip_space(p);
    if (!is_at(p, token))
        return false;
    p->at += strlen(token);
    return true;
}

ob_status ob__parser_fail_code(const ob__parser *p, ob_status code, const char *what)
{
    char found[24];
    const uint32_t column = (uint32_t)(p->at - p->begin) + 1;
    if (p->at >= p->end)
        snprintf(found, sizeof found, "the end");
    else
        snprintf(found, sizeof found, "'%.*s'", (int)(p->end - p->at < 12 ? p->end - p->at : 12),
                 p->at);
    return ob_err_set_at(p->err, code, NULL, 0, column, NULL,
                         "%s at column %u of the schema, found %s", what, column, found);
}

ob_status ob__parser_fail(const ob__parser *p, const char *what)
{
    return ob__parser_fail_code(p, OB_ERR_SYNTAX, what);
}

/* "<what> after <behind> '<name>'"; name may be NULL. */
static ob_status fail_after(const ob__parser *p, const char *what, const char *behind,
                            const char *name)
{
    char text[256];
    if (name != NULL)
        snprintf(text, sizeof text, "%s after %s '%.56s'", what, behind, name);
    else
        snprintf(text, sizeof text, "%s after %s", what, behind);
    return ob__parser_fail(p, text);
}

const char *ob__parser_string(ob__parser *p, const char *start, const char *stop)
{
    p->strings[stop - p->begin] = '\0';
    return p->strings + (start - p->begin);
}

const char *ob__parser_take_word(ob__parser *p)
{
    ob__parser_skip_space(p);
    const char *start = p->at;
    if (p->at < p->end && ob__is_word_start(*p->at))
        while (p->at < p->end && ob__parser_is_word(*p->at))
            p->at++;
    return p->at > start ? start : NULL;
}

/* Types with more values than we know: a default that we do not have (a quantised dtype) is NONE,
 * as a name without meaning is. */
static bool is_open_ended(const ob_type *type)
{
    while (type->kind == OB_TYPE_OPTIONAL || type->kind == OB_TYPE_LIST)
        type = type->element;
    return type->kind == OB_TYPE_DTYPE || type->kind == OB_TYPE_LAYOUT ||
           type->kind == OB_TYPE_MEMORY_FORMAT || type->kind == OB_TYPE_NAMED;
}

static ob_status parse_default(ob__parser *p, ob_schema_arg *arg)
{
    ob__parser_skip_space(p);
    const char *start = p->at;
    const char *problem;
    ob_value value;
    bool known;
    if (!ob__default_parse(&p->at, p->end, 0, &value, &known, &problem))
        return problem != NULL
                   ? fail_after(p, problem, "the '=' of argument", arg->name)
                   : ob_err_set(p->err, OB_ERR_NOMEM, "out of memory while reading a schema");
    arg->has_default = true;
    arg->default_text = ob__parser_string(p, start, p->at);
    ob_status status = OB_OK;
    if (known && value.kind != OB_VALUE_NONE) {
        if (ob_type_accepts(arg->type, &value)) {
            status = ob__type_convert(arg->type, &value, &arg->default_value, p->err);
        } else if (!is_open_ended(arg->type)) {
            char type[64], what[160];
            snprintf(what, sizeof what, "expected a default of type %s",
                     ob__type_describe(arg->type, type, sizeof type));
            p->at = start;
            status = fail_after(p, what, "the '=' of argument", arg->name);
        }
    }
    ob_value_fini(&value);
    return status;
}

static ob_schema_arg *new_arg(ob__parser *p)
{
    ob_schema_arg *arg = p->next_arg++;
    *arg = (ob_schema_arg){.default_value = {.kind = OB_VALUE_NONE}};
    return arg;
}

static ob_status parse_arg(ob__parser *p, bool keyword_only)
{
    ob_schema *schema = p->schema;
    const ob_type *type;
    if (schema->arg_count >= OB__SCHEMA_MAX_ARGS)
        return ob__parser_fail_code(p, OB_ERR_LIMIT, "a schema can have at most 256 arguments");
    OB_TRY(ob__parser_type(p, 0, &type));
    const char *type_end = p->at;
    const char *name = ob__parser_take_word(p);
    if (name == NULL || name == type_end)
        return ob__parser_fail(p, "expected an argument name after its type");
    ob_schema_arg *arg = new_arg(p);
    arg->name = ob__parser_string(p, name, p->at);
    arg->type = type;
    arg->keyword_only = keyword_only;
    arg->writes = ob__type_writes(type);
    schema->arg_count++;
    if (!keyword_only)
        schema->positional_count++;
    return ob__parser_take(p, "=") ? parse_default(p, arg) : OB_OK;
}

static ob_status parse_args(ob__parser *p)
{
    bool keyword_only = false;
    if (!ob__parser_take(p, "("))
        return fail_after(p, "expected '('", "the operator's name", NULL);
    if (ob__parser_take(p, ")"))
        return OB_OK;
    for (;;) {
        ob__parser_skip_space(p);
        if (ob__parser_take(p, "...")) {
            p->schema->vararg = true;
            return ob__parser_take(p, ")") ? OB_OK : ob__parser_fail(p, "expected ')' after '...'");
        }
        if (ob__parser_take(p, "*")) {
            if (keyword_only)
                return ob__parser_fail(p, "expected only one '*'");
            keyword_only = true;
            if (!ob__parser_take(p, ","))
                return ob__parser_fail(p, "expected ',' and a keyword-only argument after '*'");
            ob__parser_skip_space(p);
            if (is_at(p, "..."))
                return ob__parser_fail(p, "expected a keyword-only argument after '*'");
            continue;
        }
        OB_TRY(parse_arg(p, keyword_only));
        if (ob__parser_take(p, ")"))
            return OB_OK;
        if (!ob__parser_take(p, ","))
            return fail_after(p, "expected ',' or ')'", "argument",
                              p->schema->args[p->schema->arg_count - 1].name);
    }
}

static ob_status parse_return(ob__parser *p)
{
    const ob_type *type;
    OB_TRY(ob__parser_type(p, 0, &type));
    const char *type_end = p->at;
    const char *name = ob__parser_take_word(p);
    if (name != NULL && name == type_end)
        return ob__parser_fail(p, "expected ' ' or the end after a return type");
    ob_schema_arg *arg = new_arg(p);
    arg->type = type;
    arg->name = name != NULL ? ob__parser_string(p, name, p->at) : NULL;
    arg->writes = ob__type_writes(type);
    p->schema->return_count++;
    return OB_OK;
}

/* "(a, b)[]" is one return of a list of tuples: a bracket that closes and then goes on. */
static bool is_tuple_with_suffix(const ob__parser *p)
{
    int open = 0;
    for (const char *c = p->at; c < p->end; c++) {
        open += *c == '(';
        open -= *c == ')';
        if (open == 0)
            return c + 1 < p->end && (c[1] == '[' || c[1] == '?');
    }
    return false;
}

static ob_status parse_return_list(ob__parser *p)
{
    p->schema->parens_return = true;
    if (ob__parser_take(p, ")"))
        return OB_OK;
    for (;;) {
        if (ob__parser_take(p, "...")) {
            p->schema->vararg_return = true;
            return ob__parser_take(p, ")") ? OB_OK : ob__parser_fail(p, "expected ')' after '...'");
        }
        OB_TRY(parse_return(p));
        if (ob__parser_take(p, ")"))
            return OB_OK;
        if (!ob__parser_take(p, ","))
            return ob__parser_fail(p, "expected ',' or ')' after a return");
    }
}

static ob_status parse_returns(ob__parser *p)
{
    p->schema->returns = p->next_arg;
    if (!ob__parser_take(p, "->")) {
        if (strstr(p->schema->name, "::") != NULL)
            return fail_after(p, "expected '->'", "the arguments", NULL);
        p->schema->no_return = true;
        return OB_OK;
    }
    if (ob__parser_take(p, "...")) {
        p->schema->vararg_return = true;
        return OB_OK;
    }
    ob__parser_skip_space(p);
    if (is_at(p, "(") && !is_tuple_with_suffix(p)) {
        p->at++;
        return parse_return_list(p);
    }
    return parse_return(p);
}

/* "aten::add.Tensor", or a dotted name of a front end. */
static ob_status parse_name(ob__parser *p)
{
    const char *start = ob__parser_take_word(p);
    if (start == NULL)
        return ob__parser_fail(p, "expected an operator name such as aten::add");
    const char *dot = NULL;
    for (;;) {
        if (dot == NULL && is_at(p, "::")) {
            p->at += 2;
        } else if (is_at(p, ".") && ob__name_dot(start, (size_t)(p->at - start)) == NULL) {
            dot = p->at++;
        } else {
            break;
        }
        /* An overload's name may be any word, digits first too. */
        const char *word = p->at;
        while (p->at < p->end && ob__parser_is_word(*p->at))
            p->at++;
        if (p->at == word)
            return ob__parser_fail(p, "expected a name after '::' or '.'");
    }
    dot = ob__name_dot(start, (size_t)(p->at - start));
    p->schema->name = ob__parser_string(p, start, dot != NULL ? dot : p->at);
    p->schema->overload = dot != NULL ? ob__parser_string(p, dot + 1, p->at) : "";
    return OB_OK;
}

/* Upper bounds of what the text can hold. Every type is a name or a bracket, and a parameter of a
 * tuple takes one node more. */
static void count_parts(const char *text, size_t length, size_t *args, size_t *types)
{
    size_t commas = 0, suffixes = 0, brackets = 0;
    for (size_t i = 0; i < length; i++) {
        commas += text[i] == ',';
        suffixes += text[i] == '?' || text[i] == '[';
        brackets += text[i] == '(';
    }
    *args = commas + 2;
    *types = suffixes + 3 * brackets + 2 * (commas + 2);
}

static ob_schema *new_schema(const char *text, size_t length, ob__parser *p)
{
    size_t args, types;
    count_parts(text, length, &args, &types);
    const size_t args_bytes = args * sizeof(ob_schema_arg);
    const size_t types_bytes = types * sizeof(ob_type);
    char *block = malloc(sizeof(ob_schema) + args_bytes + types_bytes + 2 * (length + 1));
    if (block == NULL)
        return NULL;
    _Static_assert(sizeof(ob_schema) % _Alignof(ob_schema_arg) == 0, "arguments follow the schema");
    _Static_assert(sizeof(ob_schema_arg) % _Alignof(ob_type) == 0, "types follow the arguments");
    ob_schema *schema = (ob_schema *)(void *)block;
    char *copy = block + sizeof(ob_schema) + args_bytes + types_bytes;
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    memcpy(copy + length + 1, copy, length + 1);
    *schema = (ob_schema){.text = copy, .name = "", .overload = ""};
    schema->args = (ob_schema_arg *)(void *)(block + sizeof(ob_schema));
    *p = (ob__parser){.schema = schema,
                      .begin = copy,
                      .at = copy,
                      .end = copy + length,
                      .strings = copy + length + 1,
                      .next_arg = schema->args,
                      .next_type = (ob_type *)(void *)(block + sizeof(ob_schema) + args_bytes)};
    return schema;
}

static ob_status parse_all(ob__parser *p)
{
    OB_TRY(parse_name(p));
    OB_TRY(parse_args(p));
    OB_TRY(parse_returns(p));
    ob__parser_skip_space(p);
    return p->at == p->end ? OB_OK : ob__parser_fail(p, "expected the end of the schema");
}

ob_status ob_schema_parse(const char *text, size_t length, ob_schema **out, ob_err *err)
{
    ob__parser p;
    *out = NULL;
    if (length > OB__SCHEMA_MAX_LENGTH)
        return ob_err_set(err, OB_ERR_LIMIT, "a schema of %zu bytes is too long; the limit is %d",
                          length, (int)OB__SCHEMA_MAX_LENGTH);
    const char *nul = length > 0 ? memchr(text, '\0', length) : NULL;
    if (nul != NULL)
        return ob_err_set_at(err, OB_ERR_SYNTAX, NULL, 0, (uint32_t)(nul - text) + 1, NULL,
                             "the schema has a NUL byte at column %u", (unsigned)(nul - text) + 1);
    ob_schema *schema = new_schema(text, length, &p);
    if (schema == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory while reading a schema");
    p.err = err;
    const ob_status status = parse_all(&p);
    if (status != OB_OK) {
        ob_schema_destroy(schema);
        return status;
    }
    *out = schema;
    return OB_OK;
}

void ob_schema_destroy(ob_schema *schema)
{
    if (schema == NULL)
        return;
    for (size_t i = 0; i < schema->arg_count; i++)
        ob_value_fini(&schema->args[i].default_value);
    free(schema);
}

int ob_schema_find_arg(const ob_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->arg_count; i++)
        if (strcmp(schema->args[i].name, name) == 0)
            return (int)i;
    return -1;
}
