/* SPDX-License-Identifier: Apache-2.0
 *
 * Our places in ONNX Runtime's table of functions against its own header; compiled by test_header.py only.
 */
#include "onnxruntime_api.h"

#include <onnxruntime_c_api.h>

#define SAME_PLACE(name, official, place, result, parameters)                                      \
    _Static_assert(offsetof(OrtApi, official) == (place) * sizeof(void *),                         \
                   #official " is at another place");
ORT_API_MAP(SAME_PLACE)

_Static_assert(sizeof(enum OrtAllocatorType) == sizeof(int), "enums are ints");
_Static_assert(ORT_LOGGING_LEVEL_WARNING == ORT_LOG_WARNING, "");
_Static_assert(ORT_LOGGING_LEVEL_ERROR == ORT_LOG_ERROR, "");
_Static_assert(ORT_NOT_IMPLEMENTED == ORT_CODE_NOT_IMPLEMENTED, "");
_Static_assert(ORT_INVALID_GRAPH == ORT_CODE_INVALID_GRAPH, "");
_Static_assert(ORT_INVALID_ARGUMENT == ORT_CODE_INVALID_ARGUMENT, "");
_Static_assert(ORT_NO_SUCHFILE == ORT_CODE_NO_SUCH_FILE, "");
_Static_assert(ORT_SEQUENTIAL == ORT_EXECUTION_SEQUENTIAL, "");
_Static_assert(OrtArenaAllocator == ORT_ALLOCATOR_ARENA, "");
_Static_assert(OrtMemTypeDefault == ORT_MEM_DEFAULT, "");
_Static_assert(ONNX_TYPE_TENSOR == ORT_TYPE_TENSOR, "");
