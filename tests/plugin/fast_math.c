/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked with -ffast-math, which makes its constructor switch denormal numbers off.
 */
#include "fixture.h"

static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "fast-math"};
FIXTURE_ENTRY(PLUGIN)
