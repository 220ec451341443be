/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbering equal items, in order of first appearance. By sorting, so that a million items take n log n.
 */
#ifndef OB_MEASURE_UNIQUE_H
#define OB_MEASURE_UNIQUE_H

#include "opbench/status.h"

/* How two items compare; 0 = equal. */
typedef int (*ob_item_compare)(const void *a, const void *b);

typedef struct ob_unique {
    size_t *numbers; /* per item: the number of its key */
    size_t *firsts;  /* per key: its first item */
    size_t count;    /* keys */
} ob_unique;

ob_status ob__unique_init(ob_unique *unique, const void *const *items, size_t count,
                          ob_item_compare compare, ob_err *err);
void ob__unique_fini(ob_unique *unique);
/* Texts of which NULL is one, before all others. */
int ob__text_compare(const char *a, const char *b);

#endif
