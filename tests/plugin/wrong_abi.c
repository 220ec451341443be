/* SPDX-License-Identifier: Apache-2.0
 *
 * Built for an ABI that is not there yet.
 */
#include "fixture.h"

static const ob_plugin PLUGIN = {
    .magic = OB_PLUGIN_MAGIC, .abi = 999, .size = sizeof(ob_plugin), .name = "wrong-abi"};
FIXTURE_ENTRY(PLUGIN)
