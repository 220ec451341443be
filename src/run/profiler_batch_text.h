/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON that a batch is handed over in, both ways. Its keys are PARAM's (op_name, config_build_id, op_info,
 * run_options), so that its files can be run too; "args" has the options that PARAM has no key for.
 */
#ifndef OB_RUN_PROFILER_BATCH_TEXT_H
#define OB_RUN_PROFILER_BATCH_TEXT_H

#include "opbench/batch.h"

/* What was queued, as JSON texts. */
typedef struct ob_batch_queue {
    const char *op_name, *config_build_id;
    const ob_json *op_info; /* of the config, for the generators' names */
    const ob_text *build;   /* "null", or the entry */
    const ob_text *inputs;  /* the entries with commas between */
} ob_batch_queue;

/* Appends the whole text. options has the profiler's warm-up and iterations. */
ob_status ob__batch_print(const ob_batch_queue *queue, const ob_run_options *options, ob_text *out,
                          ob_err *err);

/* What a child makes of it. */
typedef struct ob_batch_contents {
    const char *config_build_id;
    const ob_json *inputs; /* an array; an entry may have an "id" */
    ob_json_doc *config;   /* one operator with these entries; NULL once it was taken */
    ob_run_options options;
    ob_json_doc *doc; /* what all the above point into */
    char **words;
    ob_text word_text;
} ob_batch_contents;

/* Takes over doc, also on failure. */
ob_status ob__batch_read(ob_json_doc *doc, ob_batch_contents *out, ob_err *err);
void ob__batch_contents_fini(ob_batch_contents *plan);

#endif
