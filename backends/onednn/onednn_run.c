/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a prepared case: forward and backward walk lists of primitives.
 */
#include "onednn_backend.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static ob_status run_once(ob_prepared *prepared, ob_phase phase, ob_err *err)
{
    const dnn_plan *plan = &prepared->program.plan;
    switch (phase) {
    case OB_PHASE_FORWARD:
        prepared->progress.ran = true;
        return dnn_plan_run(plan, DNN_LIST_FORWARD, err);
    case OB_PHASE_MAKE_GRAD:
        prepared->progress.has_seed = true;
        return dnn_plan_run(plan, DNN_LIST_MAKE_GRAD, err);
    case OB_PHASE_BACKWARD:
        prepared->progress.has_grads = true;
        return dnn_plan_run(plan, DNN_LIST_BACKWARD, err);
    case OB_PHASE_ZERO_GRAD:
        prepared->progress.has_grads = false;
        return OB_OK;
    case OB_PHASE_RESTORE:
        for (size_t i = 0; i < prepared->saved_count; i++)
            memcpy(prepared->saved[i].live, prepared->saved[i].copy, prepared->saved[i].bytes);
        return OB_OK;
    }
    return prepared->backend->host->err_set(err, OB_ERR_INVALID, "there is no phase %d",
                                            (int)phase);
}

ob_status onednn_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    OB_TRY(ob_kit_check_order(prepared->backend->host, &prepared->progress,
                              prepared->program.passes[OB_PASS_BACKWARD].graph != NULL, phase,
                              err));
    /* OpenMP keeps the number per thread, and others in the process set theirs. */
    dnn_lib_set_threads(prepared->backend->lib, prepared->backend->threads);
    for (uint64_t i = 0; i < iterations; i++) {
        const ob_status status = run_once(prepared, phase, err);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}

/* ---- what comes out ---- */

static ob_status give_tensor(const dnn_plan *plan, const dnn_view *view, ob_value *out, ob_err *err)
{
    const ob_host *host = plan->host;
    const dnn_buffer *buffer = &plan->buffers[plan->groups[view->group].plain];
    const int64_t size = (int64_t)host->dtype_get_info(view->dtype)->size_bytes;
    ob_tensor tensor;
    if (buffer->storage == NULL) /* empty: nothing was planned for it */
        OB_TRY(host->tensor_init(&tensor, view->dtype, view->sizes, view->ndim, NULL, err));
    else
        OB_TRY(host->tensor_init_view(&tensor, buffer->storage, view->dtype, view->sizes,
                                      view->ndim, view->strides, view->offset / size, err));
    const ob_status status = host->value_init_tensor(out, &tensor, err);
    host->tensor_fini(&tensor);
    return status;
}

static ob_status give_edge(const dnn_plan *plan, const dnn_pass *pass, ob_edge_id edge,
                           ob_value *out, ob_err *err)
{
    const ob_value *meta = &pass->graph->edges[edge].meta;
    if (meta->kind == OB_VALUE_TENSOR)
        return give_tensor(plan, &pass->views[edge][0], out, err);
    OB_TRY(plan->host->value_copy(out, meta, err));
    for (size_t i = 0; i < ob_kit_tensor_count(meta); i++) {
        ob_value *item = &out->as.list.items[i];
        if (item->kind != OB_VALUE_TENSOR)
            continue;
        plan->host->value_fini(item);
        OB_TRY(give_tensor(plan, &pass->views[edge][i], item, err));
    }
    return OB_OK;
}

static ob_status give(const ob_prepared *prepared, ob_pass which, size_t index, ob_value *out,
                      ob_err *err)
{
    const dnn_program *program = &prepared->program;
    const dnn_pass *pass = &program->passes[which];
    return give_edge(&program->plan, pass, pass->graph->outputs[index], out, err);
}

