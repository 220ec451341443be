/* SPDX-License-Identifier: Apache-2.0
 *
 * Preparing and releasing cases.
 */
#include "onednn_backend.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void start_program(const ob_backend *backend, dnn_program *program)
{
    *program = (dnn_program){.plan = {.host = backend->host,
                                      .lib = backend->lib,
                                      .reorders_outside = backend->reorders_outside,
                                      .inexact = backend->inexact,
                                      .library_integers = backend->library_integers,
                                      .random = backend->seed}};
    dnn_lib_set_threads(backend->lib, backend->threads); /* primitives are made for so many */
}

/* A plan without inputs: the library itself says what it has. */
static ob_status try_plan(ob_backend *backend, const ob_prepare_args *args, ob_err *err)
{
    dnn_program program;
    start_program(backend, &program);
    const ob_status status = dnn_program_make(&program, args, err);
    dnn_program_fini(&program);
    return status;
}

ob_status onednn_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    ob_err err = {.message = ""};
    ob_backward backward = {.graph = NULL};
    ob_prepare_args args = {.graph = graph, .pass = pass};
    ob_status status = OB_OK;
    const bool derive =
        pass == OB_PASS_BACKWARD && backend->host->size > offsetof(ob_host, backward_fini);
    if (derive) {
        status = backend->host->graph_derive_backward(graph, &backward, &err);
        args.backward = &backward;
    }
    if (status == OB_OK)
        status = try_plan(backend, &args, &err);
    if (derive)
        backend->host->backward_fini(&backward);
    if (status != OB_OK && why_not != NULL)
        snprintf(why_not->text, sizeof why_not->text, "%.255s", err.message);
    return status;
}

/* ---- inputs ---- */

static ob_status copy_values(const ob_host *host, const ob_value *from, size_t count,
                             const ob_value **to, ob_err *err)
{
    ob_value *copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for the inputs of the case");
    *to = copy;
    for (size_t i = 0; i < count; i++)
        OB_TRY(host->value_copy(&copy[i], &from[i], err));
    return OB_OK;
}

static ob_status take_args(ob_prepared *prepared, const ob_prepare_args *args, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    prepared->args = *args;
    prepared->args.inputs = prepared->args.parameters = NULL;
    if (args->backward != NULL) {
        prepared->backward = *args->backward;
        prepared->args.backward = &prepared->backward;
    }
    OB_TRY(copy_values(host, args->inputs, args->input_count, &prepared->args.inputs, err));
    return copy_values(host, args->parameters, args->parameter_count, &prepared->args.parameters,
                       err);
}

/* ---- memory ---- */

static void count_bytes(ob_prepared *prepared, uint64_t bytes)
{
    ob_backend *backend = prepared->backend;
    prepared->bytes += bytes;
    backend->used_bytes += bytes;
    if (backend->peak_bytes < backend->used_bytes)
        backend->peak_bytes = backend->used_bytes;
}

/* Copies of the inputs whose memory an operator writes to. */
static ob_status save_inputs(ob_prepared *prepared, ob_err *err)
{
    const dnn_plan *plan = &prepared->program.plan;
    const ob_host *host = prepared->backend->host;
    prepared->saved = calloc(plan->group_count + 1, sizeof *prepared->saved);
    if (prepared->saved == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for copies of inputs");
    for (size_t g = 0; g < plan->group_count; g++) {
        const dnn_group *group = &plan->groups[g];
        int64_t bytes;
        if (group->origin != DNN_LIST_SETUP || !group->written)
            continue;
        OB_TRY(host->shape_span_bytes(group->base.sizes, group->base.strides, group->base.ndim,
                                      group->base.dtype, &bytes, err));
        dnn_saved *saved = &prepared->saved[prepared->saved_count];
        saved->live = plan->buffers[group->plain].data + group->base.offset;
        saved->bytes = (size_t)bytes;
        saved->copy = malloc(saved->bytes + 1);
        if (saved->copy == NULL)
            return host->err_set(err, OB_ERR_NOMEM, "out of memory for copies of inputs");
        prepared->saved_count++;
        memcpy(saved->copy, saved->live, saved->bytes);
        count_bytes(prepared, saved->bytes);
    }
    return OB_OK;
}

static ob_status build(ob_prepared *prepared, ob_err *err)
{
    uint64_t bytes = 0;
    start_program(prepared->backend, &prepared->program);
    OB_TRY(dnn_program_make(&prepared->program, &prepared->args, err));
    const ob_status status = dnn_plan_build(&prepared->program.plan, &bytes, err);
    count_bytes(prepared, bytes);
    OB_TRY(status);
    return dnn_plan_run(&prepared->program.plan, DNN_LIST_SETUP, err);
}

static void clear(ob_prepared *prepared)
{
    dnn_program_fini(&prepared->program);
    for (size_t i = 0; i < prepared->saved_count; i++)
        free(prepared->saved[i].copy);
    free(prepared->saved);
    prepared->saved = NULL;
    prepared->saved_count = 0;
    prepared->backend->used_bytes -= prepared->bytes;
    prepared->bytes = 0;
    prepared->progress = (ob_kit_progress){.ran = false};
}

static void restore_inputs(const ob_prepared *prepared)
{
    for (size_t i = 0; i < prepared->saved_count; i++)
        memcpy(prepared->saved[i].live, prepared->saved[i].copy, prepared->saved[i].bytes);
}

ob_status onednn_rebuild(ob_prepared *prepared, ob_err *err)
{
    restore_inputs(prepared);
    clear(prepared);
    OB_TRY(build(prepared, err));
    return prepared->args.once ? OB_OK : save_inputs(prepared, err);
}

/* What is brought into the library's layouts before the first run, and copies for the restore phase. */
ob_status onednn_refill(ob_prepared *prepared, ob_err *err)
{
    for (size_t i = 0; i < prepared->saved_count; i++)
        memcpy(prepared->saved[i].copy, prepared->saved[i].live, prepared->saved[i].bytes);
    return dnn_plan_run(&prepared->program.plan, DNN_LIST_SETUP, err);
}

ob_status onednn_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    *out = NULL;
    ob_prepared *prepared = calloc(1, sizeof *prepared);
    if (prepared == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    prepared->backend = backend;
    prepared->next = backend->cases;
    backend->cases = prepared;
    prepared->program.plan.host = backend->host;
    ob_status status = take_args(prepared, args, err);
    if (status == OB_OK)
        status = build(prepared, err);
    if (status == OB_OK && !args->once)
        status = save_inputs(prepared, err);
    if (status != OB_OK) {
        onednn_release(prepared);
        return status;
    }
    *out = prepared;
    return OB_OK;
}

void onednn_release(ob_prepared *prepared)
{
    if (prepared == NULL)
        return;
    ob_backend *backend = prepared->backend;
    for (ob_prepared **at = &backend->cases; *at != NULL; at = &(*at)->next) {
        if (*at == prepared) {
            *at = prepared->next;
            break;
        }
    }
    clear(prepared);
    ob_kit_values_free(backend->host, (ob_value *)prepared->args.inputs,
                       prepared->args.input_count);
    ob_kit_values_free(backend->host, (ob_value *)prepared->args.parameters,
                       prepared->args.parameter_count);
    free(prepared);
}
