/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices and vectors, with what is added to them.
 */
#include "emit_bytes.h"

typedef struct product {
    dnn_view a, b, out;
    dnn_view add; /* may be none */
    double alpha, beta;
    bool weights; /* b may be brought into the library's layout by prepare */
} product;

static bool is_inner_repeated(const dnn_view *view)
{
    dnn_view inner = *view;
    if (view->ndim == 3) {
        inner.strides[0] = 1;
    }
    return dnn_view_is_expanded(&inner);
}

/* Repeated matrices of a batch are one matrix to the library; repeated rows are copied out. */
static ob_status prepare_factor(dnn_plan *plan, dnn_view *view, ob_err *err)
{
    if (is_inner_repeated(view))
        return dnn_plan_dense(plan, view, err);
    if (view->ndim == 3 && view->strides[0] == 0) {
        view->sizes[0] = 1;
        view->strides[0] = view->sizes[1] * view->sizes[2];
    }
    return OB_OK;
}

static bool is_row(const dnn_view *add, const dnn_view *out)
{
    for (int d = 0; d < out->ndim - 1; d++) {
        if (add->sizes[d] != 1)
            return false;
    }
    return add->sizes[out->ndim - 1] == out->sizes[out->ndim - 1];
}

static ob_status add_term(const dnn_call *call, const product *p, dnn_view *term,
                          dnn_request *request, dnn_binding *bindings, int *count, ob_err *err)
{
    if (!dnn_view_is(&p->add) || p->beta == 0)
        return OB_OK;
    if (dnn_view_equal(&p->add, &p->out)) { /* in place */
        request->scale = (float)p->alpha;
        request->post_ops[request->post_op_count++] =
            (dnn_post_op){.algorithm = DNN_NONE, .alpha = (float)p->beta};
        return OB_OK;
    }
    *term = p->add;
    dnn_view_pad_dims(term, p->out.ndim);
    for (int d = 0; d < term->ndim; d++) {
        if (term->strides[d] == 0) {
            term->sizes[d] = 1;
            term->strides[d] = 1;
        }
    }
    if (!dnn_view_is_contiguous(term)) { /* oneDNN 2.6 takes a bias with gaps for one without */
        dnn_view dense;
        OB_TRY(dnn_plan_temporary(call->plan, term->dtype, term->ndim, term->sizes, &dense, err));
        OB_TRY(dnn_emit_copy(call->plan, &dense, term, err));
        *term = dense;
    }
    const dnn_layout *layout = dnn_plan_plain(call->plan, term, err);
    if (layout == NULL)
        return OB_ERR_UNSUPPORTED;
    if (p->alpha == 1 && p->beta == 1 && is_row(term, &p->out)) {
        request->bias = layout;
        bindings[(*count)++] = (dnn_binding){DNN_BIAS, term, false, false};
        return OB_OK;
    }
    /* beta * (alpha / beta * product + term) */
    request->scale = (float)(p->alpha / p->beta);
    bindings[(*count)++] =
        (dnn_binding){DNN_POST_OP * (request->post_op_count + 1) + DNN_SRC_1, term, false, false};
    request->post_ops[request->post_op_count++] =
        (dnn_post_op){.algorithm = DNN_ADD, .layout = layout};
    if (p->beta != 1)
        request->post_ops[request->post_op_count++] =
            (dnn_post_op){.algorithm = DNN_LINEAR, .alpha = (float)p->beta};
    return OB_OK;
}

/* Whether the second factor may be brought into the library's layout by prepare. */
static bool has_weights(const dnn_plan *plan, const product *p)
{
    const dnn_group *group = &plan->groups[p->b.group];
    return (p->weights || group->parameter) && group->origin == DNN_LIST_SETUP && !group->written;
}

static ob_status choose_layouts(dnn_plan *plan, const product *p, const dnn_view *out,
                                dnn_request *request, ob_err *err)
{
    request->kind = DNN_MATMUL;
    request->src = dnn_plan_plain(plan, &p->a, err);
    request->weights =
        has_weights(plan, p) ? dnn_plan_any(plan, &p->b, err) : dnn_plan_plain(plan, &p->b, err);
    request->dst = dnn_plan_plain(plan, out, err);
    return request->src == NULL || request->weights == NULL || request->dst == NULL
               ? OB_ERR_UNSUPPORTED
               : OB_OK;
}

