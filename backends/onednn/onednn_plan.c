/* SPDX-License-Identifier: Apache-2.0
 *
 * Planning: which form of a tensor holds its value, and the steps that follow from it; see onednn_plan.h.
 */
#include "onednn_plan.h"

#include "opbench/vec.h"
#include "plain_loops.h"

#include <stdlib.h>
#include <string.h>

static ob_status out_of_memory(const dnn_plan *plan, ob_err *err)
{
    return plan->host->err_set(err, OB_ERR_NOMEM, "out of memory for the plan of the case");
}

void dnn_plan_fini(dnn_plan *plan)
{
    for (int l = 0; l < DNN_LIST_COUNT; l++) {
        for (size_t i = 0; i < plan->step_count[l]; i++) {
            dnn_step *step = &plan->steps[l][i];
            dnn_exec_destroy(plan->lib, step->exec);
            dnn_desc_destroy(plan->lib, step->desc);
            free(step->loop);
            free(step->args);
        }
        free(plan->steps[l]);
    }
    for (size_t i = 0; i < plan->buffer_count; i++)
        plan->host->storage_release(plan->buffers[i].storage);
    free(plan->buffers);
    free(plan->groups);
    plan->host->storage_release(plan->arena);
    dnn_pool_fini(&plan->layouts);
}

/* ---- memory ---- */

static ob_status add_buffer(dnn_plan *plan, size_t bytes, uint32_t *id, ob_err *err)
{
    if (!OB_RESERVE(plan->buffers, plan->buffer_capacity, plan->buffer_count + 1))
        return out_of_memory(plan, err);
    *id = (uint32_t)plan->buffer_count;
    plan->buffers[plan->buffer_count++] = (dnn_buffer){.bytes = bytes};
    return OB_OK;
}

/* The buffer is used by the step that is added next. */
static void use_buffer(dnn_plan *plan, uint32_t id)
{
    dnn_buffer *buffer = &plan->buffers[id];
    const uint32_t now = (uint32_t)plan->step_count[plan->list];
    if (!buffer->used) {
        buffer->used = true;
        buffer->first = now;
        buffer->list = plan->list;
    }
    if (buffer->list != plan->list || plan->list == DNN_LIST_SETUP)
        buffer->kept = true;
    buffer->last = now;
}

ob_status dnn_plan_add_group(dnn_plan *plan, const dnn_view *base, size_t bytes, uint32_t *id,
                             ob_err *err)
{
    if (!OB_RESERVE(plan->groups, plan->group_capacity, plan->group_count + 1))
        return out_of_memory(plan, err);
    uint32_t buffer = 0;
    OB_TRY(add_buffer(plan, bytes, &buffer, err));
    *id = (uint32_t)plan->group_count;
    dnn_group *group = &plan->groups[plan->group_count++];
    *group = (dnn_group){.plain = buffer, .base = *base, .origin = DNN_LIST_FORWARD};
    group->base.group = *id;
    return OB_OK;
}

ob_status dnn_plan_temporary(dnn_plan *plan, ob_dtype dtype, int ndim, const int64_t *sizes,
                             dnn_view *out, ob_err *err)
{
    *out = (dnn_view){.dtype = dtype, .ndim = ndim};
    memcpy(out->sizes, sizes, (size_t)ndim * sizeof *sizes);
    dnn_view_contiguous_strides(out);
    const size_t bytes =
        (size_t)dnn_view_numel(out) * plan->host->dtype_get_info(dtype)->size_bytes;
    OB_TRY(dnn_plan_add_group(plan, out, bytes, &out->group, err));
    return OB_OK;
}

/* ---- layouts ---- */

static const dnn_layout *refuse_layout(const dnn_plan *plan, const dnn_view *view, ob_err *err)
{
    const char *name = plan->host->dtype_get_info(view->dtype)->name;
    if (!dnn_has_dtype(view->dtype))
        plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                            "oneDNN does not know the dtype %s; use another dtype or backend",
                            name);
    else
        plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                            "oneDNN has no tensors of %s with %d dimensions and these strides; use "
                            "another dtype or backend",
                            name, view->ndim);
    return NULL;
}

