/* SPDX-License-Identifier: Apache-2.0
 *
 * Helpers of the shape rules; see shape_util.h.
 */
#include "op/shape_util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ob__op_label(const ob_op_call *call)
{
    const char *name = call->schema->name;
    const char *colon = strstr(name, "::");
    return colon != NULL ? colon + 2 : name;
}

ob_status ob__shape_fail(const ob_op_call *call, ob_err *err, const char *format, ...)
{
    char message[sizeof((ob_err){0}).message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ob_err_set(err, OB_ERR_INVALID, "%s: %s", ob__op_label(call), message);
}

char *ob__sizes_text(const int64_t *sizes, int ndim, char *out)
{
    size_t used = 0;
    out[used++] = '[';
    for (int i = 0; i < ndim; i++) {
        const int n =
            snprintf(out + used, OB__SHAPE_TEXT - used, "%s%" PRId64, i == 0 ? "" : ", ", sizes[i]);
        used += (size_t)n; /* 16 numbers of at most 20 digits always fit */
    }
    out[used++] = ']';
    out[used] = '\0';
    return out;
}

char *ob__tensor_text(const ob_tensor *tensor, char *out)
{
    return ob__sizes_text(tensor->sizes, tensor->ndim, out);
}

const char *ob__dtype_text(ob_dtype dtype)
{
    const ob_dtype_info *info = ob_dtype_get_info(dtype);
    return info != NULL ? info->torch_name : "an unknown dtype";
}

const ob_value *ob__arg(const ob_op_call *call, const char *name)
{
    const int index = ob_schema_find_arg(call->schema, name);
    return index < 0 ? NULL : &call->args[index];
}

static ob_status check_strided(const ob_op_call *call, const char *name, const ob_tensor *t,
                               ob_err *err)
{
    if (t->layout == OB_LAYOUT_STRIDED)
        return OB_OK;
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "%s: %s is sparse, but the shape rule only covers strided tensors; use a "
                      "backend with its own version of the operator",
                      ob__op_label(call), name);
}

ob_status ob__arg_maybe_tensor(const ob_op_call *call, const char *name, const ob_tensor **out,
                               ob_err *err)
{
    const ob_value *v = ob__arg(call, name);
    *out = NULL;
    if (v == NULL || v->kind == OB_VALUE_NONE)
        return OB_OK;
    if (v->kind != OB_VALUE_TENSOR)
        return ob__shape_fail(call, err, "%s must be a tensor, not %s", name,
                              ob_value_kind_name(v->kind));
    *out = v->as.tensor;
    return check_strided(call, name, *out, err);
}

ob_status ob__arg_tensor(const ob_op_call *call, const char *name, const ob_tensor **out,
                         ob_err *err)
{
    OB_TRY(ob__arg_maybe_tensor(call, name, out, err));
    if (*out == NULL)
        return ob__shape_fail(call, err, "%s must be a tensor, not None", name);
    return OB_OK;
}

static bool read_int(const ob_value *v, int64_t *out)
{
    if (v->kind == OB_VALUE_INT)
        *out = v->as.integer;
    else if (v->kind == OB_VALUE_BOOL)
        *out = v->as.boolean;
    else
        return false;
    return true;
}

ob_status ob__arg_ints(const ob_op_call *call, const char *name, ob__ints *out, ob_err *err)
{
    const ob_value *v = ob__arg(call, name);
    *out = (ob__ints){.given = false};
    if (v == NULL || v->kind == OB_VALUE_NONE)
        return OB_OK;
    out->given = true;
    if (read_int(v, &out->v[0])) {
        out->count = 1;
        return OB_OK;
    }
    if (!ob_value_is_list(v))
        return ob__shape_fail(call, err, "%s must be a list of integers, not %s", name,
                              ob_value_kind_name(v->kind));
    if (v->as.list.count > OB_MAX_DIMS)
        return ob__shape_fail(call, err, "%s has %zu entries; at most %d dimensions are supported",
                              name, v->as.list.count, OB_MAX_DIMS);
    out->count = (int)v->as.list.count;
    for (int i = 0; i < out->count; i++) {
        if (!read_int(&v->as.list.items[i], &out->v[i]))
            return ob__shape_fail(call, err, "%s must hold integers only; entry %d is %s", name, i,
                                  ob_value_kind_name(v->as.list.items[i].kind));
    }
    return OB_OK;
}

int64_t ob__arg_int(const ob_op_call *call, const char *name, int64_t fallback)
{
    const ob_value *v = ob__arg(call, name);
    int64_t number;
    return v != NULL && read_int(v, &number) ? number : fallback;
}

double ob__arg_real(const ob_op_call *call, const char *name, double fallback)
{
    const ob_value *v = ob__arg(call, name);
    int64_t number;
    if (v == NULL)
        return fallback;
    if (v->kind == OB_VALUE_DOUBLE)
        return v->as.real;
    return read_int(v, &number) ? (double)number : fallback;
}

bool ob__arg_flag(const ob_op_call *call, const char *name, bool fallback)
{
    return ob__arg_int(call, name, fallback) != 0;
}

