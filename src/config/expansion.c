/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles an entry with macros into an expansion, and moves the expansion from case to case.
 *
 * The order of the axes is the order of expansion: args before kwargs, arguments in order, attributes in
 * the order in which they stand in the argument, elements of a shape and of a container in order; the
 * last one varies fastest.
 */
#include "config/expansion_build.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

ob_status ob__expansion_no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory while expanding an entry");
}

/* ---- axes ---- */

const ob_axis *ob__expansion_axis_of(const ob_expansion *expansion, const ob_json *node)
{
    for (size_t i = 0; i < expansion->axis_count; i++)
        if (expansion->axes[i].node == node)
            return &expansion->axes[i];
    return NULL;
}

static ob_status add_axis(ob_expansion_build *build, ob_axis axis, ob_json *node, ob_err *err)
{
    ob_expansion *expansion = build->expansion;
    if (expansion->axis_count == OB_PLAN_MAX_AXES)
        return ob__node_error(err, node, "more than %d ranged values in one entry; split it",
                              OB_PLAN_MAX_AXES);
    if (!OB_RESERVE(expansion->axes, expansion->axis_capacity, expansion->axis_count + 1))
        return ob__expansion_no_memory(err);
    if (axis.count == 0)
        ob__node_warning(build->args->log, node, "the %s, so this entry gives no cases",
                         axis.kind == OB_AXIS_LIST
                             ? "list is empty"
                             : "range is empty: its ends are in the wrong order for its step");
    axis.node = node;
    node->flags |= OB_JSON_FLAG_VARIES;
    expansion->axes[expansion->axis_count++] = axis;
    return OB_OK;
}

/* The items of the node are alternatives: each must be what one value would have to be. */
static ob_status add_list_axis(ob_expansion_build *build, const ob_arg_attr *attr, const char *name,
                               ob_json *node, ob_err *err)
{
    if (node->kind != OB_JSON_ARRAY)
        return ob__node_error(
            err, node, "\"%s\" is iterated over, so it must be a list of alternatives, not %s",
            name, ob_json_kind_name(ob_json_get_kind(node)));
    for (uint32_t i = 0; i < node->count; i++) {
        const ob_json *item = &node->as.items[i];
        if (attr == NULL)
            continue;
        OB_TRY(ob__check_attr(attr, item, build->args->log, err));
        if (attr->kind == OB_ATTR_SHAPE || attr->kind == OB_ATTR_STRIDES) {
            if (item->kind != OB_JSON_ARRAY)
                return ob__node_error(err, item, "an alternative of \"%s\" must be a list of sizes",
                                      name);
        } else if (attr->kind == OB_ATTR_ARGS && item->kind != OB_JSON_ARRAY) {
            return ob__node_error(err, item,
                                  "an alternative of \"%s\" must be a list of arguments, not %s",
                                  name, ob_json_kind_name(ob_json_get_kind(item)));
        } else if (attr->kind == OB_ATTR_ARGS) {
            ob_json_member args = {.key = {.kind = OB_JSON_STRING, .as = {.string = "args"}},
                                   .value = *item};
            const ob_json entry = {.kind = OB_JSON_OBJECT,
                                   .count = 1,
                                   .line = item->line,
                                   .column = item->column,
                                   .as = {.members = &args}};
            OB_TRY(ob__check_plain_entry(build->args->generator, &entry, build->args->log, err));
        }
    }
    const ob_axis axis = {.kind = OB_AXIS_LIST, .count = node->count, .items = node->as.items};
    return add_axis(build, axis, node, err);
}

/* The elements of a shape that are [lo, hi] or [lo, hi, step]. */
static ob_status add_shape_axes(ob_expansion_build *build, const char *name, ob_json *shape,
                                ob_err *err)
{
    if (shape->kind != OB_JSON_ARRAY)
        return ob__node_error(err, shape, "\"%s\" must be a list of sizes and ranges, not %s", name,
                              ob_json_kind_name(ob_json_get_kind(shape)));
    for (uint32_t i = 0; i < shape->count; i++) {
        ob_json *element = &shape->as.items[i];
        if (element->kind != OB_JSON_ARRAY)
            continue;
        ob_axis axis;
        OB_TRY(ob__axis_from_int_range(name, element, &axis, err));
        OB_TRY(add_axis(build, axis, element, err));
    }
    return OB_OK;
}

