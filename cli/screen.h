/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of screen.c that commands do not call themselves.
 */
#ifndef OB_CLI_SCREEN_H
#define OB_CLI_SCREEN_H

#include "command.h"

/* Finds out which streams show colours: terminals, unless NO_COLOR or TERM=dumb say no. */
void ob__cli_screen_init(ob_cli *cli);
/* Columns of the terminal that standard output is; 0 when it is none, or does not say. */
size_t ob__cli_width(const ob_cli *cli);
/* Whether the user's language settings say that texts are UTF-8. */
bool ob__cli_is_utf8(void);
/* An ob_log_fn; ctx is the ob_cli. */
void ob__cli_log(void *ctx, ob_log_level level, const ob_err *what);

#endif
