/* SPDX-License-Identifier: Apache-2.0
 *
 * Which calls are made, and which are not computing. A chosen call that the backend cannot make (an operator
 * newer than it, arguments that autocast converts inside) can be replaced by the calls that it made itself,
 * where the trace has them.
 */
#include "trace/replay_steps.h"

#include "base/nearest.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

static bool names_match(const char *name, const char *wanted)
{
    const size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

/* ---- which calls are computing ---- */

static ob_replay_fate judge(const ob_trace_node *node, const char *name,
                            const ob_replay_choice *choice, size_t *listed)
{
    const ob_replay_options *options = choice->options;
    for (size_t i = 0; i < choice->lost_count; i++)
        if (choice->lost[i] == node->id)
            return OB_REPLAY_CRASHED;
    for (*listed = 0; *listed < options->skip_count; ++*listed)
        if (names_match(name, options->skip_names[*listed]))
            return OB_REPLAY_LISTED;
    if (node->kind == OB_TRACE_COMM)
        return OB_REPLAY_COMMUNICATION;
    if (node->kind == OB_TRACE_FUSED)
        return OB_REPLAY_FUSED;
    if (node->kind == OB_TRACE_COMPILED)
        return OB_REPLAY_COMPILED;
    if (ob__trace_is_host_call(name))
        return OB_REPLAY_HOST;
    if (ob__trace_is_stream_call(node, name))
        return OB_REPLAY_STREAM;
    return ob__trace_unrecorded(node) != NULL ? OB_REPLAY_ARGUMENT : OB_REPLAY_RAN;
}

/* ---- calls inside calls ---- */

/* The next node behind one that is not gone into: its sibling, or its parent's, below root. */
static uint32_t next_outside(const ob_trace *trace, uint32_t index, uint32_t root)
{
    while (index != root) {
        const ob_trace_node *node = ob_trace_node_at(trace, index);
        if (node->next_sibling != OB_TRACE_NO_NODE)
            return node->next_sibling;
        index = node->parent;
    }
    return OB_TRACE_NO_NODE;
}

static uint32_t next_inside(const ob_trace *trace, uint32_t index, uint32_t root)
{
    const ob_trace_node *node = ob_trace_node_at(trace, index);
    return node->first_child != OB_TRACE_NO_NODE ? node->first_child
                                                 : next_outside(trace, index, root);
}

static uint32_t index_of(const ob_trace *trace, const ob_trace_node *node)
{
    return (uint32_t)(node - ob_trace_node_at(trace, 0));
}

static bool only_moves(const char *name)
{
    static const char *const NAMES[] = {
        "aten::empty",      "aten::empty_like", "aten::empty_strided",
        "aten::new_empty",  "aten::resize_",    "aten::set_",
        "aten::as_strided", "aten::view",       "aten::_unsafe_view",
        "aten::reshape",    "aten::expand",     "aten::expand_as",
        "aten::t",          "aten::transpose",  "aten::permute",
        "aten::slice",      "aten::select",     "aten::narrow",
        "aten::unsqueeze",  "aten::squeeze",    "aten::detach",
        "aten::alias",      "aten::zeros",      "aten::zeros_like",
        "aten::new_zeros",  "aten::zero_",      "aten::fill_",
        "aten::copy_",      "aten::clone",      "aten::contiguous",
        "aten::to",         "aten::_to_copy",   "aten::resolve_conj"};
    if (ob__trace_is_host_call(name))
        return true;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (names_match(name, NAMES[i]))
            return true;
    return false;
}

/* ---- whether the inner calls are all of a call ---- */

/* Storages that were only allocated, or only zeroed. */
enum { MAX_BARE = 256 }; /* more are not followed */
typedef struct bare_storages {
    int64_t ids[MAX_BARE];
    bool zeroed[MAX_BARE];
    size_t count;
} bare_storages;

static size_t find_bare(const bare_storages *bare, int64_t storage)
{
    size_t i = 0;
    while (i < bare->count && bare->ids[i] != storage)
        i++;
    return i;
}

static void forget_bare(bare_storages *bare, int64_t storage)
{
    const size_t i = find_bare(bare, storage);
    if (i == bare->count)
        return;
    bare->count--;
    bare->ids[i] = bare->ids[bare->count];
    bare->zeroed[i] = bare->zeroed[bare->count];
}

static void add_bare(bare_storages *bare, int64_t storage, bool zeroed)
{
    forget_bare(bare, storage);
    if (storage <= 0 || bare->count == MAX_BARE) /* 0: sparse */
        return;
    bare->ids[bare->count] = storage;
    bare->zeroed[bare->count++] = zeroed;
}

static bool has_storage(const ob_trace_value *values, size_t count, int64_t storage)
{
    for (size_t i = 0; i < count; i++)
        if ((values[i].kind == OB_TRACE_TENSOR && values[i].as.tensor->storage == storage) ||
            ((values[i].kind == OB_TRACE_LIST || values[i].kind == OB_TRACE_TUPLE) &&
             has_storage(values[i].as.items, values[i].count, storage)))
            return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && !names_match(name, *names))
        names++;
    return *names != NULL;
}

