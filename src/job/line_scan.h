/* SPDX-License-Identifier: Apache-2.0
 *
 * What a line of a result file is about, without reading all of it: joining files moves lines as they are, and their
 * samples are most of them.
 */
#ifndef OB_JOB_LINE_SCAN_H
#define OB_JOB_LINE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ob_scan_kind {
    OB_SCAN_OTHER,
    OB_SCAN_HEADER,
    OB_SCAN_RESULT,
    OB_SCAN_FINISH,
} ob_scan_kind;

/* A value as it stands in the line: a string with its quotes. size 0 = absent. */
typedef struct ob_scan_value {
    const char *data;
    size_t size;
} ob_scan_value;

enum ob_scan_field {
    OB_SCAN_KEY,
    OB_SCAN_ID,
    OB_SCAN_BACKEND,
    OB_SCAN_SIDE,
    OB_SCAN_PROCESS,
    OB_SCAN_THREADS_ASKED,
    OB_SCAN_THREADS,
    OB_SCAN_INDEX,
    OB_SCAN_STATUS,
    OB_SCAN_PART_OF,
    OB_SCAN_FIELDS
};

typedef struct ob_line_scan {
    ob_scan_kind kind;
    ob_scan_value fields[OB_SCAN_FIELDS];
} ob_line_scan;

/* Of a line without its newline. False: it is no object of JSON, or one that was cut off. Values within values are only checked
 * for their brackets and quotes. */
bool ob__line_scan(const char *line, size_t length, ob_line_scan *out);
/* A number without sign, or `otherwise`. */
uint64_t ob__scan_number(const ob_scan_value *value, uint64_t otherwise);

#endif
