/* SPDX-License-Identifier: Apache-2.0
 *
 * Adapters: what becomes of the arguments of front-end functions that differ from their operator.
 */
#include "bind_text.h"
#include "libtorch_table.h"
#include "op/adapter.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define F "torch.nn.functional."

static libtorch_table torch;

typedef struct call_case {
    const char *call, *want;
} call_case;

static void check_calls(const call_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char got[2048];
        resolve_text(torch.table, cases[i].call, got, sizeof got);
        CHECK_STR(got, cases[i].want);
    }
}

static void adapters_of_norms_and_embeddings(void)
{
    static const call_case CASES[] = {
        {F "batch_norm(x4, m1, v1, w1, b1, True)",
         "aten::batch_norm(x4, w1, b1, m1, v1, True, 0.100000, 1.00000e-05, True)"},
        {F "batch_norm(x4, None, None, training=True, momentum=0.5)",
         "aten::batch_norm(x4, None, None, None, None, True, 0.500000, 1.00000e-05, True)"},
        {F "instance_norm(x4, weight=w1)",
         "aten::instance_norm(x4, w1, None, None, None, True, 0.100000, 1.00000e-05, True)"},
        {F "layer_norm(x3, [4], w1, b1)", "aten::layer_norm(x3, [4], w1, b1, 1.00000e-05, True)"},
        {F "group_norm(input=x4, num_groups=2)",
         "aten::group_norm(x4, 2, None, None, 1.00000e-05, True)"},
        {F "embedding(i2, w2)", "aten::embedding(w2, i2, -1, False, False)"},
        {F "embedding(i2, weight=w2, padding_idx=1)", "aten::embedding(w2, i2, 1, False, False)"},
        {F "embedding(i2, w2, -1)", "aten::embedding(w2, i2, 1, False, False)"},
        {F "embedding(i2, w2, 2)", "OB_ERR_INVALID: torch.nn.functional.embedding: argument "
                                   "'padding_idx' is 2, but 'weight' has 2 rows"},
        {F "embedding(i2, w2, max_norm=1.0)",
         "OB_ERR_UNSUPPORTED: torch.nn.functional.embedding: max_norm changes the weight first: "
         "call aten::embedding_renorm_ for that"},
        {F "embedding_bag(i1, w2, o1)",
         "aten::embedding_bag(w2, i1, o1, False, 1, False, None, False)"},
        {F "embedding_bag(i1, w2, o1, mode='sum', per_sample_weights=p1, padding_idx=0)",
         "aten::embedding_bag.padding_idx(w2, i1, o1, False, 0, False, p1, False, 0)"},
        {F "embedding_bag(i2, w2)",
         "OB_ERR_UNSUPPORTED: torch.nn.functional.embedding_bag: input must have 1 dimension: "
         "flatten it and pass offsets"},
        {F "embedding_bag(i1, w2)",
         "OB_ERR_UNSUPPORTED: torch.nn.functional.embedding_bag: an input with 1 dimension needs "
         "offsets"},
        {F "embedding_bag(i1, w2, o1, mode='min')",
         "OB_ERR_INVALID: torch.nn.functional.embedding_bag: expected 'sum', 'mean' or 'max', got "
         "'min'"},
        {F "embedding_bag(i1, w2, o1, 1.0)",
         "OB_ERR_UNSUPPORTED: torch.nn.functional.embedding_bag: max_norm changes the weight "
         "first: call aten::embedding_renorm_ for that"},
        {F "one_hot(t1, num_classes=4)", "aten::one_hot(t1, 4)"},
        {"torch.embedding(w2, i2)", "aten::embedding(w2, i2, -1, False, False)"},
    };
    check_calls(CASES, COUNT(CASES));
}

