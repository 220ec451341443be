/* SPDX-License-Identifier: Apache-2.0
 *
 * Embeddings: look-ups, bags and their gradients; see embedding.cl.
 */
#include "work.h"

#include <stdio.h>

enum { BLOCK = 16 }; /* as embedding.cl has it */
enum { MODE_SUM = 0, MODE_MEAN = 1, MODE_MAX = 2 };

/* As embedding.cl has it. */
typedef struct table {
    cl_long rows, width, count, bags, offsets, padding;
    cl_long weight, row_stride, column_stride;
    cl_long out, indices, starts, factors, map, sizes, maxima, grad;
    cl_long with_map;
} table;

static ob_dtype compute_of(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F64 ? OB_DTYPE_F64 : OB_DTYPE_F32;
}

/* Work-items for blocks of columns, and `rows` of them. */
static ocl_range blocks(const ob_kit_env *env, int64_t width, int64_t rows)
{
    ocl_range range = ocl_range_of(env, (width + BLOCK - 1) / BLOCK);
    range.dims = 2;
    range.global[1] = (size_t)rows;
    range.local[1] = 1;
    while (range.local[0] * range.local[1] * 2 <= 64 && (int64_t)range.local[1] * 2 <= rows)
        range.local[1] *= 2;
    return range;
}

/* ---- look-up ---- */

static ob_status setup_lookup(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *weight = ob_kit_arg_tensor(call, "weight"), *out = ob_kit_output(call, 0);
    ob_tensor indices;
    char options[96];
    ocl_maker m;
    ocl_builder builder;
    OB_TRY(ocl_maker_open(call, &m, err));
    if (ob_kit_numel(out) == 0)
        return OB_OK;
    OB_TRY(ocl_dense_read(&m, ob_kit_arg_tensor(call, "indices"), OB_DTYPE_I64, &indices, err));
    const table t = {.rows = weight->sizes[0],
                     .width = weight->sizes[1],
                     .count = ob_kit_numel(&indices),
                     .weight = weight->offset,
                     .row_stride = weight->strides[0],
                     .column_stride = weight->strides[1],
                     .out = out->offset,
                     .indices = indices.offset};
    snprintf(options, sizeof options, "-DLOOKUP -DC=int -DTW=%s",
             ocl_bytes_type(&m, weight->dtype));
    const ocl_spec spec = {"embedding", options, NULL, "lookup"};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    ocl_put_tensor(&builder, out);
    ocl_put_tensor(&builder, weight);
    ocl_put_tensor(&builder, &indices);
    ocl_put(&builder, &t, sizeof t);
    ocl_put_fault(&builder, "indices");
    const ocl_range range = blocks(m.env, t.width, t.count);
    return ocl_end(&builder, &range, err);
}

/* ---- gradient of a table ---- */

typedef struct scatter {
    const ob_tensor *out;
    ob_tensor dense, grad, indices, map, sizes, factors;
    bool bags, with_factors, by_frequency;
    int64_t mode;
    table t;
} scatter;

static ob_status add_counts(ocl_maker *m, const scatter *s, const char *options, ocl_buffer *counts,
                            ob_err *err)
{
    ocl_builder builder;
    const ocl_spec clear = {"embedding", options, NULL, "clear"};
    OB_TRY(ocl_begin(m, &clear, &builder, err));
    ocl_put_buffer(&builder, counts);
    ocl_put_long(&builder, s->t.rows);
    ocl_range range = ocl_range_of(m->env, s->t.rows);
    OB_TRY(ocl_end(&builder, &range, err));
    const ocl_spec count = {"embedding", options, NULL, "count"};
    OB_TRY(ocl_begin(m, &count, &builder, err));
    ocl_put_tensor(&builder, &s->indices);
    ocl_put_buffer(&builder, counts);
    ocl_put(&builder, &s->t, sizeof s->t);
    range = ocl_range_of(m->env, s->t.count);
    return ocl_end(&builder, &range, err);
}

