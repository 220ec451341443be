/* SPDX-License-Identifier: Apache-2.0
 *
 * A measurement as a record. The record's own statistics are in milliseconds per run, as for any other
 * case, so that views need not know where a record came from.
 */
#include "base/sized.h"
#include "opbench/measurement.h"
#include "opbench/record.h"

#include <stdlib.h>

static ob_status fill_figures(const ob_measurement *m, double *times_ms, ob_record_pass *pass,
                              ob_err *err)
{
    for (size_t i = 0; i < m->count; i++)
        times_ms[i] = m->raw_times[i] / (double)m->number_per_run * 1e3;
    /* The interval first: it needs the order of time, the statistics sort. */
    OB_TRY(ob_interval_from_samples(times_ms, m->count, 0, &pass->interval_ms, err));
    pass->interval_over = "samples";
    return ob_stats_compute(times_ms, m->count, times_ms, &pass->time_ms, err);
}

ob_status ob_measurement_to_record(const ob_measurement *m, ob_record *record, ob_err *err)
{
    ob_measurement_stats checked;
    OB_TRY(ob__check_same_size(record->size, sizeof *record, "ob_record", err));
    ob_record_init(record, OB_RECORD_RESULT_LINE);
    OB_TRY(ob_measurement_compute(m, &checked, err));
    ob_record_result *r = &record->result;
    r->status = OB_RECORD_OK;
    r->number_per_run = m->number_per_run;
    r->raw_times_s = (ob_reals){.items = m->raw_times, .count = m->count};
    r->task = m->task;
    r->metadata = m->metadata;
    double *times_ms = malloc(m->count * sizeof *times_ms);
    if (times_ms == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu samples", m->count);
    const ob_status status = fill_figures(m, times_ms, &r->forward, err);
    free(times_ms);
    return status;
}
