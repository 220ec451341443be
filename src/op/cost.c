/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost rules; see cost.h. A rule runs after the shape rule of the same call has passed, so sizes
 * agree; what is not there counts as nothing.
 */
#include "op/cost.h"

#include "op/shape_util.h"

#include <math.h>
#include <string.h>

static double touched_bytes(const ob_tensor *t)
{
    double count = (double)ob_dtype_size(t->dtype);
    if (t->layout != OB_LAYOUT_STRIDED)
        return t->values != NULL ? touched_bytes(t->values) : 0;
    for (int i = 0; i < t->ndim; i++) {
        if (t->strides[i] != 0 || t->sizes[i] == 0)
            count *= (double)t->sizes[i];
    }
    return count;
}

double ob__cost_bytes(const ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR)
        return touched_bytes(value->as.tensor);
    double sum = 0;
    if (ob_value_is_list(value)) {
        for (size_t i = 0; i < value->as.list.count; i++) {
            if (value->as.list.items[i].kind == OB_VALUE_TENSOR)
                sum += touched_bytes(value->as.list.items[i].as.tensor);
        }
    }
    return sum;
}

static double numel(const ob_value *value)
{
    if (value == NULL)
        return 0;
    if (value->kind == OB_VALUE_TENSOR)
        return (double)ob_tensor_numel(value->as.tensor);
    double sum = 0;
    if (ob_value_is_list(value)) {
        for (size_t i = 0; i < value->as.list.count; i++) {
            if (value->as.list.items[i].kind == OB_VALUE_TENSOR)
                sum += (double)ob_tensor_numel(value->as.list.items[i].as.tensor);
        }
    }
    return sum;
}

static const ob_tensor *tensor_arg(const ob_op_call *call, const char *name)
{
    const ob_value *v = ob__arg(call, name);
    return v != NULL && v->kind == OB_VALUE_TENSOR ? v->as.tensor : NULL;
}

static double bytes_of(const ob_op_call *call, const char *name)
{
    const ob_value *v = ob__arg(call, name);
    return v != NULL ? ob__cost_bytes(v) : 0;
}

static double write_bytes(const ob_op_call *call, const ob_value *outputs)
{
    double sum = 0;
    for (size_t i = 0; i < call->schema->return_count; i++)
        sum += ob__cost_bytes(&outputs[i]);
    if (call->schema->return_count > 0)
        return sum;
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        if (call->schema->args[i].writes)
            sum += ob__cost_bytes(&call->args[i]);
    }
    return sum;
}

static double read_bytes(const ob_op_call *call)
{
    double sum = 0;
    for (size_t i = 0; i < call->schema->arg_count; i++)
        sum += ob__cost_bytes(&call->args[i]);
    return sum;
}

static ob_status full_traffic(const ob_op_call *call, const ob_value *outputs, double flops,
                              ob_cost *out)
{
    *out = (ob_cost){
        .flops = flops, .read_bytes = read_bytes(call), .write_bytes = write_bytes(call, outputs)};
    return OB_OK;
}

/* Elements of the result: the first output, or what an operator without outputs changes. */
static double result_elements(const ob_op_call *call, const ob_value *outputs)
{
    return numel(call->schema->return_count > 0 ? &outputs[0] : &call->args[0]);
}

static double first_elements(const ob_op_call *call)
{
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        if (call->args[i].kind == OB_VALUE_TENSOR || call->args[i].kind == OB_VALUE_LIST)
            return numel(&call->args[i]);
    }
    return 0;
}

ob_status ob__cost_free(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    (void)call;
    (void)outputs;
    *out = (ob_cost){.flops = 0};
    return OB_OK;
}

ob_status ob__cost_copy(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    full_traffic(call, outputs, 0, out);
    /* What is overwritten as a whole need not be read (copy_). */
    if (call->schema->arg_count > 0 && call->schema->args[0].writes)
        out->read_bytes -= ob__cost_bytes(&call->args[0]);
    return OB_OK;
}

/* reshape, flatten, contiguous: nothing is moved when self lies dense already. */
ob_status ob__cost_maybe_copy(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const ob_tensor *self = tensor_arg(call, "self");
    if (self == NULL || !ob_tensor_is_contiguous(self))
        return ob__cost_copy(call, outputs, out);
    *out = (ob_cost){.flops = 0};
    return OB_OK;
}

ob_status ob__cost_write(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    *out = (ob_cost){.write_bytes = write_bytes(call, outputs)};
    return OB_OK;
}

