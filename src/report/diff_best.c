/* SPDX-License-Identifier: Apache-2.0
 *
 * Of several sides beside a baseline: which is the fastest of a case and pass, where the intervals tell.
 */
#include "report/diff_view.h"

#include <stdlib.h>
#include <string.h>

typedef struct numbered_row {
    const ob_diff_row *row;
    size_t at; /* among the rows */
} numbered_row;

static int compare_cases(const ob_diff_row *a, const ob_diff_row *b)
{
    int order = strcmp(a->op_name, b->op_name);
    order = order != 0 ? order : strcmp(a->id, b->id);
    order = order != 0 ? order : strcmp(a->key != NULL ? a->key : "", b->key != NULL ? b->key : "");
    return order != 0 ? order : strcmp(a->pass, b->pass);
}

static int compare(const void *a, const void *b)
{
    const numbered_row *left = a, *right = b;
    const int order = compare_cases(left->row, right->row);
    return order != 0 ? order : (left->at > right->at) - (left->at < right->at);
}

/* The rows of one case and pass. */
static void mark_case(const numbered_row *rows, size_t count, const char **out)
{
    size_t best = 0, compared = 0;
    for (size_t i = 0; i < count; i++) {
        compared += rows[i].row->state == OB_DIFF_COMPARED;
        if (rows[i].row->time.ratio < rows[best].row->time.ratio)
            best = i;
    }
    if (compared < count || count < 2)
        return;
    bool baseline = true, one = rows[best].row->time.high < 1;
    for (size_t i = 0; i < count; i++) {
        baseline = baseline && rows[i].row->time.low > 1;
        one = one && (i == best || rows[best].row->time.high < rows[i].row->time.low);
    }
    if (one)
        out[rows[best].at] = "best";
    for (size_t i = 0; baseline && i < count; i++)
        out[rows[i].at] = "baseline";
}

const char **ob__diff_best(const ob_diff *diff)
{
    const size_t count = ob_diff_count(diff);
    const char **out = calloc(count + 1, sizeof *out);
    numbered_row *rows = calloc(count + 1, sizeof *rows);
    for (size_t i = 0; out != NULL && rows != NULL && i < count; i++)
        rows[i] = (numbered_row){.row = ob_diff_at(diff, i), .at = i};
    if (rows == NULL || out == NULL) {
        free(rows);
        free(out);
        return NULL;
    }
    qsort(rows, count, sizeof *rows, compare);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_cases(rows[i].row, rows[end].row) == 0;)
            end++;
        mark_case(rows + i, end - i, out);
    }
    free(rows);
    return out;
}
