/* SPDX-License-Identifier: Apache-2.0
 *
 * The space of a sweep: named variables with their values, the product of which are its points, numbered
 * with the last variable the fastest; and which of the points are taken. A point is worked out from its
 * number, so a space of 10^15 points costs as much memory as one of ten.
 */
#ifndef OB_SWEEP_SPACE_H
#define OB_SWEEP_SPACE_H

#include "opbench/json.h"

enum { OB_SWEEP_MAX_VARIABLES = 64 };

typedef struct ob_sweep_axis {
    const char *name;
    const ob_json *values; /* a list of at least one */
    uint64_t count;
} ob_sweep_axis;

typedef struct ob_sweep_space {
    ob_sweep_axis variables[OB_SWEEP_MAX_VARIABLES];
    size_t variable_count;
    uint64_t points;
    uint64_t every;  /* of n points the first; 0 = all */
    uint64_t sample; /* so many points, spread over the space; 0 = all */
    uint64_t seed;   /* of the sample */
} ob_sweep_space;

/* Reads {"name": [values], ...}; every, sample and seed are left. The tree must live as long. */
ob_status ob__sweep_space_read(const ob_json *variables, ob_sweep_space *out, ob_err *err);
/* How many points are taken. */
uint64_t ob__sweep_space_taken(const ob_sweep_space *space);
/* The number of the i-th point taken, ascending in i. */
uint64_t ob__sweep_space_point(const ob_sweep_space *space, uint64_t i);
/* The value of a variable at a point. */
const ob_json *ob__sweep_space_value(const ob_sweep_space *space, uint64_t point, size_t variable);
/* An error at the first value that is no size. */
ob_status ob__sweep_check_sizes(const ob_sweep_axis *axis, ob_err *err);
/* SIZE_MAX when there is none. */
size_t ob__sweep_space_find(const ob_sweep_space *space, const char *name);

#endif
