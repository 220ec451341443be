# SPDX-License-Identifier: Apache-2.0
"""Calls that are in traces of GPUs and of newer PyTorch, and that a CPU's PyTorch 1.13 does not have as they are: operators
of one vendor, of mixed precision, of fused optimizers, on lists of tensors, newer overloads, types without kernels."""

KINDS = {"f": ("float", 4), "h": ("c10::Half", 2), "b": ("c10::BFloat16", 2), "l": ("long", 8), "i": ("int", 4),
         "?": ("bool", 1), "u": ("unsigned char", 1)}


class Tensor:
    """t("h", 2, 3) is a half tensor of two rows; the same number is the same tensor."""
    count = 0

    def __init__(self, kind, *shape):
        Tensor.count += 1
        self.kind, self.shape, self.number = kind, list(shape), Tensor.count

    def value(self):
        size = 1
        for one in self.shape:
            size *= one
        first = 100000 + 2 * self.number
        return [first, first + 1, 0, size, KINDS[self.kind][1], "cuda:0"]

    def type(self):
        return "Tensor(%s)" % KINDS[self.kind][0]


t = Tensor


def describe(value):
    """(value, shape, type) as the observer writes them."""
    if isinstance(value, Tensor):
        return value.value(), value.shape, value.type()
    if value is None:
        return "<None>", [], "None"
    if isinstance(value, list):
        parts = [describe(item) for item in value]
        return [p[0] for p in parts], [p[1] for p in parts], "GenericList[%s]" % ",".join(p[2] for p in parts)
    if isinstance(value, str):
        return value, [], "Device" if value.startswith("cuda") else "String"
    return value, [], {bool: "Bool", int: "Int", float: "Double"}[type(value)]


def node(number, schema, inputs, outputs):
    sides = []
    for values in (inputs, outputs):
        parts = [describe(value) for value in values]
        sides.append({"values": [p[0] for p in parts], "shapes": [p[1] for p in parts],
                      "types": [p[2] for p in parts], "strides": []})
    attrs = [{"name": "rf_id", "type": "uint64", "value": number}, {"name": "fw_parent", "type": "uint64", "value": 0},
             {"name": "seq_id", "type": "int64", "value": -1}, {"name": "scope", "type": "uint64", "value": 0},
             {"name": "tid", "type": "uint64", "value": 1}, {"name": "fw_tid", "type": "uint64", "value": 0},
             {"name": "op_schema", "type": "string", "value": schema},
             {"name": "kernel_backend", "type": "string", "value": ""},
             {"name": "kernel_file", "type": "string", "value": ""},
             {"name": "tensor_range", "type": "string", "value": ""}]
    return {"id": number, "name": schema.split("(")[0].split(".")[0], "ctrl_deps": 2, "inputs": sides[0],
            "outputs": sides[1], "attrs": attrs}


def lists(kind, count=2):
    return [t(kind, 4, 3) for _ in range(count)]


def adam(name, lr, kind="f"):
    params = [lists(kind), lists(kind), lists("f"), lists("f"), [], [t("f") for _ in range(2)]]
    return ("aten::%s(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
            "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, %s lr, float beta1, float beta2, float weight_decay, "
            "float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()"
            % (name, "Tensor" if "tensor_lr" in name else "float"),
            params + [lr, 0.9, 0.999, 0.01, 1e-8, False, False, None, None], [])


def foreach(name, text, *values, kind="f", result=False):
    """name with `.` overload, the rest of the schema's arguments, their values."""
    self = lists(kind)
    mark = "" if result else "(a!)"
    return ("aten::_foreach_%s(Tensor%s[] self%s) -> %s" % (name, mark, text, "Tensor[]" if result else "()"),
            [self, *values], [lists(kind)] if result else [])


