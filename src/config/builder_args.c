/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of a config that is built in memory: one function per type, containers, names.
 */
#include "base/sized.h"
#include "config/builder_int.h"
#include "config/check_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- where an argument goes ---- */

bool ob__builder_takes_argument(ob_builder *b)
{
    if (b->err.code == OB_OK && b->args == NULL)
        ob__builder_fail(
            b, OB_ERR_STATE,
            "no list of arguments is open; call ob_builder_input or ob_builder_build first");
    return b->err.code == OB_OK;
}

/* Puts a whole argument where the next one belongs: container, keyword arguments or arguments. */
static void place_arg(ob_builder *b, const ob_json *name, const ob_json *arg)
{
    if (b->depth > 0)
        ob__builder_append(b, b->open[b->depth - 1].items, arg);
    else if (name != NULL)
        ob__builder_put(b, b->kwargs, ob_json_string(name, NULL), arg);
    else if (ob_json_count(b->kwargs) > 0)
        ob__builder_fail(b, OB_ERR_STATE,
                         "an argument without a name cannot follow one with a name; call "
                         "ob_builder_name first, or change the order");
    else
        ob__builder_append(b, b->args, arg);
}

void ob_builder_name(ob_builder *b, const char *name)
{
    if (!ob__builder_enter(b, __func__) || !ob__builder_takes_argument(b))
        return;
    if (b->depth > 0) {
        ob__builder_fail(b, OB_ERR_STATE, "elements of a %s have no names",
                         b->open[b->depth - 1].type);
        return;
    }
    if (b->name != NULL) {
        ob__builder_fail(b, OB_ERR_STATE, "the name \"%s\" has no argument; give one first",
                         ob_json_string(b->name, NULL));
        return;
    }
    const ob_json *text = ob__builder_text(b, "the name", name);
    if (text != NULL && ob_json_get(b->kwargs, name) != NULL)
        ob__builder_fail(b, OB_ERR_DUPLICATE, "the argument \"%s\" was already given", name);
    b->name = text;
}

/* ---- making one ---- */

/* The name that was set for the next argument, which is this one. */
static const ob_json *take_name(ob_builder *b)
{
    const ob_json *name = b->name;
    b->name = NULL;
    return name;
}

static ob_json *begin(ob_builder *b, const char *call, const char *type)
{
    if (!ob__builder_enter(b, call) || !ob__builder_takes_argument(b))
        return NULL;
    ob_json *arg = ob_json_new_object(b->doc);
    ob__builder_put(b, arg, "type", ob__builder_text(b, "the type", type));
    return arg;
}

static void end(ob_builder *b, const ob_json *arg)
{
    if (b->err.code == OB_OK)
        place_arg(b, take_name(b), arg);
}

static const ob_json *real_node(ob_builder *b, double value)
{
    if (!isfinite(value)) {
        ob__builder_fail(b, OB_ERR_INVALID, "%g is not allowed in a config; give a finite number",
                         value);
        return NULL;
    }
    return ob_json_new_real(b->doc, value);
}

static void int_arg(ob_builder *b, const char *call, const char *type, int64_t value)
{
    ob_json *arg = begin(b, call, type);
    if (arg == NULL)
        return;
    ob__builder_put(b, arg, "value", ob_json_new_int(b->doc, value));
    end(b, arg);
}

static void int_range_arg(ob_builder *b, const char *call, const char *type, int64_t low,
                          int64_t high)
{
    ob_json *arg = begin(b, call, type);
    if (arg == NULL)
        return;
    if (low > high)
        ob__builder_fail(b, OB_ERR_INVALID,
                         "the range from %" PRId64 " to %" PRId64 " is empty; put the lowest first",
                         low, high);
    ob_json *range = ob_json_new_array(b->doc);
    ob__builder_append(b, range, ob_json_new_int(b->doc, low));
    ob__builder_append(b, range, ob_json_new_int(b->doc, high));
    ob__builder_put(b, arg, "value_range", range);
    end(b, arg);
}

static void real_arg(ob_builder *b, const char *call, const char *type, double value)
{
    ob_json *arg = begin(b, call, type);
    if (arg == NULL)
        return;
    ob__builder_put(b, arg, "value", real_node(b, value));
    end(b, arg);
}

static void real_range_arg(ob_builder *b, const char *call, const char *type, double low,
                           double high)
{
    ob_json *arg = begin(b, call, type);
    if (arg == NULL)
        return;
    if (low > high)
        ob__builder_fail(b, OB_ERR_INVALID,
                         "the range from %g to %g is empty; put the lowest first", low, high);
    ob_json *range = ob_json_new_array(b->doc);
    ob__builder_append(b, range, real_node(b, low));
    ob__builder_append(b, range, real_node(b, high));
    ob__builder_put(b, arg, "value_range", range);
    end(b, arg);
}

