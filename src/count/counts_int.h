/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a table of counts, and how one is filled before anybody sees it.
 */
#ifndef OB_COUNT_COUNTS_INT_H
#define OB_COUNT_COUNTS_INT_H

#include "base/arena.h"
#include "opbench/count.h"

struct ob_counts {
    ob_arena arena; /* holds the names */
    ob_count *rows;
    size_t size, capacity;
    bool inclusive;
    bool truncate_rows;
};

/* An empty table; NULL when memory is out. */
ob_counts *ob__counts_new(bool inclusive);
/* Copies the name. False when memory is out. */
bool ob__counts_push(ob_counts *counts, int64_t count, const char *function, size_t length);
/* By count and then name, both descending. */
void ob__counts_sort(ob_counts *counts);
ob_status ob__counts_no_memory(ob_err *err);
/* One that is wider (but at least 40 columns have room) loses its middle. False when memory is out. */
bool ob__counts_append_name(ob_text *out, const char *name, size_t width);
/* NULL stays NULL. */
ob_status ob__counts_copy(const ob_counts *counts, ob_counts **out, ob_err *err);

#endif