ob_dtype ob__arg_dtype(const ob_op_call *call, const char *name, ob_dtype fallback)
{
    const ob_value *v = ob__arg(call, name);
    if (v == NULL)
        return fallback;
    if (v->kind == OB_VALUE_DTYPE)
        return v->as.dtype;
    if (v->kind == OB_VALUE_INT)
        return ob_dtype_from_torch_number((int)(v->as.integer & 0xff));
    return fallback;
}

const char *ob__arg_str(const ob_op_call *call, const char *name, const char *fallback)
{
    const ob_value *v = ob__arg(call, name);
    return v != NULL && v->kind == OB_VALUE_STR ? v->as.str.text : fallback;
}

ob_status ob__arg_tensors(const ob_op_call *call, const char *name, const ob_value **items,
                          size_t *count, ob_err *err)
{
    const ob_value *v = ob__arg(call, name);
    if (v == NULL || (!ob_value_is_list(v)))
        return ob__shape_fail(call, err, "%s must be a list of tensors", name);
    *items = v->as.list.items;
    *count = v->as.list.count;
    for (size_t i = 0; i < *count; i++) {
        if ((*items)[i].kind != OB_VALUE_TENSOR)
            return ob__shape_fail(call, err, "%s must hold tensors only; entry %zu is %s", name, i,
                                  ob_value_kind_name((*items)[i].kind));
        OB_TRY(check_strided(call, name, (*items)[i].as.tensor, err));
    }
    return OB_OK;
}

ob_status ob__norm_dim(const ob_op_call *call, const char *name, int64_t dim, int ndim, int *out,
                       ob_err *err)
{
    const int64_t n = ndim > 0 ? ndim : 1;
    if (dim < -n || dim >= n)
        return ob__shape_fail(call, err,
                              "%s is %" PRId64 " for a tensor of %d dimension%s; it must be from "
                              "%" PRId64 " to %" PRId64,
                              name, dim, ndim, ndim == 1 ? "" : "s", -n, n - 1);
    *out = (int)(dim < 0 ? dim + n : dim);
    return OB_OK;
}

ob_status ob__arg_dim(const ob_op_call *call, const char *name, int64_t fallback, int ndim,
                      int *out, ob_err *err)
{
    return ob__norm_dim(call, name, ob__arg_int(call, name, fallback), ndim, out, err);
}

ob_status ob__want_same_dtype(const ob_op_call *call, const char *a_name, const ob_tensor *a,
                              const char *b_name, const ob_tensor *b, ob_err *err)
{
    if (a->dtype == b->dtype)
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s and %s is %s; both must have the same dtype", a_name,
                          ob__dtype_text(a->dtype), b_name, ob__dtype_text(b->dtype));
}

ob_status ob__want_floating(const ob_op_call *call, const char *what, ob_dtype dtype, ob_err *err)
{
    if (ob_dtype_is_floating(dtype))
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must be a floating dtype", what,
                          ob__dtype_text(dtype));
}

ob_status ob__want_ndim(const ob_op_call *call, const char *name, const ob_tensor *t, int ndim,
                        ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    if (t->ndim == ndim)
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must have %d dimension%s", name,
                          ob__tensor_text(t, text), ndim, ndim == 1 ? "" : "s");
}

ob_status ob__want_index(const ob_op_call *call, const char *name, const ob_tensor *t,
                         bool allow_i32, ob_err *err)
{
    if (t->dtype == OB_DTYPE_I64 || (allow_i32 && t->dtype == OB_DTYPE_I32))
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; indices must be int64%s", name,
                          ob__dtype_text(t->dtype), allow_i32 ? " or int32" : "");
}

ob__shape ob__shape_make(ob_dtype dtype, const int64_t *sizes, int ndim)
{
    ob__shape shape = {.dtype = dtype, .ndim = ndim};
    if (ndim > 0)
        memcpy(shape.sizes, sizes, (size_t)ndim * sizeof *sizes);
    return shape;
}

ob__shape ob__shape_dense(const ob_tensor *tensor)
{
    return ob__shape_make(tensor->dtype, tensor->sizes, tensor->ndim);
}

ob__shape ob__shape_of(const ob_tensor *tensor)
{
    ob__shape shape = ob__shape_dense(tensor);
    memcpy(shape.strides, tensor->strides, sizeof shape.strides);
    shape.strided = true;
    shape.offset = tensor->offset;
    return shape;
}

ob_status ob__shape_widen(const ob_op_call *call, ob__shape *acc, const char *acc_name,
                          const ob_tensor *tensor, const char *name, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    const int ndim = acc->ndim > tensor->ndim ? acc->ndim : tensor->ndim;
    int64_t sizes[OB_MAX_DIMS];
    for (int i = 1; i <= ndim; i++) {
        const int64_t x = i <= acc->ndim ? acc->sizes[acc->ndim - i] : 1;
        const int64_t y = i <= tensor->ndim ? tensor->sizes[tensor->ndim - i] : 1;
        if (x != y && x != 1 && y != 1)
            return ob__shape_fail(call, err,
                                  "%s is %s and %s is %s; the %" PRId64 " and the %" PRId64
                                  " must be equal, or one of them 1",
                                  acc_name, ob__sizes_text(acc->sizes, acc->ndim, a), name,
                                  ob__tensor_text(tensor, b), x, y);
        sizes[ndim - i] = x == 1 ? y : x;
    }
    acc->ndim = ndim;
    if (ndim > 0)
        memcpy(acc->sizes, sizes, (size_t)ndim * sizeof *sizes);
    return OB_OK;
}

