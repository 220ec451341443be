/* SPDX-License-Identifier: Apache-2.0
 *
 * One operator, measured in this process: torch.mm of 128 x 256 by 256 x 512 floats, forward and
 * backward. A session runs one case after the other; its record is a struct, nothing is written.
 *
 *     run_op [BACKEND]        native if not given
 */
#include <opbench/builder.h>
#include <opbench/run.h>

#include <inttypes.h>
#include <stdio.h>

static int fail(const char *what, const ob_err *err)
{
    char line[1400];
    fprintf(stderr, "%s: %s\n", what, ob_err_format(err, "error", line, sizeof line));
    return 1;
}

/* torch.mm(a, b), with gradients for both. */
static ob_status make_config(ob_context *context, ob_config **out, ob_err *err)
{
    ob_builder *b;
    OB_TRY(ob_builder_create(&b, err));
    ob_builder_op(b, "torch.mm", NULL);
    ob_builder_input(b);
    ob_builder_tensor(
        b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(128, 256), .requires_grad = true});
    ob_builder_tensor(
        b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(256, 512), .requires_grad = true});
    const ob_status status = ob_builder_open_config(b, context, NULL, out, err);
    ob_builder_destroy(b);
    return status;
}

static void show_pass(const char *name, const ob_record_pass *pass)
{
    if (pass->measure_time_ms.count > 0)
        printf("  %-9s%8.3f us (median of %" PRIu64 ")\n", name, pass->time_ms.median * 1e3,
               pass->time_ms.count);
}

static void show(const ob_record_result *r)
{
    printf("%s %s on %s: %s\n", r->op_name, r->id, r->backend,
           ob_record_status_get_info(r->status)->word);
    if (r->reason != NULL)
        printf("  %s\n", r->reason);
    show_pass("forward", &r->forward);
    show_pass("backward", &r->backward);
    for (size_t i = 0; i < r->warnings.count; i++)
        printf("  warning: %s\n", r->warnings.items[i]);
}

int main(int argc, char **argv)
{
    ob_context *context = NULL;
    ob_config *config = NULL;
    ob_cases *cases = NULL;
    ob_session *session = NULL;
    ob_run_options options;
    const ob_case *c;
    ob_record record;
    ob_err err;

    ob_run_options_init(&options);
    options.backend = argc > 1 ? argv[1] : NULL;
    options.warmup = 5;
    options.iteration = 50;
    options.backward = true;

    ob_status status = ob_context_create(NULL, &context, &err);
    if (status == OB_OK)
        status = ob_plugin_discover(context, NULL, &err);
    if (status == OB_OK)
        status = make_config(context, &config, &err);
    if (status == OB_OK)
        status = ob_cases_open(config, NULL, &cases, &err);
    if (status == OB_OK)
        status = ob_session_open(context, &options, &session, &err);
    while (status == OB_OK && (status = ob_cases_next(cases, &c, &err)) == OB_OK) {
        status = ob_session_run(session, c, &record, &err);
        if (status == OB_OK)
            show(&record.result);
    }
    ob_session_close(session);
    ob_cases_close(cases);
    ob_config_destroy(config);
    ob_context_destroy(context);
    return status == OB_END ? 0 : fail(argv[0], &err);
}