static void text_arg(ob_builder *b, const char *call, const char *type, const char *value)
{
    ob_json *arg = begin(b, call, type);
    if (arg == NULL)
        return;
    ob__builder_put(b, arg, "value", ob__builder_text(b, "the value", value));
    end(b, arg);
}

static const ob_json *dtype_node(ob_builder *b, ob_dtype dtype)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    if (info == NULL) {
        ob__builder_fail(b, OB_ERR_INVALID, "there is no dtype with the number %d", (int)dtype);
        return NULL;
    }
    return ob__builder_text(b, "the dtype", info->param_name);
}

/* ---- scalars ---- */

void ob_builder_int(ob_builder *b, int64_t value)
{
    int_arg(b, __func__, "int", value);
}

void ob_builder_int_range(ob_builder *b, int64_t low, int64_t high)
{
    int_range_arg(b, __func__, "int", low, high);
}

void ob_builder_long(ob_builder *b, int64_t value)
{
    int_arg(b, __func__, "long", value);
}

void ob_builder_long_range(ob_builder *b, int64_t low, int64_t high)
{
    int_range_arg(b, __func__, "long", low, high);
}

void ob_builder_float(ob_builder *b, double value)
{
    real_arg(b, __func__, "float", value);
}

void ob_builder_float_range(ob_builder *b, double low, double high)
{
    real_range_arg(b, __func__, "float", low, high);
}

void ob_builder_double(ob_builder *b, double value)
{
    real_arg(b, __func__, "double", value);
}

void ob_builder_double_range(ob_builder *b, double low, double high)
{
    real_range_arg(b, __func__, "double", low, high);
}

void ob_builder_bool(ob_builder *b, bool value)
{
    ob_json *arg = begin(b, __func__, "bool");
    if (arg == NULL)
        return;
    ob__builder_put(b, arg, "value", ob_json_new_bool(b->doc, value));
    end(b, arg);
}

void ob_builder_str(ob_builder *b, const char *value)
{
    text_arg(b, __func__, "str", value);
}

void ob_builder_device(ob_builder *b, const char *value)
{
    text_arg(b, __func__, "device", value);
}

void ob_builder_none(ob_builder *b)
{
    const ob_json *arg = begin(b, __func__, "none");
    if (arg != NULL)
        end(b, arg);
}

void ob_builder_scalar_type(ob_builder *b, ob_dtype value)
{
    ob_json *arg = begin(b, __func__, "ScalarType");
    if (arg == NULL)
        return;
    ob__builder_put(b, arg, "value", dtype_node(b, value));
    end(b, arg);
}

void ob_builder_layout(ob_builder *b, const char *value)
{
    text_arg(b, __func__, "Layout", value);
}

void ob_builder_memory_format(ob_builder *b, const char *value)
{
    text_arg(b, __func__, "MemoryFormat", value);
}

/* ---- tensors ---- */

static const ob_json *sizes_node(ob_builder *b, const int64_t *sizes, size_t rank)
{
    ob_json *list = ob_json_new_array(b->doc);
    for (size_t i = 0; i < rank && b->err.code == OB_OK; i++)
        ob__builder_append(b, list, ob_json_new_int(b->doc, sizes[i]));
    return list;
}

/* Integer tensors take whole numbers written as such. */
static const ob_json *element_node(ob_builder *b, ob_dtype dtype, double value)
{
    static const double EXACT = 9007199254740992.0; /* 2^53: above, a double skips whole numbers */
    if (ob_dtype_is_floating(dtype))
        return real_node(b, value);
    if (!(fabs(value) <= EXACT) || value != floor(value)) {
        ob__builder_fail(b, OB_ERR_INVALID, "%g cannot be an element of an integer tensor", value);
        return NULL;
    }
    return ob_json_new_int(b->doc, (int64_t)value);
}

void ob_builder_tensor(ob_builder *b, const ob_tensor_arg *arg)
{
    ob__builder_tensor_of(b, arg, NULL, 0);
}

void ob__builder_tensor_of(ob_builder *b, const ob_tensor_arg *arg, const char *npy, uint64_t hash)
{
    ob_tensor_arg own;
    ob_err why;
    ob_json *made = begin(b, "ob_builder_tensor", "tensor");
    if (made == NULL)
        return;
    if (OB__TAKE(ob_tensor_arg, &own, arg, &why) != OB_OK) {
        ob__builder_fail(b, why.code, "%s", why.message);
        return;
    }
    arg = &own;
    if (arg->rank > 0 && arg->shape == NULL) {
        ob__builder_fail(b, OB_ERR_INVALID, "rank is %zu but shape is NULL; see OB_SHAPE",
                         arg->rank);
        return;
    }
    ob__builder_put(b, made, "dtype", dtype_node(b, arg->dtype));
    ob__builder_put(b, made, "shape", sizes_node(b, arg->shape, arg->rank));
    if (arg->strides != NULL)
        ob__builder_put(b, made, "strides", sizes_node(b, arg->strides, arg->rank));
    if (arg->requires_grad)
        ob__builder_put(b, made, "requires_grad", ob_json_new_bool(b->doc, true));
    if (arg->device != NULL)
        ob__builder_put(b, made, "device", ob__builder_text(b, "the device", arg->device));
    if (arg->value != NULL)
        ob__builder_put(b, made, "value", element_node(b, arg->dtype, *arg->value));
    if (arg->value_range != NULL) {
        ob_json *range = ob_json_new_array(b->doc);
        for (int i = 0; i < 2; i++)
            ob__builder_append(b, range, element_node(b, arg->dtype, arg->value_range[i]));
        ob__builder_put(b, made, "value_range", range);
    }
    if (npy != NULL) {
        char digits[20];
        snprintf(digits, sizeof digits, "%016" PRIx64, hash);
        ob__builder_put(b, made, OB__NPY, ob__builder_text(b, "the file's name", npy));
        ob__builder_put(b, made, OB__NPY_HASH, ob__builder_text(b, "the hash", digits));
    }
    end(b, made);
}

