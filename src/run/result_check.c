/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a prepared case for its results. Nothing here is timed: it happens before the warm-up.
 */
#include "run/result_check.h"

#include "base/text_append.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The values of a pass. */
typedef struct results {
    ob_value *values;
    size_t count, capacity;
} results;

static void results_fini(results *r)
{
    for (size_t i = 0; i < r->count; i++)
        ob_value_fini(&r->values[i]);
    free(r->values);
    *r = (results){0};
}

static ob_status read_results(const ob_setup *setup, ob_pass pass, size_t capacity, results *out,
                              ob_err *err)
{
    out->capacity = capacity;
    out->values = calloc(capacity + 1, sizeof *out->values);
    if (out->values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the results");
    return setup->desc->outputs(setup->prepared, pass, out->values, capacity, &out->count, err);
}

/* ---- which gradients ---- */

static bool is_written(const ob_graph *graph, ob_edge_id edge)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        const ob_graph_node *node = &graph->nodes[n];
        for (size_t a = 0; a < node->op->schema->arg_count; a++)
            if (node->op->schema->args[a].writes && node->args[a].kind == OB_OPERAND_EDGE &&
                node->args[a].edge == edge)
                return true;
    }
    return false;
}

/* The edges whose gradients come, in their order: the derived graph's targets, or for a backend with
 * autograd all that require one and are not overwritten. Autograd has no gradient of an input that is
 * overwritten: it has no name here, and is not compared. names has room for every edge. */
static size_t name_gradients(const ob_setup *setup, const char **names)
{
    const ob_graph *graph = setup->graph;
    size_t count = 0;
    if (!setup->desc->has_autograd) {
        for (size_t i = 0; i < setup->backward.target_count; i++) {
            const ob_edge_id target = setup->backward.targets[i];
            names[count++] = is_written(graph, target) ? "" : graph->edges[target].name;
        }
        return count;
    }
    for (int parameters = 0; parameters < 2; parameters++)
        for (size_t i = 0; i < graph->edge_count; i++) {
            const ob_graph_edge *edge = &graph->edges[i];
            const ob_edge_role role = parameters ? OB_EDGE_PARAMETER : OB_EDGE_INPUT;
            if (edge->role == role && edge->requires_grad && edge->meta.kind == OB_VALUE_TENSOR &&
                !is_written(graph, (ob_edge_id)i))
                names[count++] = edge->name;
        }
    return count;
}

/* ---- one run ---- */

static ob_status run_phase(const ob_setup *setup, ob_backend *backend, ob_phase phase, ob_err *err)
{
    OB_TRY(setup->desc->run(setup->prepared, phase, 1, err));
    return setup->desc->asynchronous ? setup->desc->sync(backend, err) : OB_OK;
}

/* How many outputs count. What embedding_bag gives besides its result is for its own backward alone. */
static size_t outputs_that_count(const ob_graph *graph, size_t count)
{
    const char *name = graph->node_count == 1 ? graph->nodes[0].op->schema->name : "";
    const bool first_only = strcmp(name, "aten::embedding_bag") == 0 ||
                            strcmp(name, "aten::_embedding_bag") == 0 ||
                            strcmp(name, "aten::_embedding_bag_forward_only") == 0;
    return first_only && count > 1 ? 1 : count;
}

static ob_status run_once(const ob_setup *setup, ob_backend *backend, const ob_bound_facts *facts,
                          ob_text *packed, ob_err *err)
{
    results outputs = {0}, gradients = {0};
    const char **names = calloc(setup->graph->edge_count + 1, sizeof *names);
    if (names == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of gradients");
    size_t name_count = 0;
    ob_status status =
        setup->writes_inputs ? run_phase(setup, backend, OB_PHASE_RESTORE, err) : OB_OK;
    if (status == OB_OK)
        status = run_phase(setup, backend, OB_PHASE_FORWARD, err);
    if (status == OB_OK)
        status = read_results(setup, OB_PASS_FORWARD, setup->graph->output_count, &outputs, err);
    if (status == OB_OK && setup->has_backward) {
        name_count = name_gradients(setup, names);
        status = run_phase(setup, backend, OB_PHASE_MAKE_GRAD, err);
        if (status == OB_OK)
            status = run_phase(setup, backend, OB_PHASE_BACKWARD, err);
        if (status == OB_OK)
            status =
                read_results(setup, OB_PASS_BACKWARD, setup->graph->edge_count, &gradients, err);
    }
    const ob_pack_args args = {.facts = facts,
                               .outputs = outputs.values,
                               .output_count = outputs_that_count(setup->graph, outputs.count),
                               .gradients = gradients.values,
                               .gradient_count =
                                   gradients.count == name_count ? gradients.count : 0,
                               .gradient_names = names};
    if (status == OB_OK)
        status = ob__results_pack(&args, packed, err);
    if (status == OB_OK && setup->has_backward)
        status = run_phase(setup, backend, OB_PHASE_ZERO_GRAD, err);
    results_fini(&outputs);
    results_fini(&gradients);
    free(names);
    return status;
}

/* ---- the file between the processes ---- */

static ob_status write_results(int fd, const ob_text *packed, ob_err *err)
{
    for (size_t at = 0; at < packed->size;) {
        const ssize_t wrote = pwrite(fd, packed->data + at, packed->size - at, (off_t)at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return ob_err_set(err, OB_ERR_IO, "the results cannot be handed over: %s",
                              strerror(errno));
        at += (size_t)wrote;
    }
    return OB_OK;
}

static void not_checked(ob_check_result *out, const char *reason)
{
    out->verdict = "not checked";
    out->worst = NAN;
    snprintf(out->reason, sizeof out->reason, "%s", reason);
}

static ob_status compare_with_file(const ob_check_place *place, const ob_text *packed,
                                   ob_check_result *out, ob_err *err)
{
    struct stat info;
    if (fstat(place->fd, &info) != 0 || info.st_size == 0) {
        not_checked(out, "the reference has no results of this case");
        return OB_OK;
    }
    const size_t size = (size_t)info.st_size;
    void *data = mmap(NULL, size, PROT_READ, MAP_SHARED, place->fd, 0);
    if (data == MAP_FAILED)
        return ob_err_set(err, OB_ERR_IO, "the results cannot be read: %s", strerror(errno));
    const ob_status status =
        ob__results_compare((ob_packed){.data = packed->data, .size = packed->size},
                            (ob_packed){.data = data, .size = size}, place->reference, out, err);
    munmap(data, size);
    return status;
}

ob_status ob__check_case(const ob_setup *setup, ob_backend *backend, const ob_check_place *place,
                         ob_check_result *out, ob_err *err)
{
    ob_text packed = {0};
    ob_bound_facts facts;
    *out = (ob_check_result){.worst = NAN};
    if (setup->desc->outputs == NULL) {
        if (!place->is_reference)
            not_checked(out, "the backend does not give its results");
        return OB_OK;
    }
    ob_bound_facts weights;
    ob__bound_facts(setup->graph, setup->inputs, setup->input_count, &facts);
    ob__bound_facts(setup->graph, setup->parameters, setup->parameter_count, &weights);
    ob__bound_facts_join(&facts, &weights);
    ob_status status = run_once(setup, backend, &facts, &packed, err);
    if (status == OB_OK)
        status = place->is_reference ? write_results(place->fd, &packed, err)
                                     : compare_with_file(place, &packed, out, err);
    ob_text_fini(&packed);
    return status;
}