ob_status ob__cost_draw(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    *out = (ob_cost){.flops = result_elements(call, outputs),
                     .write_bytes = write_bytes(call, outputs)};
    return OB_OK;
}

#define ELEMENTWISE(n)                                                                             \
    ob_status ob__cost_elementwise_##n(const ob_op_call *call, const ob_value *outputs,            \
                                       ob_cost *out)                                               \
    {                                                                                              \
        return full_traffic(call, outputs, (n)*result_elements(call, outputs), out);               \
    }
ELEMENTWISE(1)
ELEMENTWISE(2)
ELEMENTWISE(3)
ELEMENTWISE(4)
ELEMENTWISE(5)
ELEMENTWISE(8)
ELEMENTWISE(12)
#undef ELEMENTWISE

#define REDUCE(n)                                                                                  \
    ob_status ob__cost_reduce_##n(const ob_op_call *call, const ob_value *outputs, ob_cost *out)   \
    {                                                                                              \
        return full_traffic(call, outputs, (n)*first_elements(call), out);                         \
    }
REDUCE(1)
REDUCE(2)
REDUCE(3)
REDUCE(4)
REDUCE(5)
REDUCE(8)
REDUCE(16)
#undef REDUCE

/* The length of the inner products: the last size of the left factor. */
static double inner_size(const ob_op_call *call)
{
    static const char *const names[] = {"mat1", "batch1", "mat", "input", "self"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const ob_tensor *t = tensor_arg(call, names[i]);
        if (t != NULL && t->ndim > 0)
            return (double)t->sizes[t->ndim - 1];
    }
    return 0;
}

ob_status ob__cost_matrix(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    return full_traffic(call, outputs, 2 * numel(&outputs[0]) * inner_size(call), out);
}

ob_status ob__cost_matrix_add(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    return full_traffic(call, outputs, numel(&outputs[0]) * (2 * inner_size(call) + 1), out);
}

ob_status ob__cost_matrix_sum(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const ob_tensor *batch = tensor_arg(call, "batch1");
    const double terms =
        batch != NULL && batch->ndim == 3 ? (double)batch->sizes[0] * (double)batch->sizes[2] : 0;
    return full_traffic(call, outputs, numel(&outputs[0]) * (2 * terms + 1), out);
}

ob_status ob__cost_linear(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const double bias = tensor_arg(call, "bias") != NULL ? 1 : 0;
    return full_traffic(call, outputs, numel(&outputs[0]) * (2 * inner_size(call) + bias), out);
}

ob_status ob__cost_attention(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const ob_tensor *q = tensor_arg(call, "query"), *v = tensor_arg(call, "value");
    double per_weight = 5; /* the softmax */
    if (q != NULL && v != NULL && q->ndim > 0 && v->ndim > 0)
        per_weight += 2 * (double)q->sizes[q->ndim - 1] + 2 * (double)v->sizes[v->ndim - 1];
    return full_traffic(call, outputs, per_weight * numel(&outputs[1]), out);
}

/* Multiply-adds of one application of each weight: all of weight but its first dimension. */
static double weight_per_output(const ob_op_call *call)
{
    const ob_tensor *weight = tensor_arg(call, "weight");
    if (weight == NULL || weight->ndim == 0 || weight->sizes[0] == 0)
        return 0;
    return (double)ob_tensor_numel(weight) / (double)weight->sizes[0];
}

/* A convolution uses each filter once per result; a transposed one once per input element. */
static double conv_flops(const ob_op_call *call, bool transposed, double outputs)
{
    const double places = transposed ? numel(ob__arg(call, "input")) : outputs;
    return 2 * places * weight_per_output(call);
}

static ob_status convolve(const ob_op_call *call, bool transposed, const ob_value *outputs,
                          ob_cost *out)
{
    const double count = numel(&outputs[0]);
    const double bias = tensor_arg(call, "bias") != NULL ? count : 0;
    return full_traffic(call, outputs, conv_flops(call, transposed, count) + bias, out);
}

ob_status ob__cost_convolution(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    return convolve(call, ob__arg_flag(call, "transposed", false), outputs, out);
}

ob_status ob__cost_conv_transpose(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    return convolve(call, true, outputs, out);
}

ob_status ob__cost_convolution_backward(const ob_op_call *call, const ob_value *outputs,
                                        ob_cost *out)
{
    const double count = numel(ob__arg(call, "grad_output"));
    const double one = conv_flops(call, ob__arg_flag(call, "transposed", false), count);
    double flops = 0;
    if (outputs[0].kind == OB_VALUE_TENSOR)
        flops += one;
    if (outputs[1].kind == OB_VALUE_TENSOR)
        flops += one;
    if (outputs[2].kind == OB_VALUE_TENSOR)
        flops += count;
    return full_traffic(call, outputs, flops, out);
}