/* Part of the sums of a product of bytes, and what is added to it. */
static ob_status emit_byte_part(dnn_plan *plan, const product *p, const dnn_view *sums, ob_err *err)
{
    dnn_request request = {.kind = DNN_MATMUL};
    OB_TRY(choose_layouts(plan, p, sums, &request, err));
    const dnn_binding bindings[] = {{DNN_SRC, &p->a, false, false},
                                    {DNN_WEIGHTS, &p->b, false, has_weights(plan, p)},
                                    {DNN_DST, sums, true, false}};
    OB_TRY(dnn_plan_emit(plan, &request, bindings, 3, NULL, err));
    return dnn_emit_wrap(plan, &p->out, sums, p->alpha, &p->add, p->beta, err);
}

/* Sums of 32 bits, of which eight are kept. */
static ob_status emit_byte_product(dnn_call *call, const product *p, ob_err *err)
{
    dnn_plan *plan = call->plan;
    const int last = p->a.ndim - 1;
    const int64_t depth = p->a.sizes[last];
    product part = *p;
    dnn_view sums;
    dnn_request request;
    int64_t step;
    OB_TRY(dnn_check_products(call, err));
    if (!dnn_wrap_number(p->alpha, &part.alpha) || !dnn_wrap_number(p->beta, &part.beta))
        return dnn_refuse(call, err, "integers are multiplied by a number with a fraction");
    part.a.dtype = OB_DTYPE_U8;
    part.b.dtype = OB_DTYPE_I8;
    const product whole = part;
    OB_TRY(dnn_plan_temporary(plan, OB_DTYPE_I32, p->out.ndim, p->out.sizes, &sums, err));
    request = (dnn_request){.kind = DNN_MATMUL};
    OB_TRY(choose_layouts(plan, &part, &sums, &request, err));
    OB_TRY(dnn_exact_products(plan, &request, depth, &step, err));
    for (int64_t start = 0; start < depth; start += step) {
        const int64_t size = depth - start < step ? depth - start : step;
        part.a = dnn_view_part(plan, &whole.a, last, start, size, 1);
        part.b = dnn_view_part(plan, &whole.b, last - 1, start, size, 1);
        OB_TRY(emit_byte_part(plan, &part, &sums, err));
        part.add = part.out; /* what the parts before gave */
        part.beta = 1;
    }
    return OB_OK;
}

static ob_status emit_product(dnn_call *call, product *p, ob_err *err)
{
    dnn_plan *plan = call->plan;
    dnn_request request = {.kind = DNN_MATMUL};
    dnn_binding bindings[4];
    dnn_view term;
    int count = 0;
    const bool bytes = dnn_is_byte(p->out.dtype);
    if (!bytes && !dnn_is_float(p->out.dtype))
        return dnn_refuse(call, err, "oneDNN only multiplies 8-bit integers");
    OB_TRY(prepare_factor(plan, &p->a, err));
    OB_TRY(prepare_factor(plan, &p->b, err));
    if (bytes && !plan->library_integers)
        return emit_byte_product(call, p, err);
    OB_TRY(choose_layouts(plan, p, &p->out, &request, err));
    const bool weights = has_weights(plan, p);
    request.scale = (float)p->alpha;
    bindings[count++] = (dnn_binding){DNN_SRC, &p->a, false, false};
    bindings[count++] = (dnn_binding){DNN_WEIGHTS, &p->b, false, weights};
    OB_TRY(add_term(call, p, &term, &request, bindings, &count, err));
    bindings[count++] = (dnn_binding){DNN_DST, &p->out, true, false};
    return dnn_plan_emit(plan, &request, bindings, count, NULL, err);
}

static product product_of(const dnn_call *call, const char *a, const char *b)
{
    return (product){.a = dnn_arg_view(call, a),
                     .b = dnn_arg_view(call, b),
                     .add = {.group = DNN_NONE_ID},
                     .out = dnn_output(call, 0),
                     .alpha = dnn_arg_double(call, "alpha", 1),
                     .beta = dnn_arg_double(call, "beta", 1)};
}

static ob_status plan_mm(dnn_call *call, ob_err *err)
{
    product p = product_of(call, "self", "mat2");
    return emit_product(call, &p, err);
}

