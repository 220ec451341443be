/* SPDX-License-Identifier: Apache-2.0
 *
 * Its first operator is good, the schema of its second cannot be read: neither is registered.
 */
#include "fixture.h"

static const ob_op_row FIRST = {.schema = "bad::first(Tensor self) -> Tensor"};
static const ob_op_row SECOND = {.schema = "bad::second(Tensor self -> Tensor"};
static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "bad-schema",
    .operators = (const ob_op_row *const[]){&FIRST, &SECOND, NULL},
};
FIXTURE_ENTRY(PLUGIN)
