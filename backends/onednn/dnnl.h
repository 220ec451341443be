/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that include the library's headers share. dnnl_library.c and dnnl_primitive.c are written for
 * 2.x and 3.x; what differs is declared here and done in dnnl_v2.c or dnnl_v3.c, of which the headers that are
 * there when opbench is built choose one.
 */
#ifndef OB_ONEDNN_DNNL_H
#define OB_ONEDNN_DNNL_H

#include "dnn.h"

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>

#if DNNL_VERSION_MAJOR == 2
#define DNN_MAJOR "2"
#define DNN_VERSION_FUNCTIONS "dnnl_v2.def"
typedef const dnnl_memory_desc_t *dnn_md; /* a struct that anybody may look into */
#else
#define DNN_MAJOR "3"
#define DNN_VERSION_FUNCTIONS "dnnl_v3.def"
typedef const_dnnl_memory_desc_t dnn_md;
#define dnnl_eltwise_logsigmoid dnnl_eltwise_soft_relu /* with a parameter */
#endif
_Static_assert(DNNL_VERSION_MAJOR == 2 || DNNL_VERSION_MAJOR == 3,
               "the backend is for the headers of oneDNN 2.x or 3.x");

struct dnn_lib {
    void *handle;
    char path[4096], version[32];
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    void (*omp_set_num_threads)(int threads);
    const ob_host *host;
    bool has_f16;
#define DNNL_FUNCTION(name) __typeof__(&name) name;
#include "dnnl.def"
#include DNN_VERSION_FUNCTIONS
#undef DNNL_FUNCTION
};

struct dnn_layout {
    dnn_layout *next;
    dnnl_memory_desc_t md;
#if DNNL_VERSION_MAJOR >= 3
    __typeof__(&dnnl_memory_desc_destroy) destroy;
#endif
};

struct dnn_desc {
    dnnl_primitive_desc_t pd;
    int own_post_ops; /* that stand before those of the request */
    float source_scale[2];
};

/* dnnl_primitive.c */
dnnl_alg_kind_t dnn_algorithm_kind(dnn_algorithm algorithm);
unsigned dnn_norm_flags(const dnn_request *r);

/* dnnl_v2.c, dnnl_v3.c */
dnn_md dnn_md_of(const dnn_layout *layout); /* NULL for NULL */
void dnn_layout_fini(dnn_layout *layout);
/* strides: NULL = the primitive chooses. */
dnnl_status_t dnn_layout_init(const dnn_lib *lib, dnn_layout *layout, int ndim,
                              const int64_t *sizes, dnnl_data_type_t type, const int64_t *strides);
/* False when md is empty or memory is out. */
bool dnn_layout_copy(const dnn_lib *lib, dnn_layout *layout, dnn_md md);
/* Strided, of the same dtype and sizes, and alike but for strides of dimensions of size 1. */
bool dnn_layout_same_strides(const dnn_lib *lib, const dnn_layout *a, const dnn_layout *b);
/* What the primitive does with its result before the request's post-ops, and with its sources. */
dnnl_status_t dnn_set_scales(const dnn_lib *lib, const dnn_request *r, dnnl_primitive_attr_t attr,
                             dnnl_post_ops_t ops, dnn_desc *desc);
dnnl_status_t dnn_append_sum(const dnn_lib *lib, dnnl_post_ops_t ops, float scale);
dnnl_status_t dnn_append_eltwise(const dnn_lib *lib, dnnl_post_ops_t ops, dnn_algorithm algorithm,
                                 float alpha, float beta);
/* Every kind but REORDER. hint: the forward of a backward; else NULL. */
dnnl_status_t dnn_create_pd(const dnn_lib *lib, const dnn_request *r, dnnl_primitive_attr_t attr,
                            const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd);
/* Adds the arguments that hold the scales of the sources; up to DNN_OWN_ARGS of them. */
enum { DNN_OWN_ARGS = 2 };
dnnl_status_t dnn_bind_scales(const dnn_lib *lib, const dnn_desc *desc, float *values,
                              dnnl_exec_arg_t *args, int *count);

#endif
