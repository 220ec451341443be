/* SPDX-License-Identifier: Apache-2.0
 *
 * oneDNN as the rest of the backend sees it: layouts, primitives, memory. Nothing here depends on the
 * library's version; only the files dnnl*.c include its headers.
 *
 * The library is opened at run time, so that a machine without it, or with another version, has a backend
 * that says so.
 */
#ifndef OB_ONEDNN_DNN_H
#define OB_ONEDNN_DNN_H

#include "opbench/plugin.h"

typedef struct dnn_lib dnn_lib;       /* the opened library with its engine and stream */
typedef struct dnn_layout dnn_layout; /* how a tensor lies in memory; lives as long as its pool */
typedef struct dnn_desc dnn_desc;     /* a primitive that was chosen but not made */
typedef struct dnn_exec dnn_exec;     /* a primitive with its arguments, ready to run */

/* Layouts that are freed together. */
typedef struct dnn_pool {
    struct dnn_layout *first;
} dnn_pool;

enum { DNN_MAX_DIMS = 12, DNN_MAX_ARGS = 12, DNN_MAX_POST_OPS = 3 };

/* The library's numbers of arguments, the same in all its versions. */
typedef enum dnn_arg {
    DNN_SRC = 1,
    DNN_SRC_1 = 2,
    DNN_DST = 17,
    DNN_WEIGHTS = 33,
    DNN_BIAS = 41,
    DNN_MEAN = 49,
    DNN_VARIANCE = 50,
    DNN_SCALE = 51,
    DNN_SHIFT = 52,
    DNN_WORKSPACE = 64,
    DNN_SCRATCHPAD = 80,
    DNN_DIFF_SRC = 129,
    DNN_DIFF_DST = 145,
    DNN_DIFF_WEIGHTS = 161,
    DNN_DIFF_BIAS = 169,
    DNN_DIFF_SCALE = 255,
    DNN_DIFF_SHIFT = 256,
    DNN_MULTIPLE_SRC = 1024,
    DNN_POST_OP = 1 << 20, /* ours: times the post-op's number plus one, plus DNN_SRC_1 */
} dnn_arg;

typedef enum dnn_kind {
    DNN_REORDER,
    DNN_MATMUL,
    DNN_CONV,
    DNN_CONV_BACKWARD_DATA,
    DNN_CONV_BACKWARD_WEIGHTS,
    DNN_DECONV,
    DNN_DECONV_BACKWARD_DATA,
    DNN_DECONV_BACKWARD_WEIGHTS,
    DNN_POOL,
    DNN_POOL_BACKWARD,
    DNN_BATCH_NORM,
    DNN_BATCH_NORM_BACKWARD,
    DNN_LAYER_NORM,
    DNN_LAYER_NORM_BACKWARD,
    DNN_SOFTMAX,
    DNN_SOFTMAX_BACKWARD,
    DNN_ELTWISE,
    DNN_ELTWISE_BACKWARD,
    DNN_BINARY,
    DNN_REDUCTION,
    DNN_CONCAT,
    DNN_KIND_COUNT,
} dnn_kind;

/* name, the library's number. */
#define DNN_ALGORITHM_MAP(X)                                                                       \
    X(NONE, undef)                                                                                 \
    X(RELU, eltwise_relu)                                                                          \
    X(TANH, eltwise_tanh)                                                                          \
    X(ELU, eltwise_elu)                                                                            \
    X(SQUARE, eltwise_square)                                                                      \
    X(ABS, eltwise_abs)                                                                            \
    X(SQRT, eltwise_sqrt)                                                                          \
    X(LINEAR, eltwise_linear)                                                                      \
    X(SOFT_RELU, eltwise_soft_relu)                                                                \
    X(LOGISTIC, eltwise_logistic)                                                                  \
    X(EXP, eltwise_exp)                                                                            \
    X(GELU_TANH, eltwise_gelu_tanh)                                                                \
    X(GELU_ERF, eltwise_gelu_erf)                                                                  \
    X(SWISH, eltwise_swish)                                                                        \
    X(LOG, eltwise_log)                                                                            \
    X(CLIP, eltwise_clip)                                                                          \
    X(CLIP_V2, eltwise_clip_v2)                                                                    \
    X(POW, eltwise_pow)                                                                            \
    X(ROUND, eltwise_round)                                                                        \
    X(LOGSIGMOID, eltwise_logsigmoid)                                                              \
    X(MISH, eltwise_mish)                                                                          \
    X(HARDSWISH, eltwise_hardswish)                                                                \
    X(RELU_DST, eltwise_relu_use_dst_for_bwd)                                                      \
    X(TANH_DST, eltwise_tanh_use_dst_for_bwd)                                                      \
    X(ELU_DST, eltwise_elu_use_dst_for_bwd)                                                        \
    X(LOGISTIC_DST, eltwise_logistic_use_dst_for_bwd)                                              \
    X(CLIP_V2_DST, eltwise_clip_v2_use_dst_for_bwd)                                                \
    X(POOL_MAX, pooling_max)                                                                       \
    X(POOL_AVG_INCLUDE, pooling_avg_include_padding)                                               \
    X(POOL_AVG_EXCLUDE, pooling_avg_exclude_padding)                                               \
    X(ADD, binary_add)                                                                             \
    X(MUL, binary_mul)                                                                             \
    X(MAX, binary_max)                                                                             \
    X(MIN, binary_min)                                                                             \
    X(DIV, binary_div)                                                                             \
    X(SUB, binary_sub)                                                                             \
    X(GE, binary_ge)                                                                               \
    X(GT, binary_gt)                                                                               \
    X(LE, binary_le)                                                                               \
    X(LT, binary_lt)                                                                               \
    X(EQ, binary_eq)                                                                               \
    X(NE, binary_ne)                                                                               \
    X(REDUCE_MAX, reduction_max)                                                                   \
    X(REDUCE_MIN, reduction_min)                                                                   \
    X(REDUCE_SUM, reduction_sum)                                                                   \
    X(REDUCE_MUL, reduction_mul)                                                                   \
    X(REDUCE_MEAN, reduction_mean)                                                                 \
    X(REDUCE_NORM, reduction_norm_lp_sum)                                                          \
    X(SOFTMAX_LINEAR, softmax_accurate)                                                            \
    X(SOFTMAX_LOG, softmax_log)

