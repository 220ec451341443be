/* SPDX-License-Identifier: Apache-2.0
 *
 * Values. Lists may be nested as deep as an input file wants, so nothing here recurses without
 * bound: copying and comparing stop at OB_VALUE_MAX_DEPTH, freeing needs no stack at all.
 */
#include "opbench/value.h"

#include <stdlib.h>
#include <string.h>

const char *ob_value_kind_name(ob_value_kind kind)
{
    static const char *const NAMES[] = {
#define NAME(id, name) [OB_VALUE_##id] = (name),
        OB_VALUE_KIND_MAP(NAME)
#undef NAME
    };
    _Static_assert(sizeof NAMES / sizeof NAMES[0] == OB_VALUE_KIND_COUNT, "one name per kind");
    return (int)kind >= 0 && kind < OB_VALUE_KIND_COUNT ? NAMES[kind] : "unknown";
}

ob_status ob_value_init_str(ob_value *out, const char *text, size_t length, ob_err *err)
{
    *out = ob_value_none();
    char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL;
    if (copy == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "no memory for a string of %zu bytes", length);
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    *out = (ob_value){.kind = OB_VALUE_STR, .as.str = {.text = copy, .length = length}};
    return OB_OK;
}

ob_status ob_value_init_tensor(ob_value *out, const ob_tensor *tensor, ob_err *err)
{
    *out = ob_value_none();
    ob_tensor *copy = malloc(sizeof *copy);
    if (copy == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "no memory for a tensor record");
    const ob_status status = ob_tensor_copy(copy, tensor, err);
    if (status != OB_OK) {
        free(copy);
        return status;
    }
    *out = (ob_value){.kind = OB_VALUE_TENSOR, .as.tensor = copy};
    return OB_OK;
}

ob_status ob_value_init_list(ob_value *out, ob_value_kind kind, size_t count, ob_err *err)
{
    *out = ob_value_none();
    if (kind != OB_VALUE_LIST && kind != OB_VALUE_TUPLE)
        return ob_err_set(err, OB_ERR_INVALID,
                          "values of kind %s have no items; make a list or a tuple",
                          ob_value_kind_name(kind));
    ob_value *items = NULL;
    if (count > 0) {
        if (count <= PTRDIFF_MAX / sizeof *items)
            items = calloc(count, sizeof *items); /* all bytes zero is NONE */
        if (items == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "no memory for a list of %zu items", count);
    }
    *out = (ob_value){.kind = kind, .as.list = {.items = items, .count = count}};
    return OB_OK;
}
_Static_assert(OB_VALUE_NONE == 0, "calloc makes NONE");

static ob_status copy_value(ob_value *out, const ob_value *in, int depth, ob_err *err)
{
    *out = ob_value_none();
    if (in->kind == OB_VALUE_STR)
        return ob_value_init_str(out, in->as.str.text, in->as.str.length, err);
    if (in->kind == OB_VALUE_TENSOR)
        return ob_value_init_tensor(out, in->as.tensor, err);
    if (!ob_value_is_list(in)) {
        *out = *in;
        return OB_OK;
    }
    if (depth == OB_VALUE_MAX_DEPTH)
        return ob_err_set(err, OB_ERR_LIMIT, "lists are nested deeper than %d levels",
                          OB_VALUE_MAX_DEPTH);
    OB_TRY(ob_value_init_list(out, in->kind, in->as.list.count, err));
    for (size_t i = 0; i < in->as.list.count; i++) {
        /* On failure the caller at depth 0 frees the whole part made so far. */
        OB_TRY(copy_value(&out->as.list.items[i], &in->as.list.items[i], depth + 1, err));
    }
    return OB_OK;
}

ob_status ob_value_copy(ob_value *out, const ob_value *in, ob_err *err)
{
    const ob_status status = copy_value(out, in, 0, err);
    if (status != OB_OK)
        ob_value_fini(out);
    return status;
}

static void free_leaf(ob_value *value)
{
    if (value->kind == OB_VALUE_STR) {
        free(value->as.str.text);
    } else if (value->kind == OB_VALUE_TENSOR) {
        ob_tensor_fini(value->as.tensor);
        free(value->as.tensor);
    }
}