/* Writes into a tensor without looking at what is in it; out= variants do so too. */
static bool fills(const char *name)
{
    static const char *const NAMES[] = {"aten::copy_",        "aten::fill_",
                                        "aten::set_",         "aten::resize_",
                                        "aten::uniform_",     "aten::normal_",
                                        "aten::bernoulli_",   "aten::random_",
                                        "aten::index_put_",   "aten::index_copy_",
                                        "aten::exponential_", "aten::scatter_",
                                        "aten::resize_as_",   NULL};
    const size_t length = strcspn(name, ".");
    return length == 0 || name[length - 1] != '_' || is_one_of(name, NAMES);
}

/* Follows the call; false when it reads memory that no call has filled. */
static bool follow(bare_storages *bare, const ob_trace_node *call)
{
    static const char *const EMPTY[] = {"aten::empty", "aten::empty_like", "aten::empty_strided",
                                        "aten::new_empty", NULL};
    static const char *const ZEROS[] = {"aten::zeros", "aten::zeros_like", "aten::new_zeros",
                                        "aten::zero_", NULL};
    const bool zeroes = is_one_of(call->name, ZEROS), makes = is_one_of(call->name, EMPTY);
    const bool writes = strchr(call->schema, '!') != NULL;
    for (size_t i = 0; !zeroes && !makes && i < bare->count; i++) {
        const bool given = has_storage(call->inputs, call->input_count, bare->ids[i]);
        const bool result = has_storage(call->outputs, call->output_count, bare->ids[i]);
        const bool reads = !result || (writes && !fills(call->name));
        if (given && reads && !bare->zeroed[i])
            return false;
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        if (call->outputs[i].kind != OB_TRACE_TENSOR)
            continue;
        const int64_t storage = call->outputs[i].as.tensor->storage;
        if (zeroes || makes)
            add_bare(bare, storage, zeroes);
        else if (writes || !has_storage(call->inputs, call->input_count, storage))
            forget_bare(bare, storage);
    }
    return true;
}

/* A kernel of its own (embedding_bag's, a loss's) is no call: the calls around it do not compute what it does. It shows
 * where memory is read, or returned as the first result, that none of the calls has filled. */
bool ob__replay_can_replace(const ob_trace *trace, const ob_trace_node *node)
{
    bare_storages bare;
    bool computes = false;
    bare.count = 0;
    const uint32_t root = index_of(trace, node);
    for (uint32_t i = next_inside(trace, root, root); i != OB_TRACE_NO_NODE;) {
        const ob_trace_node *inner = ob_trace_node_at(trace, i);
        const bool call = ob__trace_is_call(inner);
        computes |= inner->kind == OB_TRACE_OPERATOR && !only_moves(inner->name);
        if (call && !follow(&bare, inner))
            return false;
        i = call ? next_outside(trace, i, root) : next_inside(trace, i, root);
    }
    const ob_trace_value *first = node->output_count > 0 ? &node->outputs[0] : NULL;
    const bool returned_bare = first != NULL && first->kind == OB_TRACE_TENSOR &&
                               first->as.tensor->numel > 0 &&
                               find_bare(&bare, first->as.tensor->storage) < bare.count;
    return computes && !returned_bare;
}

/* ---- the list ---- */

typedef struct adding {
    const ob_trace *trace;
    const ob_replay_choice *choice;
    ob_replay_schedule *plan;
    size_t capacity;
    bool *used; /* per name to skip: some call has it */
} adding;

static bool intern_name(adding *a, const ob_trace_node *node, char *name, size_t size,
                        uint32_t *number)
{
    ob__trace_call_name(node, name, size);
    return ob__intern(&a->plan->names, name, strlen(name), number) != NULL;
}