static ob_status add_range(ob_expansion_build *build, const ob_arg_type *type,
                           const ob_arg_attr *attr, const char *name, ob_json *node, ob_err *err)
{
    ob_axis axis;
    switch (attr != NULL ? attr->kind : OB_ATTR_ANY) {
    case OB_ATTR_INT:
        OB_TRY(ob__axis_from_int_range(name, node, &axis, err));
        return add_axis(build, axis, node, err);
    case OB_ATTR_REAL:
        OB_TRY(ob__axis_from_real_range(name, node, &axis, err));
        return add_axis(build, axis, node, err);
    case OB_ATTR_DEVICE:
        /* A tensor's device may be named in "__range__" and yet be one device. */
        if (node->kind == OB_JSON_STRING && ob__find_attr(type, "shape") != NULL)
            return ob__check_value(OB_ATTR_DEVICE, name, node, err);
        return add_list_axis(build, attr, name, node, err);
    case OB_ATTR_BOOL:
    case OB_ATTR_STRING:
    case OB_ATTR_DTYPE:
        return add_list_axis(build, attr, name, node, err);
    case OB_ATTR_SHAPE:
        return add_shape_axes(build, name, node, err);
    case OB_ATTR_IGNORED:
        return OB_OK;
    case OB_ATTR_ANY:
    case OB_ATTR_STRIDES:
    case OB_ATTR_FLAG:
    case OB_ATTR_INT_PAIR:
    case OB_ATTR_REAL_PAIR:
    case OB_ATTR_ARGS:
        break;
    }
    return ob__node_error(err, node,
                          "\"%s\" of type \"%s\" cannot have a range; name it in \"__list__\" to "
                          "iterate over alternatives",
                          name, type->name);
}

/* ---- macros ---- */

typedef struct macros {
    const ob_json *range, *list, *copy;
} macros;

/* Takes the macros out of the argument; they stay alive behind its last member. */
static macros take_macros(ob_json *arg)
{
    macros taken = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < arg->count; i++) {
        if (ob__is_meta_key(arg->as.members[i].key.as.string))
            continue;
        const ob_json_member member = arg->as.members[i];
        memmove(&arg->as.members[kept + 1], &arg->as.members[kept], (i - kept) * sizeof member);
        arg->as.members[kept++] = member;
    }
    for (uint32_t i = kept; i < arg->count; i++) {
        const ob_json_member *member = &arg->as.members[i];
        const char *key = member->key.as.string;
        *(strcmp(key, OB__META_RANGE) == 0  ? &taken.range
          : strcmp(key, OB__META_LIST) == 0 ? &taken.list
                                            : &taken.copy) = &member->value;
    }
    arg->count = kept;
    return taken;
}

/* A list of attribute names (one name alone is taken as a list of one). Names of attributes that the
 * argument does not have do nothing; that is said. */
static ob_status check_names(const ob_expansion_build *build, const ob_json *names,
                             const char *macro, const ob_json *arg, ob_err *err)
{
    if (names == NULL || names->kind == OB_JSON_STRING)
        return OB_OK;
    if (names->kind != OB_JSON_ARRAY)
        return ob__node_error(err, names, "\"%s\" must be a list of attribute names, not %s", macro,
                              ob_json_kind_name(ob_json_get_kind(names)));
    for (uint32_t i = 0; i < names->count; i++) {
        const ob_json *name = &names->as.items[i];
        if (name->kind != OB_JSON_STRING)
            return ob__node_error(err, name, "\"%s\" holds %s; it must list attribute names", macro,
                                  ob_json_kind_name(ob_json_get_kind(name)));
        if (ob_json_get(arg, name->as.string) == NULL &&
            strcmp(ob_json_string(ob_json_get(arg, "type"), NULL), "none") != 0)
            ob__node_warning(build->args->log, name,
                             "\"%s\" names \"%.60s\", which this argument does not have; it has no "
                             "effect",
                             macro, name->as.string);
    }
    return OB_OK;
}

static bool names_has(const ob_json *names, const char *name)
{
    if (names == NULL)
        return false;
    if (names->kind == OB_JSON_STRING)
        return strcmp(names->as.string, name) == 0;
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->as.items[i].as.string, name) == 0)
            return true;
    return false;
}

/* ---- arguments ---- */

static ob_status compile_arg(ob_expansion_build *build, ob_json *arg, const ob_copy_scope *scope,
                             ob_err *err);

