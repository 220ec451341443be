/* SPDX-License-Identifier: Apache-2.0
 *
 * A supervisor of its own that runs one case at a time, when it is asked.
 */
#include "run/case_counter.h"

#include "run/supervisor.h"

#include <stdlib.h>

struct ob_case_counter {
    ob_counting counting;
    ob_run_summary summary;
    ob_supervisor supervisor;
    ob_case_count *out; /* of the case under way */
    ob_err refused;     /* why no worker starts; OB_OK = one may */
};

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    ob_case_counter *c = ctx;
    (void)line;
    (void)length;
    return ob__counting_take(&c->counting, &record->result, c->out, err);
}

/* The first wish to end lets the case be counted that was measured. */
static int stop(void *ctx)
{
    const ob_run_params *outer = ((const ob_case_counter *)ctx)->counting.outer;
    return outer->stop != NULL && outer->stop(outer->ctx) > 1 ? 2 : 0;
}

ob_status ob__case_counter_open(ob_context *context, const ob_config *config,
                                const ob_run_params *params, const ob_side *side,
                                ob_case_counter **out, ob_err *err)
{
    ob_case_counter *c = calloc(1, sizeof *c);
    *out = NULL;
    if (c == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counting");
    ob_status status = ob__counting_open_side(&c->counting, params, side, err);
    ob_run_params *own = &c->counting.params;
    own->on_record = take_record;
    own->on_ready = NULL;
    own->stop = stop;
    own->ctx = c;
    c->supervisor = (ob_supervisor){.context = context,
                                    .config = config,
                                    .params = own,
                                    .place = &c->counting.place,
                                    .summary = &c->summary,
                                    .client = {.params = own},
                                    .identity = {.manifests = ob_context_manifests(context)}};
    if (status == OB_OK)
        status = ob__supervisor_open(&c->supervisor, err);
    if (status == OB_OK)
        status = ob__supervisor_open_workers(&c->supervisor, err);
    if (status != OB_OK) {
        ob__case_counter_close(c);
        return status;
    }
    *out = c;
    return OB_OK;
}

void ob__case_counter_close(ob_case_counter *c)
{
    if (c == NULL)
        return;
    ob__supervisor_close_workers(&c->supervisor, false);
    ob__supervisor_close(&c->supervisor);
    ob__counting_close(&c->counting);
    free(c);
}

ob_status ob__case_counter_count(ob_case_counter *c, uint64_t index, ob_case_count *out,
                                 ob_err *err)
{
    ob_err why = {.code = OB_OK};
    ob_status status = OB_OK;
    *out = (ob_case_count){.status = OB_RECORD_NO_STATUS};
    c->out = out;
    if (c->refused.code == OB_OK)
        status = ob__supervisor_run_range(
            &c->supervisor, &(ob_case_range){.first = index, .count = 1, .step = 1}, &why);
    if (status == OB_ERR_NOMEM)
        return ob_err_set(err, status, "%s", why.message);
    if (status == OB_END && out->status == OB_RECORD_NO_STATUS)
        ob__case_count_give_up(out, OB_RECORD_INTERRUPTED, "the run was interrupted");
    /* What refused once would refuse again. */
    if (status != OB_OK && status != OB_END) {
        ob__counting_explain(status, &why);
        c->refused = why;
    }
    if (c->refused.code != OB_OK)
        ob__case_count_give_up(out, OB_RECORD_FAILED, c->refused.message);
    return OB_OK;
}
