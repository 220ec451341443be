/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that obey their operator's constraints. The data generator sees one argument at a time and
 * fills integers with -10..9; only the graph knows that one of them is an index into a table of a
 * hundred rows.
 */
#include "gen/constrain.h"

#include "config/check_value.h"
#include "gen/fill.h"

#include <stdlib.h>
#include <string.h>

typedef struct constrainer {
    const ob_graph *graph;
    ob_value *inputs;
    size_t count;
    ob_rng *rng;
    bool *given;        /* per input: the user said what it holds */
    uint32_t *input_of; /* per edge: number of the input, UINT32_MAX for others */
    ob_err *err;
} constrainer;

/* ---- which inputs the user has set ---- */

static bool has_tensor(const ob_json *arg)
{
    const char *type = ob_json_string(ob_json_get(arg, "type"), NULL);
    const ob_json *value = ob_json_get(arg, "value");
    if (type != NULL && strcmp(type, "tensor") == 0)
        return true;
    for (size_t i = 0; ob_json_get_kind(value) == OB_JSON_ARRAY && i < ob_json_count(value); i++)
        if (has_tensor(ob_json_item(value, i)))
            return true;
    return false;
}

/* Walks the entry as ob_graph_flatten_inputs walks its values. */
static void note_given(const ob_json *arg, bool *given, size_t capacity, size_t *count)
{
    const ob_json *value = ob_json_get(arg, "value");
    const char *type = ob_json_string(ob_json_get(arg, "type"), NULL);
    const bool is_tensor = type != NULL && strcmp(type, "tensor") == 0;
    if (!is_tensor && ob_json_get_kind(value) == OB_JSON_ARRAY && has_tensor(arg)) {
        for (size_t i = 0; i < ob_json_count(value); i++)
            if (has_tensor(ob_json_item(value, i)))
                note_given(ob_json_item(value, i), given, capacity, count);
        return;
    }
    if (*count < capacity)
        given[*count] = (value != NULL && ob_json_get_kind(value) != OB_JSON_NULL) ||
                        ob_json_get(arg, "value_range") != NULL ||
                        ob_json_get(arg, OB__NPY) != NULL;
    ++*count;
}

static void note_entry(const constrainer *c, const ob_json *entry)
{
    size_t count = 0;
    const ob_json *args = ob_json_get(entry, "args"), *kwargs = ob_json_get(entry, "kwargs");
    for (size_t i = 0; i < ob_json_count(args); i++)
        note_given(ob_json_item(args, i), c->given, c->count, &count);
    for (size_t i = 0; i < ob_json_count(kwargs); i++)
        note_given(ob_json_item(kwargs, i), c->given, c->count, &count);
    /* A generator with types of its own made something else of the entry: nothing of it is touched. */
    if (count != c->count)
        memset(c->given, true, c->count);
}

/* ---- filling ---- */

/* The elements from the tensor's first to the end of what it spans: every element that a view shows. */
static size_t span_elements(const ob_tensor *t)
{
    int64_t bytes = 0;
    if (ob_shape_span_bytes(t->sizes, t->strides, t->ndim, t->dtype, &bytes, NULL) != OB_OK)
        return 0;
    return (size_t)bytes / ob_dtype_size(t->dtype);
}

/* Bags of nearly equal size; `closed`: the last offset is the end of the last bag. */
static void fill_offsets(const ob_tensor *t, int64_t total, bool closed)
{
    char *data = ob_tensor_data(t);
    const int64_t count = ob_tensor_numel(t), bags = closed && count > 1 ? count - 1 : count;
    for (int64_t i = 0; i < count; i++) {
        const int64_t offset = total / bags * i + total % bags * i / bags;
        if (t->dtype == OB_DTYPE_I32) {
            const int32_t narrow = (int32_t)offset;
            memcpy(data + 4 * i, &narrow, sizeof narrow);
        } else if (t->dtype == OB_DTYPE_I64) {
            memcpy(data + 8 * i, &offset, sizeof offset);
        }
    }
}

static void fill(const constrainer *c, const ob_tensor *t, ob_constraint_kind kind, int64_t bound,
                 bool closed)
{
    void *data = ob_tensor_data(t);
    const size_t count = span_elements(t);
    const bool integral = ob_dtype_is_integral(t->dtype);
    if (data == NULL || count == 0)
        return;
    switch (kind) {
    case OB_CONSTRAINT_INDEX:
    case OB_CONSTRAINT_PLANE:
        if (integral && bound > 0)
            ob__fill_ints(c->rng, t->dtype, 0,
                          t->dtype == OB_DTYPE_U8 && bound > 256   ? 255
                          : t->dtype == OB_DTYPE_I8 && bound > 128 ? 127
                          : t->dtype == OB_DTYPE_BOOL              ? (bound > 1)
                                                                   : bound - 1,
                          data, count);
        break;
    case OB_CONSTRAINT_OFFSETS:
        if (integral && ob_tensor_is_contiguous(t))
            fill_offsets(t, bound, closed);
        break;
    case OB_CONSTRAINT_POSITIVE:
        if (!integral)
            ob__fill_reals(c->rng, t->dtype, 0.125, 1, data, count);
        break;
    case OB_CONSTRAINT_PROBABILITY:
        if (!integral)
            ob__fill_unit(c->rng, t->dtype, data, count);
        break;
    case OB_CONSTRAINT_NONZERO:
        if (integral)
            ob__fill_ints(c->rng, t->dtype, 1, t->dtype == OB_DTYPE_BOOL ? 1 : 9, data, count);
        break;
    }
}

