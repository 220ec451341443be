/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts by function beside each other. Names are cut to what two builds of the same source share: folders and object files
 * differ between them.
 */
#include "base/text_append.h"
#include "verdict/diff_int.h"

#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 5 };

/* "/old/src/kernel.c:add" becomes "kernel.c:add", and "???:add", of a file that nobody knows, "add". */
static bool without_folder(void *ctx, const char *function, ob_text *out)
{
    static const char NO_FILE[] = "???:";
    const char *name = function;
    const char *end = function + strcspn(function, ":");
    (void)ctx;
    if (strncmp(function, NO_FILE, strlen(NO_FILE)) == 0)
        return ob_text_append_str(out, function + strlen(NO_FILE));
    for (const char *at = function; at < end; at++)
        if (*at == '/')
            name = at + 1;
    return ob_text_append_str(out, name);
}

static ob_status make_table(const ob_json *node, ob_diff_pass *to, ob_err *err)
{
    ob_count_stats *stats = NULL;
    ob_counts *quiet = NULL, *standard = NULL, *table = NULL;
    OB_TRY(ob_count_stats_from_json(node, &stats, err));
    const ob_count_stats_params *is = ob_count_stats_get(stats);
    ob_status status = OB_OK;
    if (is->stmt_exclusive != NULL && is->number_per_run > 0) {
        status = ob_counts_denoise(is->stmt_exclusive, &quiet, err);
        if (status == OB_OK)
            status = ob_counts_standardise(quiet, &standard, err);
        if (status == OB_OK)
            status = ob_counts_rename(standard, without_folder, NULL, &table, err);
    }
    ob_counts_destroy(to->functions);
    to->functions = table;
    to->count_number = is->number_per_run;
    ob_counts_destroy(quiet);
    ob_counts_destroy(standard);
    ob_count_stats_destroy(stats);
    return status;
}

/* A record may say anything: tables that make no sense are none. */
ob_status ob__diff_take_functions(const ob_record_instructions *from, ob_diff_case *to, ob_err *err)
{
    for (size_t i = 0; i < OB_PASS_COUNT && i < ob_json_count(from->tables); i++) {
        const bool counted = !isnan(i == 0 ? from->forward : from->backward);
        if (counted &&
            make_table(ob_json_item(from->tables, i), &to->passes[i], NULL) == OB_ERR_NOMEM)
            return ob__diff_no_memory(err);
    }
    return OB_OK;
}

static bool append_function(ob_text *text, ob_count row, int64_t number)
{
    return ob_text_printf(text, "%s%s %+.4g", text->size > 0 ? ", " : "", row.function,
                          (double)row.count / (double)number);
}

static int64_t size_of(int64_t count)
{
    return count == INT64_MIN ? INT64_MAX : count < 0 ? -count : count;
}

/* The table is sorted: what grew most comes first, what shrank most last. */
static bool append_changes(const ob_counts *delta, int64_t number, ob_text *text)
{
    size_t first = 0, end = ob_counts_size(delta);
    bool ok = true;
    for (int i = 0; ok && i < MOST_SHOWN && first < end; i++) {
        const ob_count grown = ob_counts_row(delta, first), shrunk = ob_counts_row(delta, end - 1);
        const bool is_first = size_of(grown.count) >= size_of(shrunk.count);
        ok = append_function(text, is_first ? grown : shrunk, number);
        first += is_first;
        end -= !is_first;
    }
    return ok;
}

ob_status ob__diff_compare_functions(ob_diff *diff, const ob_diff_pass *a, const ob_diff_pass *b,
                                     const char **out, ob_err *err)
{
    ob_counts *delta = NULL;
    ob_text text = {.data = NULL};
    *out = NULL;
    if (a->functions == NULL || b->functions == NULL || a->count_number != b->count_number)
        return OB_OK;
    OB_TRY(ob_counts_subtract(b->functions, a->functions, &delta, err));
    ob_status status = append_changes(delta, b->count_number, &text) && ob_text_append(&text, "", 1)
                           ? OB_OK
                           : ob__diff_no_memory(err);
    if (status == OB_OK && text.size > 1)
        status = ob__diff_keep(diff, text.data, out, err);
    ob_text_fini(&text);
    ob_counts_destroy(delta);
    return status;
}