def calls():
    """(schema, inputs, outputs)"""
    h, f = t("h", 2, 4, 8), t("f", 2, 4, 8)
    attention = [t("h", 2, 4, 16, 8) for _ in range(3)]
    layer = ("aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) "
             "-> (Tensor, Tensor, Tensor)")
    return [
        # Mixed precision.
        ("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", [h, -1, True], [t("f", 2, 4, 8)]),
        ("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", [h, -1, True], [t("f", 2, 4, 8)]),
        ("aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
         [f, f, -1, 5], [t("h", 2, 4, 8)]),
        ("aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
         [f, f, -1, 5], [t("h", 2, 4, 8)]),
        ("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", [h, -1, 6], [t("f", 2, 4, 8)]),
        ("aten::_amp_foreach_non_finite_check_and_unscale_(Tensor(a!)[] self, Tensor(b!) found_inf, Tensor inv_scale) -> ()",
         [lists("f"), t("f"), t("f")], []),
        ("aten::_amp_foreach_non_finite_check_and_unscale_(Tensor(a!)[] self, Tensor(b!) found_inf, Tensor inv_scale) -> ()",
         [lists("h"), t("f"), t("f")], []),
        ("aten::_amp_update_scale_(Tensor(a!) self, Tensor(b!) growth_tracker, Tensor found_inf, float scale_growth_factor, "
         "float scale_backoff_factor, int growth_interval) -> Tensor(a!)",
         [t("f"), t("i"), t("f"), 2.0, 0.5, 2000], [t("f")]),
        # Fused optimizers.
        adam("_fused_adam_", 0.001), adam("_fused_adamw_", 0.001), adam("_fused_adam_.tensor_lr", t("f")),
        adam("_fused_adamw_.tensor_lr", t("f")), adam("_fused_adamw_", 0.001, "h"),
        ("aten::_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, "
         "float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? "
         "grad_scale=None, Tensor? found_inf=None) -> ()",
         [lists("f"), lists("f"), lists("f"), 0.01, 0.9, 0.1, 0.0, False, False, False, None, None], []),
        ("aten::_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, "
         "float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? "
         "grad_scale=None, Tensor? found_inf=None) -> ()",
         [lists("f"), lists("f"), [], 0.0, 0.0, 0.1, 0.0, False, False, False, None, None], []),
        ("aten::_fused_adagrad_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, "
         "float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? "
         "found_inf=None) -> ()", [lists("f"), lists("f"), lists("f"), [t("f"), t("f")], 0.1, 0.0, 0.0, 1e-10, False,
                                   None, None], []),
        # On lists of tensors.
        foreach("add_.Scalar", ", Scalar scalar", 1), foreach("add_.List", ", Tensor[] other, *, Scalar alpha=1", lists("f"), 1),
        foreach("add_.List", ", Tensor[] other, *, Scalar alpha=1", lists("f"), -0.1),
        foreach("add_.ScalarList", ", Scalar[] scalars", [0.5, 1.0]),
        foreach("add_.Tensor", ", Tensor other, *, Scalar alpha=1", t("f"), 1),
        foreach("sub_.List", ", Tensor[] other, *, Scalar alpha=1", lists("f"), 1),
        foreach("mul_.Scalar", ", Scalar scalar", 0.9), foreach("mul_.Tensor", ", Tensor other", t("f")),
        foreach("mul_.List", ", Tensor[] other", lists("f")), foreach("div_.ScalarList", ", Scalar[] scalars", [0.5, 2.0]),
        foreach("div_.Tensor", ", Tensor other", t("f")), foreach("mul.Scalar", ", Scalar scalar", 0.5, result=True),
        foreach("mul.Tensor", ", Tensor other", t("f"), result=True),
        foreach("add.List", ", Tensor[] other, *, Scalar alpha=1", lists("f"), 0.1, result=True),
        foreach("lerp_.Scalar", ", Tensor[] tensors1, Scalar weight", lists("f"), 0.1),
        foreach("lerp_.List", ", Tensor[] tensors1, Tensor[] weights", lists("f"), lists("f")),
        foreach("addcmul_.Scalar", ", Tensor[] tensor1, Tensor[] tensor2, Scalar value=1", lists("f"), lists("f"), 0.1),
        foreach("addcdiv_.ScalarList", ", Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars", lists("f"), lists("f"),
                [-0.1, -0.2]),
        foreach("sqrt", "", result=True), foreach("sqrt_", ""), foreach("neg", "", result=True), foreach("neg_", ""),
        foreach("reciprocal_", ""), foreach("abs", "", result=True), foreach("sign", "", result=True), foreach("zero_", ""),
        foreach("exp_", ""),
        ("aten::_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]", [0.9, [t("f"), t("f")]],
         [[t("f"), t("f")]]),
        foreach("pow.Scalar", ", Scalar exponent", 2, result=True),
        foreach("maximum_.List", ", Tensor[] other", lists("f")), foreach("clamp_max_.Scalar", ", Scalar scalar", 1.0),
        foreach("minimum.Scalar", ", Scalar scalar", 1.0, result=True),
        foreach("copy_", ", Tensor[] src, bool non_blocking=False", lists("f"), False),
        foreach("norm.Scalar", ", Scalar ord=2, ScalarType? dtype=None", 2, None, result=True),
        foreach("max", "", result=True),
        foreach("rsqrt_", ""), foreach("erf", "", result=True),
        foreach("mul_.Scalar", ", Scalar scalar", 0.9, kind="h"),
        foreach("lerp_.Scalar", ", Tensor[] tensors1, Scalar weight", lists("h"), 0.1, kind="h"),
        # Attention.
        ("aten::_scaled_dot_product_cudnn_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool "
         "compute_log_sumexp, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) "
         "-> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor "
         "philox_seed, Tensor philox_offset, Tensor debug_attn_mask)",
         attention + [None, True, 0.1, True, False, None], [t("h", 2, 4, 16, 8)]),
        ("aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
         "dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
         attention + [t("?", 1, 1, 16, 16), 0.1, False, None, False], [t("h", 2, 4, 16, 8)]),
        ("aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
         "dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
         [t("h", 2, 4, 16, 8), t("h", 2, 2, 16, 8), t("h", 2, 2, 16, 8), None, 0.0, True, None, True],
         [t("h", 2, 4, 16, 8)]),
        ("aten::_flash_attention_forward(Tensor query, Tensor key, Tensor value, Tensor? cum_seq_q, Tensor? cum_seq_k, SymInt "
         "max_q, SymInt max_k, float dropout_p, bool is_causal, bool return_debug_mask, *, float? scale=None, SymInt? "
         "window_size_left=None, SymInt? window_size_right=None, Tensor? seqused_k=None, Tensor? alibi_slopes=None) -> "
         "(Tensor output, Tensor softmax_logsumexp, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)",
         [t("h", 2, 16, 4, 8) for _ in range(3)] + [None, None, 16, 16, 0.0, True, False, None, None, None, None, None],
         [t("h", 2, 16, 4, 8)]),
        ("aten::_efficient_attention_forward(Tensor query, Tensor key, Tensor value, Tensor? bias, Tensor? cu_seqlens_q, "
         "Tensor? cu_seqlens_k, SymInt? max_seqlen_q, SymInt? max_seqlen_k, float dropout_p, int custom_mask_type, bool "
         "compute_log_sumexp=False, *, float? scale=None, Tensor? seqlen_k=None, int? window_size=None) -> (Tensor output, "
         "Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, SymInt max_seqlen_batch_q, SymInt max_seqlen_batch_k)",
         [t("h", 2, 16, 4, 8) for _ in range(3)] + [None, None, None, None, None, 0.0, 1, True, None, None, None],
         [t("h", 2, 16, 4, 8)]),
        # Normalisation, dropout, embeddings, losses in half.
        (layer, [h, [8], t("h", 8), t("h", 8), 1e-5], [t("h", 2, 4, 8), t("f", 2, 4, 1), t("f", 2, 4, 1)]),
        (layer, [h, [8], t("f", 8), t("f", 8), 1e-5], [t("h", 2, 4, 8), t("f", 2, 4, 1), t("f", 2, 4, 1)]),
        ("aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, "
         "Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
         [h, h, [8], t("f", 2, 4, 1), t("f", 2, 4, 1), t("h", 8), t("h", 8), [True, True, True]],
         [t("h", 2, 4, 8), t("h", 8), t("h", 8)]),
        ("aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
         [h, [8], t("h", 8), None], [t("h", 2, 4, 8)]),
        ("aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)",
         [h, [8], t("h", 8), 1e-6], [t("h", 2, 4, 8), t("f", 2, 4, 1)]),
        ("aten::_fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? weight, "
         "bool[2] output_mask) -> (Tensor, Tensor)",
         [h, h, [8], t("f", 2, 4, 1), t("h", 8), [True, True]], [t("h", 2, 4, 8), t("h", 8)]),
        ("aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", [h, 0.1, True],
         [t("h", 2, 4, 8), t("?", 2, 4, 8)]),
        ("aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
         [h, t("?", 2, 4, 8), 1.1], [t("h", 2, 4, 8)]),
        ("aten::_masked_scale(Tensor self, Tensor mask, float scale) -> Tensor", [h, t("u", 2, 4, 8), 1.1],
         [t("h", 2, 4, 8)]),
        ("aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool "
         "sparse=False) -> Tensor", [t("h", 10, 8), t("l", 2, 4), -1, False, False], [t("h", 2, 4, 8)]),
        ("aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool "
         "scale_grad_by_freq) -> Tensor", [h, t("l", 2, 4), 10, -1, False], [t("h", 10, 8)]),
        ("aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool "
         "sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, "
         "Tensor, Tensor, Tensor)", [t("h", 10, 8), t("l", 6), t("l", 4), False, 0, True, None, False, -1],
         [t("h", 4, 8), t("l", 6), t("l", 4), t("l", 4)]),
        ("aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt "
         "ignore_index=-100, float label_smoothing=0.0) -> Tensor", [t("h", 6, 10), t("l", 6), None, 1, -100, 0.0], [t("h")]),
        ("aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor "
         "output, Tensor total_weight)", [t("h", 6, 10), t("l", 6), None, 1, -100], [t("h"), t("h")]),
        ("aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt "
         "ignore_index, Tensor total_weight) -> Tensor", [t("h"), t("h", 6, 10), t("l", 6), None, 1, -100, t("h")],
         [t("h", 6, 10)]),
        ("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
         "int reduction=Mean) -> Tensor", [t("h", 6, 1), t("h", 6, 1), None, None, 1], [t("h")]),
        ("aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
         [t("h"), t("h", 6, 1), t("h", 6, 1), 1], [t("h", 6, 1)]),
        ("aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor", [h, h, "tanh"],
         [t("h", 2, 4, 8)]),
        ("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
         "dtype=None) -> Tensor", [h, 2.0, None, False, None], [t("h")]),
        ("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", [h, 1, None], [t("h", 2, 4, 8)]),
        ("aten::index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)",
         [t("h", 6, 3), 0, t("l", 4), t("h", 4, 3), 1], [t("h", 6, 3)]),
        ("aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
         [t("h", 6), t("h", 4, 5), t("h", 5, 6), 1, 1], [t("h", 4, 6)]),
        ("aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool "
         "use_gelu=False) -> Tensor", [t("h", 6), t("h", 4, 5), t("h", 5, 6), 1, 1, True], [t("h", 4, 6)]),
        ("aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", [t("h", 4, 5), t("h", 5, 6), 6],
         [t("f", 4, 6)]),
        # Convolutions and batch normalisation of one vendor.
        ("aten::cudnn_convolution_relu(Tensor self, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] "
         "dilation, SymInt groups) -> Tensor",
         [t("h", 1, 3, 8, 8), t("h", 4, 3, 3, 3), t("h", 4), [1, 1], [1, 1], [1, 1], 1], [t("h", 1, 4, 8, 8)]),
        ("aten::cudnn_convolution_add_relu(Tensor self, Tensor weight, Tensor z, Scalar? alpha, Tensor? bias, SymInt[] stride, "
         "SymInt[] padding, SymInt[] dilation, SymInt groups) -> Tensor",
         [t("h", 1, 3, 8, 8), t("h", 4, 3, 3, 3), t("h", 1, 4, 8, 8), 1.0, t("h", 4), [1, 1], [1, 1], [1, 1], 1],
         [t("h", 1, 4, 8, 8)]),
        ("aten::cudnn_batch_norm(Tensor input, Tensor weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
         "training, float exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor, Tensor)",
         [t("h", 2, 4, 8, 8), t("f", 4), t("f", 4), t("f", 4), t("f", 4), True, 0.1, 1e-5],
         [t("h", 2, 4, 8, 8), t("f", 4), t("f", 4), t("u", 0)]),
        ("aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
         "running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
         [t("f", 2, 4, 8, 8), t("f", 4), t("f", 4), t("f", 4), t("f", 4), True, 0.1, 1e-5],
         [t("f", 2, 4, 8, 8), t("f", 4), t("f", 4)]),
        ("aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
         "bool ceil_mode=False) -> (Tensor, Tensor)", [t("h", 1, 4, 8, 8), [2, 2], [2, 2], [0, 0], [1, 1], False],
         [t("h", 1, 4, 4, 4), t("l", 1, 4, 4, 4)]),
        # Newer than the backend.
        ("aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", [f, [t("l", 3)]], [t("f", 3, 4, 8)]),
        ("aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
         [f, [t("l", 3)], t("f", 3, 4, 8), True], [t("f", 2, 4, 8)]),
        ("aten::split_with_sizes_copy.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()",
         [t("f", 6), [2, 4], 0, [t("f", 2), t("f", 4)]], []),
        ("aten::_lazy_clone(Tensor self) -> Tensor", [f], [t("f", 2, 4, 8)]),
        ("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
         [h, [0], False, None], [t("h", 4, 8)]),
        ("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", [h, 3.0], [t("h", 2, 4, 8)]),
        ("aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", [t("?", 2, 4, 8), h, t("h")],
         [t("h", 2, 4, 8)]),
        ("aten::masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)",
         [h, t("?", 2, 4, 8), -65504.0], [h]),
        ("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", [t("h", 3, 4, 4), [None, t("l", 6), t("l", 6)]],
         [t("h", 3, 6)]),
        ("aten::_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) "
         "-> Tensor(a!)", [t("h", 3, 4, 4), [None, t("l", 6), t("l", 6)], t("h", 3, 6), True, True], [t("h", 3, 4, 4)]),
    ]