const dnn_layout *dnn_plan_plain(dnn_plan *plan, const dnn_view *view, ob_err *err)
{
    const dnn_layout *layout = dnn_layout_strided(plan->lib, &plan->layouts, view->dtype,
                                                  view->ndim, view->sizes, view->strides);
    return layout != NULL ? layout : refuse_layout(plan, view, err);
}

const dnn_layout *dnn_plan_any(dnn_plan *plan, const dnn_view *view, ob_err *err)
{
    const dnn_layout *layout =
        dnn_layout_any(plan->lib, &plan->layouts, view->dtype, view->ndim, view->sizes);
    return layout != NULL ? layout : refuse_layout(plan, view, err);
}

/* The valid form of a view that a primitive chose; NULL when there is none, or the plain one will do. */
static dnn_form *valid_form(const dnn_plan *plan, const dnn_view *view)
{
    dnn_group *group = &plan->groups[view->group];
    for (int i = 0; i < group->form_count; i++) {
        if (group->forms[i].valid && dnn_view_equal(&group->forms[i].view, view))
            return &group->forms[i];
    }
    return NULL;
}

bool dnn_plan_is_blocked(const dnn_plan *plan, const dnn_view *view)
{
    return !plan->groups[view->group].plain_valid && valid_form(plan, view) != NULL;
}

const dnn_layout *dnn_plan_current(dnn_plan *plan, const dnn_view *view, ob_err *err)
{
    if (dnn_plan_is_blocked(plan, view))
        return valid_form(plan, view)->layout;
    return dnn_plan_plain(plan, view, err);
}

/* ---- steps ---- */

static ob_status add_step(dnn_plan *plan, dnn_step **out, int args, ob_err *err)
{
    const dnn_list list = plan->list;
    if (!OB_RESERVE(plan->steps[list], plan->step_capacity[list], plan->step_count[list] + 1))
        return out_of_memory(plan, err);
    dnn_step *step = &plan->steps[list][plan->step_count[list]];
    *step = (dnn_step){.op = plan->op, .args = calloc((size_t)args + 1, sizeof *step->args)};
    if (step->args == NULL)
        return out_of_memory(plan, err);
    plan->step_count[list]++;
    *out = step;
    return OB_OK;
}

/* A place that holds, or will hold, a value in a layout. */
typedef struct place {
    uint32_t buffer;
    int64_t offset;
} place;

typedef struct operand {
    int arg;
    const dnn_layout *layout;
    place at;
} operand;

/* Takes the descriptor over, on failure too. */
static ob_status add_primitive(dnn_plan *plan, dnn_kind kind, dnn_desc *desc,
                               const operand *operands, int count, ob_err *err)
{
    const dnn_layout *scratch = dnn_desc_layout(plan->lib, &plan->layouts, desc, DNN_SCRATCHPAD);
    for (int i = 0; i < count; i++)
        use_buffer(plan, operands[i].at.buffer);
    dnn_step *step;
    const ob_status status = add_step(plan, &step, count + 1, err);
    if (status != OB_OK) {
        dnn_desc_destroy(plan->lib, desc);
        return status;
    }
    step->desc = desc;
    step->kind = kind;
    for (int i = 0; i < count; i++) {
        step->args[i].arg = operands[i].arg;
        step->args[i].layout = operands[i].layout;
        step->args[i].buffer = operands[i].at.buffer;
        step->args[i].offset = operands[i].at.offset;
    }
    step->count = count;
    if (scratch == NULL)
        return OB_OK;
    const size_t bytes = dnn_layout_bytes(plan->lib, scratch);
    plan->scratch_bytes = bytes > plan->scratch_bytes ? bytes : plan->scratch_bytes;
    step->args[step->count].arg = DNN_SCRATCHPAD;
    step->args[step->count].layout = scratch;
    step->args[step->count++].buffer = DNN_NONE_ID; /* the scratch memory that all share */
    return OB_OK;
}

