/* SPDX-License-Identifier: Apache-2.0
 *
 * The distinct calls of a trace as a benchmark config. A call is printed as the entry it will be, with
 * its arguments by place or, behind the schema's "*", by name; equal texts are one entry with a count.
 * What cannot be made again (an argument that is a process group, a stream) is left out, with the reason.
 */
#include "base/json_node.h"
#include "base/number.h"
#include "base/sized.h"
#include "opbench/vec.h"
#include "trace/alias.h"
#include "trace/trace_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint32_t op;
    uint32_t next; /* of the same operator, in order; OB_TRACE_NO_NODE = last */
    uint64_t count;
    const char *text;
} entry;

typedef struct op_group {
    const char *name;
    uint32_t first, last;
} op_group;

/* Calls that are left out for one reason. */
typedef struct leftover {
    const char *why;
    uint64_t calls;
    uint32_t ops;
    char names[240]; /* of the first operators */
} leftover;

typedef struct converter {
    const ob_trace *trace;
    const ob_trace_convert_options *options;
    const ob_op_table *table;
    const ob_log *log;
    ob_arena arena;
    ob_intern ops, texts, reasons, named_reasons;
    leftover *leftovers;
    size_t leftover_capacity;
    entry *entries;
    op_group *groups;
    size_t entry_capacity, group_capacity;
    ob_text text;
} converter;

/* What is known about the call under way besides its values. */
typedef struct call {
    const ob_trace_node *node;
    const ob_trace_value *args;
    size_t count;
    const char *name; /* with overload */
    const ob_op *op;  /* NULL: the core has no row for it */
    ob_schema *schema;
    int64_t
        list_place; /* dimensions that the items before the written one of a list of indices take */
    char why_not[240];
} call;

/* ---- values ---- */

static const ob_trace_value *argument(const call *c, const char *name)
{
    const int index = c->op != NULL ? ob_schema_find_arg(c->op->schema, name) : -1;
    return index >= 0 && (size_t)index < c->count ? &c->args[index] : NULL;
}

/* The values that the operator's row allows for an index tensor; false when it says nothing. */
static bool index_bound(const call *c, size_t arg, int64_t *bound)
{
    if (c->op == NULL || arg >= c->op->schema->arg_count)
        return false;
    const ob_constraint *row = c->op->row->constraints;
    for (; row != NULL && row->arg != NULL; row++) {
        const bool plane = row->kind == OB_CONSTRAINT_PLANE;
        if ((row->kind != OB_CONSTRAINT_INDEX && !plane) || row->of == NULL ||
            strcmp(row->arg, c->op->schema->args[arg].name) != 0)
            continue;
        const ob_trace_value *of = argument(c, row->of);
        if (of != NULL && of->kind == OB_TRACE_INT) {
            *bound = of->as.integer;
            return *bound > 0;
        }
        const ob_trace_value *dim_arg = row->dim_arg != NULL ? argument(c, row->dim_arg) : NULL;
        int64_t dim = dim_arg != NULL && dim_arg->kind == OB_TRACE_INT ? dim_arg->as.integer
                                                                       : row->dim + c->list_place;
        if (of == NULL || of->kind != OB_TRACE_TENSOR)
            return false;
        *bound = 1;
        for (int k = 0; plane && k < -row->dim && k < of->as.tensor->ndim; k++)
            *bound *= of->as.tensor->sizes[of->as.tensor->ndim - 1 - k];
        if (plane)
            return *bound > 0;
        if (dim < 0)
            dim += of->as.tensor->ndim;
        if (dim < 0 || dim >= of->as.tensor->ndim)
            return false;
        *bound = of->as.tensor->sizes[dim];
        return *bound > 0;
    }
    return false;
}

static bool put_sizes(ob_text *text, const char *key, const int64_t *sizes, int count)
{
    char digits[32];
    bool ok = ob_text_append_str(text, ", \"") && ob_text_append_str(text, key) &&
              ob_text_append_str(text, "\": [");
    for (int i = 0; ok && i < count; i++)
        ok = (i == 0 || ob_text_append(text, ", ", 2)) &&
             ob_text_append(text, digits, ob__format_i64(sizes[i], digits));
    return ok && ob_text_append_str(text, "]");
}

