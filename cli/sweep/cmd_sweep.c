/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench sweep: one model over the product of input scales, precisions and backends. Each backend's part is a
 * config that runs as `opbench run` runs it; the records become the rows of one table.
 */
#include "header.h"
#include "interrupts.h"
#include "output_file.h"
#include "own_path.h"
#include "run/run_select.h"
#include "sweep_output.h"

#include "opbench/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The cases of one backend. */
typedef struct part {
    const char *backend;
    ob_config *config;
    ob_run_selection selection;
} part;

typedef struct job {
    ob_cli *cli;
    const ob_sweep_line *line;
    ob_run_options run;
    ob_own_path own;
    char path[PATH_MAX];
    ob_sweep *sweep;
    part *parts;
    size_t part_count;
    ob_sweep_output output;
    ob_json_doc *line_doc;
    bool header_written, progress;
    uint64_t cases, finished, started_ns;
    char config_hash[40];
} job;

/* ---- before the run ---- */

/* All backends are there before the first one is measured. */
static ob_status check_backend(const ob_context *context, const char *name, ob_err *err)
{
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_BACKEND); i++) {
        const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, i);
        if (strcmp(info.name, name) == 0 && info.available)
            return OB_OK;
        if (strcmp(info.name, name) == 0)
            return ob_err_set(err, OB_ERR_UNSUPPORTED,
                              "backend %s of the job configs cannot work here: %s", name,
                              info.reason);
    }
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "the job configs name the backend \"%s\", which is not there; `opbench list "
                      "backends` shows what is",
                      name);
}

static ob_sweep_params params_of(const job *j)
{
    return (ob_sweep_params){.every = (uint64_t)j->line->every,
                             .sample = (uint64_t)j->line->sample,
                             .seed = (uint64_t)j->run.seed,
                             .backward = j->run.backward};
}

static ob_status open_part(job *j, size_t backend, ob_err *err)
{
    part *p = &j->parts[j->part_count];
    const ob_sweep_params params = params_of(j);
    const ob_config_options options = {.device = j->run.device};
    const ob_run_line select = {.only_case = j->line->only_case};
    ob_json_doc *doc;
    OB_TRY(ob_sweep_make_config(j->sweep, backend, &params, &doc, err));
    OB_TRY(ob_config_open_json(j->cli->context, doc, &options, &p->config, err));
    p->backend = ob_sweep_backend(j->sweep, backend);
    j->part_count++;
    const ob_status status = ob__run_select(j->cli, p->config, &select, &p->selection, err);
    if (status == OB_ERR_NOT_FOUND && j->line->only_case != NULL) {
        ob_config_destroy(p->config); /* another backend may have it */
        ob__run_selection_fini(&p->selection);
        *p = (part){.config = NULL};
        j->part_count--;
        return OB_OK;
    }
    if (status == OB_ERR_INVALID && j->line->only_case != NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "\"%.100s\" is no case of a sweep; write MODEL|0|0|NUMBER_PRECISION, as "
                          "the repro of a record says it",
                          j->line->only_case);
    OB_TRY(status);
    j->cases += p->selection.cases;
    return OB_OK;
}

/* The results of native are what --check compares with. */
static bool checks(const job *j, const part *p)
{
    return j->line->run.check && strcmp(p->backend, OB_REFERENCE_BACKEND) != 0;
}

static ob_status check_reference(const job *j, ob_err *err)
{
    bool any = !j->line->run.check;
    for (size_t i = 0; i < j->part_count; i++)
        any = any || checks(j, &j->parts[i]);
    return any ? OB_OK
               : ob_err_set(
                     err, OB_ERR_INVALID,
                     "--check compares with native, and the sweep has no other backend; add a "
                     "runtime to the job configs");
}

