/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of several backends in one row. For people a cell is a median, or the word of what went wrong, whose
 * reason stands below the row; the ratio to the first backend is that of the records, which is of
 * pairs and has an interval.
 */
#include "report/views.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BACKENDS = 8 };

/* What one backend gave. */
typedef struct side {
    bool there;
    const char *status, *word; /* the second for people, where there is no time */
    ob_mark mark;              /* of the word */
    const char *reason;
    double median_ns, mean_ns, instructions;
    double attainable_ns, of_attainable;
    const char *bound_by;
    double gflops_per_s, gb_per_s;
    ob_record_ratio ratio;
} side;

typedef struct row {
    const char *call, *op, *id, *pass;
    int64_t threads;
    side sides[MOST_BACKENDS];
} row;

struct ob_side_by_side_view {
    ob_arena arena;
    const char *backends[MOST_BACKENDS];
    size_t backend_count;
    row *rows;
    size_t count, room;
    struct {
        bool counted;  /* a result says something of instructions */
        bool attained; /* and one of what was attainable */
        bool scales;   /* there are several numbers of threads */
    } has, shown;      /* what results have; what columns are for */
    bool is_fixed;     /* rows were printed: `shown` stays as it is */
    bool wide;         /* people see the rates of every backend, not of the fastest alone */
};

ob_side_by_side_view *ob__side_by_side_view_create(bool wide)
{
    ob_side_by_side_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return NULL;
    ob__arena_init(&view->arena, 0);
    view->wide = wide;
    return view;
}

void ob__side_by_side_view_destroy(ob_side_by_side_view *view)
{
    if (view == NULL)
        return;
    ob__arena_fini(&view->arena);
    free(view->rows);
    free(view);
}

/* ---- adding ---- */

static const char *keep(ob_side_by_side_view *view, const char *text)
{
    return ob__arena_strdup(&view->arena, text != NULL ? text : "",
                            text != NULL ? strlen(text) : 0);
}

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the table");
}

static ob_status find_backend(ob_side_by_side_view *view, const char *name, size_t *out,
                              ob_err *err)
{
    size_t b = 0;
    while (b < view->backend_count && strcmp(view->backends[b], name) != 0)
        b++;
    *out = b;
    if (b < view->backend_count)
        return OB_OK;
    if (b == MOST_BACKENDS)
        return ob_err_set(err, OB_ERR_LIMIT, "more than %d backends do not fit side by side",
                          (int)MOST_BACKENDS);
    view->backends[b] = keep(view, name);
    view->backend_count += view->backends[b] != NULL;
    return view->backends[b] != NULL ? OB_OK : no_memory(err);
}

/* From the end: the backends of a case come one after the other. A cell that is taken belongs to an
 * earlier run in the same file. NULL: out of memory. */
static row *find_row(ob_side_by_side_view *view, const ob_record_result *r, const char *pass,
                     size_t b)
{
    const char *id = r->id != NULL ? r->id : "", *op = r->op_name != NULL ? r->op_name : "";
    for (size_t i = view->count; i > 0; i--) {
        row *old = &view->rows[i - 1];
        if (strcmp(old->id, id) == 0 && strcmp(old->op, op) == 0 && old->pass == pass &&
            old->threads == r->threads && !old->sides[b].there)
            return old;
    }
    if (!OB_RESERVE(view->rows, view->room, view->count + 1))
        return NULL;
    row *new = &view->rows[view->count++];
    char room[OB_CALL_ROOM];
    *new = (row){.call = keep(view, ob__record_call(r, room)),
                 .op = keep(view, op),
                 .id = keep(view, id),
                 .pass = pass,
                 .threads = r->threads};
    view->has.scales = view->has.scales || view->rows[0].threads != r->threads;
    return new->call != NULL &&new->op != NULL &&new->id != NULL ? new : NULL;
}