static void adapters_of_losses(void)
{
    static const call_case CASES[] = {
        {F "mse_loss(a2, b2)", "aten::mse_loss(a2, b2, 1)"},
        {F "mse_loss(a2, b2, reduction='sum')", "aten::mse_loss(a2, b2, 2)"},
        {F "mse_loss(a2, b2, reduction='none')", "aten::mse_loss(a2, b2, 0)"},
        {F "mse_loss(a2, b2, False)", "aten::mse_loss(a2, b2, 2)"},
        {F "mse_loss(a2, b2, size_average=True, reduce=False)", "aten::mse_loss(a2, b2, 0)"},
        {F "mse_loss(a2, b2, reduction='max')",
         "OB_ERR_INVALID: torch.nn.functional.mse_loss: argument 'reduction' must be 'none', "
         "'mean' or 'sum'"},
        {F "mse_loss(a2)",
         "OB_ERR_INVALID: torch.nn.functional.mse_loss: argument 'target' (Tensor) is missing"},
        {F "l1_loss(input=a2, target=b2)", "aten::l1_loss(a2, b2, 1)"},
        {F "soft_margin_loss(a2, b2)", "aten::soft_margin_loss(a2, b2, 1)"},
        {F "multilabel_margin_loss(a2, b2)", "aten::multilabel_margin_loss(a2, b2, 1)"},
        {F "smooth_l1_loss(a2, b2, beta=2)", "aten::smooth_l1_loss(a2, b2, 1, 2.00000)"},
        {F "huber_loss(a2, b2, 'sum', 0.5)", "aten::huber_loss(a2, b2, 2, 0.500000)"},
        {F "nll_loss(a2, t1, w1, ignore_index=3)", "aten::nll_loss(a2, t1, w1, 1, 3)"},
        {F "nll_loss(a4, t3)", "aten::nll_loss2d(a4, t3, None, 1, -100)"},
        {F "nll_loss(a5, t4)", "aten::nll_loss_nd(a5, t4, None, 1, -100)"},
        {F "cross_entropy(a2, t1, label_smoothing=0.5)",
         "aten::cross_entropy_loss(a2, t1, None, 1, -100, 0.500000)"},
        {F "binary_cross_entropy(a2, b2, w2)", "aten::binary_cross_entropy(a2, b2, w2, 1)"},
        {F "binary_cross_entropy_with_logits(a2, b2, pos_weight=p1)",
         "aten::binary_cross_entropy_with_logits(a2, b2, None, p1, 1)"},
        {F "kl_div(a2, b2, reduction='sum', log_target=True)", "aten::kl_div(a2, b2, 2, True)"},
        {F "kl_div(a2, b2, reduction='batchmean')",
         "OB_ERR_UNSUPPORTED: torch.nn.functional.kl_div: batchmean is not part of the operator: "
         "take the sum and divide it by the batch size"},
        {F "hinge_embedding_loss(a2, b2, 2)", "aten::hinge_embedding_loss(a2, b2, 2.00000, 1)"},
        {F "multi_margin_loss(a2, t1, weight=w1)",
         "aten::multi_margin_loss(a2, t1, 1, 1.00000, w1, 1)"},
        {F "margin_ranking_loss(a1, b1, t1)", "aten::margin_ranking_loss(a1, b1, t1, 0.00000, 1)"},
        {F "cosine_embedding_loss(a2, b2, t1)",
         "aten::cosine_embedding_loss(a2, b2, t1, 0.00000, 1)"},
        {F "triplet_margin_loss(a2, p2, n2)",
         "aten::triplet_margin_loss(a2, p2, n2, 1.00000, 2.00000, 1.00000e-06, False, 1)"},
        {F "poisson_nll_loss(a2, b2)",
         "aten::poisson_nll_loss(a2, b2, True, False, 1.00000e-08, 1)"},
        {F "ctc_loss(l3, t2, [5], [3])", "aten::ctc_loss.IntList(l3, t2, [5], [3], 0, 1, False)"},
        {F "ctc_loss(l3, t2, i1, j1)", "aten::ctc_loss.Tensor(l3, t2, i1, j1, 0, 1, False)"},
    };
    check_calls(CASES, COUNT(CASES));
}

