/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the torch backend share: the opened backend with a table of its own operators, and
 * one prepared call. A test is skipped, with the backend's own word why, where libtorch is not there.
 */
#ifndef OB_TEST_TORCH_H
#define OB_TEST_TORCH_H

#include "check.h"
#include "opbench/builder.h"
#include "opbench/run.h"

#include <stdlib.h>

enum { SKIP = 77, MAX_VALUES = 8, MAX_ROWS = 8192 };

static ob_context *context;
static const ob_backend_desc *desc;
static ob_backend *backend;
static ob_op_table *table; /* what torch brings */
static ob_op_row rows[MAX_ROWS];
static size_t row_count;

static inline ob_status no_shape(const ob_op_call *call, ob_value *out, ob_err *err)
{
    (void)err;
    for (size_t i = 0; i < call->schema->return_count; i++)
        out[i] = ob_value_none();
    return OB_OK;
}

static inline ob_status add_row(void *ctx, const char *schema)
{
    (void)ctx;
    if (row_count == MAX_ROWS)
        return OB_ERR_LIMIT;
    ob_op_row *row = &rows[row_count++];
    *row = (ob_op_row){.schema = strdup(schema), .shape = no_shape};
    if (row->schema == NULL)
        return OB_ERR_NOMEM;
    ob_op_table_add(table, row, "torch", NULL);
    return OB_OK;
}

static inline void torch_open(void)
{
    ob_err err;
    ob_reason why = {.text = ""};
    if (ob_context_create(NULL, &context, &err) != OB_OK ||
        ob_plugin_load(context, OB_TORCH_PLUGIN, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    desc = ob_context_find_backend(context, "torch");
    if (desc->probe(ob_host_get(), &why) != OB_OK) {
        printf("skipped: %s\n", why.text);
        exit(SKIP);
    }
    const ob_backend_settings settings = {
        .host = ob_host_get(), .device = {.type = "cpu", .index = -1}, .threads = 1};
    if (desc->open(&settings, &backend, &err) != OB_OK ||
        ob_op_table_create_empty(&table, &err) != OB_OK ||
        desc->schemas(backend, add_row, NULL, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
}

static inline void torch_close(void)
{
    desc->close(backend);
    ob_op_table_destroy(table);
    for (size_t i = 0; i < row_count; i++)
        free((char *)rows[i].schema);
    ob_context_destroy(context);
}

/* ---- values ---- */

static inline ob_value tensor_f32(const float *data, const int64_t *sizes, int ndim, bool grad)
{
    ob_tensor tensor;
    ob_value value = ob_value_none();
    ob_tensor_init(&tensor, OB_DTYPE_F32, sizes, ndim, NULL, NULL);
    memcpy(ob_tensor_data(&tensor), data, (size_t)ob_tensor_numel(&tensor) * sizeof *data);
    tensor.requires_grad = grad;
    ob_value_init_tensor(&value, &tensor, NULL);
    ob_tensor_fini(&tensor);
    return value;
}

static inline ob_value vector(float a, float b, float c, bool grad)
{
    return tensor_f32((const float[]){a, b, c}, (const int64_t[]){3}, 1, grad);
}

/* ---- one call ---- */

typedef struct torch_case {
    ob_graph *graph;
    ob_value inputs[MAX_VALUES], outputs[MAX_VALUES];
    size_t input_count, output_count;
    ob_prepared *prepared;
} torch_case;

/* Takes the arguments over. */
static inline ob_status case_open(torch_case *c, const ob_op_table *from, const char *op,
                                  const ob_value *args, size_t count, ob_pass pass, ob_err *err)
{
    ob_reason why = {.text = ""};
    *c = (torch_case){.input_count = count};
    memcpy(c->inputs, args, count * sizeof *args);
    const ob_call call = {.args = c->inputs, .arg_count = count};
    OB_TRY(ob_graph_build(from, op, NULL, &call, &c->graph, err));
    ob_value flat[MAX_VALUES];
    size_t flat_count = MAX_VALUES;
    OB_TRY(ob_graph_flatten_inputs(&call, flat, &flat_count, err));
    ob_status status = desc->supports(backend, c->graph, pass, &why);
    if (status != OB_OK)
        ob_err_set(err, status, "%s", why.text);
    else
        status = desc->prepare(
            backend,
            &(const ob_prepare_args){
                .graph = c->graph, .inputs = flat, .input_count = flat_count, .pass = pass},
            &c->prepared, err);
    for (size_t i = 0; i < flat_count; i++)
        ob_value_fini(&flat[i]);
    return status;
}

static inline ob_status case_run(const torch_case *c, ob_phase phase, ob_err *err)
{
    return desc->run(c->prepared, phase, 1, err);
}

static inline void drop_outputs(torch_case *c)
{
    for (size_t i = 0; i < c->output_count; i++)
        ob_value_fini(&c->outputs[i]);
    c->output_count = 0;
}

static inline ob_status case_outputs(torch_case *c, ob_pass pass, ob_err *err)
{
    drop_outputs(c);
    return desc->outputs(c->prepared, pass, c->outputs, MAX_VALUES, &c->output_count, err);
}

static inline void case_close(torch_case *c)
{
    drop_outputs(c);
    if (c->prepared != NULL)
        desc->release(c->prepared);
    for (size_t i = 0; i < c->input_count; i++)
        ob_value_fini(&c->inputs[i]);
    ob_graph_destroy(c->graph);
    *c = (torch_case){0};
}

/* Element i in the order of the tensor's indices, whatever its strides. */
static inline float f32_at(const ob_value *value, int64_t index)
{
    const ob_tensor *t = value->as.tensor;
    int64_t at = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        at += index % t->sizes[d] * t->strides[d];
        index /= t->sizes[d];
    }
    return ((const float *)ob_tensor_data(t))[at];
}

/* A check that says what went wrong. */
#define CHECK_OK(status, err)                                                                      \
    do {                                                                                           \
        ob_test_checks++;                                                                          \
        if ((status) != OB_OK)                                                                     \
            OB_TEST_FAIL("%s", (err).message);                                                     \
    } while (0)

#endif
