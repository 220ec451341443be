/* SPDX-License-Identifier: Apache-2.0
 *
 * One thing that varies in an entry: a node of the live tree and the values it takes. A value is
 * computed from its number, so an axis of a million steps costs as much as one of two.
 */
#ifndef OB_CONFIG_AXIS_H
#define OB_CONFIG_AXIS_H

#include "config/check_value.h"

typedef enum ob_axis_kind {
    OB_AXIS_INT,     /* lo + i * step */
    OB_AXIS_DECIMAL, /* (lo + i * step) / scale: exact decimals, 0.1, 0.2, 0.3 */
    OB_AXIS_REAL,    /* real_lo + i * real_step, where decimals do not fit 64 bits */
    OB_AXIS_LIST,    /* items[i] */
} ob_axis_kind;

typedef struct ob_axis {
    ob_axis_kind kind;
    ob_json *node; /* what it writes */
    uint64_t count;
    int64_t lo, step;
    double scale, real_lo, real_step;
    const ob_json *items;
} ob_axis;

/* From [lo, hi] or [lo, hi, step], both ends included, in either direction. */
ob_status ob__axis_from_int_range(const char *name, const ob_json *range, ob_axis *out,
                                  ob_err *err);
ob_status ob__axis_from_real_range(const char *name, const ob_json *range, ob_axis *out,
                                   ob_err *err);
/* Writes value i < count into the axis's node; the node keeps its place. */
void ob__axis_write(const ob_axis *axis, uint64_t i);

#endif
