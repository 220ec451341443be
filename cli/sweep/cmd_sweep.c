/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench sweep: one model over the product of input scales, precisions and backends. Each backend's part is a
 * config that runs as `opbench run` runs it; the records become the rows of one table.
 */
#include "backend_options.h"
#include "diff/side_axes.h"
#include "sweep_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The cases of one backend. */
typedef struct part {
    ob_run_options run;
    ob_config *config;
    ob_case_selection *selection;
} part;

typedef struct sweep_command {
    ob_cli *cli;
    const ob_sweep_line *line;
    ob_cli_job job;
    ob_run_options run; /* with the sweep's and the program's names */
    ob_sweep *sweep;
    part *parts;
    size_t part_count;
    ob_cli_sides sides; /* by axes */
    ob_sweep_output output;
} sweep_command;

/* ---- before the run ---- */

/* All backends are there before the first one is measured. */
static ob_status check_backend(const ob_context *context, const char *name, ob_err *err)
{
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_BACKEND); i++) {
        const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, i);
        const ob_manifest_variant *variant;
        if (!ob_backend_is_meant(name, info.name))
            continue;
        if (!info.available)
            return ob_err_set(err, OB_ERR_UNSUPPORTED,
                              "backend %s of the job configs does not work here: %s", name,
                              info.reason);
        return ob_backend_find_variant(context, name, &variant, err);
    }
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "the job configs name the backend \"%s\", which does not exist; `opbench "
                      "list backends` lists them",
                      name);
}

static ob_sweep_params params_of(const sweep_command *s)
{
    return (ob_sweep_params){.size = sizeof(ob_sweep_params),
                             .every = (uint64_t)s->line->every,
                             .sample = (uint64_t)s->line->sample,
                             .seed = (uint64_t)s->run.seed,
                             .backward = s->run.backward};
}

static void close_part(part *p)
{
    ob_case_selection_destroy(p->selection);
    ob_config_destroy(p->config);
    *p = (part){.config = NULL};
}

static ob_status open_part(sweep_command *s, size_t backend, ob_err *err)
{
    part *p = &s->parts[s->part_count];
    const ob_sweep_params params = params_of(s);
    const ob_config_options options = {.size = sizeof options, .device = s->run.device};
    const ob_case_choice choice = {.size = sizeof choice, .only_case = s->line->only_case};
    ob_json_doc *doc;
    OB_TRY(ob_sweep_make_config(s->sweep, backend, &params, &doc, err));
    OB_TRY(ob_config_open_json(s->cli->context, doc, &options, &p->config, err));
    p->run = s->run;
    p->run.backend = ob_sweep_backend(s->sweep, backend);
    s->part_count++;
    const ob_status status =
        ob_cases_select(s->cli->context, p->config, &choice, &p->selection, err);
    if (status == OB_ERR_NOT_FOUND && s->line->only_case != NULL) {
        close_part(p); /* another backend may have it */
        s->part_count--;
        return OB_OK;
    }
    if (status == OB_ERR_INVALID && s->line->only_case != NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "\"%.100s\" is not a case of a sweep; write MODEL|0|0|NUMBER_PRECISION, "
                          "as in a record's repro line",
                          s->line->only_case);
    return status;
}

/* Options that are a backend's are of one that a job config has. */
static ob_status check_backend_options(const sweep_command *s, const char *only, ob_err *err)
{
    const char *backend;
    const ob_manifest_option *given = ob__backend_option_given(s->cli, NULL, &backend);
    for (size_t i = 0; given != NULL && i < ob_sweep_backend_count(s->sweep); i++)
        if (ob_backend_is_meant(only != NULL ? only : ob_sweep_backend(s->sweep, i), backend))
            return OB_OK;
    return given == NULL ? OB_OK
                         : ob_err_set(err, OB_ERR_INVALID,
                                      "--%s needs the %s backend, which no job config has",
                                      given->name, backend);
}

