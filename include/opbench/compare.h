/* SPDX-License-Identifier: Apache-2.0
 *
 * Compare: measurements side by side. One table per label; a row per thread count, environment and
 * sub_label (or stmt), a column per description, medians in the cells. Text tables are to the byte
 * those of torch.utils.benchmark's Compare; docs/compare.md says where they differ on purpose.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_COMPARE_H
#define OPBENCH_COMPARE_H

#include "opbench/measurement.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ the tables */

typedef struct ob_compare_row {
    int64_t num_threads;
    const char *env; /* NULL = none was given */
    const char *name;
    size_t group;      /* rows of the same thread count, from 0 */
    bool starts_group; /* first row of its group */
    bool shows_env;    /* several environments, and this one is not that of the row above */
} ob_compare_row;

/* Both NULL: not measured. */
typedef struct ob_compare_cell {
    const ob_measurement *measurement; /* all measurements of the task, merged */
    const ob_measurement_stats *stats;
} ob_compare_cell;

typedef struct ob_compare_table {
    const char *label;        /* NULL = none */
    const ob_time_unit *unit; /* chosen by the smallest median; all cells share it */
    bool has_envs;            /* more than one */
    bool has_warnings;        /* a cell has one */
    size_t row_count, column_count;
    const ob_compare_row *rows;   /* by thread count, environment, first appearance */
    const char *const *columns;   /* descriptions in order of first appearance; NULL = none */
    const ob_compare_cell *cells; /* row by row */
} ob_compare_table;

size_t ob_compare_table_count(const ob_compare *compare); /* in order of first appearance */
const ob_compare_table *ob_compare_table_at(const ob_compare *compare, size_t index);

/* ------------------------------------------------------------------ printing */

/* enum name, word, what is compared with what. */
#define OB_COLORIZE_MAP(X)                                                                         \
    X(NONE, "none", "no colours")                                                                  \
    X(COLUMNWISE, "columnwise", "each cell against the best of its column and thread count")       \
    X(ROWWISE, "rowwise", "each cell against the best of its row")

typedef enum ob_colorize {
#define OB_COLORIZE_ENUM(id, word, help) OB_COLORIZE_##id,
    OB_COLORIZE_MAP(OB_COLORIZE_ENUM)
#undef OB_COLORIZE_ENUM
        OB_COLORIZE_COUNT
} ob_colorize;
bool ob_colorize_from_word(const char *word, ob_colorize *out);

/* enum name, word, what is printed. */
#define OB_TABLE_FORMAT_MAP(X)                                                                     \
    X(TEXT, "text", "tables for a terminal")                                                       \
    X(MARKDOWN, "markdown", "a Markdown table per label")                                          \
    X(CSV, "csv", "one table with the columns of all labels")                                      \
    X(JSON, "json", "a list of tables with all figures, times in seconds")

typedef enum ob_table_format {
#define OB_TABLE_FORMAT_ENUM(id, word, help) OB_TABLE_##id,
    OB_TABLE_FORMAT_MAP(OB_TABLE_FORMAT_ENUM)
#undef OB_TABLE_FORMAT_ENUM
        OB_TABLE_FORMAT_COUNT
} ob_table_format;
bool ob_table_format_from_word(const char *word, ob_table_format *out);

/* Zero is the original's default. */
struct ob_compare_style {
    size_t size; /* sizeof(ob_compare_style) */
    ob_table_format format;
    bool trim_significant_figures; /* as many digits as the spread of the samples allows */
    bool highlight_warnings;       /* cells with a wide spread say how wide */
    ob_colorize colorize; /* TEXT: escape sequences of a terminal; MARKDOWN: the best are bold */
};

#ifdef __cplusplus
}
#endif
#endif