static ob_status compile_items(ob_expansion_build *build, ob_json *list, const ob_copy_scope *outer,
                               ob_err *err)
{
    ob_copy_scope *scope = ob__arena_alloc(&build->expansion->arena, sizeof *scope);
    if (scope == NULL)
        return ob__expansion_no_memory(err);
    *scope = (ob_copy_scope){.list = list, .outer = outer};
    if (list->kind != OB_JSON_ARRAY)
        return ob__node_error(err, list, "\"value\" must be a list of arguments, not %s",
                              ob_json_kind_name(ob_json_get_kind(list)));
    for (uint32_t i = 0; i < list->count; i++)
        OB_TRY(compile_arg(build, &list->as.items[i], scope, err));
    return OB_OK;
}

static ob_status compile_attr(ob_expansion_build *build, const ob_arg_type *type,
                              ob_json_member *member, const macros *taken,
                              const ob_copy_scope *scope, ob_err *err)
{
    const char *name = member->key.as.string;
    const ob_arg_attr *attr = ob__find_attr(type, name);
    const bool ranged = names_has(taken->range, name), listed = names_has(taken->list, name);
    if (ranged && listed)
        return ob__node_error(err, &member->value,
                              "\"%s\" is named in both \"__range__\" and \"__list__\"; keep one",
                              name);
    if (listed)
        return add_list_axis(build, attr, name, &member->value, err);
    if (attr != NULL && attr->kind == OB_ATTR_ARGS)
        return compile_items(build, &member->value, scope, err);
    if (ranged)
        return add_range(build, type, attr, name, &member->value, err);
    if (attr == NULL)
        return OB_OK;
    return ob__check_attr(attr, &member->value, build->args->log, err);
}

static bool has_shape(const ob_arg_type *type)
{
    for (const ob_arg_attr *attr = type->attrs; attr != NULL && attr->name != NULL; attr++)
        if (attr->kind == OB_ATTR_SHAPE)
            return true;
    return false;
}

/* Remembers an argument with a shape for the two later passes. */
static ob_status note_shaped(ob_expansion_build *build, ob_json *arg, const ob_arg_type *type,
                             const ob_json *copy, const ob_copy_scope *scope, ob_err *err)
{
    ob_shaped_arg *shaped = ob__arena_alloc(&build->expansion->arena, sizeof *shaped);
    if (shaped == NULL)
        return ob__expansion_no_memory(err);
    *shaped = (ob_shaped_arg){.arg = arg, .type = type, .copy = copy, .scope = scope};
    *build->shaped_end = shaped;
    build->shaped_end = &shaped->next;
    return OB_OK;
}

static ob_status compile_arg(ob_expansion_build *build, ob_json *arg, const ob_copy_scope *scope,
                             ob_err *err)
{
    const ob_arg_type *type;
    OB_TRY(ob__find_arg_type(build->args->generator, arg, &type, err));
    const macros taken = take_macros(arg);
    ob__warn_of_unknown(type, arg, build->args->log);
    OB_TRY(check_names(build, taken.range, OB__META_RANGE, arg, err));
    OB_TRY(check_names(build, taken.list, OB__META_LIST, arg, err));
    OB_TRY(ob__check_present(type, arg, err));
    for (uint32_t i = 0; i < arg->count; i++)
        OB_TRY(compile_attr(build, type, &arg->as.members[i], &taken, scope, err));
    if (has_shape(type))
        return note_shaped(build, arg, type, taken.copy, scope, err);
    if (taken.copy != NULL)
        ob__node_warning(
            build->args->log, taken.copy,
            "\"__copy__\" has no effect on an argument of type \"%s\"; only tensors copy",
            type->name);
    return OB_OK;
}

/* ---- the entry ---- */

/* The live tree: args first, then kwargs unless they are empty; other keys are dropped. */
static bool clone_entry(ob_expansion *expansion, const ob_json *entry)
{
    static const char *const KEYS[] = {"args", "kwargs"};
    ob_json_member *members = ob__arena_alloc_array(&expansion->arena, 2, sizeof *members);
    if (members == NULL)
        return false;
    expansion->root = (ob_json){.kind = OB_JSON_OBJECT,
                                .line = entry->line,
                                .column = entry->column,
                                .as = {.members = members}};
    for (size_t i = 0; i < 2; i++) {
        const ob_json none = {.kind = i == 0 ? OB_JSON_ARRAY : OB_JSON_OBJECT};
        const ob_json *value = ob_json_get(entry, KEYS[i]);
        if (i == 1 && ob_json_count(value) == 0)
            continue;
        ob_json_member *member = &members[expansion->root.count++];
        if (!ob__json_make_string(&expansion->arena, KEYS[i], strlen(KEYS[i]), &member->key) ||
            !ob__json_clone(&expansion->arena, value ? value : &none, &member->value))
            return false;
    }
    return true;
}

