/* SPDX-License-Identifier: Apache-2.0
 *
 * One operator on the native backend, with inputs that its words describe: a case like any other, run by hand.
 * Each has a session of its own, because a session has one prepared case at a time.
 */
#include "snippet/operators.h"

#include "opbench/builder.h"
#include "opbench/run.h"
#include "snippet/suite_int.h"

#include <stdlib.h>

struct ob_snippet_op {
    ob_config *config;
    ob_cases *cases;
    ob_session *session;
    ob_timer_task task;
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
    return op->task.run(op->task.ctx, 1, err);
}

void ob__snippet_op_destroy(ob_snippet_op *op)
{
    if (op == NULL)
        return;
    ob_session_close(op->session);
    ob_cases_close(op->cases);
    ob_config_destroy(op->config);
    free(op);
}
