/* SPDX-License-Identifier: Apache-2.0
 *
 * Values for arguments: drawn from their types, and changed. Small numbers are frequent, because calls with those may be
 * right; the ends of every range are, because they are where arithmetic overflows.
 */
#include "hostile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t hostile_roll(hostile_dice *dice, int64_t low, int64_t high)
{
    const uint64_t count = (uint64_t)high - (uint64_t)low + 1;
    uint64_t rolled = 0;
    if (dice->bytes == NULL)
        return ob_rng_int(&dice->rng, low, high);
    for (uint64_t most = 1; most < count && dice->left > 0; most <<= 8) {
        rolled = rolled << 8 | *dice->bytes++;
        dice->left--;
    }
    return low + (int64_t)(rolled % count);
}

static double roll_real(hostile_dice *dice, double low, double high)
{
    return dice->bytes == NULL ? ob_rng_uniform(&dice->rng, low, high)
                               : low + (high - low) * (double)hostile_roll(dice, 0, 255) / 255;
}

bool hostile_once_in(hostile_dice *dice, int count)
{
    return hostile_roll(dice, 0, count - 1) == count - 1;
}

int64_t hostile_int(hostile_dice *dice)
{
    static const int64_t ends[] = {INT64_MIN,        INT64_MIN + 1,       INT64_MAX,
                                   INT64_MAX - 1,    INT64_MAX / 2,       INT64_MAX / 8,
                                   INT32_MAX,        INT32_MIN,           (int64_t)1 << 31,
                                   (int64_t)1 << 32, -((int64_t)1 << 40), 65536};
    if (hostile_once_in(dice, 4))
        return ends[hostile_roll(dice, 0, sizeof ends / sizeof *ends - 1)];
    return hostile_once_in(dice, 4) ? hostile_roll(dice, -20, 300) : hostile_roll(dice, -3, 6);
}

static int64_t draw_size(hostile_dice *dice)
{
    static const int64_t sizes[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64, 129};
    if (hostile_once_in(dice, 40))
        return hostile_int(dice);
    return sizes[hostile_roll(dice, 0, sizeof sizes / sizeof *sizes - 1)];
}

ob_dtype hostile_dtype(hostile_dice *dice)
{
    return hostile_once_in(dice, 3) ? OB_DTYPE_F32
                                    : (ob_dtype)hostile_roll(dice, 0, OB_DTYPE_COUNT - 1);
}

static double draw_double(hostile_dice *dice)
{
    static const double odd[] = {0,     -0.0,   1,   -1,       0.5,       1e-300,
                                 1e300, -1e300, NAN, INFINITY, -INFINITY, 2};
    return hostile_once_in(dice, 2) ? odd[hostile_roll(dice, 0, sizeof odd / sizeof *odd - 1)]
                                    : roll_real(dice, -2, 3);
}

/* ---- tensors ---- */

/* Whether the sizes are those of a tensor; strides become contiguous. */
static bool lay_out(ob_tensor *t)
{
    ob_tensor made;
    if (ob_tensor_init_meta(&made, t->dtype, t->sizes, t->ndim, NULL, NULL) != OB_OK)
        return false;
    memcpy(t->strides, made.strides, sizeof t->strides);
    return true;
}

static ob_status draw_tensor(hostile_dice *dice, ob_value *out, ob_err *err)
{
    ob_tensor t;
    int64_t sizes[OB_MAX_DIMS];
    const int ndim = (int)(hostile_once_in(dice, 60) ? OB_MAX_DIMS : hostile_roll(dice, 0, 5));
    for (int d = 0; d < ndim; d++)
        sizes[d] = ndim > 6 ? hostile_roll(dice, 1, 2) : draw_size(dice);
    if (ob_tensor_init_meta(&t, hostile_dtype(dice), sizes, ndim, NULL, NULL) != OB_OK)
        OB_TRY(ob_tensor_init_meta(&t, OB_DTYPE_F32, NULL, 0, NULL, err));
    return ob_value_init_tensor(out, &t, err);
}

static void drop_dim(ob_tensor *t, int dim)
{
    t->ndim--;
    for (int d = dim; d < t->ndim; d++)
        t->sizes[d] = t->sizes[d + 1];
}

