/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a sweep. Records are what is kept; rows are made from them, so that a resumed sweep writes
 * the same table as one that was never interrupted.
 */
#ifndef OB_CLI_SWEEP_OUTPUT_H
#define OB_CLI_SWEEP_OUTPUT_H

#include "sweep_options.h"

#include "opbench/report.h"

typedef struct ob_sweep_output {
    ob_cli *cli;
    const ob_sweep *sweep;
    const ob_sweep_line *line;
    ob_cli_job *job;   /* whose results they are */
    FILE *csv;         /* NULL = standard output, or nowhere */
    char *part;        /* where the table is until the records are open; NULL = in its place */
    char *target;      /* the file that part becomes */
    ob_report *report; /* the table at the end; NULL = none */
    bool added;        /* the file has its head already */
    ob_text text;
    uint64_t rows;
} ob_sweep_output;

/* The file of records, unless the line names one: out.csv has out.jsonl. To be freed; NULL: memory was out. */
char *ob__sweep_records_beside(const char *output);
/* Begins the table. Call close also after a failure. */
ob_status ob__sweep_output_open(ob_sweep_output *out, ob_err *err);
/* The rows of a result; for ob_cli_job.show. */
ob_status ob__sweep_output_show(void *out, const ob_job_event *event, ob_err *err);
/* The table takes the place of the old one: the records are known to be of this sweep. */
ob_status ob__sweep_output_place(ob_sweep_output *out, ob_err *err);
/* The document of --json, from the records, and the table. */
ob_status ob__sweep_output_finish(ob_sweep_output *out, ob_err *err);
ob_status ob__sweep_output_close(ob_sweep_output *out, ob_err *err);

#endif
