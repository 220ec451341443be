/* SPDX-License-Identifier: Apache-2.0
 *
 * One event of a profiler trace (Kineto's Chrome JSON). Calls on the CPU and the user's annotations
 * become nodes; kernels, memory and flow events are passed over. Arguments are recorded only with
 * record_shapes=True: "Input Dims", "Input type", and, since 2.0, "Concrete Inputs" with numbers, bools and
 * lists of these as text; other values, and none, are empty. Nesting is not recorded; it follows from the times of each thread.
 */
#include "trace/concrete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct call_lists {
    size_t dims, types, concrete, strides; /* the item under way */
    size_t lists[4];                       /* the lists themselves */
} call_lists;

static bool set_text(ob_trace *trace, ob_trace_value *out, uint32_t kind, const char *text)
{
    *out = (ob_trace_value){.kind = kind, .count = (uint32_t)strlen(text)};
    out->as.text = ob__trace_text(trace, text, strlen(text));
    return out->as.text != NULL;
}

static bool tensor_value(ob_trace *trace, const ob_tape *tape, const call_lists *at, ob_dtype dtype,
                         ob_trace_value *out)
{
    ob_trace_tensor tensor;
    int64_t sizes[OB_MAX_DIMS], strides[OB_MAX_DIMS];
    int stride_count = 0;
    memset(&tensor, 0, sizeof tensor);
    if (!ob__tape_sizes(tape, at->dims, sizes, &tensor.ndim) ||
        ob_shape_numel(sizes, tensor.ndim, &tensor.numel, NULL) != OB_OK)
        return set_text(trace, out, OB_TRACE_OTHER, "tensor with an impossible size");
    tensor.has_strides = at->strides != OB_TAPE_NONE &&
                         ob__tape_sizes(tape, at->strides, strides, &stride_count) &&
                         stride_count == tensor.ndim;
    if (!tensor.has_strides)
        ob_shape_contiguous_strides(sizes, tensor.ndim, strides);
    tensor.id = tensor.storage = -1;
    tensor.dtype = dtype;
    tensor.item_bytes = (int64_t)ob_dtype_size(dtype);
    const char *type = ob__tape_text(tape, at->types);
    tensor.dtype_text = ob__trace_text(trace, type, strlen(type));
    tensor.device = "";
    tensor.sizes = ob__trace_sizes(trace, sizes, (size_t)tensor.ndim);
    tensor.strides = ob__trace_sizes(trace, strides, (size_t)tensor.ndim);
    if (tensor.dtype_text == NULL || tensor.sizes == NULL || tensor.strides == NULL)
        return false;
    *out = (ob_trace_value){.kind = OB_TRACE_TENSOR};
    out->as.tensor = ob__trace_tensor(trace, &tensor);
    return out->as.tensor != NULL;
}

static bool read_argument(ob_trace *trace, const ob_tape *tape, const call_lists *at,
                          ob_trace_value *out)
{
    const char *type = ob__tape_text(tape, at->types);
    const char *concrete = ob__tape_text(tape, at->concrete);
    const ob_dtype dtype = ob__trace_dtype(type, strlen(type));
    *out = (ob_trace_value){.kind = OB_TRACE_NONE};
    if (dtype != OB_DTYPE_INVALID && concrete[0] == '\0')
        return tensor_value(trace, tape, at, dtype, out);
    if (concrete[0] != '\0')
        return ob__trace_concrete(trace, concrete, out);
    if (type[0] == '\0') {
        out->kind = OB_TRACE_UNRECORDED;
        return true;
    }
    if (strcmp(type, "TensorList") == 0)
        return set_text(trace, out, OB_TRACE_OTHER,
                        "list of tensors, whose dtypes a profiler does not record; an execution "
                        "trace has them");
    return set_text(trace, out, OB_TRACE_OTHER,
                    strcmp(type, "Scalar") == 0 ? "number that was not recorded (PyTorch 2.0 and "
                                                  "newer record it; an execution trace has it)"
                                                : type);
}

static bool read_arguments(ob_trace *trace, const ob_tape *tape, size_t args, ob_trace_node *node)
{
    static const char *const KEYS[4] = {"Input Dims", "Input type", "Concrete Inputs",
                                        "Input Strides"};
    call_lists at = {0};
    size_t *items[4] = {&at.dims, &at.types, &at.concrete, &at.strides};
    for (size_t k = 0; k < 4; k++) {
        at.lists[k] = ob__tape_get(tape, args, KEYS[k]);
        *items[k] = ob__tape_first(tape, at.lists[k]);
    }
    const size_t count = ob__tape_items(tape, at.lists[1]);
    if (count == 0)
        return true;
    ob_trace_value *values = calloc(count, sizeof *values);
    bool ok = values != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        ok = read_argument(trace, tape, &at, &values[i]);
        for (size_t k = 0; k < 4; k++)
            *items[k] = ob__tape_next(tape, at.lists[k], *items[k]);
    }
    node->inputs = ok ? ob__trace_values(trace, values, count) : NULL;
    node->input_count = (uint32_t)count;
    free(values);
    return node->inputs != NULL;
}

