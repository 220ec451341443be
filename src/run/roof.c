/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of a case that no implementation can avoid, and what the ceilings make of it.
 */
#include "run/roof.h"

#include "machine/roofline_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ob_status ob__open_roofline(const char *path, ob_roofline **out, ob_err *err)
{
    const char *variable = getenv(OB_ROOFLINE_VARIABLE);
    ob_err why;
    *out = NULL;
    if (path == NULL && variable != NULL && variable[0] != '\0')
        path = variable;
    if (path != NULL && strcmp(path, "off") == 0)
        return OB_OK;
    const ob_status status = ob_roofline_read(path, out, &why);
    if (status == OB_OK && path == NULL && !ob__roofline_is_of_this_build(*out)) {
        ob_roofline_destroy(*out); /* commands say so, see ob_roofline_is_outdated */
        *out = NULL;
    }
    if (status == OB_OK || path == NULL)
        return OB_OK;
    return ob_err_set(err, status,
                      "ceilings of %.300s: %s; `opbench roofline -o FILE` makes such a file, or "
                      "use --roofline off",
                      path, why.message);
}

/* ---- the work ---- */

/* Of the first tensor of floating-point numbers, else of the first tensor: what products are of. */
static ob_dtype dtype_of(const ob_setup *setup)
{
    ob_dtype first = OB_DTYPE_INVALID;
    for (size_t i = 0; i < setup->input_count; i++) {
        const ob_value *v = &setup->inputs[i];
        if (v->kind != OB_VALUE_TENSOR)
            continue;
        if (ob_dtype_is_floating(v->as.tensor->dtype))
            return v->as.tensor->dtype;
        first = first == OB_DTYPE_INVALID ? v->as.tensor->dtype : first;
    }
    return first;
}

static double edge_bytes(const ob_graph_edge *edge)
{
    const ob_value *meta = &edge->meta;
    return meta->kind == OB_VALUE_TENSOR ? (double)ob_tensor_numel(meta->as.tensor) *
                                               (double)ob_dtype_size(meta->as.tensor->dtype)
                                         : 0;
}

/* What lies between the calls of a graph need not reach the memory: only its inputs and results must. */
static double least_bytes(const ob_graph *graph, const ob_cost *cost)
{
    const double all =
        cost->read_bytes >= 0 && cost->write_bytes >= 0 ? cost->read_bytes + cost->write_bytes : -1;
    double ends = 0;
    if (graph == NULL || graph->node_count < 2 || all < 0)
        return all;
    for (size_t i = 0; i < graph->edge_count; i++)
        if (graph->edges[i].role == OB_EDGE_INPUT || graph->edges[i].role == OB_EDGE_PARAMETER)
            ends += edge_bytes(&graph->edges[i]);
    for (size_t i = 0; i < graph->output_count; i++)
        ends += edge_bytes(&graph->edges[graph->outputs[i]]);
    return ends < all ? ends : all;
}

/* ---- the record ---- */

void ob__roof_device(const ob_device *device, char out[32])
{
    ob_device one = *device;
    one.index = one.index < 0 ? 0 : one.index;
    ob_device_format(&one, out, 32);
}

void ob__share_attainable(ob_record_pass *pass)
{
    if (!(pass->attainable_ms > 0) || !(pass->time_ms.median > 0))
        return;
    pass->of_attainable = pass->attainable_ms / pass->time_ms.median;
    pass->bound_by = pass->of_attainable >= OB_EXPLAINED_SHARE ? pass->attainable_by
                                                               : ob_bound_word(OB_BOUND_NONE);
}

static void fill_pass(ob_session *s, const ob_graph *graph, const ob_cost *cost,
                      const ob_record_result *r, ob_record_pass *pass)
{
    char device[32];
    const bool on_host = strcmp(s->device.type, "cpu") == 0;
    ob__roof_device(&s->device, device);
    const ob_work work = {.size = sizeof work,
                          .flops = cost->flops,
                          .bytes = least_bytes(graph, cost),
                          .dtype = dtype_of(&s->setup),
                          .threads = r->threads,
                          .cold = r->cache_state != NULL && strcmp(r->cache_state, "cold") == 0,
                          .backend = r->backend,
                          .device = on_host ? NULL : device};
    ob_attainable a = {.size = sizeof a};
    if (ob_roofline_attain(s->roofline, &work, &a, NULL) != OB_OK || !(a.seconds > 0) ||
        !(pass->time_ms.median > 0))
        return;
    pass->attainable_ms = a.seconds * 1e3;
    pass->attainable_by = ob_bound_word(a.bound);
    ob__share_attainable(pass);
    ob_attainable_forbids(&a, pass->time_ms.median / 1e3, s->impossible, sizeof s->impossible);
}

void ob__mistrust(const ob_session *s, ob_record_result *r)
{
    if (r->status != OB_RECORD_OK)
        return;
    if (s->setup.has_backward && r->backward.time_ms.median < 0)
        r->reason = "the backward time came out below 0: it is the difference of two blocks, and "
                    "noise exceeded it; use --exec-mode discrete, or a quieter machine";
    else if (s->impossible[0] != '\0')
        r->reason = s->impossible;
    else
        return;
    r->status = OB_RECORD_MISTRUSTED;
}

void ob__fill_attainable(ob_session *s, ob_record_result *r)
{
    s->impossible[0] = '\0';
    if (s->roofline == NULL || s->made != NULL)
        return;
    fill_pass(s, s->setup.graph, &s->setup.cost, r, &r->forward);
    if (s->setup.has_backward && s->setup.backward.graph != NULL)
        fill_pass(s, s->setup.backward.graph, &s->setup.backward_cost, r, &r->backward);
}