ob_status ob__want_expandable(const ob_op_call *call, const char *name, const ob_tensor *tensor,
                              const ob__shape *shape, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    bool fits = tensor->ndim <= shape->ndim;
    for (int i = 1; fits && i <= tensor->ndim; i++) {
        const int64_t size = tensor->sizes[tensor->ndim - i];
        fits = size == 1 || size == shape->sizes[shape->ndim - i];
    }
    if (fits)
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must expand to %s", name,
                          ob__tensor_text(tensor, a), ob__sizes_text(shape->sizes, shape->ndim, b));
}

ob_status ob__want_sizes(const ob_op_call *call, const char *name, const ob__shape *shape,
                         ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    const ob_tensor *t;
    OB_TRY(ob__arg_maybe_tensor(call, name, &t, err));
    bool fits = t == NULL || t->ndim == shape->ndim;
    for (int i = 0; t != NULL && fits && i < t->ndim; i++)
        fits = t->sizes[i] == shape->sizes[i];
    if (fits)
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must be %s", name, ob__tensor_text(t, a),
                          ob__sizes_text(shape->sizes, shape->ndim, b));
}

ob_status ob__want_numel(const ob_op_call *call, const char *name, int64_t numel, ob_err *err)
{
    char text[OB__SHAPE_TEXT];
    const ob_tensor *t;
    OB_TRY(ob__arg_maybe_tensor(call, name, &t, err));
    if (t == NULL || ob_tensor_numel(t) == numel)
        return OB_OK;
    return ob__shape_fail(call, err, "%s is %s; it must have %" PRId64 " element%s", name,
                          ob__tensor_text(t, text), numel, numel == 1 ? "" : "s");
}

/* A device argument, else the device of the first tensor among the arguments (also in lists). */
static const ob_device *find_device(const ob_op_call *call)
{
    const ob_device *device = NULL;
    for (size_t i = 0; i < call->schema->arg_count; i++) {
        const ob_value *v = &call->args[i];
        if (v->kind == OB_VALUE_DEVICE)
            return &v->as.device;
        if (v->kind == OB_VALUE_TENSOR && device == NULL)
            device = &v->as.tensor->device;
        if (v->kind == OB_VALUE_LIST && v->as.list.count > 0 && device == NULL &&
            v->as.list.items[0].kind == OB_VALUE_TENSOR)
            device = &v->as.list.items[0].as.tensor->device;
    }
    return device;
}

ob_status ob__give(const ob_op_call *call, ob_value *out, const ob__shape *shape, ob_err *err)
{
    ob_tensor meta;
    const ob_device *device = find_device(call);
    *out = ob_value_none();
    OB_TRY(ob_tensor_init_meta(&meta, shape->dtype, shape->sizes, shape->ndim,
                               shape->strided ? shape->strides : NULL, err));
    meta.offset = shape->offset;
    if (device != NULL)
        meta.device = *device;
    return ob_value_init_tensor(out, &meta, err);
}

/* Those that the mask does not leave out. */
static ob_status give_some(const ob_op_call *call, ob_value *out, const ob__shape *shapes,
                           size_t count, const ob__ints *mask, ob_err *err)
{
    for (size_t i = 0; i < count; i++)
        out[i] = ob_value_none();
    for (size_t i = 0; i < count; i++) {
        if ((int)i < mask->count && mask->v[i] == 0)
            continue;
        const ob_status status = ob__give(call, &out[i], &shapes[i], err);
        if (status != OB_OK) {
            while (i > 0)
                ob_value_fini(&out[--i]);
            return status;
        }
    }
    return OB_OK;
}

ob_status ob__give_all(const ob_op_call *call, ob_value *out, const ob__shape *shapes, size_t count,
                       ob_err *err)
{
    return give_some(call, out, shapes, count, &(const ob__ints){.count = 0}, err);
}

ob_status ob__give_list(const ob_op_call *call, ob_value *out, const ob__shape *shapes,
                        size_t count, ob_err *err)
{
    OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, count, err));
    const ob_status status = ob__give_all(call, out->as.list.items, shapes, count, err);
    if (status != OB_OK)
        ob_value_fini(out);
    return status;
}

ob_status ob__give_masked(const ob_op_call *call, const ob__shape *shapes, ob_value *out,
                          ob_err *err)
{
    ob__ints mask;
    OB_TRY(ob__arg_ints(call, "output_mask", &mask, err));
    return give_some(call, out, shapes, 3, &mask, err);
}
