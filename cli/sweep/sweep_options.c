/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of `opbench sweep`: its own, and those of every run.
 */
#include "sweep_options.h"

#include "opbench/old_option.h"

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_sweep_line, field, __VA_ARGS__)

#define CASES .group = "Cases"
#define OUTPUT .group = "Output"

const ob_option ob__sweep_rows[] = {
    OB_OPTION_ROWS_OF(ob__text_rows, "config", offsetof(ob_sweep_line, config),
                      .help = "The sweep file, instead of FILE."),
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE", OUTPUT,
        .otherwise = "standard output",
        .help = "Write the rows to this file as CSV; an existing one is refused without --resume, "
                "--append or --force."),
    ROW(STRING, "records", job.output, .value = "FILE", OUTPUT,
        .otherwise = "the output's name, ending in .jsonl",
        .help = "Where to keep the records that the rows are made from."),
    ROW(STRING, "rows-json", json, .rare = true, .value = "FILE", OUTPUT,
        .help = "Also write all rows as one JSON document, for plotting; needs --output."),
    OB_OPTION_OLD_NAME("json", "rows-json"),
    ROW(INT, "sample", sample, CASES, .value = "N", .min = 1, .max = 1e15,
        .help =
            "Only this many combinations of scales, spread over all of them and chosen by --seed."),
    ROW(INT, "every", every, CASES, .value = "N", .min = 1, .max = 1e15,
        .help = "Only the first of every N combinations of scales."),
    ROW(LIST, "axis", axes, CASES, .value = "KEY=A,B,...",
        .help = "Measure each case with all of these in turns and mark the best: env.NAME=..., "
                "threads, options or other keys of a side of `opbench diff`."),
    OB_OPTION_ROWS_OF(ob__text_rows, "case", offsetof(ob_sweep_line, only_case),
                      .help = "Only this case: MODEL|0|0|INPUT, as in a record's repro line."),
    OB_OPTION_ROWS_OF(ob__job_rows, "append", offsetof(ob_sweep_line, job),
                      .help =
                          "Measure everything again, and add to the files of rows and records."),
    OB_OPTION_ROWS_OF(ob__job_rows, "resume", offsetof(ob_sweep_line, job),
                      .help =
                          "Continue from what the file of records holds, and rewrite all rows; a "
                          "different sweep, or options that change the measurement, are refused."),
    OB_OPTION_ROWS_OF(ob__job_rows, "force", offsetof(ob_sweep_line, job),
                      .help = "Replace the files if they exist."),
    OB_OPTION_ROWS_OF(ob__job_rows, "wait|no-isolate|tag|" OB_JOB_SHARD_ROWS,
                      offsetof(ob_sweep_line, job)),
    OB_OPTION_ROWS_OF(ob__job_rows, "format", offsetof(ob_sweep_line, job), .initial = "csv",
                      .help = "What to print: the rows as they come (csv), unless they go to a "
                              "file; all of them at the end; or the records."),
    OB_OPTION_ROWS_OF(ob__job_rows, "sort|top", offsetof(ob_sweep_line, job), .rare = true),
    OB_OPTION_ROWS_OF(ob__job_rows, "quiet", offsetof(ob_sweep_line, job)),
    ROW(FLAG, "print-config", print_config, OUTPUT,
        .help = "Measure nothing; print the sweep as a benchmark config for `opbench expand` and "
                "`opbench run`, for one backend (see --backend)."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "*", offsetof(ob_sweep_line, run)),
    {.name = NULL},
};

void ob__sweep_line_init(void *line)
{
    ob_sweep_line *o = line;
    ob_run_options_init(&o->run);
}

int ob__sweep_line_check(ob_cli *cli, const ob_sweep_line *line)
{
    const ob_job_line *job = &line->job;
    ob_err err;
    if (line->sample > 0 && line->every > 0)
        return ob__cli_usage_error(cli,
                                   "--sample and --every both thin out the sweep; give only one");
    if (job->resume && job->force)
        return ob__cli_usage_error(cli,
                                   "--resume keeps what --force replaces; give only one of them");
    if (line->output == NULL && (job->resume || job->append || job->force || job->wait ||
                                 line->json != NULL || job->output != NULL))
        return ob__cli_usage_error(cli, "--%s needs --output FILE",
                                   job->resume          ? "resume"
                                   : job->append        ? "append"
                                   : job->wait          ? "wait"
                                   : job->force         ? "force"
                                   : line->json != NULL ? "rows-json"
                                                        : "records");
    if (ob_run_options_check(&line->run, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    return OB_EXIT_OK;
}
