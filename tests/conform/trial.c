/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a backend from its plug-in, and one call prepared on it.
 */
#include "conform.h"

#include "graph/bound.h"
#include "tensor/half.h"

#include <stdlib.h>
#include <string.h>

ob_status subject_open(subject *s, const char *plugin, const char *isa, int threads, ob_err *err)
{
    *s = (subject){.context = NULL};
    OB_TRY(ob_context_create(NULL, &s->context, err));
    OB_TRY(ob_plugin_load(s->context, plugin, err));
    s->desc = ob_context_find_backend(s->context, "native");
    if (s->desc == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "%s has no backend 'native'", plugin);
    /* The first field of the options is the instruction set. */
    const struct {
        const char *isa;
    } options = {isa};
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = {.type = "cpu", .index = -1},
                                          .threads = threads,
                                          .seed = 1,
                                          .options = &options};
    return s->desc->open(&settings, &s->backend, err);
}

void subject_close(subject *s)
{
    if (s->backend != NULL)
        s->desc->close(s->backend);
    ob_context_destroy(s->context);
}

static ob_status make_graph(trial *t, const golden *g, bool differentiate, ob_err *err)
{
    const ob_op_table *table = ob_context_operators(t->subject->context);
    const ob_call call = golden_call(g);
    OB_TRY(ob_graph_build(table, g->op, NULL, &call, &t->graph, err));
    if (!differentiate)
        return OB_OK;
    ob_graph *simple = NULL;
    OB_TRY(ob_graph_decompose(t->graph, NULL, NULL, &simple, err));
    ob_graph_destroy(t->graph);
    t->graph = simple;
    OB_TRY(ob_graph_derive_backward(t->graph, &t->backward, err));
    if (t->backward.target_count == 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "there is nothing to differentiate");
    return OB_OK;
}

static ob_status prepare(trial *t, const golden *g, bool differentiate, ob_err *err)
{
    const subject *s = t->subject;
    const ob_call call = golden_call(g);
    OB_TRY(make_graph(t, g, differentiate, err));
    t->inputs = calloc(t->graph->edge_count + 1, sizeof *t->inputs);
    if (t->inputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    size_t count = t->graph->edge_count;
    OB_TRY(ob_graph_flatten_inputs(&call, t->inputs, &count, err));
    t->input_count = count;
    const ob_pass pass = differentiate ? OB_PASS_BACKWARD : OB_PASS_FORWARD;
    ob_reason why_not;
    const ob_status status = s->desc->supports(s->backend, t->graph, pass, &why_not);
    if (status != OB_OK)
        return ob_err_set(err, status, "%s", why_not.text);
    const ob_prepare_args args = {.graph = t->graph,
                                  .backward = differentiate ? &t->backward : NULL,
                                  .inputs = t->inputs,
                                  .input_count = t->input_count,
                                  .pass = pass};
    return s->desc->prepare(s->backend, &args, &t->prepared, err);
}

ob_status trial_prepare(trial *t, const subject *s, const golden *g, bool differentiate,
                        ob_err *err)
{
    *t = (trial){.subject = s};
    const ob_status status = prepare(t, g, differentiate, err);
    if (status != OB_OK)
        trial_release(t);
    return status;
}

void trial_release(trial *t)
{
    if (t->prepared != NULL)
        t->subject->desc->release(t->prepared);
    values_free(t->inputs, t->input_count);
    ob_backward_fini(&t->backward);
    ob_graph_destroy(t->graph);
    *t = (trial){.subject = NULL};
}

ob_status trial_run(trial *t, ob_phase phase, ob_err *err)
{
    return t->subject->desc->run(t->prepared, phase, 1, err);
}

ob_status trial_outputs(trial *t, ob_pass pass, ob_value **values, size_t *count, ob_err *err)
{
    const size_t capacity =
        pass == OB_PASS_FORWARD ? t->graph->output_count : t->backward.target_count;
    *values = calloc(capacity + 1, sizeof **values);
    *count = 0;
    if (*values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    return t->subject->desc->outputs(t->prepared, pass, *values, capacity, count, err);
}

void values_free(ob_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&values[i]);
    free(values);
}

/* ---- elements ---- */

int64_t tensor_count(const ob_tensor *tensor)
{
    return ob_tensor_numel(tensor);
}

static char *address(const ob_tensor *tensor, int64_t index)
{
    int64_t offset = 0;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        offset += index % tensor->sizes[d] * tensor->strides[d];
        index /= tensor->sizes[d];
    }
    return (char *)ob_tensor_data(tensor) + offset * (int64_t)ob_dtype_size(tensor->dtype);
}

double tensor_get(const ob_tensor *tensor, int64_t index)
{
    return ob__element_get(tensor->dtype, address(tensor, index));
}

void tensor_set(const ob_tensor *tensor, int64_t index, double value)
{
    char *at = address(tensor, index);
#define SET(type) *(type *)at = (type)value
    switch (tensor->dtype) {
    case OB_DTYPE_BOOL:
    case OB_DTYPE_U8:
        SET(uint8_t);
        break;
    case OB_DTYPE_I8:
        SET(int8_t);
        break;
    case OB_DTYPE_I16:
        SET(int16_t);
        break;
    case OB_DTYPE_I32:
        SET(int32_t);
        break;
    case OB_DTYPE_I64:
        SET(int64_t);
        break;
    case OB_DTYPE_F16:
        *(uint16_t *)at = ob__f16_from_float((float)value);
        break;
    case OB_DTYPE_BF16:
        *(uint16_t *)at = ob__bf16_from_float((float)value);
        break;
    case OB_DTYPE_F32:
        SET(float);
        break;
    default:
        SET(double);
        break;
    }
#undef SET
}
