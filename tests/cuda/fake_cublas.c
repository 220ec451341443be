/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices, element by element; see fake_cuda.c.
 */
#include "fake_cuda.h"
#include "tensor/half.h"

#include <stdlib.h>
#include <string.h>

static int started; /* its address is the handle */

static double load(const char *data, cudaDataType type, long long at)
{
    if (type == CUDA_R_64F)
        return ((const double *)data)[at];
    if (type == CUDA_R_32F)
        return (double)((const float *)data)[at];
    uint16_t half;
    memcpy(&half, data + at * 2, 2);
    return (double)(type == CUDA_R_16F ? ob__f16_to_float(half) : ob__bf16_to_float(half));
}

static void store(char *data, cudaDataType type, long long at, double value)
{
    if (type == CUDA_R_64F) {
        ((double *)data)[at] = value;
    } else if (type == CUDA_R_32F) {
        ((float *)data)[at] = (float)value;
    } else {
        const float wide = (float)value;
        const uint16_t half =
            type == CUDA_R_16F ? ob__f16_from_float(wide) : ob__bf16_from_float(wide);
        memcpy(data + at * 2, &half, 2);
    }
}

static size_t size_of(cudaDataType type)
{
    return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

/* Column by column, as cuBLAS counts. */
void fake_multiply(const fake_gemm *g)
{
    for (int i = 0; i < g->count; i++) {
        const size_t size = size_of(g->type);
        const char *a = g->a + (size_t)(i * g->a_step) * size;
        const char *b = g->b + (size_t)(i * g->b_step) * size;
        char *c = g->c + (size_t)(i * g->c_step) * size;
        for (int row = 0; row < g->m; row++) {
            for (int column = 0; column < g->n; column++) {
                double sum = 0;
                for (int l = 0; l < g->k; l++) {
                    const long long left = g->a_how == CUBLAS_OP_N ? row + (long long)l * g->lda
                                                                   : l + (long long)row * g->lda;
                    const long long right = g->b_how == CUBLAS_OP_N
                                                ? l + (long long)column * g->ldb
                                                : column + (long long)l * g->ldb;
                    sum += load(a, g->type, left) * load(b, g->type, right);
                }
                const long long at = row + (long long)column * g->ldc;
                store(c, g->type, at,
                      g->alpha * sum + (g->beta != 0 ? g->beta * load(c, g->type, at) : 0));
            }
        }
    }
}

EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    fake_tell("cublasCreate");
    *handle = (cublasHandle_t)&started;
    return fake_has_word("blas") ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    (void)handle;
    fake_tell("cublasDestroy");
    return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    *version = 120405;
    return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    (void)handle;
    return stream != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

EXPORT cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t a_how, cublasOperation_t b_how, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType a_type, int lda, long long a_step, const void *b,
    cudaDataType b_type, int ldb, long long b_step, const void *beta, void *c, cudaDataType c_type,
    int ldc, long long c_step, int count, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)handle, (void)algo;
    fake_tell("cublasGemmStridedBatchedEx");
    /* What the real one refuses. */
    if (m < 0 || n < 0 || k < 0 || count < 0 || lda < (a_how == CUBLAS_OP_N ? m : k) || lda < 1 ||
        ldb < (b_how == CUBLAS_OP_N ? k : n) || ldb < 1 || ldc < m || ldc < 1 || a_type != c_type ||
        b_type != c_type ||
        compute != (c_type == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F))
        return CUBLAS_STATUS_INVALID_VALUE;
    fake_gemm g = {.a_how = a_how,
                   .b_how = b_how,
                   .m = m,
                   .n = n,
                   .k = k,
                   .count = count,
                   .lda = lda,
                   .ldb = ldb,
                   .ldc = ldc,
                   .a = fake_memory((CUdeviceptr)(uintptr_t)a),
                   .b = fake_memory((CUdeviceptr)(uintptr_t)b),
                   .c = fake_memory((CUdeviceptr)(uintptr_t)c),
                   .a_step = a_step,
                   .b_step = b_step,
                   .c_step = c_step,
                   .type = c_type};
    if (c_type == CUDA_R_64F) {
        memcpy(&g.alpha, alpha, 8);
        memcpy(&g.beta, beta, 8);
    } else {
        float number;
        memcpy(&number, alpha, 4);
        g.alpha = (double)number;
        memcpy(&number, beta, 4);
        g.beta = (double)number;
    }
    fake_enqueue_gemm(&g);
    return CUBLAS_STATUS_SUCCESS;
}
