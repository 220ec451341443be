/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of arithmetic on bytes; see emit_bytes.h.
 */
#include "emit_bytes.h"

#include "plain_loops.h"

#include <math.h>
#include <string.h>

/* Sums up to here are exact in float32. */
enum { EXACT = 1 << 24, LARGEST_PRODUCT = 255 * 128, LARGEST_BYTE = 255 };
enum { MOST_PARTS = 4096 }; /* of one sum: each is a call of the library */

bool dnn_is_byte(ob_dtype dtype)
{
    return dtype == OB_DTYPE_I8 || dtype == OB_DTYPE_U8;
}

bool dnn_is_small(ob_dtype dtype)
{
    return dnn_is_byte(dtype) || dtype == OB_DTYPE_BOOL;
}

bool dnn_wrap_number(double number, double *out)
{
    if (number != trunc(number) || !(fabs(number) < 9007199254740992.0)) /* 2^53 */
        return false;
    *out = (double)(int8_t)(uint8_t)(int64_t)number;
    return true;
}

ob_status dnn_emit_wrap(dnn_plan *plan, const dnn_view *out, const dnn_view *wide, double scale,
                        const dnn_view *add, double add_scale, ob_err *err)
{
    dnn_plain_loop loop = {.run = dnn_plain_wrap,
                           .name = "wrap",
                           .count = 2,
                           .elementwise = true,
                           .views = {*out, *wide},
                           .numbers = {scale, add_scale}};
    if (add != NULL && dnn_view_is(add) && add_scale != 0) {
        dnn_view *term = &loop.views[loop.count++];
        *term = *add;
        dnn_view_pad_dims(term, out->ndim);
        for (int d = 0; d < out->ndim; d++) {
            if (term->sizes[d] != out->sizes[d])
                term->strides[d] = 0;
            term->sizes[d] = out->sizes[d];
        }
    }
    return dnn_plan_plain_loop(plan, &loop, 1, err);
}

/* ---- products ---- */

ob_status dnn_check_products(const dnn_call *call, ob_err *err)
{
    if (!call->plan->library_integers && !dnn_lib_adds_bytes_wide(call->plan->lib))
        return dnn_refuse(
            call, err,
            "without VNNI instructions, oneDNN adds up products of bytes in 16 bits, where they "
            "saturate; the backend's option integers=library accepts that");
    return OB_OK;
}

ob_status dnn_exact_products(dnn_plan *plan, const dnn_request *request, int64_t wanted,
                             int64_t *out, ob_err *err)
{
    dnn_desc *desc;
    *out = wanted;
    if (wanted <= EXACT / LARGEST_PRODUCT)
        return OB_OK;
    OB_TRY(dnn_describe(plan->lib, request, &desc, err));
    /* Measured: these write their sums as they are. */
    const bool exact = strncmp(dnn_desc_implementation(plan->lib, desc), "brg", 3) == 0;
    dnn_desc_destroy(plan->lib, desc);
    if (!exact)
        *out = EXACT / LARGEST_PRODUCT;
    return OB_OK;
}

/* ---- images ---- */

dnn_view dnn_view_channels_last(const dnn_view *view)
{
    dnn_view out = *view;
    int64_t step = view->sizes[1];
    out.strides[1] = 1;
    for (int d = view->ndim - 1; d >= 2; d--) {
        out.strides[d] = step;
        step *= view->sizes[d];
    }
    out.strides[0] = step;
    return out;
}

dnn_view dnn_view_channels_behind(const dnn_view *view)
{
    dnn_view out = *view;
    const int last = view->ndim - 1;
    for (int d = 1; d < last; d++) {
        out.sizes[d] = view->sizes[d + 1];
        out.strides[d] = view->strides[d + 1];
    }
    out.sizes[last] = view->sizes[1];
    out.strides[last] = view->strides[1];
    return out;
}

/* ---- sums ---- */

/* Sums along the last dimension by a product with ones. The bytes are the first factor, which alone may be
 * unsigned. */
static ob_status multiply_by_ones(dnn_plan *plan, const dnn_view *in, const dnn_view *out,
                                  ob_err *err)
{
    dnn_view ones;
    int64_t sizes[] = {1, 1, 1};
    sizes[in->ndim - 2] = in->sizes[in->ndim - 1];
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_I8, in->ndim, sizes, &ones, err));
    OB_TRY(dnn_emit_ones(plan, &ones, err));
    const dnn_request request = {.kind = DNN_MATMUL,
                                 .src = dnn_plan_plain(plan, in, err),
                                 .weights = dnn_plan_plain(plan, &ones, err),
                                 .dst = dnn_plan_plain(plan, out, err)};
    if (request.src == NULL || request.weights == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, in, false, false},
                                    {DNN_WEIGHTS, &ones, false, false},
                                    {DNN_DST, out, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 3, NULL, err);
}