static void adapters_of_activations(void)
{
    static const call_case CASES[] = {
        {F "relu(a2)", "aten::relu(a2)"},
        {F "relu(a2, inplace=True)", "aten::relu_(a2)"},
        {F "relu(input=a2, inplace=False)", "aten::relu(a2)"},
        {F "relu_(a2)", "aten::relu_(a2)"},
        {F "relu6(a2)", "aten::relu6(a2)"},
        {F "relu6(a2, True)", "aten::relu6_(a2)"},
        {F "selu(a2)", "aten::selu(a2)"},
        {F "selu(a2, True)", "aten::selu_(a2)"},
        {F "silu(a2)", "aten::silu(a2)"},
        {F "silu(a2, True)", "aten::silu_(a2)"},
        {F "mish(a2)", "aten::mish(a2)"},
        {F "mish(a2, True)", "aten::mish_(a2)"},
        {F "hardsigmoid(a2)", "aten::hardsigmoid(a2)"},
        {F "hardsigmoid(a2, True)", "aten::hardsigmoid_(a2)"},
        {F "hardswish(a2)", "aten::hardswish(a2)"},
        {F "hardswish(a2, True)", "aten::hardswish_(a2)"},
        {F "hardtanh(a2, -2)", "aten::hardtanh(a2, -2, 1.00000)"},
        {F "hardtanh(a2, inplace=True)", "aten::hardtanh_(a2, -1.00000, 1.00000)"},
        {F "elu(a2)", "aten::elu(a2, 1.00000, 1, 1)"},
        {F "elu(a2, 2, True)", "aten::elu_(a2, 2, 1, 1)"},
        {F "celu(a2)", "aten::celu(a2, 1.00000)"},
        {F "celu(a2, inplace=True)", "aten::celu_(a2, 1.00000)"},
        {F "leaky_relu(a2)", "aten::leaky_relu(a2, 0.0100000)"},
        {F "leaky_relu(a2, 0.5, True)", "aten::leaky_relu_(a2, 0.500000)"},
        {F "threshold(a2, 1, 2)", "aten::threshold(a2, 1, 2)"},
        {F "threshold(a2, 1, 2, True)", "aten::threshold_(a2, 1, 2)"},
        {F "rrelu(a2, training=True)", "aten::rrelu(a2, 0.125000, 0.333333, True, None)"},
        {F "rrelu(a2, inplace=True)", "aten::rrelu_(a2, 0.125000, 0.333333, False, None)"},
        {F "logsigmoid(a2)", "aten::log_sigmoid(a2)"},
        {F "gelu(a2, approximate='tanh')", "aten::gelu(a2, 'tanh')"},
        {F "softplus(a2)", "aten::softplus(a2, 1, 20)"},
        {F "softmax(a2, -1)", "aten::softmax.int(a2, -1, None)"},
        {F "softmax(a3)", "aten::softmax.int(a3, 0, None)"},
        {F "softmax(a2, _stacklevel=5, dtype='float64')", "aten::softmax.int(a2, 1, float64)"},
        {F "log_softmax(a4)", "aten::log_softmax.int(a4, 1, None)"},
        {F "dropout(a2)", "aten::dropout(a2, 0.500000, True)"},
        {F "dropout(a2, 0.25, training=False)", "aten::dropout(a2, 0.250000, False)"},
        {F "dropout(a2, inplace=True)", "aten::dropout_(a2, 0.500000, True)"},
        {F "dropout1d(a3)", "aten::feature_dropout(a3, 0.500000, True)"},
        {F "dropout1d(a3, inplace=True)", "aten::feature_dropout_(a3, 0.500000, True)"},
        {F "dropout2d(a4)", "aten::feature_dropout(a4, 0.500000, True)"},
        {F "dropout2d(a4, inplace=True)", "aten::feature_dropout_(a4, 0.500000, True)"},
        {F "dropout3d(a5)", "aten::feature_dropout(a5, 0.500000, True)"},
        {F "dropout3d(a5, inplace=True)", "aten::feature_dropout_(a5, 0.500000, True)"},
        {F "alpha_dropout(a2)", "aten::alpha_dropout(a2, 0.500000, False)"},
        {F "alpha_dropout(a2, inplace=True)", "aten::alpha_dropout_(a2, 0.500000, False)"},
        {F "feature_alpha_dropout(a2)", "aten::feature_alpha_dropout(a2, 0.500000, False)"},
        {F "feature_alpha_dropout(a2, inplace=True)",
         "aten::feature_alpha_dropout_(a2, 0.500000, False)"},
    };
    check_calls(CASES, COUNT(CASES));
}

