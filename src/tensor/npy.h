/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays in NumPy's .npy files, of the formats 1 to 3. Nothing in such a file is ever run: object arrays, which are
 * pickles, are refused.
 */
#ifndef OB_TENSOR_NPY_H
#define OB_TENSOR_NPY_H

#include "opbench/tensor.h"

enum { OB_NPY_MOST_HEAD = 65536 }; /* bytes before the data: NumPy itself reads 10000 */

typedef struct ob_npy {
    ob_dtype dtype;
    bool is_swapped; /* its numbers have the other order of bytes */
    int ndim;
    int64_t sizes[OB_MAX_DIMS];
    int64_t strides[OB_MAX_DIMS]; /* in elements */
    bool is_fortran; /* the first dimension is the fastest, and that makes a difference */
    uint64_t data_at, data_bytes; /* in the file */
    uint64_t hash;                /* of the whole file, where that was read */
} ob_npy;

/* What is before the data. bytes: the file's first `size`, all of it or at least OB_NPY_MOST_HEAD; of file_size. Messages
 * name the file and the byte. OB_ERR_SYNTAX, OB_ERR_UNSUPPORTED. */
ob_status ob__npy_read_head(const char *name, const void *bytes, size_t size, uint64_t file_size,
                            ob_npy *out, ob_err *err);
/* Reads a regular file's head, and all of it for the hash. */
ob_status ob__npy_look(const char *path, ob_npy *out, ob_err *err);
/* Reads the data into room for data_bytes, with the bytes in this machine's order. The file must still have npy's hash. */
ob_status ob__npy_load(const char *path, const ob_npy *npy, void *data, ob_err *err);

#endif
