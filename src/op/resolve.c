/* SPDX-License-Identifier: Apache-2.0
 *
 * From a call by front-end name to one operator and its bound arguments.
 *
 * Overloads are tried in the order of their rows. Before a try the call is brought into the
 * schema's words: PyTorch's Python layer calls self "input", takes NumPy's names, passes out= by
 * that name whatever the schema calls it, and takes view(2, 3) for view([2, 3]).
 */
#include "base/text_append.h"
#include "op/adapter.h"
#include "op/names.h"
#include "op/schema_int.h"
#include "op/table.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS = 64 };

/* A call in the schema's words. All values are borrowed, those in lists too. */
typedef struct python_call {
    ob_call call;
    ob_value args[MOST_ARGS];
    const char *names[MOST_ARGS];
    ob_value kwargs[MOST_ARGS];
    ob_value packed[MOST_ARGS];
} python_call;

/* Names that PyTorch's Python argument parser takes for another. */
static const struct {
    const char *given, *schema;
} ALIASES[] = {
    {"input", "self"}, {"x", "self"},  {"a", "self"},   {"x1", "self"},  {"x2", "other"},
    {"x", "input"},    {"a", "input"}, {"x1", "input"}, {"axis", "dim"}, {"keepdims", "keepdim"},
};

static const char *schema_word(const ob_schema *schema, const char *given)
{
    if (ob_schema_find_arg(schema, given) >= 0)
        return given;
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++)
        if (strcmp(ALIASES[i].given, given) == 0 &&
            ob_schema_find_arg(schema, ALIASES[i].schema) >= 0)
            return ALIASES[i].schema;
    return given;
}

static bool is_out(const ob_schema_arg *arg)
{
    return arg->keyword_only && arg->writes;
}

static size_t count_outs(const ob_schema *schema)
{
    size_t count = 0;
    for (size_t i = schema->positional_count; i < schema->arg_count; i++)
        count += is_out(&schema->args[i]);
    return count;
}

static void push(python_call *p, const char *name, const ob_value *value)
{
    p->names[p->call.kwarg_count] = name;
    p->kwargs[p->call.kwarg_count++] = *value;
}

/* out=x, or out=(x, y) for several. False when it does not fit: then it goes on as it is, and the
 * binding says what is wrong. */
static bool push_out(python_call *p, const ob_schema *schema, const ob_value *value)
{
    const bool list = value->kind == OB_VALUE_TUPLE || value->kind == OB_VALUE_LIST;
    const size_t outs = count_outs(schema);
    if (outs == 0 || outs != (list ? value->as.list.count : 1) ||
        p->call.kwarg_count + outs > MOST_ARGS)
        return false;
    size_t next = 0;
    for (size_t i = schema->positional_count; i < schema->arg_count; i++)
        if (is_out(&schema->args[i]))
            push(p, schema->args[i].name, list ? &value->as.list.items[next++] : value);
    return true;
}

/* What Python's signature has and the operator's has not: out=None, and requires_grad of functions
 * that make tensors (those that take pin_memory). */
static bool is_dropped(const ob_schema *schema, const char *name, const ob_value *value)
{
    if (ob_schema_find_arg(schema, name) >= 0)
        return false;
    if (strcmp(name, "out") == 0)
        return value->kind == OB_VALUE_NONE;
    return strcmp(name, "requires_grad") == 0 && value->kind == OB_VALUE_BOOL &&
           ob_schema_find_arg(schema, "pin_memory") >= 0;
}

/* zeros(2, 3), x.view(2, 3): ints in a row stand for the only positional argument besides self. */
static bool packs(const ob_schema *schema, const ob_call *call, size_t first)
{
    if (schema->positional_count != first + 1 || call->arg_count <= first)
        return false;
    const ob_type *type = schema->args[first].type;
    if (type->kind != OB_TYPE_LIST || type->list_size >= 0 ||
        (type->element->kind != OB_TYPE_INT && type->element->kind != OB_TYPE_SYM_INT))
        return false;
    for (size_t i = first; i < call->arg_count; i++)
        if (call->args[i].kind != OB_VALUE_INT)
            return false;
    return true;
}

