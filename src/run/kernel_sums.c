/* SPDX-License-Identifier: Apache-2.0
 *
 * From the calls inside a case to one record per operator: how often, how long, and how long by itself.
 */
#include "run/chrome_trace.h"

#include <stdlib.h>
#include <string.h>

typedef struct call {
    const char *name, *pass;
    int64_t depth;
    double duration_ns, inner_ns; /* inner: of the calls directly below it */
    bool taken;
} call;

/* The caller of the last call: the nearest before it that stands higher, in the same pass; NULL = the case. */
static call *caller_of(call *calls, size_t index)
{
    for (size_t k = index; k > 0 && strcmp(calls[k - 1].pass, calls[index].pass) == 0; k--)
        if (calls[k - 1].depth < calls[index].depth)
            return &calls[k - 1];
    return NULL;
}

static size_t read_calls(const ob_json *rows, call *calls)
{
    size_t count = 0;
    for (size_t i = 0; i < ob_json_count(rows); i++) {
        const ob_json *row = ob_json_item(rows, i);
        const call c = {.name = ob_json_string(ob_json_item(row, 0), NULL),
                        .pass = ob_json_string(ob_json_item(row, 1), NULL),
                        .depth = ob_json_int(ob_json_item(row, 2), 0),
                        .duration_ns = (double)ob_json_int(ob_json_item(row, 4), 0)};
        if (c.name == NULL || c.pass == NULL)
            continue;
        calls[count] = c;
        call *caller = caller_of(calls, count++);
        if (caller != NULL)
            caller->inner_ns += c.duration_ns;
    }
    return count;
}

/* A call below one of the same operator is part of it and is not counted twice in the total. */
static bool is_nested(call *calls, size_t index)
{
    const char *name = calls[index].name;
    for (const call *at = caller_of(calls, index); at != NULL;
         at = caller_of(calls, (size_t)(at - calls)))
        if (strcmp(at->name, name) == 0)
            return true;
    return false;
}

static void sum_calls(call *calls, size_t count, size_t first, ob_record_kernel *sum)
{
    for (size_t i = first; i < count; i++) {
        call *c = &calls[i];
        if (strcmp(c->name, sum->name) != 0 || strcmp(c->pass, sum->pass) != 0)
            continue;
        c->taken = true;
        sum->calls++;
        sum->own_ns += c->duration_ns > c->inner_ns ? c->duration_ns - c->inner_ns : 0;
        if (!is_nested(calls, i))
            sum->total_ns += c->duration_ns;
    }
}

ob_status ob__profile_sum_kernels(const ob_record *record,
                                  ob_status (*fn)(void *ctx, const ob_record *kernel, ob_err *err),
                                  void *ctx, ob_err *err)
{
    const ob_record_result *r = &record->result;
    if (record->kind != OB_RECORD_RESULT_LINE || r->kernels == NULL)
        return OB_OK;
    call *calls = calloc(ob_json_count(r->kernels) + 1, sizeof *calls);
    if (calls == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the operators inside the case");
    const size_t count = read_calls(r->kernels, calls);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        ob_record line;
        if (calls[i].taken)
            continue;
        ob_record_init(&line, OB_RECORD_KERNEL_LINE);
        line.kernel = (ob_record_kernel){.name = calls[i].name,
                                         .pass = calls[i].pass,
                                         .case_op_name = r->op_name,
                                         .case_id = r->id,
                                         .case_key = r->key,
                                         .iterations = r->kernel_iterations};
        sum_calls(calls, count, i, &line.kernel);
        status = fn(ctx, &line, err);
    }
    free(calls);
    return status;
}
