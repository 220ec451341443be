/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening ONNX Runtime's library.
 */
#ifndef OB_ONNXRUNTIME_LIBRARY_H
#define OB_ONNXRUNTIME_LIBRARY_H

#include "onnxruntime_api.h"

#include "opbench/plugin.h"

/* Names the file; goes before all other places. */
#define ORT_LIBRARY_VARIABLE "OPBENCH_ONNXRUNTIME"

typedef struct ort_library {
    ort_api api;
    char version[32];
    char path[4096];
} ort_library;

/* Whether there is a file; opens nothing. */
ob_status ort_library_probe(const ob_host *host, ob_reason *why_not);
/* Opens it once for the process; it is never closed. OB_ERR_UNSUPPORTED with the reason for one that is broken or too
 * old. */
ob_status ort_library_open(const ob_host *host, const ort_library **out, ob_err *err);

#endif
