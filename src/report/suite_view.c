/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a suite: a row per label and number of threads, a column per mode and language. Labels stand once, each
 * level further to the right. All is in the records: `metadata` says which snippet a result is of.
 */
#include "report/views.h"

#include "opbench/snippet.h"
#include "opbench/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, MOST_PARTS = 32 };

typedef struct item {
    int64_t index; /* in the suite: results come as they are ready */
    const char *label[MOST_PARTS];
    size_t parts;
    const char *mode; /* "Eager, Forward" */
    const char *language;
    int64_t threads;
    bool failed;
    double value; /* a count, or seconds */
} item;

struct ob_suite_view {
    ob_arena arena;
    item *items;
    size_t count, room;
    bool timed; /* the numbers are times */
};

ob_suite_view *ob__suite_view_create(void)
{
    ob_suite_view *view = calloc(1, sizeof *view);
    if (view != NULL)
        ob__arena_init(&view->arena, 0);
    return view;
}

void ob__suite_view_destroy(ob_suite_view *view)
{
    if (view == NULL)
        return;
    ob__arena_fini(&view->arena);
    free(view->items);
    free(view);
}

/* ---- adding ---- */

/* "" for what is no text. NULL when memory is out. */
static const char *keep(ob_suite_view *view, const ob_json *value)
{
    size_t length = 0;
    const char *text = ob_json_string(value, &length);
    return ob__arena_strdup(&view->arena, text != NULL ? text : "", length);
}

static const char *keep_mode(ob_suite_view *view, const ob_json *labels)
{
    const char *runtime = ob_json_string(ob_json_get(labels, "runtime"), NULL);
    const char *autograd = ob_json_string(ob_json_get(labels, "autograd"), NULL);
    ob_text text = {.data = NULL};
    const bool some = runtime != NULL && runtime[0] != '\0';
    const bool ok = ob_text_printf(&text, "%s%s%s", some ? runtime : "", some ? ", " : "",
                                   autograd != NULL ? autograd : "");
    const char *kept = ok ? ob__arena_strdup(&view->arena, text.data, text.size) : NULL;
    ob_text_fini(&text);
    return kept;
}

/* The one that is there already: of several rounds the last is shown. NULL when memory is out. */
static item *find(ob_suite_view *view, int64_t index)
{
    for (size_t i = view->count; i > 0; i--)
        if (view->items[i - 1].index == index)
            return &view->items[i - 1];
    if (!OB_RESERVE(view->items, view->room, view->count + 1))
        return NULL;
    view->items[view->count] = (item){.index = index};
    return &view->items[view->count++];
}

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the table of a suite");
}

ob_status ob__suite_view_add(ob_suite_view *view, const ob_record_result *r, ob_err *err)
{
    const ob_json *label = ob_json_get(r->metadata, "label");
    const ob_json *labels = ob_json_get(r->metadata, "autolabels");
    /* Counts of earlier versions have no mode. */
    const bool timed = r->mode != NULL && strcmp(r->mode, "count") != 0;
    if (labels == NULL || (view->count > 0 && view->timed != timed))
        return OB_OK; /* --ci: the times behind the counts */
    view->timed = timed;
    item *it = find(view, r->index);
    if (it == NULL)
        return no_memory(err);
    it->mode = keep_mode(view, labels);
    it->language = keep(view, ob_json_get(labels, "language"));
    it->threads = ob_json_int(ob_json_get(r->metadata, "num_threads"), 1);
    it->parts = 0;
    for (size_t i = 0; i < ob_json_count(label) && i < MOST_PARTS; i++)
        if ((it->label[it->parts++] = keep(view, ob_json_item(label, i))) == NULL)
            return no_memory(err);
    it->failed = it->failed || !ob_record_status_get_info(r->status)->ran; /* in any round */
    it->value = r->instructions.forward;
    if (r->raw_times_s.count > 0) {
        const ob_measurement m = {.number_per_run = r->number_per_run,
                                  .raw_times = r->raw_times_s.items,
                                  .count = r->raw_times_s.count,
                                  .task = r->task};
        ob_measurement_stats stats;
        OB_TRY(ob_measurement_compute(&m, &stats, err));
        it->value = stats.median;
    }
    return it->mode != NULL && it->language != NULL ? OB_OK : no_memory(err);
}

/* ---- columns ---- */

static bool same_column(const ob_column *c, const item *it)
{
    return strcmp(c->group, it->mode) == 0 && strcmp(c->title, it->language) == 0;
}

static int language_rank(const char *label)
{
    int rank = 0;
    while (rank < OB_LANGUAGE_COUNT && strcmp(ob_language_label((ob_language)rank), label) != 0)
        rank++;
    return rank;
}

/* Modes in the order in which they first appear, their languages beside each other. False when memory is out. */
static bool add_columns(const ob_suite_view *view, ob_table *table)
{
    const item **firsts = calloc(view->count + 1, sizeof *firsts);
    size_t count = 0;
    for (size_t i = 0; firsts != NULL && i < view->count; i++) {
        const item *it = &view->items[i];
        size_t at = count;
        bool there = false;
        for (size_t k = 0; k < count && !there; k++) {
            if (strcmp(firsts[k]->mode, it->mode) != 0)
                continue;
            const int order = language_rank(firsts[k]->language) - language_rank(it->language);
            there = strcmp(firsts[k]->language, it->language) == 0;
            at = order < 0 ? k + 1 : at > k ? k : at;
            if (order > 0)
                break;
        }
        if (there)
            continue;
        memmove(&firsts[at + 1], &firsts[at], (count - at) * sizeof *firsts);
        firsts[at] = it;
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s%s", firsts[i]->mode,
                 firsts[i]->mode[0] != '\0' ? ", " : "", firsts[i]->language);
        ob_table_add_column(table, &(ob_column){.title = firsts[i]->language,
                                                .name = name,
                                                .group = firsts[i]->mode,
                                                .hint = OB_HINT_FIGURE});
    }
    free((void *)firsts);
    return firsts != NULL;
}