static bool put_range(ob_text *text, double min, double max)
{
    return ob_text_printf(text, ", \"value_range\": [%lld, %lld]", (long long)min, (long long)max);
}

/* as_strided looks at the storage of its tensor, not at the tensor: one dimension that is as long as the result
 * needs stands for it. 0 = not such an argument. */
static int64_t strided_length(const call *c, size_t arg)
{
    int64_t last = 0;
    if (arg != 0 || c->count < 3 || strncmp(c->name, "aten::as_strided", 16) != 0 ||
        c->args[1].kind != OB_TRACE_LIST || c->args[2].kind != OB_TRACE_LIST ||
        c->args[1].count != c->args[2].count)
        return 0;
    if (c->count > 3 && c->args[3].kind == OB_TRACE_INT)
        last = c->args[3].as.integer;
    for (uint32_t i = 0; i < c->args[1].count; i++) {
        const ob_trace_value *sizes = c->args[1].as.items, *strides = c->args[2].as.items;
        const int64_t size = sizes[i].as.integer, stride = strides[i].as.integer;
        int64_t span;
        if (sizes[i].kind != OB_TRACE_INT || strides[i].kind != OB_TRACE_INT || size <= 0 ||
            stride < 0 || __builtin_mul_overflow(size - 1, stride, &span) ||
            __builtin_add_overflow(last, span, &last))
            return 0;
    }
    return last >= 0 && last < INT64_MAX ? last + 1 : 0;
}

static ob_dtype written_dtype(const converter *v, ob_dtype dtype)
{
    return dtype == OB_DTYPE_F16 && v->options->half_to_bfloat16 ? OB_DTYPE_BF16 : dtype;
}

static bool put_tensor(ob_text *text, const converter *v, call *c, size_t arg,
                       const ob_trace_tensor *tensor)
{
    int64_t contiguous[OB_MAX_DIMS], bound;
    const ob_dtype_info *info = ob_dtype_get_info(written_dtype(v, tensor->dtype));
    if (info == NULL) {
        snprintf(c->why_not, sizeof c->why_not,
                 "it takes a tensor of %.60s, a type that opbench does not have",
                 tensor->dtype_text);
        return true;
    }
    if (ob__trace_is_sparse(tensor)) {
        snprintf(c->why_not, sizeof c->why_not,
                 "it takes a sparse tensor, which traces do not describe");
        return true;
    }
    if (arg == 1 && tensor->dtype == OB_DTYPE_BOOL && strstr(c->name, "index_put") != NULL &&
        c->count > 2 && c->args[2].kind == OB_TRACE_TENSOR && c->args[2].as.tensor->numel > 1) {
        snprintf(c->why_not, sizeof c->why_not,
                 "its mask must have as many true elements as there are values, but traces do not "
                 "record the mask");
        return true;
    }
    ob_shape_contiguous_strides(tensor->sizes, tensor->ndim, contiguous);
    const int64_t length = strided_length(c, arg);
    bool ok = ob_text_append_str(text, "{\"type\": \"tensor\", \"dtype\": \"") &&
              ob_text_append_str(text, info->param_name) && ob_text_append_str(text, "\"") &&
              (length > 0 ? put_sizes(text, "shape", &length, 1)
                          : put_sizes(text, "shape", tensor->sizes, tensor->ndim));
    if (ok && length == 0 &&
        memcmp(contiguous, tensor->strides, (size_t)tensor->ndim * sizeof *contiguous) != 0)
        ok = put_sizes(text, "strides", tensor->strides, tensor->ndim);
    /* The calls of a trace are forward or backward calls as they stand; none is to be differentiated again. */
    if (ok && !ob_dtype_is_integral(tensor->dtype))
        ok = ob_text_append_str(text, ", \"requires_grad\": false");
    const bool integral = ob_dtype_is_integral(tensor->dtype) && tensor->dtype != OB_DTYPE_BOOL;
    if (ok && integral && tensor->has_range && fabs(tensor->min) < 9e18 && fabs(tensor->max) < 9e18)
        ok = put_range(text, tensor->min, tensor->max);
    else if (ok && integral && index_bound(c, arg, &bound))
        ok = put_range(text, 0, (double)(bound - 1));
    return ok && ob_text_append_str(text, "}");
}

