/* SPDX-License-Identifier: Apache-2.0
 *
 * dnn.h for oneDNN 2.x, whose primitives are made from operation descriptors. 3.x has taken those away and
 * made memory descriptors opaque: a file like this one, chosen in CMakeLists.txt, is what it needs.
 */
#include "dnn.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(DNNL_VERSION_MAJOR) && DNNL_VERSION_MAJOR != 2
#error "backends/onednn/dnnl_v2.c is for the headers of oneDNN 2.x"
#endif

struct dnn_lib {
    void *handle;
    char path[512], version[32];
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    void (*omp_set_num_threads)(int threads);
    const ob_host *host;
#define DNNL_FUNCTION(name) __typeof__(&name) name;
#include "dnnl_v2.def"
#undef DNNL_FUNCTION
};

struct dnn_layout {
    dnn_layout *next;
    dnnl_memory_desc_t md;
};

struct dnn_desc {
    dnnl_primitive_desc_t pd;
};

struct dnn_exec {
    __typeof__(&dnnl_primitive_execute) execute;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    const ob_host *host;
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
                   (int)DNN_MULTIPLE_SRC == DNNL_ARG_MULTIPLE_SRC &&
                   (int)DNN_POST_OP == DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE,
               "numbers of arguments are the library's");

/* ---- the library ---- */

#define CURE "install libdnnl2, or say with OPBENCH_ONEDNN_LIBRARY where libdnnl.so.2 is"

/* The file that is asked for, else the one that was there when opbench was built, else the linker's choice. */
static const char *library_name(const ob_host *host, const char *path)
{
    if (path != NULL)
        return path;
    return host->shared_object_find(OB_ONEDNN_LIBRARY, NULL, 0) ? OB_ONEDNN_LIBRARY
                                                                : "libdnnl.so.2";
}

static bool find_function(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol); /* C has no cast from an object to a function */
    return symbol != NULL;
}