static ob_status add_pass(ob_side_by_side_view *view, const ob_record_result *r, bool backward,
                          ob_err *err)
{
    static const char *const PASSES[] = {"forward", "backward"};
    const ob_record_pass *pass = backward ? &r->backward : &r->forward;
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    size_t b;
    const char *name = r->side != NULL ? r->side : r->backend;
    OB_TRY(find_backend(view, name != NULL ? name : "?", &b, err));
    row *to = find_row(view, r, PASSES[backward], b);
    if (to == NULL)
        return no_memory(err);
    const bool measured = pass->measure_time_ms.count > 0 && info->ran;
    static const ob_record_ratio NONE = {.value = NAN, .low = NAN, .high = NAN};
    to->sides[b] =
        (side){.there = true,
               .status = info->word,
               .word = info->ran ? NULL : info->word,
               .mark = info->ran ? OB_MARK_NONE : ob__mark_of_result(r),
               .reason = r->reason != NULL && r->reason[0] != '\0' ? keep(view, r->reason) : NULL,
               .median_ns = measured ? pass->time_ms.median * 1e6 : NAN,
               .mean_ns = measured ? pass->time_ms.mean * 1e6 : NAN,
               .gflops_per_s = measured ? pass->gflops_per_s : NAN,
               .gb_per_s = measured ? pass->gb_per_s : NAN,
               .instructions = backward ? r->instructions.backward : r->instructions.forward,
               .attainable_ns = measured ? pass->attainable_ms * 1e6 : NAN,
               .of_attainable = measured ? pass->of_attainable : NAN,
               .bound_by = measured && pass->bound_by != NULL ? keep(view, pass->bound_by) : NULL,
               .ratio = measured ? pass->ratio : NONE};
    view->has.counted = view->has.counted || r->instructions.source != NULL;
    view->has.attained = view->has.attained || to->sides[b].of_attainable > 0;
    return OB_OK;
}

ob_status ob__side_by_side_view_add(ob_side_by_side_view *view, const ob_record_result *result,
                                    ob_err *err)
{
    OB_TRY(add_pass(view, result, false, err));
    return result->backward.measure_time_ms.count > 0 ? add_pass(view, result, true, err) : OB_OK;
}

/* ---- the table ---- */

/* What a column shows of a backend; %1 in its names is the backend, %2 the first one. Columns of people stand before those of
 * programs, and both in the order of these rows: a row's columns of all backends stand together if it says so. */
typedef enum figure {
    TIME,
    RATIO,
    SPREAD,
    SHOWN_GFLOPS,
    SHOWN_GBS,
    SHOWN_INSTRUCTIONS,
    SHOWN_SHARE,
    SHOWN_BOUND,
    STATUS,
    MEDIAN,
    MEAN,
    REASON,
    RATIO_VALUE,
    RATIO_LOW,
    RATIO_HIGH,
    INSTRUCTIONS,
    GFLOPS,
    GBS,
    ATTAINABLE,
    OF_ATTAINABLE,
    BOUND,
    FIGURES
} figure;

static const struct {
    const char *title, *name;
    ob_hint hint;
    bool not_first; /* the first backend has none */
    bool ends;      /* the figures of the next backend come before the next figure */
} SHAPES[FIGURES] = {
    [TIME] = {"%1", NULL, OB_HINT_TIME, false, true},
    [RATIO] = {"%1/%2", NULL, OB_HINT_FIGURE, true, false},
    [SPREAD] = {OB__HALF_WIDTH_TITLE, NULL, OB_HINT_BRIEF, true, true},
    [SHOWN_GFLOPS] = {"%1 GFLOP/s", NULL, OB_HINT_FIGURE, false, false},
    [SHOWN_GBS] = {"%1 GB/s", NULL, OB_HINT_FIGURE, false, true},
    [SHOWN_INSTRUCTIONS] = {"%1 instr.", NULL, OB_HINT_COUNT, false, true},
    [SHOWN_SHARE] = {"%1 of roof", NULL, OB_HINT_SHARE, false, false},
    [SHOWN_BOUND] = {"bound by", NULL, OB_HINT_TEXT, false, true},
    [STATUS] = {NULL, "%1_status", OB_HINT_TEXT, false, false},
    [MEDIAN] = {NULL, "%1_median_ns", OB_HINT_TIME, false, false},
    [MEAN] = {NULL, "%1_mean_ns", OB_HINT_TIME, false, false},
    [REASON] = {NULL, "%1_reason", OB_HINT_TEXT, false, false},
    [RATIO_VALUE] = {NULL, "%1_ratio", OB_HINT_FIGURE, true, false},
    [RATIO_LOW] = {NULL, "%1_ratio_low", OB_HINT_FIGURE, true, false},
    [RATIO_HIGH] = {NULL, "%1_ratio_high", OB_HINT_FIGURE, true, true},
    [INSTRUCTIONS] = {NULL, "%1_instructions", OB_HINT_COUNT, false, true},
    [GFLOPS] = {NULL, "%1_gflop_per_second", OB_HINT_FIGURE, false, false},
    [GBS] = {NULL, "%1_gb_per_second", OB_HINT_FIGURE, false, true},
    [ATTAINABLE] = {NULL, "%1_attainable_ns", OB_HINT_TIME, false, false},
    [OF_ATTAINABLE] = {NULL, "%1_of_attainable", OB_HINT_SHARE, false, false},
    [BOUND] = {NULL, "%1_bound_by", OB_HINT_TEXT, false, true},
};