typedef enum dnn_algorithm {
#define DNN_ALGORITHM_ENUM(id, name) DNN_##id,
    DNN_ALGORITHM_MAP(DNN_ALGORITHM_ENUM)
#undef DNN_ALGORITHM_ENUM
        DNN_ALGORITHM_COUNT
} dnn_algorithm;

typedef struct dnn_post_op {
    dnn_algorithm algorithm;  /* binary ones take src1; NONE: add the old dst, times alpha */
    float alpha, beta;        /* of eltwise ones */
    const dnn_layout *layout; /* of src1 */
} dnn_post_op;

/* What a primitive is to do; each kind reads what it needs. */
typedef struct dnn_request {
    dnn_kind kind;
    dnn_algorithm algorithm;
    bool training; /* forward: keep what backward needs */
    /* Backward kinds have the gradients in the places of what they are gradients of; `diff` is the
     * gradient of dst where both are needed. */
    const dnn_layout *src, *weights, *bias, *dst, *diff;
    const dnn_layout *const *sources; /* CONCAT */
    int source_count;
    int axis;
    int spatial;
    int64_t kernel[DNN_MAX_DIMS], strides[DNN_MAX_DIMS], dilation[DNN_MAX_DIMS]; /* from 1 */
    int64_t pad_left[DNN_MAX_DIMS], pad_right[DNN_MAX_DIMS];
    float alpha, beta; /* of eltwise */
    float epsilon, power;
    bool use_scale, use_shift, global_stats; /* norms */
    float scale;                             /* of the result before post-ops; 0 = 1 */
    float source_scale[2];                   /* BINARY; 0 = 1 */
    dnn_post_op post_ops[DNN_MAX_POST_OPS];
    int post_op_count;
    const dnn_desc *hint; /* POOL_BACKWARD: its forward */
} dnn_request;

/* Why the library cannot be used here, or OB_OK. path: NULL = where it was when this was built, then by
 * its name. Opens the library for a moment. */
ob_status dnn_lib_probe(const ob_host *host, const char *path, ob_reason *why_not);
ob_status dnn_lib_open(const ob_host *host, const char *path, dnn_lib **out, ob_err *err);
void dnn_lib_close(dnn_lib *lib); /* NULL is allowed */
void dnn_lib_set_threads(const dnn_lib *lib, int threads);
/* "2.6.3", "avx512_core_bf16", "OpenMP" */
const char *dnn_lib_version(const dnn_lib *lib);
const char *dnn_lib_isa(const dnn_lib *lib);
/* Whether it computes with the dtype here, and does not only move it. */
bool dnn_lib_computes(const dnn_lib *lib, ob_dtype dtype);
/* Whether sums of products of bytes have 32 bits all the way: they need VNNI instructions. */
bool dnn_lib_adds_bytes_wide(const dnn_lib *lib);
const char *dnn_lib_threading(const dnn_lib *lib);
const char *dnn_lib_path(const dnn_lib *lib);

/* Whether there are tensors of it at all. */
bool dnn_has_dtype(ob_dtype dtype);
/* NULL when the library has no such dtype or number of dimensions, or memory is out. */
const dnn_layout *dnn_layout_strided(const dnn_lib *lib, dnn_pool *pool, ob_dtype dtype, int ndim,
                                     const int64_t *sizes, const int64_t *strides);
/* The primitive chooses. */
const dnn_layout *dnn_layout_any(const dnn_lib *lib, dnn_pool *pool, ob_dtype dtype, int ndim,
                                 const int64_t *sizes);
bool dnn_layout_equal(const dnn_lib *lib, const dnn_layout *a, const dnn_layout *b);
size_t dnn_layout_bytes(const dnn_lib *lib, const dnn_layout *layout);
void dnn_pool_fini(dnn_pool *pool);

/* OB_ERR_UNSUPPORTED when the library has no implementation. */
ob_status dnn_describe(const dnn_lib *lib, const dnn_request *request, dnn_desc **out, ob_err *err);
void dnn_desc_destroy(const dnn_lib *lib, dnn_desc *desc);
/* The layout of an argument; NULL when the primitive does not have it, or it is empty. */
const dnn_layout *dnn_desc_layout(const dnn_lib *lib, dnn_pool *pool, const dnn_desc *desc,
                                  int arg);
/* How many of its arguments are inputs. */
int dnn_desc_inputs(const dnn_lib *lib, const dnn_desc *desc);
const char *dnn_desc_implementation(const dnn_lib *lib, const dnn_desc *desc);
const char *dnn_kind_name(dnn_kind kind);

typedef struct dnn_exec_arg {
    int arg;
    const dnn_layout *layout;
    void *data;
} dnn_exec_arg;

ob_status dnn_exec_create(const dnn_lib *lib, const dnn_desc *desc, const dnn_exec_arg *args,
                          int count, dnn_exec **out, ob_err *err);
void dnn_exec_destroy(const dnn_lib *lib, dnn_exec *exec);
/* Hot. */
ob_status dnn_exec_run(const dnn_exec *exec, ob_err *err);

#endif