static ob_status open_parts(sweep_command *s, ob_err *err)
{
    const size_t count = ob_sweep_backend_count(s->sweep);
    size_t chosen = 0;
    const char *given = s->run.backend;
    const char *only = given != NULL ? ob_sweep_backend_of_runtime(s->cli->context, given) : NULL;
    s->parts = calloc(count, sizeof *s->parts);
    if (s->parts == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backends");
    for (size_t i = 0; i < count; i++) {
        const char *name = ob_sweep_backend(s->sweep, i);
        if (only != NULL && strcmp(only, name) != 0)
            continue;
        OB_TRY(check_backend(s->cli->context, name, err));
        OB_TRY(open_part(s, i, err));
        chosen++;
    }
    if (chosen == 0)
        return ob_err_set(err, OB_ERR_INVALID, "no job config has the backend \"%s\" of --backend",
                          only);
    OB_TRY(check_backend_options(s, only, err));
    if (s->part_count == 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "the sweep has no case \"%.100s\"; its model is \"%s\", and "
                          "`opbench sweep FILE --print-config --backend NAME` piped to `opbench "
                          "expand -c -` lists them",
                          s->line->only_case, ob_sweep_model(s->sweep));
    return OB_OK;
}

/* ---- the run ---- */

static ob_status open_job(sweep_command *s, ob_err *err)
{
    ob_job_part *parts = calloc(s->part_count, sizeof *parts);
    if (parts == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backends");
    for (size_t i = 0; i < s->part_count; i++)
        parts[i] = (ob_job_part){.config = s->parts[i].config,
                                 .selection = s->parts[i].selection,
                                 .options = &s->parts[i].run};
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = parts,
                                    .part_size = sizeof *parts,
                                    .part_count = s->part_count,
                                    .name = ob_sweep_name(s->sweep),
                                    .worker_program = ob__cli_job_worker(&s->job),
                                    .options = &s->run,
                                    .sweep = ob_sweep_json(s->sweep),
                                    .sides = s->sides.list,
                                    .side_count = s->sides.count,
                                    .chosen_by =
                                        "-b, --sample, --every, --seed, --axis or --backend"};
    const ob_status status =
        ob_job_open_configs(s->cli->context, &configs, &s->job.params, &s->job.job, err);
    free(parts);
    return status;
}

static ob_status open_output(sweep_command *s, ob_err *err)
{
    OB_TRY(ob__cli_job_init(&s->job, ob__cli_own_options(s->cli->command), s->line, err));
    OB_TRY(ob__sweep_output_open(&s->output, err));
    OB_TRY(open_job(s, err));
    return ob__sweep_output_place(&s->output, err);
}

static int report(sweep_command *s)
{
    const ob_job_summary *summary = ob_job_get_summary(s->job.job);
    if (!s->line->job.quiet && s->line->output != NULL) {
        ob__cli_printf(s->cli, "%" PRIu64 " cases measured", summary->measured);
        if (summary->failed > 0)
            ob__cli_printf(s->cli, ", %" PRIu64 " failed", summary->failed);
        if (summary->left_out > 0)
            ob__cli_printf(s->cli, ", %" PRIu64 " already done", summary->left_out);
        if (summary->failed_before > 0)
            ob__cli_printf(s->cli, " (%" PRIu64 " failed)", summary->failed_before);
        ob__cli_printf(s->cli, "\nrows: %s (%" PRIu64 ")\nrecords: %s\n", s->line->output,
                       s->output.rows, ob_job_path(s->job.job));
        if (s->line->json != NULL)
            ob__cli_printf(s->cli, "json: %s\n", s->line->json);
    }
    /* The table has the rows of what failed before, too. */
    const int code = ob_job_summary_exit_code(summary);
    return code == OB_EXIT_OK && summary->failed_before > 0 ? OB_EXIT_FAILED : code;
}

static int measure(sweep_command *s)
{
    ob_err err;
    s->output =
        (ob_sweep_output){.cli = s->cli, .sweep = s->sweep, .line = s->line, .job = &s->job};
    int code =
        open_output(s, &err) == OB_OK ? ob__cli_job_run(&s->job) : ob__cli_fail(s->cli, &err);
    if (code == OB_EXIT_OK)
        code = ob__sweep_output_finish(&s->output, &err) == OB_OK ? report(s)
                                                                  : ob__cli_fail(s->cli, &err);
    code = ob__cli_job_fini(&s->job, code);
    return ob__sweep_output_close(&s->output, &err) == OB_OK ? code : ob__cli_fail(s->cli, &err);
}

static int print_config(sweep_command *s)
{
    char *text = NULL;
    size_t length = 0;
    ob_err err;
    if (s->part_count != 1)
        return ob__cli_usage_error(s->cli,
                                   "the job configs have %zu backends, each with its own config; "
                                   "choose one with --backend",
                                   s->part_count);
    if (ob_json_print(ob_config_json(s->parts[0].config), &text, &length, &err) != OB_OK)
        return ob__cli_fail(s->cli, &err);
    const bool ok = ob__cli_write(s->cli, text, length) && ob__cli_write(s->cli, "\n", 1);
    free(text);
    return ok ? OB_EXIT_OK : ob__cli_finish(s->cli);
}

static int run_sweep(sweep_command *s, const char *path)
{
    ob_err err;
    int code = s->line->print_config ? OB_EXIT_OK : ob__cli_job_name(&s->job, path, &s->run);
    if (code != OB_EXIT_OK)
        return code;
    s->run.command = "sweep";
    ob_status status = ob_sweep_open_file(s->cli->context, path, &s->sweep, &err);
    if (status == OB_OK)
        status = open_parts(s, &err);
    if (status != OB_OK)
        return ob__cli_fail(s->cli, &err);
    return s->line->print_config ? print_config(s) : measure(s);
}

/* Backends are the file's, and it has no code. */
static int read_axes(sweep_command *s)
{
    ob_err err;
    if (ob__cli_sides_add_axes(&s->sides, s->line->axes.items, &err) != OB_OK)
        return ob__cli_usage_error(s->cli, "%s", err.message);
    for (size_t i = 0; i < s->sides.count; i++) {
        const char *of_code = ob__cli_side_has_key(&s->sides, i, OB_CLI_KEY_OF_CODE);
        if (of_code == NULL)
            of_code = ob__cli_side_has_key(&s->sides, i, OB_CLI_KEY_OF_STATEMENT);
        if (of_code != NULL)
            return ob__cli_usage_error(
                s->cli,
                "--axis %s: this is for code; use `opbench diff --lang c CODE --axis %s=...`",
                of_code, of_code);
        if (s->sides.items[i].backend != NULL)
            return ob__cli_usage_error(
                s->cli,
                "--axis backend: the job configs in the file name the backends; leave it out");
    }
    return OB_EXIT_OK;
}

/* What the line means, made plain: the table on standard output, the records beside the table. */
static int read_line(ob_cli *cli, ob_sweep_line *line, char **records)
{
    if (line->output != NULL && strcmp(line->output, "-") == 0)
        line->output = NULL; /* standard output, as elsewhere */
    int code = ob__sweep_line_check(cli, line);
    if (code != OB_EXIT_OK)
        return code;
    if (line->config == NULL)
        return ob__cli_usage_error(cli, "no sweep file given; name one");
    if (line->output != NULL && line->job.output == NULL) {
        line->job.output = *records = ob__sweep_records_beside(line->output);
        if (*records == NULL)
            return ob__cli_out_of_memory(cli);
    }
    code = ob__job_line_check(cli, &line->job, &line->run);
    return code == OB_EXIT_OK
               ? ob__cli_check_new(cli, line->json,
                                   line->job.force || line->job.resume || line->job.append)
               : code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_sweep_line line = *(const ob_sweep_line *)call->options;
    char *records = NULL;
    sweep_command s = {.cli = cli, .line = &line};
    int code = read_line(cli, &line, &records);
    if (code == OB_EXIT_OK)
        code = read_axes(&s);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS,
                                    line.job.quiet ? OB_LOG_ERROR : OB_LOG_WARNING);
    s.run = line.run;
    s.job = (ob_cli_job){.cli = cli,
                         .line = &line.job,
                         .show = ob__sweep_output_show,
                         .show_ctx = &s.output,
                         .has_other_output = true};
    if (code == OB_EXIT_OK)
        code = run_sweep(&s, line.config);
    for (size_t i = 0; i < s.part_count; i++)
        close_part(&s.parts[i]);
    free(s.parts);
    ob_sweep_destroy(s.sweep);
    ob__cli_sides_fini(&s.sides);
    free(records);
    return code;
}

