/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a large trace is read, on a terminal.
 */
#ifndef OB_CLI_READING_LINE_H
#define OB_CLI_READING_LINE_H

#include "command.h"

#include "opbench/trace.h"

/* Zero is new. */
typedef struct ob_reading_line {
    const char *what; /* "reading step.json.gz" */
    uint64_t began_ns, drawn_ns;
} ob_reading_line;

/* Limits that draw the line, for ob_trace_open; it lives as long as they are used. */
ob_trace_limits ob__reading_limits(ob_reading_line *line, const char *what);
/* The line is gone, if it was there. */
void ob__reading_end(ob_reading_line *line);

#endif
