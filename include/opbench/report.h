/* SPDX-License-Identifier: Apache-2.0
 *
 * Showing records. A table is columns and cells, independent of the output format; each format
 * (text, Markdown, CSV, JSON) has one printer, which makes hostile texts harmless. A report turns
 * records into tables: what `opbench run` prints at its end, `opbench show` prints from the file.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_REPORT_H
#define OPBENCH_REPORT_H

#include "opbench/compare.h"
#include "opbench/diff.h"
#include "opbench/fleet.h"
#include "opbench/record.h"
#include "opbench/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ tables */

/* What a column's cells are, and so how numbers are written. */
typedef enum ob_hint {
    OB_HINT_TEXT,
    OB_HINT_TIME,   /* in ns; people get four digits and the unit that suits */
    OB_HINT_FIGURE, /* people get four digits, programs all */
    OB_HINT_BRIEF,  /* people get two */
    OB_HINT_COUNT,  /* all digits: two counts are compared to the last one */
    OB_HINT_SHARE,  /* 0 to 1; people get per cent */
    OB_HINT_REAL,   /* all digits and always a point, as in JSON */
} ob_hint;

enum {
    OB_COLUMN_HIDDEN = 1,      /* printed only if chosen; rows can be sorted and filtered by it */
    OB_COLUMN_CENTRED = 2,     /* in text */
    OB_COLUMN_NOT_EMPTY = 4,   /* left out of text when all its cells are empty */
    OB_COLUMN_WRAPPED = 8,     /* last column: texts are wrapped at the style's width */
    OB_COLUMN_SHORTENED = 16,  /* where the style's width is too small, its texts are cut first */
    OB_COLUMN_LESSER = 32,     /* and then columns of this kind are left out, the last first */
    OB_COLUMN_SPARE = 64,      /* and then these */
    OB_COLUMN_WITH_LAST = 128, /* left out with the column before it, and never alone */
};

typedef struct ob_column {
    const char *title; /* for people: text and Markdown; NULL = not there */
    const char *name;  /* for programs: CSV and JSON; NULL = not there */
    const char *group; /* heading over neighbours that share it, in text; NULL = none */
    ob_hint hint;
    uint32_t flags;
    size_t least_width; /* in text */
} ob_column;

typedef struct ob_table ob_table;

/* All calls copy what they are given. If memory runs out, ob_table_print reports it. */
ob_table *ob_table_create(void);        /* NULL when out of memory */
void ob_table_destroy(ob_table *table); /* NULL is allowed */
/* Returns the column's number; it is empty in existing rows. */
size_t ob_table_add_column_sized(ob_table *table, const ob_column *column, size_t size);
static inline size_t ob_table_add_column(ob_table *table, const ob_column *column)
{
    return ob_table_add_column_sized(table, column, sizeof *column);
}
void ob_table_add_row(ob_table *table);
/* Sets a cell of the last row. A number that is NaN, or a text that is NULL, is an empty cell. If a
 * cell has both, people get the text and programs the number. */
void ob_table_set_text(ob_table *table, size_t column, const char *text);
void ob_table_set_number(ob_table *table, size_t column, double number);
/* Lines above and below the last row, in text; NULL = none. */
void ob_table_set_heading(ob_table *table, const char *lines);
void ob_table_set_note(ob_table *table, const char *lines);
/* A line below the table, in text. */
void ob_table_add_line(ob_table *table, const char *line);
size_t ob_table_row_count(const ob_table *table);

/* Zero is plain text. */
typedef struct ob_table_style {
    size_t size; /* sizeof(ob_table_style) */
    ob_table_format format;
    const char *list; /* JSON: one object with the rows under this key; NULL = a line per row */
    size_t width;     /* text: width of the screen; 0 = no wrapping */
    bool bold_titles; /* text: for a terminal that shows it */
    bool trimmed;     /* text: no blanks at the ends of lines */
    bool coloured; /* text: how results ended is shown in colours; for a terminal that shows them */
} ob_table_style;

/* Appends the table; style may be NULL. */
ob_status ob_table_print(const ob_table *table, const ob_table_style *style, ob_text *text,
                         ob_err *err);

/* Which rows and columns are kept, and in which order. Zeros keep all. */
typedef struct ob_table_choice {
    size_t size;         /* sizeof(ob_table_choice) */
    const char *columns; /* "operator,id,median": titles, names, or fields of a record */
    const char *sort;    /* one of them; "-median" = the largest first. Empty cells come last. */
    const char *filter;  /* "status == ok and median > 5us"; docs/show.md has the grammar */
    int64_t top;         /* only this many rows, the first; 0 = all */
} ob_table_choice;