/* ---- bounds ---- */

static const ob_value *operand_meta(const ob_graph *graph, const ob_operand *operand)
{
    return operand->kind == OB_OPERAND_EDGE ? &graph->edges[operand->edge].meta : &operand->value;
}

/* What the constraint's bound is for item `item` of its argument (0 when that is no list); -1: there is none. */
static int64_t bound_of(const ob_graph *graph, const ob_graph_node *node, const ob_constraint *row,
                        size_t item)
{
    const int of = row->of != NULL ? ob_schema_find_arg(node->op->schema, row->of) : -1;
    if (of < 0)
        return -1;
    const ob_value *meta = operand_meta(graph, &node->args[of]);
    if (meta->kind == OB_VALUE_INT)
        return meta->as.integer;
    if (meta->kind != OB_VALUE_TENSOR)
        return -1;
    const ob_tensor *t = meta->as.tensor;
    if (row->kind == OB_CONSTRAINT_OFFSETS)
        return ob_tensor_numel(t);
    if (row->kind == OB_CONSTRAINT_PLANE) {
        int64_t plane = 1; /* the product of all sizes fits, so this does */
        for (int i = 0; i < -row->dim && i < t->ndim; i++)
            plane *= t->sizes[t->ndim - 1 - i];
        return plane;
    }
    int64_t dim = row->dim + (int64_t)item;
    const int dim_arg = row->dim_arg ? ob_schema_find_arg(node->op->schema, row->dim_arg) : -1;
    if (dim_arg >= 0) {
        const ob_value *given = operand_meta(graph, &node->args[dim_arg]);
        dim = given->kind == OB_VALUE_INT ? given->as.integer : 0;
    }
    dim = dim < 0 ? dim + t->ndim : dim;
    if (t->ndim == 0)
        return 1; /* counts as [1] */
    return dim >= 0 && dim < t->ndim ? t->sizes[dim] : -1;
}

/* Whether offsets have one more element than there are bags. */
static bool includes_last_offset(const ob_graph_node *node)
{
    const int arg = ob_schema_find_arg(node->op->schema, "include_last_offset");
    return arg >= 0 && node->args[arg].kind == OB_OPERAND_VALUE &&
           node->args[arg].value.kind == OB_VALUE_BOOL && node->args[arg].value.as.boolean;
}

/* The edge whose memory this one shows: a table's indices may come through a reshape. */
static ob_edge_id behind_views(const ob_graph *graph, ob_edge_id edge)
{
    static const char *const VIEWS[] = {"aten::view", "aten::reshape", "aten::flatten",
                                        "aten::_unsafe_view", "aten::contiguous"};
    for (uint32_t producer = graph->edges[edge].producer; producer != UINT32_MAX;
         producer = graph->edges[edge].producer) {
        const ob_graph_node *node = &graph->nodes[producer];
        bool view = false;
        for (size_t i = 0; i < sizeof VIEWS / sizeof *VIEWS; i++)
            view |= strcmp(node->op->schema->name, VIEWS[i]) == 0;
        if (!view || node->args[0].kind != OB_OPERAND_EDGE)
            break;
        edge = node->args[0].edge;
    }
    return edge;
}

/* ---- checking ---- */

