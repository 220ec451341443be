/* SPDX-License-Identifier: Apache-2.0
 *
 * Records that go to a folder: a file of its own for every run, so that no two writers ever share one.
 */
#ifndef OB_CLI_JOB_FOLDER_H
#define OB_CLI_JOB_FOLDER_H

#include "file_list.h"

#include "opbench/job.h"

typedef struct ob_job_folder {
    char *prefix;
    ob_file_list earlier; /* files of the same shard, with --resume */
} ob_job_folder;

/* Whether --output names a folder: it is one, or the name ends in a slash. */
bool ob__job_folder_is_one(const char *output);
/* Makes the folder if need be and sets prefix and earlier files of params, whose shard is set. Fini also after a failure. */
ob_status ob__job_folder_take(ob_job_folder *folder, const char *output, ob_job_params *params,
                              ob_err *err);
void ob__job_folder_fini(ob_job_folder *folder);

#endif