static ob_status add_scatter(ocl_maker *m, const scatter *s, ob_err *err)
{
    const ob_dtype compute = compute_of(s->out->dtype);
    char options[160];
    ocl_buffer *sums, *counts;
    ocl_builder builder;
    OB_TRY(
        ocl_temporary(m, (size_t)(s->t.rows * s->t.width) * ocl_compute_size(compute), &sums, err));
    OB_TRY(ocl_temporary(m, (size_t)s->t.rows * sizeof(cl_int), &counts, err));
    snprintf(options, sizeof options, "-DSCATTER -DC=%s -DTW=%s -DTG=%s -DMODE=%d%s%s%s",
             ocl_compute_type(compute), ocl_dtype_name(m, s->dense.dtype),
             ocl_dtype_name(m, s->grad.dtype), (int)s->mode, s->bags ? " -DBAGS" : "",
             s->with_factors ? " -DFACTORS" : "", s->by_frequency ? " -DBY_FREQUENCY" : "");
    if (s->by_frequency && s->t.count > 0)
        OB_TRY(add_counts(m, s, options, counts, err));
    const ocl_spec spec = {"embedding", options, NULL, "scatter"};
    OB_TRY(ocl_begin(m, &spec, &builder, err));
    ocl_put_tensor(&builder, &s->dense);
    ocl_put_buffer(&builder, sums);
    ocl_put_tensor(&builder, &s->grad);
    ocl_put_tensor(&builder, &s->indices);
    ocl_put_tensor(&builder, s->bags ? &s->map : &s->indices);
    ocl_put_tensor(&builder, s->bags ? &s->sizes : &s->indices);
    if (s->with_factors)
        ocl_put_tensor(&builder, &s->factors);
    else
        ocl_put_buffer(&builder, sums);
    ocl_put_buffer(&builder, counts);
    ocl_put(&builder, &s->t, sizeof s->t);
    ocl_put_fault(&builder, "indices");
    const ocl_range range = ocl_range_of(m->env, (s->t.width + BLOCK - 1) / BLOCK);
    OB_TRY(ocl_end(&builder, &range, err));
    return ocl_dense_back(m, s->out, &s->dense, err);
}

static ob_status start_scatter(ob_kit_call *call, ocl_maker *m, const char *grad, scatter *s,
                               ob_err *err)
{
    *s = (scatter){.out = ob_kit_output(call, 0),
                   .by_frequency = ob_kit_arg_bool(call, "scale_grad_by_freq", false),
                   .mode = ob_kit_arg_int(call, "mode", MODE_SUM)};
    OB_TRY(ocl_maker_open(call, m, err));
    const ob_tensor *gradient = ob_kit_arg_tensor(call, grad);
    OB_TRY(ocl_dense_read(m, ob_kit_arg_tensor(call, "indices"), OB_DTYPE_I64, &s->indices, err));
    OB_TRY(ocl_dense_read(m, gradient, gradient->dtype, &s->grad, err));
    OB_TRY(ocl_dense_write(m, s->out, s->out->dtype, &s->dense, err));
    s->t = (table){.rows = s->out->sizes[0],
                   .width = s->out->sizes[1],
                   .count = ob_kit_numel(&s->indices),
                   .padding = ob_kit_arg_int(call, "padding_idx", -1),
                   .out = s->dense.offset,
                   .indices = s->indices.offset,
                   .grad = s->grad.offset};
    return OB_OK;
}

static ob_status setup_scatter(ob_kit_call *call, ob_err *err)
{
    ocl_maker m;
    scatter s;
    OB_TRY(start_scatter(call, &m, "grad_output", &s, err));
    if (ob_kit_numel(&s.grad) != s.t.count * s.t.width)
        return call->host->err_set(err, OB_ERR_INVALID,
                                   "%s: grad_output must have one row of %lld elements per index",
                                   call->kernel->name, (long long)s.t.width);
    return s.t.rows * s.t.width > 0 ? add_scatter(&m, &s, err) : OB_OK;
}

/* ---- bags ---- */

