/* SPDX-License-Identifier: Apache-2.0
 *
 * Strided tensors of a draw: sizes and steps from the parameters, the bounds, and the layout in
 * memory. A tensor is a view [0 : size * step : step] in every dimension of an allocation of
 * size * step; the allocation's dimensions lie in memory in a random order.
 */
#include "fuzz/fuzzer.h"

#include <string.h>

ob_status ob__fuzz_operand_int(const ob_fuzzer *f, const ob__fuzz_operand *operand,
                               const char *tensor, const char *what, int64_t *out, ob_err *err)
{
    const ob_value *value =
        operand->parameter >= 0 ? &f->values[operand->parameter] : &operand->literal;
    if (value->kind == OB_VALUE_INT) {
        *out = value->as.integer;
        return OB_OK;
    }
    if (value->kind == OB_VALUE_BOOL) {
        *out = value->as.boolean;
        return OB_OK;
    }
    return ob_err_set(err, OB_ERR_INVALID,
                      "tensor \"%.64s\": %s%s%.64s is a %s; give it whole numbers", tensor, what,
                      operand->parameter >= 0 ? ", parameter " : "",
                      operand->parameter >= 0 ? f->names[operand->parameter] : "",
                      ob_value_kind_name(value->kind));
}

static ob_status resolve_dim(const ob_fuzzer *f, const ob__fuzz_tensor *t, int *out, ob_err *err)
{
    int64_t dim = (int64_t)t->size_count;
    if (t->dim.given)
        OB_TRY(ob__fuzz_operand_int(f, &t->dim, t->name, "dim_parameter", &dim, err));
    if (dim < 0 || dim > OB_MAX_DIMS)
        return ob_err_set(err, OB_ERR_INVALID, "tensor \"%.64s\" has %lld dimensions; give 0 to %d",
                          t->name, (long long)dim, OB_MAX_DIMS);
    *out = (int)dim;
    return OB_OK;
}

/* The operands cut to ndim, or filled up with 1. */
static ob_status resolve_list(const ob_fuzzer *f, const ob__fuzz_tensor *t,
                              const ob__fuzz_operand *operands, size_t count, const char *what,
                              int ndim, int64_t *out, ob_err *err)
{
    const int64_t least = strcmp(what, "steps") == 0;
    for (int i = 0; i < ndim; i++) {
        out[i] = 1;
        if ((size_t)i < count)
            OB_TRY(ob__fuzz_operand_int(f, &operands[i], t->name, what, &out[i], err));
        if (out[i] < least)
            return ob_err_set(err, OB_ERR_INVALID,
                              "tensor \"%.64s\": element %d of %s is %lld; it must be %lld or more",
                              t->name, i, what, (long long)out[i], (long long)least);
    }
    return OB_OK;
}

/* To the right by `places`: what was last comes first. */
static void rotate(int64_t *list, int ndim, int64_t places)
{
    int64_t copy[OB_MAX_DIMS];
    if (ndim == 0)
        return;
    memcpy(copy, list, sizeof copy);
    const int shift = (int)((places % ndim + ndim) % ndim);
    for (int i = 0; i < ndim; i++)
        list[(i + shift) % ndim] = copy[i];
}

static ob_status resolve(const ob_fuzzer *f, const ob__fuzz_tensor *t, ob_fuzz_tensor_info *info,
                         ob_err *err)
{
    int64_t roll = 0;
    OB_TRY(resolve_dim(f, t, &info->ndim, err));
    OB_TRY(resolve_list(f, t, t->size, t->size_count, "size", info->ndim, info->size, err));
    OB_TRY(resolve_list(f, t, t->steps, t->step_count, "steps", info->ndim, info->steps, err));
    if (t->roll.given)
        OB_TRY(ob__fuzz_operand_int(f, &t->roll, t->name, "roll_parameter", &roll, err));
    rotate(info->size, info->ndim, roll);
    rotate(info->steps, info->ndim, roll);
    return OB_OK;
}