static ob_status open_parts(job *j, ob_err *err)
{
    const size_t count = ob_sweep_backend_count(j->sweep);
    size_t chosen = 0;
    const char *given = j->line->run.backend;
    const char *only = given != NULL ? ob_sweep_backend_of_runtime(j->cli->context, given) : NULL;
    j->parts = calloc(count, sizeof *j->parts);
    if (j->parts == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backends");
    for (size_t i = 0; i < count; i++) {
        const char *name = ob_sweep_backend(j->sweep, i);
        if (only != NULL && strcmp(only, name) != 0)
            continue;
        OB_TRY(check_backend(j->cli->context, name, err));
        OB_TRY(open_part(j, i, err));
        chosen++;
    }
    if (chosen == 0)
        return ob_err_set(err, OB_ERR_INVALID, "no job config has the backend \"%s\" of --backend",
                          only);
    if (j->part_count == 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "the sweep has no case \"%.100s\"; its model is \"%s\", and "
                          "`opbench sweep FILE --print-config --backend NAME` piped to `opbench "
                          "expand -c -` lists them",
                          j->line->only_case, ob_sweep_model(j->sweep));
    return check_reference(j, err);
}

/* A resumed sweep has the same cases: those of the file, thinned in the same way. */
static ob_status hash_sweep(job *j, ob_err *err)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < j->part_count; i++) {
        char *text = NULL;
        size_t length = 0;
        OB_TRY(ob_json_print(ob_config_json(j->parts[i].config), &text, &length, err));
        for (size_t k = 0; k < length; k++)
            hash = (hash ^ (unsigned char)text[k]) * 0x100000001b3u;
        for (const char *c = j->parts[i].backend; *c != '\0'; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
        free(text);
    }
    snprintf(j->config_hash, sizeof j->config_hash, "%016" PRIx64, hash);
    return OB_OK;
}

/* ---- records ---- */

static ob_status write_header(void *ctx, const ob_json *properties, ob_err *err)
{
    job *j = ctx;
    ob_record record;
    ob_header_room room;
    if (j->header_written || j->output.file == NULL)
        return OB_OK;
    j->header_written = true;
    OB_TRY(ob__header_init(j->cli, &record, properties, &room, err));
    ob_record_header *h = &record.header;
    OB_TRY(ob_json_doc_create(&j->line_doc, err));
    ob__run_line_describe(&j->output.run, &h->options);
    h->options.out_stream = ob_result_file_path(j->output.file);
    OB_TRY(ob__run_line_list(j->cli, &j->output.run, j->line_doc, &h->options.cmd_args, err));
    h->config = ob_sweep_name(j->sweep);
    h->sweep = ob_sweep_json(j->sweep);
    h->config_hash = j->config_hash;
    h->cases = (int64_t)j->cases;
    h->seed = j->run.seed;
    return ob_result_file_append(j->output.file, &record, err);
}

static ob_status write_finish(job *j, const ob_run_summary *summary, ob_err *err)
{
    ob_record record;
    char now[32];
    const ob_clock clock = ob_clock_monotonic();
    if (j->output.file == NULL)
        return OB_OK;
    ob_record_init(&record, OB_RECORD_FINISH_LINE);
    record.finish.finish_time = ob_record_format_time((int64_t)time(NULL), now);
    record.finish.end = summary->interrupted ? "interrupted" : "finished";
    record.finish.seconds = (double)(ob_clock_now_ns(&clock) - j->started_ns) / 1e9;
    memcpy(record.finish.cases, summary->cases, sizeof record.finish.cases);
    return ob_result_file_append(j->output.file, &record, err);
}

static void show_progress(const job *j, const ob_record_result *r)
{
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t done = j->output.done != NULL ? ob_done_count(j->output.done) : 0;
    const uint64_t wanted = j->cases - (done < j->cases ? done : j->cases);
    const uint64_t total = wanted > j->finished ? wanted : j->finished;
    if (!j->progress || j->finished == 0)
        return;
    const double seconds = (double)(ob_clock_now_ns(&clock) - j->started_ns) / 1e9;
    fprintf(stderr, "\r\033[K%" PRIu64 "/%" PRIu64 "  %.20s  %.40s  %.0f s left", j->finished,
            total, r->backend, r->id,
            seconds / (double)j->finished * (double)(total - j->finished));
}

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    job *j = ctx;
    OB_TRY(ob__sweep_output_add(&j->output, record, line, length, err));
    j->finished++;
    show_progress(j, &record->result);
    return OB_OK;
}

