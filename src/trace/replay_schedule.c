/* SPDX-License-Identifier: Apache-2.0
 *
 * Ids of tensors and storages are used again when one is freed, so "the last use of an id" says little.
 * Going back from the end, an id is needed at a call if the next thing that happens to it is being read;
 * if the next thing is being made anew, what is there now can go.
 */
#include "trace/replay_schedule.h"

#include "opbench/vec.h"
#include "trace/replay_steps.h"

#include <stdlib.h>
#include <string.h>

void ob__replay_each_tensor(const ob_trace_value *values, size_t count, ob_replay_tensor_fn fn,
                            void *ctx)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == OB_TRACE_TENSOR)
            fn(ctx, values[i].as.tensor);
        else if (values[i].kind == OB_TRACE_LIST || values[i].kind == OB_TRACE_TUPLE)
            ob__replay_each_tensor(values[i].as.items, values[i].count, fn, ctx);
    }
}

uint32_t ob__replay_key_number(ob_replay_schedule *plan, const ob_trace_tensor *tensor)
{
    const ob_replay_key key = {tensor->id, tensor->storage};
    uint32_t number = UINT32_MAX;
    ob__intern(&plan->keys, &key, sizeof key, &number);
    return number;
}

uint32_t ob__replay_storage_number(ob_replay_schedule *plan, int64_t storage)
{
    uint32_t number = UINT32_MAX;
    ob__intern(&plan->storages, &storage, sizeof storage, &number);
    return number;
}

static void number_tensor(void *ctx, const ob_trace_tensor *tensor)
{
    ob_replay_schedule *plan = ctx;
    ob__replay_key_number(plan, tensor);
    ob__replay_storage_number(plan, tensor->storage);
}

/* From the start of its storage; 0 = it cannot be. */
static uint64_t end_bytes(const ob_trace_tensor *tensor)
{
    int64_t span;
    const size_t item = ob_dtype_size(tensor->dtype);
    if (item == 0 ||
        ob_shape_span_bytes(tensor->sizes, tensor->strides, tensor->ndim, tensor->dtype, &span,
                            NULL) != OB_OK ||
        (uint64_t)tensor->offset > (UINT64_MAX >> 8) / item)
        return 0;
    return (uint64_t)tensor->offset * item + (uint64_t)span;
}

/* ---- lives ---- */

typedef struct lives {
    ob_replay_schedule *plan;
    uint8_t *tensor_read, *storage_read; /* going back: the next thing that happens is reading */
    uint8_t *own;                        /* storages that the present call reads */
    uint64_t *extent;                /* per storage: what is read of it before it is made anew */
    uint32_t *frees, *storage_frees; /* of the present call */
    size_t free_count, storage_count, capacity;
} lives;

/* What nobody reads behind the present call goes with it. */
static void free_unless_read(lives *l, uint32_t key, uint32_t storage)
{
    if (!l->tensor_read[key] && l->free_count < l->capacity)
        l->frees[l->free_count++] = key;
    if (!l->storage_read[storage] && l->storage_count < l->capacity)
        l->storage_frees[l->storage_count++] = storage;
}

static void read_tensor(void *ctx, const ob_trace_tensor *tensor)
{
    lives *l = ctx;
    const uint32_t key = ob__replay_key_number(l->plan, tensor);
    const uint32_t storage = ob__replay_storage_number(l->plan, tensor->storage);
    free_unless_read(l, key, storage);
    l->tensor_read[key] = l->storage_read[storage] = 1;
    const uint64_t end = end_bytes(tensor);
    if (end > l->extent[storage])
        l->extent[storage] = end;
}

static void note_need(void *ctx, const ob_trace_tensor *tensor)
{
    lives *l = ctx;
    l->plan->needs[l->plan->need_count++] =
        l->extent[ob__replay_storage_number(l->plan, tensor->storage)];
}

static void count_tensor(void *ctx, const ob_trace_tensor *tensor)
{
    (void)tensor;
    ++*(size_t *)ctx;
}

static void note_own(void *ctx, const ob_trace_tensor *tensor)
{
    lives *l = ctx;
    l->own[ob__replay_storage_number(l->plan, tensor->storage)] = 1;
}

static void forget_own(void *ctx, const ob_trace_tensor *tensor)
{
    lives *l = ctx;
    l->own[ob__replay_storage_number(l->plan, tensor->storage)] = 0;
}