/* False: too many bytes for any machine. */
static bool allocate(ob_fuzz_tensor_info *info)
{
    int64_t numel, unused;
    for (int i = 0; i < info->ndim; i++) {
        /* An empty dimension counts as one in strides, and so must its step. */
        const int64_t size = info->size[i] > 0 ? info->size[i] : 1;
        if (__builtin_mul_overflow(size, info->steps[i], &unused))
            return false;
        info->allocation[i] = info->size[i] * info->steps[i];
    }
    int64_t spread[OB_MAX_DIMS];
    for (int i = 0; i < info->ndim; i++)
        spread[i] = info->allocation[i] > 0 ? info->allocation[i] : info->steps[i];
    return ob_shape_numel(info->size, info->ndim, &info->numel, NULL) == OB_OK &&
           ob_shape_numel(spread, info->ndim, &unused, NULL) == OB_OK &&
           !__builtin_mul_overflow(unused, (int64_t)ob_dtype_size(info->dtype), &unused) &&
           ob_shape_numel(info->allocation, info->ndim, &numel, NULL) == OB_OK &&
           !__builtin_mul_overflow(numel, (int64_t)ob_dtype_size(info->dtype),
                                   &info->allocation_bytes);
}

ob_status ob__fuzz_measure_tensor(const ob_fuzzer *f, const ob__fuzz_tensor *t,
                                  ob_fuzz_tensor_info *info, bool *fits, ob_err *err)
{
    *info = (ob_fuzz_tensor_info){.name = t->name, .dtype = t->dtype, .sparse = t->sparse};
    OB_TRY(resolve(f, t, info, err));
    *fits = allocate(info) && (t->max_elements == 0 || info->numel <= t->max_elements) &&
            info->numel >= t->min_elements &&
            (t->max_allocation_bytes == 0 || t->sparse ||
             info->allocation_bytes <= t->max_allocation_bytes);
    return *fits && t->sparse ? ob__fuzz_measure_sparse(f, t, info, fits, err) : OB_OK;
}

/* ---- layout ---- */

static bool is_sorted(const int *order, int ndim)
{
    for (int i = 0; i < ndim; i++)
        if (order[i] != i)
            return false;
    return true;
}

static void shuffle(ob_rng *rng, int *order, int ndim)
{
    for (int i = ndim - 1; i > 0; i--) {
        const int other = (int)ob_rng_int(rng, 0, i);
        const int kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* The strides that the allocation has when its dimensions are brought into `order`, made contiguous
 * and brought back. A permutation that only moves dimensions of size 1 leaves memory as it is. */
static ob_status set_strides(ob_fuzz_tensor_info *info, ob_err *err)
{
    int64_t plain[OB_MAX_DIMS], sizes[OB_MAX_DIMS], strides[OB_MAX_DIMS];
    ob_tensor permuted;
    ob_shape_contiguous_strides(info->allocation, info->ndim, plain);
    for (int i = 0; i < info->ndim; i++) {
        sizes[i] = info->allocation[info->order[i]];
        strides[i] = plain[info->order[i]];
    }
    OB_TRY(ob_tensor_init_meta(&permuted, info->dtype, sizes, info->ndim, strides, err));
    if (!ob_tensor_is_contiguous(&permuted))
        ob_shape_contiguous_strides(sizes, info->ndim, strides);
    ob_tensor_fini(&permuted);
    for (int i = 0; i < info->ndim; i++)
        info->strides[info->order[i]] = strides[i] * info->steps[info->order[i]];
    return OB_OK;
}

ob_status ob__fuzz_lay_out(const ob__fuzz_tensor *t, ob_rng *rng, ob_fuzz_tensor_info *info,
                           ob_err *err)
{
    ob_tensor view;
    for (int i = 0; i < info->ndim; i++)
        info->order[i] = i;
    /* The draw is made in any case, so that what follows does not depend on the probability. */
    const bool permute = ob_rng_double(rng) > t->probability_contiguous;
    while (permute && info->ndim > 1 && is_sorted(info->order, info->ndim))
        shuffle(rng, info->order, info->ndim);
    OB_TRY(set_strides(info, err));
    OB_TRY(ob_tensor_init_meta(&view, info->dtype, info->size, info->ndim, info->strides, err));
    info->is_contiguous = ob_tensor_is_contiguous(&view);
    ob_tensor_fini(&view);
    return OB_OK;
}
