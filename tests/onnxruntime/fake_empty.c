/* SPDX-License-Identifier: Apache-2.0
 *
 * A library whose entry gives nothing.
 */
#include "onnxruntime_api.h"

__attribute__((visibility("default"))) const ort_api_base *OrtGetApiBase(void);

const ort_api_base *OrtGetApiBase(void)
{
    return NULL;
}
