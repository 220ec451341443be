/* SPDX-License-Identifier: Apache-2.0
 *
 * Its struct does not begin with the magic number.
 */
#include "fixture.h"

static const ob_plugin PLUGIN = {
    .magic = 0x12345678, .abi = OB_PLUGIN_ABI, .size = sizeof(ob_plugin), .name = "wrong-magic"};
FIXTURE_ENTRY(PLUGIN)
