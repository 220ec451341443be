/* SPDX-License-Identifier: Apache-2.0
 *
 * Has the name of another plug-in (good.c).
 */
#include "fixture.h"

static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "good"};
FIXTURE_ENTRY(PLUGIN)
