/* SPDX-License-Identifier: Apache-2.0
 *
 * A logarithmic axis: values to places on a page, and which values are written beside it.
 */
#ifndef OB_REPORT_LOG_AXIS_H
#define OB_REPORT_LOG_AXIS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ob_log_axis {
    double low, high; /* values at its ends; both above 0 */
    double start,
        stop; /* places of its ends; stop may be below start, as on a page's vertical axis */
} ob_log_axis;

/* Values outside of these have no place on any axis: they come from files, and no machine has them. */
#define OB_LOG_AXIS_LEAST 1e-30
#define OB_LOG_AXIS_MOST 1e30
bool ob__axis_takes(double value); /* false for NaN too */
/* An axis over whole decades that holds both values, or as much of what is between them as an axis takes. */
ob_log_axis ob__axis_over(double least, double most, double start, double stop);
double ob__axis_place(const ob_log_axis *axis, double value);
double ob__axis_value(const ob_log_axis *axis, double place);
/* Powers of ten on the axis, in order: at most `room`, every second or third one where there are more. */
size_t ob__axis_ticks(const ob_log_axis *axis, double *ticks, size_t room);
/* "0.01", "1", "100", "10k", "1M": a power of ten as people read it. out holds 16 bytes; returns it. */
char *ob__axis_label(double tick, char *out);

#endif