static void insert_dim(ob_tensor *t, int dim, int64_t size)
{
    for (int d = t->ndim; d > dim; d--)
        t->sizes[d] = t->sizes[d - 1];
    t->sizes[dim] = size;
    t->ndim++;
}

static void swap_dims(ob_tensor *t, int a, int b)
{
    const int64_t size = t->sizes[a], stride = t->strides[a];
    t->sizes[a] = t->sizes[b];
    t->sizes[b] = size;
    t->strides[a] = t->strides[b];
    t->strides[b] = stride;
}

static int any_dim(hostile_dice *dice, const ob_tensor *t)
{
    return (int)hostile_roll(dice, 0, t->ndim > 0 ? t->ndim - 1 : 0);
}

/* Other strides for the same sizes: expanded, with gaps, overlapping, of a transposed tensor. */
static void change_strides(hostile_dice *dice, ob_tensor *t)
{
    int64_t bytes;
    ob_tensor old = *t;
    const int d = any_dim(dice, t);
    switch (t->ndim > 0 ? hostile_roll(dice, 0, 5) : 6) {
    case 0:
        t->strides[d] = 0;
        break;
    case 1:
        for (int i = 0; i < t->ndim; i++) /* a stride of a huge tensor may wrap around */
            t->strides[i] = (int64_t)((uint64_t)t->strides[i] * 2);
        break;
    case 2:
        for (int i = 0; i < t->ndim; i++)
            t->strides[i] = 1;
        break;
    case 3: /* memory in the reverse order of dimensions */
        for (int64_t i = 0, stride = 1; i < t->ndim; i++) {
            t->strides[i] = stride;
            const int64_t size = t->sizes[i] > 0 && t->sizes[i] < 100000 ? t->sizes[i] : 1;
            stride = (int64_t)((uint64_t)stride * (uint64_t)size);
        }
        break;
    case 4:
        t->strides[d] = hostile_roll(dice, 0, 40);
        break;
    case 5: { /* of the same sizes in another order */
        const int other = any_dim(dice, t);
        ob_tensor turned = *t;
        swap_dims(&turned, d, other);
        if (lay_out(&turned))
            swap_dims(&turned, d, other);
        memcpy(t->strides, turned.strides, sizeof t->strides);
        break;
    }
    default:
        break;
    }
    if (hostile_once_in(dice, 6))
        t->offset = hostile_roll(dice, 0, 9);
    if (ob_shape_span_bytes(t->sizes, t->strides, t->ndim, t->dtype, &bytes, NULL) != OB_OK)
        *t = old;
}

static void change_sizes(hostile_dice *dice, ob_tensor *t)
{
    const ob_tensor old = *t;
    const int d = any_dim(dice, t);
    switch (hostile_roll(dice, 0, 6)) {
    case 0:
    case 1:
        if (t->ndim > 0)
            t->sizes[d] = draw_size(dice);
        break;
    case 6: /* none left: many operators take such a tensor for [1] */
        t->ndim = 0;
        break;
    case 2:
        if (t->ndim > 0)
            t->sizes[d] += hostile_once_in(dice, 2) ? 1 : -1;
        break;
    case 3:
        if (t->ndim < OB_MAX_DIMS)
            insert_dim(t, (int)hostile_roll(dice, 0, t->ndim),
                       hostile_once_in(dice, 2) ? 1 : draw_size(dice));
        break;
    case 4:
        if (t->ndim > 0)
            drop_dim(t, d);
        break;
    default:
        if (t->ndim > 0)
            swap_dims(t, d, any_dim(dice, t));
        break;
    }
    if (!lay_out(t))
        *t = old;
}

/* ---- drawing ---- */

static ob_status draw_list(hostile_dice *dice, const ob_type *type, ob_value *out, ob_err *err)
{
    const int64_t count = hostile_once_in(dice, 50) ? 40
                          : type->list_size > 0 && !hostile_once_in(dice, 8)
                              ? type->list_size
                              : hostile_roll(dice, 0, 5);
    OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, (size_t)count, err));
    for (int64_t i = 0; i < count; i++)
        OB_TRY(hostile_value(dice, type->element, &out->as.list.items[i], err));
    return OB_OK;
}

