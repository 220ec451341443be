/* SPDX-License-Identifier: Apache-2.0
 *
 * Switching callgrind's collection around what is counted. Outside of valgrind these do nothing.
 */
#ifndef OB_MEASURE_CALLGRIND_H
#define OB_MEASURE_CALLGRIND_H

#include <stdbool.h>

/* Whether the process runs under valgrind and this was built with its headers. */
bool ob__under_valgrind(void);
void ob__callgrind_ready(void);  /* before the first block; until then code runs faster */
void ob__callgrind_rest(void);   /* behind the last one */
void ob__callgrind_forget(void); /* drops what was collected */
void ob__callgrind_begin(void);  /* collects from here on, what this thread executes */
void ob__callgrind_pause(void);  /* up to here */
void ob__callgrind_dump(void);   /* writes what was collected to the next file */
void ob__callgrind_end(void);    /* pauses and dumps */

#endif