static void adapters_of_pools_and_images(void)
{
    static const call_case CASES[] = {
        {F "max_pool1d(a3, 2)", "aten::max_pool1d(a3, [2], [], [0], [1], False)"},
        {F "max_pool1d(a3, 2, return_indices=True)",
         "aten::max_pool1d_with_indices(a3, [2], [], [0], [1], False)"},
        {F "max_pool2d(a4, 3, 2, padding=1)",
         "aten::max_pool2d(a4, [3, 3], [2, 2], [1, 1], [1, 1], False)"},
        {F "max_pool2d(a4, [3, 2], ceil_mode=True, return_indices=True)",
         "aten::max_pool2d_with_indices(a4, [3, 2], [], [0, 0], [1, 1], True)"},
        {F "max_pool2d_with_indices(a4, 3)",
         "aten::max_pool2d_with_indices(a4, [3, 3], [], [0, 0], [1, 1], False)"},
        {F "adaptive_max_pool2d_with_indices(a4, 3)", "aten::adaptive_max_pool2d(a4, [3, 3])"},
        {F "max_pool3d(a5, 2)", "aten::max_pool3d(a5, [2, 2, 2], [], [0, 0, 0], [1, 1, 1], False)"},
        {F "max_pool3d(a5, 2, return_indices=True)",
         "aten::max_pool3d_with_indices(a5, [2, 2, 2], [], [0, 0, 0], [1, 1, 1], False)"},
        {F "adaptive_max_pool1d(a3, 5)", "aten::adaptive_max_pool1d(a3, [5])"},
        {F "adaptive_max_pool2d(a4, [5, None])", "aten::adaptive_max_pool2d(a4, [5, 5])"},
        {F "adaptive_max_pool3d(a5, 1)", "aten::adaptive_max_pool3d(a5, [1, 1, 1])"},
        {F "adaptive_avg_pool1d(a3, 5)", "aten::adaptive_avg_pool1d(a3, [5])"},
        {F "adaptive_avg_pool2d(a4, (None, 7))", "aten::adaptive_avg_pool2d(a4, [4, 7])"},
        {F "adaptive_avg_pool3d(a5, None)", "aten::adaptive_avg_pool3d(a5, [4, 5, 6])"},
        {F "adaptive_avg_pool2d(a4, [1, 2, 3])",
         "OB_ERR_INVALID: torch.nn.functional.adaptive_avg_pool2d: argument 'output_size' must be "
         "an int, a list of 2 ints or None"},
        {F "adaptive_avg_pool3d(a2, None)",
         "OB_ERR_INVALID: torch.nn.functional.adaptive_avg_pool3d: argument 'input' must have at "
         "least 3 dimensions"},
        {F "avg_pool1d(a3, 2)", "aten::avg_pool1d(a3, [2], [], [0], False, True)"},
        {F "avg_pool2d(a4, 2, stride=None, divisor_override=3)",
         "aten::avg_pool2d(a4, [2, 2], [], [0, 0], False, True, 3)"},
        {F "avg_pool3d(a5, 2, 1)",
         "aten::avg_pool3d(a5, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)"},
        {F "unfold(a4, 3, stride=2)", "aten::im2col(a4, [3, 3], [1, 1], [0, 0], [2, 2])"},
        {"torch.Tensor.unfold(a2, 0, 2, 1)", "aten::unfold(a2, 0, 2, 1)"},
        {F "fold(a3, [4, 5], 2)", "aten::col2im(a3, [4, 5], [2, 2], [1, 1], [0, 0], [1, 1])"},
        {F "grid_sample(a4, g4)", "aten::grid_sampler(a4, g4, 0, 0, False)"},
        {F "grid_sample(a4, g4, 'nearest', 'reflection', True)",
         "aten::grid_sampler(a4, g4, 1, 2, True)"},
        {F "affine_grid(t3, [1, 2, 3, 4])", "aten::affine_grid_generator(t3, [1, 2, 3, 4], False)"},
        {F "pad(a2, [1, 2])", "aten::constant_pad_nd(a2, [1, 2], 0)"},
        {F "pad(a2, (1, 2), value=3.5)", "aten::constant_pad_nd(a2, [1, 2], 3.50000)"},
        {F "pad(a3, [1, 2], 'reflect')", "aten::reflection_pad1d(a3, [1, 2])"},
        {F "pad(a4, [1, 2, 3, 4], 'reflect')", "aten::reflection_pad2d(a4, [1, 2, 3, 4])"},
        {F "pad(a5, [1, 2, 3, 4, 5, 6], 'reflect')",
         "aten::reflection_pad3d(a5, [1, 2, 3, 4, 5, 6])"},
        {F "pad(a3, [1, 2], 'replicate')", "aten::replication_pad1d(a3, [1, 2])"},
        {F "pad(a4, [1, 2, 3, 4], 'replicate')", "aten::replication_pad2d(a4, [1, 2, 3, 4])"},
        {F "pad(a5, [1, 2, 3, 4, 5, 6], 'replicate')",
         "aten::replication_pad3d(a5, [1, 2, 3, 4, 5, 6])"},
        {F "pad(a4, [1, 2], mode='circular')", "aten::pad(a4, [1, 2], 'circular', None)"},
    };
    check_calls(CASES, COUNT(CASES));
}

