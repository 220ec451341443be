/* SPDX-License-Identifier: Apache-2.0
 *
 * Recipes: nodes as text, "s = Sigmoid(self); result = Mul(self, s)".
 *
 * A statement is NAME = Operator(operand, ..., attribute=value, ...). An operand is a name given before, an argument of
 * the schema, or a number; all are converted to the element type of the computation, but a name with ":bool" is converted
 * to bool and one with ":raw" to nothing. An argument that is None is an input that is not given. Values of
 * attributes are numbers (whole ones are ints), or f:ARGUMENT and i:ARGUMENT. AsType(x) converts. Results are called
 * `result`, or result_0, result_1, ... Multiplying by a constant 1 is left out.
 */
#include "translate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOCALS = 24, MAX_WORD = 40, MAX_OPERANDS = 8, MAX_ATTRS = 4 };

typedef struct local {
    char name[MAX_WORD];
    ort_id id;
} local;

typedef struct follow_recipe {
    ort_call *call;
    ob_dtype dtype; /* of the computation */
    const char *at;
    local locals[MAX_LOCALS];
    size_t local_count;
} follow_recipe;

static void broken(follow_recipe *c)
{
    ort_fail(c->call->t, OB_ERR_STATE, "the recipe of %s cannot be read, starting at '%.40s'",
             c->call->schema->name, c->at);
}

static bool failed(const follow_recipe *c)
{
    return c->call->t->status != OB_OK;
}

static void skip_blanks(follow_recipe *c)
{
    while (*c->at == ' ')
        c->at++;
}

static bool take(follow_recipe *c, char character)
{
    skip_blanks(c);
    if (*c->at != character)
        return false;
    c->at++;
    return true;
}

static void expect(follow_recipe *c, char character)
{
    if (!take(c, character))
        broken(c);
}

static void read_word(follow_recipe *c, char out[MAX_WORD])
{
    size_t length = 0;
    skip_blanks(c);
    while ((isalnum((unsigned char)c->at[0]) || c->at[0] == '_') && length + 1 < MAX_WORD)
        out[length++] = *c->at++;
    out[length] = '\0';
    if (length == 0)
        broken(c);
}

static const local *find_local(const follow_recipe *c, const char *name)
{
    for (size_t i = 0; i < c->local_count; i++)
        if (strcmp(c->locals[i].name, name) == 0)
            return &c->locals[i];
    return NULL;
}

/* One operand: its value and, when it is a constant, the number. */
typedef struct operand {
    ort_id id;
    bool is_one;
} operand;

static operand argument(follow_recipe *c, const char *name, const char *as)
{
    const local *known = find_local(c, name);
    const ort_call *call = c->call;
    ort_id id = known != NULL ? known->id : ort_arg(call, name);
    if (id != ORT_NONE) {
        if (strcmp(as, "bool") == 0)
            id = ort_cast(call->t, id, OB_DTYPE_BOOL);
        else if (known == NULL && as[0] == '\0')
            id = ort_cast(call->t, id, c->dtype);
        return (operand){.id = id};
    }
    const ob_value *value = ort_arg_value(call, name);
    if (value == NULL && !ort_arg_is_none(call, name))
        broken(c);
    if (value == NULL || value->kind == OB_VALUE_NONE)
        return (operand){.id = ORT_NONE};
    return (operand){.id = ort_number_from(call->t, c->dtype, value),
                     .is_one = ort_arg_double(call, name, 0) == 1};
}

static operand read_operand(follow_recipe *c)
{
    char word[MAX_WORD], as[MAX_WORD] = "";
    skip_blanks(c);
    if (isdigit((unsigned char)*c->at) || *c->at == '-' || *c->at == '.') {
        char *end;
        const double value = strtod(c->at, &end);
        c->at = end;
        return (operand){.id = ort_number(c->call->t, c->dtype, value), .is_one = value == 1};
    }
    read_word(c, word);
    if (take(c, ':'))
        read_word(c, as);
    return argument(c, word, as);
}

/* Whether "name=" comes next. */
static bool at_attribute(const follow_recipe *c)
{
    const char *at = c->at;
    while (*at == ' ')
        at++;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    return *at == '=';
}