static ob_status count_cases(ob_expansion *expansion, const ob_json *entry, ob_err *err)
{
    expansion->count = 1;
    for (size_t i = 0; i < expansion->axis_count; i++)
        if (expansion->axes[i].count == 0)
            expansion->count = 0;
    for (size_t i = 0; i < expansion->axis_count && expansion->count > 0; i++)
        if (__builtin_mul_overflow(expansion->count, expansion->axes[i].count, &expansion->count) ||
            expansion->count > INT64_MAX)
            return ob__node_error(err, entry,
                                  "the entry expands to more than 2^63 cases; use larger steps");
    return OB_OK;
}

static ob_status compile(ob_expansion_build *build, ob_err *err)
{
    ob_expansion *expansion = build->expansion;
    const ob_json *entry = build->args->entry;
    OB_TRY(ob__check_entry_form(entry, false, err));
    if (!clone_entry(expansion, entry))
        return ob__expansion_no_memory(err);
    ob_json *args = ob__json_get_mutable(&expansion->root, "args");
    ob_json *kwargs = ob__json_get_mutable(&expansion->root, "kwargs");
    ob_copy_scope *scope = ob__arena_alloc(&expansion->arena, sizeof *scope);
    if (scope == NULL)
        return ob__expansion_no_memory(err);
    *scope = (ob_copy_scope){.list = args, .named = kwargs};
    for (size_t i = 0; i < ob_json_count(args); i++)
        OB_TRY(compile_arg(build, &args->as.items[i], scope, err));
    for (size_t i = 0; i < ob_json_count(kwargs); i++)
        OB_TRY(compile_arg(build, &kwargs->as.members[i].value, scope, err));
    OB_TRY(ob__expansion_resolve_copies(build, err));
    OB_TRY(count_cases(expansion, entry, err));
    OB_TRY(ob__expansion_check_shapes(build, err));
    expansion->digits =
        calloc(expansion->axis_count ? expansion->axis_count : 1, sizeof *expansion->digits);
    if (expansion->digits == NULL ||
        !ob__expansion_text_make(build->args->generator, &expansion->root, &expansion->text))
        return ob__expansion_no_memory(err);
    return OB_OK;
}

ob_status ob__expansion_compile(const ob_expansion_args *args, ob_expansion *expansion, ob_err *err)
{
    ob_expansion_build build = {.expansion = expansion, .args = args};
    build.shaped_end = &build.shaped;
    *expansion = (ob_expansion){.at = UINT64_MAX};
    ob__arena_init(&expansion->arena, 0);
    const ob_status status = compile(&build, err);
    if (status != OB_OK)
        ob__expansion_fini(expansion);
    return status;
}

void ob__expansion_fini(ob_expansion *expansion)
{
    ob__arena_fini(&expansion->arena);
    ob__expansion_text_fini(&expansion->text);
    free(expansion->axes);
    free(expansion->digits);
    free(expansion->copies);
    *expansion = (ob_expansion){.at = UINT64_MAX};
}

/* ---- going ---- */

static void step(ob_expansion *expansion)
{
    for (size_t a = expansion->axis_count; a-- > 0;) {
        const bool carry = ++expansion->digits[a] == expansion->axes[a].count;
        if (carry)
            expansion->digits[a] = 0;
        ob__axis_write(&expansion->axes[a], expansion->digits[a]);
        if (!carry)
            return;
    }
}

void ob__expansion_go(ob_expansion *expansion, uint64_t i)
{
    if (i == expansion->at)
        return;
    if (expansion->at != UINT64_MAX && i == expansion->at + 1) {
        step(expansion);
    } else {
        uint64_t rest = i;
        for (size_t a = expansion->axis_count; a-- > 0;) {
            expansion->digits[a] = rest % expansion->axes[a].count;
            rest /= expansion->axes[a].count;
            ob__axis_write(&expansion->axes[a], expansion->digits[a]);
        }
    }
    for (size_t c = 0; c < expansion->copy_count; c++) {
        const ob_copy *copy = &expansion->copies[c];
        ob_json *to = &copy->to->as.items[copy->to_index];
        const ob_json *from = &copy->from->as.items[copy->from_index];
        to->kind = from->kind;
        to->flags = from->flags | OB_JSON_FLAG_VARIES;
        to->count = from->count;
        to->as = from->as;
    }
    expansion->at = i;
}
