/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that a run ends with: one row per result.
 */
#ifndef OB_CLI_RUN_TABLE_H
#define OB_CLI_RUN_TABLE_H

#include "command.h"

#include "run_totals.h"

typedef struct ob_run_table ob_run_table;

ob_run_table *ob__run_table_create(void); /* NULL when memory is out */
void ob__run_table_destroy(ob_run_table *table);
/* Copies what it shows. */
bool ob__run_table_add(ob_run_table *table, const ob_record_result *result);
/* format: "table", "markdown" or "csv". With totals that are not empty csv has each row's calls, weighted time and
 * share too. */
bool ob__run_table_print(ob_cli *cli, const ob_run_table *table, const ob_run_totals *totals,
                         const char *format);

#endif
