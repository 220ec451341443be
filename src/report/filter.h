/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions on the rows of a table.
 */
#ifndef OB_REPORT_FILTER_H
#define OB_REPORT_FILTER_H

#include "report/table_model.h"

typedef struct ob_filter ob_filter;

/* OB_ERR_NOT_FOUND names a column that is not there, OB_ERR_SYNTAX the place of anything else. */
ob_status ob__filter_open(const ob_table *table, const char *text, ob_filter **out, ob_err *err);
void ob__filter_close(ob_filter *filter); /* NULL is allowed */
bool ob__filter_takes(const ob_filter *filter, size_t row);

/* The column of a name, a title or a field; an error that names the nearest ones when there is none. option: who asks. */
ob_status ob__table_find(const ob_table *table, const char *name, size_t length, const char *option,
                         size_t *out, ob_err *err);

#endif
