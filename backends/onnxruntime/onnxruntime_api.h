/* SPDX-License-Identifier: Apache-2.0
 *
 * What we call of ONNX Runtime's C API. The library hands out a table of function pointers to which later versions
 * only append, so a function is a place in it: the rows below name each with its place, and no header of ONNX
 * Runtime is needed to build. The test onnxruntime.header holds the places against such a header where one is.
 */
#ifndef OB_ONNXRUNTIME_API_H
#define OB_ONNXRUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

/* The version of the table that is asked for; libraries before 1.20 do not have it. */
#define ORT_API_ASKED 20u
#define ORT_OLDEST "1.20"

typedef struct OrtEnv OrtEnv;
typedef struct OrtStatus OrtStatus;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtSession OrtSession;
typedef struct OrtValue OrtValue;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtAllocator OrtAllocator;

typedef struct ort_api_base {
    const void *(*get_api)(uint32_t version);
    const char *(*version)(void);
} ort_api_base;
typedef const ort_api_base *(*ort_api_base_fn)(void);
#define ORT_API_BASE_SYMBOL "OrtGetApiBase"

/* Numbers of the API's enums, as ints. */
enum {
    ORT_LOG_WARNING = 2,
    ORT_LOG_ERROR = 3,
    ORT_CODE_NOT_IMPLEMENTED = 9,
    ORT_CODE_INVALID_GRAPH = 10,
    ORT_CODE_INVALID_ARGUMENT = 2,
    ORT_CODE_NO_SUCH_FILE = 3,
    ORT_EXECUTION_SEQUENTIAL = 0,
    ORT_ALLOCATOR_ARENA = 1,
    ORT_ALLOCATOR_DEVICE = 0,
    ORT_MEM_DEFAULT = 0,
    ORT_TYPE_TENSOR = 1,
};

typedef void (*ort_log_fn)(void *param, int severity, const char *category, const char *logid,
                           const char *place, const char *message);