static void adapters_of_interpolation(void)
{
    static const call_case CASES[] = {
        {F "interpolate(a3, 8)", "aten::upsample_nearest1d(a3, [8], None)"},
        {F "interpolate(a4, size=[8, 9])", "aten::upsample_nearest2d(a4, [8, 9], None, None)"},
        {F "interpolate(a4, scale_factor=2)",
         "aten::upsample_nearest2d(a4, [8, 10], 2.00000, 2.00000)"},
        {F "interpolate(a4, scale_factor=(1.5, 2), recompute_scale_factor=True)",
         "aten::upsample_nearest2d(a4, [6, 10], None, None)"},
        {F "interpolate(a5, 8)", "aten::upsample_nearest3d(a5, [8, 8, 8], None, None, None)"},
        {F "interpolate(a3, 8, mode='nearest-exact')",
         "aten::_upsample_nearest_exact1d(a3, [8], None)"},
        {F "interpolate(a4, 8, mode='nearest-exact')",
         "aten::_upsample_nearest_exact2d(a4, [8, 8], None, None)"},
        {F "interpolate(a5, 8, mode='nearest-exact')",
         "aten::_upsample_nearest_exact3d(a5, [8, 8, 8], None, None, None)"},
        {F "interpolate(a3, 8, mode='linear')", "aten::upsample_linear1d(a3, [8], False, None)"},
        {F "interpolate(a4, 8, mode='bilinear', align_corners=True)",
         "aten::upsample_bilinear2d(a4, [8, 8], True, None, None)"},
        {F "interpolate(a4, 8, mode='bicubic')",
         "aten::upsample_bicubic2d(a4, [8, 8], False, None, None)"},
        {F "interpolate(a5, scale_factor=2.0, mode='trilinear')",
         "aten::upsample_trilinear3d(a5, [8, 10, 12], False, 2.00000, 2.00000, 2.00000)"},
        {F "interpolate(a4, 8, mode='bilinear', antialias=True)",
         "aten::_upsample_bilinear2d_aa(a4, [8, 8], False, None, None)"},
        {F "interpolate(a4, 8, mode='bicubic', antialias=True)",
         "aten::_upsample_bicubic2d_aa(a4, [8, 8], False, None, None)"},
        {F "interpolate(a4, 8, antialias=True)",
         "OB_ERR_UNSUPPORTED: torch.nn.functional.interpolate: antialias is only for the modes "
         "bilinear and bicubic with 4 dimensions"},
        {F "interpolate(a3, 8, mode='area')", "aten::adaptive_avg_pool1d(a3, [8])"},
        {F "interpolate(a4, 8, mode='area')", "aten::adaptive_avg_pool2d(a4, [8, 8])"},
        {F "interpolate(a5, 8, mode='area')", "aten::adaptive_avg_pool3d(a5, [8, 8, 8])"},
        {F "interpolate(a4, 8, mode='linear')",
         "OB_ERR_UNSUPPORTED: torch.nn.functional.interpolate: mode must be nearest, nearest-exact "
         "or area (input of 3 to 5 dimensions), linear (3), bilinear or bicubic (4), or trilinear "
         "(5)"},
        {F "interpolate(a4)", "OB_ERR_INVALID: torch.nn.functional.interpolate: argument "
                              "'scale_factor' must be a number "
                              "above 0 or a list of 2, or 'size' must be given"},
        {F "interpolate(a4, 8, 2)", "OB_ERR_INVALID: torch.nn.functional.interpolate: give 'size' "
                                    "or 'scale_factor', not both"},
        {F "interpolate(a4, [8])", "OB_ERR_INVALID: torch.nn.functional.interpolate: argument "
                                   "'size' must be an int or a list of 2 ints"},
        {F "upsample_nearest(a4, 8)", "aten::upsample_nearest2d(a4, [8, 8], None, None)"},
        {F "upsample_bilinear(a4, scale_factor=2)",
         "aten::upsample_bilinear2d(a4, [8, 10], True, 2.00000, 2.00000)"},
    };
    check_calls(CASES, COUNT(CASES));
}