/* What a call makes and nobody reads goes at once; before the call it is not there. */
static void write_tensor(void *ctx, const ob_trace_tensor *tensor)
{
    lives *l = ctx;
    const uint32_t key = ob__replay_key_number(l->plan, tensor);
    const uint32_t storage = ob__replay_storage_number(l->plan, tensor->storage);
    free_unless_read(l, key, storage);
    l->tensor_read[key] = 0;
    if (!l->own[storage]) {
        l->storage_read[storage] = 0;
        l->extent[storage] = 0;
    }
}

static bool append(uint32_t **list, size_t *count, size_t *capacity, const uint32_t *from,
                   size_t more)
{
    if (!OB_RESERVE(*list, *capacity, *count + more))
        return false;
    if (more > 0)
        memcpy(*list + *count, from, more * sizeof *from);
    *count += more;
    return true;
}

static bool find_lives(ob_replay_schedule *plan, lives *l)
{
    size_t capacity = 0, storage_capacity = 0;
    for (size_t i = plan->step_count; i-- > 0;) {
        ob_replay_step *step = &plan->steps[i];
        const ob_trace_node *node = step->node;
        l->free_count = l->storage_count = 0;
        ob__replay_each_tensor(node->inputs, node->input_count, note_own, l);
        ob__replay_each_tensor(node->outputs, node->output_count, write_tensor, l);
        ob__replay_each_tensor(node->inputs, node->input_count, forget_own, l);
        ob__replay_each_tensor(node->inputs, node->input_count, read_tensor, l);
        step->first_need = (uint32_t)plan->need_count;
        ob__replay_each_tensor(node->inputs, node->input_count, note_need, l);
        step->first_free = (uint32_t)plan->free_count;
        step->free_count = (uint32_t)l->free_count;
        step->first_storage = (uint32_t)plan->storage_free_count;
        step->storage_count = (uint32_t)l->storage_count;
        if (!append(&plan->frees, &plan->free_count, &capacity, l->frees, l->free_count) ||
            !append(&plan->storage_frees, &plan->storage_free_count, &storage_capacity,
                    l->storage_frees, l->storage_count))
            return false;
    }
    return true;
}

ob_status ob__replay_schedule_make(const ob_trace *trace, const ob_replay_choice *choice,
                                   ob_replay_schedule *plan, ob_err *err)
{
    *plan = (ob_replay_schedule){0};
    ob__arena_init(&plan->arena, 0);
    ob__intern_init(&plan->names, &plan->arena);
    ob__intern_init(&plan->keys, &plan->arena);
    ob__intern_init(&plan->storages, &plan->arena);
    OB_TRY(ob__replay_steps_make(trace, choice, plan, err));
    for (size_t i = 0; i < plan->step_count; i++) {
        const ob_trace_node *node = plan->steps[i].node;
        ob__replay_each_tensor(node->inputs, node->input_count, number_tensor, plan);
        ob__replay_each_tensor(node->outputs, node->output_count, number_tensor, plan);
    }
    const size_t keys = plan->keys.count + (size_t)1, storages = plan->storages.count + (size_t)1;
    lives l = {.plan = plan,
               .tensor_read = calloc(keys, 1),
               .storage_read = calloc(storages, 1),
               .own = calloc(storages, 1),
               .extent = calloc(storages, sizeof *l.extent),
               .frees = calloc(keys, sizeof *l.frees),
               .storage_frees = calloc(keys + storages, sizeof *l.storage_frees),
               .capacity = keys};
    size_t reads = 0;
    for (size_t i = 0; i < plan->step_count; i++)
        ob__replay_each_tensor(plan->steps[i].node->inputs, plan->steps[i].node->input_count,
                               count_tensor, &reads);
    plan->needs = calloc(reads + 1, sizeof *plan->needs);
    bool ok = l.tensor_read != NULL && l.storage_read != NULL && l.own != NULL && l.frees != NULL &&
              l.storage_frees != NULL && l.extent != NULL && plan->needs != NULL;
    ok = ok && find_lives(plan, &l);
    free(l.tensor_read);
    free(l.storage_read);
    free(l.own);
    free(l.extent);
    free(l.frees);
    free(l.storage_frees);
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
}

void ob__replay_schedule_fini(ob_replay_schedule *plan)
{
    free(plan->steps);
    free(plan->tops);
    free(plan->frees);
    free(plan->storage_frees);
    free(plan->needs);
    free((void *)plan->name_of);
    ob__intern_fini(&plan->names);
    ob__intern_fini(&plan->keys);
    ob__intern_fini(&plan->storages);
    ob__arena_fini(&plan->arena);
}
