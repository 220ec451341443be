/* SPDX-License-Identifier: Apache-2.0
 *
 * Sides by axes: --axis KEY=VALUE,VALUE,...
 */
#ifndef OB_CLI_SIDE_AXES_H
#define OB_CLI_SIDE_AXES_H

#include "side_keys.h"

/* A side for every combination of values, the last axis going round first, which is called as it is told: "threads=2
 * env.BLOCK=64". In a value a comma or backslash stands behind a backslash. axes: such words; NULL ends them. */
ob_status ob__cli_sides_add_axes(ob_cli_sides *sides, const char *const *axes, ob_err *err);

#endif
