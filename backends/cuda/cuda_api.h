/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the driver, of NVRTC and of cuBLAS, by the names that the libraries export: tables that are
 * filled when a library is opened. Nothing is linked.
 */
#ifndef OB_CUDA_API_H
#define OB_CUDA_API_H

#include "opbench/plugin.h"

#include <cublas_api.h>
#include <cuda.h>
#include <nvrtc.h>

#define CUDA_DRIVER_FILE "libcuda.so.1"

/* field, symbol, parameters */
#define CUDA_DRIVER_MAP(X)                                                                         \
    X(init, "cuInit", (unsigned))                                                                  \
    X(driver_version, "cuDriverGetVersion", (int *))                                               \
    X(error_name, "cuGetErrorName", (CUresult, const char **))                                     \
    X(error_text, "cuGetErrorString", (CUresult, const char **))                                   \
    X(device_count, "cuDeviceGetCount", (int *))                                                   \
    X(device_get, "cuDeviceGet", (CUdevice *, int))                                                \
    X(device_name, "cuDeviceGetName", (char *, int, CUdevice))                                     \
    X(device_attribute, "cuDeviceGetAttribute", (int *, CUdevice_attribute, CUdevice))             \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                  \
    X(context_retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                         \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                 \
    X(context_use, "cuCtxSetCurrent", (CUcontext))                                                 \
    X(mem_alloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                         \
    X(mem_free, "cuMemFree_v2", (CUdeviceptr))                                                     \
    X(mem_upload, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t))                          \
    X(mem_download, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t))                              \
    X(mem_copy, "cuMemcpyDtoD_v2", (CUdeviceptr, CUdeviceptr, size_t))                             \
    X(mem_set, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                  \
    X(stream_create, "cuStreamCreate", (CUstream *, unsigned))                                     \
    X(stream_destroy, "cuStreamDestroy_v2", (CUstream))                                            \
    X(stream_wait, "cuStreamSynchronize", (CUstream))                                              \
    X(event_create, "cuEventCreate", (CUevent *, unsigned))                                        \
    X(event_destroy, "cuEventDestroy_v2", (CUevent))                                               \
    X(event_record, "cuEventRecord", (CUevent, CUstream))                                          \
    X(event_elapsed, "cuEventElapsedTime", (float *, CUevent, CUevent))                            \
    X(module_load, "cuModuleLoadData", (CUmodule *, const void *))                                 \
    X(module_unload, "cuModuleUnload", (CUmodule))                                                 \
    X(module_function, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))              \
    X(launch, "cuLaunchKernel",                                                                    \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, \
       void **, void **))

#define CUDA_NVRTC_MAP(X)                                                                          \
    X(version, "nvrtcVersion", (int *, int *))                                                     \
    X(arch_count, "nvrtcGetNumSupportedArchs", (int *))                                            \
    X(archs, "nvrtcGetSupportedArchs", (int *))                                                    \
    X(create, "nvrtcCreateProgram",                                                                \
      (nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *)) \
    X(destroy, "nvrtcDestroyProgram", (nvrtcProgram *))                                            \
    X(compile, "nvrtcCompileProgram", (nvrtcProgram, int, const char *const *))                    \
    X(ptx_size, "nvrtcGetPTXSize", (nvrtcProgram, size_t *))                                       \
    X(ptx, "nvrtcGetPTX", (nvrtcProgram, char *))                                                  \
    X(log_size, "nvrtcGetProgramLogSize", (nvrtcProgram, size_t *))                                \
    X(log, "nvrtcGetProgramLog", (nvrtcProgram, char *))

#define CUDA_CUBLAS_MAP(X)                                                                         \
    X(create, "cublasCreate_v2", (cublasHandle_t *))                                               \
    X(destroy, "cublasDestroy_v2", (cublasHandle_t))                                               \
    X(version, "cublasGetVersion_v2", (cublasHandle_t, int *))                                     \
    X(use_stream, "cublasSetStream_v2", (cublasHandle_t, cudaStream_t))                            \
    X(gemm, "cublasGemmStridedBatchedEx",                                                          \
      (cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *,          \
       const void *, cudaDataType, int, long long, const void *, cudaDataType, int, long long,     \
       const void *, void *, cudaDataType, int, long long, int, cublasComputeType_t,               \
       cublasGemmAlgo_t))

typedef struct cuda_driver {
    void *library;
#define CUDA_FIELD(field, symbol, parameters) CUresult(*field) parameters;
    CUDA_DRIVER_MAP(CUDA_FIELD)
#undef CUDA_FIELD
} cuda_driver;

typedef struct cuda_nvrtc {
    void *library;
#define CUDA_FIELD(field, symbol, parameters) nvrtcResult(*field) parameters;
    CUDA_NVRTC_MAP(CUDA_FIELD)
#undef CUDA_FIELD
} cuda_nvrtc;

typedef struct cuda_cublas {
    void *library;
#define CUDA_FIELD(field, symbol, parameters) cublasStatus_t(*field) parameters;
    CUDA_CUBLAS_MAP(CUDA_FIELD)
#undef CUDA_FIELD
} cuda_cublas;

/* Each opens its library and finds all of its functions, or says in err what is missing and what to do. */
ob_status cuda_driver_open(const ob_host *host, cuda_driver *driver, ob_err *err);
ob_status cuda_nvrtc_open(const ob_host *host, cuda_nvrtc *nvrtc, ob_err *err);
ob_status cuda_cublas_open(const ob_host *host, cuda_cublas *cublas, ob_err *err);

#endif
