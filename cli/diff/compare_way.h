/* SPDX-License-Identifier: Apache-2.0
 *
 * How sides are measured that are to be compared.
 */
#ifndef OB_CLI_COMPARE_WAY_H
#define OB_CLI_COMPARE_WAY_H

#include "opbench/opbench.h"

/* Whether the cache is emptied before each iteration, which goes with discrete mode only. */
bool ob__run_is_cold(const ob_run_options *run);
/* Changes what says how samples are taken. The budget is for all sides and processes of a case. */
void ob__run_to_compare(ob_run_options *run, double budget_s, size_t sides);

#endif
