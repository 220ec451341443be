/* SPDX-License-Identifier: Apache-2.0
 *
 * Views: what makes a table of records. Each takes results one by one and copies what it shows.
 */
#ifndef OB_REPORT_VIEWS_H
#define OB_REPORT_VIEWS_H

#include "report/table_model.h"
#include "result/run_conditions.h"

/* The heading of half the width of a 95 % interval, in every table that has it. */
#define OB__HALF_WIDTH_TITLE "+- CI95"

/* ---- columns that are fields of a record ---- */

typedef struct ob_field_column {
    const ob_field
        *fields[2]; /* of the forward and the backward pass; the same for both where it has none */
    size_t column;
} ob_field_column;

typedef struct ob_field_columns {
    ob_field_column *items;
    size_t count, room;
} ob_field_columns;

/* A column for the field that path names; "*" in it stands for the pass. What column leaves out (title, name, hint) comes
 * from the field's row. */
void ob__field_columns_add(ob_field_columns *fields, ob_table *table, const char *path,
                           const ob_column *column);
/* Hidden columns for the fields that the texts of a choice name, so that it finds them. */
void ob__field_columns_ask(ob_field_columns *fields, ob_table *table,
                           const ob_table_choice *choice);
/* Sets the cells of the table's last row. */
void ob__field_columns_fill(const ob_field_columns *fields, ob_table *table,
                            const ob_record *record, bool backward);

/* ---- what a run's cases come to ---- */

/* How many calls a result stands for: those around which there was no other recorded call, because an outer
 * call's time holds the inner ones'; else all of them. OB_NO_INT: the config does not say. */
int64_t ob__result_weight(const ob_record_result *result);

typedef struct ob_total {
    const char *op, *backend;
    uint64_t calls, missing; /* measured, and not */
    double ns;               /* of all measured calls */
} ob_total;

typedef struct ob_totals {
    ob_arena arena;
    ob_total *items;
    size_t count, room;
    int64_t threads; /* that the totals are of: the first result's; 0 = there is none yet */
    bool no_memory;
} ob_totals;

void ob__totals_add(ob_totals *totals, const ob_record_result *result);
void ob__totals_fini(ob_totals *totals);
double ob__totals_ns(const ob_totals *totals, const char *backend); /* all of the backend's */
/* The operator with the largest share first. NULL when memory is out. */
ob_table *ob__totals_table(ob_totals *totals);

/* ---- the tables of a run ---- */

/* What is known of rows that are not there yet. */
typedef struct ob_expected {
    size_t call_width; /* 0 = not known */
    bool repeats_calls;
    bool one_pass; /* all are forward passes */
    const char *const *calls;
    size_t call_count;
} ob_expected;

typedef struct ob_run_view {
    ob_table *table;
    ob_field_columns fields;
    bool has_operators;       /* some results are of operators, not of code */
    bool counted;             /* a result says something of instructions */
    bool counts_alone, timed; /* there are results that are counts, and others */
    int64_t threads;          /* of the first result; 0 = there is none yet */
    bool scales;              /* others have other numbers of threads */
} ob_run_view;

bool ob__run_view_open(ob_run_view *view, const ob_table_choice *choice);
void ob__run_view_add(ob_run_view *view, const ob_record *record);
/* Before rows are printed as they come: which columns there are, and how wide. */
void ob__run_view_fix(ob_run_view *view, const ob_expected *expected);
/* How a result ended. */
ob_mark ob__mark_of_result(const ob_record_result *result);
/* After the last result. */
void ob__run_view_end(ob_run_view *view, const ob_totals *totals);

/* Columns of a table of results with several numbers of threads (scaling.c). */
enum { OB_SCALING_KEYS = 4 };
typedef struct ob_scaling_columns {
    size_t work[OB_SCALING_KEYS]; /* rows with the same texts in them are of the same work */
    size_t threads, median, speed_up, efficiency;
} ob_scaling_columns;

/* Rows of the same work follow each other then; fills the last two columns, beside the fewest threads of the same work,
 * and shows them and the threads. */
void ob__run_view_scale(ob_table *table, const ob_scaling_columns *columns);

