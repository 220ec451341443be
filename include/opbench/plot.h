/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of records: a self-contained SVG, or characters for a terminal.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_PLOT_H
#define OPBENCH_PLOT_H

#include "opbench/record.h"
#include "opbench/roofline.h"
#include "opbench/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* enum name, word, help */
#define OB_PLOT_MAP(X)                                                                             \
    X(ROOFLINE, "roofline", "results below the ceilings of their machine")                         \
    X(DISTRIBUTION, "distribution", "the samples of each case, as a histogram and in time order")  \
    X(RATIO, "ratio", "backends or sides compared with the first, with intervals")                 \
    X(SCALING, "scaling", "the speed-up with more threads")                                        \
    X(STEP, "step", "where the time of a recorded step goes")                                      \
    X(HISTORY, "history", "the median of each case over the runs of files or of a database")

typedef enum ob_plot_kind {
#define OB_PLOT_ENUM(id, word, help) OB_PLOT_##id,
    OB_PLOT_MAP(OB_PLOT_ENUM)
#undef OB_PLOT_ENUM
        OB_PLOT_KIND_COUNT
} ob_plot_kind;

typedef struct ob_plot_params {
    size_t size; /* sizeof (ob_plot_params) */
    ob_plot_kind kind;
    const ob_roofline *roofline; /* ceilings, copied; NULL = those that the first header has */
    int64_t threads;             /* draw the ceilings for these; 0 = as many as most results have */
    const char *only;            /* other kinds: cases whose call contains this text; NULL = all */
    size_t most;                 /* other kinds: at most this many cases; 0 = 12, or all in text */
} ob_plot_params;

/* INLINE: SVG without its style sheet, for a page that has it. */
typedef enum ob_plot_form { OB_PLOT_SVG, OB_PLOT_TEXT, OB_PLOT_INLINE } ob_plot_form;

/* Zeros are defaults. */
typedef struct ob_plot_style {
    size_t size;          /* sizeof (ob_plot_style) */
    size_t width, height; /* in pixels (900 x 600), or characters (80 x 24) */
    bool ascii;           /* TEXT: nothing but ASCII */
} ob_plot_style;

typedef struct ob_plot ob_plot;

ob_status ob_plot_create(const ob_plot_params *params, ob_plot **out, ob_err *err);
void ob_plot_destroy(ob_plot *plot); /* NULL is allowed */
/* Copies what it needs from a record of any kind. */
ob_status ob_plot_add(ob_plot *plot, const ob_record *record, ob_err *err);
/* For OB_PLOT_HISTORY, instead of records: copies the series that the filter (NULL = all) and
 * `only` select, and finds their changes. Call it once. OB_ERR_INVALID: the plot is of another
 * kind. */
ob_status ob_plot_add_store(ob_plot *plot, ob_store *store, const ob_store_filter *filter,
                            ob_err *err);
/* Appends the picture; style may be NULL. OB_ERR_NOT_FOUND when there is nothing to draw: the
 * message says what is missing. */
ob_status ob_plot_print(const ob_plot *plot, ob_plot_form form, const ob_plot_style *style,
                        ob_text *text, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
