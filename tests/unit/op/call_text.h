/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator calls and their results as text, for tests and for tests/golden/shapes.txt:
 *   aten::add.Tensor(f32[2, 3], i64[3], alpha=2) -> f32[2, 3]
 * A value is a tensor (dtype and sizes, and after a slash the strides when it is not contiguous),
 * a number, True, False, None, "text", a dtype's name, or a list in brackets. Several outputs are
 * separated by commas, "()" stands for none. The reader is for well-formed text and gives up
 * (false) otherwise.
 */
#ifndef OB_TEST_CALL_TEXT_H
#define OB_TEST_CALL_TEXT_H

#include "opbench/op.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_MAX_ARGS = 24 };

typedef struct call_text {
    char name[128];
    ob_value args[CALL_MAX_ARGS];
    size_t arg_count;
    char kwarg_text[CALL_MAX_ARGS][48];
    const char *kwarg_names[CALL_MAX_ARGS];
    ob_value kwargs[CALL_MAX_ARGS];
    size_t kwarg_count;
} call_text;

static inline void call_skip(const char **p)
{
    while (**p == ' ')
        (*p)++;
}

static inline bool call_take(const char **p, char c)
{
    call_skip(p);
    if (**p != c)
        return false;
    (*p)++;
    return true;
}

static inline size_t call_word(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

static inline int call_ints(const char **p, int64_t *out)
{
    int n = 0;
    if (!call_take(p, '['))
        return -1;
    while (!call_take(p, ']')) {
        char *end;
        if (n == OB_MAX_DIMS)
            return -1;
        out[n++] = strtoll(*p, &end, 10);
        if (end == *p)
            return -1;
        *p = end;
        call_take(p, ',');
    }
    return n;
}

static inline bool call_tensor(const char **p, ob_dtype dtype, ob_value *out)
{
    int64_t sizes[OB_MAX_DIMS], strides[OB_MAX_DIMS];
    ob_tensor t;
    const int ndim = call_ints(p, sizes);
    const bool strided = **p == '/';
    if (strided) {
        (*p)++;
        if (call_ints(p, strides) != ndim)
            return false;
    }
    return ndim >= 0 &&
           ob_tensor_init_meta(&t, dtype, sizes, ndim, strided ? strides : NULL, NULL) == OB_OK &&
           ob_value_init_tensor(out, &t, NULL) == OB_OK;
}

static inline bool call_value(const char **p, ob_value *out);

static inline bool call_list(const char **p, ob_value *out)
{
    ob_value items[64];
    size_t n = 0;
    (*p)++;
    while (!call_take(p, ']')) {
        if (n == 64 || !call_value(p, &items[n++]))
            return false;
        call_take(p, ',');
    }
    if (ob_value_init_list(out, OB_VALUE_LIST, n, NULL) != OB_OK)
        return false;
    if (n > 0)
        memcpy(out->as.list.items, items, n * sizeof *items);
    return true;
}

static inline bool call_name(const char **p, ob_value *out)
{
    const size_t n = call_word(*p);
    const char *word = *p;
    *p += n;
    if (n == 4 && strncmp(word, "None", 4) == 0)
        *out = ob_value_none();
    else if (n == 4 && strncmp(word, "True", 4) == 0)
        *out = ob_value_bool(true);
    else if (n == 5 && strncmp(word, "False", 5) == 0)
        *out = ob_value_bool(false);
    else if (n == 3 && strncmp(word, "inf", 3) == 0)
        *out = ob_value_double((double)INFINITY);
    else {
        const ob_dtype dtype = ob_dtype_from_name(word, n);
        if (dtype == OB_DTYPE_INVALID)
            return false;
        if (**p == '[')
            return call_tensor(p, dtype, out);
        *out = (ob_value){.kind = OB_VALUE_DTYPE, .as = {.dtype = dtype}};
    }
    return true;
}

static inline bool call_value(const char **p, ob_value *out)
{
    call_skip(p);
    *out = ob_value_none();
    if (**p == '[')
        return call_list(p, out);
    if (**p == '"') {
        const char *end = strchr(*p + 1, '"');
        if (end == NULL || ob_value_init_str(out, *p + 1, (size_t)(end - *p - 1), NULL) != OB_OK)
            return false;
        *p = end + 1;
        return true;
    }
    if (isalpha((unsigned char)**p))
        return call_name(p, out);
    char *end;
    const double real = strtod(*p, &end);
    if (end == *p)
        return false;
    const bool whole = strcspn(*p, ".e") >= (size_t)(end - *p);
    *out = whole ? ob_value_int(strtoll(*p, NULL, 10)) : ob_value_double(real);
    *p = end;
    return true;
}

static inline void call_free(call_text *call)
{
    for (size_t i = 0; i < call->arg_count; i++)
        ob_value_fini(&call->args[i]);
    for (size_t i = 0; i < call->kwarg_count; i++)
        ob_value_fini(&call->kwargs[i]);
}

/* Reads "name(args)" and leaves *p behind it. */
static inline bool call_read(const char **p, call_text *call)
{
    const char *open = strchr(*p, '(');
    call->arg_count = call->kwarg_count = 0;
    if (open == NULL || (size_t)(open - *p) >= sizeof call->name)
        return false;
    snprintf(call->name, sizeof call->name, "%.*s", (int)(open - *p), *p);
    *p = open + 1;
    while (!call_take(p, ')')) {
        call_skip(p);
        const size_t n = call_word(*p);
        const bool keyword = n > 0 && (*p)[n] == '=';
        ob_value *slot = &call->args[call->arg_count];
        if (call->arg_count == CALL_MAX_ARGS || call->kwarg_count == CALL_MAX_ARGS)
            return false;
        if (keyword) {
            snprintf(call->kwarg_text[call->kwarg_count], sizeof call->kwarg_text[0], "%.*s",
                     (int)n, *p);
            call->kwarg_names[call->kwarg_count] = call->kwarg_text[call->kwarg_count];
            slot = &call->kwargs[call->kwarg_count];
            *p += n + 1;
        }
        if (!call_value(p, slot))
            return false;
        if (keyword)
            call->kwarg_count++;
        else
            call->arg_count++;
        call_take(p, ',');
    }
    return true;
}

/* Appends the value's text. */
static inline void call_print(const ob_value *v, char *out, size_t size)
{
    size_t used = strlen(out);
    if (v->kind == OB_VALUE_TENSOR) {
        const ob_tensor *t = v->as.tensor;
        used += (size_t)snprintf(out + used, size - used, "%s[", ob_dtype_get_info(t->dtype)->name);
        for (int i = 0; i < t->ndim; i++)
            used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, i > 0 ? ", " : "",
                                     t->sizes[i]);
        used += (size_t)snprintf(out + used, size - used, "]");
        if (ob_tensor_is_contiguous(t))
            return;
        for (int i = 0; i < t->ndim; i++)
            used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, i > 0 ? ", " : "/[",
                                     t->strides[i]);
        snprintf(out + used, size - used, "]");
    } else if (v->kind == OB_VALUE_LIST) {
        snprintf(out + used, size - used, "[");
        for (size_t i = 0; i < v->as.list.count; i++) {
            if (i > 0)
                strncat(out, ", ", size - strlen(out) - 1);
            call_print(&v->as.list.items[i], out, size);
        }
        strncat(out, "]", size - strlen(out) - 1);
    } else {
        snprintf(out + used, size - used, "%s",
                 v->kind == OB_VALUE_NONE ? "None" : ob_value_kind_name(v->kind));
    }
}

