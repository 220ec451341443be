/* SPDX-License-Identifier: Apache-2.0
 *
 * The schema of its operator has a misspelt type, inside a list.
 */
#include "fixture.h"

static const ob_op_row ROW = {.schema = "bad::third(Tensor self, Tensr[]? others) -> Tensor"};
static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "unknown-type",
    .operators = (const ob_op_row *const[]){&ROW, NULL},
};
FIXTURE_ENTRY(PLUGIN)
