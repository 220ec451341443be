/* SPDX-License-Identifier: Apache-2.0
 *
 * The readers behind ob_count_file_parse: each appends its parts to a file.
 */
#ifndef OB_COUNT_COUNTS_FILE_H
#define OB_COUNT_COUNTS_FILE_H

#include "opbench/count.h"

struct ob_count_file {
    const char *name; /* for messages while it is read */
    ob_count_format format;
    ob_count_stats **parts;
    size_t size, capacity;
};

/* Takes over the two tables, also when it fails; inclusive may be NULL. The params' own tables are not
 * looked at. */
ob_status ob__count_file_push(ob_count_file *file, const ob_count_stats_params *params,
                              ob_counts *exclusive, ob_counts *inclusive, ob_err *err);

ob_status ob__read_callgrind(ob_count_file *file, const char *text, size_t size, ob_err *err);
ob_status ob__read_annotate(ob_count_file *file, const char *text, size_t size, ob_err *err);
ob_status ob__read_count_json(ob_count_file *file, const char *text, size_t size, ob_err *err);

/* One line, without its newline. */
typedef struct ob_count_line {
    const char *text;
    size_t size;
} ob_count_line;

/* The next line of [*at, end), and *at behind it; false at the end. */
bool ob__next_line(const char **at, const char *end, ob_count_line *line);
/* Whether the line starts with prefix; *rest (may be NULL) gets what follows it and blanks. */
bool ob__line_starts(const ob_count_line *line, const char *prefix, ob_count_line *rest);

#endif
