/* SPDX-License-Identifier: Apache-2.0
 *
 * A count beside that of the same snippet in an earlier run, which is found by its key.
 */
#include "count_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The earlier count of the same snippet, or NULL. */
static const ob_count_stats *find_baseline(const ob_count_comparison *j, const char *key)
{
    for (size_t i = 0; key != NULL && i < ob_count_file_size(j->baseline); i++) {
        const ob_count_stats *stats = ob_count_file_part(j->baseline, i);
        const char *label = ob_count_stats_get(stats)->task.label;
        if (label != NULL && strcmp(label, key) == 0)
            return stats;
    }
    return NULL;
}

ob_status ob__count_compare_open(ob_count_comparison *j, const char *path,
                                 const ob_snippets *snippets, int64_t number, ob_err *err)
{
    size_t known = 0;
    OB_TRY(ob_count_file_read(path, &j->baseline, err));
    for (size_t i = 0; i < ob_snippets_count(snippets); i++) {
        char *key;
        OB_TRY(ob_snippet_key(ob_snippets_get(snippets, i), &key, err));
        const ob_count_stats *before = find_baseline(j, key);
        free(key);
        if (before == NULL)
            continue;
        known++;
        const int64_t runs = ob_count_stats_get(before)->number_per_run;
        if (runs != number)
            return ob_err_set_at(err, OB_ERR_INVALID, path, 0, 0, NULL,
                                 "the baseline has counts of %" PRId64
                                 " runs; give --number %" PRId64 " too",
                                 runs, runs);
    }
    if (known > 0)
        return OB_OK;
    return ob_err_set_at(err, OB_ERR_INVALID, path, 0, 0, NULL,
                         "the baseline has none of these snippets, so there is nothing to compare; "
                         "give the file that `opbench count -s` with --json wrote of the same "
                         "suite");
}

static ob_status print_delta(const ob_count_stats *before, const ob_count_stats *stats, ob_err *err)
{
    ob_count_stats *a = NULL, *b = NULL;
    ob_counts *delta = NULL;
    ob_text text = {0};
    ob_status status = ob_count_stats_standardise(before, &a, err);
    if (status == OB_OK)
        status = ob_count_stats_standardise(stats, &b, err);
    if (status == OB_OK)
        status = ob_count_stats_delta(b, a, false, &delta, err);
    if (status == OB_OK)
        status = ob_counts_print(delta, NULL, &text, err);
    if (status == OB_OK)
        ob__cli_say("%.*s\n", (int)text.size, text.data);
    ob_text_fini(&text);
    ob_counts_destroy(delta);
    ob_count_stats_destroy(a);
    ob_count_stats_destroy(b);
    return status;
}

/* Whether it is too much, and what changed function by function. */
static ob_status compare(ob_count_comparison *j, const char *name, const ob_count_stats *stats,
                         ob_err *err)
{
    const ob_count_stats *before = find_baseline(j, ob_count_stats_get(stats)->task.label);
    if (before == NULL) {
        j->unknown++;
        return OB_OK;
    }
    const int64_t old = ob_count_stats_counts(before, true);
    const int64_t new = ob_count_stats_counts(stats, true);
    j->compared++;
    if (new == old)
        return OB_OK;
    const bool grown = (double)new > (double)old *(1.0 + j->max_regression / 100.0);
    j->grown += grown;
    ob__cli_warn(j->cli, "%s: %" PRId64 " instructions instead of %" PRId64 " (%+.2f %%)%s", name,
                 new, old, old == 0 ? 0.0 : 100.0 * (double)(new - old) / (double)old,
                 grown ? ": more than allowed" : "");
    return print_delta(before, stats, err);
}

ob_status ob__count_compare(ob_count_comparison *j, const ob_record_result *r, ob_err *err)
{
    const ob_json *tables = r->instructions.tables;
    ob_count_stats *stats;
    OB_TRY(ob_count_stats_from_json(ob_json_item(tables, ob_json_count(tables) - 1), &stats, err));
    const ob_status status = compare(j, r->id, stats, err);
    ob_count_stats_destroy(stats);
    return status;
}

int ob__count_compare_end(const ob_count_comparison *j)
{
    fprintf(stderr, "opbench count: %zu of %zu counts grew by more than %g %%", j->grown,
            j->compared, j->max_regression);
    if (j->unknown > 0)
        fprintf(stderr, "; %zu are not in the baseline", j->unknown);
    fputc('\n', stderr);
    return j->grown > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}
