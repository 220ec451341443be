/* SPDX-License-Identifier: Apache-2.0
 *
 * See record_fit.h.
 */
#include "run/record_fit.h"

ob_status ob__record_print_fitting(ob_record *record, size_t most, ob_text *line, ob_err *err)
{
    ob_record empty;
    ob_record_result *r = &record->result;
    line->size = 0;
    OB_TRY(ob_record_print(record, line, err));
    if (line->size <= most)
        return OB_OK;
    ob_record_init(&empty, OB_RECORD_RESULT_LINE);
    r->forward = empty.result.forward;
    r->backward = empty.result.backward;
    r->raw_times_s = empty.result.raw_times_s;
    r->status = OB_RECORD_FAILED;
    r->reason = "too many samples for a record; " OB_CURE_OF_MANY_SAMPLES
                ", or ask for fewer iterations or a shorter warm-up";
    line->size = 0;
    return ob_record_print(record, line, err);
}
