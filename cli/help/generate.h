/* SPDX-License-Identifier: Apache-2.0
 *
 * The larger forms of `opbench __generate`, each in its file, and what they share.
 */
#ifndef OB_CLI_GENERATE_H
#define OB_CLI_GENERATE_H

#include "help.h"

/* opbench(1), and the page of one command, opbench-COMMAND(1) (generate_man.c). */
void ob__generate_man(ob_cli *cli);
void ob__generate_man_of(ob_cli *cli, const ob_cli_command *command);
/* The options of each command as a line of JSON (generate_options.c). */
void ob__generate_options(ob_cli *cli);

/* ---- walks over rows and texts (cmd_generate.c) ---- */

/* Calls fn for every line of "a\nb". */
typedef void (*ob_line_fn)(ob_cli *cli, const char *line, size_t length);
void ob__generate_each_line(ob_cli *cli, const char *lines, ob_line_fn fn);

/* Calls option for every row with its title and its help; before the first one of a group heading, where there are
 * several. */
typedef struct ob_option_printer {
    void (*heading)(ob_cli *cli, const char *group);
    void (*option)(ob_cli *cli, const char *title, const char *help);
} ob_option_printer;
void ob__generate_each_option(ob_cli *cli, const ob_option *rows, const ob_option_printer *print);
void ob__generate_each_option_of(ob_cli *cli, const ob_cli_command *command,
                                 const ob_option_printer *print);

#endif