static const char *spell(const ob_side_by_side_view *view, const char *shape, size_t b,
                         ob_text *out)
{
    bool ok = true;
    out->size = 0;
    for (const char *c = shape; ok && shape != NULL && *c != '\0'; c++) {
        const bool names = c[0] == '%' && (c[1] == '1' || c[1] == '2');
        ok = names ? ob_text_append_str(out, view->backends[c[1] == '1' ? b : 0])
                   : ob_text_append(out, c, 1);
        c += names;
    }
    return ok && shape != NULL && ob_text_append(out, "", 1) ? out->data : NULL;
}

/* What is said of a row besides: which backend is the fastest, and how far that one came. */
enum { BEST, BEST_GFLOPS, BEST_GBS, BEST_SHARE, BEST_BOUND, BEST_COLUMNS };

typedef struct columns {
    size_t figures[FIGURES][MOST_BACKENDS]; /* 0 = it has none */
    size_t best[BEST_COLUMNS];
    size_t plain_best, plain_call; /* programs find them behind what they knew before */
} columns;

static void add_best_columns(const ob_side_by_side_view *view, ob_table *table, columns *to)
{
    const uint32_t rates = (view->wide ? OB_COLUMN_HIDDEN : OB_COLUMN_NOT_EMPTY) | OB_COLUMN_LESSER;
    const ob_column all[BEST_COLUMNS] = {
        [BEST] = {.title = "best"},
        [BEST_GFLOPS] = {.title = "GFLOP/s", .hint = OB_HINT_FIGURE, .flags = rates},
        [BEST_GBS] = {.title = "GB/s", .hint = OB_HINT_FIGURE, .flags = rates},
        [BEST_SHARE] = {.title = "of roof", .hint = OB_HINT_SHARE, .flags = rates},
        [BEST_BOUND] = {.title = "bound by", .flags = rates},
    };
    for (int i = 0; i < BEST_COLUMNS; i++)
        to->best[i] = ob_table_add_column(table, &all[i]);
}

static bool is_shown(const ob_side_by_side_view *view, int first)
{
    switch (first) {
    case SHOWN_INSTRUCTIONS:
    case INSTRUCTIONS:
        return view->shown.counted;
    case SHOWN_GFLOPS:
        return view->wide;
    case SHOWN_SHARE:
        return view->wide && view->shown.attained;
    case ATTAINABLE:
        return view->shown.attained;
    default:
        return true;
    }
}

static uint32_t flags_of(int f)
{
    return f == SHOWN_GFLOPS || f == SHOWN_GBS ? OB_COLUMN_NOT_EMPTY | OB_COLUMN_LESSER
           : f == RATIO                        ? OB_COLUMN_SPARE
           : f == SPREAD                       ? OB_COLUMN_WITH_LAST
                                               : 0;
}

static void add_columns(const ob_side_by_side_view *view, ob_table *table, columns *to)
{
    static const ob_column FIXED[OB_SIDE_VIEW_FIXED] = {
        [OB_SIDE_VIEW_CALL] = {.title = "call", .flags = OB_COLUMN_SHORTENED},
        [OB_SIDE_VIEW_OPERATOR] = {.name = "operator"},
        [OB_SIDE_VIEW_ID] = {.name = "id"},
        [OB_SIDE_VIEW_PASS] = {.title = "pass", .name = "pass"},
        [OB_SIDE_VIEW_THREADS] = {.title = "threads",
                                  .name = "threads",
                                  .hint = OB_HINT_COUNT,
                                  .flags = OB_COLUMN_HIDDEN},
    };
    ob_text title = {.data = NULL}, name = {.data = NULL};
    for (int c = 0; c < OB_SIDE_VIEW_FIXED; c++)
        ob_table_add_column(table, &FIXED[c]);
    if (view->shown.scales && !table->no_memory)
        table->columns[OB_SIDE_VIEW_THREADS].flags = 0;
    for (int first = 0, last; first < FIGURES; first = last + 1) {
        for (last = first; !SHAPES[last].ends; last++)
            continue;
        for (size_t b = 0; b < view->backend_count && is_shown(view, first); b++)
            for (int f = first; f <= last; f++)
                if (b > 0 || !SHAPES[f].not_first)
                    to->figures[f][b] = ob_table_add_column(
                        table, &(ob_column){.title = spell(view, SHAPES[f].title, b, &title),
                                            .name = spell(view, SHAPES[f].name, b, &name),
                                            .hint = SHAPES[f].hint,
                                            .flags = flags_of(f)});
        if (last == SPREAD)
            add_best_columns(view, table, to);
    }
    to->plain_best = ob_table_add_column(table, &(ob_column){.name = "best"});
    to->plain_call = ob_table_add_column(table, &(ob_column){.name = "call"});
    ob_text_fini(&title);
    ob_text_fini(&name);
}

