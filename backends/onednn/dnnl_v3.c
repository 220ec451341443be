/* SPDX-License-Identifier: Apache-2.0
 *
 * What oneDNN 3.x does in its own way: primitives are made directly, memory descriptors are opaque, scales are
 * arguments of an execution, and some curves have parameters that they did not have in 2.x.
 */
#include "dnnl.h"

#include <stdlib.h>
#include <string.h>

/* ---- layouts ---- */

dnn_md dnn_md_of(const dnn_layout *layout)
{
    return layout != NULL ? layout->md : NULL;
}

void dnn_layout_fini(dnn_layout *layout)
{
    if (layout->md != NULL)
        layout->destroy(layout->md);
}

dnnl_status_t dnn_layout_init(const dnn_lib *lib, dnn_layout *layout, int ndim,
                              const int64_t *sizes, dnnl_data_type_t type, const int64_t *strides)
{
    layout->destroy = lib->dnnl_memory_desc_destroy;
    return strides == NULL
               ? lib->dnnl_memory_desc_create_with_tag(&layout->md, ndim, sizes, type,
                                                       dnnl_format_tag_any)
               : lib->dnnl_memory_desc_create_with_strides(&layout->md, ndim, sizes, type, strides);
}

static int int_of(const dnn_lib *lib, dnn_md md, dnnl_query_t what)
{
    int value = 0;
    return lib->dnnl_memory_desc_query(md, what, &value) == dnnl_success ? value : 0;
}

bool dnn_layout_copy(const dnn_lib *lib, dnn_layout *layout, dnn_md md)
{
    layout->destroy = lib->dnnl_memory_desc_destroy;
    return int_of(lib, md, dnnl_query_ndims_s32) > 0 &&
           lib->dnnl_memory_desc_clone(&layout->md, md) == dnnl_success;
}

typedef struct plain {
    int ndim;
    dnnl_data_type_t type;
    const dnnl_dims_t *sizes, *padded, *strides;
} plain;

/* False when the layout has blocks, or a form that only the library knows. */
static bool read_plain(const dnn_lib *lib, dnn_md md, plain *out)
{
    dnnl_format_kind_t format;
    if (lib->dnnl_memory_desc_query(md, dnnl_query_format_kind, &format) != dnnl_success ||
        format != dnnl_blocked || int_of(lib, md, dnnl_query_inner_nblks_s32) != 0 ||
        lib->dnnl_memory_desc_query(md, dnnl_query_data_type, &out->type) != dnnl_success ||
        lib->dnnl_memory_desc_query(md, dnnl_query_dims, (void *)&out->sizes) != dnnl_success ||
        lib->dnnl_memory_desc_query(md, dnnl_query_padded_dims, (void *)&out->padded) !=
            dnnl_success ||
        lib->dnnl_memory_desc_query(md, dnnl_query_strides, (void *)&out->strides) != dnnl_success)
        return false;
    out->ndim = int_of(lib, md, dnnl_query_ndims_s32);
    return memcmp(*out->sizes, *out->padded, (size_t)out->ndim * sizeof **out->sizes) == 0;
}

/* What weights carry beside their elements cannot be asked for, but it takes memory. */
bool dnn_layout_same_strides(const dnn_lib *lib, const dnn_layout *a, const dnn_layout *b)
{
    plain p, q;
    bool same = read_plain(lib, a->md, &p) && read_plain(lib, b->md, &q) && p.ndim == q.ndim &&
                p.type == q.type &&
                lib->dnnl_memory_desc_get_size(a->md) == lib->dnnl_memory_desc_get_size(b->md);
    for (int d = 0; same && d < p.ndim; d++)
        same = (*p.sizes)[d] == (*q.sizes)[d] &&
               ((*p.sizes)[d] == 1 || (*p.strides)[d] == (*q.strides)[d]);
    return same;
}

/* ---- attributes ---- */

static bool is_scaled(float scale)
{
    return scale != 0 && scale != 1;
}

/* The scale of a result is applied behind the post-ops in 3.x, so the result is multiplied by the first of them. */
dnnl_status_t dnn_set_scales(const dnn_lib *lib, const dnn_request *r, dnnl_primitive_attr_t attr,
                             dnnl_post_ops_t ops, dnn_desc *desc)
{
    dnnl_status_t status = dnnl_success;
    memcpy(desc->source_scale, r->source_scale, sizeof desc->source_scale);
    if (is_scaled(r->scale)) {
        status = lib->dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, r->scale, 0);
        desc->own_post_ops = 1;
    }
    for (int i = 0; status == dnnl_success && i < DNN_OWN_ARGS; i++) {
        if (is_scaled(r->source_scale[i]))
            status = lib->dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC_0 + i, 0);
    }
    return status;
}