/* OB_ERR_NOT_FOUND for a column that is not there, OB_ERR_SYNTAX for a filter that cannot be
 * read. */
ob_status ob_table_choose(ob_table *table, const ob_table_choice *choice, ob_err *err);

/* "5.2 us": four digits and the unit that suits; "-" for NaN. Returns out. */
char *ob_time_format(double ns, char *out, size_t size);

/* Appends a diff that was judged (ob_diff_judge). The text form takes the width and the colours of
 * the style, and the rows and their order from the choice; other forms have all rows. style and
 * choice may be NULL. */
ob_status ob_diff_print(const ob_diff *diff, ob_diff_form form, const ob_table_style *style,
                        const ob_table_choice *choice, ob_text *text, ob_err *err);

/* A table with a row for each node of a judged fleet, the sickest first, and a summary below. all:
 * include healthy nodes, as programs want; otherwise only their number is shown. NULL: out of
 * memory. */
ob_table *ob_fleet_table(const ob_fleet *fleet, bool all);

/* ------------------------------------------------------------------ reports */

/* enum name, what is shown. */
#define OB_VIEW_MAP(X)                                                                             \
    X(NONE, "the record does not say")                                                             \
    X(RUN, "a row per result and pass")                                                            \
    X(SIDES, "a row per case, the backends side by side")                                          \
    X(SWEEP, "a row per point of a sweep")                                                         \
    X(SUITE, "the snippets of a suite by label, language and mode")                                \
    X(REPLAY, "what was replayed of steps of traces, and their operators")                         \
    X(MEASUREMENTS, "each result as torch.utils.benchmark prints it")                              \
    X(INSTRUCTIONS, "each count as torch.utils.benchmark prints it")                               \
    X(STEP, "where the time of a recorded step goes, by operator and backend")

typedef enum ob_view {
#define OB_VIEW_ENUM(id, help) OB_VIEW_##id,
    OB_VIEW_MAP(OB_VIEW_ENUM)
#undef OB_VIEW_ENUM
        OB_VIEW_COUNT
} ob_view;

/* The view of the command that wrote the record; OB_VIEW_NONE: a later record may tell. */
ob_view ob_record_view(const ob_record *record);

typedef struct ob_report_params {
    size_t size; /* sizeof(ob_report_params) */
    ob_view view;
    ob_context *context; /* SWEEP: knows its operators */
    bool totals_only;    /* the rows are printed elsewhere */
    bool wide;           /* several backends: the rates of each, not just the fastest */
    size_t width;        /* of the screen, for text; 0 = nothing is cut */
    /* Which rows to show; with columns or a filter there are no totals and no notes. NULL = all. */
    const ob_table_choice *choice;
    bool coloured; /* text: how results ended is shown in colours */
    /* SIDES, for ob_report_print_new: how many a row has; 0 = not known, rows wait for the next
     * one. */
    size_t side_count;
} ob_report_params;

typedef struct ob_report ob_report;

ob_status ob_report_create(const ob_report_params *params, ob_report **out, ob_err *err);
void ob_report_destroy(ob_report *report); /* NULL is allowed */
/* Copies what it needs from a record of any kind; NULL = the end of a file. An interrupted case is
 * left out if its file continues after it, because the resumed run has measured it again. */
ob_status ob_report_add(ob_report *report, const ob_record *record, ob_err *err);
/* Announces what will come, before ob_report_print_new prints the first rows: the length of the
 * longest call (0 = not known), and whether several rows have the same call, so that ids are shown
 * to tell them apart. */
void ob_report_expect(ob_report *report, size_t call_width, bool repeats_calls);
/* Announces the calls, as far as they are known, so that they can be shortened and still be told
 * apart. one_pass: there will be no rows of backward passes. The calls must outlive the report's
 * last row. */
void ob_report_expect_calls(ob_report *report, const char *const *calls, size_t count,
                            bool one_pass);
/* Prints while records arrive: appends, as text, the complete rows that were not printed yet, in
 * columns whose widths do not change; the titles come with the first rows. Appends nothing if the
 * rows are known only at the end: with a choice, and for SUITE and REPLAY. ob_report_print prints
 * the remaining rows and the totals. */
ob_status ob_report_print_new(ob_report *report, ob_text *text, ob_err *err);
/* Appends the table and, for people, the totals of a recorded program; JSON has both. Call it once,
 * after the last record; for MEASUREMENTS and INSTRUCTIONS, which have one form, as often as you
 * like: each call prints what was added since the last one. */
ob_status ob_report_print(ob_report *report, ob_table_format format, ob_text *text, ob_err *err);
/* The warnings that "*" in the table stands for, each kind once, for people. */
ob_status ob_report_print_notes(const ob_report *report, ob_table_format format, ob_text *text,
                                ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
