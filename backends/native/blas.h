/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products on raw memory. Products of f32 and f64 go to OpenBLAS, which is opened when the
 * first one is prepared: a run of elementwise operators never pays for it, and neither do the
 * commands that only list plug-ins. Products of integers are plain loops that wrap around.
 */
#ifndef OB_NATIVE_BLAS_H
#define OB_NATIVE_BLAS_H

#include "native_kernel.h"

typedef struct native_blas native_blas;

/* The backend's own, opened by the first call. The error says which package is missing. The library
 * works on the thread that calls it; large products are cut up for the threads of env. */
ob_status native_env_blas(native_env *env, native_blas **out, ob_err *err);
void native_blas_use_one_thread(native_blas *blas);
void native_blas_close(native_blas *blas); /* NULL is allowed; the library stays loaded */
/* "OpenBLAS 0.3.21 ...", and the name of its kernels ("Zen", "Cooperlake"). */
const char *native_blas_config(const native_blas *blas);
const char *native_blas_core(const native_blas *blas);

/* A matrix with any two strides, in elements. */
typedef struct native_matrix {
    const void *data;
    int64_t row, column;
} native_matrix;

/* c = beta * c + alpha * a b, where a is m x k, b is k x n, c is m x n. With beta 0 what c holds is
 * not read. */
typedef struct native_gemm {
    int64_t m, n, k;
    native_matrix a, b;
    void *c;
    int64_t c_row, c_column;
    double alpha, beta;
    bool alone; /* on the calling thread, for one of many products that are spread themselves */
    int64_t alpha_integer, beta_integer; /* for products of integers */
} native_gemm;

/* Whether OpenBLAS takes a rows x columns matrix with these strides as it is: one of them is 1 and
 * the other is at least the length of a line. An output may be transposed too. */
bool native_matrix_fits(int64_t rows, int64_t columns, int64_t row, int64_t column);

/* All three matrices fit, and no size is beyond the library's 32-bit integers. */
void native_gemm_f32(const native_blas *blas, const native_gemm *gemm);
void native_gemm_f64(const native_blas *blas, const native_gemm *gemm);
/* Any strides. */
void native_gemm_i64(const native_env *env, const native_gemm *gemm);
void native_gemm_i32(const native_env *env, const native_gemm *gemm);

/* How many multiplications are worth a thread of their own. */
enum { NATIVE_GEMM_GRAIN = 1 << 19 };

/* OB_ERR_LIMIT when a size is beyond the 32-bit integers of the library. */
ob_status native_gemm_check(const ob_host *host, const native_gemm *gemm, ob_err *err);

#endif