static ob_status draw_word(hostile_dice *dice, ob_value *out, ob_err *err)
{
    static const char *const words[] = {"none",  "mean", "sum",     "floor", "trunc", "same",
                                        "valid", "tanh", "reflect", "",      "x"};
    const char *word = words[hostile_roll(dice, 0, sizeof words / sizeof *words - 1)];
    return ob_value_init_str(out, word, strlen(word), err);
}

static ob_value draw_number(hostile_dice *dice)
{
    ob_value value = ob_value_double(draw_double(dice));
    switch (hostile_roll(dice, 0, 5)) {
    case 0:
        return ob_value_bool(hostile_once_in(dice, 2));
    case 1:
        value.kind = OB_VALUE_COMPLEX;
        value.as.complex.real = value.as.complex.imag = draw_double(dice);
        return value;
    case 2:
    case 3:
        return ob_value_int(hostile_int(dice));
    default:
        return value;
    }
}

ob_status hostile_value(hostile_dice *dice, const ob_type *type, ob_value *out, ob_err *err)
{
    *out = ob_value_none();
    switch (type->kind) {
    case OB_TYPE_OPTIONAL:
        return hostile_once_in(dice, 3) ? OB_OK : hostile_value(dice, type->element, out, err);
    case OB_TYPE_LIST:
        return draw_list(dice, type, out, err);
    case OB_TYPE_TENSOR:
        return draw_tensor(dice, out, err);
    case OB_TYPE_INT:
    case OB_TYPE_SYM_INT:
        *out = ob_value_int(hostile_int(dice));
        return OB_OK;
    case OB_TYPE_FLOAT:
        *out = ob_value_double(draw_double(dice));
        return OB_OK;
    case OB_TYPE_BOOL:
        *out = ob_value_bool(hostile_once_in(dice, 2));
        return OB_OK;
    case OB_TYPE_STR:
        return draw_word(dice, out, err);
    case OB_TYPE_SCALAR:
        *out = draw_number(dice);
        return OB_OK;
    case OB_TYPE_DEVICE:
        out->kind = OB_VALUE_DEVICE;
        return ob_device_parse("cpu", 3, &out->as.device, err);
    case OB_TYPE_DTYPE:
        out->kind = OB_VALUE_DTYPE;
        out->as.dtype = hostile_once_in(dice, 30) ? OB_DTYPE_INVALID : hostile_dtype(dice);
        return OB_OK;
    case OB_TYPE_LAYOUT:
        out->kind = OB_VALUE_LAYOUT;
        return OB_OK;
    case OB_TYPE_MEMORY_FORMAT:
        out->kind = OB_VALUE_MEMORY_FORMAT;
        out->as.memory_format = (ob_memory_format)hostile_roll(dice, 0, 3);
        return OB_OK;
    default:
        return OB_OK;
    }
}

/* ---- changing ---- */

static ob_status change_tensor(hostile_dice *dice, ob_value *value, ob_err *err)
{
    ob_tensor *t = value->as.tensor;
    switch (hostile_roll(dice, 0, 7)) {
    case 0:
    case 1:
        change_strides(dice, t);
        return OB_OK;
    case 2: {
        ob_tensor other = *t;
        other.dtype = hostile_dtype(dice);
        int64_t bytes;
        if (ob_shape_span_bytes(t->sizes, t->strides, t->ndim, other.dtype, &bytes, NULL) == OB_OK)
            t->dtype = other.dtype;
        return OB_OK;
    }
    case 3:
        ob_value_fini(value);
        return draw_tensor(dice, value, err);
    default:
        change_sizes(dice, t);
        return OB_OK;
    }
}

