/* SPDX-License-Identifier: Apache-2.0
 *
 * Strided tensors over reference-counted storage.
 *
 * A storage is bytes with a deleter, so that a library which keeps a tensor (autograd does) keeps
 * its memory alive too, and memory that belongs to somebody else can be wrapped without a copy.
 * A tensor without storage is a meta tensor: it has dtype, sizes and strides, but no data; shape
 * rules and the `supports` question work on those.
 * A sparse COO tensor holds an indices tensor [sparse_dim, nnz] (i64) and a values tensor.
 *
 * Counts are atomic; everything else is for one thread at a time.
 */
#ifndef OPBENCH_TENSOR_H
#define OPBENCH_TENSOR_H

#include "opbench/dtype.h"
#include "opbench/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OB_MAX_DIMS = 16 };

typedef struct ob_device {
    char type[15]; /* "cpu", "cuda", "opencl", ...; NUL-terminated */
    int8_t index;  /* -1: not given */
} ob_device;

/* "cpu", "cuda:1". OB_ERR_INVALID for anything that is not a word and an optional number. */
ob_status ob_device_parse(const char *text, size_t length, ob_device *out, ob_err *err);
/* Returns out. 32 bytes are always enough. */
char *ob_device_format(const ob_device *device, char *out, size_t size);

typedef enum ob_layout {
    OB_LAYOUT_STRIDED = 0,
    OB_LAYOUT_SPARSE_COO = 1,
    OB_LAYOUT_SPARSE_CSR = 2,
    OB_LAYOUT_MKLDNN = 3,
    OB_LAYOUT_SPARSE_CSC = 4,
    OB_LAYOUT_SPARSE_BSR = 5,
    OB_LAYOUT_SPARSE_BSC = 6,
} ob_layout; /* numbers are PyTorch's */

/* Whether a tensor of this layout consists of indices and values; the layout says what a backend
 * makes of them. A tensor with OB_LAYOUT_MKLDNN is strided here; the backend converts it to that
 * library's order. */
static inline bool ob_layout_is_sparse(ob_layout layout)
{
    return layout != OB_LAYOUT_STRIDED && layout != OB_LAYOUT_MKLDNN;
}

typedef enum ob_memory_format {
    OB_MEMORY_FORMAT_CONTIGUOUS = 0,
    OB_MEMORY_FORMAT_PRESERVE = 1,
    OB_MEMORY_FORMAT_CHANNELS_LAST = 2,
    OB_MEMORY_FORMAT_CHANNELS_LAST_3D = 3,
} ob_memory_format; /* numbers are PyTorch's */

/* "strided", "sparse_csr", "channels_last", ... with or without "torch." in front; false for other
 * names. */
bool ob_layout_from_name(const char *name, size_t length, ob_layout *out);
bool ob_memory_format_from_name(const char *name, size_t length, ob_memory_format *out);

typedef struct ob_storage ob_storage;
typedef void (*ob_storage_deleter)(void *data, size_t size_bytes, void *ctx);

/* Host memory, 64-byte aligned, not initialised. size_bytes may be 0. */
ob_status ob_storage_create(size_t size_bytes, ob_storage **out, ob_err *err);
/* Wraps data that exists; deleter (may be NULL) is called once, when the last reference is
 * released. */
ob_status ob_storage_wrap(void *data, size_t size_bytes, const ob_device *device,
                          ob_storage_deleter deleter, void *ctx, ob_storage **out, ob_err *err);
ob_storage *ob_storage_retain(ob_storage *storage); /* NULL stays NULL */
void ob_storage_release(ob_storage *storage);       /* NULL is allowed */
void *ob_storage_data(const ob_storage *storage);
size_t ob_storage_size(const ob_storage *storage);
const ob_device *ob_storage_device(const ob_storage *storage);
uint32_t ob_storage_use_count(const ob_storage *storage);

typedef struct ob_tensor {
    ob_dtype dtype;
    ob_layout layout;
    int ndim;
    bool requires_grad;
    int64_t sizes[OB_MAX_DIMS];
    int64_t strides[OB_MAX_DIMS]; /* in elements; may be 0 (expanded), never negative */
    int64_t offset;               /* in elements, from the start of the storage */
    ob_device device;
    ob_storage *storage;       /* one reference is owned; NULL = meta */
    struct ob_tensor *indices; /* sparse only, owned */
    struct ob_tensor *values;  /* sparse only, owned */
} ob_tensor;

/* Product of sizes. OB_ERR_OVERFLOW when it, or the product without the zero sizes (the strides
 * need that one), does not fit; OB_ERR_INVALID for a negative size. ndim 0 gives 1. */
ob_status ob_shape_numel(const int64_t *sizes, int ndim, int64_t *numel, ob_err *err);
/* Row-major strides, as PyTorch makes them (a zero size counts as one). */
void ob_shape_contiguous_strides(const int64_t *sizes, int ndim, int64_t *strides);
/* For sizes that have been checked, as those of every tensor have: nothing overflows. */
static inline int64_t ob_shape_count(const int64_t *sizes, int ndim)
{
    int64_t count = 1;
    for (int d = 0; d < ndim; d++)
        count *= sizes[d];
    return count;
}
/* A stride that is never taken does not matter; without elements none is. */
static inline bool ob_shape_is_contiguous(const int64_t *sizes, const int64_t *strides, int ndim)
{
    int64_t expected = 1;
    bool contiguous = true;
    for (int d = ndim - 1; d >= 0; d--) {
        if (sizes[d] == 0)
            return true;
        contiguous = contiguous && (sizes[d] == 1 || strides[d] == expected);
        expected *= sizes[d];
    }
    return contiguous;
}
/* Bytes that the tensor's elements span from its offset on: 0 if numel is 0. Checked. */
ob_status ob_shape_span_bytes(const int64_t *sizes, const int64_t *strides, int ndim,
                              ob_dtype dtype, int64_t *bytes, ob_err *err);
/* NumPy's rule; out has room for OB_MAX_DIMS. */
ob_status ob_shape_broadcast(const int64_t *a, int a_ndim, const int64_t *b, int b_ndim,
                             int64_t *out, int *out_ndim, ob_err *err);

/* Fills *out as a meta tensor on the CPU. strides NULL = contiguous. */
ob_status ob_tensor_init_meta(ob_tensor *out, ob_dtype dtype, const int64_t *sizes, int ndim,
                              const int64_t *strides, ob_err *err);
/* The same with fresh host storage. */
ob_status ob_tensor_init(ob_tensor *out, ob_dtype dtype, const int64_t *sizes, int ndim,
                         const int64_t *strides, ob_err *err);
/* A view into storage (one reference is taken); everything is checked against its size. */
ob_status ob_tensor_init_view(ob_tensor *out, ob_storage *storage, ob_dtype dtype,
                              const int64_t *sizes, int ndim, const int64_t *strides,
                              int64_t offset, ob_err *err);
/* A sparse COO tensor over indices (i64, [sparse_dim, nnz]) and values; both are shared. */
ob_status ob_tensor_init_sparse(ob_tensor *out, const int64_t *sizes, int ndim,
                                const ob_tensor *indices, const ob_tensor *values, ob_err *err);
/* Shares the storage. */
ob_status ob_tensor_copy(ob_tensor *out, const ob_tensor *in, ob_err *err);
void ob_tensor_fini(ob_tensor *tensor);

int64_t ob_tensor_numel(const ob_tensor *tensor);
bool ob_tensor_is_contiguous(const ob_tensor *tensor);
/* Address of the first element; NULL for a meta tensor. */
void *ob_tensor_data(const ob_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
