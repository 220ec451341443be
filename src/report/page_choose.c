/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rows and which differences pages and pictures have, and in which order.
 */
#include "report/page_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const char *only, const char *call)
{
    return only == NULL || strstr(call, only) != NULL;
}

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
}

static ob_status nothing(const char *only, const char *what, ob_err *err)
{
    return only != NULL ? ob_err_set(err, OB_ERR_NOT_FOUND, "no case that has '%s' in its name %s",
                                     only, what)
                        : ob_err_set(err, OB_ERR_NOT_FOUND, "no case %s", what);
}

static int by_notability(const void *left, const void *right)
{
    const ob_page_row *a = *(const ob_page_row *const *)left;
    const ob_page_row *b = *(const ob_page_row *const *)right;
    if (a->notable < b->notable || a->notable > b->notable)
        return a->notable > b->notable ? -1 : 1;
    return (a > b) - (a < b);
}

ob_status ob__page_choose(const ob_page *page, const ob_page_choice *choice,
                          const ob_page_row ***out, size_t *count, ob_err *err)
{
    const ob_page_row **rows = calloc(page->row_count + 1, sizeof(ob_page_row *));
    size_t n = 0;
    *out = rows;
    if (rows == NULL)
        return no_memory(err);
    for (size_t i = 0; i < page->row_count; i++)
        if (page->rows[i].count > 0 && is_wanted(choice->only, page->rows[i].call))
            rows[n++] = &page->rows[i];
    const bool cut = choice->most > 0 && n > choice->most;
    if (cut || choice->notable_first)
        qsort(rows, n, sizeof *rows, by_notability);
    *count = cut ? choice->most : n;
    if (n > 0)
        return OB_OK;
    free(rows);
    *out = NULL;
    return nothing(choice->only, "has samples to draw", err);
}

static bool is_sure(const ob_diff_row *row)
{
    return row->time.kind == OB_VERDICT_FASTER || row->time.kind == OB_VERDICT_SLOWER;
}

static int by_difference(const void *left, const void *right)
{
    const ob_diff_row *a = *(const ob_diff_row *const *)left;
    const ob_diff_row *b = *(const ob_diff_row *const *)right;
    const double x = fabs(log(a->time.ratio)), y = fabs(log(b->time.ratio));
    if (is_sure(a) != is_sure(b))
        return is_sure(a) ? -1 : 1;
    return x > y ? -1 : x < y ? 1 : strcmp(a->call, b->call);
}

ob_status ob__page_differences(const ob_page *page, const ob_page_choice *choice,
                               const ob_diff_row ***out, size_t *count, ob_err *err)
{
    const ob_diff *diff = page->diff;
    const size_t all = diff != NULL ? ob_diff_count(diff) : 0;
    const ob_diff_row **rows = calloc(all + 1, sizeof(ob_diff_row *));
    size_t n = 0;
    *out = rows;
    if (rows == NULL)
        return no_memory(err);
    for (size_t i = 0; i < all; i++) {
        const ob_diff_row *row = ob_diff_at(diff, i);
        if (row->state == OB_DIFF_COMPARED && row->time.ratio > 0 &&
            is_wanted(choice->only, row->call))
            rows[n++] = row;
    }
    qsort(rows, n, sizeof *rows, by_difference);
    *count = choice->most > 0 && n > choice->most ? choice->most : n;
    if (n > 0)
        return OB_OK;
    free(rows);
    *out = NULL;
    return nothing(choice->only, "was measured on two backends or sides", err);
}

bool ob__page_same_work(const ob_page_row *a, const ob_page_row *b)
{
    return a->backward == b->backward && a->side == b->side && strcmp(a->call, b->call) == 0;
}

static int by_work(const ob_page_row *a, const ob_page_row *b)
{
    const int calls = strcmp(a->call, b->call);
    if (calls != 0)
        return calls;
    const int sides = strcmp(a->side, b->side);
    return sides != 0 ? sides : a->backward - b->backward;
}

static int by_threads(const void *left, const void *right)
{
    const ob_page_row *a = *(const ob_page_row *const *)left;
    const ob_page_row *b = *(const ob_page_row *const *)right;
    const int work = by_work(a, b);
    return work != 0 ? work : (a->threads > b->threads) - (a->threads < b->threads);
}

static int by_runs(const void *left, const void *right)
{
    const ob_page_row *a = *(const ob_page_row *const *)left;
    const ob_page_row *b = *(const ob_page_row *const *)right;
    const int work = by_work(a, b);
    return work != 0 ? work : (a->run > b->run) - (a->run < b->run);
}

void ob__page_gather(bool over_runs, const ob_page_row **rows, size_t count)
{
    qsort(rows, count, sizeof *rows, over_runs ? by_runs : by_threads);
}
