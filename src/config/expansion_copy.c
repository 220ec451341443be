/* SPDX-License-Identifier: Apache-2.0
 *
 * "__copy__": [{attribute: [i, [j, k]]}, ...] makes element i of this argument's attribute a copy of
 * element k of the same attribute of argument j.
 *
 * Copies are resolved per element, after the axes: a source that is a copy itself is copied first, so
 * the order in which arguments stand does not matter, and only elements that depend on themselves are an
 * error. Of two copies onto one element the last counts.
 */
#include "config/expansion_build.h"

#include "opbench/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One copy under construction. */
typedef struct request {
    const ob_shaped_arg *target;
    const char *attr;
    const ob_json *where; /* [i, [j, k]] */
} request;

ob_copy *ob__expansion_copy_to(const ob_expansion *expansion, const ob_json *attr, uint32_t index)
{
    for (size_t i = 0; i < expansion->copy_count; i++)
        if (expansion->copies[i].to == attr && expansion->copies[i].to_index == index)
            return &expansion->copies[i];
    return NULL;
}

/* Number of elements of a list attribute, also when it is iterated over alternatives: these must
 * agree then. */
static ob_status list_length(const ob_expansion *expansion, const char *name, const ob_json *attr,
                             const ob_json *where, uint32_t *length, ob_err *err)
{
    const ob_axis *axis = ob__expansion_axis_of(expansion, attr);
    const bool alternatives = axis != NULL && axis->kind == OB_AXIS_LIST;
    const ob_json *first = alternatives ? axis->items : attr;
    *length = 0;
    for (uint64_t i = 0; i < (alternatives ? axis->count : 1); i++) {
        if (first[i].kind != OB_JSON_ARRAY)
            return ob__node_error(
                err, where,
                "\"__copy__\" copies elements of lists, but \"%s\" is %s there; set it directly",
                name, ob_json_kind_name(ob_json_get_kind(&first[i])));
        if (i > 0 && first[i].count != *length)
            return ob__node_error(err, where,
                                  "\"__copy__\" needs alternatives of \"%s\" of equal length; they "
                                  "have %u and %u elements",
                                  name, *length, first[i].count);
        *length = first[i].count;
    }
    return OB_OK;
}

/* A Python index: negative ones count from the end. False when it is outside. */
static bool normalise(int64_t index, size_t length, uint32_t *out)
{
    if (index < 0)
        index += (int64_t)length;
    if (index < 0 || index >= (int64_t)length)
        return false;
    *out = (uint32_t)index;
    return true;
}

static ob_status element_index(const ob_expansion *expansion, const request *r, const ob_json *attr,
                               const ob_json *index, uint32_t *out, ob_err *err)
{
    uint32_t length;
    OB_TRY(list_length(expansion, r->attr, attr, r->where, &length, err));
    OB_TRY(ob__check_value(OB_ATTR_INT, OB__META_COPY, index, err));
    if (!normalise(index->as.integer, length, out))
        return ob__node_error(err, index,
                              "index %" PRId64 " is outside \"%s\", which has %u elements",
                              index->as.integer, r->attr, length);
    return OB_OK;
}

/* The argument that j means in one list (or, by name, in kwargs); NULL when there is none. */
static ob_json *source_arg(const ob_copy_scope *scope, const ob_json *j)
{
    uint32_t at;
    if (ob_json_get_kind(j) == OB_JSON_STRING)
        return ob__json_get_mutable((ob_json *)scope->named, j->as.string);
    return normalise(j->as.integer, ob_json_count(scope->list), &at) ? &scope->list->as.items[at]
                                                                     : NULL;
}

/* Goes outwards until j names an argument that has the attribute and is not the target's own element. */
static ob_status find_source(const ob_expansion *expansion, const request *r, const ob_json *j,
                             const ob_json *k, ob_copy *copy, ob_err *err)
{
    bool seen = false;
    for (const ob_copy_scope *scope = r->target->scope; scope != NULL; scope = scope->outer) {
        ob_json *arg = source_arg(scope, j);
        seen |= arg != NULL;
        copy->from = arg != NULL ? ob__json_get_mutable(arg, r->attr) : NULL;
        if (copy->from == NULL)
            continue;
        OB_TRY(element_index(expansion, r, copy->from, k, &copy->from_index, err));
        if (copy->from != copy->to || copy->from_index != copy->to_index || scope->outer == NULL)
            return OB_OK;
    }
    if (j->kind == OB_JSON_STRING)
        return ob__node_error(err, j,
                              seen ? "the argument \"%.60s\" has no \"%s\" to copy from"
                                   : "there is no keyword argument \"%.60s\" with \"%s\"",
                              j->as.string, r->attr);
    return ob__node_error(
        err, j,
        seen ? "argument %" PRId64 " has no \"%s\" to copy from; point to a tensor"
             : "there is no argument %" PRId64 " (counting from 0) with \"%s\" to copy from",
        j->as.integer, r->attr);
}

static ob_status add_copy(ob_expansion *expansion, const ob_copy *copy, ob_err *err)
{
    ob_copy *old = ob__expansion_copy_to(expansion, copy->to, copy->to_index);
    if (old != NULL) {
        *old = *copy;
        return OB_OK;
    }
    if (expansion->copy_count == OB_PLAN_MAX_COPIES)
        return ob__node_error(err, copy->where, "more than %d copies in one entry; split it",
                              OB_PLAN_MAX_COPIES);
    if (!OB_RESERVE(expansion->copies, expansion->copy_capacity, expansion->copy_count + 1))
        return ob__expansion_no_memory(err);
    expansion->copies[expansion->copy_count++] = *copy;
    return OB_OK;
}

