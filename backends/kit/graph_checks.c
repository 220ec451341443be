/* SPDX-License-Identifier: Apache-2.0
 *
 * What is checked, and decomposed, before a case is planned and when it runs; see opbench/kit.h.
 */
#include "opbench/kit.h"

#include <stdlib.h>
#include <string.h>

ob_status ob_kit_resolve_forward(const ob_host *host, const ob_prepare_args *args,
                                 ob_kit_resolve_fn resolve, void *ctx, const ob_graph **graph,
                                 ob_graph **own, ob_edge_id *map, ob_err *err)
{
    const ob_graph *backward = args->backward != NULL ? args->backward->graph : NULL;
    const size_t extra = backward != NULL ? backward->edge_count : 0;
    ob_graph wide = *args->graph;
    ob_edge_id *outputs = calloc(wide.output_count + extra + 1, sizeof *outputs);
    if (outputs == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < wide.output_count; i++)
        outputs[i] = wide.outputs[i];
    for (size_t i = 0; i < extra; i++) {
        if (backward->edges[i].role == OB_EDGE_SAVED)
            outputs[wide.output_count++] = backward->edges[i].forward_edge;
    }
    wide.outputs = outputs;
    const ob_status status = resolve(ctx, &wide, own, err);
    if (status == OB_OK) {
        *graph = *own != NULL ? *own : args->graph;
        for (size_t i = 0; i < wide.output_count; i++)
            map[outputs[i]] = *own != NULL ? (*own)->outputs[i] : outputs[i];
    }
    free(outputs);
    return status;
}

ob_status ob_kit_check_input(const ob_host *host, const ob_graph_edge *edge, const ob_value *given,
                             ob_err *err)
{
    const ob_value *meta = &edge->meta;
    if (meta->kind != OB_VALUE_TENSOR)
        return OB_OK;
    const ob_tensor *want = meta->as.tensor;
    const ob_tensor *got = given->kind == OB_VALUE_TENSOR ? given->as.tensor : NULL;
    if (got == NULL || got->storage == NULL)
        return host->err_set(err, OB_ERR_INVALID,
                             "the input '%s' is not a tensor with data; prepare the case with the "
                             "values that its graph was built for",
                             edge->name);
    bool same = got->dtype == want->dtype && got->ndim == want->ndim;
    for (int d = 0; same && d < want->ndim; d++)
        same = got->sizes[d] == want->sizes[d] && got->strides[d] == want->strides[d];
    if (!same)
        return host->err_set(err, OB_ERR_INVALID,
                             "the input '%s' differs from the graph in dtype, shape or strides; "
                             "build the graph for the same values",
                             edge->name);
    return OB_OK;
}

/* Whether `word` is one of the words of a list. */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (; *list != '\0'; list += strcspn(list, " "), list += *list == ' ') {
        if (strcspn(list, " ") == length && strncmp(list, word, length) == 0)
            return true;
    }
    return false;
}

ob_status ob_kit_check_device(const ob_host *host, const char *backend, const char *device_types,
                              const ob_tensor *tensor, const char *name, ob_err *err)
{
    if (tensor->layout != OB_LAYOUT_STRIDED)
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the %s backend does not take sparse tensors (%s); make it dense",
                             backend, name);
    if (tensor->device.type[0] != '\0' && !has_word(device_types, tensor->device.type))
        return host->err_set(err, OB_ERR_UNSUPPORTED,
                             "the tensor '%s' should be on the device %s, but the %s backend only "
                             "has %s; write that, or use a backend that has %s",
                             name, tensor->device.type, backend, device_types, tensor->device.type);
    return OB_OK;
}

ob_status ob_kit_check_order(const ob_host *host, const ob_kit_progress *progress,
                             bool has_backward, ob_phase phase, ob_err *err)
{
    if (phase == OB_PHASE_FORWARD || phase == OB_PHASE_RESTORE)
        return OB_OK;
    if (!has_backward)
        return host->err_set(
            err, OB_ERR_STATE,
            "the case was prepared for forward only; prepare it for backward, with "
            "the derived graph");
    if (phase == OB_PHASE_BACKWARD && !progress->ran)
        return host->err_set(err, OB_ERR_STATE, "no forward pass has run yet; run forward first");
    if (phase == OB_PHASE_BACKWARD && !progress->has_seed)
        return host->err_set(err, OB_ERR_STATE,
                             "the outputs have no gradients; run make_grad first");
    return OB_OK;
}

ob_status ob_kit_check_outputs(const ob_host *host, const ob_kit_progress *progress, ob_pass pass,
                               size_t total, size_t capacity, ob_err *err)
{
    if (pass == OB_PASS_BACKWARD && !progress->has_grads)
        return host->err_set(err, OB_ERR_STATE, "there are no gradients; run backward first");
    if (pass == OB_PASS_FORWARD && !progress->ran)
        return host->err_set(err, OB_ERR_STATE, "there are no outputs; run forward first");
    if (total > capacity)
        return host->err_set(err, OB_ERR_LIMIT, "there are %zu values, but room for only %zu",
                             total, capacity);
    return OB_OK;
}
