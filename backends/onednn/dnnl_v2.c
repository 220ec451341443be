/* SPDX-License-Identifier: Apache-2.0
 *
 * What oneDNN 2.x does in its own way: primitives are made from operation descriptors, memory descriptors are
 * structs, and scales are known when a primitive is made.
 */
#include "dnnl.h"

#include <stdlib.h>

/* ---- layouts ---- */

dnn_md dnn_md_of(const dnn_layout *layout)
{
    return layout != NULL ? &layout->md : NULL;
}

void dnn_layout_fini(dnn_layout *layout)
{
    (void)layout;
}

dnnl_status_t dnn_layout_init(const dnn_lib *lib, dnn_layout *layout, int ndim,
                              const int64_t *sizes, dnnl_data_type_t type, const int64_t *strides)
{
    return strides == NULL
               ? lib->dnnl_memory_desc_init_by_tag(&layout->md, ndim, sizes, type,
                                                   dnnl_format_tag_any)
               : lib->dnnl_memory_desc_init_by_strides(&layout->md, ndim, sizes, type, strides);
}

bool dnn_layout_copy(const dnn_lib *lib, dnn_layout *layout, dnn_md md)
{
    (void)lib;
    layout->md = *md;
    return md->ndims > 0;
}

static bool is_plain(const dnnl_memory_desc_t *md)
{
    bool plain = md->format_kind == dnnl_blocked && md->format_desc.blocking.inner_nblks == 0 &&
                 md->extra.flags == 0 && md->offset0 == 0;
    for (int d = 0; plain && d < md->ndims; d++)
        plain = md->padded_dims[d] == md->dims[d];
    return plain;
}

bool dnn_layout_same_strides(const dnn_lib *lib, const dnn_layout *a, const dnn_layout *b)
{
    (void)lib;
    bool same = is_plain(&a->md) && is_plain(&b->md) && a->md.ndims == b->md.ndims &&
                a->md.data_type == b->md.data_type;
    for (int d = 0; same && d < a->md.ndims; d++)
        same = a->md.dims[d] == b->md.dims[d] &&
               (a->md.dims[d] == 1 ||
                a->md.format_desc.blocking.strides[d] == b->md.format_desc.blocking.strides[d]);
    return same;
}

/* ---- attributes ---- */

dnnl_status_t dnn_set_scales(const dnn_lib *lib, const dnn_request *r, dnnl_primitive_attr_t attr,
                             dnnl_post_ops_t ops, dnn_desc *desc)
{
    dnnl_status_t status = dnnl_success;
    (void)ops;
    (void)desc;
    if (r->scale != 0 && r->scale != 1)
        status = lib->dnnl_primitive_attr_set_output_scales(attr, 1, 0, &r->scale);
    for (int i = 0; status == dnnl_success && i < 2; i++) {
        if (r->source_scale[i] != 0 && r->source_scale[i] != 1)
            status = lib->dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC_0 + i, 1, 0,
                                                         &r->source_scale[i]);
    }
    return status;
}

dnnl_status_t dnn_bind_scales(const dnn_lib *lib, const dnn_desc *desc, float *values,
                              dnnl_exec_arg_t *args, int *count)
{
    (void)lib, (void)desc, (void)values, (void)args, (void)count; /* the primitive has them */
    return dnnl_success;
}

dnnl_status_t dnn_append_sum(const dnn_lib *lib, dnnl_post_ops_t ops, float scale)
{
    return lib->dnnl_post_ops_append_sum(ops, scale);
}

dnnl_status_t dnn_append_eltwise(const dnn_lib *lib, dnnl_post_ops_t ops, dnn_algorithm algorithm,
                                 float alpha, float beta)
{
    return lib->dnnl_post_ops_append_eltwise(ops, 1, dnn_algorithm_kind(algorithm), alpha, beta);
}

/* ---- primitives ---- */

/* Any operation descriptor. */
typedef union op_desc {
    dnnl_matmul_desc_t matmul;
    dnnl_convolution_desc_t conv;
    dnnl_deconvolution_desc_t deconv;
    dnnl_pooling_v2_desc_t pool;
    dnnl_batch_normalization_desc_t batch_norm;
    dnnl_layer_normalization_desc_t layer_norm;
    dnnl_softmax_v2_desc_t softmax;
    dnnl_eltwise_desc_t eltwise;
    dnnl_binary_desc_t binary;
    dnnl_reduction_desc_t reduction;
} op_desc;