static ob_status add_maps(ocl_maker *m, const table *t, const char *options,
                          const ob_tensor *const *tensors, ob_err *err)
{
    ocl_builder builder;
    const ocl_spec spec = {"embedding", options, NULL, "maps"};
    if (t->bags == 0)
        return OB_OK;
    OB_TRY(ocl_begin(m, &spec, &builder, err));
    for (int i = 0; i < 4; i++)
        ocl_put_tensor(&builder, tensors[i]);
    ocl_put(&builder, t, sizeof *t);
    const ocl_range range = ocl_range_of(m->env, t->bags);
    return ocl_end(&builder, &range, err);
}

typedef struct bags {
    const ob_tensor *weight, *outputs[4];
    ob_tensor indices, starts, factors, dense[4];
    bool with_factors;
    int64_t mode;
} bags;

static ob_status read_bags(ob_kit_call *call, ocl_maker *m, bags *b, ob_err *err)
{
    const ob_tensor *factors = ob_kit_arg_tensor(call, "per_sample_weights");
    b->weight = ob_kit_arg_tensor(call, "weight");
    b->mode = ob_kit_arg_int(call, "mode", MODE_SUM);
    b->with_factors = factors != NULL;
    OB_TRY(ocl_dense_read(m, ob_kit_arg_tensor(call, "indices"), OB_DTYPE_I64, &b->indices, err));
    OB_TRY(ocl_dense_read(m, ob_kit_arg_tensor(call, "offsets"), OB_DTYPE_I64, &b->starts, err));
    if (factors != NULL)
        OB_TRY(ocl_dense_read(m, factors, compute_of(b->weight->dtype), &b->factors, err));
    for (size_t i = 0; i < 4; i++) {
        b->outputs[i] = ob_kit_output(call, i);
        OB_TRY(ocl_dense_write(m, b->outputs[i], i == 0 ? b->weight->dtype : OB_DTYPE_I64,
                               &b->dense[i], err));
    }
    return OB_OK;
}

static ob_status setup_bags(ob_kit_call *call, ob_err *err)
{
    const ob_value zero = ob_value_int(0);
    char options[128];
    ocl_maker m;
    ocl_builder builder;
    bags b = {.mode = 0};
    OB_TRY(ocl_maker_open(call, &m, err));
    OB_TRY(read_bags(call, &m, &b, err));
    const table t = {.rows = b.weight->sizes[0],
                     .width = b.weight->sizes[1],
                     .count = ob_kit_numel(&b.indices),
                     .bags = b.outputs[0]->sizes[0],
                     .offsets = ob_kit_numel(&b.starts),
                     .padding = ob_kit_arg_int(call, "padding_idx", -1),
                     .weight = b.weight->offset,
                     .row_stride = b.weight->strides[0],
                     .column_stride = b.weight->strides[1],
                     .out = b.dense[0].offset,
                     .indices = b.indices.offset,
                     .starts = b.starts.offset,
                     .factors = b.factors.offset,
                     .map = b.dense[1].offset,
                     .sizes = b.dense[2].offset,
                     .maxima = b.dense[3].offset,
                     .with_map = ob_kit_numel(b.outputs[1]) > 0};
    OB_TRY(ocl_fill_add(&m, &b.dense[1], &zero, err));
    OB_TRY(ocl_fill_add(&m, &b.dense[3], &zero, err));
    snprintf(options, sizeof options, "-DC=%s -DTW=%s -DMODE=%d%s",
             ocl_compute_type(compute_of(b.weight->dtype)), ocl_dtype_name(&m, b.weight->dtype),
             (int)b.mode, b.with_factors ? " -DFACTORS" : "");
    const ob_tensor *const tensors[] = {&b.indices, &b.starts, &b.dense[1], &b.dense[2]};
    OB_TRY(add_maps(&m, &t, options, tensors, err));
    if (ob_kit_numel(b.outputs[0]) > 0) {
        const ocl_spec spec = {"embedding", options, NULL, "bag"};
        OB_TRY(ocl_begin(&m, &spec, &builder, err));
        ocl_put_tensor(&builder, &b.dense[0]);
        ocl_put_tensor(&builder, b.weight);
        ocl_put_tensor(&builder, &b.indices);
        ocl_put_tensor(&builder, &b.starts);
        ocl_put_tensor(&builder, b.with_factors ? &b.factors : b.weight);
        ocl_put_tensor(&builder, &b.dense[3]);
        ocl_put(&builder, &t, sizeof t);
        ocl_put_fault(&builder, "indices");
        const ocl_range range = blocks(m.env, t.width, t.bags);
        OB_TRY(ocl_end(&builder, &range, err));
    }
    for (size_t i = 0; i < 4; i++)
        OB_TRY(ocl_dense_back(&m, b.outputs[i], &b.dense[i], err));
    return OB_OK;
}