/* JSON has no word for infinity; configs take it as text. out has room for 32 bytes. */
static const char *real_text(double value, char *out)
{
    if (!isfinite(value))
        return isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    ob__format_double(value, out);
    return out;
}

static bool put_real(ob_text *text, double value)
{
    char digits[32];
    return ob_text_printf(text, "{\"type\": \"double\", \"value\": %s}", real_text(value, digits));
}

/* Pages are pinned for a device that need not be there. */
static bool pins(const call *c, size_t arg)
{
    return c->schema != NULL && arg < c->schema->arg_count &&
           strcmp(c->schema->args[arg].name, "pin_memory") == 0;
}

/* Arguments called dtype are numbers too. */
static int64_t written_int(const converter *v, const call *c, size_t arg, int64_t value)
{
    const bool dtype = c->schema != NULL && arg < c->schema->arg_count &&
                       strstr(c->schema->args[arg].name, "dtype") != NULL;
    return dtype && v->options->half_to_bfloat16 &&
                   value == ob_dtype_get_info(OB_DTYPE_F16)->torch_number
               ? ob_dtype_get_info(OB_DTYPE_BF16)->torch_number
               : value;
}

static bool put_value(ob_text *text, const converter *v, call *c, size_t arg,
                      const ob_trace_value *value)
{
    switch ((ob_trace_value_kind)value->kind) {
    case OB_TRACE_NONE:
    case OB_TRACE_GENERATOR:
    case OB_TRACE_NO_TENSOR:
    case OB_TRACE_UNRECORDED:
        return ob_text_append_str(text, "{\"type\": \"none\"}");
    case OB_TRACE_BOOL:
        return ob_text_printf(text, "{\"type\": \"bool\", \"value\": %s}",
                              value->as.integer && !pins(c, arg) ? "true" : "false");
    case OB_TRACE_INT:
        return ob_text_printf(text, "{\"type\": \"int\", \"value\": %lld}",
                              (long long)written_int(v, c, arg, value->as.integer));
    case OB_TRACE_DOUBLE:
        return put_real(text, value->as.real);
    case OB_TRACE_STR:
        return ob_text_append_str(text, "{\"type\": \"str\", \"value\": ") &&
               ob__json_write_string(text, value->as.text, value->count) &&
               ob_text_append_str(text, "}");
    case OB_TRACE_DEVICE:
        return ob_text_printf(text, "{\"type\": \"device\", \"value\": \"%s\"}",
                              v->options->device != NULL ? v->options->device : "cpu");
    case OB_TRACE_TENSOR:
        return put_tensor(text, v, c, arg, value->as.tensor);
    case OB_TRACE_OTHER:
        snprintf(c->why_not, sizeof c->why_not, "it takes a value that cannot be recreated: %.160s",
                 value->as.text);
        return true;
    case OB_TRACE_LIST:
    case OB_TRACE_TUPLE:
        break;
    }
    bool ok = ob_text_printf(text, "{\"type\": \"%s\", \"value\": [",
                             value->kind == OB_TRACE_TUPLE ? "tuple" : "genericlist");
    for (uint32_t i = 0; ok && i < value->count; i++) {
        const ob_trace_value *item = &value->as.items[i];
        ok = (i == 0 || ob_text_append_str(text, ", ")) && put_value(text, v, c, arg, item);
        /* In x[:, i] None takes a dimension as an index does; a mask takes all of its own. */
        const bool mask = item->kind == OB_TRACE_TENSOR && item->as.tensor->dtype == OB_DTYPE_BOOL;
        c->list_place += mask ? item->as.tensor->ndim : 1;
    }
    c->list_place = 0;
    return ok && ob_text_append_str(text, "]}");
}