static ob_status plan_addmm(dnn_call *call, ob_err *err)
{
    product p = product_of(call, "mat1", "mat2");
    p.add = dnn_arg_view(call, "self");
    return emit_product(call, &p, err);
}

static ob_status plan_baddbmm(dnn_call *call, ob_err *err)
{
    product p = product_of(call, "batch1", "batch2");
    p.add = dnn_arg_view(call, "self");
    return emit_product(call, &p, err);
}

/* A vector as a matrix of one column. */
static ob_status plan_mv(dnn_call *call, ob_err *err)
{
    const bool adds = call->kernel->variant != 0;
    product p = product_of(call, adds ? "mat" : "self", "vec");
    p.b = dnn_view_insert_dim(&p.b, 1);
    p.out = dnn_view_insert_dim(&p.out, 1);
    if (adds) {
        p.add = dnn_arg_view(call, "self");
        dnn_view_pad_dims(&p.add, 1);
        p.add = dnn_view_insert_dim(&p.add, 1);
    }
    return emit_product(call, &p, err);
}

static ob_status plan_dot(dnn_call *call, ob_err *err)
{
    static const int64_t one[] = {1, 1};
    product p = product_of(call, "self", "tensor");
    p.a = dnn_view_insert_dim(&p.a, 0);
    p.b = dnn_view_insert_dim(&p.b, 1);
    dnn_view_reshape(&p.out, 2, one);
    return emit_product(call, &p, err);
}

static ob_status plan_outer(dnn_call *call, ob_err *err)
{
    product p = product_of(call, "self", "vec2");
    p.a = dnn_view_insert_dim(&p.a, 1);
    p.b = dnn_view_insert_dim(&p.b, 0);
    return emit_product(call, &p, err);
}

/* The weight's place is known here, so that it can be brought into its layout once. */
static ob_status plan_linear(dnn_call *call, ob_err *err)
{
    product p = product_of(call, "input", "weight");
    p.add = dnn_arg_view(call, "bias");
    p.weights = true;
    if (p.b.ndim == 1) {
        p.b = dnn_view_insert_dim(&p.b, 0);
        p.out = dnn_view_insert_dim(&p.out, p.out.ndim);
    }
    const dnn_view weight = p.b;
    p.b.sizes[0] = weight.sizes[1], p.b.sizes[1] = weight.sizes[0];
    p.b.strides[0] = weight.strides[1], p.b.strides[1] = weight.strides[0];
    if (p.a.ndim == 1) {
        p.a = dnn_view_insert_dim(&p.a, 0);
        p.out = dnn_view_insert_dim(&p.out, 0);
    }
    const int64_t n = dnn_view_numel(&p.a) / p.a.sizes[p.a.ndim - 1];
    const int64_t rows[] = {n, p.a.sizes[p.a.ndim - 1]}, results[] = {n, p.b.sizes[1]};
    if (p.a.ndim > 2 && !dnn_view_reshape(&p.a, 2, rows)) {
        dnn_view dense;
        OB_TRY(dnn_plan_temporary(call->plan, p.a.dtype, p.a.ndim, p.a.sizes, &dense, err));
        OB_TRY(dnn_emit_copy(call->plan, &dense, &p.a, err));
        p.a = dense;
        dnn_view_reshape(&p.a, 2, rows);
    }
    if (!dnn_view_reshape(&p.out, 2, results))
        return dnn_refuse(call, err, "the result cannot be seen as a matrix");
    return emit_product(call, &p, err);
}

const dnn_kernel dnn_kernels_matmul[] = {
    {.name = "aten::mm", .plan = plan_mm, .sums = true},
    {.name = "aten::bmm", .plan = plan_mm, .sums = true},
    {.name = "aten::addmm", .plan = plan_addmm, .in_place = true},
    {.name = "aten::baddbmm", .plan = plan_baddbmm, .in_place = true},
    {.name = "aten::mv", .plan = plan_mv, .sums = true},
    {.name = "aten::addmv", .plan = plan_mv, .variant = 1},
    {.name = "aten::dot", .plan = plan_dot, .sums = true},
    {.name = "aten::outer", .plan = plan_outer},
    {.name = "aten::linear", .plan = plan_linear},
    {.name = NULL},
};