static void adapters_of_torch_and_tensor(void)
{
    static const call_case CASES[] = {
        {F "scaled_dot_product_attention(q4, k4, v4, is_causal=True)",
         "aten::_scaled_dot_product_attention(q4, k4, v4, None, 0.00000, False, True)"},
        {F "scaled_dot_product_attention(q4, k4, v4, scale=0.5)",
         "OB_ERR_NOT_FOUND: torch.nn.functional.scaled_dot_product_attention: needs the operator "
         "aten::scaled_dot_product_attention, which neither a row nor a loaded plug-in describes"},
        {"torch.einsum('ij,jk->ik', a2, b2)", "aten::einsum('ij,jk->ik', [a2, b2], None)"},
        {"torch.einsum('ij->ji', [a2])", "aten::einsum('ij->ji', [a2], None)"},
        {"torch.broadcast_tensors(a2, b1)", "aten::broadcast_tensors([a2, b1])"},
        {"torch.block_diag(a2, b2)", "aten::block_diag([a2, b2])"},
        {"torch.cartesian_prod(a1, b1)", "aten::cartesian_prod([a1, b1])"},
        {"torch.meshgrid(a1, b1)", "aten::meshgrid([a1, b1])"},
        {"torch.meshgrid([a1, b1], indexing='xy')", "aten::meshgrid.indexing([a1, b1], 'xy')"},
        {"torch.split(a2, 2)", "aten::split.Tensor(a2, 2, 0)"},
        {"torch.split(tensor=a2, split_size_or_sections=[1, 2], dim=1)",
         "aten::split_with_sizes(a2, [1, 2], 1)"},
        {"torch.Tensor.split(a2, 2, dim=1)", "aten::split.Tensor(a2, 2, 1)"},
        {"torch.Tensor.split(a2, [1, 1])", "aten::split_with_sizes(a2, [1, 1], 0)"},
        {"torch.cdist(a2, b2)", "aten::cdist(a2, b2, 2.00000, 0)"},
        {"torch.cdist(a2, b2, compute_mode='donot_use_mm_for_euclid_dist')",
         "aten::cdist(a2, b2, 2.00000, 2)"},
        {"torch.norm(a2)", "aten::norm.Scalar(a2, 2)"},
        {"torch.norm(a2, 1)", "aten::norm.Scalar(a2, 1)"},
        {"torch.norm(a2, dim=1)", "aten::norm.ScalarOpt_dim(a2, 2, [1], False)"},
        {"torch.norm(a2, 3, [0, 1], True)", "aten::norm.ScalarOpt_dim(a2, 3, [0, 1], True)"},
        {"torch.norm(a2, dtype='float64')", "aten::norm.ScalarOpt_dtype(a2, 2, float64)"},
        {"torch.norm(a2, 1, dtype='float64')", "aten::norm.ScalarOpt_dtype(a2, 1, float64)"},
        {"torch.norm(a2, dim=0, dtype='float64')",
         "aten::norm.ScalarOpt_dim_dtype(a2, 2, [0], False, float64)"},
        {"torch.norm(a2, 1, 0, dtype='float64')",
         "aten::norm.ScalarOpt_dim_dtype(a2, 1, [0], False, float64)"},
        {"torch.norm(a2, 'nuc')", "aten::nuclear_norm(a2, False)"},
        {"torch.norm(a3, 'nuc', [0, 1])", "aten::nuclear_norm.dim(a3, [0, 1], False)"},
        {"torch.norm(a2, out=b0)",
         "OB_ERR_UNSUPPORTED: torch.norm: out= is not supported here: call aten::norm with it"},
        {"torch.Tensor.norm(a2)", "aten::norm.Scalar(a2, 2)"},
        {"torch.unique(a2)", "aten::_unique2(a2, True, False, False)"},
        {"torch.Tensor.unique(a2, dim=1)", "aten::unique_dim(a2, 1, True, False, False)"},
        {"torch.Tensor.float(a2)", "aten::to.dtype(a2, float32, False, False, None)"},
        {"torch.Tensor.double(a2)", "aten::to.dtype(a2, float64, False, False, None)"},
        {"torch.Tensor.half(a2)", "aten::to.dtype(a2, float16, False, False, None)"},
        {"torch.Tensor.bfloat16(a2)", "aten::to.dtype(a2, bfloat16, False, False, None)"},
        {"torch.Tensor.byte(a2)", "aten::to.dtype(a2, uint8, False, False, None)"},
        {"torch.Tensor.char(a2)", "aten::to.dtype(a2, int8, False, False, None)"},
        {"torch.Tensor.short(a2)", "aten::to.dtype(a2, int16, False, False, None)"},
        {"torch.Tensor.int(a2)", "aten::to.dtype(a2, int32, False, False, None)"},
        {"torch.Tensor.long(a2)", "aten::to.dtype(a2, int64, False, False, None)"},
        {"torch.Tensor.bool(a2)", "aten::to.dtype(a2, bool, False, False, None)"},
        {"torch.Tensor.cfloat(a2)", "aten::to.dtype(a2, complex64, False, False, None)"},
        {"Tensor.cdouble(a2)", "aten::to.dtype(a2, complex128, False, False, None)"},
    };
    check_calls(CASES, COUNT(CASES));
}

