/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts single cases beside a run, each in a worker under valgrind that stays for the next one.
 */
#ifndef OB_RUN_CASE_COUNTER_H
#define OB_RUN_CASE_COUNTER_H

#include "run/counting.h"

typedef struct ob_case_counter ob_case_counter;

/* One backend, and a worker program; side NULL = it is none of several. Starts nothing yet. OB_ERR_UNSUPPORTED: valgrind is missing. All but err must
 * outlive the counter. */
ob_status ob__case_counter_open(ob_context *context, const ob_config *config,
                                const ob_run_params *params, const ob_side *side,
                                ob_case_counter **out, ob_err *err);
void ob__case_counter_close(ob_case_counter *counter); /* NULL is allowed */

/* Counts the case with this index. A case that fails, crashes, takes too long or cannot run under valgrind has
 * a status and a reason, and OB_OK; so have all when no worker starts. */
ob_status ob__case_counter_count(ob_case_counter *counter, uint64_t index, ob_case_count *out,
                                 ob_err *err);

#endif