/* "aten::add": a namespace, a name, nothing else. */
static bool is_operator(const char *name)
{
    const char *colons = strstr(name, "::");
    return colons != NULL && colons > name && strstr(colons + 2, "::") == NULL &&
           strpbrk(name, " #(") == NULL;
}

static bool is_wanted(const ob_tape *tape)
{
    static const char *const CATEGORIES[] = {"cpu_op", "Operator", "operator", "user_annotation"};
    const char *category = ob__tape_text(tape, ob__tape_get(tape, 0, "cat"));
    if (strcmp(ob__tape_text(tape, ob__tape_get(tape, 0, "ph")), "X") != 0)
        return false;
    for (size_t i = 0; i < sizeof CATEGORIES / sizeof *CATEGORIES; i++)
        if (strcmp(category, CATEGORIES[i]) == 0)
            return true;
    /* A PyTorch that was built without Kineto has no categories. */
    return category[0] == '\0' &&
           strcmp(ob__tape_text(tape, ob__tape_get(tape, 0, "pid")), "CPU functions") == 0;
}

ob_status ob__trace_read_event(ob_trace *trace, const ob_tape *tape, ob_err *err)
{
    const uint32_t line = ob__tape_at(tape, 0)->line;
    ob_trace_node node = {
        .seq_id = -1, .schema = "", .kernel_backend = "", .line = line, .kind = OB_TRACE_LABEL};
    if (!ob__tape_is(tape, 0, OB_JSON_EVENT_BEGIN_OBJECT) || !is_wanted(tape) ||
        !ob__tape_real(tape, ob__tape_get(tape, 0, "ts"), &node.start_us) ||
        !ob__tape_real(tape, ob__tape_get(tape, 0, "dur"), &node.duration_us) ||
        !isfinite(node.start_us) || !(node.duration_us >= 0) || !isfinite(node.duration_us))
        return OB_OK;
    const size_t tid = ob__tape_get(tape, 0, "tid");
    if (!ob__tape_int(tape, tid, &node.tid))
        node.tid = -1;
    const size_t name = ob__tape_get(tape, 0, "name");
    const char *text = ob__tape_text(tape, name);
    node.name = ob__trace_text(trace, text, strlen(text));
    if (node.name == NULL || !read_arguments(trace, tape, ob__tape_get(tape, 0, "args"), &node))
        return ob__trace_out_of_memory(trace, line, err);
    const size_t args = ob__tape_get(tape, 0, "args");
    const char *maker = ob__tape_text(tape, ob__tape_get(tape, args, "kernel_backend"));
    node.kind = ob__trace_classify(node.name, is_operator(node.name) ? node.name : "", maker);
    node.id = (int64_t)trace->node_count;
    return ob__trace_add_node(trace, &node) ? OB_OK : ob__trace_out_of_memory(trace, line, err);
}

/* ---- nesting ---- */

static int by_start(const void *a, const void *b)
{
    const ob_trace_node *x = a, *y = b;
    if (x->start_us != y->start_us)
        return x->start_us < y->start_us ? -1 : 1;
    if (x->duration_us != y->duration_us)
        return x->duration_us > y->duration_us ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_thread(const void *a, const void *b)
{
    const ob_trace_node *const *x = a, *const *y = b;
    if ((*x)->tid != (*y)->tid)
        return (*x)->tid < (*y)->tid ? -1 : 1;
    return (*x)->id < (*y)->id ? -1 : 1;
}

static double end_of(const ob_trace_node *node)
{
    return node->start_us + node->duration_us;
}

ob_status ob__trace_nest_events(ob_trace *trace, ob_err *err)
{
    const size_t count = trace->node_count;
    ob_trace_node **order = malloc((count + 1) * sizeof *order);
    ob_trace_node **open = malloc((count + 1) * sizeof *open);
    if (order == NULL || open == NULL) {
        free((void *)order);
        free((void *)open);
        return ob__trace_out_of_memory(trace, 0, err);
    }
    if (count > 0)
        qsort(trace->nodes, count, sizeof *trace->nodes, by_start);
    for (size_t i = 0; i < count; i++) {
        trace->nodes[i].id = (int64_t)i + 1;
        trace->nodes[i].parent_id = INT64_MIN; /* topmost, until shown otherwise */
        order[i] = &trace->nodes[i];
    }
    if (count > 0)
        qsort((void *)order, count, sizeof *order, by_thread);
    for (size_t i = 0, depth = 0; i < count; i++) {
        ob_trace_node *node = order[i];
        if (i > 0 && order[i - 1]->tid != node->tid)
            depth = 0;
        while (depth > 0 && (node->start_us >= end_of(open[depth - 1]) ||
                             end_of(node) > end_of(open[depth - 1])))
            depth--;
        if (depth > 0)
            node->parent_id = open[depth - 1]->id;
        open[depth++] = node;
    }
    free((void *)order);
    free((void *)open);
    return OB_OK;
}