/* Rows are added up as those of real numbers are. */
static ob_status sum_rows(dnn_plan *plan, const dnn_view *in, const dnn_view *out, ob_err *err)
{
    const int rows = in->ndim - 2, columns = in->ndim - 1;
    dnn_view turned = *in, result = *out;
    turned.sizes[rows] = in->sizes[columns], turned.sizes[columns] = in->sizes[rows];
    turned.strides[rows] = in->strides[columns], turned.strides[columns] = in->strides[rows];
    result.sizes[rows] = out->sizes[columns], result.sizes[columns] = 1;
    result.strides[rows] = out->strides[columns], result.strides[columns] = 1;
    return multiply_by_ones(plan, &turned, &result, err);
}

/* Parts of long rows, with gaps between them: for their reduction the library has only its reference code. */
static bool is_part_of_rows(const dnn_view *in, const dnn_view *out)
{
    return in->ndim == 2 && out->sizes[0] == in->sizes[0] && out->sizes[1] == 1 &&
           in->strides[1] == 1 && in->strides[0] > in->sizes[1];
}

static ob_status sum_part(dnn_plan *plan, const dnn_view *in, const dnn_view *out, ob_err *err)
{
    if (dnn_sums_rows(in, out) && dnn_lib_adds_bytes_wide(plan->lib))
        return sum_rows(plan, in, out, err);
    if (is_part_of_rows(in, out) && dnn_lib_adds_bytes_wide(plan->lib))
        return multiply_by_ones(plan, in, out, err);
    const dnn_request request = {.kind = DNN_REDUCTION,
                                 .algorithm = DNN_REDUCE_SUM,
                                 .src = dnn_plan_plain(plan, in, err),
                                 .dst = dnn_plan_plain(plan, out, err)};
    if (request.src == NULL || request.dst == NULL)
        return OB_ERR_UNSUPPORTED;
    const dnn_binding bindings[] = {{DNN_SRC, in, false, false}, {DNN_DST, out, true, false}};
    return dnn_plan_emit(plan, &request, bindings, 2, NULL, err);
}

/* How much of `dim`, the longest that is reduced, is added up at once: float32 must hold the sum. 0 = too much. */
static int64_t find_part(const dnn_view *in, const dnn_view *out, int *dim)
{
    int64_t all = 1, longest = 1;
    *dim = 0;
    for (int d = 0; d < in->ndim; d++) {
        if (out->sizes[d] == in->sizes[d])
            continue;
        if (__builtin_mul_overflow(all, in->sizes[d], &all))
            return 0;
        if (in->sizes[d] > longest) {
            longest = in->sizes[d];
            *dim = d;
        }
    }
    const int64_t part = EXACT / LARGEST_BYTE / (all / longest);
    if (part > 0 && longest / part >= MOST_PARTS)
        return 0;
    return part < longest ? part : longest;
}

static ob_status emit_total(dnn_plan *plan, const dnn_view *out, const dnn_view *parts, ob_err *err)
{
    const dnn_plain_loop total = {
        .run = dnn_plain_total, .name = "total", .count = 2, .views = {*out, *parts}};
    return dnn_plan_plain_loop(plan, &total, 1, err);
}

ob_status dnn_emit_byte_sum(dnn_plan *plan, const dnn_view *in, const dnn_view *out, ob_err *err)
{
    dnn_view source = *in, target = *out, parts;
    dnn_view *const views[] = {&source, &target};
    int dim;
    dnn_views_collapse(views, 2);
    if (dnn_view_same_sizes(&source, &target)) { /* nothing to add up, only another dtype */
        const int64_t sizes[] = {1, dnn_view_numel(&source)};
        OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_I32, 2, sizes, &parts, err));
        dnn_view converted = parts;
        dnn_view_reshape(&converted, in->ndim, in->sizes);
        OB_TRY(dnn_emit_copy(plan, &converted, in, err));
        return emit_total(plan, out, &parts, err);
    }
    if (!dnn_sums_rows(&source, &target) || !dnn_lib_adds_bytes_wide(plan->lib))
        OB_TRY(dnn_emit_reduced_last(plan, &source, &target, err));
    const int64_t part = find_part(&source, &target, &dim);
    if (part == 0)
        return plan->host->err_set(
            err, OB_ERR_UNSUPPORTED,
            "oneDNN adds up bytes in float32, too many here for an exact sum; use another backend");
    const int64_t length = source.sizes[dim], count = (length + part - 1) / part;
    int64_t sizes[] = {count, dnn_view_numel(&target)};
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_I32, 2, sizes, &parts, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t start = i * part, size = length - start < part ? length - start : part;
        const dnn_view some = dnn_view_part(plan, &source, dim, start, size, 1);
        dnn_view sum = target;
        sum.group = parts.group;
        sum.dtype = OB_DTYPE_I32;
        sum.offset = i * sizes[1] * (int64_t)sizeof(int32_t);
        dnn_view_contiguous_strides(&sum);
        OB_TRY(sum_part(plan, &some, &sum, err));
    }
    return emit_total(plan, out, &parts, err);
}
