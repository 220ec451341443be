/* SPDX-License-Identifier: Apache-2.0
 *
 * Layouts, the choice of primitives and their execution, as far as all versions of the library do it alike.
 */
#include "dnnl.h"

#include <stdlib.h>

struct dnn_exec {
    __typeof__(&dnnl_primitive_execute) execute;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    const ob_host *host;
    float scales[DNN_OWN_ARGS];
    int count;
    dnnl_exec_arg_t args[];
};

_Static_assert((int)DNN_SRC == DNNL_ARG_SRC && (int)DNN_SRC_1 == DNNL_ARG_SRC_1 &&
                   (int)DNN_DST == DNNL_ARG_DST && (int)DNN_WEIGHTS == DNNL_ARG_WEIGHTS &&
                   (int)DNN_BIAS == DNNL_ARG_BIAS && (int)DNN_MEAN == DNNL_ARG_MEAN &&
                   (int)DNN_VARIANCE == DNNL_ARG_VARIANCE && (int)DNN_SCALE == DNNL_ARG_SCALE &&
                   (int)DNN_SHIFT == DNNL_ARG_SHIFT && (int)DNN_WORKSPACE == DNNL_ARG_WORKSPACE &&
                   (int)DNN_SCRATCHPAD == DNNL_ARG_SCRATCHPAD &&
                   (int)DNN_DIFF_SRC == DNNL_ARG_DIFF_SRC &&
                   (int)DNN_DIFF_DST == DNNL_ARG_DIFF_DST &&
                   (int)DNN_DIFF_WEIGHTS == DNNL_ARG_DIFF_WEIGHTS &&
                   (int)DNN_DIFF_BIAS == DNNL_ARG_DIFF_BIAS &&
                   (int)DNN_DIFF_SCALE == DNNL_ARG_DIFF_SCALE &&
                   (int)DNN_DIFF_SHIFT == DNNL_ARG_DIFF_SHIFT &&
                   (int)DNN_MULTIPLE_SRC == DNNL_ARG_MULTIPLE_SRC,
               "numbers of arguments are the library's");

/* ---- layouts ---- */

static bool type_of(ob_dtype dtype, dnnl_data_type_t *out)
{
    switch (dtype) {
    case OB_DTYPE_F32:
        *out = dnnl_f32;
        return true;
    case OB_DTYPE_BF16:
        *out = dnnl_bf16;
        return true;
    case OB_DTYPE_F16:
        *out = dnnl_f16;
        return true;
    case OB_DTYPE_I32:
        *out = dnnl_s32;
        return true;
    case OB_DTYPE_I8:
        *out = dnnl_s8;
        return true;
    case OB_DTYPE_U8:
    case OB_DTYPE_BOOL:
        *out = dnnl_u8;
        return true;
    default:
        return false;
    }
}

bool dnn_has_dtype(ob_dtype dtype)
{
    dnnl_data_type_t type;
    return type_of(dtype, &type);
}

/* At the head of the pool; NULL when memory is out. */
static dnn_layout *new_layout(dnn_pool *pool)
{
    dnn_layout *layout = calloc(1, sizeof *layout);
    if (layout == NULL)
        return NULL;
    layout->next = pool->first;
    pool->first = layout;
    return layout;
}

void dnn_pool_fini(dnn_pool *pool)
{
    while (pool->first != NULL) {
        dnn_layout *next = pool->first->next;
        dnn_layout_fini(pool->first);
        free(pool->first);
        pool->first = next;
    }
}

/* A number is a list of one to the library. */
static const dnn_layout *make_layout(const dnn_lib *lib, dnn_pool *pool, ob_dtype dtype, int ndim,
                                     const int64_t *sizes, const int64_t *strides)
{
    static const int64_t one[] = {1};
    dnnl_data_type_t type;
    if (ndim > DNNL_MAX_NDIMS || !type_of(dtype, &type))
        return NULL;
    dnn_layout *layout = new_layout(pool);
    if (layout == NULL)
        return NULL;
    const int dims = ndim > 0 ? ndim : 1;
    const dnnl_status_t status = dnn_layout_init(lib, layout, dims, ndim > 0 ? sizes : one, type,
                                                 strides != NULL && ndim == 0 ? one : strides);
    return status == dnnl_success ? layout : NULL;
}

const dnn_layout *dnn_layout_strided(const dnn_lib *lib, dnn_pool *pool, ob_dtype dtype, int ndim,
                                     const int64_t *sizes, const int64_t *strides)
{
    return make_layout(lib, pool, dtype, ndim, sizes, strides);
}

const dnn_layout *dnn_layout_any(const dnn_lib *lib, dnn_pool *pool, ob_dtype dtype, int ndim,
                                 const int64_t *sizes)
{
    return make_layout(lib, pool, dtype, ndim, sizes, NULL);
}

/* Strides of dimensions of size 1 mean nothing, but the library compares them. */
bool dnn_layout_equal(const dnn_lib *lib, const dnn_layout *a, const dnn_layout *b)
{
    return lib->dnnl_memory_desc_equal(dnn_md_of(a), dnn_md_of(b)) != 0 ||
           dnn_layout_same_strides(lib, a, b);
}