/* One item more, or less, or another one. */
static ob_status change_list(hostile_dice *dice, const ob_type *type, ob_value *value, ob_err *err)
{
    ob_value grown;
    const size_t count = value->as.list.count;
    if (count > 0 && !hostile_once_in(dice, 4))
        return hostile_change(dice, type->element,
                              &value->as.list.items[hostile_roll(dice, 0, (int64_t)count - 1)],
                              err);
    const bool more = count == 0 || hostile_once_in(dice, 2);
    const size_t kept = more ? count : count - 1;
    OB_TRY(ob_value_init_list(&grown, value->kind, more ? count + 1 : kept, err));
    for (size_t i = 0; i < kept; i++)
        OB_TRY(ob_value_copy(&grown.as.list.items[i], &value->as.list.items[i], err));
    if (more && count > 0 && hostile_once_in(dice, 2))
        OB_TRY(ob_value_copy(&grown.as.list.items[kept], &value->as.list.items[count - 1], err));
    else if (more)
        OB_TRY(hostile_value(dice, type->element, &grown.as.list.items[kept], err));
    ob_value_fini(value);
    *value = grown;
    return OB_OK;
}

ob_status hostile_change(hostile_dice *dice, const ob_type *type, ob_value *value, ob_err *err)
{
    if (type->kind == OB_TYPE_OPTIONAL) {
        const bool none = value->kind == OB_VALUE_NONE;
        if (!none && !hostile_once_in(dice, 5))
            return hostile_change(dice, type->element, value, err);
        ob_value_fini(value);
        return none ? hostile_value(dice, type->element, value, err) : OB_OK;
    }
    if (value->kind == OB_VALUE_TENSOR)
        return change_tensor(dice, value, err);
    if (value->kind == OB_VALUE_LIST && type->kind == OB_TYPE_LIST)
        return change_list(dice, type, value, err);
    if (value->kind == OB_VALUE_INT && hostile_once_in(dice, 2)) {
        /* Unsigned: the ends of the range wrap around. */
        const uint64_t step = (uint64_t)hostile_roll(dice, -2, 2);
        value->as.integer = (int64_t)((uint64_t)value->as.integer + step);
        return OB_OK;
    }
    ob_value_fini(value);
    return hostile_value(dice, type, value, err);
}

/* ---- all alike ---- */

typedef struct alike {
    int64_t from, to; /* a size, wherever it stands */
    bool floats;      /* tensors of real numbers get the dtype */
    ob_dtype dtype;
} alike;

static void apply(const alike *change, ob_value *value)
{
    if (value->kind == OB_VALUE_LIST || value->kind == OB_VALUE_TUPLE)
        for (size_t i = 0; i < value->as.list.count; i++)
            apply(change, &value->as.list.items[i]);
    if (value->kind == OB_VALUE_INT && !change->floats && value->as.integer == change->from)
        value->as.integer = change->to;
    if (value->kind == OB_VALUE_DTYPE && change->floats && ob_dtype_is_floating(value->as.dtype))
        value->as.dtype = change->dtype;
    if (value->kind != OB_VALUE_TENSOR)
        return;
    ob_tensor *t = value->as.tensor;
    const ob_tensor old = *t;
    if (change->floats) {
        if (ob_dtype_is_floating(t->dtype))
            t->dtype = change->dtype;
        return;
    }
    for (int d = 0; d < t->ndim; d++)
        t->sizes[d] = t->sizes[d] == change->from ? change->to : t->sizes[d];
    if (!lay_out(t))
        *t = old;
}

/* The first tensor of a value; NULL = none. */
static const ob_tensor *find_tensor(const ob_value *value)
{
    const ob_tensor *found = value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
    for (size_t i = 0; value->kind == OB_VALUE_LIST && found == NULL && i < value->as.list.count;
         i++)
        found = find_tensor(&value->as.list.items[i]);
    return found;
}

void hostile_change_all(hostile_dice *dice, ob_value *args, size_t count)
{
    const ob_tensor *like = NULL;
    for (size_t i = 0; i < count; i++) {
        const ob_tensor *t = find_tensor(&args[i]);
        if (t != NULL && (like == NULL || hostile_once_in(dice, 2)))
            like = t;
    }
    alike change = {.floats = hostile_once_in(dice, 3), .dtype = hostile_dtype(dice)};
    if (like == NULL || (!change.floats && like->ndim == 0))
        return;
    if (!change.floats) {
        change.from = like->sizes[any_dim(dice, like)];
        change.to = draw_size(dice);
    }
    for (size_t i = 0; i < count && change.to >= 0; i++)
        apply(&change, &args[i]);
}