static dnnl_status_t init_windows(const dnn_lib *lib, const dnn_request *r, op_desc *op)
{
    const dnnl_prop_kind_t prop = r->training ? dnnl_forward_training : dnnl_forward_inference;
    const dnnl_alg_kind_t conv = dnnl_convolution_direct, deconv = dnnl_deconvolution_direct;
    const dnnl_alg_kind_t pool = dnn_algorithm_kind(r->algorithm);
    const dnnl_memory_desc_t *src = dnn_md_of(r->src), *weights = dnn_md_of(r->weights),
                             *bias = dnn_md_of(r->bias), *dst = dnn_md_of(r->dst);
    dnnl_dims_t gaps = {0}; /* the library counts dilation from 0 */
    for (int i = 0; i < r->spatial; i++)
        gaps[i] = r->dilation[i] - 1;
    switch (r->kind) {
    case DNN_CONV:
        return lib->dnnl_dilated_convolution_forward_desc_init(&op->conv, prop, conv, src, weights,
                                                               bias, dst, r->strides, gaps,
                                                               r->pad_left, r->pad_right);
    case DNN_CONV_BACKWARD_DATA:
        return lib->dnnl_dilated_convolution_backward_data_desc_init(
            &op->conv, conv, src, weights, dst, r->strides, gaps, r->pad_left, r->pad_right);
    case DNN_CONV_BACKWARD_WEIGHTS:
        return lib->dnnl_dilated_convolution_backward_weights_desc_init(
            &op->conv, conv, src, weights, bias, dst, r->strides, gaps, r->pad_left, r->pad_right);
    case DNN_DECONV:
        return lib->dnnl_dilated_deconvolution_forward_desc_init(&op->deconv, prop, deconv, src,
                                                                 weights, bias, dst, r->strides,
                                                                 gaps, r->pad_left, r->pad_right);
    case DNN_DECONV_BACKWARD_DATA:
        return lib->dnnl_dilated_deconvolution_backward_data_desc_init(
            &op->deconv, deconv, src, weights, dst, r->strides, gaps, r->pad_left, r->pad_right);
    case DNN_DECONV_BACKWARD_WEIGHTS:
        return lib->dnnl_dilated_deconvolution_backward_weights_desc_init(
            &op->deconv, deconv, src, weights, bias, dst, r->strides, gaps, r->pad_left,
            r->pad_right);
    case DNN_POOL:
        return lib->dnnl_pooling_v2_forward_desc_init(&op->pool, prop, pool, src, dst, r->strides,
                                                      r->kernel, gaps, r->pad_left, r->pad_right);
    case DNN_POOL_BACKWARD:
        return lib->dnnl_pooling_v2_backward_desc_init(&op->pool, pool, src, dst, r->strides,
                                                       r->kernel, gaps, r->pad_left, r->pad_right);
    default:
        return dnnl_invalid_arguments;
    }
}

static dnnl_status_t init_op(const dnn_lib *lib, const dnn_request *r, op_desc *op)
{
    const dnnl_prop_kind_t prop = r->training ? dnnl_forward_training : dnnl_forward_inference;
    const dnnl_alg_kind_t algorithm = dnn_algorithm_kind(r->algorithm);
    const dnnl_memory_desc_t *src = dnn_md_of(r->src), *weights = dnn_md_of(r->weights),
                             *dst = dnn_md_of(r->dst), *diff = dnn_md_of(r->diff);
    /* Without a scale and a shift only the gradient of the data is computed. */
    const dnnl_prop_kind_t back = r->use_scale || r->use_shift ? dnnl_backward : dnnl_backward_data;
    switch (r->kind) {
    case DNN_MATMUL:
        return lib->dnnl_matmul_desc_init(&op->matmul, src, weights, dnn_md_of(r->bias), dst);
    case DNN_BATCH_NORM:
        return lib->dnnl_batch_normalization_forward_desc_init(&op->batch_norm, prop, src,
                                                               r->epsilon, dnn_norm_flags(r));
    case DNN_BATCH_NORM_BACKWARD:
        return lib->dnnl_batch_normalization_backward_desc_init(&op->batch_norm, back, diff, src,
                                                                r->epsilon, dnn_norm_flags(r));
    case DNN_LAYER_NORM: /* weights: the layout of mean and variance */
        return lib->dnnl_layer_normalization_forward_desc_init(&op->layer_norm, prop, src, weights,
                                                               r->epsilon, dnn_norm_flags(r));
    case DNN_LAYER_NORM_BACKWARD:
        return lib->dnnl_layer_normalization_backward_desc_init(
            &op->layer_norm, back, diff, src, weights, r->epsilon, dnn_norm_flags(r));
    case DNN_SOFTMAX:
        return lib->dnnl_softmax_v2_forward_desc_init(&op->softmax, prop, algorithm, src, dst,
                                                      r->axis);
    case DNN_SOFTMAX_BACKWARD:
        return lib->dnnl_softmax_v2_backward_desc_init(&op->softmax, algorithm, src, diff, dst,
                                                       r->axis);
    case DNN_ELTWISE:
        return lib->dnnl_eltwise_forward_desc_init(&op->eltwise, prop, algorithm, src, r->alpha,
                                                   r->beta);
    case DNN_ELTWISE_BACKWARD:
        return lib->dnnl_eltwise_backward_desc_init(&op->eltwise, algorithm, diff, src, r->alpha,
                                                    r->beta);
    case DNN_BINARY:
        return lib->dnnl_binary_desc_init(&op->binary, algorithm, src, weights, dst);
    case DNN_REDUCTION:
        return lib->dnnl_reduction_desc_init(&op->reduction, algorithm, src, dst, r->power,
                                             r->epsilon);
    default:
        return init_windows(lib, r, op);
    }
}

static dnnl_status_t describe_concat(const dnn_lib *lib, const dnn_request *r,
                                     dnnl_primitive_attr_t attr, dnnl_primitive_desc_t *pd)
{
    dnnl_memory_desc_t *sources = calloc((size_t)r->source_count, sizeof *sources);
    if (sources == NULL)
        return dnnl_out_of_memory;
    for (int i = 0; i < r->source_count; i++)
        sources[i] = r->sources[i]->md;
    const dnnl_status_t status = lib->dnnl_concat_primitive_desc_create(
        pd, dnn_md_of(r->dst), r->source_count, r->axis, sources, attr, lib->engine);
    free(sources);
    return status;
}

dnnl_status_t dnn_create_pd(const dnn_lib *lib, const dnn_request *r, dnnl_primitive_attr_t attr,
                            const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd)
{
    op_desc op;
    if (r->kind == DNN_CONCAT)
        return describe_concat(lib, r, attr, pd);
    const dnnl_status_t status = init_op(lib, r, &op);
    if (status != dnnl_success)
        return status;
    return lib->dnnl_primitive_desc_create(pd, &op, attr, lib->engine, hint);
}