static ob_status add_reorder(dnn_plan *plan, const dnn_layout *from, place source,
                             const dnn_layout *to, place target, ob_err *err)
{
    const dnn_request request = {.kind = DNN_REORDER, .src = from, .dst = to};
    dnn_desc *desc;
    OB_TRY(dnn_describe(plan->lib, &request, &desc, err));
    const operand operands[] = {{DNN_SRC, from, source}, {DNN_DST, to, target}};
    return add_primitive(plan, DNN_REORDER, desc, operands, 2, err);
}

/* ---- forms ---- */

static ob_status add_form(dnn_plan *plan, const dnn_view *view, const dnn_layout *layout,
                          dnn_form **out, ob_err *err)
{
    dnn_group *group = &plan->groups[view->group];
    dnn_form *form = NULL;
    for (int i = 0; form == NULL && i < group->form_count; i++) {
        dnn_form *old = &group->forms[i];
        if (dnn_view_equal(&old->view, view) && dnn_layout_equal(plan->lib, old->layout, layout))
            form = old;
    }
    if (form == NULL) {
        /* The last one makes room when there are too many; steps keep its buffer. */
        form = &group->forms[group->form_count < DNN_MAX_FORMS ? group->form_count++
                                                               : DNN_MAX_FORMS - 1];
        *form = (dnn_form){.view = *view, .layout = layout};
        OB_TRY(add_buffer(plan, dnn_layout_bytes(plan->lib, layout), &form->buffer, err));
    }
    *out = form;
    return OB_OK;
}

ob_status dnn_plan_want_plain(dnn_plan *plan, const dnn_view *view, ob_err *err)
{
    dnn_group *group = &plan->groups[view->group];
    if (group->plain_valid)
        return OB_OK;
    const dnn_form *form = valid_form(plan, &group->base);
    if (group->made_by != NULL || form == NULL)
        return plan->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "oneDNN keeps the indices of max pooling in its own format, but "
                                   "this call uses them; use another backend");
    const dnn_view base = group->base;
    const dnn_layout *plain = dnn_plan_plain(plan, &base, err);
    if (plain == NULL)
        return OB_ERR_UNSUPPORTED;
    OB_TRY(add_reorder(plan, form->layout, (place){form->buffer, 0}, plain,
                       (place){group->plain, base.offset}, err));
    group->plain_valid = true;
    return OB_OK;
}

