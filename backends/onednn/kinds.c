/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the kinds of primitives, as DNNL_VERBOSE writes them, for records and messages.
 */
#include "dnn.h"

static const char *const NAMES[DNN_KIND_COUNT] = {
    [DNN_REORDER] = "reorder",
    [DNN_MATMUL] = "matmul",
    [DNN_CONV] = "convolution",
    [DNN_CONV_BACKWARD_DATA] = "convolution_backward_data",
    [DNN_CONV_BACKWARD_WEIGHTS] = "convolution_backward_weights",
    [DNN_DECONV] = "deconvolution",
    [DNN_DECONV_BACKWARD_DATA] = "deconvolution_backward_data",
    [DNN_DECONV_BACKWARD_WEIGHTS] = "deconvolution_backward_weights",
    [DNN_POOL] = "pooling",
    [DNN_POOL_BACKWARD] = "pooling_backward",
    [DNN_BATCH_NORM] = "batch_normalization",
    [DNN_BATCH_NORM_BACKWARD] = "batch_normalization_backward",
    [DNN_LAYER_NORM] = "layer_normalization",
    [DNN_LAYER_NORM_BACKWARD] = "layer_normalization_backward",
    [DNN_SOFTMAX] = "softmax",
    [DNN_SOFTMAX_BACKWARD] = "softmax_backward",
    [DNN_ELTWISE] = "eltwise",
    [DNN_ELTWISE_BACKWARD] = "eltwise_backward",
    [DNN_BINARY] = "binary",
    [DNN_REDUCTION] = "reduction",
    [DNN_CONCAT] = "concat",
};

const char *dnn_kind_name(dnn_kind kind)
{
    return NAMES[kind];
}
