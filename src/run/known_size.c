/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes from an entry's text. A generator fills what it makes: a tensor that does not fit must be refused
 * before, or the process is killed in the middle and nothing says why. The depth of the walk is that of
 * the JSON, which its reader limits.
 */
#include "run/known_size.h"

#include "opbench/tensor.h"

#include <string.h>

static bool read_dims(const ob_json *list, int64_t *out, int *count)
{
    const size_t length = ob_json_count(list);
    if (ob_json_get_kind(list) != OB_JSON_ARRAY || length > OB_MAX_DIMS)
        return false;
    for (size_t i = 0; i < length; i++) {
        const ob_json *item = ob_json_item(list, i);
        out[i] = ob_json_int(item, -1);
        if (ob_json_get_kind(item) != OB_JSON_INT || out[i] < 0)
            return false;
    }
    *count = (int)length;
    return true;
}

static uint64_t tensor_bytes(const ob_json *shape, const ob_json *strides, ob_dtype dtype)
{
    int64_t sizes[OB_MAX_DIMS], steps[OB_MAX_DIMS], numel, bytes;
    int ndim, step_count;
    if (!read_dims(shape, sizes, &ndim))
        return 0;
    if (ob_shape_numel(sizes, ndim, &numel, NULL) != OB_OK)
        return UINT64_MAX;
    if (!read_dims(strides, steps, &step_count) || step_count != ndim)
        ob_shape_contiguous_strides(sizes, ndim, steps);
    return ob_shape_span_bytes(sizes, steps, ndim, dtype, &bytes, NULL) == OB_OK ? (uint64_t)bytes
                                                                                 : UINT64_MAX;
}

static bool is_sparse(const ob_json *entry)
{
    const char *layout = ob_json_string(ob_json_get(entry, "layout"), NULL);
    return layout != NULL && strncmp(layout, "sparse_", strlen("sparse_")) == 0;
}

/* The indices, and a dense block per place that is taken. */
static uint64_t sparse_bytes(const ob_json *entry, const ob_json *shape, ob_dtype dtype)
{
    int64_t sizes[OB_MAX_DIMS], places, block;
    int ndim;
    if (!read_dims(shape, sizes, &ndim))
        return 0;
    const int64_t given = ob_json_int(ob_json_get(entry, "sparse_dim"), ndim);
    const int sparse_dim = given >= 0 && given <= ndim ? (int)given : ndim;
    if (ob_shape_numel(sizes, sparse_dim, &places, NULL) != OB_OK ||
        ob_shape_numel(sizes + sparse_dim, ndim - sparse_dim, &block, NULL) != OB_OK)
        return UINT64_MAX;
    const double density = ob_json_real(ob_json_get(entry, "density"), 0);
    const double taken = ob_json_get(entry, "nnz") != NULL
                             ? (double)ob_json_int(ob_json_get(entry, "nnz"), 0)
                             : (double)places * density;
    const double bytes = taken * (8.0 * sparse_dim + (double)block * (double)ob_dtype_size(dtype));
    return bytes < 0 ? 0 : bytes >= 1e18 ? UINT64_MAX : (uint64_t)bytes;
}

uint64_t ob__known_bytes(const ob_json *entry)
{
    const ob_json_kind kind = ob_json_get_kind(entry);
    if (kind != OB_JSON_ARRAY && kind != OB_JSON_OBJECT)
        return 0;
    if (kind == OB_JSON_OBJECT) {
        size_t length;
        const char *name = ob_json_string(ob_json_get(entry, "dtype"), &length);
        const ob_dtype dtype = name ? ob_dtype_from_name(name, length) : OB_DTYPE_INVALID;
        const ob_json *shape = ob_json_get(entry, "shape");
        if (dtype != OB_DTYPE_INVALID && shape != NULL)
            return is_sparse(entry) ? sparse_bytes(entry, shape, dtype)
                                    : tensor_bytes(shape, ob_json_get(entry, "strides"), dtype);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < ob_json_count(entry); i++)
        if (__builtin_add_overflow(sum, ob__known_bytes(ob_json_item(entry, i)), &sum))
            return UINT64_MAX;
    return sum;
}