static int64_t element_at(const ob_tensor *t, int64_t number)
{
    int64_t offset = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        offset += number % t->sizes[d] * t->strides[d];
        number /= t->sizes[d];
    }
    const char *at = (const char *)ob_tensor_data(t) + offset * (int64_t)ob_dtype_size(t->dtype);
    switch (t->dtype) {
    case OB_DTYPE_I64:
        return *(const int64_t *)(const void *)at;
    case OB_DTYPE_I32:
        return *(const int32_t *)(const void *)at;
    case OB_DTYPE_I16:
        return *(const int16_t *)(const void *)at;
    case OB_DTYPE_I8:
        return *(const int8_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

/* Values that are the user's must not lead a kernel out of its memory, nor divide by zero: libraries do not look. Indices
 * may count from the end, where the operator takes that, and may be what it ignores. */
static ob_status check(const constrainer *c, const ob_graph_node *node, const ob_constraint *row,
                       const ob_tensor *t, int64_t bound)
{
    const bool is_index = row->kind == OB_CONSTRAINT_INDEX || row->kind == OB_CONSTRAINT_PLANE;
    const int ignore_arg = ob_schema_find_arg(node->op->schema, "ignore_index");
    const ob_value *ignored =
        ignore_arg >= 0 ? operand_meta(c->graph, &node->args[ignore_arg]) : NULL;
    if (!ob_dtype_is_integral(t->dtype) || t->storage == NULL || t->layout != OB_LAYOUT_STRIDED ||
        (is_index ? bound < 0 : row->kind != OB_CONSTRAINT_NONZERO))
        return OB_OK;
    for (int64_t i = 0; i < ob_tensor_numel(t); i++) {
        const int64_t value = element_at(t, i);
        if (is_index ? value >= -bound && value < bound : value != 0)
            continue;
        if (ignored != NULL && ignored->kind == OB_VALUE_INT && ignored->as.integer == value)
            continue;
        if (is_index && bound == 0)
            return ob_err_set(c->err, OB_ERR_INVALID,
                              "%s: %s has indices, but %s has no elements to index",
                              node->op->schema->name, row->arg, row->of);
        if (is_index)
            return ob_err_set(
                c->err, OB_ERR_INVALID,
                "%s: %s has the index %lld as element %lld; it must be from 0 to %lld",
                node->op->schema->name, row->arg, (long long)value, (long long)i,
                (long long)bound - 1);
        return ob_err_set(c->err, OB_ERR_INVALID,
                          "%s: element %lld of %s is 0; integers cannot be divided by it",
                          node->op->schema->name, (long long)i, row->arg);
    }
    return OB_OK;
}

static ob_status constrain_operand(const constrainer *c, const ob_graph_node *node,
                                   const ob_constraint *row, const ob_operand *operand, size_t item)
{
    for (size_t i = 0; operand->kind == OB_OPERAND_LIST && i < operand->count; i++)
        OB_TRY(constrain_operand(c, node, row, &operand->items[i], i));
    if (operand->kind != OB_OPERAND_EDGE)
        return OB_OK;
    const ob_edge_id edge = behind_views(c->graph, operand->edge);
    if (c->input_of[edge] == UINT32_MAX)
        return OB_OK;
    const size_t input = c->input_of[edge];
    if (c->inputs[input].kind != OB_VALUE_TENSOR)
        return OB_OK;
    const ob_tensor *t = c->inputs[input].as.tensor;
    const int64_t bound = bound_of(c->graph, node, row, item);
    if (c->given[input])
        return check(c, node, row, t, bound);
    fill(c, t, row->kind, bound, includes_last_offset(node));
    return OB_OK;
}

static ob_status constrain(const constrainer *c)
{
    for (size_t n = 0; n < c->graph->node_count; n++) {
        const ob_graph_node *node = &c->graph->nodes[n];
        const ob_constraint *row = node->op->row->constraints;
        for (; row != NULL && row->arg != NULL; row++) {
            const int arg = ob_schema_find_arg(node->op->schema, row->arg);
            if (arg >= 0)
                OB_TRY(constrain_operand(c, node, row, &node->args[arg], 0));
        }
    }
    return OB_OK;
}

static ob_status begin(constrainer *c, ob_err *err)
{
    c->given = calloc(c->count + 1, sizeof *c->given);
    c->input_of = calloc(c->graph->edge_count + 1, sizeof *c->input_of);
    if (c->given == NULL || c->input_of == NULL) {
        free(c->given);
        free(c->input_of);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the inputs");
    }
    uint32_t next = 0;
    for (size_t i = 0; i < c->graph->edge_count; i++)
        c->input_of[i] =
            c->graph->edges[i].role == OB_EDGE_INPUT && next < c->count ? next++ : UINT32_MAX;
    return OB_OK;
}

static ob_status finish(constrainer *c)
{
    const ob_status status = constrain(c);
    free(c->given);
    free(c->input_of);
    return status;
}

ob_status ob__constrain_inputs(const ob_graph *graph, const ob_json *entry, ob_value *inputs,
                               size_t count, ob_rng *rng, ob_err *err)
{
    constrainer c = {.graph = graph, .inputs = inputs, .count = count, .rng = rng, .err = err};
    OB_TRY(begin(&c, err));
    note_entry(&c, entry);
    return finish(&c);
}

ob_status ob__constrain_marked(const ob_graph *graph, const bool *given, ob_value *inputs,
                               size_t count, ob_rng *rng, ob_err *err)
{
    constrainer c = {.graph = graph, .inputs = inputs, .count = count, .rng = rng, .err = err};
    OB_TRY(begin(&c, err));
    memcpy(c.given, given, count * sizeof *given);
    return finish(&c);
}
