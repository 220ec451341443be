/* SPDX-License-Identifier: Apache-2.0
 *
 * A prepared case, as the files of the kit see it.
 */
#ifndef OB_KIT_PREPARED_CASE_H
#define OB_KIT_PREPARED_CASE_H

#include "opbench/kit.h"

/* One call of a prepared case, or a run of a plug-in's function. */
typedef struct ob_kit_step {
    ob_kit_call call;
    ob_kit_run_fn run;
    ob_value *args;
    size_t arg_count;
} ob_kit_step;

/* One graph with the values of its edges. */
typedef struct ob_kit_pass {
    const ob_graph *graph;
    ob_graph *own;    /* what decomposing made; NULL when nothing had to be */
    ob_value *values; /* one per edge; tensors are real */
    ob_kit_step *steps;
    size_t step_count;
} ob_kit_pass;

/* An input that the forward changes, with what it was. */
typedef struct ob_kit_saved_input {
    ob_tensor live, copy;
} ob_kit_saved_input;

/* An input in host memory, and where it is on the device. */
typedef struct ob_kit_upload {
    ob_storage *from, *to;
    size_t size;
} ob_kit_upload;

struct ob_prepared {
    ob_kit_engine *engine;
    ob_pass pass;
    ob_kit_pass passes[2]; /* by ob_pass */
    ob_value *outputs;     /* of the forward, in the order of the caller's graph */
    size_t output_count;
    ob_value *grads; /* what backward leaves, in the order of the targets */
    size_t grad_count;
    ob_tensor *grad_outputs; /* filled by make grad */
    size_t grad_output_count;
    ob_kit_saved_input *saved;
    size_t saved_count;
    ob_kit_upload *uploads;
    size_t upload_count;
    ob_storage *arena, *scratch;
    uint64_t bytes; /* counted in the engine */
    ob_kit_progress progress;
};

/* supported_calls.c: whether every call of a graph can be run; decomposes where that is needed. *own is a
 * decomposed copy, which the caller destroys, or NULL. */
ob_status ob_kit_resolve(ob_kit_engine *engine, const ob_graph *graph, ob_graph **own, ob_err *err);
/* prepare_case.c: storage of the device that is counted in the case's bytes. */
ob_status ob_kit_allocate(ob_prepared *prepared, size_t size, ob_storage **out, ob_err *err);
/* run_case.c: a call of an operator that its plug-in implements. */
ob_status ob_kit_run_function(const ob_kit_call *call, ob_err *err);

/* A node's argument; of edges what `values` has of each, or, without them, their metas. */
ob_status ob_kit_operand_value(const ob_host *host, const ob_graph *graph, const ob_value *values,
                               const ob_operand *operand, ob_value *out, ob_err *err);

#endif
