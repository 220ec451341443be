/* SPDX-License-Identifier: Apache-2.0
 *
 * SweepConfigIterator: the points of a sweep as inputs, each with its build, because one variable may be in both.
 * The list has one entry:
 *
 *   {"variables": {"batch": [1, 8], "width": [64, 128]}, "precisions": ["float32", "float16"],
 *    "every": 2, "sample": 100, "seed": 0,
 *    "build": {"args": ["$width"]}, "args": [{"type": "tensor", "dtype": "$precision", "shape": ["$batch", "$width"]}]}
 *
 * "$name" in the place of an argument becomes an argument of the value's type; inside an argument, the
 * value. Ids are <point>_<precision>; precisions vary the fastest, so that those of a point are neighbours in time.
 */
#include "sweep/sweep_iterator.h"

#include "base/arena.h"
#include "base/json_node.h"
#include "base/text_append.h"
#include "config/check_value.h"
#include "opbench/vec.h"
#include "sweep/space.h"

#include <stdlib.h>
#include <string.h>

#define NAME "SweepConfigIterator"
const char OB__SWEEP_ITERATOR[] = NAME;
const char OB__SWEEP_PRECISION[] = "precision";

/* A node of the live copy that follows a variable. */
typedef struct slot {
    ob_json *node;
    size_t variable; /* of the space, or its variable_count: the precision */
    const ob_json
        *typed; /* in the place of an argument: one argument per value; NULL = the value */
} slot;

typedef struct sweep_state {
    ob_sweep_space space;
    const ob_json *precisions;
    uint64_t precision_count;
    ob_arena arena;
    ob_json input, build; /* live copies of the templates */
    bool has_build;
    slot *slots;
    size_t slot_count, slot_capacity;
} sweep_state;

static void sweep_close(void *opaque)
{
    sweep_state *state = opaque;
    if (state == NULL)
        return;
    ob__arena_fini(&state->arena);
    free(state->slots);
    free(state);
}

/* ---- values as arguments ---- */

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a sweep");
}

static const char *type_of(const ob_json *value)
{
    switch (ob_json_get_kind(value)) {
    case OB_JSON_BOOL:
        return "bool";
    case OB_JSON_INT:
        return "int";
    case OB_JSON_REAL:
        return "float";
    case OB_JSON_STRING:
        return "str";
    case OB_JSON_ARRAY:
        return "genericlist";
    default:
        return "none";
    }
}

/* {"type": T, "value": V}; a list is one of arguments. Depth is bounded by the reader of the file. */
static ob_status make_typed(ob_arena *arena, const ob_json *value, ob_json *out, ob_err *err)
{
    const char *type = type_of(value);
    ob_json_member *members = ob__arena_alloc_array(arena, 2, sizeof *members);
    if (ob_json_get_kind(value) == OB_JSON_OBJECT)
        return ob__node_error(err, value,
                              "a value must be a number, a string, true, false, null or a list");
    if (members == NULL || !ob__json_make_string(arena, "type", 4, &members[0].key) ||
        !ob__json_make_string(arena, type, strlen(type), &members[0].value) ||
        !ob__json_make_string(arena, "value", 5, &members[1].key))
        return no_memory(err);
    members[1].value = *value;
    if (ob_json_get_kind(value) == OB_JSON_ARRAY) {
        ob_json *items = ob__arena_alloc_array(arena, value->count + (size_t)1, sizeof *items);
        if (items == NULL)
            return no_memory(err);
        for (uint32_t i = 0; i < value->count; i++)
            OB_TRY(make_typed(arena, &value->as.items[i], &items[i], err));
        members[1].value.as.items = items;
    }
    *out = (ob_json){.kind = OB_JSON_OBJECT,
                     .count = 2,
                     .line = value->line,
                     .column = value->column,
                     .as.members = members};
    return OB_OK;
}

static ob_status make_all_typed(sweep_state *state, const ob_json *values, const ob_json **out,
                                ob_err *err)
{
    ob_json *typed = ob__arena_alloc_array(&state->arena, ob_json_count(values), sizeof *typed);
    if (typed == NULL)
        return no_memory(err);
    for (size_t i = 0; i < ob_json_count(values); i++)
        OB_TRY(make_typed(&state->arena, ob_json_item(values, i), &typed[i], err));
    *out = typed;
    return OB_OK;
}

/* ---- slots ---- */

static ob_status add_slot(sweep_state *state, ob_json *node, bool is_argument, bool is_size,
                          ob_err *err)
{
    const char *name = node->as.string + 1;
    slot s = {.node = node, .variable = ob__sweep_space_find(&state->space, name)};
    if (s.variable == SIZE_MAX && !is_argument && strcmp(name, OB__SWEEP_PRECISION) == 0)
        s.variable = state->space.variable_count;
    if (s.variable == SIZE_MAX)
        return ob__node_error(err, node, "\"%.60s\" is not a variable of the sweep", name);
    if (is_size)
        OB_TRY(ob__sweep_check_sizes(&state->space.variables[s.variable], err));
    if (is_argument)
        OB_TRY(make_all_typed(state, state->space.variables[s.variable].values, &s.typed, err));
    if (!OB_RESERVE(state->slots, state->slot_capacity, state->slot_count + 1))
        return no_memory(err);
    state->slots[state->slot_count++] = s;
    return OB_OK;
}

