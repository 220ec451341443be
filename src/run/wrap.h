/* SPDX-License-Identifier: Apache-2.0
 *
 * --wrap 'perf stat -d': the command that workers are started under.
 */
#ifndef OB_RUN_WRAP_H
#define OB_RUN_WRAP_H

#include "run/command_line.h"

/* Appends the words of the command, its program as a path. text NULL = none. OB_ERR_INVALID: it has no words, a quote is open,
 * or there is no such program. */
ob_status ob__wrap_words(const char *text, ob_command_words *words, ob_err *err);

#endif
