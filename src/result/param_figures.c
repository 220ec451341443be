/* SPDX-License-Identifier: Apache-2.0
 *
 * The figures that a line of PARAM's own program lacks: it has the samples alone, and views show figures.
 */
#include "opbench/measure.h"
#include "result/line.h"

#include <math.h>
#include <string.h>

static bool are_finite(const ob_reals *times)
{
    for (size_t i = 0; i < times->count; i++)
        if (!isfinite(times->items[i]))
            return false;
    return true;
}

static ob_status fill(ob_arena *arena, ob_record_pass *pass, ob_err *err)
{
    const ob_reals *times = &pass->measure_time_ms;
    if (times->count == 0 || pass->time_ms.count > 0 || !are_finite(times))
        return OB_OK;
    double *scratch = ob__arena_alloc_array(arena, times->count, sizeof *scratch);
    if (scratch == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu samples", times->count);
    OB_TRY(ob_interval_from_samples(times->items, times->count, 0, &pass->interval_ms, err));
    pass->interval_over = "samples";
    return ob_stats_compute(times->items, times->count, scratch, &pass->time_ms, err);
}

ob_status ob__line_fill_figures(ob_arena *arena, ob_record *record, ob_err *err)
{
    ob_record_result *r = &record->result;
    if (record->kind != OB_RECORD_RESULT_LINE || r->status != OB_RECORD_NO_STATUS)
        return OB_OK; /* opbench's own lines have a status, and all figures that they can have */
    OB_TRY(fill(arena, &r->forward, err));
    return fill(arena, &r->backward, err);
}