static ob_status to_schema_words(const ob_schema *schema, ob__name_style style, const ob_call *call,
                                 python_call *p, ob_err *err)
{
    if (call->arg_count > MOST_ARGS || call->kwarg_count > MOST_ARGS)
        return ob_err_set(err, OB_ERR_LIMIT, "a call can have at most %d arguments",
                          (int)MOST_ARGS);
    p->call = *call;
    p->call.kwarg_names = p->names;
    p->call.kwargs = p->kwargs;
    p->call.kwarg_count = 0;
    const size_t first = style == OB__STYLE_METHOD ? 1 : 0;
    if (packs(schema, call, first)) {
        const size_t count = call->arg_count - first;
        memcpy(p->args, call->args, first * sizeof *p->args);
        memcpy(p->packed, call->args + first, count * sizeof *p->packed);
        p->args[first] =
            (ob_value){.kind = OB_VALUE_LIST, .as = {.list = {.items = p->packed, .count = count}}};
        p->call.args = p->args;
        p->call.arg_count = first + 1;
    }
    for (size_t k = 0; k < call->kwarg_count; k++) {
        const char *name = call->kwarg_names[k];
        const ob_value *value = &call->kwargs[k];
        if (is_dropped(schema, name, value))
            continue;
        if (strcmp(name, "out") == 0 && push_out(p, schema, value))
            continue;
        if (p->call.kwarg_count == MOST_ARGS)
            return ob_err_set(err, OB_ERR_LIMIT, "a call can have at most %d arguments",
                              (int)MOST_ARGS);
        push(p, schema_word(schema, name), value);
    }
    return OB_OK;
}

/* Canonical calls come from schemas and traces, which give every argument in its place: those behind the
 * positional ones get their names. NULL = the call stays as it is, and the binding says what is wrong. */
static const ob_call *name_by_place(const ob_schema *schema, const ob_call *call, python_call *p)
{
    const size_t first = schema->positional_count;
    if (call->arg_count <= first || call->arg_count > schema->arg_count ||
        call->arg_count - first + call->kwarg_count > MOST_ARGS)
        return NULL;
    p->call = *call;
    p->call.arg_count = first;
    p->call.kwarg_names = p->names;
    p->call.kwargs = p->kwargs;
    p->call.kwarg_count = 0;
    for (size_t i = first; i < call->arg_count; i++) {
        if (is_out(&schema->args[i]))
            return NULL;
        push(p, schema->args[i].name, &call->args[i]);
    }
    for (size_t k = 0; k < call->kwarg_count; k++)
        push(p, call->kwarg_names[k], &call->kwargs[k]);
    return &p->call;
}

static ob_status try_bind(const ob_op *op, ob__name_style style, const ob_call *call,
                          ob_value **bound, ob_err *err)
{
    const ob_schema *schema = op->schema;
    python_call python;
    ob_status status = OB_OK;
    /* One more than needed, so that no arguments are not an allocation of nothing. */
    *bound = malloc((schema->arg_count + 1) * sizeof **bound);
    if (*bound == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory while binding arguments");
    if (style != OB__STYLE_CANONICAL) {
        status = to_schema_words(schema, style, call, &python, err);
        call = &python.call;
    } else {
        const ob_call *named = name_by_place(schema, call, &python);
        call = named != NULL ? named : call;
    }
    if (status == OB_OK)
        status = ob_schema_bind(schema, call, *bound, err);
    if (status != OB_OK) {
        free(*bound);
        *bound = NULL;
    }
    return status;
}

static bool gives_out(const ob_schema *schema, const ob_call *call)
{
    for (size_t k = 0; k < call->kwarg_count; k++) {
        if (call->kwargs[k].kind == OB_VALUE_NONE)
            continue;
        if (strcmp(call->kwarg_names[k], "out") == 0)
            return true;
        const int index = ob_schema_find_arg(schema, call->kwarg_names[k]);
        if (index >= 0 && is_out(&schema->args[index]))
            return true;
    }
    return false;
}

/* What was wanted and why nothing fits, for the message. */
typedef struct choice {
    const ob_op_table *table;
    const char *name; /* as the user wrote it */
    const char *base, *overload;
    ob__name_style style;
    size_t tried;
    bool out_given;
    ob_text reasons;
} choice;

static ob_status no_operator(const choice *c, ob_err *err)
{
    char nearest[sizeof((ob_op_name *)0)->base];
    if (err != NULL && ob__table_nearest(c->table, c->base, nearest, sizeof nearest))
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "there is no operator %s (for '%.128s'); the nearest name is %s", c->base,
                          c->name, nearest);
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "there is no operator %s (for '%.128s'); a backend that brings its own "
                      "operators may add it",
                      c->base, c->name);
}

