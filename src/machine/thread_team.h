/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that start a piece of work at the same moment, each on a CPU of its own, and the time until the last has ended.
 */
#ifndef OB_MACHINE_THREAD_TEAM_H
#define OB_MACHINE_THREAD_TEAM_H

#include "opbench/measure.h"

typedef struct ob_team ob_team;
typedef void (*ob_team_fn)(void *ctx, size_t thread);

/* Of as many threads, on CPUs of these (NULL = those that this process may use); this one is the first of them. */
ob_status ob__team_create(size_t threads, const ob_cpu_set *cpus, ob_team **out, ob_err *err);
/* This thread's CPUs are as before. */
void ob__team_destroy(ob_team *team); /* NULL is allowed */
/* Every thread calls fn; returns the ns from the first start to the last end. */
double ob__team_run(ob_team *team, ob_team_fn fn, void *ctx);

#endif
