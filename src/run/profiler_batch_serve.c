/* SPDX-License-Identifier: Apache-2.0
 *
 * The child's side of a batch: runs what it was handed over, in this very process, because that is the
 * one the profiler looks into.
 */
#include "opbench/batch.h"

#include "base/sized.h"
#include "base/text_append.h"
#include "run/nvtx.h"
#include "run/profiler_batch_text.h"
#include "run/segment.h"
#include "run/session_int.h"

#include <stdio.h>

typedef struct child {
    ob_batch_contents plan;
    ob_config *config;
    ob_cases *cases;
    ob_session *session;
    ob_nvtx *nvtx;
    ob_text id;
} child;

static ob_status read_source(const ob_batch_source *source, ob_json_doc **out, ob_err *err)
{
    if (source->shared_memory == NULL)
        return ob_json_parse_file(source->file, NULL, out, err);
    ob_text text = {0};
    ob_status status = ob__segment_read(source->shared_memory, &text, err);
    if (status == OB_OK)
        status = ob_json_parse(source->shared_memory, text.data, text.size, NULL, out, err);
    ob_text_fini(&text);
    return status;
}

/* "0|0|0_3": the queue's own id, or a running number. */
static ob_status make_id(child *w, uint64_t index, ob_err *err)
{
    const ob_json *id = ob_json_get(ob_json_item(w->plan.inputs, (size_t)index), "id");
    const char *word = ob_json_string(id, NULL);
    const long long number = ob_json_int(id, (int64_t)index);
    w->id.size = 0;
    const bool ok =
        (word != NULL ? ob_text_printf(&w->id, "%s|%s", w->plan.config_build_id, word)
                      : ob_text_printf(&w->id, "%s|%lld", w->plan.config_build_id, number)) &&
        ob_text_append(&w->id, "", 1);
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for an id");
}

static ob_status start(child *w, ob_context *context, const ob_batch_source *source, ob_err *err)
{
    ob_json_doc *doc = NULL;
    OB_TRY(read_source(source, &doc, err));
    OB_TRY(ob__batch_read(doc, &w->plan, err));
    OB_TRY(ob_run_options_check(&w->plan.options, err));
    const ob_config_options options = {.size = sizeof options, .device = w->plan.options.device};
    ob_json_doc *config = w->plan.config;
    w->plan.config = NULL;
    OB_TRY(ob_config_open_json(context, config, &options, &w->config, err));
    OB_TRY(ob_cases_open(w->config, NULL, &w->cases, err));
    OB_TRY(ob__nvtx_open(&w->nvtx, err));
    OB_TRY(ob_session_open(context, &w->plan.options, &w->session, err));
    w->session->listener = ob__nvtx_marks(w->nvtx);
    return OB_OK;
}

static void finish(child *w)
{
    ob_session_close(w->session);
    ob__nvtx_close(w->nvtx);
    ob_cases_close(w->cases);
    ob_config_destroy(w->config);
    ob__batch_contents_fini(&w->plan);
    ob_text_fini(&w->id);
}

ob_status ob_batch_serve(ob_context *context, const ob_batch_source *source,
                         ob_status (*on_record)(void *ctx, const ob_record *record, ob_err *err),
                         void *ctx, ob_err *err)
{
    ob_batch_source own;
    OB_TRY(OB__TAKE(ob_batch_source, &own, source, err));
    source = &own;
    child w = {.config = NULL};
    const ob_case *c;
    ob_record record;
    ob_status status = start(&w, context, source, err);
    while (status == OB_OK && (status = ob_cases_next(w.cases, &c, err)) == OB_OK) {
        status = make_id(&w, ob_case_index(c), err);
        if (status == OB_OK)
            status = ob__nvtx_begin_case(w.nvtx, ob_case_op_name(c), w.id.data, err);
        if (status == OB_OK)
            status = ob_session_run(w.session, c, &record, err);
        ob__nvtx_end_case(w.nvtx);
        record.result.id = w.id.data;
        if (status == OB_OK)
            status = on_record(ctx, &record, err);
    }
    finish(&w);
    return status == OB_END ? OB_OK : status;
}
