/* SPDX-License-Identifier: Apache-2.0
 *
 * Switching callgrind's collection around a block. Outside of valgrind these do nothing.
 */
#ifndef OB_SNIPPET_SWITCH_H
#define OB_SNIPPET_SWITCH_H

#include <stdbool.h>

/* Whether the process runs under valgrind and this was built with its headers. */
bool ob__under_valgrind(void);
void ob__callgrind_ready(void); /* before the first block */
void ob__callgrind_begin(void);
void ob__callgrind_end(void); /* and writes what was collected to the next file */

#endif
