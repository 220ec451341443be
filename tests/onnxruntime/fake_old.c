/* SPDX-License-Identifier: Apache-2.0
 *
 * A library like ONNX Runtime's of long ago: it does not have the table that is asked for.
 */
#include "onnxruntime_api.h"

static const void *no_api(uint32_t version)
{
    (void)version;
    return NULL;
}

static const char *old_version(void)
{
    return "1.2.3";
}

static const ort_api_base BASE = {.get_api = no_api, .version = old_version};

__attribute__((visibility("default"))) const ort_api_base *OrtGetApiBase(void);

const ort_api_base *OrtGetApiBase(void)
{
    return &BASE;
}
