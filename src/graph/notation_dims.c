/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the notation about dimensions and sizes.
 */
#include "graph/notation_functions.h"

#include "op/shape_view.h"

#include <stdlib.h>
#include <string.h>

static ob_status normalise(int64_t dim, int64_t ndim, int64_t *out, ob_err *err)
{
    const int64_t range = ndim > 0 ? ndim : 1; /* a 0-dimensional tensor takes 0 and -1 */
    if (dim < -range || dim >= range)
        return ob_err_set(err, OB_ERR_INVALID, "dimension %lld is not in [%lld, %lld)",
                          (long long)dim, (long long)-range, (long long)range);
    *out = dim < 0 ? dim + range : dim;
    return OB_OK;
}

static ob_status take_ndim(const ob__function_args *args, size_t i, int64_t *ndim, ob_err *err)
{
    OB_TRY(ob__take_int(args, i, ndim, err));
    if (*ndim < 0 || *ndim > OB_MAX_DIMS)
        return ob_err_set(err, OB_ERR_INVALID, "@%s: a tensor cannot have %lld dimensions",
                          args->name, (long long)*ndim);
    return OB_OK;
}

/* Argument i as a mask of dimensions, and in the order given. */
typedef struct dim_set {
    bool has[OB_MAX_DIMS];
    int64_t dims[OB_MAX_DIMS];
    size_t count;
} dim_set;

static ob_status add_dim(dim_set *set, int64_t dim, int64_t ndim, ob_err *err)
{
    int64_t normal = 0;
    OB_TRY(normalise(dim, ndim, &normal, err));
    if (ndim == 0)
        return OB_OK;
    if (set->has[normal])
        return ob_err_set(err, OB_ERR_INVALID, "dimension %lld is named twice", (long long)normal);
    set->has[normal] = true;
    set->dims[set->count++] = normal;
    return OB_OK;
}

static ob_status take_dims(const ob__function_args *args, size_t i, int64_t ndim, dim_set *set,
                           ob_err *err)
{
    *set = (dim_set){.count = 0};
    const ob_operand *operand = &args->args[i];
    const bool all =
        ob__operand_is_none(operand) || (ob__operand_is_list(args->scope->graph, operand) &&
                                         ob__operand_count(args->scope->graph, operand) == 0);
    for (int64_t d = 0; all && d < ndim; d++)
        OB_TRY(add_dim(set, d, ndim, err));
    if (all)
        return OB_OK;
    if (operand->kind == OB_OPERAND_VALUE && operand->value.kind == OB_VALUE_INT)
        return add_dim(set, operand->value.as.integer, ndim, err);
    ob__int_list list;
    OB_TRY(ob__take_ints(args, i, &list, err));
    ob_status status = OB_OK;
    for (size_t k = 0; status == OB_OK && k < list.count; k++)
        status = add_dim(set, list.items[k], ndim, err);
    free(list.items);
    return status;
}

ob_status ob__fn_normdim(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    int64_t dim = 0, ndim = 0;
    OB_TRY(ob__take_int(args, 0, &dim, err));
    OB_TRY(take_ndim(args, 1, &ndim, err));
    OB_TRY(normalise(dim, ndim, &dim, err));
    out->value = ob_value_int(dim);
    return OB_OK;
}

ob_status ob__fn_canonical_dims(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    int64_t ndim = 0;
    dim_set set;
    OB_TRY(take_ndim(args, 1, &ndim, err));
    OB_TRY(take_dims(args, 0, ndim, &set, err));
    return ob__give_ints(set.dims, set.count, out, err);
}

ob_status ob__fn_complement(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    int64_t ndim = 0, others[OB_MAX_DIMS];
    size_t count = 0;
    dim_set set = {.count = 0};
    OB_TRY(take_ndim(args, 1, &ndim, err));
    /* Unlike in reductions, an empty list means no dimension here. */
    if (ob__operand_count(args->scope->graph, &args->args[0]) > 0 ||
        !ob__operand_is_list(args->scope->graph, &args->args[0]))
        OB_TRY(take_dims(args, 0, ndim, &set, err));
    for (int64_t d = 0; d < ndim; d++) {
        if (!set.has[d])
            others[count++] = d;
    }
    return ob__give_ints(others, count, out, err);
}