size_t dnn_layout_bytes(const dnn_lib *lib, const dnn_layout *layout)
{
    return lib->dnnl_memory_desc_get_size(dnn_md_of(layout));
}

/* ---- descriptors ---- */

static const struct {
    dnnl_alg_kind_t kind;
} ALGORITHMS[] = {
#define ALGORITHM_ROW(id, name) {dnnl_##name},
#define dnnl_undef dnnl_alg_kind_undef
    DNN_ALGORITHM_MAP(ALGORITHM_ROW)
#undef dnnl_undef
#undef ALGORITHM_ROW
};

dnnl_alg_kind_t dnn_algorithm_kind(dnn_algorithm algorithm)
{
    return ALGORITHMS[algorithm].kind;
}

unsigned dnn_norm_flags(const dnn_request *r)
{
    return (r->global_stats ? dnnl_use_global_stats : 0u) | (r->use_scale ? dnnl_use_scale : 0u) |
           (r->use_shift ? dnnl_use_shift : 0u);
}

static bool is_eltwise(dnn_algorithm algorithm)
{
    return algorithm >= DNN_RELU && algorithm < DNN_POOL_MAX;
}

static dnnl_status_t add_post_ops(const dnn_lib *lib, const dnn_request *r, dnnl_post_ops_t ops)
{
    dnnl_status_t status = dnnl_success;
    for (int i = 0; status == dnnl_success && i < r->post_op_count; i++) {
        const dnn_post_op *op = &r->post_ops[i];
        if (op->algorithm == DNN_NONE)
            status = dnn_append_sum(lib, ops, op->alpha);
        else if (is_eltwise(op->algorithm))
            status = dnn_append_eltwise(lib, ops, op->algorithm, op->alpha, op->beta);
        else
            status = lib->dnnl_post_ops_append_binary(ops, dnn_algorithm_kind(op->algorithm),
                                                      dnn_md_of(op->layout));
    }
    return status;
}

static dnnl_status_t set_attributes(const dnn_lib *lib, const dnn_request *r,
                                    dnnl_primitive_attr_t attr, dnn_desc *desc)
{
    dnnl_post_ops_t ops;
    dnnl_status_t status =
        lib->dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    if (status == dnnl_success)
        status = lib->dnnl_post_ops_create(&ops);
    if (status != dnnl_success)
        return status;
    status = dnn_set_scales(lib, r, attr, ops, desc);
    if (status == dnnl_success)
        status = add_post_ops(lib, r, ops);
    if (status == dnnl_success)
        status = lib->dnnl_primitive_attr_set_post_ops(attr, ops);
    lib->dnnl_post_ops_destroy(ops);
    return status;
}

/* The forward that a backward is the backward of; 0 when the kind is no backward. */
static bool forward_of(const dnn_request *r, dnn_request *forward)
{
    *forward = *r;
    forward->training = true;
    forward->post_op_count = 0;
    forward->scale = 0;
    switch (r->kind) {
    case DNN_CONV_BACKWARD_DATA:
    case DNN_CONV_BACKWARD_WEIGHTS:
        forward->kind = DNN_CONV;
        return true;
    case DNN_DECONV_BACKWARD_DATA:
    case DNN_DECONV_BACKWARD_WEIGHTS:
        forward->kind = DNN_DECONV;
        return true;
    case DNN_POOL_BACKWARD:
        forward->kind = DNN_POOL;
        return true;
    case DNN_BATCH_NORM_BACKWARD:
        forward->kind = DNN_BATCH_NORM;
        return true;
    case DNN_LAYER_NORM_BACKWARD:
        forward->kind = DNN_LAYER_NORM;
        return true;
    case DNN_SOFTMAX_BACKWARD:
        forward->kind = DNN_SOFTMAX;
        return true;
    case DNN_ELTWISE_BACKWARD:
        forward->kind = DNN_ELTWISE;
        return true;
    default:
        return false;
    }
}

static dnnl_status_t describe(const dnn_lib *lib, const dnn_request *r, dnnl_primitive_attr_t attr,
                              dnnl_primitive_desc_t *pd)
{
    dnn_request forward;
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = dnnl_success;
    if (r->kind == DNN_REORDER)
        return lib->dnnl_reorder_primitive_desc_create(pd, dnn_md_of(r->src), lib->engine,
                                                       dnn_md_of(r->dst), lib->engine, attr);
    if (r->hint == NULL && forward_of(r, &forward))
        status = describe(lib, &forward, attr, &hint);
    if (status == dnnl_success)
        status = dnn_create_pd(lib, r, attr, r->hint != NULL ? r->hint->pd : hint, pd);
    if (hint != NULL)
        lib->dnnl_primitive_desc_destroy(hint);
    return status;
}

static ob_status explain(const dnn_lib *lib, dnn_kind kind, dnnl_status_t status, ob_err *err)
{
    if (status == dnnl_out_of_memory)
        return lib->host->err_set(err, OB_ERR_NOMEM, "oneDNN is out of memory for a %s",
                                  dnn_kind_name(kind));
    return lib->host->err_set(err, OB_ERR_UNSUPPORTED,
                              "oneDNN %s has no %s for these dtypes, shapes and layouts; use "
                              "another dtype or backend",
                              lib->version, dnn_kind_name(kind));
}