dnnl_status_t dnn_bind_scales(const dnn_lib *lib, const dnn_desc *desc, float *values,
                              dnnl_exec_arg_t *args, int *count)
{
    static const dnnl_dims_t one = {1};
    dnnl_memory_desc_t md;
    dnnl_status_t status = lib->dnnl_memory_desc_create_with_strides(&md, 1, one, dnnl_f32, one);
    if (status != dnnl_success)
        return status;
    for (int i = 0; status == dnnl_success && i < DNN_OWN_ARGS; i++) {
        if (!is_scaled(desc->source_scale[i]))
            continue;
        values[i] = desc->source_scale[i];
        args[*count].arg = DNNL_ARG_ATTR_SCALES | (DNNL_ARG_SRC_0 + i);
        status = lib->dnnl_memory_create(&args[*count].memory, md, lib->engine, &values[i]);
        *count += status == dnnl_success;
    }
    lib->dnnl_memory_desc_destroy(md);
    return status;
}

dnnl_status_t dnn_append_sum(const dnn_lib *lib, dnnl_post_ops_t ops, float scale)
{
    return lib->dnnl_post_ops_append_sum(ops, scale, 0, dnnl_data_type_undef);
}

typedef struct curve {
    dnnl_alg_kind_t kind;
    float alpha, beta;
} curve;

/* soft_relu is log(1 + exp(alpha x)) / alpha, with -1 log_sigmoid; hardswish is x * clip(alpha x + beta, 0, 1). In
 * 2.x they have no parameters. */
static curve curve_of(dnn_algorithm algorithm, float alpha, float beta)
{
    curve c = {dnn_algorithm_kind(algorithm), alpha, beta};
    if (algorithm == DNN_SOFT_RELU || algorithm == DNN_LOGSIGMOID)
        c.alpha = algorithm == DNN_SOFT_RELU ? 1 : -1;
    if (algorithm == DNN_HARDSWISH) {
        c.alpha = 1.0F / 6;
        c.beta = 0.5F;
    }
    return c;
}

dnnl_status_t dnn_append_eltwise(const dnn_lib *lib, dnnl_post_ops_t ops, dnn_algorithm algorithm,
                                 float alpha, float beta)
{
    const curve c = curve_of(algorithm, alpha, beta);
    return lib->dnnl_post_ops_append_eltwise(ops, c.kind, c.alpha, c.beta);
}

/* ---- primitives ---- */

/* What every function that makes one is given. */
typedef struct making {
    const dnn_lib *lib;
    const dnn_request *r;
    dnnl_primitive_attr_t attr;
    const_dnnl_primitive_desc_t hint;
    dnnl_primitive_desc_t *pd;
} making;

static dnnl_prop_kind_t forward_of(const dnn_request *r)
{
    return r->training ? dnnl_forward_training : dnnl_forward_inference;
}

static dnnl_status_t make_windows(const making *m)
{
    const dnn_lib *lib = m->lib;
    const dnn_request *r = m->r;
    const dnnl_alg_kind_t conv = dnnl_convolution_direct, deconv = dnnl_deconvolution_direct;
    const dnnl_alg_kind_t pool = dnn_algorithm_kind(r->algorithm);
    dnn_md src = dnn_md_of(r->src), weights = dnn_md_of(r->weights), bias = dnn_md_of(r->bias),
           dst = dnn_md_of(r->dst);
    dnnl_dims_t gaps = {0}; /* the library counts dilation from 0 */
    for (int i = 0; i < r->spatial; i++)
        gaps[i] = r->dilation[i] - 1;
    switch (r->kind) {
    case DNN_CONV:
        return lib->dnnl_convolution_forward_primitive_desc_create(
            m->pd, lib->engine, forward_of(r), conv, src, weights, bias, dst, r->strides, gaps,
            r->pad_left, r->pad_right, m->attr);
    case DNN_CONV_BACKWARD_DATA:
        return lib->dnnl_convolution_backward_data_primitive_desc_create(
            m->pd, lib->engine, conv, src, weights, dst, r->strides, gaps, r->pad_left,
            r->pad_right, m->hint, m->attr);
    case DNN_CONV_BACKWARD_WEIGHTS:
        return lib->dnnl_convolution_backward_weights_primitive_desc_create(
            m->pd, lib->engine, conv, src, weights, bias, dst, r->strides, gaps, r->pad_left,
            r->pad_right, m->hint, m->attr);
    case DNN_DECONV:
        return lib->dnnl_deconvolution_forward_primitive_desc_create(
            m->pd, lib->engine, forward_of(r), deconv, src, weights, bias, dst, r->strides, gaps,
            r->pad_left, r->pad_right, m->attr);
    case DNN_DECONV_BACKWARD_DATA:
        return lib->dnnl_deconvolution_backward_data_primitive_desc_create(
            m->pd, lib->engine, deconv, src, weights, dst, r->strides, gaps, r->pad_left,
            r->pad_right, m->hint, m->attr);
    case DNN_DECONV_BACKWARD_WEIGHTS:
        return lib->dnnl_deconvolution_backward_weights_primitive_desc_create(
            m->pd, lib->engine, deconv, src, weights, bias, dst, r->strides, gaps, r->pad_left,
            r->pad_right, m->hint, m->attr);
    case DNN_POOL:
        return lib->dnnl_pooling_forward_primitive_desc_create(
            m->pd, lib->engine, forward_of(r), pool, src, dst, r->strides, r->kernel, gaps,
            r->pad_left, r->pad_right, m->attr);
    case DNN_POOL_BACKWARD:
        return lib->dnnl_pooling_backward_primitive_desc_create(
            m->pd, lib->engine, pool, src, dst, r->strides, r->kernel, gaps, r->pad_left,
            r->pad_right, m->hint, m->attr);
    default:
        return dnnl_invalid_arguments;
    }
}

