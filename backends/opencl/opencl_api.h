/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of OpenCL 1.2 that the backend calls. The library is opened at run time, so that a
 * machine without it gets a reason instead of a plug-in that does not load.
 */
#ifndef OB_OPENCL_API_H
#define OB_OPENCL_API_H

#include "opbench/plugin.h"

/* Queues are made by the function that every version has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

/* Every name is a field of ocl_api without its "cl" in front. */
#define OCL_FUNCTION_MAP(X)                                                                        \
    X(GetPlatformIDs)                                                                              \
    X(GetPlatformInfo)                                                                             \
    X(GetDeviceIDs)                                                                                \
    X(GetDeviceInfo)                                                                               \
    X(CreateContext)                                                                               \
    X(ReleaseContext)                                                                              \
    X(CreateCommandQueue)                                                                          \
    X(ReleaseCommandQueue)                                                                         \
    X(CreateBuffer)                                                                                \
    X(ReleaseMemObject)                                                                            \
    X(CreateProgramWithSource)                                                                     \
    X(BuildProgram)                                                                                \
    X(GetProgramBuildInfo)                                                                         \
    X(ReleaseProgram)                                                                              \
    X(CreateKernel)                                                                                \
    X(SetKernelArg)                                                                                \
    X(ReleaseKernel)                                                                               \
    X(EnqueueNDRangeKernel)                                                                        \
    X(EnqueueReadBuffer)                                                                           \
    X(EnqueueWriteBuffer)                                                                          \
    X(EnqueueCopyBuffer)                                                                           \
    X(EnqueueFillBuffer)                                                                           \
    X(Flush)                                                                                       \
    X(Finish)                                                                                      \
    X(GetEventInfo)                                                                                \
    X(GetEventProfilingInfo)                                                                       \
    X(RetainEvent)                                                                                 \
    X(ReleaseEvent)

typedef struct ocl_api {
    void *handle;
#define OCL_API_FIELD(name) __typeof__(&cl##name) name;
    OCL_FUNCTION_MAP(OCL_API_FIELD)
#undef OCL_API_FIELD
} ocl_api;

#define OCL_LIBRARY "libOpenCL.so.1"
#define OCL_CURE                                                                                   \
    "install ocl-icd-libopencl1 and a driver for a device, such as pocl-opencl-icd for the CPU"

/* Opens the library; path NULL = OCL_LIBRARY where the dynamic linker finds it. It stays open: drivers do
 * not take being unloaded. */
ob_status ocl_api_load(const ob_host *host, const char *path, ocl_api *out, ob_err *err);
/* Whether there is a library and, as far as can be told without loading a driver, a driver. */
ob_status ocl_api_probe(const ob_host *host, ob_reason *why_not);

/* "CL_OUT_OF_RESOURCES" */
const char *ocl_error_name(cl_int code);
/* OB_ERR_NOMEM for the codes that mean a lack of memory, else OB_ERR_BACKEND; "what failed: NAME". */
ob_status ocl_fail(const ob_host *host, cl_int code, const char *what, ob_err *err);

#endif
