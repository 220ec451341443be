/* SPDX-License-Identifier: Apache-2.0
 *
 * What a count says, in the few lines of the original's CallgrindStats.
 */
#include "base/text_append.h"
#include "count/counts_int.h"
#include "opbench/measurement.h"

#include <inttypes.h>

/* A sum with and without noise. */
static ob_status print_sums(const char *title, const ob_counts *counts, ob_text *out, ob_err *err)
{
    ob_counts *quiet = NULL;
    if (counts != NULL)
        OB_TRY(ob_counts_denoise(counts, &quiet, err));
    const bool ok = ob_text_printf(out, "    %-14s%12" PRId64 "%15s%12" PRId64 "\n", title,
                                   ob_counts_sum(counts), "", ob_counts_sum(quiet));
    ob_counts_destroy(quiet);
    return ok ? OB_OK : ob__counts_no_memory(err);
}

ob_status ob_count_stats_print(const ob_count_stats *stats, ob_text *out, ob_err *err)
{
    const ob_count_stats_params *is = ob_count_stats_get(stats);
    if (!ob_text_append_str(out, "<opbench CallgrindStats>\n"))
        return ob__counts_no_memory(err);
    OB_TRY(ob_task_spec_print_summary(&is->task, out, err));
    if (!ob_text_printf(out, "\n%27sAll%10sNoisy symbols removed\n", "", ""))
        return ob__counts_no_memory(err);
    OB_TRY(print_sums("Instructions:", is->stmt_exclusive, out, err));
    OB_TRY(print_sums("Baseline:", is->baseline_exclusive, out, err));
    const bool ok =
        ob_text_printf(out, "%" PRId64 " runs per measurement, %" PRId64 " thread%s",
                       is->number_per_run, is->task.num_threads,
                       is->task.num_threads > 1 ? "s" : "") &&
        (is->built_with_debug_symbols ||
         ob_text_append_str(out, "\nWarning: PyTorch was not built with debug symbols.\n"
                                 "         Source information may be limited. Rebuild with\n"
                                 "         REL_WITH_DEB_INFO=1 for more detailed results."));
    return ok ? OB_OK : ob__counts_no_memory(err);
}
