/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL backend where the headers of OpenCL were missing when opbench was built: it says so.
 */
#include "opbench/plugin.h"

#include <stdio.h>

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host;
    snprintf(why_not->text, sizeof why_not->text,
             "the headers of OpenCL were not there when opbench was built; install "
             "opencl-c-headers and build again");
    return NULL;
}