/* ---- the run ---- */

static ob_status run_part(job *j, const part *p, ob_run_summary *all, ob_err *err)
{
    ob_run_params params = {.options = &j->run,
                            .worker_program = j->line->no_isolate ? NULL : j->own.path,
                            .done = j->output.done,
                            .on_record = take_record,
                            .on_ready = write_header,
                            .stop = ob__cli_interrupts,
                            .ctx = j};
    j->run.backend = p->backend;
    j->run.check = checks(j, p);
    for (size_t i = 0; i < p->selection.count && !all->interrupted; i++) {
        ob_run_summary summary;
        params.first = p->selection.ranges[i].first;
        params.count = p->selection.ranges[i].count;
        OB_TRY(ob_run(j->cli->context, p->config, &params, &summary, err));
        for (int s = 0; s < OB_RECORD_STATUS_COUNT; s++)
            all->cases[s] += summary.cases[s];
        all->left_out += summary.left_out;
        all->interrupted = all->interrupted || summary.interrupted;
    }
    return OB_OK;
}

static ob_status run_parts(job *j, ob_run_summary *summary, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_status status = OB_OK;
    *summary = (ob_run_summary){.interrupted = false};
    ob__cli_catch_interrupts(j->cli);
    j->started_ns = ob_clock_now_ns(&clock);
    for (size_t i = 0; status == OB_OK && i < j->part_count && !summary->interrupted; i++) {
        if (i > 0 && ob__cli_interrupts(NULL) > 0)
            summary->interrupted = true;
        else
            status = run_part(j, &j->parts[i], summary, err);
    }
    if (j->progress)
        fputs("\r\033[K", stderr);
    OB_TRY(status);
    OB_TRY(write_finish(j, summary, err));
    return ob__sweep_output_plot(&j->output, err);
}

static int report(job *j, const ob_run_summary *summary)
{
    uint64_t failed = 0;
    for (int s = 0; s < OB_RECORD_STATUS_COUNT; s++) {
        const ob_record_status_info *info = ob_record_status_get_info((ob_record_status)s);
        if (info != NULL && info->failed)
            failed += summary->cases[s];
    }
    if (!j->line->quiet && j->line->output != NULL) {
        ob__cli_printf(j->cli, "%" PRIu64 " cases measured", j->finished - failed);
        if (failed > 0)
            ob__cli_printf(j->cli, ", %" PRIu64 " failed", failed);
        if (summary->left_out > 0)
            ob__cli_printf(j->cli, ", %" PRIu64 " done already", summary->left_out);
        if (j->output.failed_before > 0)
            ob__cli_printf(j->cli, " (%" PRIu64 " failed)", j->output.failed_before);
        ob__cli_printf(j->cli, "\nrows: %s (%" PRIu64 ")\nrecords: %s\n", j->line->output,
                       j->output.rows, j->output.records);
        if (j->line->json != NULL)
            ob__cli_printf(j->cli, "json: %s\n", j->line->json);
    }
    if (summary->interrupted)
        return 130;
    return failed + j->output.failed_before > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}

static int measure(job *j)
{
    ob_run_summary summary;
    ob_err err;
    j->output = (ob_sweep_output){.cli = j->cli, .sweep = j->sweep, .line = j->line};
    ob_status status = hash_sweep(j, &err);
    if (status == OB_OK)
        status = ob__sweep_output_open(&j->output, j->config_hash, &err);
    if (status == OB_OK)
        status = run_parts(j, &summary, &err);
    int code = status == OB_OK ? report(j, &summary) : ob__cli_fail(j->cli, &err);
    if (ob__sweep_output_close(&j->output, &err) != OB_OK)
        code = ob__cli_fail(j->cli, &err);
    ob_json_doc_destroy(j->line_doc);
    return code;
}

