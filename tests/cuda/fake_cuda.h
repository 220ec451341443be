/* SPDX-License-Identifier: Apache-2.0
 *
 * What the three libraries of fake_cuda.c share.
 */
#ifndef OB_TEST_FAKE_CUDA_H
#define OB_TEST_FAKE_CUDA_H

#include <cublas_api.h>
#include <cuda.h>
#include <nvrtc.h>
#include <stdbool.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* What the fake compiler gives begins with it; a path follows. */
#define FAKE_MARK "opbench-fake:"

bool fake_has_word(const char *word);
void fake_tell(const char *call);
/* Where the device's address is in the host's memory; ends the process for any other. */
void *fake_memory(CUdeviceptr address);

typedef struct fake_gemm {
    cublasOperation_t a_how, b_how;
    int m, n, k, count, lda, ldb, ldc;
    double alpha, beta;
    const char *a, *b;
    char *c;
    long long a_step, b_step, c_step;
    cudaDataType type;
} fake_gemm;

void fake_enqueue_gemm(const fake_gemm *g);
void fake_multiply(const fake_gemm *g);

#endif
