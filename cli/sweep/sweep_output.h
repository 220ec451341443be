/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a sweep. Records are what is kept; rows are made from them, so that a resumed sweep writes
 * the same table as one that was never interrupted.
 */
#ifndef OB_CLI_SWEEP_OUTPUT_H
#define OB_CLI_SWEEP_OUTPUT_H

#include "sweep_options.h"

#include "opbench/record.h"

typedef struct ob_sweep_output {
    ob_cli *cli;
    const ob_sweep *sweep;
    const ob_sweep_line *line;
    ob_run_line run; /* as `opbench run` would be called */
    char *records;   /* path; NULL = none */
    ob_result_file *file;
    ob_done *done;
    FILE *csv;    /* NULL = standard output */
    char *part;   /* where the table is until the records are open; NULL = in its place */
    char *target; /* the file that part becomes */
    ob_text text;
    uint64_t rows;
    uint64_t failed_before; /* cases of a resumed sweep that had failed and are not run again */
} ob_sweep_output;

/* config_hash: of everything that decides which cases there are. Call close also after a failure. */
ob_status ob__sweep_output_open(ob_sweep_output *out, const char *config_hash, ob_err *err);
/* The record's line to the file of records, its rows to the table. */
ob_status ob__sweep_output_add(ob_sweep_output *out, const ob_record *record, const char *line,
                               size_t length, ob_err *err);
/* The document of --json, from the records. */
ob_status ob__sweep_output_plot(ob_sweep_output *out, ob_err *err);
ob_status ob__sweep_output_close(ob_sweep_output *out, ob_err *err);

#endif
