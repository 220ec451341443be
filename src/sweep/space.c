/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to points. A sample takes one point from each of N equal stretches of the space, at a place drawn
 * from the seed and the stretch's number: no point comes twice, none must be remembered, and no corner is
 * left out by chance.
 */
#include "sweep/space.h"

#include "config/check_value.h"

#include <string.h>
#include <xxhash.h>

ob_status ob__sweep_space_read(const ob_json *variables, ob_sweep_space *out, ob_err *err)
{
    const size_t count = ob_json_count(variables);
    *out = (ob_sweep_space){.points = 1};
    if (count > OB_SWEEP_MAX_VARIABLES)
        return ob__node_error(err, variables, "%zu variables; a sweep can have at most %d", count,
                              OB_SWEEP_MAX_VARIABLES);
    for (size_t i = 0; i < count; i++) {
        const ob_json *values = ob_json_item(variables, i);
        ob_sweep_axis *v = &out->variables[out->variable_count++];
        *v = (ob_sweep_axis){
            .name = ob_json_key(variables, i), .values = values, .count = ob_json_count(values)};
        if (ob_json_get_kind(values) != OB_JSON_ARRAY || v->count == 0)
            return ob__node_error(err, values, "\"%.60s\" needs a list of at least one value",
                                  v->name);
        if (__builtin_mul_overflow(out->points, v->count, &out->points) || out->points > INT64_MAX)
            return ob__node_error(err, variables,
                                  "the values have more than 2^63 combinations; give fewer values");
    }
    return OB_OK;
}

uint64_t ob__sweep_space_taken(const ob_sweep_space *space)
{
    if (space->sample > 0)
        return space->sample < space->points ? space->sample : space->points;
    return space->every > 1 ? (space->points - 1) / space->every + 1 : space->points;
}

/* Where stretch i of n begins, without overflow. */
static uint64_t stretch(uint64_t points, uint64_t i, uint64_t n)
{
    return points / n * i + (points % n < i ? points % n : i);
}

uint64_t ob__sweep_space_point(const ob_sweep_space *space, uint64_t i)
{
    if (space->sample == 0)
        return space->every > 1 ? i * space->every : i;
    const uint64_t n = ob__sweep_space_taken(space);
    const uint64_t first = stretch(space->points, i, n), end = stretch(space->points, i + 1, n);
    return first + XXH3_64bits_withSeed(&i, sizeof i, space->seed) % (end - first);
}

const ob_json *ob__sweep_space_value(const ob_sweep_space *space, uint64_t point, size_t variable)
{
    for (size_t i = space->variable_count; --i > variable;)
        point /= space->variables[i].count;
    const ob_sweep_axis *v = &space->variables[variable];
    return ob_json_item(v->values, (size_t)(point % v->count));
}

size_t ob__sweep_space_find(const ob_sweep_space *space, const char *name)
{
    for (size_t i = 0; i < space->variable_count; i++)
        if (strcmp(space->variables[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

ob_status ob__sweep_check_sizes(const ob_sweep_axis *axis, ob_err *err)
{
    for (size_t i = 0; i < axis->count; i++) {
        const ob_json *value = ob_json_item(axis->values, i);
        if (ob_json_get_kind(value) != OB_JSON_INT || ob_json_int(value, -1) < 0)
            return ob__node_error(
                err, value,
                "\"%.60s\" is a size of an input, so its values must be whole numbers of 0 or more",
                axis->name);
    }
    return OB_OK;
}