/* The one with the smallest median; MOST_BACKENDS = none was measured. */
static size_t find_fastest(const row *r)
{
    size_t fastest = MOST_BACKENDS;
    for (size_t b = 0; b < MOST_BACKENDS; b++)
        if (r->sides[b].there && !isnan(r->sides[b].median_ns) &&
            (fastest == MOST_BACKENDS || r->sides[b].median_ns < r->sides[fastest].median_ns))
            fastest = b;
    return fastest;
}

/* Whether the intervals of the ratios to the first backend tell it from all others that were measured. */
static bool is_best(const row *r, size_t b)
{
    static const ob_record_ratio FIRST = {.value = 1, .low = 1, .high = 1};
    const ob_record_ratio *own = b == 0 ? &FIRST : &r->sides[b].ratio;
    size_t others = 0;
    for (size_t i = 0; i < MOST_BACKENDS; i++) {
        if (i == b || !r->sides[i].there || isnan(r->sides[i].median_ns))
            continue;
        const ob_record_ratio *other = i == 0 ? &FIRST : &r->sides[i].ratio;
        if (!(own->high < other->low)) /* also where there is no interval */
            return false;
        others++;
    }
    return others > 0;
}

static void fill_best(const ob_side_by_side_view *view, ob_table *table, const columns *at,
                      const row *r)
{
    const size_t b = find_fastest(r);
    ob_table_set_text(table, at->plain_call, r->call);
    if (b == MOST_BACKENDS)
        return;
    const char *best = is_best(r, b) ? view->backends[b] : NULL;
    ob_table_set_text(table, at->best[BEST], best);
    ob__table_set_mark(table, at->best[BEST], OB_MARK_FINE);
    ob_table_set_text(table, at->plain_best, best);
    ob_table_set_number(table, at->best[BEST_GFLOPS], r->sides[b].gflops_per_s);
    ob_table_set_number(table, at->best[BEST_GBS], r->sides[b].gb_per_s);
    ob_table_set_number(table, at->best[BEST_SHARE], r->sides[b].of_attainable);
    ob_table_set_text(table, at->best[BEST_BOUND], r->sides[b].bound_by);
}

static void fill_side(ob_table *table, const size_t places[FIGURES][MOST_BACKENDS], size_t b,
                      const side *s)
{
    const double numbers[FIGURES] = {
        [TIME] = s->median_ns,
        [RATIO] = s->ratio.value,
        [SPREAD] = (s->ratio.high - s->ratio.low) / 2,
        [SHOWN_GFLOPS] = s->gflops_per_s,
        [SHOWN_GBS] = s->gb_per_s,
        [SHOWN_INSTRUCTIONS] = s->instructions,
        [SHOWN_SHARE] = s->of_attainable,
        [SHOWN_BOUND] = NAN,
        [STATUS] = NAN,
        [MEDIAN] = s->median_ns,
        [MEAN] = s->mean_ns,
        [GFLOPS] = s->gflops_per_s,
        [GBS] = s->gb_per_s,
        [REASON] = NAN,
        [RATIO_VALUE] = s->ratio.value,
        [RATIO_LOW] = s->ratio.low,
        [RATIO_HIGH] = s->ratio.high,
        [INSTRUCTIONS] = s->instructions,
        [ATTAINABLE] = s->attainable_ns,
        [OF_ATTAINABLE] = s->of_attainable,
        [BOUND] = NAN,
    };
    const char *const texts[FIGURES] = {[TIME] = s->word,
                                        [SHOWN_BOUND] = s->bound_by,
                                        [STATUS] = s->status,
                                        [REASON] = s->reason,
                                        [BOUND] = s->bound_by};
    for (int f = 0; f < FIGURES; f++) {
        if (places[f][b] == 0)
            continue;
        ob_table_set_number(table, places[f][b], numbers[f]);
        ob_table_set_text(table, places[f][b], texts[f]);
    }
    ob__table_set_mark(table, places[TIME][b], s->mark);
}

