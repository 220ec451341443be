/* SPDX-License-Identifier: Apache-2.0
 *
 * SplitTableBatchedEmbeddingBagsCodegenInputIterator: the inputs of split embedding tables. An
 * entry has two arguments, the batch size and the pooling factor; each is one value, a "__range__"
 * from lowest to highest, or a "__list__" of alternatives. A step is the seven arguments that the
 * data generator wants: tables, rows and dim of the build, batch size, pooling factor, and
 * weighted and precision of the build. The pooling factor varies fastest; ids are <entry>_<step>.
 */
#include "base/json_node.h"
#include "base/text_append.h"
#include "config/check_value.h"
#include "config/iterators.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT_ARGS = 2, BATCH = 0, POOLING = 1 };

/* Where each of the seven arguments comes from: a place in the build, or one of the input's. */
static const struct {
    bool from_input;
    size_t place;
} SOURCES[] = {{false, 0},      {false, 1}, {false, 2}, {true, BATCH},
               {true, POOLING}, {false, 4}, {false, 5}};
enum { ARG_COUNT = sizeof SOURCES / sizeof SOURCES[0], BUILD_ARGS = 6 };

typedef struct split_state {
    const ob_json *entries;
    const ob_json *build;
    uint64_t *first;  /* index of each entry's first case, and the total behind the last */
    ob_json_doc *doc; /* holds the item given last */
} split_state;

static bool has_macro(const ob_json *arg, const char *name)
{
    return ob_json_get(arg, name) != NULL;
}

/* lowest, highest and step of a range. */
static void read_range(const ob_json *value, int64_t out[3])
{
    for (size_t i = 0; i < 3; i++)
        out[i] = ob_json_int(ob_json_item(value, i), 1);
}

static ob_status check_range(const ob_json *value, ob_err *err)
{
    const size_t count = ob_json_count(value);
    int64_t range[3];
    if (ob_json_get_kind(value) != OB_JSON_ARRAY || (count != 2 && count != 3))
        return ob__node_error(err, value,
                              "a range is [lowest, highest] or [lowest, highest, step]");
    for (size_t i = 0; i < count; i++)
        if (ob_json_get_kind(ob_json_item(value, i)) != OB_JSON_INT)
            return ob__node_error(err, ob_json_item(value, i),
                                  "a range of whole numbers is needed here");
    read_range(value, range);
    if (range[0] < 0 || range[1] < range[0] || range[2] < 1)
        return ob__node_error(err, value,
                              "a range needs 0 <= lowest <= highest and a step of at least 1");
    return OB_OK;
}

/* How many values an argument takes. */
static uint64_t count_values(const ob_json *arg)
{
    const ob_json *value = ob_json_get(arg, "value");
    int64_t range[3];
    if (has_macro(arg, OB__META_LIST))
        return ob_json_count(value);
    if (!has_macro(arg, OB__META_RANGE))
        return 1;
    read_range(value, range);
    return (uint64_t)(range[1] - range[0]) / (uint64_t)range[2] + 1;
}

static ob_status check_entry(const ob_json *entry, ob_err *err)
{
    const ob_json *args = ob_json_get(entry, "args");
    if (ob_json_get_kind(args) != OB_JSON_ARRAY || ob_json_count(args) != INPUT_ARGS)
        return ob__node_error(err, entry,
                              "an entry needs \"args\" with two arguments: the batch size and the "
                              "pooling factor");
    for (size_t i = 0; i < INPUT_ARGS; i++) {
        const ob_json *arg = ob_json_item(args, i), *value = ob_json_get(arg, "value");
        if (value == NULL)
            return ob__node_error(err, arg, "this argument needs a \"value\"");
        if (has_macro(arg, OB__META_RANGE) && has_macro(arg, OB__META_LIST))
            return ob__node_error(err, arg, "give __range__ or __list__, not both");
        if (has_macro(arg, OB__META_COPY))
            return ob__node_error(err, arg, "this iterator only knows __range__ and __list__");
        if (has_macro(arg, OB__META_RANGE))
            OB_TRY(check_range(value, err));
        if (has_macro(arg, OB__META_LIST) && ob_json_get_kind(value) != OB_JSON_ARRAY)
            return ob__node_error(err, value, "__list__ needs a list of alternatives");
    }
    return OB_OK;
}

static ob_status split_validate(const ob_iterator_args *args, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(args->entries); i++)
        OB_TRY(check_entry(ob_json_item(args->entries, i), err));
    return OB_OK;
}

static void split_close(void *opaque)
{
    split_state *state = opaque;
    if (state == NULL)
        return;
    ob_json_doc_destroy(state->doc);
    free(state->first);
    free(state);
}

static ob_status count_cases(split_state *state, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(state->entries); i++) {
        const ob_json *entry = ob_json_item(state->entries, i), *args = ob_json_get(entry, "args");
        uint64_t steps;
        if (__builtin_mul_overflow(count_values(ob_json_item(args, BATCH)),
                                   count_values(ob_json_item(args, POOLING)), &steps) ||
            __builtin_add_overflow(state->first[i], steps, &state->first[i + 1]) ||
            state->first[i + 1] > INT64_MAX)
            return ob__node_error(err, entry,
                                  "the list expands to more than 2^63 cases; use larger steps");
    }
    return OB_OK;
}

