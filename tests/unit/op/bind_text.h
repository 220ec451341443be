/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls as text, so that tests of binding are tables. "f(a2, [1, 2], mode='x', inplace=True)": a
 * letter and a digit is a tensor with that many dimensions, of sizes 2, 3, 4, ...; the letter is
 * kept as its tag (the offset, which a meta tensor does not need). The bound arguments print in
 * the same manner, so that a test sees which tensor went where.
 */
#ifndef OB_TEST_BIND_TEXT_H
#define OB_TEST_BIND_TEXT_H

#include "check.h"
#include "op/schema_int.h"
#include "opbench/op.h"

#include <ctype.h>
#include <stdlib.h>

enum { CALL_MAX = 40 };

typedef struct bind_text {
    char name[128];
    ob_value args[CALL_MAX];
    ob_value kwargs[CALL_MAX];
    char name_text[CALL_MAX][40];
    const char *names[CALL_MAX];
    ob_call call;
} bind_text;

static inline void text_skip(const char **at)
{
    while (**at == ' ' || **at == ',')
        ++*at;
}

static inline ob_value text_tensor(char tag, int ndim)
{
    int64_t sizes[10];
    ob_tensor tensor;
    ob_value value = ob_value_none();
    for (int i = 0; i < 10; i++)
        sizes[i] = i + 2;
    CHECK_INT(ob_tensor_init_meta(&tensor, OB_DTYPE_F32, sizes, ndim, NULL, NULL), OB_OK);
    tensor.offset = tag;
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
    return value;
}

static inline ob_value text_value(const char **at)
{
    ob_value value = ob_value_none();
    const char *p = *at;
    if (islower((unsigned char)p[0]) && isdigit((unsigned char)p[1]) &&
        !isalnum((unsigned char)p[2])) {
        value = text_tensor(p[0], p[1] - '0');
        *at = p + 2;
    } else if (p[0] == '[' || p[0] == '(') {
        ob_value items[CALL_MAX];
        size_t count = 0;
        const char close = p[0] == '[' ? ']' : ')';
        ++*at;
        for (text_skip(at); **at != close; text_skip(at))
            items[count++] = text_value(at);
        ++*at;
        CHECK_INT(
            ob_value_init_list(&value, close == ']' ? OB_VALUE_LIST : OB_VALUE_TUPLE, count, NULL),
            OB_OK);
        for (size_t i = 0; i < count; i++)
            value.as.list.items[i] = items[i];
    } else {
        const char *problem;
        bool known;
        if (!ob__default_parse(at, p + strlen(p), 0, &value, &known, &problem)) {
            OB_TEST_FAIL("the test's call is wrong at: %s", p);
            *at = p + strlen(p);
        }
    }
    return value;
}

static inline void bind_text_init(bind_text *c, const char *text)
{
    const size_t length = strcspn(text, "(");
    const char *at = text + length + 1;
    *c = (bind_text){.call = {.arg_count = 0}};
    snprintf(c->name, sizeof c->name, "%.*s", (int)length, text);
    for (text_skip(&at); *at != ')' && *at != '\0'; text_skip(&at)) {
        size_t word = 0;
        while (isalnum((unsigned char)at[word]) || at[word] == '_')
            word++;
        if (word > 0 && at[word] == '=') {
            const size_t k = c->call.kwarg_count++;
            snprintf(c->name_text[k], sizeof c->name_text[k], "%.*s", (int)word, at);
            c->names[k] = c->name_text[k];
            at += word + 1;
            c->kwargs[k] = text_value(&at);
        } else {
            c->args[c->call.arg_count++] = text_value(&at);
        }
    }
    c->call.args = c->args;
    c->call.kwargs = c->kwargs;
    c->call.kwarg_names = c->names;
}

static inline void bind_text_fini(bind_text *c)
{
    for (size_t i = 0; i < c->call.arg_count; i++)
        ob_value_fini(&c->args[i]);
    for (size_t i = 0; i < c->call.kwarg_count; i++)
        ob_value_fini(&c->kwargs[i]);
}

/* Appends to out. */
static inline void text_append(const ob_value *v, char *out, size_t size)
{
    char device[32];
    const size_t used = strlen(out);
    out += used;
    size -= used;
    switch (v->kind) {
    case OB_VALUE_NONE:
        snprintf(out, size, "None");
        break;
    case OB_VALUE_BOOL:
        snprintf(out, size, v->as.boolean ? "True" : "False");
        break;
    case OB_VALUE_INT:
        snprintf(out, size, "%lld", (long long)v->as.integer);
        break;
    case OB_VALUE_DOUBLE:
        snprintf(out, size, "%#.6g", v->as.real);
        break;
    case OB_VALUE_STR:
        snprintf(out, size, "'%s'", v->as.str.text);
        break;
    case OB_VALUE_DTYPE:
        snprintf(out, size, "%s", ob_dtype_get_info(v->as.dtype)->torch_name);
        break;
    case OB_VALUE_DEVICE:
        snprintf(out, size, "%s", ob_device_format(&v->as.device, device, sizeof device));
        break;
    case OB_VALUE_GENERATOR:
        snprintf(out, size, "generator%d", (int)v->as.seed);
        break;
    case OB_VALUE_LAYOUT:
        snprintf(out, size, "layout%d", (int)v->as.layout);
        break;
    case OB_VALUE_MEMORY_FORMAT:
        snprintf(out, size, "format%d", (int)v->as.memory_format);
        break;
    case OB_VALUE_TENSOR:
        snprintf(out, size, "%c%d", (char)v->as.tensor->offset, v->as.tensor->ndim);
        break;
    case OB_VALUE_LIST:
    case OB_VALUE_TUPLE:
        snprintf(out, size, v->kind == OB_VALUE_LIST ? "[" : "(");
        for (size_t i = 0; i < v->as.list.count; i++) {
            if (i > 0)
                strncat(out, ", ", size - strlen(out) - 1);
            text_append(&v->as.list.items[i], out, size);
        }
        strncat(out, v->kind == OB_VALUE_LIST ? "]" : ")", size - strlen(out) - 1);
        break;
    default:
        snprintf(out, size, "%s", ob_value_kind_name(v->kind));
    }
}

/* "aten::add.Tensor(a2, b2, 1)" */
static inline void bound_print(const ob_schema *schema, const ob_value *bound, char *out,
                               size_t size)
{
    snprintf(out, size, "%s%s%s(", schema->name, schema->overload[0] ? "." : "", schema->overload);
    for (size_t i = 0; i < schema->arg_count; i++) {
        if (i > 0)
            strncat(out, ", ", size - strlen(out) - 1);
        text_append(&bound[i], out, size);
    }
    strncat(out, ")", size - strlen(out) - 1);
}

/* What the call resolves to, or the status and the error's message. */
static inline void resolve_text(const ob_op_table *table, const char *text, char *out, size_t size)
{
    bind_text c;
    const ob_op *op;
    ob_value *bound;
    ob_err err = {.code = OB_OK};
    bind_text_init(&c, text);
    const ob_status status = ob_op_resolve_call(table, c.name, &c.call, &op, &bound, &err);
    if (status == OB_OK) {
        bound_print(op->schema, bound, out, size);
        ob_op_free_bound(op, bound);
    } else {
        CHECK_INT(err.code, status);
        CHECK(op == NULL && bound == NULL);
        snprintf(out, size, "%s: %s", ob_status_name(status), err.message);
    }
    bind_text_fini(&c);
}

#endif