/* ---- containers ---- */

static void open_container(ob_builder *b, const char *call, const char *type)
{
    if (!ob__builder_enter(b, call) || !ob__builder_takes_argument(b))
        return;
    if (b->depth == OB_BUILDER_MAX_NESTING) {
        ob__builder_fail(b, OB_ERR_LIMIT, "lists are nested deeper than %d levels",
                         OB_BUILDER_MAX_NESTING);
        return;
    }
    ob_json *items = ob_json_new_array(b->doc);
    if (items == NULL)
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
    else
        b->open[b->depth++] =
            (ob_builder_container){.items = items, .name = take_name(b), .type = type};
}

void ob_builder_list(ob_builder *b)
{
    open_container(b, __func__, "genericlist");
}

void ob_builder_tuple(ob_builder *b)
{
    open_container(b, __func__, "tuple");
}

void ob_builder_end(ob_builder *b)
{
    if (!ob__builder_enter(b, __func__))
        return;
    if (b->depth == 0) {
        ob__builder_fail(b, OB_ERR_STATE, "no list or tuple is open");
        return;
    }
    const ob_builder_container closed = b->open[--b->depth];
    ob_json *arg = ob_json_new_object(b->doc);
    ob__builder_put(b, arg, "type", ob__builder_text(b, "the type", closed.type));
    ob__builder_put(b, arg, "value", closed.items);
    if (b->err.code == OB_OK)
        place_arg(b, closed.name, arg);
}

/* ---- JSON text ---- */

/* A copy in the builder's document. As deep as the reader allows. */
static const ob_json *copy(ob_builder *b, const ob_json *from)
{
    const size_t count = ob_json_count(from);
    size_t length = 0;
    ob_json *to;
    switch (ob_json_get_kind(from)) {
    case OB_JSON_BOOL:
        return ob_json_new_bool(b->doc, ob_json_bool(from, false));
    case OB_JSON_INT:
        return ob_json_new_int(b->doc, ob_json_int(from, 0));
    case OB_JSON_REAL:
        return real_node(b, ob_json_real(from, 0));
    case OB_JSON_STRING: {
        const char *text = ob_json_string(from, &length);
        return ob_json_new_string(b->doc, text, length);
    }
    case OB_JSON_ARRAY:
        to = ob_json_new_array(b->doc);
        for (size_t i = 0; i < count && b->err.code == OB_OK; i++)
            ob__builder_append(b, to, copy(b, ob_json_item(from, i)));
        return to;
    case OB_JSON_OBJECT:
        to = ob_json_new_object(b->doc);
        for (size_t i = 0; i < count && b->err.code == OB_OK; i++)
            ob__builder_put(b, to, ob_json_key(from, i), copy(b, ob_json_item(from, i)));
        return to;
    case OB_JSON_NULL:
        break;
    }
    return ob_json_new_null(b->doc);
}

void ob_builder_json(ob_builder *b, const char *text)
{
    ob_json_doc *read;
    ob_err why;
    if (!ob__builder_enter(b, __func__) || !ob__builder_takes_argument(b))
        return;
    const ob_json_limits limits = {.size = sizeof limits, .max_depth = OB_BUILDER_MAX_NESTING};
    size_t length = 0;
    while (text != NULL && text[length] != '\0')
        length++;
    const ob_status status = ob_json_parse("argument", text, length, &limits, &read, &why);
    if (status != OB_OK) {
        ob__builder_fail(b, status, "the text is not an argument: column %u: %s", why.column,
                         why.message);
        return;
    }
    const ob_json *root = ob_json_doc_root(read);
    if (ob_json_get_kind(root) != OB_JSON_OBJECT)
        ob__builder_fail(
            b, OB_ERR_INVALID,
            "an argument must be an object such as {\"type\": \"int\", \"value\": 2}, not %s",
            ob_json_kind_name(ob_json_get_kind(root)));
    else
        end(b, copy(b, root));
    ob_json_doc_destroy(read);
}