ob_status dnn_describe(const dnn_lib *lib, const dnn_request *request, dnn_desc **out, ob_err *err)
{
    dnnl_primitive_attr_t attr = NULL;
    dnn_desc *desc = calloc(1, sizeof *desc);
    *out = NULL;
    dnnl_status_t status = desc != NULL ? dnnl_success : dnnl_out_of_memory;
    if (status == dnnl_success)
        status = lib->dnnl_primitive_attr_create(&attr);
    if (status == dnnl_success)
        status = set_attributes(lib, request, attr, desc);
    if (status == dnnl_success)
        status = describe(lib, request, attr, &desc->pd);
    if (attr != NULL)
        lib->dnnl_primitive_attr_destroy(attr);
    if (status != dnnl_success) {
        free(desc);
        return explain(lib, request->kind, status, err);
    }
    *out = desc;
    return OB_OK;
}

void dnn_desc_destroy(const dnn_lib *lib, dnn_desc *desc)
{
    if (desc == NULL)
        return;
    lib->dnnl_primitive_desc_destroy(desc->pd);
    free(desc);
}

/* The library's number of an argument; those of post-ops differ between its versions. */
static int number_of(const dnn_desc *desc, int arg)
{
    if (arg < DNN_POST_OP)
        return arg;
    const int index = arg / DNN_POST_OP - 1 + desc->own_post_ops;
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg % DNN_POST_OP;
}

const dnn_layout *dnn_desc_layout(const dnn_lib *lib, dnn_pool *pool, const dnn_desc *desc, int arg)
{
    dnn_md md = arg == DNN_SCRATCHPAD
                    ? lib->dnnl_primitive_desc_query_md(desc->pd, dnnl_query_scratchpad_md, 0)
                    : lib->dnnl_primitive_desc_query_md(desc->pd, dnnl_query_exec_arg_md,
                                                        number_of(desc, arg));
    dnn_layout *layout = md != NULL ? new_layout(pool) : NULL;
    return layout != NULL && dnn_layout_copy(lib, layout, md) ? layout : NULL;
}

int dnn_desc_inputs(const dnn_lib *lib, const dnn_desc *desc)
{
    int count = 0;
    lib->dnnl_primitive_desc_query(desc->pd, dnnl_query_num_of_inputs_s32, 0, &count);
    return count;
}

const char *dnn_desc_implementation(const dnn_lib *lib, const dnn_desc *desc)
{
    const char *name = NULL;
    lib->dnnl_primitive_desc_query(desc->pd, dnnl_query_impl_info_str, 0, (void *)&name);
    return name != NULL ? name : "";
}

/* ---- execution ---- */

ob_status dnn_exec_create(const dnn_lib *lib, const dnn_desc *desc, const dnn_exec_arg *args,
                          int count, dnn_exec **out, ob_err *err)
{
    dnn_exec *exec = calloc(1, sizeof *exec + (size_t)(count + DNN_OWN_ARGS) * sizeof *exec->args);
    *out = NULL;
    if (exec == NULL)
        return lib->host->err_set(err, OB_ERR_NOMEM, "out of memory for a primitive");
    exec->execute = lib->dnnl_primitive_execute;
    exec->stream = lib->stream;
    exec->host = lib->host;
    dnnl_status_t status = lib->dnnl_primitive_create(&exec->primitive, desc->pd);
    for (int i = 0; status == dnnl_success && i < count; i++) {
        exec->args[i].arg = number_of(desc, args[i].arg);
        status = lib->dnnl_memory_create(&exec->args[i].memory, dnn_md_of(args[i].layout),
                                         lib->engine, args[i].data);
        exec->count += status == dnnl_success;
    }
    if (status == dnnl_success)
        status = dnn_bind_scales(lib, desc, exec->scales, exec->args, &exec->count);
    if (status != dnnl_success) {
        dnn_exec_destroy(lib, exec);
        return lib->host->err_set(err, status == dnnl_out_of_memory ? OB_ERR_NOMEM : OB_ERR_BACKEND,
                                  "oneDNN cannot make the primitive (status %d)", (int)status);
    }
    *out = exec;
    return OB_OK;
}

void dnn_exec_destroy(const dnn_lib *lib, dnn_exec *exec)
{
    if (exec == NULL)
        return;
    for (int i = 0; i < exec->count; i++)
        lib->dnnl_memory_destroy(exec->args[i].memory);
    if (exec->primitive != NULL)
        lib->dnnl_primitive_destroy(exec->primitive);
    free(exec);
}

ob_status dnn_exec_run(const dnn_exec *exec, ob_err *err)
{
    const dnnl_status_t status =
        exec->execute(exec->primitive, exec->stream, exec->count, exec->args);
    if (status == dnnl_success)
        return OB_OK;
    return exec->host->err_set(err, OB_ERR_BACKEND, "a primitive of oneDNN failed (status %d)",
                               (int)status);
}
