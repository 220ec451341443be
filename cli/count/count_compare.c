/* SPDX-License-Identifier: Apache-2.0
 *
 * A count beside that of the same snippet or case in an earlier run, which is found by its key.
 */
#include "count_command.h"

#include <inttypes.h>
#include <math.h>
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

/* The same for a case. */
static const ob_count_stats *find_case(const ob_count_comparison *j, const ob_count_stats *stats)
{
    const ob_count_stats *best = NULL;
    int how = 0;
    for (size_t i = 0; i < ob_count_file_size(j->baseline); i++) {
        const ob_count_stats *other = ob_count_file_part(j->baseline, i);
        const int match = ob_count_stats_match(other, stats);
        if (match > how) {
            how = match;
            best = other;
        }
    }
    return best;
}

static ob_status other_number(const char *path, int64_t runs, ob_err *err)
{
    return ob_err_set_at(
        err, OB_ERR_INVALID, path, 0, 0, NULL,
        "the baseline has counts of %" PRId64 " runs; give --number %" PRId64 " too", runs, runs);
}

ob_status ob__count_compare_open(ob_count_comparison *j, const char *path,
                                 const ob_snippets *snippets, int64_t number, ob_err *err)
{
    size_t known = 0;
    OB_TRY(ob_count_file_read(path, &j->baseline, err));
    j->of_cases = snippets == NULL;
    for (size_t i = 0; j->of_cases && i < ob_count_file_size(j->baseline); i++) {
        const int64_t runs = ob_count_stats_get(ob_count_file_part(j->baseline, i))->number_per_run;
        if (runs != number)
            return other_number(path, runs, err);
    }
    if (j->of_cases)
        return OB_OK;
    for (size_t i = 0; i < ob_snippets_count(snippets); i++) {
        char *key;
        OB_TRY(ob_snippet_key(ob_snippets_at(snippets, i), &key, err));
        const ob_count_stats *before = find_baseline(j, key);
        free(key);
        if (before == NULL)
            continue;
        known++;
        const int64_t runs = ob_count_stats_get(before)->number_per_run;
        if (runs != number)
            return other_number(path, runs, err);
    }
    if (known > 0)
        return OB_OK;
    return ob_err_set_at(
        err, OB_ERR_INVALID, path, 0, 0, NULL,
        "the baseline has none of these snippets, so there is nothing to compare; give the file "
        "that `opbench count -s` with --json wrote for the same suite");
}

static ob_status print_change(const ob_count_stats *before, const ob_count_stats *stats,
                              ob_err *err)
{
    ob_count_stats *a = NULL, *b = NULL;
    ob_text text = {0};
    ob_status status = ob_count_stats_standardise(before, &a, err);
    if (status == OB_OK)
        status = ob_count_stats_standardise(stats, &b, err);
    if (status == OB_OK)
        status = ob_counts_print_change(ob_count_stats_get(a)->stmt_exclusive,
                                        ob_count_stats_get(b)->stmt_exclusive, NULL, &text, err);
    if (status == OB_OK)
        ob__cli_say("%.*s\n", (int)text.size, text.data);
    ob_text_fini(&text);
    ob_count_stats_destroy(a);
    ob_count_stats_destroy(b);
    return status;
}

/* Whether it is too much, and what changed function by function. */
static ob_status compare(ob_count_comparison *j, const char *name, const ob_count_stats *stats,
                         ob_err *err)
{
    const ob_count_stats *before =
        j->of_cases ? find_case(j, stats) : find_baseline(j, ob_count_stats_get(stats)->task.label);
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
    return print_change(before, stats, err);
}

ob_status ob__count_compare(ob_count_comparison *j, const ob_record_result *r, ob_err *err)
{
    const ob_json *tables = r->instructions.tables;
    const size_t passes = isnan(r->instructions.backward) ? 1 : 2, count = ob_json_count(tables);
    for (size_t i = count > passes ? count - passes : 0; i < count; i++) {
        char name[512];
        ob_count_stats *stats;
        OB_TRY(ob_count_stats_from_json(ob_json_item(tables, i), &stats, err));
        snprintf(name, sizeof name, "%s%s%s%s", j->of_cases ? r->op_name : "",
                 j->of_cases ? " " : "", r->id, passes == 2 && i + 1 == count ? ", backward" : "");
        const ob_status status = compare(j, name, stats, err);
        ob_count_stats_destroy(stats);
        OB_TRY(status);
    }
    return OB_OK;
}

int ob__count_compare_end(const ob_count_comparison *j)
{
    if (j->of_cases && j->compared == 0)
        return ob__cli_usage_error(j->cli, "the baseline has none of these cases, so nothing was "
                                           "compared; give what `opbench count` wrote for them");
    fprintf(stderr, "opbench count: %zu of %zu counts grew by more than %g %%", j->grown,
            j->compared, j->max_regression);
    if (j->unknown > 0)
        fprintf(stderr, "; %zu are not in the baseline", j->unknown);
    fputc('\n', stderr);
    return j->grown > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}
