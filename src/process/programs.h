/* SPDX-License-Identifier: Apache-2.0
 *
 * What starting another program needs: where it is, and with which environment.
 */
#ifndef OB_PROCESS_PROGRAMS_H
#define OB_PROCESS_PROGRAMS_H

#include "opbench/status.h"

#include <stdbool.h>

/* The first executable "DIRECTORY/name" of PATH into *out, malloc'ed; NULL when there is none. A name with a
 * slash is a path already. False: memory is out. */
bool ob__program_find(const char *name, char **out);

/* The environment of this process with the variables ("NAME=VALUE", ended by NULL) added, or in place of those
 * of the same name. free() the list, not what it points to. NULL: memory is out. */
char **ob__environment_make(const char *const *variables);

/* This process goes on as another program, with its descriptors, its guard and its environment. Returns only when
 * that fails. words: its path and arguments, ended by NULL. */
ob_status ob__process_become(const char *const *words, ob_err *err);

#endif
