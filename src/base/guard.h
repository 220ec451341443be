/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a process group with this process, however it ends: a child can ask the kernel to die with its parent,
 * but what it starts itself (a compiler's passes) cannot. A guard is a process that waits for nothing else.
 */
#ifndef OB_BASE_GUARD_H
#define OB_BASE_GUARD_H

#include <sys/types.h>

typedef struct ob_guard {
    pid_t pid; /* 0 = none */
    int fd;    /* its end of the pipe closes with this process */
} ob_guard;

/* Kills the group if this process dies before ob__guard_end. Without room for a guard there is none. */
ob_guard ob__guard_start(pid_t group);
/* Before the group's leader is waited for, as long as its number is its own. Zero is allowed. */
void ob__guard_end(ob_guard *guard);

#endif