/* ---- rows ---- */

static bool same_row(const item *a, const item *b)
{
    bool same = a->parts == b->parts && a->threads == b->threads;
    for (size_t i = 0; same && i < a->parts; i++)
        same = strcmp(a->label[i], b->label[i]) == 0;
    return same;
}

/* The parts of the label that the row before does not have, but for the last; then the row's own text. */
static bool append_label(const item *it, const item *before, ob_text *heading, ob_text *leaf)
{
    const size_t last = it->parts > 0 ? it->parts - 1 : 0;
    size_t level = 0;
    while (before != NULL && level < last && level + 1 < before->parts &&
           strcmp(it->label[level], before->label[level]) == 0)
        level++;
    bool ok = true;
    for (; ok && level < last; level++)
        ok = ob__text_append_fill(heading, ' ', level * INDENT) &&
             ob_text_append_str(heading, it->label[level]) && ob_text_append(heading, "\n", 1);
    ok = ok && ob__text_append_fill(leaf, ' ', last * INDENT) &&
         ob_text_append_str(leaf, it->parts > 0 ? it->label[last] : "") &&
         (it->threads <= 1 || ob_text_printf(leaf, ", %" PRId64 " threads", it->threads));
    return ok && ob_text_append(heading, "", 1) && ob_text_append(leaf, "", 1);
}

enum { LABEL, PATH, THREADS, FIXED };

static void begin_row(ob_table *table, const item *it, const item *before)
{
    ob_text heading = {.data = NULL}, leaf = {.data = NULL}, path = {.data = NULL};
    bool ok = append_label(it, before, &heading, &leaf);
    for (size_t i = 0; ok && i < it->parts; i++)
        ok = ob_text_append_str(&path, i > 0 ? "/" : "") && ob_text_append_str(&path, it->label[i]);
    ok = ok && ob_text_append(&path, "", 1);
    ob_table_add_row(table);
    table->no_memory = table->no_memory || !ok;
    if (ok) {
        ob_table_set_heading(table, heading.data[0] != '\0' ? heading.data : NULL);
        ob_table_set_text(table, LABEL, leaf.data);
        ob_table_set_text(table, PATH, path.data);
        ob_table_set_number(table, THREADS, (double)it->threads);
    }
    ob_text_fini(&heading);
    ob_text_fini(&leaf);
    ob_text_fini(&path);
}

static void set_value(ob_table *table, const item *it, double scale)
{
    char text[32];
    const double value = it->value / scale;
    const bool whole = value >= 1000 || value == floor(value);
    snprintf(text, sizeof text, "%.*f", whole ? 0 : value >= 10 ? 1 : 2, value);
    for (size_t c = FIXED; c < table->column_count; c++)
        if (same_column(&table->columns[c], it)) {
            ob_table_set_number(table, c, it->failed ? NAN : value);
            ob_table_set_text(table, c, it->failed ? "failed" : isnan(value) ? "" : text);
        } else if (ob__table_peek(table, table->row_count - 1, c)->text == NULL) {
            ob_table_set_text(table, c, "");
        }
}

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* All times in the unit of the shortest. */
static const ob_time_unit *choose_unit(const ob_suite_view *view)
{
    double least = 0;
    for (size_t i = 0; i < view->count; i++)
        if (!view->items[i].failed && (least == 0 || view->items[i].value < least))
            least = view->items[i].value;
    return least > 0 ? ob_time_unit_select(least) : NULL;
}

ob_table *ob__suite_view_table(ob_suite_view *view, char *title)
{
    const ob_time_unit *unit = view->timed ? choose_unit(view) : NULL;
    ob_table *table = ob_table_create();
    const item *before = NULL;
    if (view->timed)
        snprintf(title, 64, "Median time of a run%s%s", unit != NULL ? " in " : "",
                 unit != NULL ? unit->symbol : "");
    else
        snprintf(title, 64, "Instructions per run");
    if (view->count > 0)
        qsort(view->items, view->count, sizeof *view->items, compare_items);
    if (table == NULL)
        return NULL;
    ob_table_add_column(table, &(ob_column){.title = ""});
    ob_table_add_column(table, &(ob_column){.name = "label"});
    ob_table_add_column(table, &(ob_column){.name = "threads", .hint = OB_HINT_COUNT});
    table->no_memory = !add_columns(view, table) || table->no_memory;
    for (size_t i = 0; i < view->count; i++) {
        const item *it = &view->items[i];
        bool begun = false;
        for (size_t k = i; k > 0 && !begun && view->items[k - 1].parts == it->parts; k--)
            begun = same_row(&view->items[k - 1], it);
        if (begun)
            continue;
        begin_row(table, it, before);
        before = it;
        for (size_t k = i; k < view->count; k++)
            if (same_row(&view->items[k], it))
                set_value(table, &view->items[k], unit != NULL ? unit->scale : 1);
    }
    return table;
}
