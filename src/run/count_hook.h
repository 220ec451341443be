/* SPDX-License-Identifier: Apache-2.0
 *
 * --count: between the run and whoever takes its records, each record gets the instructions of its case.
 */
#ifndef OB_RUN_COUNT_HOOK_H
#define OB_RUN_COUNT_HOOK_H

#include "opbench/run.h"

typedef struct ob_count_hook ob_count_hook;

/* *out is NULL when callgrind is not asked for. All but err must outlive the hook. OB_ERR_INVALID: there are no
 * worker processes, or --count-dir cannot be made. Where valgrind is missing, records say so. */
ob_status ob__count_hook_open(ob_context *context, const ob_config *config,
                              const ob_run_params *params, ob_count_hook **out, ob_err *err);
void ob__count_hook_close(ob_count_hook *hook); /* NULL is allowed */
/* Params whose records pass through the hook. */
ob_run_params ob__count_hook_params(ob_count_hook *hook);

#endif