static ob_status no_overload(choice *c, uint32_t first, ob_err *err)
{
    bool ok = true;
    for (uint32_t i = first; i != OB__INDEX_NONE && ok;
         i = ob__table_entry(c->table, i)->next_overload) {
        const ob__op_entry *entry = ob__table_entry(c->table, i);
        ok = ob_text_printf(&c->reasons, "%s%.*s", i == first ? "" : ", ", (int)entry->name_length,
                            entry->name);
    }
    return ob_err_set(err, OB_ERR_NOT_FOUND, "%s has no overload '%s'; it has: %.*s", c->base,
                      c->overload, (int)c->reasons.size, c->reasons.size ? c->reasons.data : "");
}

static ob_status nothing_fits(const choice *c, ob_err *err)
{
    const int size = (int)c->reasons.size;
    const char *reasons = size > 0 ? c->reasons.data : "";
    if (c->tried == 0 && c->out_given)
        return ob_err_set(err, OB_ERR_INVALID, "no overload of %.128s writes to out=; leave it out",
                          c->name);
    if (c->tried == 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "%.128s only writes to a given tensor; pass it as out=", c->name);
    if (c->tried == 1)
        return ob_err_set(err, OB_ERR_INVALID, "%.*s", size, reasons);
    return ob_err_set(err, OB_ERR_INVALID, "no overload of %.128s takes these arguments: %.*s",
                      c->name, size, reasons);
}

static ob_status choose(choice *c, const ob_call *call, const ob_op **op, ob_value **bound,
                        ob_err *err)
{
    const uint32_t first = ob__table_first(c->table, c->base, strlen(c->base));
    if (first == OB__INDEX_NONE)
        return no_operator(c, err);
    if (!ob__table_has(c->table, c->base, c->overload))
        return no_overload(c, first, err);
    for (uint32_t i = first; i != OB__INDEX_NONE;) {
        ob__op_entry *entry = ob__table_entry(c->table, i);
        ob_err reason;
        i = entry->next_overload;
        if (c->overload[0] != '\0' && !ob__entry_is_overload(entry, c->overload))
            continue;
        OB_TRY(ob__table_load(entry, err));
        /* A named overload is taken at its word. */
        const bool out_given = gives_out(entry->op.schema, call);
        c->out_given = c->out_given || out_given;
        if (c->overload[0] == '\0' && (count_outs(entry->op.schema) > 0) != out_given)
            continue;
        const ob_status status = try_bind(&entry->op, c->style, call, bound, &reason);
        if (status == OB_OK) {
            *op = &entry->op;
            return OB_OK;
        }
        if (status != OB_ERR_INVALID)
            return ob_err_set(err, status, "%s", reason.message);
        c->tried++;
        if (!ob_text_printf(&c->reasons, "%s%s", c->tried > 1 ? "; " : "", reason.message))
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory while choosing an overload");
    }
    return nothing_fits(c, err);
}

ob_status ob_op_resolve_call(const ob_op_table *table, const char *name, const ob_call *call,
                             const ob_op **op, ob_value **bound, ob_err *err)
{
    ob__name target;
    *op = NULL;
    *bound = NULL;
    OB_TRY(ob__name_resolve(table, name, &target, err));
    choice c = {.table = table,
                .name = name,
                .base = target.public.base,
                .overload = target.public.overload,
                .style = target.style};
    ob_status status;
    if (target.public.adapter == NULL) {
        status = choose(&c, call, op, bound, err);
    } else {
        ob__adapted adapted;
        OB_TRY(ob__adapter_apply(table, target.adapter, call, &adapted, err));
        const ob_call inner = {.args = adapted.args,
                               .arg_count = adapted.arg_count,
                               .kwarg_names = adapted.kwarg_names,
                               .kwargs = adapted.kwargs,
                               .kwarg_count = adapted.kwarg_count};
        c.base = adapted.base;
        c.overload = adapted.overload;
        c.style = OB__STYLE_CANONICAL;
        status = choose(&c, &inner, op, bound, err);
        ob__adapted_fini(&adapted);
    }
    ob_text_fini(&c.reasons);
    return status;
}

void ob_op_free_bound(const ob_op *op, ob_value *bound)
{
    if (bound == NULL)
        return;
    for (size_t i = 0; i < op->schema->arg_count; i++)
        ob_value_fini(&bound[i]);
    free(bound);
}
