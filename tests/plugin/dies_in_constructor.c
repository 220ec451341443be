/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends whatever opens it.
 */
#include "fixture.h"

#include <stdlib.h>

__attribute__((constructor)) static void die(void)
{
    abort();
}

static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "dies", .version = "1"};
FIXTURE_ENTRY(PLUGIN)
