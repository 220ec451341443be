/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call of each backend costs when there is nothing to compute, and what the devices of backends can do.
 */
#ifndef OB_CLI_MACHINE_LAUNCH_H
#define OB_CLI_MACHINE_LAUNCH_H

#include "command.h"

#include "opbench/roofline.h"

/* Adds a ceiling per backend of those names ("a,b"; NULL = all) that works here. Needs the context with plug-ins. */
ob_status ob__cli_measure_launches(ob_cli *cli, const char *names, double seconds,
                                   ob_roofline *roofline, ob_err *err);

/* Adds those of devices with memory of their own; words: as of run's --device. What fails is said. */
void ob__cli_measure_devices(ob_cli *cli, const char *names, const char *words, double seconds,
                             ob_roofline *roofline);

/* A config with nothing but the smallest operator on one number. */
ob_status ob__cli_open_smallest(ob_context *context, ob_config **out, ob_err *err);

#endif