/* Every adapter's signature parses, and its operators exist in libtorch: all but the newer one. */
static void adapters_are_whole(void)
{
    for (size_t i = 0; i < ob__adapter_count(); i++) {
        const ob__adapter *adapter = ob__adapter_at(i);
        ob_schema *signature = NULL;
        ob_err err = {.code = OB_OK};
        CHECK_INT(ob_schema_parse(adapter->signature, strlen(adapter->signature), &signature, &err),
                  OB_OK);
        CHECK_STR(err.message, "");
        char base[128], overload[64];
        CHECK(ob__adapter_known(torch.table, i, base, sizeof base, overload, sizeof overload));
        if (signature != NULL) {
            ob_op_name name;
            CHECK_INT(ob_op_resolve_name(torch.table, signature->name, &name, NULL), OB_OK);
            CHECK(name.adapter == adapter);
        }
        ob_schema_destroy(signature);
    }
}

int main(void)
{
    libtorch_table_init(&torch);
    RUN(adapters_of_norms_and_embeddings);
    RUN(adapters_of_losses);
    RUN(adapters_of_activations);
    RUN(adapters_of_pools_and_images);
    RUN(adapters_of_interpolation);
    RUN(adapters_of_torch_and_tensor);
    RUN(adapters_are_whole);
    libtorch_table_fini(&torch);
    return ob_test_end();
}
