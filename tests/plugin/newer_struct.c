/* SPDX-License-Identifier: Apache-2.0
 *
 * Built with newer headers: its struct is longer than ours.
 */
#include "fixture.h"

static const struct {
    ob_plugin known;
    const char *later_field;
} PLUGIN = {
    .known = {.magic = OB_PLUGIN_MAGIC,
              .abi = OB_PLUGIN_ABI,
              .size = sizeof(ob_plugin) + sizeof(char *),
              .backend_size = sizeof(ob_backend_desc) + 64,
              .operator_size = sizeof(ob_op_row) + 64,
              .generator_size = sizeof(ob_generator_desc) + 64,
              .iterator_size = sizeof(ob_iterator_desc) + 64,
              .option_size = sizeof(ob_option) + 64,
              .name = "newer"},
    .later_field = "?",
};
FIXTURE_ENTRY(PLUGIN.known)
