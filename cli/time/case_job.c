/* SPDX-License-Identifier: Apache-2.0
 *
 * A job on the cases that a command line names.
 */
#include "case_job.h"

#include "backend_options.h"

#include "opbench/builder.h"

#include <stdlib.h>

/* The config of one case: the operator and its arguments in short notation (opbench/builder.h), those of a
 * constructor before a word "/". */
static ob_status open_words(ob_context *context, const ob_case_request *r,
                            const ob_config_options *options, ob_config **out, ob_err *err)
{
    ob_builder *builder;
    *out = NULL;
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_call(builder, r->op, r->words, r->word_count);
    const ob_status status = ob_builder_open_config(builder, context, options, out, err);
    ob_builder_destroy(builder);
    return status;
}

/* Whether some side may know operators that the core does not. */
static bool brings_operators(const ob_context *context, const ob_case_request *r)
{
    bool brings = ob_run_options_bring_operators(context, &r->run);
    for (size_t i = 0; i < r->side_count && !brings; i++) {
        ob_run_options run = r->run;
        run.backend = r->sides[i]->backend != NULL ? r->sides[i]->backend : run.backend;
        brings = r->sides[i]->plugins != NULL || r->sides[i]->program != NULL ||
                 ob_run_options_bring_operators(context, &run);
    }
    return brings;
}

/* An option of a backend's means that one, unless the line names backends itself. */
static ob_status take_backend(const ob_cli *cli, ob_case_request *r, ob_err *err)
{
    const char *backend;
    const ob_manifest_option *given = ob__backend_option_given(cli, NULL, &backend);
    ob_text names = {.data = NULL};
    if (given == NULL)
        return OB_OK;
    if (r->code != NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--%s goes with operators, not with code; leave it out", given->name);
    bool ok = r->run.backend == NULL || ob_text_printf(&names, "%s,", r->run.backend);
    for (size_t i = 0; ok && i < r->side_count; i++)
        if (r->sides[i]->backend != NULL)
            ok = ob_text_printf(&names, "%s,", r->sides[i]->backend);
    if (ok && names.size == 0)
        r->run.backend = backend;
    ok = ok && ob_text_append(&names, "", 1);
    const ob_status status =
        ok ? ob__backend_options_check(cli, names.size > 1 ? names.data : NULL, err)
           : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of backends");
    ob_text_fini(&names);
    return status;
}

/* For iterators and generators of the user's: with sides, the first whose backend the options are of. */
static ob_run_options expanding(const ob_cli *cli, const ob_case_request *r)
{
    ob_run_options run = r->run;
    const char *backend = NULL;
    ob__backend_option_given(cli, ob__backend_option_brings_operators, &backend);
    for (size_t i = 0; backend != NULL && i < r->side_count; i++)
        if (r->sides[i]->backend != NULL && ob_backend_is_meant(r->sides[i]->backend, backend)) {
            run.backend = r->sides[i]->backend;
            run.backend_options = r->sides[i]->backend_options;
            break;
        }
    return run;
}

static ob_status open_config(ob_cli *cli, const ob_case_request *r, ob_config **out, ob_err *err)
{
    ob_context *context = cli->context;
    /* The user names code of their own, whose operators may be called anything. */
    const bool brought =
        ob__backend_option_given(cli, ob__backend_option_brings_operators, NULL) != NULL;
    const ob_run_options run = expanding(cli, r);
    const ob_config_options options = {.size = sizeof options,
                                       .device = r->run.device,
                                       .expand = ob_config_expand_foreign,
                                       .expand_options = &run,
                                       .foreign_operators = brought || brings_operators(context, r),
                                       .knows_operators = r->config == NULL && !brought};
    if (r->code != NULL)
        return ob_snippet_open_config(context, r->code, r->code_count, out, err);
    return r->config != NULL ? ob_config_open_file(context, r->config, &options, out, err)
                             : open_words(context, r, &options, out, err);
}

/* What a job points to. */
typedef struct room {
    ob_config *config;
    ob_case_selection *selection;
    ob_run_options runs[OB_MOST_THREAD_COUNTS];
    ob_job_part parts[OB_MOST_THREAD_COUNTS];
} room;

/* The cases once for each number of threads. */
static ob_status open_job(ob_job_screen *screen, const ob_case_request *r, room *to, ob_err *err)
{
    ob_context *context = screen->job.cli->context;
    /* Without a config the only case is the one that --op made. */
    const ob_case_choice choice = {
        .size = sizeof choice, .op = r->config != NULL ? r->op : NULL, .only_case = r->only_case};
    OB_TRY(ob__job_screen_init(screen, r->values, err));
    OB_TRY(ob_cases_select(context, to->config, &choice, &to->selection, err));
    for (size_t i = 0; i < r->threads->size; i++) {
        to->runs[i] = r->run;
        to->runs[i].threads = r->threads->counts[i];
        to->parts[i] = (ob_job_part){
            .config = to->config, .selection = to->selection, .options = &to->runs[i]};
    }
    if (r->looks != NULL)
        r->looks->params.cases =
            to->selection->cases * (r->side_count - 1) * (r->run.backward ? 2 : 1);
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = to->parts,
                                    .part_size = sizeof to->parts[0],
                                    .part_count = r->threads->size,
                                    .name = r->config,
                                    .worker_program = ob__cli_job_worker(&screen->job),
                                    .sides = r->sides,
                                    .side_count = r->side_count,
                                    .enough = r->looks != NULL ? ob_verdict_is_enough : NULL,
                                    .enough_ctx = r->looks,
                                    .chosen_by =
                                        r->run.count_repeats > 0 ? "--number or --repeats" : NULL};
    return ob_job_open_configs(context, &configs, &screen->job.params, &screen->job.job, err);
}

int ob__cases_measure(ob_job_screen *screen, ob_case_request *r)
{
    ob_cli *cli = screen->job.cli;
    room *to = calloc(1, sizeof *to);
    ob_err err;
    if (to == NULL)
        return ob__cli_out_of_memory(cli);
    int code = take_backend(cli, r, &err) == OB_OK ? OB_EXIT_OK
                                                   : ob__cli_usage_error(cli, "%s", err.message);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS,
                                    screen->job.line->quiet ? OB_LOG_ERROR : OB_LOG_WARNING);
    if (code == OB_EXIT_OK && r->code == NULL && r->side_count == 0)
        code = ob__cli_check_plugin_backend(cli, r->run.backend);
    if (code == OB_EXIT_OK && open_config(cli, r, &to->config, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    r->run.by_words = r->config == NULL && r->code == NULL;
    if (r->code != NULL) {
        r->run.maker = ob_snippet_maker();
        r->run.command = OB_SNIPPET_COMMAND;
    }
    if (code == OB_EXIT_OK)
        code = ob__cli_job_name(&screen->job, r->config != NULL ? r->config : "-", &r->run);
    if (code == OB_EXIT_OK)
        code = open_job(screen, r, to, &err) == OB_OK ? ob__job_screen_run(screen)
                                                      : ob__cli_fail(cli, &err);
    code = ob__job_screen_fini(screen, code);
    ob_case_selection_destroy(to->selection);
    ob_config_destroy(to->config);
    free(to);
    return code;
}