/* A number where the schema has a tensor: Python's x / 4.0 is div.Tensor. */
static bool put_number_tensor(ob_text *text, const ob_trace_value *value)
{
    static const char *const DTYPES[] = {
        [OB_TRACE_BOOL] = "bool", [OB_TRACE_INT] = "long", [OB_TRACE_DOUBLE] = "double"};
    char digits[32];
    const char *written = digits;
    if (value->kind == OB_TRACE_DOUBLE)
        written = real_text(value->as.real, digits);
    else if (value->kind == OB_TRACE_BOOL)
        written = value->as.integer ? "true" : "false";
    else
        digits[ob__format_i64(value->as.integer, digits)] = '\0';
    return ob_text_printf(text,
                          "{\"type\": \"tensor\", \"dtype\": \"%s\", \"shape\": [], \"value\": %s}",
                          DTYPES[value->kind], written);
}

static bool is_number_for_tensor(const call *c, size_t arg)
{
    const uint32_t kind = c->args[arg].kind;
    return c->schema != NULL && arg < c->schema->arg_count &&
           c->schema->args[arg].type->kind == OB_TYPE_TENSOR &&
           (kind == OB_TRACE_BOOL || kind == OB_TRACE_INT || kind == OB_TRACE_DOUBLE);
}

static bool put_argument(converter *v, call *c, size_t arg)
{
    return is_number_for_tensor(c, arg) ? put_number_tensor(&v->text, &c->args[arg])
                                        : put_value(&v->text, v, c, arg, &c->args[arg]);
}

/* ---- calls ---- */

static bool is_named(const call *c, size_t arg)
{
    return c->schema != NULL && arg < c->schema->arg_count;
}

/* By place as far as possible; by name from the first one that is left away, or must be named. */
static bool put_call(converter *v, call *c)
{
    ob_text *text = &v->text;
    bool ok = ob_text_append_str(text, "{\"args\": [");
    size_t i = 0, named = 0;
    for (; ok && i < c->count; i++) {
        if (is_named(c, i) && (c->schema->args[i].keyword_only ||
                               ob__trace_left_away(&c->schema->args[i], &c->args[i])))
            break;
        ok = (i == 0 || ob_text_append_str(text, ", ")) && put_argument(v, c, i);
    }
    ok = ok && ob_text_append_str(text, "]");
    for (; ok && i < c->count && is_named(c, i); i++) {
        const ob_schema_arg *arg = &c->schema->args[i];
        if (!ob__trace_left_away(arg, &c->args[i]))
            ok = ob_text_append_str(text, named++ == 0 ? ", \"kwargs\": {" : ", ") &&
                 ob__json_write_string(text, arg->name, strlen(arg->name)) &&
                 ob_text_append_str(text, ": ") && put_argument(v, c, i);
    }
    return ok && (named == 0 || ob_text_append_str(text, "}"));
}

static bool add_entry(converter *v, const char *name)
{
    uint32_t op, ordinal;
    const size_t name_length = strlen(name);
    if (ob__intern(&v->ops, name, name_length, &op) == NULL)
        return false;
    if (!OB_RESERVE(v->groups, v->group_capacity, (size_t)op + 1))
        return false;
    /* The operator is part of what makes an entry the same: its number goes behind the text. */
    const size_t length = v->text.size;
    if (!ob_text_append(&v->text, "\0", 1) || !ob_text_append(&v->text, (char *)&op, sizeof op))
        return false;
    const uint32_t known = v->texts.count;
    const char *text = ob__intern(&v->texts, v->text.data, v->text.size, &ordinal);
    v->text.size = length;
    if (text == NULL)
        return false;
    if (ordinal < known) {
        v->entries[ordinal].count++;
        return true;
    }
    if (!OB_RESERVE(v->entries, v->entry_capacity, (size_t)ordinal + 1))
        return false;
    v->entries[ordinal] = (entry){.op = op, .next = OB_TRACE_NO_NODE, .count = 1, .text = text};
    return true;
}

