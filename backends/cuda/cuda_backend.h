/* SPDX-License-Identifier: Apache-2.0
 *
 * The cuda backend: the primary context and one stream of one GPU. Cases are planned as opbench/kit.h says, over memory
 * of the device; kernels are compiled by NVRTC when a case is prepared, products of matrices are cuBLAS's.
 */
#ifndef OB_CUDA_BACKEND_H
#define OB_CUDA_BACKEND_H

#include "cuda_api.h"
#include "opbench/kit.h"

typedef struct cuda_program cuda_program;

/* One opened backend; what its kernels see is all of it. */
struct ob_kit_env {
    const ob_host *host;
    const ob_log *log;
    cuda_driver driver;
    cuda_nvrtc nvrtc;   /* opened by the first kernel */
    cuda_cublas cublas; /* opened by the first product */
    cublasHandle_t blas;
    int blas_version;
    char device_name[128];
    CUdevice device;
    CUcontext context; /* NULL until it is retained */
    CUstream stream;
    int index, driver_version, major, minor, units, cache_bytes;
    size_t memory_bytes;
    cuda_program *programs;
    /* A word on the device that kernels set when an integer is divided by zero. 0 until one can. */
    CUdeviceptr fault;
    CUdeviceptr sweep; /* what flush_cache writes; 0 until the first */
    size_t sweep_bytes;
};

struct ob_backend {
    ob_kit_env env;
    ob_kit_engine engine;
};

struct ob_event {
    ob_kit_env *env;
    CUevent event;
};

/* ---- cuda_open.c ---- */
ob_status cuda_probe(const ob_host *host, ob_reason *why_not);
ob_status cuda_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err);
void cuda_close(ob_backend *backend);
void cuda_properties(ob_backend *backend, ob_property_fn fn, void *ctx);
void cuda_library(ob_backend *backend, ob_reason *out);
/* OB_OK for CUDA_SUCCESS; else an error with what was tried, the driver's name of it and its sentence. */
ob_status cuda_check(const ob_kit_env *env, CUresult result, const char *what, ob_err *err);

/* ---- cuda_memory.c ---- */
ob_status cuda_allocate(ob_kit_env *env, size_t size_bytes, ob_storage **out, ob_err *err);
ob_status cuda_upload(ob_kit_env *env, ob_storage *to, const ob_storage *from, size_t size_bytes,
                      ob_err *err);
ob_status cuda_download(ob_kit_env *env, ob_storage *to, const ob_storage *from, size_t size_bytes,
                        ob_err *err);
ob_status cuda_alloc(ob_backend *backend, size_t size_bytes, ob_storage **out, ob_err *err);
/* Between host and device in any direction, by the storages' own word. */
ob_status cuda_copy(ob_backend *backend, ob_storage *to, const ob_storage *from, size_t size_bytes,
                    ob_err *err);
/* Address of the tensor's first element. */
CUdeviceptr cuda_address(const ob_host *host, const ob_tensor *tensor);

/* ---- stream.c ---- */
ob_status cuda_sync(ob_backend *backend, ob_err *err);
ob_status cuda_event_create(ob_backend *backend, ob_event **out, ob_err *err);
ob_status cuda_event_record(ob_event *event, ob_err *err);
ob_status cuda_event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err);
void cuda_event_destroy(ob_event *event);
ob_status cuda_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                           ob_err *err);

/* ---- cuda_program.c ---- */
/* The kernel "ob_kernel" of a source, compiled once in the backend's life: `head` (its #defines) is the key. */
ob_status cuda_function(ob_kit_env *env, const char *head, CUfunction *out, ob_err *err);
void cuda_programs_release(ob_kit_env *env);

/* ---- cuda_elementwise.c ---- */
extern const ob_kit_kernel cuda_kernels_elementwise[];
ob_status cuda_tensor_copy(ob_kit_env *env, const ob_tensor *to, const ob_tensor *from,
                           ob_err *err);
ob_status cuda_tensor_fill(ob_kit_env *env, const ob_tensor *to, double value, ob_err *err);

/* ---- matrix.c ---- */
extern const ob_kit_kernel cuda_kernels_matrix[];

#endif
