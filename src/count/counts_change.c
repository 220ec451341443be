/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed from one table of counts to another: old, new and by how much, of each function that changed; those that
 * did not are one line.
 */
#include "base/sized.h"
#include "base/text_append.h"
#include "count/counts_int.h"
#include "op/name_index.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_SIZE = 24, CHANGE_SIZE = 16 };

typedef struct change {
    const char *function; /* in one of the two tables */
    int64_t before, after;
} change;

/* Zero is empty. */
typedef struct changes {
    ob_counts *before, *delta; /* merged, without zeros */
    change *rows;              /* those that changed, the largest change first */
    size_t size, same;
    int64_t same_sum;
} changes;

/* ---- which ---- */

static uint64_t size_of(const change *c)
{
    return c->after > c->before ? (uint64_t)c->after - (uint64_t)c->before
                                : (uint64_t)c->before - (uint64_t)c->after;
}

static int compare(const void *left, const void *right)
{
    const change *a = left, *b = right;
    const uint64_t x = size_of(a), y = size_of(b);
    return x != y ? (x < y) - (x > y) : strcmp(a->function, b->function);
}

static ob_status fill(changes *c, ob_err *err)
{
    ob__name_index index = {0};
    const size_t old_size = c->before->size;
    c->rows = calloc(c->delta->size + 1, sizeof *c->rows);
    if (c->rows == NULL || old_size >= OB__INDEX_NONE || !ob__index_reserve(&index, old_size)) {
        ob__index_fini(&index);
        return ob__counts_no_memory(err);
    }
    for (size_t i = 0; i < old_size; i++)
        ob__index_put(&index, c->before->rows[i].function, strlen(c->before->rows[i].function),
                      (uint32_t)i);
    c->same = old_size;
    c->same_sum = ob_counts_sum(c->before);
    for (size_t i = 0; i < c->delta->size; i++) {
        const ob_count row = c->delta->rows[i];
        const uint32_t at = ob__index_find(&index, row.function, strlen(row.function));
        const int64_t before = at == OB__INDEX_NONE ? 0 : c->before->rows[at].count;
        /* It was subtracted, so it can be added. */
        c->rows[c->size++] = (change){row.function, before, before + row.count};
        c->same -= at != OB__INDEX_NONE;
        c->same_sum -= before;
    }
    ob__index_fini(&index);
    qsort(c->rows, c->size, sizeof *c->rows, compare);
    return OB_OK;
}

static void fini(changes *c)
{
    ob_counts_destroy(c->before);
    ob_counts_destroy(c->delta);
    free(c->rows);
}

static ob_status find(const ob_counts *before, const ob_counts *after, changes *out, ob_err *err)
{
    *out = (changes){.before = NULL};
    ob_status status = ob_counts_subtract(after, before, &out->delta, err);
    if (status == OB_OK)
        status = ob_counts_scale(before, 1, &out->before, err);
    if (status == OB_OK)
        status = fill(out, err);
    if (status != OB_OK) {
        fini(out);
        *out = (changes){.before = NULL};
    }
    return status;
}

/* ---- text ---- */

static void print_percent(int64_t before, int64_t after, char out[CHANGE_SIZE])
{
    const double percent = 100 * ((double)after - (double)before) / (double)before;
    if (before == 0 || after == 0)
        snprintf(out, CHANGE_SIZE, "%s", before == 0 ? "new" : "gone");
    else
        snprintf(out, CHANGE_SIZE, fabs(percent) < 999.5 ? "%+.3g %%" : "%+.0f %%",
                 fmin(percent, 1e9));
}

/* Widths of the columns. */
typedef struct widths {
    int before, after, change;
    size_t name;
} widths;

static widths measure(const changes *c, size_t shown, size_t line)
{
    enum { BLANKS = 8 }; /* two before each column */
    char text[NUMBER_SIZE], percent[CHANGE_SIZE];
    widths w = {.before = (int)strlen("old"), .after = (int)strlen("new"), .change = 6};
    for (size_t i = 0; i < shown; i++) {
        const change *row = &c->rows[i];
        print_percent(row->before, row->after, percent);
        const int before = snprintf(text, sizeof text, "%" PRId64, row->before);
        const int after = snprintf(text, sizeof text, "%" PRId64, row->after);
        w.before = before > w.before ? before : w.before;
        w.after = after > w.after ? after : w.after;
        w.change = (int)strlen(percent) > w.change ? (int)strlen(percent) : w.change;
    }
    const size_t used = (size_t)(w.before + w.after + w.change) + BLANKS;
    w.name = line > used ? line - used : 0;
    return w;
}