static ob_status resolve_one(ob_expansion *expansion, const request *r, ob_err *err)
{
    const ob_json *source = ob_json_item(r->where, 1), *j = ob_json_item(source, 0);
    if (ob_json_get_kind(r->where) != OB_JSON_ARRAY || r->where->count != 2 ||
        ob_json_get_kind(source) != OB_JSON_ARRAY || source->count != 2 ||
        (j->kind != OB_JSON_INT && j->kind != OB_JSON_STRING))
        return ob__node_error(
            err, r->where,
            "a copy is written [i, [j, k]]: element i becomes element k of argument "
            "j");
    ob_copy copy = {.to = ob__json_get_mutable(r->target->arg, r->attr), .where = r->where};
    if (copy.to == NULL)
        return ob__node_error(err, r->where, "this argument has no \"%s\" to copy into; add it",
                              r->attr);
    OB_TRY(element_index(expansion, r, copy.to, ob_json_item(r->where, 0), &copy.to_index, err));
    OB_TRY(find_source(expansion, r, j, ob_json_item(source, 1), &copy, err));
    return add_copy(expansion, &copy, err);
}

static ob_status resolve_arg(ob_expansion *expansion, const ob_shaped_arg *target, ob_err *err)
{
    const ob_json *maps = target->copy;
    if (ob_json_get_kind(maps) != OB_JSON_ARRAY)
        return ob__node_error(err, maps,
                              "\"__copy__\" must be a list such as [{\"shape\": [0, [1, "
                              "0]]}], not %s",
                              ob_json_kind_name(ob_json_get_kind(maps)));
    for (uint32_t m = 0; m < maps->count; m++) {
        const ob_json *map = &maps->as.items[m];
        if (map->kind != OB_JSON_OBJECT)
            return ob__node_error(err, map,
                                  "an item of \"__copy__\" must be an object such as "
                                  "{\"shape\": [0, [1, 0]]}, not %s",
                                  ob_json_kind_name(ob_json_get_kind(map)));
        for (uint32_t i = 0; i < map->count; i++) {
            const request r = {.target = target,
                               .attr = map->as.members[i].key.as.string,
                               .where = &map->as.members[i].value};
            OB_TRY(resolve_one(expansion, &r, err));
        }
    }
    return OB_OK;
}

/* ---- order ---- */

enum { NOT_SEEN, UNDER_WAY, DONE };

/* Follows the sources of one copy back to one that is no copy, then places the chain from there. Each
 * copy has one source, so a chain is a path and no recursion is needed. */
static ob_status place_chain(ob_expansion *expansion, ob_copy *start, ob_copy *ordered,
                             size_t *placed, ob_copy **chain, ob_err *err)
{
    size_t length = 0;
    for (ob_copy *copy = start; copy != NULL && copy->mark != DONE;
         copy = ob__expansion_copy_to(expansion, copy->from, copy->from_index)) {
        if (copy->mark == UNDER_WAY)
            return ob__node_error(
                err, copy->where,
                "this copy depends on itself; break the cycle by giving one of its "
                "elements a value");
        copy->mark = UNDER_WAY;
        chain[length++] = copy;
    }
    while (length > 0) {
        chain[--length]->mark = DONE;
        ordered[(*placed)++] = *chain[length];
    }
    return OB_OK;
}

static ob_status order_copies(ob_expansion *expansion, ob_err *err)
{
    ob_copy *ordered = calloc(expansion->copy_count + 1, sizeof *ordered);
    ob_copy **chain = malloc((expansion->copy_count + 1) * sizeof *chain);
    ob_status status = OB_OK;
    size_t placed = 0;
    if (ordered == NULL || chain == NULL) {
        free(ordered);
        free(chain);
        return ob__expansion_no_memory(err);
    }
    for (size_t i = 0; status == OB_OK && i < expansion->copy_count; i++)
        status = place_chain(expansion, &expansion->copies[i], ordered, &placed, chain, err);
    if (status == OB_OK) {
        free(expansion->copies);
        expansion->copies = ordered;
        expansion->copy_capacity = expansion->copy_count + 1;
        ordered = NULL;
    }
    free(ordered);
    free(chain);
    return status;
}

ob_status ob__expansion_resolve_copies(ob_expansion_build *build, ob_err *err)
{
    ob_expansion *expansion = build->expansion;
    for (const ob_shaped_arg *arg = build->shaped; arg != NULL; arg = arg->next)
        if (arg->copy != NULL)
            OB_TRY(resolve_arg(expansion, arg, err));
    OB_TRY(order_copies(expansion, err));
    for (size_t i = 0; i < expansion->copy_count; i++) {
        const ob_copy *copy = &expansion->copies[i];
        const ob_axis *axis = ob__expansion_axis_of(expansion, copy->to);
        /* An attribute with alternatives varies as a whole; its elements are not cut out. */
        if (axis == NULL || axis->kind != OB_AXIS_LIST)
            copy->to->as.items[copy->to_index].flags |= OB_JSON_FLAG_VARIES;
    }
    return OB_OK;
}
