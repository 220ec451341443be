/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a run on several backends: one row per case and pass, a column per backend, and how
 * each compares with the first.
 */
#ifndef OB_CLI_SIDE_TABLE_H
#define OB_CLI_SIDE_TABLE_H

#include "command.h"

#include "opbench/record.h"

typedef struct ob_side_table ob_side_table;

ob_side_table *ob__side_table_create(void); /* NULL when memory is out */
void ob__side_table_destroy(ob_side_table *table);
/* Copies what it shows. False: out of memory, or more backends than a run can have. */
bool ob__side_table_add(ob_side_table *table, const ob_record_result *result);
/* format: "table", "markdown" or "csv". */
bool ob__side_table_print(ob_cli *cli, const ob_side_table *table, const char *format);

#endif
