/* SPDX-License-Identifier: Apache-2.0
 *
 * What an interrupted command says at its end: what was kept, and the command that goes on.
 */
#ifndef OB_CLI_RESUME_LINE_H
#define OB_CLI_RESUME_LINE_H

#include "command.h"

#include "opbench/job.h"

typedef struct ob_resume_line {
    const char *program; /* as it would be typed */
    const char *records; /* the file; NULL = there is none */
    bool names_records;  /* the command's --output is the file of records */
    bool by_stdin;       /* what is measured came from standard input */
} ob_resume_line;

void ob__tell_interrupted(ob_cli *cli, const ob_resume_line *line, const ob_job_summary *summary,
                          uint64_t total);
/* The command line of cli for a header, without what it says of files and parts: another machine says that in its own way. NULL:
 * memory is out. */
const ob_json *ob__list_repeat(const ob_cli *cli, ob_json_doc *doc);

#endif
