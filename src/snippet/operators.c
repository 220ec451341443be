/* SPDX-License-Identifier: Apache-2.0
 *
 * One operator on the native backend, with inputs that its words describe: a case like any other, run by hand.
 * Each has a session of its own, because a session has one prepared case at a time.
 */
#include "snippet/operators.h"

#include "opbench/builder.h"
#include "run/session_int.h"
#include "snippet/suite_int.h"

#include <inttypes.h>
#include <stdlib.h>

struct ob_snippet_op {
    ob_config *config;
    ob_cases *cases;
    ob_session *session;
    ob_timer_task task;
    ob_value *outputs; /* that were asked for last */
    size_t output_count;
    bool called;
};

static ob_status open_config(ob_context *context, const char *const *words, ob_config **out,
                             ob_err *err)
{
    ob_builder *builder;
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    if (count == 0)
        return ob_err_set(err, OB_ERR_INVALID, "ob_op_prepare needs the name of an operator");
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_call(builder, words[0], words + 1, count - 1);
    const ob_status status = ob_builder_open_config(builder, context, NULL, out, err);
    ob_builder_destroy(builder);
    return status;
}

static ob_status prepare(ob_snippet_op *op, ob_context *context, int64_t threads,
                         const char *const *words, ob_err *err)
{
    ob_run_options options;
    const ob_case *c;
    ob_run_options_init(&options);
    options.threads = threads;
    OB_TRY(open_config(context, words, &op->config, err));
    if (ob_config_case_count(op->config) != 1)
        return ob_err_set(err, OB_ERR_INVALID,
                          "ob_op_prepare takes one call; the lists in its words make %" PRIu64,
                          ob_config_case_count(op->config));
    OB_TRY(ob_cases_open(op->config, NULL, &op->cases, err));
    OB_TRY(ob_cases_next(op->cases, &c, err));
    OB_TRY(ob_session_open(context, &options, &op->session, err));
    return ob_session_prepare_task(op->session, c, &op->task, err);
}

ob_status ob__snippet_op_create(ob_context *context, int64_t threads, const char *const *words,
                                ob_snippet_op **out, ob_err *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return ob__snippet_no_memory(err);
    const ob_status status = prepare(*out, context, threads, words, err);
    if (status != OB_OK) {
        ob__snippet_op_destroy(*out);
        *out = NULL;
    }
    return status;
}

ob_status ob__snippet_op_call(ob_snippet_op *op, ob_err *err)
{
    op->called = true;
    return op->task.run(op->task.ctx, 1, err);
}

/* ---- tensors ---- */

_Static_assert((int)OB_SNIPPET_DIMS == (int)OB_MAX_DIMS, "every tensor fits");

static void drop_outputs(ob_snippet_op *op)
{
    for (size_t i = 0; i < op->output_count; i++)
        ob_value_fini(&op->outputs[i]);
    free(op->outputs);
    op->outputs = NULL;
    op->output_count = 0;
}

static ob_status take_outputs(ob_snippet_op *op, ob_err *err)
{
    const ob_setup *setup = &op->session->setup;
    const size_t capacity = setup->graph->output_count;
    drop_outputs(op);
    op->outputs = calloc(capacity + 1, sizeof *op->outputs);
    if (op->outputs == NULL)
        return ob__snippet_no_memory(err);
    return setup->desc->outputs(setup->prepared, OB_PASS_FORWARD, op->outputs, capacity,
                                &op->output_count, err);
}

/* The tensor with this number among the values, those in lists too; *number gets less by what was passed. */
static const ob_tensor *find_tensor(const ob_value *values, size_t count, size_t *number)
{
    for (size_t i = 0; i < count; i++) {
        const ob_tensor *found = NULL;
        if (values[i].kind == OB_VALUE_TENSOR && (*number)-- == 0)
            return values[i].as.tensor;
        if (ob_value_is_list(&values[i]))
            found = find_tensor(values[i].as.list.items, values[i].as.list.count, number);
        if (found != NULL)
            return found;
    }
    return NULL;
}

ob_status ob__snippet_op_tensor(ob_snippet_op *op, bool is_output, size_t number,
                                ob_snippet_tensor *out, ob_err *err)
{
    const ob_setup *setup = &op->session->setup;
    size_t left = number;
    if (is_output && !op->called)
        return ob_err_set(
            err, OB_ERR_STATE,
            "the operator has no outputs before its first call; run ob_op_call first");
    if (is_output)
        OB_TRY(take_outputs(op, err));
    const ob_tensor *t = is_output ? find_tensor(op->outputs, op->output_count, &left)
                                   : find_tensor(setup->inputs, setup->input_count, &left);
    if (t == NULL || t->storage == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "the operator has no tensor as %s %zu",
                          is_output ? "output" : "input", number);
    *out = (ob_snippet_tensor){.data = ob_tensor_data(t),
                               .dtype = ob_dtype_get_info(t->dtype)->name,
                               .ndim = t->ndim,
                               .numel = ob_tensor_numel(t)};
    for (int i = 0; i < t->ndim; i++) {
        out->sizes[i] = t->sizes[i];
        out->strides[i] = t->strides[i];
    }
    return OB_OK;
}

/* ---- */

void ob__snippet_op_destroy(ob_snippet_op *op)
{
    if (op == NULL)
        return;
    drop_outputs(op);
    ob_session_close(op->session);
    ob_cases_close(op->cases);
    ob_config_destroy(op->config);
    free(op);
}