static bool print_rows(const changes *c, size_t shown, const widths *w, ob_text *out)
{
    bool ok = shown == 0 || ob_text_printf(out, "\n  %*s  %*s  %*s  function", w->before, "old",
                                           w->after, "new", w->change, "change");
    for (size_t i = 0; ok && i < shown; i++) {
        const change *row = &c->rows[i];
        char percent[CHANGE_SIZE];
        print_percent(row->before, row->after, percent);
        ok = ob_text_printf(out, "\n  %*" PRId64 "  %*" PRId64 "  %*s  ", w->before, row->before,
                            w->after, row->after, w->change, percent) &&
             ob__counts_append_name(out, row->function, w->name);
    }
    return ok;
}

/* What is not a row. Inclusive counts have no sum. */
static bool print_folded(const changes *c, size_t shown, ob_text *out)
{
    bool ok = shown == c->size || ob_text_printf(out, "\n  %zu more changed", c->size - shown);
    if (ok && c->same > 0)
        ok = ob_text_printf(out, "\n  %zu did not change", c->same) &&
             (c->delta->inclusive || ob_text_printf(out, ": %" PRId64, c->same_sum));
    return ok && (c->size > 0 || c->same > 0 || ob_text_append_str(out, "\n  none"));
}

static bool print_total(const ob_counts *before, const ob_counts *after, ob_text *out)
{
    const int64_t old = ob_counts_sum(before), new = ob_counts_sum(after);
    char percent[CHANGE_SIZE];
    print_percent(old, new, percent);
    if (old == new)
        return ob_text_printf(out, "\n\nTotal: %" PRId64 ", as before", old);
    return ob_text_printf(out, "\n\nTotal: %" PRId64 " instead of %" PRId64 "%s%s", new, old,
                          old == 0 || new == 0 ? "" : ", ", old == 0 || new == 0 ? "" : percent);
}

ob_status ob_counts_print_change(const ob_counts *before, const ob_counts *after,
                                 const ob_counts_style *style, ob_text *out, ob_err *err)
{
    enum { MOST_ROWS = 18, USUAL_LINE = 80 };
    ob_counts_style own;
    changes c;
    OB_TRY(OB__TAKE_OPTIONAL(ob_counts_style, &own, style, err));
    OB_TRY(find(before, after, &c, err));
    const size_t shown = c.size > MOST_ROWS && !own.all_rows ? MOST_ROWS : c.size;
    const widths w = measure(&c, shown, own.line_width == 0 ? USUAL_LINE : own.line_width);
    const bool ok =
        ob_text_printf(out, "Functions, %s:", after->inclusive ? "inclusive" : "exclusive") &&
        print_rows(&c, shown, &w, out) && print_folded(&c, shown, out) &&
        (after->inclusive || print_total(before, after, out));
    fini(&c);
    return ok ? OB_OK : ob__counts_no_memory(err);
}

/* ---- JSON ---- */

static ob_status set_row(ob_json_doc *doc, ob_json *list, const change *row, ob_err *err)
{
    ob_json *item = ob_json_new_object(doc);
    if (item == NULL || row->function == NULL)
        return ob__counts_no_memory(err);
    OB_TRY(ob_json_set(doc, item, "function",
                       ob_json_new_string(doc, row->function, strlen(row->function)), err));
    OB_TRY(ob_json_set(doc, item, "old", ob_json_new_int(doc, row->before), err));
    OB_TRY(ob_json_set(doc, item, "new", ob_json_new_int(doc, row->after), err));
    return ob_json_append(doc, list, item, err);
}

static ob_status set_all(ob_json_doc *doc, ob_json *object, const changes *c, ob_err *err)
{
    ob_json *list = ob_json_new_array(doc);
    for (size_t i = 0; i < c->size; i++)
        OB_TRY(set_row(doc, list, &c->rows[i], err));
    OB_TRY(ob_json_set(doc, object, "changes", list, err));
    return ob_json_set(doc, object, "unchanged", ob_json_new_int(doc, (int64_t)c->same), err);
}

ob_status ob_counts_change_to_json(const ob_counts *before, const ob_counts *after,
                                   ob_json_doc *doc, ob_json **out, ob_err *err)
{
    changes c;
    OB_TRY(find(before, after, &c, err));
    ob_status status = ob_counts_to_json(c.delta, doc, out, err);
    if (status == OB_OK)
        status = set_all(doc, *out, &c, err);
    fini(&c);
    return status;
}