static const ob_cli_word WORDS[] = {
    {.name = "FILE",
     .option = "config",
     .help = "The sweep file, JSON or YAML; - reads standard input."},
    {.name = NULL},
};

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "all cases ran"},
    {OB_EXIT_FAILED, "some failed"},
    {OB_EXIT_USAGE, "wrong command line or file, or a missing backend"},
    {.meaning = NULL},
};

const ob_cli_command ob__command_sweep = {
    .name = "sweep",
    .libraries = OB_CLI_BACKEND, /* its config may name any */
    .takes_any_backend = true,
    .help = "measure a model over sizes, precisions and backends, to CSV",
    .text =
        "Measures an operator, a module or a chain of them for every combination of the input "
        "scales and job configs of a sweep file, and writes one row per combination and pass: all "
        "variables, precision, backend, status and reason, times, GFLOP/s, GB/s, peak memory. A "
        "combination that fails is a row with its reason. docs/sweep.md describes the file.",
    .usage = "FILE [-o OUT.csv] [OPTIONS]",
    .words = WORDS,
    .exits = EXITS,
    .options = ob__sweep_rows,
    .options_size = sizeof(ob_sweep_line),
    .options_init = ob__sweep_line_init,
    .example = "opbench sweep examples/sweeps/linear.json -o linear.csv -w 3 -i 20\n"
               "opbench sweep examples/sweeps/linear.json --sample 10 -b --backend native\n"
               "opbench sweep examples/sweeps/linear.json --axis threads=1,2,4 -i 50",
    .run = run,
};