def large_calls():
    """A table of 200 MiB of which a few rows are read."""
    return [("aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool "
             "sparse=False) -> Tensor", [t("f", 200 << 14, 16), t("l", 8), -1, False, False], [t("f", 8, 16)])]


class Sparse(Tensor):
    """Without a storage, as PyTorch records it."""

    def value(self):
        return [100000 + 2 * self.number, 0, 0, 0, 0, ""]


def sparse_calls():
    """An optimizer's step on gradients that were there before the recording began."""
    grad, weight = Sparse("f", 5000, 8), t("f", 5000, 8)
    return [
        ("aten::coalesce(Tensor(a) self) -> Tensor(a)", [grad], [grad]),
        ("aten::_values(Tensor(a) self) -> Tensor(a)", [grad], [t("f", 100, 8)]),
        ("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", [weight, grad, -0.1],
         [weight]),
        ("aten::zero_(Tensor(a!) self) -> Tensor(a!)", [Sparse("f", 20, 8)], []),
        ("aten::detach_(Tensor(a!) self) -> Tensor(a!)", [Sparse("f", 20, 8)], []),
    ]


HOST = [
    ("aten::is_nonzero(Tensor self) -> bool", [t("?")], [True]),
    ("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", [t("?"), "must be"], []),
    ("aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, "
     "Device? device=None, Layout? layout=None) -> ()", [t("f", 2, 3), None, None, 6, "cuda:0", 0], []),
    ("aten::item(Tensor self) -> Scalar", [t("f")], [0.5]),
    ("profiler::_record_function_enter_new(str name, str? args=None) -> __torch__.torch.classes.profiler._RecordFunction",
     ["step", None], []),
]


def trace(rows):
    nodes = [node(3 + i, *row) for i, row in enumerate(rows)]
    labels = [dict(node(number, "", [], []), name="[pytorch|profiler|execution_trace|%s]" % what, ctrl_deps=1)
              for number, what in ((1, "process"), (2, "thread"))]
    return {"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "2025-01-01 00:00:00", "start_ts": 1,
            "nodes": nodes + labels, "finish_ts": 2}