static bool add_step(adding *a, uint32_t index)
{
    ob_replay_schedule *plan = a->plan;
    char name[256];
    size_t listed;
    if (!OB_RESERVE(plan->steps, a->capacity, plan->step_count + 1))
        return false;
    ob_replay_step *step = &plan->steps[plan->step_count++];
    *step = (ob_replay_step){.node = ob_trace_node_at(a->trace, index),
                             .top = (uint32_t)(plan->top_count - 1)};
    if (!intern_name(a, step->node, name, sizeof name, &step->op))
        return false;
    step->fate = judge(step->node, name, a->choice, &listed);
    if (step->fate == OB_REPLAY_ARGUMENT)
        step->why = ob__trace_unrecorded(step->node);
    if (step->fate == OB_REPLAY_LISTED) {
        a->used[listed] = true;
        step->why = a->choice->options->skip_reasons != NULL
                        ? a->choice->options->skip_reasons[listed]
                        : NULL;
    }
    return true;
}

/* A chosen call, or the calls inside it, or inside those. */
static bool add_call(adding *a, uint32_t root)
{
    char name[256];
    ob_replay_schedule *plan = a->plan;
    if (!intern_name(a, ob_trace_node_at(a->trace, root), name, sizeof name,
                     &plan->tops[plan->top_count++]))
        return false;
    if (a->choice->replaced == NULL || a->choice->replaced[root] == NULL)
        return add_step(a, root);
    for (uint32_t i = next_inside(a->trace, root, root); i != OB_TRACE_NO_NODE;) {
        const bool call = ob__trace_is_call(ob_trace_node_at(a->trace, i));
        const bool taken = call && a->choice->replaced[i] == NULL;
        if (taken && !add_step(a, i))
            return false;
        i = taken ? next_outside(a->trace, i, root) : next_inside(a->trace, i, root);
    }
    return true;
}

static int in_order(const void *x, const void *y)
{
    const ob_trace_node *a = ((const ob_replay_step *)x)->node,
                        *b = ((const ob_replay_step *)y)->node;
    return a < b ? -1 : a > b;
}

static ob_status check_names(const adding *a, ob_err *err)
{
    for (size_t i = 0; i < a->choice->options->skip_strict_count; i++) {
        if (a->used[i])
            continue;
        const char *word = a->choice->options->skip_names[i];
        ob_nearest nearest;
        ob__nearest_start(&nearest, word, strlen(word));
        for (size_t k = 0; k < a->plan->names.count; k++)
            ob__nearest_offer(&nearest, a->plan->name_of[k]);
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "the trace has no selected call \"%.100s\"%s; opbench trace lists them",
                          word, ob__near_text(nearest.best, "; the nearest is \"", "\"", "").text);
    }
    return OB_OK;
}

static ob_status finish(adding *a, ob_err *err)
{
    ob_replay_schedule *plan = a->plan;
    plan->name_of = calloc(plan->names.count + (size_t)1, sizeof *plan->name_of);
    if (plan->name_of == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    for (size_t i = 0; i < plan->names.capacity; i++)
        if (plan->names.slots[i].data != NULL)
            plan->name_of[plan->names.slots[i].ordinal] = plan->names.slots[i].data;
    /* Threads go on while a call makes calls of its own. */
    if (a->choice->replaced != NULL && plan->step_count > 0)
        qsort(plan->steps, plan->step_count, sizeof *plan->steps, in_order);
    return a->choice->replaced == NULL ? check_names(a, err) : OB_OK;
}

ob_status ob__replay_steps_make(const ob_trace *trace, const ob_replay_choice *choice,
                                ob_replay_schedule *plan, ob_err *err)
{
    const ob_replay_options *options = choice->options;
    uint32_t *indices;
    size_t chosen;
    OB_TRY(ob_trace_select(trace, options->selection, &indices, &chosen, err));
    adding a = {.trace = trace,
                .choice = choice,
                .plan = plan,
                .capacity = chosen + 1,
                .used = calloc(options->skip_count + 1, sizeof *a.used)};
    plan->steps = calloc(chosen + 1, sizeof *plan->steps);
    plan->tops = calloc(chosen + 1, sizeof *plan->tops);
    bool ok = plan->steps != NULL && plan->tops != NULL && a.used != NULL;
    for (size_t i = 0; ok && i < chosen; i++)
        ok = add_call(&a, indices[i]);
    const ob_status status =
        ok ? finish(&a, err) : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    free(a.used);
    free(indices);
    return status;
}
