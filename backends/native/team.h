/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of one opened backend. They are all the threads there are: OpenBLAS is kept at one and
 * its products are cut up here, so that no second pool waits, spinning, for the same processors.
 */
#ifndef OB_NATIVE_TEAM_H
#define OB_NATIVE_TEAM_H

#include "native_kernel.h"

typedef struct native_team native_team;

/* How many processors this process may run on. */
int native_usable_cpus(void);

/* No thread is started yet. NULL when there is no memory. */
native_team *native_team_create(void);
void native_team_destroy(native_team *team); /* NULL is allowed */

#endif