/* Binds the call of the text to its operator. False: *error has the reason. */
typedef struct bound_call {
    call_text text;
    const ob_op *op;
    ob_value *bound;
    ob_op_call call;
} bound_call;

static inline bool bound_call_open(const ob_op_table *table, const char **p, bound_call *b,
                                   ob_err *err)
{
    b->bound = NULL;
    if (!call_read(p, &b->text)) {
        ob_err_set(err, OB_ERR_SYNTAX, "the test's text is not a call");
        return false;
    }
    b->op = ob_op_table_find(table, b->text.name);
    if (b->op == NULL) {
        ob_err_set(err, OB_ERR_NOT_FOUND, "no row %s", b->text.name);
        return false;
    }
    b->bound = calloc(b->op->schema->arg_count + 1, sizeof *b->bound);
    const ob_call call = {.args = b->text.args,
                          .arg_count = b->text.arg_count,
                          .kwarg_names = b->text.kwarg_names,
                          .kwargs = b->text.kwargs,
                          .kwarg_count = b->text.kwarg_count};
    if (b->bound == NULL || ob_schema_bind(b->op->schema, &call, b->bound, err) != OB_OK)
        return false;
    b->call = (ob_op_call){.op = b->op, .schema = b->op->schema, .args = b->bound};
    return true;
}

static inline void bound_call_close(bound_call *b)
{
    for (size_t i = 0; b->bound != NULL && i < b->op->schema->arg_count; i++)
        ob_value_fini(&b->bound[i]);
    free(b->bound);
    call_free(&b->text);
}

/* Infers the outputs of "name(args)"; the text of the outputs, or "error: message", goes to out. */
static inline void call_infer(const ob_op_table *table, const char **p, char *out, size_t size)
{
    bound_call b;
    ob_err err;
    ob_value outputs[8];
    ob_err_clear(&err);
    out[0] = '\0';
    if (bound_call_open(table, p, &b, &err) && b.op->row->shape(&b.call, outputs, &err) == OB_OK) {
        const size_t count = b.op->schema->return_count;
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                strncat(out, ", ", size - strlen(out) - 1);
            call_print(&outputs[i], out, size);
            ob_value_fini(&outputs[i]);
        }
        if (count == 0)
            snprintf(out, size, "()");
    } else {
        snprintf(out, size, "error: %s", err.message);
    }
    bound_call_close(&b);
}

#endif
