/* SPDX-License-Identifier: Apache-2.0
 *
 * The larger forms of `opbench __generate`, each in its file.
 */
#ifndef OB_CLI_GENERATE_H
#define OB_CLI_GENERATE_H

#include "help.h"

/* The bash completion (generate_bash.c). */
void ob__generate_bash(ob_cli *cli);
/* The options of each command as a line of JSON (generate_options.c). */
void ob__generate_options(ob_cli *cli);
/* One word per line, of the backends that are there: what the completion offers. */
void ob__generate_backends(ob_cli *cli);
void ob__generate_devices(ob_cli *cli);

#endif
