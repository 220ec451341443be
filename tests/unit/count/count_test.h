/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of counts from and against JSON lists [[count, "function"], ...], as the recorded cases
 * have them.
 */
#ifndef OB_TEST_COUNT_TEST_H
#define OB_TEST_COUNT_TEST_H

#include "check.h"
#include "opbench/count.h"

#include <stdlib.h>

/* From a list of pairs; the caller destroys it. */
static inline ob_counts *counts_of(const ob_json *pairs, bool inclusive)
{
    const size_t count = ob_json_count(pairs);
    ob_count *rows = calloc(count + 1, sizeof *rows);
    ob_counts *made = NULL;
    for (size_t i = 0; i < count; i++)
        rows[i] =
            (ob_count){.count = ob_json_int(ob_json_item(ob_json_item(pairs, i), 0), 0),
                       .function = ob_json_string(ob_json_item(ob_json_item(pairs, i), 1), NULL)};
    CHECK_INT(ob_counts_create(rows, count, inclusive, &made, NULL), OB_OK);
    free(rows);
    return made;
}

static inline void check_counts(const char *name, const ob_counts *got, const ob_json *want)
{
    CHECK_INT(ob_counts_size(got), ob_json_count(want));
    for (size_t i = 0; i < ob_json_count(want); i++) {
        const ob_json *pair = ob_json_item(want, i);
        const ob_count row = ob_counts_row(got, i);
        CHECK_INT(row.count, ob_json_int(ob_json_item(pair, 0), -1));
        CHECK_STR(row.function, ob_json_string(ob_json_item(pair, 1), NULL));
    }
    if (ob_counts_size(got) != ob_json_count(want))
        fprintf(stderr, "  in the case %s\n", name);
}

/* What stands below the first line of a text. */
static inline const char *below_heading(const char *text)
{
    const char *newline = strchr(text, '\n');
    return newline == NULL ? "" : newline + 1;
}

/* The text with a NUL behind it; free() it. */
static inline char *text_string(const ob_text *text)
{
    char *copy = calloc(text->size + 1, 1);
    if (copy != NULL && text->size > 0)
        memcpy(copy, text->data, text->size);
    return copy;
}

#endif
