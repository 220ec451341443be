/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators inside a case, asked for after everything is measured: what the backend's callbacks cost falls on no
 * sample. As many iterations as were measured, up to a bound, are averaged call by call.
 */
#include "opbench/vec.h"
#include "run/session_int.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 20 };

typedef struct inner_call {
    const ob_json *name;
    int depth;
    double start_ns, sum_ns;
} inner_call;

typedef struct call_list {
    ob_json_doc *doc; /* for the names */
    inner_call *calls;
    size_t count, capacity;
    size_t at;    /* of the iteration under way */
    bool first;   /* it makes the list; the others are compared with it */
    bool differs; /* one had other calls: the first alone counts */
} call_list;

static ob_status add_call(call_list *list, const ob_kernel *kernel)
{
    if (!OB_RESERVE(list->calls, list->capacity, list->count + 1))
        return OB_ERR_NOMEM;
    inner_call *call = &list->calls[list->count++];
    *call = (inner_call){
        .name = ob_json_new_string(list->doc, kernel->name, strlen(kernel->name)),
        .depth = kernel->depth,
        .start_ns = kernel->start_ns,
        .sum_ns = kernel->duration_ns,
    };
    return call->name != NULL ? OB_OK : OB_ERR_NOMEM;
}

static ob_status hear(void *ctx, const ob_kernel *kernel)
{
    call_list *list = ctx;
    if (list->first)
        return add_call(list, kernel);
    inner_call *call = list->at < list->count ? &list->calls[list->at] : NULL;
    list->at++;
    if (call == NULL || call->depth != kernel->depth ||
        strcmp(ob_json_string(call->name, NULL), kernel->name) != 0)
        list->differs = true;
    else
        call->sum_ns += kernel->duration_ns;
    return OB_OK;
}

/* Once through the pass; false = the calls were others than at first. */
static ob_status ask_once(const ob_session *s, ob_pass pass, call_list *list, ob_err *err)
{
    list->at = 0;
    OB_TRY(s->desc->kernels(s->setup.prepared, pass, hear, list, err));
    list->differs |= !list->first && list->at != list->count;
    return OB_OK;
}

static ob_status put_calls(const call_list *list, ob_pass pass, int64_t iterations, ob_json *items)
{
    ob_json_doc *doc = list->doc;
    const char *word = pass == OB_PASS_BACKWARD ? "backward" : "forward";
    for (size_t i = 0; i < list->count; i++) {
        const inner_call *call = &list->calls[i];
        ob_json *row = ob_json_new_array(doc);
        const ob_json *const cells[] = {
            call->name, ob_json_new_string(doc, word, strlen(word)),
            ob_json_new_int(doc, call->depth), ob_json_new_int(doc, (int64_t)call->start_ns),
            ob_json_new_int(doc, (int64_t)(call->sum_ns / (double)iterations + 0.5))};
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
            if (row == NULL || cells[k] == NULL ||
                ob_json_append(doc, row, cells[k], NULL) != OB_OK)
                return OB_ERR_NOMEM;
        OB_TRY(ob_json_append(doc, items, row, NULL));
    }
    return OB_OK;
}

/* *iterations is how many were averaged. */
static ob_status ask_pass(const ob_session *s, ob_pass pass, ob_json *items, int64_t *iterations,
                          ob_err *err)
{
    const int64_t wanted = *iterations;
    call_list list = {.doc = s->kernels, .first = true};
    ob_status status = ask_once(s, pass, &list, err);
    list.first = false;
    double *alone = calloc(list.count + 1, sizeof *alone);
    for (size_t i = 0; alone != NULL && i < list.count; i++)
        alone[i] = list.calls[i].sum_ns;
    for (int64_t i = 1; status == OB_OK && alone != NULL && !list.differs && i < wanted; i++)
        status = ask_once(s, pass, &list, err);
    for (size_t i = 0; alone != NULL && list.differs && i < list.count; i++)
        list.calls[i].sum_ns = alone[i];
    *iterations = list.differs ? 1 : wanted;
    if (status == OB_OK && (alone == NULL || put_calls(&list, pass, *iterations, items) != OB_OK))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the operators inside the case");
    free(alone);
    free(list.calls);
    return status;
}

ob_status ob__session_ask_kernels(ob_session *s, ob_record_result *r, ob_err *err)
{
    if (!s->options.profile || s->desc->kernels == NULL)
        return OB_OK;
    ob_json_doc_destroy(s->kernels);
    s->kernels = NULL;
    OB_TRY(ob_json_doc_create(&s->kernels, err));
    ob_json *items = ob_json_new_array(s->kernels);
    if (items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the operators inside the case");
    const size_t measured = r->forward.measure_time_ms.count;
    int64_t forward = measured < 1                 ? 1
                      : measured > MOST_ITERATIONS ? MOST_ITERATIONS
                                                   : (int64_t)measured;
    int64_t backward = forward;
    OB_TRY(ask_pass(s, OB_PASS_FORWARD, items, &forward, err));
    if (s->setup.has_backward)
        OB_TRY(ask_pass(s, OB_PASS_BACKWARD, items, &backward, err));
    r->kernels = items;
    r->kernel_iterations = forward < backward ? forward : backward;
    return OB_OK;
}