/* Fills the table; on failure text says why. */
static bool load(dnn_lib *lib, const char *path, char *text, size_t size)
{
    const char *used = library_name(lib->host, path), *missing = NULL;
    ob_err why;
    if (lib->host->shared_object_open(used, &lib->handle, &why) != OB_OK) {
        snprintf(text, size, "%.400s; " CURE, why.message);
        return false;
    }
    snprintf(lib->path, sizeof lib->path, "%s", used);
    if (!find_function(lib->handle, "dnnl_version", &lib->dnnl_version)) {
        snprintf(text, size, "%.120s is not oneDNN: it has no dnnl_version; install libdnnl2",
                 used);
        return false;
    }
    const dnnl_version_t *version = lib->dnnl_version();
    snprintf(lib->version, sizeof lib->version, "%d.%d.%d", version->major, version->minor,
             version->patch);
    if (version->major != DNNL_VERSION_MAJOR || version->minor < DNNL_VERSION_MINOR) {
        snprintf(text, size,
                 "%.100s is oneDNN %s, and this backend was built for 2.x from 2.%d on; "
                 "install libdnnl2",
                 used, lib->version, DNNL_VERSION_MINOR);
        return false;
    }
#define DNNL_FUNCTION(name)                                                                        \
    if (missing == NULL && !find_function(lib->handle, #name, &lib->name))                         \
        missing = #name;
#include "dnnl_v2.def"
#undef DNNL_FUNCTION
    if (missing != NULL) {
        snprintf(text, size, "%.100s (oneDNN %s) has no %s; install libdnnl2", used, lib->version,
                 missing);
        return false;
    }
    find_function(lib->handle, "omp_set_num_threads", &lib->omp_set_num_threads);
    return true;
}

/* A file that is there is opened by those who need it, in a process that may crash. */
ob_status dnn_lib_probe(const ob_host *host, const char *path, ob_reason *why_not)
{
    const char *name = library_name(host, path);
    if (host->shared_object_find(name, NULL, 0))
        return OB_OK;
    snprintf(why_not->text, sizeof why_not->text, "there is no %.120s; " CURE, name);
    return OB_ERR_UNSUPPORTED;
}

ob_status dnn_lib_open(const ob_host *host, const char *path, dnn_lib **out, ob_err *err)
{
    char why[512];
    dnn_lib *lib = calloc(1, sizeof *lib);
    *out = NULL;
    if (lib == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for oneDNN");
    lib->host = host;
    if (!load(lib, path, why, sizeof why)) {
        free(lib);
        return host->err_set(err, OB_ERR_UNSUPPORTED, "backend onednn cannot work here: %s", why);
    }
    if (lib->dnnl_engine_create(&lib->engine, dnnl_cpu, 0) != dnnl_success ||
        lib->dnnl_stream_create(&lib->stream, lib->engine, dnnl_stream_default_flags) !=
            dnnl_success) {
        dnn_lib_close(lib);
        return host->err_set(err, OB_ERR_BACKEND,
                             "oneDNN gives no engine for the CPU; install libdnnl2 again");
    }
    *out = lib;
    return OB_OK;
}

void dnn_lib_close(dnn_lib *lib)
{
    if (lib == NULL)
        return;
    if (lib->stream != NULL)
        lib->dnnl_stream_destroy(lib->stream);
    if (lib->engine != NULL)
        lib->dnnl_engine_destroy(lib->engine);
    free(lib);
}

void dnn_lib_set_threads(const dnn_lib *lib, int threads)
{
    if (lib->omp_set_num_threads != NULL)
        lib->omp_set_num_threads(threads);
}

const char *dnn_lib_version(const dnn_lib *lib)
{
    return lib->version;
}

const char *dnn_lib_path(const dnn_lib *lib)
{
    return lib->path;
}

const char *dnn_lib_isa(const dnn_lib *lib)
{
    static const struct {
        dnnl_cpu_isa_t isa;
        const char *name;
    } names[] = {
        {dnnl_cpu_isa_sse41, "sse41"},
        {dnnl_cpu_isa_avx, "avx"},
        {dnnl_cpu_isa_avx2, "avx2"},
        {dnnl_cpu_isa_avx2_vnni, "avx2_vnni"},
        {dnnl_cpu_isa_avx512_core, "avx512_core"},
        {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
        {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
        {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"},
    };
    const dnnl_cpu_isa_t isa = lib->dnnl_get_effective_cpu_isa();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].isa == isa)
            return names[i].name;
    }
    return "other";
}

bool dnn_lib_adds_bytes_wide(const dnn_lib *lib)
{
    const unsigned isa =
        (unsigned)lib->dnnl_get_effective_cpu_isa(); /* larger ones have more bits */
    const unsigned vnni = dnnl_cpu_isa_avx512_core_vnni;
    return isa == dnnl_cpu_isa_avx2_vnni || (isa & vnni) == vnni;
}

const char *dnn_lib_threading(const dnn_lib *lib)
{
    return lib->omp_set_num_threads != NULL ? "OpenMP" : "not OpenMP: threads cannot be set";
}

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
    const dnnl_status_t status =
        strides == NULL
            ? lib->dnnl_memory_desc_init_by_tag(&layout->md, dims, ndim > 0 ? sizes : one, type,
                                                dnnl_format_tag_any)
            : lib->dnnl_memory_desc_init_by_strides(&layout->md, dims, ndim > 0 ? sizes : one, type,
                                                    ndim > 0 ? strides : one);
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

static bool is_plain(const dnnl_memory_desc_t *md)
{
    bool plain = md->format_kind == dnnl_blocked && md->format_desc.blocking.inner_nblks == 0 &&
                 md->extra.flags == 0 && md->offset0 == 0;
    for (int d = 0; plain && d < md->ndims; d++)
        plain = md->padded_dims[d] == md->dims[d];
    return plain;
}

/* Strides of dimensions of size 1 mean nothing, but the library compares them. */
bool dnn_layout_equal(const dnn_lib *lib, const dnn_layout *a, const dnn_layout *b)
{
    if (lib->dnnl_memory_desc_equal(&a->md, &b->md) != 0)
        return true;
    bool same = is_plain(&a->md) && is_plain(&b->md) && a->md.ndims == b->md.ndims &&
                a->md.data_type == b->md.data_type;
    for (int d = 0; same && d < a->md.ndims; d++)
        same = a->md.dims[d] == b->md.dims[d] &&
               (a->md.dims[d] == 1 ||
                a->md.format_desc.blocking.strides[d] == b->md.format_desc.blocking.strides[d]);
    return same;
}

size_t dnn_layout_bytes(const dnn_lib *lib, const dnn_layout *layout)
{
    return lib->dnnl_memory_desc_get_size(&layout->md);
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

static const dnnl_memory_desc_t *md_of(const dnn_layout *layout)
{
    return layout != NULL ? &layout->md : NULL;
}

static unsigned norm_flags(const dnn_request *r)
{
    return (r->global_stats ? dnnl_use_global_stats : 0u) | (r->use_scale ? dnnl_use_scale : 0u) |
           (r->use_shift ? dnnl_use_shift : 0u);
}

static dnnl_status_t init_windows(const dnn_lib *lib, const dnn_request *r, op_desc *op)
{
    const dnnl_prop_kind_t prop = r->training ? dnnl_forward_training : dnnl_forward_inference;
    const dnnl_alg_kind_t conv = dnnl_convolution_direct, deconv = dnnl_deconvolution_direct;
    const dnnl_alg_kind_t pool = ALGORITHMS[r->algorithm].kind;
    const dnnl_memory_desc_t *src = md_of(r->src), *weights = md_of(r->weights),
                             *bias = md_of(r->bias), *dst = md_of(r->dst);
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
    const dnnl_alg_kind_t algorithm = ALGORITHMS[r->algorithm].kind;
    const dnnl_memory_desc_t *src = md_of(r->src), *weights = md_of(r->weights),
                             *dst = md_of(r->dst), *diff = md_of(r->diff);
    /* Without a scale and a shift only the gradient of the data is computed. */
    const dnnl_prop_kind_t back = r->use_scale || r->use_shift ? dnnl_backward : dnnl_backward_data;
    switch (r->kind) {
    case DNN_MATMUL:
        return lib->dnnl_matmul_desc_init(&op->matmul, src, weights, md_of(r->bias), dst);
    case DNN_BATCH_NORM:
        return lib->dnnl_batch_normalization_forward_desc_init(&op->batch_norm, prop, src,
                                                               r->epsilon, norm_flags(r));
    case DNN_BATCH_NORM_BACKWARD:
        return lib->dnnl_batch_normalization_backward_desc_init(&op->batch_norm, back, diff, src,
                                                                r->epsilon, norm_flags(r));
    case DNN_LAYER_NORM: /* weights: the layout of mean and variance */
        return lib->dnnl_layer_normalization_forward_desc_init(&op->layer_norm, prop, src, weights,
                                                               r->epsilon, norm_flags(r));
    case DNN_LAYER_NORM_BACKWARD:
        return lib->dnnl_layer_normalization_backward_desc_init(&op->layer_norm, back, diff, src,
                                                                weights, r->epsilon, norm_flags(r));
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

static bool is_eltwise(dnn_algorithm algorithm)
{
    return algorithm >= DNN_RELU && algorithm < DNN_POOL_MAX;
}

static dnnl_status_t add_post_ops(const dnn_lib *lib, const dnn_request *r,
                                  dnnl_primitive_attr_t attr)
{
    dnnl_post_ops_t ops;
    dnnl_status_t status = lib->dnnl_post_ops_create(&ops);
    if (status != dnnl_success)
        return status;
    for (int i = 0; status == dnnl_success && i < r->post_op_count; i++) {
        const dnn_post_op *op = &r->post_ops[i];
        if (op->algorithm == DNN_NONE)
            status = lib->dnnl_post_ops_append_sum(ops, op->alpha);
        else if (is_eltwise(op->algorithm))
            status = lib->dnnl_post_ops_append_eltwise(ops, 1, ALGORITHMS[op->algorithm].kind,
                                                       op->alpha, op->beta);
        else
            status = lib->dnnl_post_ops_append_binary(ops, ALGORITHMS[op->algorithm].kind,
                                                      &op->layout->md);
    }
    if (status == dnnl_success)
        status = lib->dnnl_primitive_attr_set_post_ops(attr, ops);
    lib->dnnl_post_ops_destroy(ops);
    return status;
}

static dnnl_status_t set_attributes(const dnn_lib *lib, const dnn_request *r,
                                    dnnl_primitive_attr_t attr)
{
    dnnl_status_t status =
        lib->dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    if (status == dnnl_success && r->scale != 0 && r->scale != 1)
        status = lib->dnnl_primitive_attr_set_output_scales(attr, 1, 0, &r->scale);
    for (int i = 0; status == dnnl_success && i < 2; i++) {
        if (r->source_scale[i] != 0 && r->source_scale[i] != 1)
            status = lib->dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC_0 + i, 1, 0,
                                                         &r->source_scale[i]);
    }
    if (status == dnnl_success && r->post_op_count > 0)
        status = add_post_ops(lib, r, attr);
    return status;
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
        pd, md_of(r->dst), r->source_count, r->axis, sources, attr, lib->engine);
    free(sources);
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
    op_desc op;
    if (r->kind == DNN_REORDER)
        return lib->dnnl_reorder_primitive_desc_create(pd, md_of(r->src), lib->engine,
                                                       md_of(r->dst), lib->engine, attr);
    if (r->kind == DNN_CONCAT)
        return describe_concat(lib, r, attr, pd);
    if (r->hint == NULL && forward_of(r, &forward))
        status = describe(lib, &forward, attr, &hint);
    if (status == dnnl_success)
        status = init_op(lib, r, &op);
    if (status == dnnl_success)
        status = lib->dnnl_primitive_desc_create(pd, &op, attr, lib->engine,
                                                 r->hint != NULL ? r->hint->pd : hint);
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
        status = set_attributes(lib, request, attr);
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

const dnn_layout *dnn_desc_layout(const dnn_lib *lib, dnn_pool *pool, const dnn_desc *desc, int arg)
{
    const dnnl_memory_desc_t *md =
        arg == DNN_SCRATCHPAD
            ? lib->dnnl_primitive_desc_query_md(desc->pd, dnnl_query_scratchpad_md, 0)
            : lib->dnnl_primitive_desc_query_md(desc->pd, dnnl_query_exec_arg_md, arg);
    if (md == NULL || md->ndims == 0)
        return NULL;
    dnn_layout *layout = new_layout(pool);
    if (layout != NULL)
        layout->md = *md;
    return layout;
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
    dnn_exec *exec = calloc(1, sizeof *exec + (size_t)count * sizeof *exec->args);
    *out = NULL;
    if (exec == NULL)
        return lib->host->err_set(err, OB_ERR_NOMEM, "out of memory for a primitive");
    exec->execute = lib->dnnl_primitive_execute;
    exec->stream = lib->stream;
    exec->host = lib->host;
    dnnl_status_t status = lib->dnnl_primitive_create(&exec->primitive, desc->pd);
    for (int i = 0; status == dnnl_success && i < count; i++) {
        exec->args[i].arg = args[i].arg;
        status = lib->dnnl_memory_create(&exec->args[i].memory, &args[i].layout->md, lib->engine,
                                         args[i].data);
        exec->count += status == dnnl_success;
    }
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