/* Results, and gradients of sources, lie as what they are made of. */
static dnnl_status_t make_norm(const making *m)
{
    const dnn_lib *lib = m->lib;
    const dnn_request *r = m->r;
    dnn_md src = dnn_md_of(r->src), stats = dnn_md_of(r->weights), diff = dnn_md_of(r->diff);
    /* Without a scale and a shift only the gradient of the data is computed. */
    const dnnl_prop_kind_t back = r->use_scale || r->use_shift ? dnnl_backward : dnnl_backward_data;
    const unsigned flags = dnn_norm_flags(r);
    switch (r->kind) {
    case DNN_BATCH_NORM:
        return lib->dnnl_batch_normalization_forward_primitive_desc_create(
            m->pd, lib->engine, forward_of(r), src, src, r->epsilon, flags, m->attr);
    case DNN_BATCH_NORM_BACKWARD:
        return lib->dnnl_batch_normalization_backward_primitive_desc_create(
            m->pd, lib->engine, back, diff, diff, src, r->epsilon, flags, m->hint, m->attr);
    case DNN_LAYER_NORM:
        return lib->dnnl_layer_normalization_forward_primitive_desc_create(
            m->pd, lib->engine, forward_of(r), src, src, stats, r->epsilon, flags, m->attr);
    case DNN_LAYER_NORM_BACKWARD:
        return lib->dnnl_layer_normalization_backward_primitive_desc_create(
            m->pd, lib->engine, back, diff, diff, src, stats, r->epsilon, flags, m->hint, m->attr);
    default:
        return make_windows(m);
    }
}

static dnnl_status_t make_concat(const making *m)
{
    dnn_md *sources = calloc((size_t)m->r->source_count, sizeof *sources);
    if (sources == NULL)
        return dnnl_out_of_memory;
    for (int i = 0; i < m->r->source_count; i++)
        sources[i] = dnn_md_of(m->r->sources[i]);
    const dnnl_status_t status =
        m->lib->dnnl_concat_primitive_desc_create(m->pd, m->lib->engine, dnn_md_of(m->r->dst),
                                                  m->r->source_count, m->r->axis, sources, m->attr);
    free(sources);
    return status;
}

dnnl_status_t dnn_create_pd(const dnn_lib *lib, const dnn_request *r, dnnl_primitive_attr_t attr,
                            const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd)
{
    const making m = {lib, r, attr, hint, pd};
    const dnnl_alg_kind_t algorithm = dnn_algorithm_kind(r->algorithm);
    const curve c = curve_of(r->algorithm, r->alpha, r->beta);
    dnn_md src = dnn_md_of(r->src), weights = dnn_md_of(r->weights), dst = dnn_md_of(r->dst),
           diff = dnn_md_of(r->diff);
    switch (r->kind) {
    case DNN_CONCAT:
        return make_concat(&m);
    case DNN_MATMUL:
        return lib->dnnl_matmul_primitive_desc_create(pd, lib->engine, src, weights,
                                                      dnn_md_of(r->bias), dst, attr);
    case DNN_SOFTMAX:
        return lib->dnnl_softmax_forward_primitive_desc_create(pd, lib->engine, forward_of(r),
                                                               algorithm, src, dst, r->axis, attr);
    case DNN_SOFTMAX_BACKWARD:
        return lib->dnnl_softmax_backward_primitive_desc_create(pd, lib->engine, algorithm, src,
                                                                diff, dst, r->axis, hint, attr);
    case DNN_ELTWISE:
        return lib->dnnl_eltwise_forward_primitive_desc_create(
            pd, lib->engine, forward_of(r), c.kind, src, src, c.alpha, c.beta, attr);
    case DNN_ELTWISE_BACKWARD:
        return lib->dnnl_eltwise_backward_primitive_desc_create(pd, lib->engine, c.kind, diff, diff,
                                                                src, c.alpha, c.beta, hint, attr);
    case DNN_BINARY:
        return lib->dnnl_binary_primitive_desc_create(pd, lib->engine, algorithm, src, weights, dst,
                                                      attr);
    case DNN_REDUCTION:
        return lib->dnnl_reduction_primitive_desc_create(pd, lib->engine, algorithm, src, dst,
                                                         r->power, r->epsilon, attr);
    default:
        return make_norm(&m);
    }
}
