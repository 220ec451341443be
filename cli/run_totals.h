/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cases of a recorded program come to: each operator's time weighted by how often the program
 * called it, and its share of all of them.
 */
#ifndef OB_CLI_RUN_TOTALS_H
#define OB_CLI_RUN_TOTALS_H

#include "command.h"

#include "opbench/record.h"

typedef struct ob_run_totals ob_run_totals;

ob_run_totals *ob__run_totals_create(void); /* NULL when memory is out */
void ob__run_totals_destroy(ob_run_totals *totals);

/* How many calls a result stands for: those around which there was no other recorded call, because an outer
 * call's time holds the inner ones'; else all of them. OB_NO_INT: the config does not say. */
int64_t ob__run_weight(const ob_record_result *result);
/* Median of the passes that were measured together, in ns; NaN = nothing was measured. */
double ob__run_call_ns(const ob_record_result *result);

/* Results without a weight are passed over. False: out of memory. */
bool ob__run_totals_add(ob_run_totals *totals, const ob_record_result *result);
/* No result had a weight: there is nothing to print. */
bool ob__run_totals_empty(const ob_run_totals *totals);
/* All weighted time of the backend, in ns. */
double ob__run_totals_ns(const ob_run_totals *totals, const char *backend);
/* format: "table", "markdown" or "json" (one line). The operator with the largest share comes first. */
bool ob__run_totals_print(ob_cli *cli, ob_run_totals *totals, const char *format);

#endif