ob_status onednn_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    const bool forward = pass == OB_PASS_FORWARD;
    const size_t total =
        forward ? prepared->args.graph->output_count : prepared->program.grad_count;
    *count = 0;
    OB_TRY(ob_kit_check_outputs(host, &prepared->progress, pass, total, capacity, err));
    dnn_lib_set_threads(prepared->backend->lib, prepared->backend->threads);
    OB_TRY(dnn_plan_run(&prepared->program.plan,
                        forward ? DNN_LIST_FORWARD_END : DNN_LIST_BACKWARD_END, err));
    for (size_t i = 0; i < total; i++) {
        values[i] = ob_value_none();
        const ob_status status = give(prepared, pass, i, &values[i], err);
        if (status != OB_OK) {
            for (size_t k = 0; k <= i; k++)
                host->value_fini(&values[k]);
            return status;
        }
    }
    *count = total;
    return OB_OK;
}

/* ---- for --profile ---- */

/* "matmul brg:avx512_core", "loop fill" */
static void step_name(const dnn_plan *plan, const dnn_step *step, char *out, size_t size)
{
    if (step->desc != NULL)
        snprintf(out, size, "%s %s", dnn_kind_name(step->kind),
                 dnn_desc_implementation(plan->lib, step->desc));
    else
        snprintf(out, size, "loop %s", step->loop->name);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

ob_status onednn_kernels(ob_prepared *prepared, ob_pass pass, ob_kernel_fn fn, void *ctx,
                         ob_err *err)
{
    const dnn_plan *plan = &prepared->program.plan;
    const dnn_list list = pass == OB_PASS_FORWARD ? DNN_LIST_FORWARD : DNN_LIST_BACKWARD;
    dnn_lib_set_threads(prepared->backend->lib, prepared->backend->threads);
    if (pass == OB_PASS_BACKWARD)
        OB_TRY(dnn_plan_run(plan, DNN_LIST_FORWARD, err));
    for (size_t i = 0; i < plan->step_count[list]; i++) {
        const dnn_step *step = &plan->steps[list][i];
        char name[160];
        const double start = now_ns();
        if (step->exec != NULL)
            OB_TRY(dnn_exec_run(step->exec, err));
        else
            step->loop->run(step->loop);
        const double end = now_ns();
        step_name(plan, step, name, sizeof name);
        const ob_kernel kernel = {.name = name, .start_ns = start, .duration_ns = end - start};
        OB_TRY(fn(ctx, &kernel));
    }
    return OB_OK;
}

/* ---- for the record ---- */

/* "convolution brgconv:avx512_core, reorder jit:uni x2", in the order of their first steps. */
static void describe_list(const dnn_plan *plan, dnn_list list, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < plan->step_count[list] && used < size; i++) {
        const dnn_step *step = &plan->steps[list][i];
        size_t first = i, count = 0;
        char name[160], other[160];
        step_name(plan, step, name, sizeof name);
        for (size_t k = 0; k < plan->step_count[list]; k++) {
            step_name(plan, &plan->steps[list][k], other, sizeof other);
            if (strcmp(name, other) == 0) {
                first = k < first ? k : first;
                count++;
            }
        }
        if (first < i)
            continue;
        const char *comma = used > 0 ? ", " : "";
        const int n = count > 1
                          ? snprintf(text + used, size - used, "%s%s x%zu", comma, name, count)
                          : snprintf(text + used, size - used, "%s%s", comma, name);
        used += n > 0 ? (size_t)n : 0;
    }
}

void onednn_case_properties(ob_prepared *prepared, ob_property_fn fn, void *ctx)
{
    static const struct {
        dnn_list list;
        const char *name;
    } lists[] = {{DNN_LIST_SETUP, "before"},
                 {DNN_LIST_FORWARD, "forward"},
                 {DNN_LIST_FORWARD_END, "after_forward"},
                 {DNN_LIST_BACKWARD, "backward"},
                 {DNN_LIST_BACKWARD_END, "after_backward"}};
    const dnn_plan *plan = &prepared->program.plan;
    char text[2048];
    fn(ctx, "reorders", plan->reorders_outside ? "outside" : "inside");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (plan->step_count[lists[i].list] == 0)
            continue;
        describe_list(plan, lists[i].list, text, sizeof text);
        fn(ctx, lists[i].name, text);
    }
}
