/* SPDX-License-Identifier: Apache-2.0
 *
 * A record that is larger than a message may be.
 */
#include "check.h"
#include "run/record_fit.h"

#include <string.h>

static void large_ones_fail_with_a_reason(void)
{
    static const double times[1000] = {0.25};
    ob_record record;
    ob_text line = {.data = NULL};
    ob_err err;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    record.result.op_name = "torch.relu";
    record.result.status = OB_RECORD_OK;
    ob_record_pass *const passes[] = {&record.result.forward, &record.result.backward};
    for (size_t i = 0; i < 2; i++)
        passes[i]->measure_time_ms = passes[i]->warmup_time_ms = (ob_reals){times, 1000};
    record.result.raw_times_s = (ob_reals){times, 1000};
    CHECK_INT(ob__record_print_fitting(&record, SIZE_MAX, &line, &err), OB_OK);
    CHECK_INT(record.result.status, OB_RECORD_OK);
    const size_t whole = line.size;
    CHECK(whole > 5000);
    CHECK_INT(ob__record_print_fitting(&record, whole, &line, &err), OB_OK);
    CHECK_INT(record.result.status, OB_RECORD_OK);
    CHECK_INT(line.size, whole);
    CHECK_INT(ob__record_print_fitting(&record, whole - 1, &line, &err), OB_OK);
    CHECK_INT(record.result.status, OB_RECORD_FAILED);
    CHECK_STR(record.result.reason,
              "too many samples for a record; --exec-mode continuous measures such short calls in "
              "blocks, or ask for fewer iterations or a shorter warm-up");
    CHECK(line.size < 1000);
    CHECK(ob_text_append(&line, "", 1));
    CHECK(strstr(line.data, "\"status\": \"failed\"") != NULL);
    CHECK(strstr(line.data, "torch.relu") != NULL);
    ob_text_fini(&line);
}

int main(void)
{
    RUN(large_ones_fail_with_a_reason);
    return ob_test_end();
}
