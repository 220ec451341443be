/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of packed results.
 */
#ifndef OB_RUN_RESULT_CHECK_INT_H
#define OB_RUN_RESULT_CHECK_INT_H

#include "run/result_check.h"

#define OB_PACK_MARK UINT64_C(0x314b43505f424f4f)

/* All parts begin at multiples of 8. */
typedef struct ob_pack_head {
    uint64_t mark, outputs, gradients; /* how many items of each */
    ob_bound_facts facts;
} ob_pack_head;

typedef struct ob_item {
    char name[64]; /* "output 0", or the edge that a gradient is of */
    int32_t dtype, ndim;
    int64_t sizes[OB_MAX_DIMS];
} ob_item;

typedef struct ob_pack_cursor {
    ob_pack_head head;
    const char *at;
    size_t left;
} ob_pack_cursor;

typedef struct ob_pack_item {
    ob_item item;
    const char *data;
    uint64_t count; /* elements */
} ob_pack_item;

/* False: it is no packed text. */
bool ob__pack_open(ob_packed packed, ob_pack_cursor *out);
/* False: no whole item is there. */
bool ob__pack_next(ob_pack_cursor *cursor, ob_pack_item *out);

#endif
