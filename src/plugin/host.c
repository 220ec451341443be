/* SPDX-License-Identifier: Apache-2.0
 *
 * The function table handed to plug-ins, made from OB_HOST_MAP. Plug-ins call the library through
 * it and so link against nothing of ours: the same plug-in file works with the program, with the
 * shared library and with an embedder that linked the static one.
 */
#include "opbench/context.h"

static const ob_host HOST = {.abi = OB_PLUGIN_ABI,
                             .size = sizeof(ob_host),
#define HOST_ROW(field, type, function, parameters) .field = function,
                             OB_HOST_MAP(HOST_ROW)
#undef HOST_ROW
};

const ob_host *ob_host_get(void)
{
    return &HOST;
}