/* Walks down the last item of each list first. While the walk is inside a list, the slot that held
 * that list keeps the way back (the grandparent's items and count), so depth costs no memory. */
void ob_value_fini(ob_value *value)
{
    ob_value *items = value, *parent_items = NULL;
    size_t left = value ? 1 : 0, parent_left = 0;
    for (;;) {
        while (left > 0) {
            ob_value *last = &items[left - 1];
            if (ob_value_is_list(last)) {
                ob_value *const inner_items = last->as.list.items;
                const size_t inner_left = last->as.list.count;
                last->as.list.items = parent_items;
                last->as.list.count = parent_left;
                parent_items = items;
                parent_left = left;
                items = inner_items;
                left = inner_left;
            } else {
                free_leaf(last);
                left--;
            }
        }
        if (parent_left == 0)
            break;
        free(items);
        ob_value *const slot = &parent_items[parent_left - 1];
        items = parent_items;
        left = parent_left - 1;
        parent_items = slot->as.list.items;
        parent_left = slot->as.list.count;
    }
    if (value)
        *value = ob_value_none();
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_device(const ob_device *a, const ob_device *b)
{
    return strcmp(a->type, b->type) == 0 && a->index == b->index;
}

static bool same_strided(const ob_tensor *a, const ob_tensor *b)
{
    const size_t bytes = (size_t)a->ndim * sizeof a->sizes[0];
    return a->dtype == b->dtype && a->layout == b->layout && a->ndim == b->ndim &&
           a->requires_grad == b->requires_grad && a->offset == b->offset &&
           a->storage == b->storage && same_device(&a->device, &b->device) &&
           memcmp(a->sizes, b->sizes, bytes) == 0 && memcmp(a->strides, b->strides, bytes) == 0;
}

static bool same_tensor(const ob_tensor *a, const ob_tensor *b)
{
    if (!same_strided(a, b))
        return false;
    return !ob_layout_is_sparse(a->layout) ||
           (same_strided(a->indices, b->indices) && same_strided(a->values, b->values));
}

static bool equal_values(const ob_value *a, const ob_value *b, int depth)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case OB_VALUE_NONE:
        return true;
    case OB_VALUE_BOOL:
        return a->as.boolean == b->as.boolean;
    case OB_VALUE_INT:
        return a->as.integer == b->as.integer;
    case OB_VALUE_DOUBLE:
        return same_bits(a->as.real, b->as.real);
    case OB_VALUE_COMPLEX:
        return same_bits(a->as.complex.real, b->as.complex.real) &&
               same_bits(a->as.complex.imag, b->as.complex.imag);
    case OB_VALUE_STR:
        return a->as.str.length == b->as.str.length &&
               memcmp(a->as.str.text, b->as.str.text, a->as.str.length) == 0;
    case OB_VALUE_DEVICE:
        return same_device(&a->as.device, &b->as.device);
    case OB_VALUE_DTYPE:
        return a->as.dtype == b->as.dtype;
    case OB_VALUE_LAYOUT:
        return a->as.layout == b->as.layout;
    case OB_VALUE_MEMORY_FORMAT:
        return a->as.memory_format == b->as.memory_format;
    case OB_VALUE_GENERATOR:
        return a->as.seed == b->as.seed;
    case OB_VALUE_TENSOR:
        return same_tensor(a->as.tensor, b->as.tensor);
    case OB_VALUE_LIST:
    case OB_VALUE_TUPLE:
        if (a->as.list.count != b->as.list.count || depth == OB_VALUE_MAX_DEPTH)
            return false;
        for (size_t i = 0; i < a->as.list.count; i++) {
            if (!equal_values(&a->as.list.items[i], &b->as.list.items[i], depth + 1))
                return false;
        }
        return true;
    case OB_VALUE_KIND_COUNT:
        break;
    }
    return false;
}

bool ob_value_equal(const ob_value *a, const ob_value *b)
{
    return equal_values(a, b, 0);
}
