/* SPDX-License-Identifier: Apache-2.0
 *
 * From a config's case to something that a backend can run: values, graph, derived backward, prepared
 * case. Everything here is untimed.
 */
#ifndef OB_RUN_SETUP_H
#define OB_RUN_SETUP_H

#include "opbench/config.h"
#include "run/backend_ops.h"
#include "run/marks.h"

typedef struct ob_setup_args {
    ob_context *context;
    const ob_case *c;
    const ob_backend_desc *desc;
    ob_backend *backend;
    ob_backend_ops **ops; /* made when a case needs the backend's own operators */
    ob_device device;
    ob_pass pass;
    uint64_t seed;
    uint64_t max_memory_bytes; /* 0 = no limit */
    bool inference_mode;
    const ob_marks *marks; /* told of phases; NULL = nobody */
} ob_setup_args;

typedef struct ob_setup {
    const ob_backend_desc *desc;
    ob_graph *graph;
    ob_backward backward;
    bool has_backward;  /* a backward pass was asked for and there is something to derive */
    bool writes_inputs; /* the case changes its inputs in place */
    ob_value *inputs, *parameters;
    size_t input_count, parameter_count;
    ob_cost cost, backward_cost;
    uint64_t known_bytes; /* of inputs, parameters and all edges */
    const char
        *no_backward; /* why has_backward is false although it was asked for; NULL = it is not */
    char schema_difference
        [160]; /* of the schema that the config gives and the operator's; "" = none */
    ob_prepared *prepared;
    double check_seconds; /* what a reference may take, about; 0 = the usual */
} ob_setup;

/* Fails with OB_ERR_UNSUPPORTED (the backend cannot), OB_ERR_NOT_FOUND (no such operator), OB_ERR_LIMIT
 * (more memory than allowed), or what the generator, the graph or the backend says. */
ob_status ob__setup_make(const ob_setup_args *args, ob_setup *out, ob_err *err);
void ob__setup_fini(ob_setup *setup);
/* The inputs and parameters of `to` get the elements of those of `from`, in the memory that they have. False, and nothing is
 * done, where the backend cannot be told (refill), or some tensor is not alike. */
bool ob__setup_exchange_inputs(ob_setup *to, const ob_setup *from);
/* Whether all elements of inputs and parameters are equal: of a generator that draws none, or where there are no tensors. */
bool ob__setup_same_inputs(const ob_setup *a, const ob_setup *b);

/* The graph of a call, by the core's rows or by the backend's own; of args only context, desc, backend and
 * ops are looked at. */
ob_status ob__setup_build_graph(const ob_setup_args *args, const char *name, const ob_call *build,
                                const ob_call *input, ob_graph **out, ob_err *err);
/* The operator of exactly that name and overload, of the core or the backend; NULL when there is none. */
const ob_op *ob__setup_find_op(const ob_setup_args *args, const char *full_name);

#endif
