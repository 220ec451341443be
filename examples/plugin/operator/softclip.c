/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in with one operator: my.softclip(x, limit) = limit * tanh(x / limit).
 *
 * It shows what a row may hold: the schema, the shape rule, the cost, the derivative as text, and a
 * host function, which every backend with host memory may call. Only the schema is required;
 * without a shape rule (or a decomposition) the operator cannot stand in a graph.
 */
#include <opbench/plugin.h>

#include <math.h>

/* Rules of operators are not given the host's table; the entry function keeps it. */
static const ob_host *host;

enum { SELF, LIMIT }; /* places in the schema's arguments */

static ob_status softclip_shape(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_tensor *self = call->args[SELF].as.tensor;
    const ob_dtype_info *dtype = host->dtype_get_info(self->dtype);
    if (dtype == NULL || dtype->cls != OB_DTYPE_CLASS_FLOAT)
        return host->err_set(err, OB_ERR_INVALID,
                             "my::softclip: self is of dtype %s; give a floating dtype",
                             dtype != NULL ? dtype->torch_name : "(unknown)");
    if (!(call->args[LIMIT].as.real > 0))
        return host->err_set(err, OB_ERR_INVALID,
                             "my::softclip: limit is %g; give a number above 0",
                             call->args[LIMIT].as.real);
    ob_tensor result;
    OB_TRY(host->tensor_init_meta(&result, self->dtype, self->sizes, self->ndim, NULL, err));
    const ob_status status = host->value_init_tensor(&out[0], &result, err);
    host->tensor_fini(&result);
    return status;
}

/* A division, a tanh and a multiplication per element; a tanh counts as one. */
static ob_status softclip_cost(const ob_op_call *call, const ob_value *outputs, ob_cost *out)
{
    (void)outputs;
    const ob_tensor *self = call->args[SELF].as.tensor;
    const double count = (double)host->tensor_numel(self);
    const double bytes = count * (double)host->dtype_get_info(self->dtype)->size_bytes;
    *out = (ob_cost){.flops = 3 * count, .read_bytes = bytes, .write_bytes = bytes};
    return OB_OK;
}

static int64_t place_of(const ob_tensor *tensor, int64_t element)
{
    int64_t place = 0;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        place += element % tensor->sizes[d] * tensor->strides[d];
        element /= tensor->sizes[d];
    }
    return place;
}

static ob_status softclip_function(void *ctx, const ob_op_call *call, ob_value *outputs,
                                   ob_err *err)
{
    (void)ctx;
    const ob_tensor *self = call->args[SELF].as.tensor;
    const double limit = call->args[LIMIT].as.real;
    if (self->dtype != OB_DTYPE_F32 && self->dtype != OB_DTYPE_F64)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "my::softclip computes float32 and float64 only");
    ob_tensor result;
    OB_TRY(host->tensor_init(&result, self->dtype, self->sizes, self->ndim, NULL, err));
    const int64_t count = host->tensor_numel(self);
    for (int64_t i = 0; i < count; i++) {
        if (self->dtype == OB_DTYPE_F64) {
            const double x = ((const double *)host->tensor_data(self))[place_of(self, i)];
            ((double *)host->tensor_data(&result))[i] = limit * tanh(x / limit);
        } else {
            const double x = ((const float *)host->tensor_data(self))[place_of(self, i)];
            ((float *)host->tensor_data(&result))[i] = (float)(limit * tanh(x / limit));
        }
    }
    const ob_status status = host->value_init_tensor(&outputs[0], &result, err);
    host->tensor_fini(&result);
    return status;
}

static const ob_op_row SOFTCLIP = {
    .schema = "my::softclip(Tensor self, float limit=1.0) -> Tensor",
    .category = "activation",
    .shape = softclip_shape,
    .cost = softclip_cost,
    .tolerance = {.kind = OB_TOL_ELEMENTWISE, .factor = 8},
    /* tanh' = 1 - tanh^2, and tanh is result / limit. */
    .derivative = "q = div(result, limit); self = sub(grad, mul(grad, mul(q, q)))",
    .names = "my.softclip",
    .function = softclip_function,
};

static const ob_op_row *const OPERATORS[] = {&SOFTCLIP, NULL};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "example-operator",
    .version = "1.0",
    .operators = OPERATORS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *table, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *table, ob_reason *why_not)
{
    (void)why_not;
    host = table;
    return &PLUGIN;
}
