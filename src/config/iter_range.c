/* SPDX-License-Identifier: Apache-2.0
 *
 * RangeConfigIterator: an expansion per entry; ids are <entry>_<step>. Entries that expand to nothing keep their
 * number.
 */
#include "config/expansion.h"
#include "config/iterators.h"

#include <stdlib.h>

typedef struct range_state {
    size_t expansion_count;
    size_t current;       /* the expansion asked last */
    uint64_t *first_case; /* expansion_count + 1 prefix sums */
    ob_expansion *expansions;
} range_state;

static void range_close(void *opaque)
{
    range_state *state = opaque;
    if (state == NULL)
        return;
    for (size_t i = 0; i < state->expansion_count; i++)
        ob__expansion_fini(&state->expansions[i]);
    free(state->expansions);
    free(state->first_case);
    free(state);
}

/* Room for `count` expansions; NULL when memory is out. */
static range_state *new_state(size_t count)
{
    range_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->expansions = calloc(count + 1, sizeof *state->expansions);
    state->first_case = calloc(count + 1, sizeof *state->first_case);
    if (state->expansions != NULL && state->first_case != NULL)
        return state;
    range_close(state);
    return NULL;
}

static ob_status add_expansion(range_state *state, const ob_expansion_args *args, ob_err *err)
{
    const size_t i = state->expansion_count;
    OB_TRY(ob__expansion_compile(args, &state->expansions[i], err));
    state->expansion_count++;
    if (__builtin_add_overflow(state->first_case[i], state->expansions[i].count,
                               &state->first_case[i + 1]) ||
        state->first_case[i + 1] > INT64_MAX)
        return ob__node_error(err, args->entry,
                              "the list expands to more than 2^63 cases; use larger steps");
    return OB_OK;
}

static ob_status range_open(const ob_iterator_args *args, void **out, ob_err *err)
{
    const size_t count = ob_json_count(args->entries);
    range_state *state = new_state(count);
    *out = NULL;
    if (state == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu entries", count);
    for (size_t i = 0; i < count; i++) {
        const ob_expansion_args expansion_args = {.generator = args->generator,
                                                  .log = args->log,
                                                  .entry = ob_json_item(args->entries, i)};
        const ob_status status = add_expansion(state, &expansion_args, err);
        if (status != OB_OK) {
            range_close(state);
            return status;
        }
    }
    *out = state;
    return OB_OK;
}

static ob_status range_validate(const ob_iterator_args *args, ob_err *err)
{
    void *state;
    OB_TRY(range_open(args, &state, err));
    range_close(state);
    return OB_OK;
}

static uint64_t range_count(void *opaque)
{
    const range_state *state = opaque;
    return state->first_case[state->expansion_count];
}

/* The expansion that holds case `index`: the current one mostly, else by bisection. */
static size_t find_expansion(const range_state *state, uint64_t index)
{
    const uint64_t *first = state->first_case;
    if (index >= first[state->current] && index < first[state->current + 1])
        return state->current;
    size_t low = 0, high = state->expansion_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (first[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static ob_status range_at(void *opaque, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)err;
    range_state *state = opaque;
    const size_t which = state->current = find_expansion(state, index);
    ob_expansion *expansion = &state->expansions[which];
    const uint64_t step = index - state->first_case[which];
    ob__expansion_go(expansion, step);
    size_t length = ob__format_u64(which, item->id);
    item->id[length++] = '_';
    length += ob__format_u64(step, item->id + length);
    item->id[length] = '\0';
    item->entry = &expansion->root;
    item->core = &expansion->text;
    return OB_OK;
}

const ob_iterator_desc ob__range_iterator = {
    .name = "RangeConfigIterator",
    .help = "expands __range__, __list__ and __copy__ into all combinations",
    .validate = range_validate,
    .open = range_open,
    .count = range_count,
    .at = range_at,
    .close = range_close,
};