/* our name, the API's name, place, result, parameters */
#define ORT_API_MAP(X)                                                                             \
    X(error_code, GetErrorCode, 1, int, (const OrtStatus *))                                       \
    X(error_message, GetErrorMessage, 2, const char *, (const OrtStatus *))                        \
    X(env_create, CreateEnvWithCustomLogger, 4, OrtStatus *,                                       \
      (ort_log_fn, void *, int, const char *, OrtEnv **))                                          \
    X(telemetry_off, DisableTelemetryEvents, 6, OrtStatus *, (const OrtEnv *))                     \
    X(session_open_file, CreateSession, 7, OrtStatus *,                                            \
      (const OrtEnv *, const char *, const OrtSessionOptions *, OrtSession **))                    \
    X(session_open, CreateSessionFromArray, 8, OrtStatus *,                                        \
      (const OrtEnv *, const void *, size_t, const OrtSessionOptions *, OrtSession **))            \
    X(options_create, CreateSessionOptions, 10, OrtStatus *, (OrtSessionOptions **))               \
    X(options_execution, SetSessionExecutionMode, 13, OrtStatus *, (OrtSessionOptions *, int))     \
    X(options_log_level, SetSessionLogSeverityLevel, 22, OrtStatus *, (OrtSessionOptions *, int))  \
    X(options_optimization, SetSessionGraphOptimizationLevel, 23, OrtStatus *,                     \
      (OrtSessionOptions *, int))                                                                  \
    X(options_intra_threads, SetIntraOpNumThreads, 24, OrtStatus *, (OrtSessionOptions *, int))    \
    X(options_inter_threads, SetInterOpNumThreads, 25, OrtStatus *, (OrtSessionOptions *, int))    \
    X(session_input_count, SessionGetInputCount, 30, OrtStatus *, (const OrtSession *, size_t *))  \
    X(session_output_count, SessionGetOutputCount, 31, OrtStatus *,                                \
      (const OrtSession *, size_t *))                                                              \
    X(session_input_type, SessionGetInputTypeInfo, 33, OrtStatus *,                                \
      (const OrtSession *, size_t, OrtTypeInfo **))                                                \
    X(session_output_type, SessionGetOutputTypeInfo, 34, OrtStatus *,                              \
      (const OrtSession *, size_t, OrtTypeInfo **))                                                \
    X(session_input_name, SessionGetInputName, 36, OrtStatus *,                                    \
      (const OrtSession *, size_t, OrtAllocator *, char **))                                       \
    X(session_output_name, SessionGetOutputName, 37, OrtStatus *,                                  \
      (const OrtSession *, size_t, OrtAllocator *, char **))                                       \
    X(tensor_wrap, CreateTensorWithDataAsOrtValue, 49, OrtStatus *,                                \
      (const OrtMemoryInfo *, void *, size_t, const int64_t *, size_t, int, OrtValue **))          \
    X(value_is_tensor, IsTensor, 50, OrtStatus *, (const OrtValue *, int *))                       \
    X(tensor_data, GetTensorMutableData, 51, OrtStatus *, (OrtValue *, void **))                   \
    X(type_as_tensor, CastTypeInfoToTensorInfo, 55, OrtStatus *,                                   \
      (const OrtTypeInfo *, const OrtTensorTypeAndShapeInfo **))                                   \
    X(type_kind, GetOnnxTypeFromTypeInfo, 56, OrtStatus *, (const OrtTypeInfo *, int *))           \
    X(shape_element_type, GetTensorElementType, 60, OrtStatus *,                                   \
      (const OrtTensorTypeAndShapeInfo *, int *))                                                  \
    X(shape_dim_count, GetDimensionsCount, 61, OrtStatus *,                                        \
      (const OrtTensorTypeAndShapeInfo *, size_t *))                                               \
    X(shape_dims, GetDimensions, 62, OrtStatus *,                                                  \
      (const OrtTensorTypeAndShapeInfo *, int64_t *, size_t))                                      \
    X(tensor_shape, GetTensorTypeAndShape, 65, OrtStatus *,                                        \
      (const OrtValue *, OrtTensorTypeAndShapeInfo **))                                            \
    X(memory_create_cpu, CreateCpuMemoryInfo, 69, OrtStatus *, (int, int, OrtMemoryInfo **))       \
    X(allocator_free, AllocatorFree, 76, OrtStatus *, (OrtAllocator *, void *))                    \
    X(allocator_default, GetAllocatorWithDefaultOptions, 78, OrtStatus *, (OrtAllocator **))       \
    X(env_release, ReleaseEnv, 92, void, (OrtEnv *))                                               \
    X(status_release, ReleaseStatus, 93, void, (OrtStatus *))                                      \
    X(memory_release, ReleaseMemoryInfo, 94, void, (OrtMemoryInfo *))                              \
    X(session_release, ReleaseSession, 95, void, (OrtSession *))                                   \
    X(value_release, ReleaseValue, 96, void, (OrtValue *))                                         \
    X(type_release, ReleaseTypeInfo, 98, void, (OrtTypeInfo *))                                    \
    X(shape_release, ReleaseTensorTypeAndShapeInfo, 99, void, (OrtTensorTypeAndShapeInfo *))       \
    X(options_release, ReleaseSessionOptions, 100, void, (OrtSessionOptions *))                    \
    X(binding_run, RunWithBinding, 133, OrtStatus *,                                               \
      (OrtSession *, const OrtRunOptions *, const OrtIoBinding *))                                 \
    X(binding_create, CreateIoBinding, 134, OrtStatus *, (OrtSession *, OrtIoBinding **))          \
    X(binding_release, ReleaseIoBinding, 135, void, (OrtIoBinding *))                              \
    X(binding_input, BindInput, 136, OrtStatus *,                                                  \
      (OrtIoBinding *, const char *, const OrtValue *))                                            \
    X(binding_output, BindOutput, 137, OrtStatus *,                                                \
      (OrtIoBinding *, const char *, const OrtValue *))                                            \
    X(binding_output_free, BindOutputToDevice, 138, OrtStatus *,                                   \
      (OrtIoBinding *, const char *, const OrtMemoryInfo *))                                       \
    X(binding_values, GetBoundOutputValues, 140, OrtStatus *,                                      \
      (const OrtIoBinding *, OrtAllocator *, OrtValue ***, size_t *))                              \
    X(options_initializers, AddExternalInitializers, 210, OrtStatus *,                             \
      (OrtSessionOptions *, const char *const *, const OrtValue *const *, size_t))

typedef struct ort_api {
#define ORT_API_FIELD(name, official, place, result, parameters) result(*name) parameters;
    ORT_API_MAP(ORT_API_FIELD)
#undef ORT_API_FIELD
} ort_api;

#endif