/* Without a build there is no place in it to show: that is the list of inputs. */
static ob_status check_build(const ob_iterator_args *args, ob_err *err)
{
    const ob_json *builds = ob_json_get(args->build, "args");
    if (ob_json_count(builds) < BUILD_ARGS)
        return ob__node_error(err, args->build != NULL ? args->build : args->entries,
                              "this iterator needs a build whose args are num_tables, rows, dim, "
                              "pooling, weighted and weights_precision");
    for (size_t i = 0; i < BUILD_ARGS; i++)
        if (ob_json_get(ob_json_item(builds, i), "value") == NULL)
            return ob__node_error(err, ob_json_item(builds, i), "this argument needs a \"value\"");
    return OB_OK;
}

static ob_status split_open(const ob_iterator_args *args, void **out, ob_err *err)
{
    *out = NULL;
    OB_TRY(check_build(args, err));
    OB_TRY(split_validate(args, err));
    split_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    state->entries = args->entries;
    state->build = args->build;
    state->first = calloc(ob_json_count(args->entries) + 1, sizeof *state->first);
    const ob_status status = state->first == NULL
                                 ? ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu entries",
                                              ob_json_count(args->entries))
                                 : count_cases(state, err);
    if (status != OB_OK) {
        split_close(state);
        return status;
    }
    *out = state;
    return OB_OK;
}

static uint64_t split_count(void *opaque)
{
    const split_state *state = opaque;
    return state->first[ob_json_count(state->entries)];
}

/* Errors in what is made here are shown where the config says it. made may be NULL. */
static ob_json *at_place_of(ob_json *made, const ob_json *source)
{
    if (made != NULL) {
        made->line = ob_json_line(source);
        made->column = ob_json_column(source);
    }
    return made;
}

/* Value number `step` of an argument; NULL when memory is out. */
static const ob_json *value_at(split_state *state, const ob_json *arg, uint64_t step)
{
    const ob_json *value = ob_json_get(arg, "value");
    int64_t range[3];
    if (has_macro(arg, OB__META_LIST))
        return ob_json_item(value, (size_t)step);
    if (!has_macro(arg, OB__META_RANGE))
        return value;
    read_range(value, range);
    return at_place_of(ob_json_new_int(state->doc, range[0] + (int64_t)step * range[2]), value);
}

/* The argument without its macros and with one value. */
static ob_status add_arg(split_state *state, ob_json *list, const ob_json *arg,
                         const ob_json *value, ob_err *err)
{
    ob_json *copy = at_place_of(ob_json_new_object(state->doc), arg);
    if (copy == NULL || value == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for an argument");
    for (size_t i = 0; i < ob_json_count(arg); i++) {
        const char *key = ob_json_key(arg, i);
        const bool is_value = strcmp(key, "value") == 0;
        if (!ob__is_meta_key(key))
            OB_TRY(
                ob_json_set(state->doc, copy, key, is_value ? value : ob_json_item(arg, i), err));
    }
    return ob_json_append(state->doc, list, copy, err);
}

static ob_status make_entry(split_state *state, const ob_json *input,
                            const uint64_t steps[INPUT_ARGS], const ob_json **out, ob_err *err)
{
    const ob_json *inputs = ob_json_get(input, "args");
    const ob_json *builds = ob_json_get(state->build, "args");
    ob_json_doc_destroy(state->doc);
    state->doc = NULL;
    OB_TRY(ob_json_doc_create(&state->doc, err));
    ob_json *entry = at_place_of(ob_json_new_object(state->doc), input);
    ob_json *list = at_place_of(ob_json_new_array(state->doc), inputs);
    ob_json *kwargs = ob_json_new_object(state->doc);
    if (entry == NULL || list == NULL || kwargs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for an entry");
    for (size_t i = 0; i < ARG_COUNT; i++) {
        const size_t place = SOURCES[i].place;
        const ob_json *arg = ob_json_item(SOURCES[i].from_input ? inputs : builds, place);
        const ob_json *value =
            SOURCES[i].from_input ? value_at(state, arg, steps[place]) : ob_json_get(arg, "value");
        OB_TRY(add_arg(state, list, arg, value, err));
    }
    OB_TRY(ob_json_set(state->doc, entry, "args", list, err));
    OB_TRY(ob_json_set(state->doc, entry, "kwargs", kwargs, err));
    *out = entry;
    return OB_OK;
}

static ob_status split_at(void *opaque, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    split_state *state = opaque;
    size_t which = 0;
    while (state->first[which + 1] <= index)
        which++;
    const ob_json *input = ob_json_item(state->entries, which);
    const uint64_t step = index - state->first[which];
    const uint64_t poolings = count_values(ob_json_item(ob_json_get(input, "args"), POOLING));
    const uint64_t steps[INPUT_ARGS] = {[BATCH] = step / poolings, [POOLING] = step % poolings};
    size_t length = ob__format_u64(which, item->id);
    item->id[length++] = '_';
    length += ob__format_u64(step, item->id + length);
    item->id[length] = '\0';
    item->core = NULL;
    return make_entry(state, input, steps, &item->entry, err);
}

const ob_iterator_desc ob__split_table_iterator = {
    .name = "SplitTableBatchedEmbeddingBagsCodegenInputIterator",
    .help = "batch sizes and pooling factors for the tables of the build",
    .depends_on_build = true,
    .validate = split_validate,
    .open = split_open,
    .count = split_count,
    .at = split_at,
    .close = split_close,
};