ob_status ob__fn_inverse(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    ob__int_list list;
    int64_t inverse[OB_MAX_DIMS];
    dim_set set = {.count = 0};
    OB_TRY(ob__take_ints(args, 0, &list, err));
    ob_status status = OB_OK;
    if (list.count > OB_MAX_DIMS)
        status = ob_err_set(err, OB_ERR_INVALID, "a tensor cannot have %zu dimensions", list.count);
    for (size_t i = 0; status == OB_OK && i < list.count; i++)
        status = add_dim(&set, list.items[i], (int64_t)list.count, err);
    for (size_t i = 0; status == OB_OK && i < set.count; i++)
        inverse[set.dims[i]] = (int64_t)i;
    free(list.items);
    return status == OB_OK ? ob__give_ints(inverse, set.count, out, err) : status;
}

ob_status ob__fn_keepdim_sizes(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    ob__int_list sizes;
    dim_set set;
    OB_TRY(ob__take_ints(args, 0, &sizes, err));
    ob_status status = OB_OK;
    if (sizes.count > OB_MAX_DIMS)
        status =
            ob_err_set(err, OB_ERR_INVALID, "a tensor cannot have %zu dimensions", sizes.count);
    if (status == OB_OK)
        status = take_dims(args, 1, (int64_t)sizes.count, &set, err);
    for (size_t d = 0; status == OB_OK && d < sizes.count; d++)
        sizes.items[d] = set.has[d] ? 1 : sizes.items[d];
    if (status == OB_OK)
        status = ob__give_ints(sizes.items, sizes.count, out, err);
    free(sizes.items);
    return status;
}

ob_status ob__fn_broadcast(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    ob__int_list a, b = {.items = NULL};
    int64_t sizes[OB_MAX_DIMS];
    int ndim = 0;
    OB_TRY(ob__take_ints(args, 0, &a, err));
    ob_status status = ob__take_ints(args, 1, &b, err);
    if (status == OB_OK && (a.count > OB_MAX_DIMS || b.count > OB_MAX_DIMS))
        status = ob_err_set(err, OB_ERR_INVALID, "a tensor cannot have more than %d dimensions",
                            OB_MAX_DIMS);
    if (status == OB_OK)
        status =
            ob_shape_broadcast(a.items, (int)a.count, b.items, (int)b.count, sizes, &ndim, err);
    if (status == OB_OK)
        status = ob__give_ints(sizes, (size_t)ndim, out, err);
    free(a.items);
    free(b.items);
    return status;
}

ob_status ob__fn_can_view(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_tensor *tensor = NULL;
    ob__int_list sizes;
    int64_t strides[OB_MAX_DIMS];
    OB_TRY(ob__take_tensor(args, 0, &tensor, err));
    OB_TRY(ob__take_ints(args, 1, &sizes, err));
    const int ndim = (int)sizes.count;
    const bool fits = sizes.count <= OB_MAX_DIMS &&
                      ob__view_infer(ob_tensor_numel(tensor), sizes.items, ndim) &&
                      ob__view_strides(tensor, sizes.items, ndim, strides);
    free(sizes.items);
    out->value = ob_value_bool(fits);
    return OB_OK;
}

/* A 1-D tensor without elements joins lists of any rank and has no such dimension. */
static ob_status size_along(const ob__function_args *args, size_t i, int64_t dim, int64_t *size,
                            ob_err *err)
{
    ob_operand item;
    const ob_graph *graph = args->scope->graph;
    OB_TRY(ob__operand_get(graph, &args->args[0], i, &item, err));
    const ob_tensor *tensor = ob__operand_tensor(graph, &item);
    ob__operand_fini(&item);
    if (tensor == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "item %zu is not a tensor", i);
    *size = 0;
    if (tensor->ndim == 1 && tensor->sizes[0] == 0)
        return OB_OK;
    OB_TRY(normalise(dim, tensor->ndim, &dim, err));
    *size = tensor->ndim > 0 ? tensor->sizes[dim] : 1;
    return OB_OK;
}

ob_status ob__fn_sizes_along(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    int64_t dim = 0;
    OB_TRY(ob__take_int(args, 1, &dim, err));
    if (!ob__operand_is_list(args->scope->graph, &args->args[0]))
        return ob_err_set(err, OB_ERR_INVALID, "argument 1 of @sizes_along must be a list");
    const size_t count = ob__operand_count(args->scope->graph, &args->args[0]);
    int64_t *sizes = calloc(count + 1, sizeof *sizes);
    if (sizes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu sizes", count);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++)
        status = size_along(args, i, dim, &sizes[i], err);
    if (status == OB_OK)
        status = ob__give_ints(sizes, count, out, err);
    free(sizes);
    return status;
}