static void link_entries(converter *v)
{
    for (uint32_t i = 0; i < v->ops.count; i++)
        v->groups[i].first = v->groups[i].last = OB_TRACE_NO_NODE;
    for (size_t i = 0; i < v->ops.capacity; i++)
        if (v->ops.slots[i].data != NULL)
            v->groups[v->ops.slots[i].ordinal].name = v->ops.slots[i].data;
    for (uint32_t i = 0; i < v->texts.count; i++) {
        op_group *group = &v->groups[v->entries[i].op];
        if (group->first == OB_TRACE_NO_NODE)
            group->first = i;
        else
            v->entries[group->last].next = i;
        group->last = i;
    }
}

static bool note_leftover(converter *v, const call *c)
{
    enum { NAMED = 3 };
    uint32_t reason, named;
    char line[512];
    const uint32_t known_reasons = v->reasons.count;
    const char *why = ob__intern(&v->reasons, c->why_not, strlen(c->why_not), &reason);
    if (why == NULL)
        return false;
    if (!OB_RESERVE(v->leftovers, v->leftover_capacity, (size_t)reason + 1))
        return false;
    leftover *l = &v->leftovers[reason];
    if (reason == known_reasons)
        *l = (leftover){0};
    const uint32_t known = v->named_reasons.count;
    snprintf(line, sizeof line, "%s: %s", c->name, c->why_not);
    if (ob__intern(&v->named_reasons, line, strlen(line), &named) == NULL)
        return false;
    l->why = why;
    l->calls++;
    if (named < known)
        return true;
    const size_t length = strlen(l->names);
    if (l->ops++ < NAMED)
        snprintf(l->names + length, sizeof l->names - length, "%s%.70s", length > 0 ? ", " : "",
                 c->name);
    else if (l->ops == NAMED + 1)
        snprintf(l->names + length, sizeof l->names - length, ", ...");
    return true;
}

static ob_status leave_out(converter *v, const call *c, ob_trace_convert_summary *summary,
                           ob_err *err)
{
    summary->left_out++;
    return note_leftover(v, c) ? OB_OK
                               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a config");
}

/* One warning per reason: a trace without arguments has hundreds of operators. */
static void tell_leftovers(const converter *v)
{
    for (uint32_t i = 0; i < v->reasons.count; i++) {
        const leftover *l = &v->leftovers[i];
        ob_log_message(v->log, OB_LOG_WARNING, "%s: left out: %llu %s of %u %s (%s): %s",
                       v->trace->name, (unsigned long long)l->calls,
                       l->calls == 1 ? "call" : "calls", l->ops,
                       l->ops == 1 ? "operator" : "operators", l->names, l->why);
    }
}

static ob_status convert_call(converter *v, const ob_trace_node *node,
                              ob_trace_convert_summary *summary, ob_err *err)
{
    char name[256];
    ob_trace_alias alias;
    call c = {.node = node};
    ob__trace_call_name(node, name, sizeof name);
    ob__trace_alias_apply(node, name, &alias);
    if (!ob__trace_alias_fit(v->table, false, &alias))
        ob__trace_alias_fit(v->table, true, &alias);
    c.name = alias.name;
    c.args = alias.args;
    c.count = alias.count;
    c.op = ob_op_table_find(v->table, c.name);
    if (c.op == NULL && ob__trace_alias_replace(node, name, &alias)) {
        c.name = alias.name;
        c.args = alias.args;
        c.count = alias.count;
        c.op = ob_op_table_find(v->table, c.name);
    }
    if (node->kind != OB_TRACE_OPERATOR)
        snprintf(c.why_not, sizeof c.why_not, "it is %s",
                 node->kind == OB_TRACE_COMM    ? "communication"
                 : node->kind == OB_TRACE_FUSED ? OB_TRACE_FUSED_HELP
                                                : OB_TRACE_COMPILED_HELP);
    else if (ob__trace_is_host_call(name))
        snprintf(c.why_not, sizeof c.why_not,
                 "it only reads, checks or marks something for the program");
    else if (ob__trace_unrecorded(node) != NULL)
        snprintf(c.why_not, sizeof c.why_not, "%s", ob__trace_unrecorded(node));
    else if (ob__trace_is_stream_call(node, name))
        snprintf(c.why_not, sizeof c.why_not, "it orders streams or pins memory");
    /* A name that is not known has its argument names from the trace itself. */
    const char *schema = alias.schema;
    if (schema[0] != '\0' && ob_schema_parse(schema, strlen(schema), &c.schema, NULL) != OB_OK)
        c.schema = NULL;
    v->text.size = 0;
    ob_status status = OB_OK;
    if (c.why_not[0] == '\0' && !put_call(v, &c))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for a config");
    else if (c.why_not[0] != '\0')
        status = leave_out(v, &c, summary, err);
    else if (!add_entry(v, c.name))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for a config");
    ob_schema_destroy(c.schema);
    return status;
}