typedef struct ob_side_by_side_view ob_side_by_side_view;
enum {
    OB_SIDE_VIEW_CALL,
    OB_SIDE_VIEW_OPERATOR,
    OB_SIDE_VIEW_ID,
    OB_SIDE_VIEW_PASS,
    OB_SIDE_VIEW_THREADS, /* hidden, unless there are several numbers */
    OB_SIDE_VIEW_FIXED
}; /* columns */

ob_side_by_side_view *ob__side_by_side_view_create(bool wide); /* NULL when memory is out */
void ob__side_by_side_view_destroy(ob_side_by_side_view *view);
/* OB_ERR_LIMIT for more backends than a run can have. */
ob_status ob__side_by_side_view_add(ob_side_by_side_view *view, const ob_record_result *result,
                                    ob_err *err);
/* Rows [first, end) of the view, as far as they are there. fixed: which columns there are, and how wide, for rows that are printed as they come; NULL =
 * as all results have it. NULL when memory is out. */
ob_table *ob__side_by_side_view_table(ob_side_by_side_view *view, size_t first, size_t end,
                                      const ob_expected *fixed);
bool ob__side_by_side_view_has_ratios(const ob_side_by_side_view *view);
/* How many rows have all of their sides, or will get no more. */
size_t ob__side_by_side_view_whole(const ob_side_by_side_view *view, size_t sides);

/* ---- a sweep ---- */

typedef struct ob_sweep_view {
    ob_table *table;
    ob_field_columns fields;
    size_t variables; /* columns before those of all sweeps */
} ob_sweep_view;

bool ob__sweep_view_open(ob_sweep_view *view, const ob_sweep *sweep, const ob_table_choice *choice);
void ob__sweep_view_fix(ob_sweep_view *view); /* as ob__run_view_fix */
void ob__sweep_view_fini(ob_sweep_view *view);
/* OB_ERR_INVALID for a record that is not of the sweep. */
ob_status ob__sweep_view_add(ob_sweep_view *view, const ob_sweep *sweep, const ob_record *record,
                             ob_err *err);

/* ---- a suite of snippets ---- */

typedef struct ob_suite_view ob_suite_view;

ob_suite_view *ob__suite_view_create(void); /* NULL when memory is out */
void ob__suite_view_destroy(ob_suite_view *view);
ob_status ob__suite_view_add(ob_suite_view *view, const ob_record_result *result, ob_err *err);
/* title: what the numbers are, 64 bytes. NULL when memory is out. */
ob_table *ob__suite_view_table(ob_suite_view *view, char *title);

/* ---- replays ---- */

enum { OB_MOST_REPLAY_BACKENDS = 8 };

typedef struct ob_replay_view ob_replay_view;

ob_replay_view *ob__replay_view_create(const ob_table_choice *choice); /* NULL: memory is out */
void ob__replay_view_destroy(ob_replay_view *view);
/* A step, behind its parts. */
ob_status ob__replay_view_add(ob_replay_view *view, const ob_record *record, ob_err *err);
/* Appends the lines of parts whose step has not come, and forgets them. */
void ob__replay_view_take_parts(ob_replay_view *view, ob_text *out);
/* chosen: the rows of all steps, whatever the format. */
ob_status ob__replay_view_print(ob_replay_view *view, const ob_table_choice *choice, bool chosen,
                                ob_table_format format, ob_text *text, ob_err *err);

/* ---- warnings, each kind once ---- */

enum { OB_MOST_NOTES = 16 };

typedef struct ob_run_note {
    char text[256];  /* of the first result that has it */
    char first[192]; /* which result */
    uint64_t count;  /* results that have it */
    char mark;       /* what stands in their rows: '*' for a warning, '-' for no interval */
} ob_run_note;

/* Zero is empty. */
typedef struct ob_run_notes {
    ob_run_note items[OB_MOST_NOTES];
    size_t count;
    uint64_t others; /* warnings beyond */
    struct {
        uint64_t same, differs, unchecked;
        double worst; /* in units of its bound */
    } checks;         /* of results, with --check */
} ob_run_notes;

static inline bool ob__run_notes_have_checks(const ob_run_notes *notes)
{
    return notes->checks.same + notes->checks.differs + notes->checks.unchecked > 0;
}

void ob__run_notes_add(ob_run_notes *notes, const ob_record_result *result);
bool ob__run_notes_print(const ob_run_notes *notes, ob_text *out);

#endif