/* Where the view's value is in a layout, after a reorder if need be. */
static ob_status find_input(dnn_plan *plan, const dnn_binding *binding, const dnn_layout *layout,
                            place *out, ob_err *err)
{
    const dnn_view *view = binding->view;
    dnn_group *group = &plan->groups[view->group];
    for (int i = 0; i < group->form_count; i++) {
        const dnn_form *form = &group->forms[i];
        if (form->valid && dnn_view_equal(&form->view, view) &&
            dnn_layout_equal(plan->lib, form->layout, layout)) {
            *out = (place){form->buffer, 0};
            return OB_OK;
        }
    }
    const dnn_layout *plain = dnn_plan_plain(plan, view, err);
    if (plain == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_form *source = group->plain_valid ? NULL : valid_form(plan, view);
    if (source == NULL || dnn_layout_equal(plan->lib, plain, layout))
        OB_TRY(dnn_plan_want_plain(plan, view, err));
    *out = (place){group->plain, view->offset};
    if (dnn_layout_equal(plan->lib, plain, layout))
        return OB_OK;
    const place from = source != NULL ? (place){source->buffer, 0} : *out;
    const dnn_layout *from_layout = source != NULL ? source->layout : plain;
    const dnn_list list = plan->list;
    const bool outside = group->origin == DNN_LIST_SETUP || group->origin == DNN_LIST_MAKE_GRAD;
    dnn_form *form;
    OB_TRY(add_form(plan, view, layout, &form, err));
    /* Before the clock starts: weights always, other values from outside by option. */
    if (outside && !group->written && (binding->weights || plan->reorders_outside))
        plan->list = group->origin;
    const ob_status status =
        add_reorder(plan, from_layout, from, layout, (place){form->buffer, 0}, err);
    plan->list = list;
    form->valid = true;
    *out = (place){form->buffer, 0};
    return status;
}

/* Where a result goes. When it cannot be written into the tensor's memory as the primitive gives it,
 * `back` is the layout to reorder it from. */
typedef struct target {
    place at;
    dnn_form *form;         /* becomes the only valid one */
    const dnn_layout *back; /* at is temporary */
} target;

static ob_status find_output(dnn_plan *plan, const dnn_view *view, const dnn_layout *layout,
                             target *out, ob_err *err)
{
    const dnn_group *group = &plan->groups[view->group];
    const bool whole = dnn_view_equal(view, &group->base);
    const dnn_layout *plain = dnn_layout_strided(plan->lib, &plan->layouts, view->dtype, view->ndim,
                                                 view->sizes, view->strides);
    *out = (target){.form = NULL};
    if (!whole && (group->plain_valid || group->form_count > 0))
        OB_TRY(dnn_plan_want_plain(plan, view, err));
    if (plain != NULL && dnn_layout_equal(plan->lib, plain, layout)) {
        out->at = (place){group->plain, view->offset};
        return OB_OK;
    }
    if (whole) {
        OB_TRY(add_form(plan, view, layout, &out->form, err));
        out->at = (place){out->form->buffer, 0};
        return OB_OK;
    }
    out->back = layout;
    return add_buffer(plan, dnn_layout_bytes(plan->lib, layout), &out->at.buffer, err);
}

static ob_status finish_output(dnn_plan *plan, const dnn_view *view, const target *made,
                               ob_err *err)
{
    dnn_group *group = &plan->groups[view->group];
    for (int i = 0; i < group->form_count; i++)
        group->forms[i].valid = &group->forms[i] == made->form;
    group->plain_valid = made->form == NULL;
    if (made->back == NULL)
        return OB_OK;
    const dnn_layout *plain = dnn_plan_plain(plan, view, err);
    if (plain == NULL)
        return OB_ERR_UNSUPPORTED;
    return add_reorder(plan, made->back, made->at, plain, (place){group->plain, view->offset}, err);
}

static ob_status emit(dnn_plan *plan, const dnn_request *request, dnn_desc *desc,
                      const dnn_binding *bindings, int count, operand *operands, target *targets,
                      ob_err *err)
{
    ob_status status = OB_OK;
    for (int i = 0; status == OB_OK && i < count; i++) {
        const dnn_binding *binding = &bindings[i];
        const dnn_layout *layout = dnn_desc_layout(plan->lib, &plan->layouts, desc, binding->arg);
        operands[i] = (operand){.arg = binding->arg, .layout = layout};
        if (layout == NULL)
            status = plan->host->err_set(err, OB_ERR_BACKEND,
                                         "oneDNN's %s does not know the argument %d",
                                         dnn_kind_name(request->kind), binding->arg);
        else if (binding->output)
            status = find_output(plan, binding->view, layout, &targets[i], err);
        else
            status = find_input(plan, binding, layout, &operands[i].at, err);
        if (status == OB_OK && binding->output)
            operands[i].at = targets[i].at;
    }
    if (status != OB_OK) {
        dnn_desc_destroy(plan->lib, desc);
        return status;
    }
    OB_TRY(add_primitive(plan, request->kind, desc, operands, count, err));
    for (int i = 0; i < count; i++) {
        if (bindings[i].output)
            OB_TRY(finish_output(plan, bindings[i].view, &targets[i], err));
    }
    return OB_OK;
}

ob_status dnn_plan_emit(dnn_plan *plan, const dnn_request *request, const dnn_binding *bindings,
                        int count, const dnn_desc **desc, ob_err *err)
{
    dnn_desc *made;
    OB_TRY(dnn_describe(plan->lib, request, &made, err));
    operand *operands = calloc((size_t)count + 1, sizeof *operands);
    target *targets = calloc((size_t)count + 1, sizeof *targets);
    ob_status status = OB_OK;
    if (operands == NULL || targets == NULL) {
        dnn_desc_destroy(plan->lib, made);
        status = out_of_memory(plan, err);
    } else {
        status = emit(plan, request, made, bindings, count, operands, targets, err);
    }
    free(operands);
    free(targets);
    if (desc != NULL)
        *desc = status == OB_OK ? made : NULL;
    return status;
}

/* ---- loop ---- */

static ob_status add_loop(dnn_plan *plan, const dnn_plain_loop *loop, const uint32_t *buffers,
                          ob_err *err)
{
    dnn_view *views[4];
    dnn_step *step;
    for (int i = 0; i < loop->count; i++)
        use_buffer(plan, buffers[i]);
    OB_TRY(add_step(plan, &step, 0, err));
    step->loop = malloc(sizeof *step->loop);
    if (step->loop == NULL)
        return out_of_memory(plan, err);
    *step->loop = *loop;
    for (int i = 0; i < loop->count; i++) {
        step->loop->buffers[i] = buffers[i];
        views[i] = &step->loop->views[i];
    }
    if (loop->elementwise)
        dnn_views_collapse(views, loop->count);
    return OB_OK;
}

ob_status dnn_plan_plain_loop(dnn_plan *plan, const dnn_plain_loop *loop, int outputs, ob_err *err)
{
    uint32_t buffers[4];
    for (int i = 0; i < loop->count; i++) {
        const dnn_view *view = &loop->views[i];
        const dnn_group *group = &plan->groups[view->group];
        const bool fresh = i < outputs && !group->plain_valid && group->form_count == 0;
        if (!fresh && (i >= outputs || !dnn_view_equal(view, &group->base)))
            OB_TRY(dnn_plan_want_plain(plan, view, err));
    }
    for (int i = 0; i < loop->count; i++)
        buffers[i] = plan->groups[loop->views[i].group].plain;
    OB_TRY(add_loop(plan, loop, buffers, err));
    for (int i = 0; i < outputs; i++) {
        dnn_group *group = &plan->groups[loop->views[i].group];
        for (int f = 0; f < group->form_count; f++)
            group->forms[f].valid = false;
        group->plain_valid = true;
    }
    return OB_OK;
}

ob_status dnn_plan_plain_loop_form(dnn_plan *plan, const dnn_plain_loop *loop,
                                   const dnn_view *tensor, const dnn_layout *layout, ob_err *err)
{
    uint32_t buffers[4] = {0};
    dnn_plain_loop placed = *loop;
    target made;
    OB_TRY(find_output(plan, tensor, layout, &made, err));
    buffers[0] = made.at.buffer;
    placed.views[0].offset = made.at.offset;
    for (int i = 1; i < loop->count; i++) {
        OB_TRY(dnn_plan_want_plain(plan, &loop->views[i], err));
        buffers[i] = plan->groups[loop->views[i].group].plain;
    }
    OB_TRY(add_loop(plan, &placed, buffers, err));
    return finish_output(plan, tensor, &made, err);
}

ob_status dnn_plan_dense(dnn_plan *plan, dnn_view *view, ob_err *err)
{
    if (!dnn_view_is_expanded(view))
        return OB_OK;
    dnn_plain_loop copy = {.run = dnn_plain_copy, .name = "copy", .count = 2, .elementwise = true};
    copy.views[1] = *view;
    OB_TRY(dnn_plan_temporary(plan, view->dtype, view->ndim, view->sizes, &copy.views[0], err));
    *view = copy.views[0];
    return dnn_plan_plain_loop(plan, &copy, 1, err);
}

dnn_view dnn_view_part(const dnn_plan *plan, const dnn_view *whole, int dim, int64_t start,
                       int64_t size, int64_t step)
{
    dnn_view part = *whole;
    const int64_t bytes = (int64_t)plan->host->dtype_get_info(whole->dtype)->size_bytes;
    part.offset += start * whole->strides[dim] * bytes;
    part.sizes[dim] = size;
    part.strides[dim] *= step;
    return part;
}
