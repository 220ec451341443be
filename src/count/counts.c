/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of counts: making, reading, and the operations that keep rows as they are. Those that merge
 * rows by name are in counts_merge.c.
 */
#include "count/counts_int.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

ob_status ob__counts_no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a table of counts");
}

ob_counts *ob__counts_new(bool inclusive)
{
    ob_counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL)
        return NULL;
    ob__arena_init(&counts->arena, 0);
    counts->inclusive = inclusive;
    counts->truncate_rows = true;
    return counts;
}

void ob_counts_destroy(ob_counts *counts)
{
    if (counts == NULL)
        return;
    ob__arena_fini(&counts->arena);
    free(counts->rows);
    free(counts);
}

bool ob__counts_push(ob_counts *counts, int64_t count, const char *function, size_t length)
{
    if (!OB_RESERVE(counts->rows, counts->capacity, counts->size + 1))
        return false;
    char *name = ob__arena_strdup(&counts->arena, function, length);
    if (name == NULL)
        return false;
    counts->rows[counts->size++] = (ob_count){.count = count, .function = name};
    return true;
}

static int compare_rows(const void *left, const void *right)
{
    const ob_count *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(b->function, a->function);
}

void ob__counts_sort(ob_counts *counts)
{
    if (counts->size > 1)
        qsort(counts->rows, counts->size, sizeof *counts->rows, compare_rows);
}

ob_status ob_counts_create(const ob_count *rows, size_t count, bool inclusive, ob_counts **out,
                           ob_err *err)
{
    *out = NULL;
    ob_counts *counts = ob__counts_new(inclusive);
    bool ok = counts != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = ob__counts_push(counts, rows[i].count, rows[i].function, strlen(rows[i].function));
    if (!ok) {
        ob_counts_destroy(counts);
        return ob__counts_no_memory(err);
    }
    *out = counts;
    return OB_OK;
}

/* ---- reading ---- */

size_t ob_counts_size(const ob_counts *counts)
{
    return counts == NULL ? 0 : counts->size;
}

ob_count ob_counts_row(const ob_counts *counts, size_t index)
{
    return index < ob_counts_size(counts) ? counts->rows[index] : (ob_count){0};
}

bool ob_counts_is_inclusive(const ob_counts *counts)
{
    return counts != NULL && counts->inclusive;
}

bool ob_counts_is_truncated(const ob_counts *counts)
{
    return counts != NULL && counts->truncate_rows;
}

int64_t ob_counts_sum(const ob_counts *counts)
{
    int64_t sum = 0;
    for (size_t i = 0; i < ob_counts_size(counts); i++) {
        const int64_t count = counts->rows[i].count;
        if (__builtin_add_overflow(sum, count, &sum))
            return count < 0 ? INT64_MIN : INT64_MAX;
    }
    return sum;
}

/* ---- rows as they are ---- */

ob_status ob_counts_filter(const ob_counts *counts, ob_counts_keep_fn keep, void *ctx,
                           ob_counts **out, ob_err *err)
{
    *out = NULL;
    ob_counts *made = ob__counts_new(counts->inclusive);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < counts->size; i++) {
        const ob_count row = counts->rows[i];
        if (keep(ctx, row.function))
            ok = ob__counts_push(made, row.count, row.function, strlen(row.function));
    }
    if (!ok) {
        ob_counts_destroy(made);
        return ob__counts_no_memory(err);
    }
    *out = made;
    return OB_OK;
}

ob_status ob_counts_slice(const ob_counts *counts, size_t first, size_t end, ob_counts **out,
                          ob_err *err)
{
    if (end > counts->size)
        end = counts->size;
    if (first > end)
        first = end;
    const ob_count *rows = counts->rows == NULL ? NULL : counts->rows + first;
    OB_TRY(ob_counts_create(rows, end - first, counts->inclusive, out, err));
    (*out)->truncate_rows = false;
    return OB_OK;
}

ob_status ob__counts_copy(const ob_counts *counts, ob_counts **out, ob_err *err)
{
    *out = NULL;
    if (counts == NULL)
        return OB_OK;
    OB_TRY(ob_counts_create(counts->rows, counts->size, counts->inclusive, out, err));
    (*out)->truncate_rows = counts->truncate_rows;
    return OB_OK;
}

static bool is_steady(void *ctx, const char *function)
{
    (void)ctx;
    return strstr(function, "dictobject.c:lookdict_unicode") == NULL;
}

ob_status ob_counts_denoise(const ob_counts *counts, ob_counts **out, ob_err *err)
{
    return ob_counts_filter(counts, is_steady, NULL, out, err);
}
