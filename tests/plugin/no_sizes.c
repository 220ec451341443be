/* SPDX-License-Identifier: Apache-2.0
 *
 * Does not say how large its structs are.
 */
#include "fixture.h"

static const ob_plugin PLUGIN = {
    .magic = OB_PLUGIN_MAGIC, .abi = OB_PLUGIN_ABI, .size = sizeof(ob_plugin), .name = "no-sizes"};
FIXTURE_ENTRY(PLUGIN)