static void read_attribute(follow_recipe *c, char name[MAX_WORD], ort_attr *attr)
{
    char word[MAX_WORD];
    read_word(c, name);
    expect(c, '=');
    skip_blanks(c);
    attr->name = name;
    if (c->at[0] == 'f' && c->at[1] == ':') {
        c->at += 2;
        read_word(c, word);
        *attr = (ort_attr)ORT_F(name, ort_arg_double(c->call, word, 0));
    } else if (c->at[0] == 'i' && c->at[1] == ':') {
        c->at += 2;
        read_word(c, word);
        *attr = (ort_attr)ORT_I(name, ort_arg_int(c->call, word, 0));
    } else {
        char *end;
        const double value = strtod(c->at, &end);
        const bool whole = memchr(c->at, '.', (size_t)(end - c->at)) == NULL;
        if (end == c->at)
            broken(c);
        c->at = end;
        *attr = (ort_attr){
            .name = name, .kind = whole ? ORT_INT : ORT_FLOAT, .i = (int64_t)value, .f = value};
    }
}

static ob_dtype result_dtype(const follow_recipe *c, const char *op)
{
    static const char *const truths[] = {"Equal",       "Greater", "Less", "GreaterOrEqual",
                                         "LessOrEqual", "And",     "Or",   "Xor",
                                         "Not",         "IsNaN",   "IsInf"};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (strcmp(truths[i], op) == 0)
            return OB_DTYPE_BOOL;
    return c->dtype;
}

static ort_id read_call(follow_recipe *c)
{
    char op[MAX_WORD], names[MAX_ATTRS][MAX_WORD];
    operand operands[MAX_OPERANDS];
    ort_attr attrs[MAX_ATTRS + 1] = {{.name = NULL}};
    ort_id inputs[MAX_OPERANDS];
    size_t count = 0, attr_count = 0;
    read_word(c, op);
    expect(c, '(');
    while (!failed(c)) {
        if (at_attribute(c) && attr_count < MAX_ATTRS) {
            read_attribute(c, names[attr_count], &attrs[attr_count]);
            attr_count++;
        } else if (count < MAX_OPERANDS) {
            operands[count] = read_operand(c);
            inputs[count] = operands[count].id;
            count++;
        }
        if (!take(c, ','))
            break;
    }
    expect(c, ')');
    if (failed(c))
        return ORT_NONE;
    if (strcmp(op, "AsType") == 0 && count > 0)
        return ort_cast(c->call->t, inputs[0], c->dtype);
    if (count == 2 && operands[1].is_one && (strcmp(op, "Mul") == 0 || strcmp(op, "Div") == 0))
        return inputs[0];
    while (count > 0 && inputs[count - 1] == ORT_NONE)
        count--;
    return ort_emit(c->call->t, op, result_dtype(c, op), inputs, count, attrs);
}

static void read_statement(follow_recipe *c)
{
    char name[MAX_WORD] = "";
    read_word(c, name);
    expect(c, '=');
    const ort_id id = read_call(c);
    if (failed(c))
        return;
    if (strncmp(name, "result", 6) == 0) {
        ort_result(c->call, name[6] == '_' ? (size_t)strtoul(name + 7, NULL, 10) : 0, id);
    } else if (c->local_count < MAX_LOCALS) {
        local *known = (local *)find_local(c, name);
        if (known == NULL)
            known = &c->locals[c->local_count++];
        snprintf(known->name, sizeof known->name, "%s", name);
        known->id = id;
    } else {
        broken(c);
    }
}

/* The type that comparisons are made in. */
static ob_dtype promoted(const ort_call *call)
{
    const ob_host *host = call->t->host;
    ob_dtype dtype = OB_DTYPE_INVALID;
    bool has_double = false, has_int = false;
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        const char *name = call->schema->args[i].name;
        const ob_tensor *meta = ort_arg_meta(call, name);
        const ob_value *value = ort_arg_value(call, name);
        if (meta != NULL)
            dtype =
                dtype == OB_DTYPE_INVALID ? meta->dtype : host->dtype_promote(dtype, meta->dtype);
        has_double = has_double || (value != NULL && value->kind == OB_VALUE_DOUBLE);
        has_int = has_int || (value != NULL && value->kind == OB_VALUE_INT);
    }
    if (has_double && !ort_is_float(dtype))
        return OB_DTYPE_F32;
    return has_int && dtype == OB_DTYPE_BOOL ? OB_DTYPE_I64 : dtype;
}

void ort_follow_recipe(ort_call *call, const ort_row *row)
{
    const ob_tensor *result = ort_result_meta(call, 0);
    follow_recipe c = {.call = call,
                       .dtype = row->compute == ORT_AS_OPERANDS || result == NULL ? promoted(call)
                                                                                  : result->dtype};
    c.at = row->for_whole != NULL && !ort_is_float(c.dtype) ? row->for_whole : row->recipe;
    do
        read_statement(&c);
    while (!failed(&c) && take(&c, ';'));
    skip_blanks(&c);
    if (!failed(&c) && *c.at != '\0')
        broken(&c);
}