/* ---- gradient of bags ---- */

static ob_status add_spread(ocl_maker *m, const scatter *s, const ob_tensor *maxima, ob_err *err)
{
    const ob_dtype compute = compute_of(s->out->dtype);
    char options[96];
    ocl_buffer *sums;
    ocl_builder builder;
    OB_TRY(
        ocl_temporary(m, (size_t)(s->t.rows * s->t.width) * ocl_compute_size(compute), &sums, err));
    snprintf(options, sizeof options, "-DSPREAD -DC=%s -DTW=%s -DTG=%s", ocl_compute_type(compute),
             ocl_dtype_name(m, s->dense.dtype), ocl_dtype_name(m, s->grad.dtype));
    const ocl_spec spec = {"embedding", options, NULL, "spread"};
    OB_TRY(ocl_begin(m, &spec, &builder, err));
    ocl_put_tensor(&builder, &s->dense);
    ocl_put_buffer(&builder, sums);
    ocl_put_tensor(&builder, &s->grad);
    ocl_put_tensor(&builder, maxima);
    ocl_put_tensor(&builder, &s->sizes);
    ocl_put(&builder, &s->t, sizeof s->t);
    const ocl_range range = ocl_range_of(m->env, s->t.width);
    OB_TRY(ocl_end(&builder, &range, err));
    return ocl_dense_back(m, s->out, &s->dense, err);
}

static ob_status setup_bag_backward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *factors = ob_kit_arg_tensor(call, "per_sample_weights");
    const ob_tensor *map = ob_kit_arg_tensor(call, "offset2bag");
    ob_tensor maxima;
    ocl_maker m;
    scatter s;
    OB_TRY(start_scatter(call, &m, "grad", &s, err));
    s.bags = true;
    s.t.bags = s.grad.ndim == 2 ? s.grad.sizes[0] : 0;
    if (s.mode != MODE_MAX && ob_kit_numel(map) != s.t.count)
        return call->host->err_set(
            err, OB_ERR_INVALID,
            "%s: offset2bag does not match; give what the forward pass returned",
            call->kernel->name);
    if (s.t.rows * s.t.width == 0)
        return OB_OK;
    OB_TRY(ocl_dense_read(&m, ob_kit_arg_tensor(call, "bag_size"), OB_DTYPE_I64, &s.sizes, err));
    s.t.sizes = s.sizes.offset;
    if (s.mode == MODE_MAX) {
        OB_TRY(ocl_dense_read(&m, ob_kit_arg_tensor(call, "maximum_indices"), OB_DTYPE_I64, &maxima,
                              err));
        s.t.maxima = maxima.offset;
        return add_spread(&m, &s, &maxima, err);
    }
    OB_TRY(ocl_dense_read(&m, map, OB_DTYPE_I64, &s.map, err));
    s.t.map = s.map.offset;
    s.with_factors = factors != NULL;
    if (factors != NULL) {
        OB_TRY(ocl_dense_read(&m, factors, compute_of(s.out->dtype), &s.factors, err));
        s.t.factors = s.factors.offset;
    }
    return add_scatter(&m, &s, err);
}

#define TABLE(op, types, function)                                                                 \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_##types, .setup = (function), .run = ocl_run                \
    }

const ob_kit_kernel ocl_kernels_embedding[] = {
    TABLE("aten::embedding", REALS, setup_lookup),
    TABLE("aten::embedding_dense_backward", FLOATS, setup_scatter),
    TABLE("aten::_embedding_bag", FLOATS, setup_bags),
    TABLE("aten::_embedding_bag_forward_only", FLOATS, setup_bags),
    TABLE("aten::_embedding_bag_dense_backward", FLOATS, setup_bag_backward),
    {.name = NULL},
};
