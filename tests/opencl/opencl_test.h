/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the OpenCL backend share: the opened backend and one prepared call.
 */
#ifndef OB_TEST_OPENCL_H
#define OB_TEST_OPENCL_H

#include "check.h"
#include "opbench/builder.h"
#include "opbench/run.h"

#include <stdlib.h>

enum { SKIP = 77, MAX_VALUES = 8 };

static ob_context *context;
static const ob_backend_desc *desc;

static inline void plugin_open(void)
{
    ob_err err;
    if (ob_context_create(NULL, &context, &err) != OB_OK ||
        ob_plugin_load(context, OB_OPENCL_PLUGIN, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    desc = ob_context_find_backend(context, "opencl");
}

/* library NULL: the machine's. */
static inline ob_status backend_open(const char *library, int device, ob_backend **out, ob_err *err)
{
    const struct {
        const char *library, *matmul;
    } options = {.library = library};
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = {.type = "opencl", .index = (int8_t)device},
                                          .threads = 1,
                                          .options = &options};
    return desc->open(&settings, out, err);
}

/* ---- values ---- */

static inline ob_value tensor_of(ob_dtype dtype, const void *data, const int64_t *sizes, int ndim,
                                 bool grad)
{
    ob_tensor tensor;
    ob_value value = ob_value_none();
    ob_tensor_init(&tensor, dtype, sizes, ndim, NULL, NULL);
    const size_t bytes = (size_t)ob_tensor_numel(&tensor) * ob_dtype_size(dtype);
    if (data != NULL)
        memcpy(ob_tensor_data(&tensor), data, bytes);
    else
        memset(ob_tensor_data(&tensor), 0, bytes);
    tensor.requires_grad = grad;
    ob_value_init_tensor(&value, &tensor, NULL);
    ob_tensor_fini(&tensor);
    return value;
}

static inline ob_value vector(float a, float b, float c, bool grad)
{
    return tensor_of(OB_DTYPE_F32, (const float[]){a, b, c}, (const int64_t[]){3}, 1, grad);
}

static inline ob_value zeros(int64_t rows, int64_t columns)
{
    return tensor_of(OB_DTYPE_F32, NULL, (const int64_t[]){rows, columns}, 2, false);
}

/* ---- one call ---- */

typedef struct opencl_case {
    ob_graph *graph;
    ob_backward backward;
    ob_value inputs[MAX_VALUES];
    size_t input_count;
    ob_prepared *prepared;
} opencl_case;

/* Takes the arguments over. */
static inline ob_status case_open(opencl_case *c, ob_backend *backend, const char *op,
                                  const ob_value *args, size_t count, ob_pass pass, ob_err *err)
{
    ob_reason why = {.text = ""};
    ob_value flat[MAX_VALUES];
    size_t flat_count = MAX_VALUES;
    *c = (opencl_case){.input_count = count};
    memcpy(c->inputs, args, count * sizeof *args);
    const ob_call call = {.args = c->inputs, .arg_count = count};
    OB_TRY(ob_graph_build(ob_context_operators(context), op, NULL, &call, &c->graph, err));
    if (pass == OB_PASS_BACKWARD)
        OB_TRY(ob_graph_derive_backward(c->graph, &c->backward, err));
    OB_TRY(ob_graph_flatten_inputs(&call, flat, &flat_count, err));
    ob_status status = desc->supports(backend, c->graph, pass, &why);
    const ob_prepare_args prepare = {.graph = c->graph,
                                     .backward = pass == OB_PASS_BACKWARD ? &c->backward : NULL,
                                     .inputs = flat,
                                     .input_count = flat_count,
                                     .pass = pass};
    if (status != OB_OK)
        ob_err_set(err, status, "%s", why.text);
    else
        status = desc->prepare(backend, &prepare, &c->prepared, err);
    for (size_t i = 0; i < flat_count; i++)
        ob_value_fini(&flat[i]);
    return status;
}

static inline void case_close(opencl_case *c)
{
    if (c->prepared != NULL)
        desc->release(c->prepared);
    for (size_t i = 0; i < c->input_count; i++)
        ob_value_fini(&c->inputs[i]);
    ob_backward_fini(&c->backward);
    ob_graph_destroy(c->graph);
    *c = (opencl_case){0};
}

/* Bytes that the backend holds on the device now. */
static inline uint64_t held_bytes(ob_backend *backend)
{
    uint64_t bytes = 0;
    desc->memory_peak(backend, true, &bytes, NULL);
    desc->memory_peak(backend, true, &bytes, NULL);
    return bytes;
}

/* A check that says what went wrong. */
#define CHECK_OK(status)                                                                           \
    do {                                                                                           \
        ob_test_checks++;                                                                          \
        if ((status) != OB_OK)                                                                     \
            OB_TEST_FAIL("%s", err.message);                                                       \
    } while (0)

#endif
