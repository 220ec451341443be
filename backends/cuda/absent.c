/* SPDX-License-Identifier: Apache-2.0
 *
 * The cuda backend of a build without the headers of CUDA: it only says what is missing.
 */
#include "opbench/plugin.h"

#include <stdio.h>

#ifndef OB_CUDA_MISSING
#define OB_CUDA_MISSING "not looked for"
#endif

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host;
    snprintf(why_not->text, sizeof why_not->text,
             "the headers of CUDA were not there when opbench was built (" OB_CUDA_MISSING
             "); install the CUDA toolkit (cuda.h, cublas_api.h, nvrtc.h), set CUDA_PATH where it "
             "is not in "
             "/usr/local/cuda, and build again");
    return NULL;
}