static bool is_reference(const ob_json *node)
{
    return node->kind == OB_JSON_STRING && node->as.string[0] == '$' && node->as.string[1] != '\0';
}

/* What a node stands for decides what a reference in it becomes. */
typedef enum place { ENTRY, ARGUMENTS, ARGUMENT, SHAPE, VALUE } place;

static ob_status find_slots(sweep_state *state, ob_json *node, place where, ob_err *err);

static place place_of_member(const ob_json *object, place where, const char *key)
{
    if (where == ENTRY)
        return ARGUMENTS;
    if (where == ARGUMENTS) /* kwargs */
        return ARGUMENT;
    const char *type = ob_json_string(ob_json_get(object, "type"), NULL);
    const bool is_list =
        type != NULL && (strcmp(type, "genericlist") == 0 || strcmp(type, "tuple") == 0);
    if (where == ARGUMENT && is_list && strcmp(key, "value") == 0)
        return ARGUMENTS;
    return where == ARGUMENT && strcmp(key, "shape") == 0 ? SHAPE : VALUE;
}

static ob_status find_slots(sweep_state *state, ob_json *node, place where, ob_err *err)
{
    if (is_reference(node))
        return add_slot(state, node, where == ARGUMENT, where == SHAPE, err);
    if (node->kind == OB_JSON_ARRAY)
        for (uint32_t i = 0; i < node->count; i++)
            OB_TRY(
                find_slots(state, &node->as.items[i], where == ARGUMENTS ? ARGUMENT : where, err));
    if (node->kind == OB_JSON_OBJECT)
        for (uint32_t i = 0; i < node->count; i++) {
            ob_json_member *member = &node->as.members[i];
            OB_TRY(find_slots(state, &member->value,
                              place_of_member(node, where, member->key.as.string), err));
        }
    return OB_OK;
}

/* ---- opening ---- */

/* {"args": ..., "kwargs": ...} of a template, as a live copy. */
static ob_status copy_template(sweep_state *state, const ob_json *from, ob_json *to, ob_err *err)
{
    static const char *const KEYS[] = {"args", "kwargs"};
    ob_json_member *members = ob__arena_alloc_array(&state->arena, 2, sizeof *members);
    if (members == NULL)
        return no_memory(err);
    if (ob_json_get_kind(from) != OB_JSON_OBJECT)
        return ob__node_error(err, from, "an object with \"args\" or \"kwargs\" is needed here");
    *to = (ob_json){
        .kind = OB_JSON_OBJECT, .line = from->line, .column = from->column, .as.members = members};
    for (size_t i = 0; i < 2; i++) {
        const ob_json *part = ob_json_get(from, KEYS[i]);
        if (part == NULL)
            continue;
        ob_json_member *member = &members[to->count++];
        if (!ob__json_make_string(&state->arena, KEYS[i], strlen(KEYS[i]), &member->key) ||
            !ob__json_clone(&state->arena, part, &member->value))
            return no_memory(err);
    }
    return find_slots(state, to, ENTRY, err);
}

static ob_status read_number(const ob_json *entry, const char *key, uint64_t *out, ob_err *err)
{
    const ob_json *node = ob_json_get(entry, key);
    const int64_t value = ob_json_int(node, 0);
    if (node != NULL && (ob_json_get_kind(node) != OB_JSON_INT || value < 0))
        return ob__node_error(err, node, "\"%s\" must be a whole number of 0 or more", key);
    *out = (uint64_t)value;
    return OB_OK;
}

static ob_status read_precisions(sweep_state *state, const ob_json *entry, ob_err *err)
{
    const ob_json *list = ob_json_get(entry, "precisions");
    state->precisions = list;
    state->precision_count = ob_json_count(list);
    if (ob_json_get_kind(list) != OB_JSON_ARRAY || state->precision_count == 0)
        return ob__node_error(
            err, list != NULL ? list : entry,
            "\"precisions\" must be a list of element types, such as [\"float32\"]");
    for (size_t i = 0; i < state->precision_count; i++) {
        size_t length = 0;
        const char *name = ob_json_string(ob_json_item(list, i), &length);
        if (name == NULL || ob_dtype_from_name(name, length) == OB_DTYPE_INVALID)
            return ob__node_error(err, ob_json_item(list, i),
                                  "this is not an element type; `opbench list dtypes` lists them");
    }
    return OB_OK;
}

