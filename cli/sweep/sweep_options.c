/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of `opbench sweep`: its own, and those of every run.
 */
#include "sweep_options.h"

#define AT(field) .offset = offsetof(ob_sweep_line, field)

const ob_option ob__sweep_rows[] = {
    {.name = "config",
     .letter = 'c',
     .type = OB_OPTION_STRING,
     AT(config),
     .value = "FILE",
     .help = "The sweep file, instead of the word FILE."},
    {.name = "output",
     .letter = 'o',
     .type = OB_OPTION_STRING,
     AT(output),
     .value = "FILE",
     .help =
         "The rows go to this file as CSV; standard output if not given, or -. One that is there "
         "already is refused without --resume or --force."},
    {.name = "records",
     .type = OB_OPTION_STRING,
     AT(job.output),
     .value = "FILE",
     .help = "The records that the rows are made from; beside the output, with the ending .jsonl, "
             "if not given."},
    {.name = "json",
     .type = OB_OPTION_STRING,
     AT(json),
     .value = "FILE",
     .help = "All rows as one JSON document too, for plotting; needs --output."},
    {.name = "sample",
     .type = OB_OPTION_INT,
     AT(sample),
     .value = "N",
     .min = 1,
     .max = 1e15,
     .help = "Only so many combinations of scales, spread over all of them and chosen by --seed."},
    {.name = "every",
     .type = OB_OPTION_INT,
     AT(every),
     .value = "N",
     .min = 1,
     .max = 1e15,
     .help = "Of N combinations of scales only the first."},
    {.name = "case",
     .type = OB_OPTION_STRING,
     AT(only_case),
     .value = "ID",
     .help = "Only this case: MODEL|0|0|INPUT, as in a record's repro line."},
    {.name = "resume",
     .type = OB_OPTION_FLAG,
     AT(job.resume),
     .help =
         "Go on from what the file of records holds, and write all rows anew; another sweep, or "
         "options that measure in another way, are refused."},
    {.name = "force",
     .type = OB_OPTION_FLAG,
     AT(job.force),
     .help = "Replace the files if they are there already."},
    OB_WAIT_ROW(offsetof(ob_sweep_line, job.wait)),
    {.name = "print-config",
     .type = OB_OPTION_FLAG,
     AT(print_config),
     .help = "Measure nothing; print the sweep as a benchmark config for `opbench expand` and "
             "`opbench run`, of one backend (see --backend)."},
    {.name = "no-isolate",
     .type = OB_OPTION_FLAG,
     AT(job.no_isolate),
     .help = "Run the cases in this process, for debuggers; a crash then ends the run."},
    {.name = "quiet",
     .letter = 'q',
     .type = OB_OPTION_FLAG,
     AT(job.quiet),
     .help = "No summary, no progress and no warnings."},
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
        return ob__cli_usage_error(cli, "--sample and --every both thin the sweep; give one");
    if (job->resume && job->force)
        return ob__cli_usage_error(cli, "--resume keeps what --force replaces; give one of them");
    if (line->output == NULL &&
        (job->resume || job->force || job->wait || line->json != NULL || job->output != NULL))
        return ob__cli_usage_error(cli, "--%s needs --output FILE",
                                   job->resume          ? "resume"
                                   : job->wait          ? "wait"
                                   : job->force         ? "force"
                                   : line->json != NULL ? "json"
                                                        : "records");
    if (ob_run_options_check(&line->run, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    return OB_EXIT_OK;
}