static bool print_config(const converter *v, ob_text *out)
{
    bool ok = ob_text_append_str(out, "{");
    for (uint32_t i = 0; ok && i < v->ops.count; i++) {
        ok = ob_text_append_str(out, i > 0 ? ",\n  " : "\n  ") &&
             ob__json_write_string(out, v->groups[i].name, strlen(v->groups[i].name)) &&
             ob_text_append_str(out, ": {\n"
                                     "    \"input_data_generator\": "
                                     "\"PyTorch:DefaultDataGenerator\",\n"
                                     "    \"config\": [{\"input\": [");
        for (uint32_t e = v->groups[i].first; ok && e != OB_TRACE_NO_NODE; e = v->entries[e].next) {
            /* The text ends with the brace that the count goes before. */
            ok = ob_text_append_str(out, e != v->groups[i].first ? ",\n      " : "\n      ") &&
                 ob_text_append_str(out, v->entries[e].text) &&
                 ob_text_printf(out, ", \"count\": %llu}", (unsigned long long)v->entries[e].count);
        }
        ok = ok && ob_text_append_str(out, "\n    ]}]\n  }");
    }
    return ok && ob_text_append_str(out, "\n}\n");
}

ob_status ob_trace_convert(const ob_trace *trace, const ob_trace_convert_options *options,
                           const ob_op_table *table, const ob_log *log, ob_text *config,
                           ob_trace_convert_summary *summary, ob_err *err)
{
    ob_trace_convert_options own;
    ob_trace_convert_summary made = {.size = sizeof made};
    converter v = {.trace = trace, .options = &own, .table = table, .log = log};
    uint32_t *indices;
    size_t count;
    OB_TRY(OB__TAKE(ob_trace_convert_options, &own, options, err));
    OB_TRY(OB__GIVE(ob_trace_convert_summary, summary, &made, err));
    OB_TRY(ob_trace_select(trace, own.selection, &indices, &count, err));
    ob__arena_init(&v.arena, 0);
    ob__intern_init(&v.ops, &v.arena);
    ob__intern_init(&v.texts, &v.arena);
    ob__intern_init(&v.reasons, &v.arena);
    ob__intern_init(&v.named_reasons, &v.arena);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++)
        status = convert_call(&v, &trace->nodes[indices[i]], &made, err);
    made.calls = count;
    made.distinct = v.texts.count;
    OB__GIVE(ob_trace_convert_summary, summary, &made, NULL);
    if (status == OB_OK) {
        tell_leftovers(&v);
        link_entries(&v);
        if (v.texts.count == 0)
            status =
                ob_err_set_at(err, OB_ERR_NOT_FOUND, trace->name, 0, 0, NULL,
                              "there are no calls that can be repeated, so there is no config%s",
                              count > 0 ? "; the warnings say why" : "");
        else if (!print_config(&v, config))
            status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for a config");
    }
    free(indices);
    free(v.entries);
    free(v.groups);
    ob_text_fini(&v.text);
    ob__intern_fini(&v.ops);
    ob__intern_fini(&v.texts);
    ob__intern_fini(&v.reasons);
    ob__intern_fini(&v.named_reasons);
    free(v.leftovers);
    ob__arena_fini(&v.arena);
    return status;
}