static int print_config(job *j)
{
    char *text = NULL;
    size_t length = 0;
    ob_err err;
    if (j->part_count != 1)
        return ob__cli_usage_error(j->cli,
                                   "the job configs have %zu backends, each with a config of its "
                                   "own; choose one with --backend",
                                   j->part_count);
    if (ob_json_print(ob_config_json(j->parts[0].config), &text, &length, &err) != OB_OK)
        return ob__cli_fail(j->cli, &err);
    const bool ok = ob__cli_write(j->cli, text, length) && ob__cli_write(j->cli, "\n", 1);
    free(text);
    return ok ? OB_EXIT_OK : ob__cli_finish(j->cli);
}

static int run_sweep(job *j, const char *path)
{
    ob_err err;
    ob_status status = ob_sweep_open_file(j->cli->context, path, &j->sweep, &err);
    if (status == OB_OK)
        status = open_parts(j, &err);
    if (status != OB_OK)
        return ob__cli_fail(j->cli, &err);
    if (j->line->print_config)
        return print_config(j);
    if (!ob__cli_own_path(&j->own) && !j->line->no_isolate)
        return ob__cli_usage_error(j->cli,
                                   "workers cannot be started without /proc; see --no-isolate");
    const bool resolved = strcmp(path, "-") != 0 && realpath(path, j->path) != NULL;
    j->run.config_name = resolved ? j->path : path;
    j->run.program = j->own.word;
    j->run.command = "sweep";
    return measure(j);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_sweep_line plain = *(const ob_sweep_line *)call->options;
    const ob_sweep_line *line = &plain;
    if (plain.output != NULL && strcmp(plain.output, "-") == 0)
        plain.output = NULL; /* standard output, as elsewhere */
    const char *path = call->word_count > 0 ? call->words[0] : line->config;
    int code = ob__sweep_line_check(cli, line);
    if (code != OB_EXIT_OK)
        return code;
    if (path == NULL || (call->word_count > 0 && line->config != NULL))
        return ob__cli_usage_error(cli, path == NULL ? "no sweep file; name one"
                                                     : "two sweep files; name one");
    code = ob__cli_check_new(cli, line->json, line->force || line->resume);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS,
                                    line->quiet ? OB_LOG_ERROR : OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    job j = {.cli = cli,
             .line = line,
             .run = line->run,
             .progress = isatty(STDERR_FILENO) == 1 && !line->quiet};
    code = run_sweep(&j, path);
    for (size_t i = 0; i < j.part_count; i++) {
        ob__run_selection_fini(&j.parts[i].selection);
        ob_config_destroy(j.parts[i].config);
    }
    free(j.parts);
    ob_sweep_destroy(j.sweep);
    return code;
}

static const ob_cli_word WORDS[] = {
    {.name = "FILE", .help = "The sweep, JSON or YAML; - reads standard input."},
    {.name = NULL},
};

const ob_cli_command ob__command_sweep = {
    .name = "sweep",
    .libtorch = OB_CLI_SHIM, /* its config may name torch */
    .help = "measure a model over sizes, precisions and backends, to CSV",
    .text = "Measures an operator, a module or a chain of them for every combination of the input "
            "scales and job configs of a sweep file, and writes one row per combination and pass: "
            "all variables, precision, backend, status and reason, times, GFLOP/s, GB/s, peak "
            "memory. A combination that fails is a row with its reason. docs/sweep.md describes "
            "the file.\n\n"
            "Exit code 0: all cases ran; 1: some failed; 2: wrong command line or file, or a "
            "backend is not there; 130: interrupted.",
    .usage = "FILE [-o OUT.csv] [OPTIONS]",
    .words = WORDS,
    .options = ob__sweep_rows,
    .options_size = sizeof(ob_sweep_line),
    .options_init = ob__sweep_line_init,
    .example = "opbench sweep examples/sweeps/linear.json -o linear.csv -w 3 -i 20\n"
               "opbench sweep examples/sweeps/linear.json -o linear.csv -w 3 -i 20 --resume\n"
               "opbench sweep examples/sweeps/linear.json --sample 10 -b --backend native",
    .run = run,
};