static ob_status read_entry(sweep_state *state, const ob_json *entry, ob_err *err)
{
    const ob_json *build = ob_json_get(entry, "build");
    uint64_t every = 0, sample = 0, seed = 0, cases;
    if (ob_json_get_kind(ob_json_get(entry, "variables")) != OB_JSON_OBJECT)
        return ob__node_error(err, entry, "the entry needs \"variables\": {\"name\": [values]}");
    OB_TRY(ob__sweep_space_read(ob_json_get(entry, "variables"), &state->space, err));
    OB_TRY(read_number(entry, "every", &every, err));
    OB_TRY(read_number(entry, "sample", &sample, err));
    OB_TRY(read_number(entry, "seed", &seed, err));
    state->space.every = every;
    state->space.sample = sample;
    state->space.seed = seed;
    if (every > 1 && sample > 0)
        return ob__node_error(err, entry, "\"every\" and \"sample\" conflict; give only one");
    OB_TRY(read_precisions(state, entry, err));
    if (__builtin_mul_overflow(ob__sweep_space_taken(&state->space), state->precision_count,
                               &cases) ||
        cases > INT64_MAX)
        return ob__node_error(err, entry, "the sweep has more than 2^63 cases; give fewer values");
    OB_TRY(copy_template(state, entry, &state->input, err));
    state->has_build = build != NULL;
    return build != NULL ? copy_template(state, build, &state->build, err) : OB_OK;
}

static ob_status sweep_open(const ob_iterator_args *args, void **out, ob_err *err)
{
    const ob_json *entry = ob_json_item(args->entries, 0);
    *out = NULL;
    if (ob_json_count(args->entries) != 1 || ob_json_get_kind(entry) != OB_JSON_OBJECT)
        return ob__node_error(err, args->entries, "%s takes a list of one entry",
                              OB__SWEEP_ITERATOR);
    if (strcmp(args->key, "input") != 0)
        return ob__node_error(err, args->entries,
                              "%s is for inputs; it supplies their builds itself",
                              OB__SWEEP_ITERATOR);
    sweep_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return no_memory(err);
    ob__arena_init(&state->arena, 0);
    const ob_status status = read_entry(state, entry, err);
    if (status != OB_OK) {
        sweep_close(state);
        return status;
    }
    *out = state;
    return OB_OK;
}

static uint64_t sweep_count(void *opaque)
{
    const sweep_state *state = opaque;
    return ob__sweep_space_taken(&state->space) * state->precision_count;
}

/* The live copies show the point; precision is an index. */
static void go_to(sweep_state *state, uint64_t point, uint64_t precision)
{
    for (size_t i = 0; i < state->slot_count; i++) {
        const slot *s = &state->slots[i];
        if (s->variable == state->space.variable_count) {
            *s->node = *ob_json_item(state->precisions, (size_t)precision);
            continue;
        }
        const ob_json *value = ob__sweep_space_value(&state->space, point, s->variable);
        const ob_json *first = ob_json_item(state->space.variables[s->variable].values, 0);
        *s->node = s->typed != NULL ? s->typed[value - first] : *value;
    }
}

static ob_status sweep_at(void *opaque, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)err;
    sweep_state *state = opaque;
    const uint64_t precision = index % state->precision_count;
    const uint64_t point = ob__sweep_space_point(&state->space, index / state->precision_count);
    go_to(state, point, precision);
    size_t length = ob__format_u64(point, item->id);
    item->id[length++] = '_';
    length += ob__format_u64(precision, item->id + length);
    item->id[length] = '\0';
    item->entry = &state->input;
    item->core = NULL;
    item->build = state->has_build ? &state->build : NULL;
    return OB_OK;
}

/* The point at which every size is largest: if that is no case, the sweep has points that are none. */
static ob_status check_largest(sweep_state *state, const ob_iterator_args *args, ob_err *err)
{
    for (size_t i = 0; i < state->slot_count; i++) {
        const slot *s = &state->slots[i];
        if (s->variable == state->space.variable_count || s->typed != NULL)
            continue;
        const ob_json *values = state->space.variables[s->variable].values;
        for (size_t k = 0; k < ob_json_count(values); k++)
            if (ob_json_int(ob_json_item(values, k), 0) > ob_json_int(s->node, 0))
                *s->node = *ob_json_item(values, k);
    }
    return ob__check_plain_entry(args->generator, &state->input, args->log, err);
}

static ob_status sweep_validate(const ob_iterator_args *args, ob_err *err)
{
    void *opaque = NULL;
    ob_iterator_item item;
    ob_status status = sweep_open(args, &opaque, err);
    if (status != OB_OK || opaque == NULL)
        return status;
    status = sweep_at(opaque, 0, &item, err);
    if (status == OB_OK)
        status = check_largest(opaque, args, err);
    sweep_close(opaque);
    return status;
}

static const ob_iterator_desc ITERATOR = {
    .name = NAME,
    .help = "the product of named variables in inputs and builds",
    .validate = sweep_validate,
    .open = sweep_open,
    .count = sweep_count,
    .at = sweep_at,
    .close = sweep_close,
};

static const ob_iterator_desc *const ITERATORS[] = {&ITERATOR, NULL};

const ob_plugin ob__sweep_builtin = {OB_PLUGIN_HEAD, .name = "builtin-sweep",
                                     .iterators = ITERATORS};