static void add_reason(ob_table *table, const char *backend, const side *s)
{
    ob_text note = {.data = NULL};
    if (s->reason == NULL)
        return;
    if (ob_text_printf(&note, "%s: %s", backend, s->reason) && ob_text_append(&note, "", 1))
        ob__table_add_note(table, note.data);
    else
        table->no_memory = true;
    ob_text_fini(&note);
}

/* Whether calls alone do not tell the rows apart, one behind the other as iterators make them. */
static bool repeats_calls(const ob_side_by_side_view *view)
{
    for (size_t i = 1; i < view->count; i++)
        if (strcmp(view->rows[i].call, view->rows[i - 1].call) == 0 &&
            strcmp(view->rows[i].id, view->rows[i - 1].id) != 0)
            return true;
    return false;
}

/* How wide people's columns are before their rows are there. */
static void widen(const ob_side_by_side_view *view, ob_table *table, const columns *at,
                  const ob_expected *fixed)
{
    enum { USUAL_CALL = 40, USUAL_ID = 8, LONGEST_PASS = 8, USUAL_WORD = 11 };
    if (table->no_memory)
        return;
    table->columns[OB_SIDE_VIEW_CALL].least_width =
        fixed->call_width > 0 ? fixed->call_width : USUAL_CALL;
    table->likely = fixed->calls;
    table->likely_count = fixed->call_count;
    table->likely_column = OB_SIDE_VIEW_CALL;
    table->columns[OB_SIDE_VIEW_ID].least_width = USUAL_ID;
    table->columns[OB_SIDE_VIEW_PASS].least_width = LONGEST_PASS;
    for (size_t b = 0; b < view->backend_count; b++) {
        ob_column *best = &table->columns[at->best[BEST]];
        const size_t length = strlen(view->backends[b]);
        best->least_width = length > best->least_width ? length : best->least_width;
        table->columns[at->figures[TIME][b]].least_width = USUAL_WORD; /* "unsupported" */
    }
}

static void fill_row(const ob_side_by_side_view *view, ob_table *table, const columns *at,
                     const row *r)
{
    ob_table_add_row(table);
    ob_table_set_text(table, OB_SIDE_VIEW_CALL, r->call);
    ob_table_set_text(table, OB_SIDE_VIEW_OPERATOR, r->op);
    ob_table_set_text(table, OB_SIDE_VIEW_ID, r->id);
    ob_table_set_text(table, OB_SIDE_VIEW_PASS, r->pass);
    ob_table_set_number(table, OB_SIDE_VIEW_THREADS, (double)r->threads);
    fill_best(view, table, at, r);
    for (size_t b = 0; b < view->backend_count; b++) {
        if (r->sides[b].there)
            fill_side(table, at->figures, b, &r->sides[b]);
        add_reason(table, view->backends[b], &r->sides[b]);
    }
}

ob_table *ob__side_by_side_view_table(ob_side_by_side_view *view, size_t first, size_t end,
                                      const ob_expected *fixed)
{
    columns at = {.best = {0}};
    ob_table *table = ob_table_create();
    if (table == NULL)
        return NULL;
    if (!view->is_fixed)
        view->shown = view->has;
    view->is_fixed = view->is_fixed || fixed != NULL;
    add_columns(view, table, &at);
    if ((fixed != NULL ? fixed->repeats_calls : repeats_calls(view)) && !table->no_memory)
        table->columns[OB_SIDE_VIEW_ID].title = "id";
    if (fixed != NULL)
        widen(view, table, &at, fixed);
    for (size_t i = first; i < end && i < view->count && !table->no_memory; i++)
        fill_row(view, table, &at, &view->rows[i]);
    if (!table->no_memory &&
        (fixed != NULL ? fixed->one_pass : ob__table_is_uniform(table, OB_SIDE_VIEW_PASS)))
        table->columns[OB_SIDE_VIEW_PASS].flags |= OB_COLUMN_LESSER;
    return table;
}

bool ob__side_by_side_view_has_ratios(const ob_side_by_side_view *view)
{
    for (size_t i = 0; i < view->count; i++)
        for (size_t b = 1; b < view->backend_count; b++)
            if (view->rows[i].sides[b].there && !isnan(view->rows[i].sides[b].ratio.value))
                return true;
    return false;
}

size_t ob__side_by_side_view_whole(const ob_side_by_side_view *view, size_t sides)
{
    size_t last = view->count, there = 0;
    while (last > 0 && strcmp(view->rows[last - 1].pass, "forward") != 0)
        last--;
    if (last == 0)
        return 0;
    for (size_t b = 0; b < MOST_BACKENDS; b++)
        there += view->rows[last - 1].sides[b].there;
    return there >= sides ? view->count : last - 1;
}