ob_status ob__cost_pool(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    ob__ints kernel;
    double window = 1;
    const ob_value *grad = ob__arg(call, "grad_output");
    if (ob__arg_ints(call, "kernel_size", &kernel, NULL) == OB_OK) {
        for (int i = 0; i < kernel.count; i++)
            window *= (double)kernel.v[i];
    }
    return full_traffic(call, outputs, window * numel(grad != NULL ? grad : &outputs[0]), out);
}

ob_status ob__cost_sort(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const ob_tensor *self = tensor_arg(call, "self");
    double length = 2;
    int dim;
    if (self != NULL && self->ndim > 0 &&
        ob__arg_dim(call, "dim", -1, self->ndim, &dim, NULL) == OB_OK)
        length = (double)self->sizes[dim];
    return full_traffic(call, outputs, first_elements(call) * log2(length > 2 ? length : 2), out);
}

ob_status ob__cost_lookup(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const double moved = ob__cost_bytes(&outputs[0]);
    *out = (ob_cost){.read_bytes = moved + bytes_of(call, "index") + bytes_of(call, "indices"),
                     .write_bytes = moved};
    return OB_OK;
}

/* index_add, index_put: self is copied unless in place, the source is added into it. */
static ob_status move_into(const ob_op_call *call, const char *source, double per_element,
                           const ob_value *outputs, ob_cost *out)
{
    const ob_value *v = ob__arg(call, source);
    const bool tensor = v != NULL && v->kind == OB_VALUE_TENSOR;
    const double elements = tensor ? numel(v) : numel(ob__arg(call, "index"));
    const double element_bytes =
        outputs[0].kind == OB_VALUE_TENSOR ? (double)ob_dtype_size(outputs[0].as.tensor->dtype) : 0;
    const double moved = elements * element_bytes;
    const double index = bytes_of(call, "index") + bytes_of(call, "indices");
    out->flops = per_element * elements;
    out->read_bytes = index + (tensor ? moved : 0) + (per_element > 0 ? moved : 0);
    out->write_bytes = moved;
    if (!call->schema->args[0].writes) {
        out->read_bytes += bytes_of(call, "self");
        out->write_bytes += ob__cost_bytes(&outputs[0]);
    }
    return OB_OK;
}

ob_status ob__cost_lookup_add(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const char *source = ob__arg(call, "source") != NULL ? "source" : "values";
    return move_into(call, source, 1, outputs, out);
}

ob_status ob__cost_scatter(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    return move_into(call, "src", 0, outputs, out);
}

ob_status ob__cost_scatter_add(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    return move_into(call, "src", 1, outputs, out);
}

ob_status ob__cost_embedding_backward(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const char *grad = ob__arg(call, "grad_output") != NULL ? "grad_output" : "grad";
    return full_traffic(call, outputs, numel(ob__arg(call, grad)), out);
}

/* Bags: each index moves one row. */
static double row_elements(const ob_op_call *call, const ob_value *matrix)
{
    if (matrix == NULL || matrix->kind != OB_VALUE_TENSOR || matrix->as.tensor->ndim == 0)
        return 0;
    const ob_tensor *t = matrix->as.tensor;
    return numel(ob__arg(call, "indices")) * (double)t->sizes[t->ndim - 1];
}

ob_status ob__cost_embedding_bag(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    const ob_value *weight = ob__arg(call, "weight");
    const double rows = row_elements(call, weight);
    const bool weighted = tensor_arg(call, "per_sample_weights") != NULL;
    const double element_bytes = weight != NULL && weight->kind == OB_VALUE_TENSOR
                                     ? (double)ob_dtype_size(weight->as.tensor->dtype)
                                     : 0;
    *out = (ob_cost){.flops = rows * (weighted ? 2 : 1),
                     .read_bytes = rows * element_bytes + bytes_of(call, "indices") +
                                   bytes_of(call, "offsets") + bytes_of(call, "per_sample_weights"),
                     .write_bytes = write_bytes(call, outputs)};
    return OB_OK;
}

ob_status ob__cost_embedding_bag_backward(const ob_op_call *call, const ob_value *outputs,
                                          ob_cost *out)
{
    return full_traffic(call, outputs, row_elements(call, ob__arg(call, "grad")), out);
}
