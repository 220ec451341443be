/* SPDX-License-Identifier: Apache-2.0
 *
 * From a plan to memory and primitives. Temporaries of a list share one arena: a place is used again after
 * the last step that needs it. The lists run one after the other and use the same arena.
 */
#include "onednn_plan.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static ob_status out_of_memory(const dnn_plan *plan, ob_err *err)
{
    return plan->host->err_set(err, OB_ERR_NOMEM, "out of memory for the primitives of the case");
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_packed(const dnn_buffer *buffer)
{
    return buffer->used && !buffer->kept && buffer->storage == NULL && buffer->bytes > 0;
}

/* Those before `self` in the plan whose lives overlap its own. */
static size_t neighbours(const dnn_plan *plan, const uint32_t *order, size_t count,
                         const dnn_buffer *self, uint32_t *out)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const dnn_buffer *other = &plan->buffers[order[i]];
        if (other->list == self->list && other->first <= self->last && self->first <= other->last) {
            size_t at = found++;
            for (; at > 0 && plan->buffers[out[at - 1]].offset > other->offset; at--)
                out[at] = out[at - 1];
            out[at] = order[i];
        }
    }
    return found;
}

/* The lowest offset at which no neighbour is. */
static size_t pack(dnn_plan *plan, uint32_t *order, uint32_t *near)
{
    size_t count = 0, end = 0;
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        dnn_buffer *self = &plan->buffers[b];
        if (!is_packed(self))
            continue;
        const size_t found = neighbours(plan, order, count, self, near);
        size_t offset = 0;
        for (size_t i = 0; i < found; i++) {
            const dnn_buffer *other = &plan->buffers[near[i]];
            if (offset + self->bytes <= other->offset)
                break;
            const size_t behind = aligned(other->offset + other->bytes);
            offset = behind > offset ? behind : offset;
        }
        self->offset = offset;
        order[count++] = b;
        const size_t own = aligned(offset + self->bytes);
        end = own > end ? own : end;
    }
    return end;
}

static ob_status allocate(dnn_plan *plan, uint64_t *bytes, ob_err *err)
{
    uint32_t *order = calloc(plan->buffer_count * 2 + 1, sizeof *order);
    if (order == NULL)
        return out_of_memory(plan, err);
    const size_t temporaries = pack(plan, order, order + plan->buffer_count);
    free(order);
    const size_t arena = temporaries + plan->scratch_bytes;
    OB_TRY(plan->host->storage_create(arena, &plan->arena, err));
    *bytes += arena;
    char *base = plan->host->storage_data(plan->arena);
    plan->scratch = base + temporaries;
    for (size_t b = 0; b < plan->buffer_count; b++) {
        dnn_buffer *buffer = &plan->buffers[b];
        if (is_packed(buffer)) {
            buffer->data = base + buffer->offset;
            continue;
        }
        if (buffer->storage == NULL && (buffer->used || buffer->kept)) {
            OB_TRY(plan->host->storage_create(buffer->bytes, &buffer->storage, err));
            *bytes += buffer->bytes;
        }
        if (buffer->storage != NULL)
            buffer->data = plan->host->storage_data(buffer->storage);
    }
    return OB_OK;
}

static ob_status make_exec(dnn_plan *plan, dnn_step *step, ob_err *err)
{
    dnn_exec_arg *args = calloc((size_t)step->count + 1, sizeof *args);
    if (args == NULL)
        return out_of_memory(plan, err);
    for (int i = 0; i < step->count; i++) {
        const uint32_t buffer = step->args[i].buffer;
        args[i] = (dnn_exec_arg){.arg = step->args[i].arg,
                                 .layout = step->args[i].layout,
                                 .data = buffer == DNN_NONE_ID
                                             ? plan->scratch
                                             : plan->buffers[buffer].data + step->args[i].offset};
    }
    const ob_status status =
        dnn_exec_create(plan->lib, step->desc, args, step->count, &step->exec, err);
    free(args);
    return status;
}

static void place_loop(dnn_plan *plan, dnn_plain_loop *loop)
{
    loop->random = &plan->random;
    for (int i = 0; i < loop->count; i++)
        loop->data[i] = plan->buffers[loop->buffers[i]].data + loop->views[i].offset;
}

static ob_status make_primitives(dnn_plan *plan, ob_err *err)
{
    for (int l = 0; l < DNN_LIST_COUNT; l++) {
        for (size_t i = 0; i < plan->step_count[l]; i++) {
            dnn_step *step = &plan->steps[l][i];
            if (step->desc != NULL)
                OB_TRY(make_exec(plan, step, err));
            else
                place_loop(plan, step->loop);
        }
    }
    return OB_OK;
}

ob_status dnn_plan_build(dnn_plan *plan, uint64_t *bytes, ob_err *err)
{
    OB_TRY(allocate(plan, bytes, err));
    return make_primitives(plan, err);
}

ob_status dnn_plan_run(const dnn_plan *plan, dnn_list list, ob_err *err)
{
    const dnn_step *const end = plan->steps[list] + plan->step_count[list];
    for (const dnn_step *step = plan->steps[list]; step < end; step++) {
        if (step->exec == NULL) {
            step->loop->run(step->loop);
            continue;
        }
        const ob_status status = dnn_exec_run(step->exec, err);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}
