/* SPDX-License-Identifier: Apache-2.0
 *
 * Its backend has no run function.
 */
#include "fixture.h"

static const ob_backend_desc BACKEND = {.name = "no-run", FIXTURE_BACKEND};
static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "missing-function",
    .backends = (const ob_backend_desc *const[]){&BACKEND, NULL},
};
FIXTURE_ENTRY(PLUGIN)
