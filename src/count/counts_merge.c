/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations that merge rows of equal names: add, subtract, scale, rename. What they give has no zeros
 * and is sorted, so that equal sums have equal tables.
 */
#include "count/counts_int.h"
#include "op/name_index.h"

#include <math.h>
#include <string.h>

/* A table under way in which names can be found. */
typedef struct merger {
    ob_counts *counts;
    ob__name_index index;
} merger;

static ob_status merge_row(merger *m, int64_t count, const char *function, size_t length,
                           ob_err *err)
{
    const uint32_t found = ob__index_find(&m->index, function, length);
    if (found == OB__INDEX_NONE) {
        if (m->counts->size >= OB__INDEX_NONE || !ob__index_reserve(&m->index, 1) ||
            !ob__counts_push(m->counts, count, function, length))
            return ob__counts_no_memory(err);
        const uint32_t place = (uint32_t)(m->counts->size - 1);
        ob__index_put(&m->index, m->counts->rows[place].function, length, place);
        return OB_OK;
    }
    int64_t *sum = &m->counts->rows[found].count;
    if (__builtin_add_overflow(*sum, count, sum))
        return ob_err_set(err, OB_ERR_OVERFLOW, "the count of %s exceeds 64 bits", function);
    return OB_OK;
}

static ob_status merge_table(merger *m, const ob_counts *counts, bool negative, ob_err *err)
{
    for (size_t i = 0; i < counts->size; i++) {
        const ob_count row = counts->rows[i];
        int64_t count = row.count;
        if (negative && __builtin_sub_overflow((int64_t)0, count, &count))
            return ob_err_set(err, OB_ERR_OVERFLOW, "the count of %s exceeds 64 bits",
                              row.function);
        OB_TRY(merge_row(m, count, row.function, strlen(row.function), err));
    }
    return OB_OK;
}

static ob_status merge_start(merger *m, bool inclusive, ob_err *err)
{
    *m = (merger){.counts = ob__counts_new(inclusive)};
    return m->counts != NULL ? OB_OK : ob__counts_no_memory(err);
}

/* Gives the table to *out, or destroys it when status says so. */
static ob_status merge_end(merger *m, ob_status status, ob_counts **out)
{
    ob__index_fini(&m->index);
    if (status != OB_OK) {
        ob_counts_destroy(m->counts);
        *out = NULL;
        return status;
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->counts->size; i++)
        if (m->counts->rows[i].count != 0)
            m->counts->rows[kept++] = m->counts->rows[i];
    m->counts->size = kept;
    ob__counts_sort(m->counts);
    *out = m->counts;
    return OB_OK;
}

static ob_status combine(const ob_counts *left, const ob_counts *right, bool negative,
                         ob_counts **out, ob_err *err)
{
    merger m;
    *out = NULL;
    if (left->inclusive != right->inclusive)
        return ob_err_set(err, OB_ERR_INVALID, "Cannot merge inclusive and exclusive counts.");
    OB_TRY(merge_start(&m, left->inclusive, err));
    ob_status status = merge_table(&m, left, false, err);
    if (status == OB_OK)
        status = merge_table(&m, right, negative, err);
    return merge_end(&m, status, out);
}

ob_status ob_counts_add(const ob_counts *left, const ob_counts *right, ob_counts **out, ob_err *err)
{
    return combine(left, right, false, out, err);
}

ob_status ob_counts_subtract(const ob_counts *left, const ob_counts *right, ob_counts **out,
                             ob_err *err)
{
    return combine(left, right, true, out, err);
}

/* Whole factors are exact; others go through double, as the original's do. */
static ob_status scale_count(int64_t count, double factor, int64_t *out)
{
    if (factor == trunc(factor) && fabs(factor) < 0x1p53)
        return __builtin_mul_overflow(count, (int64_t)factor, out) ? OB_ERR_OVERFLOW : OB_OK;
    const double scaled = trunc((double)count * factor);
    if (!(fabs(scaled) < 0x1p63))
        return OB_ERR_OVERFLOW;
    *out = (int64_t)scaled;
    return OB_OK;
}

ob_status ob_counts_scale(const ob_counts *counts, double factor, ob_counts **out, ob_err *err)
{
    merger m;
    *out = NULL;
    OB_TRY(merge_start(&m, counts->inclusive, err));
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < counts->size; i++) {
        const ob_count row = counts->rows[i];
        int64_t count;
        status = scale_count(row.count, factor, &count);
        if (status != OB_OK)
            ob_err_set(err, status, "the count of %s times %g exceeds 64 bits", row.function,
                       factor);
        else
            status = merge_row(&m, count, row.function, strlen(row.function), err);
    }
    return merge_end(&m, status, out);
}

ob_status ob_counts_rename(const ob_counts *counts, ob_counts_rename_fn rename, void *ctx,
                           ob_counts **out, ob_err *err)
{
    merger m;
    ob_text name = {0};
    *out = NULL;
    OB_TRY(merge_start(&m, counts->inclusive, err));
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < counts->size; i++) {
        name.size = 0;
        if (!rename(ctx, counts->rows[i].function, &name))
            status = ob__counts_no_memory(err);
        else
            status = merge_row(&m, counts->rows[i].count, name.data == NULL ? "" : name.data,
                               name.size, err);
    }
    ob_text_fini(&name);
    return merge_end(&m, status, out);
}
