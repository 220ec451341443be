/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is handed to other processes as a descriptor.
 */
#ifndef OB_PROCESS_SHARED_MEMORY_H
#define OB_PROCESS_SHARED_MEMORY_H

#include "opbench/status.h"

#include <stddef.h>

/* Of this size for good: whoever has it cannot shrink it under a reader, who would die of SIGBUS. What is in it may be
 * anything once another process has it. Full of zeros. */
typedef struct ob_shared_memory {
    void *at; /* NULL = none */
    size_t size;
    int fd; /* to hand over; -1 = none */
} ob_shared_memory;

#define OB_NO_MEMORY ((ob_shared_memory){.fd = -1})

ob_status ob__shared_memory_make(const char *name, size_t size, ob_shared_memory *out, ob_err *err);
/* OB_NO_MEMORY is allowed, and is what is left. */
void ob__shared_memory_close(ob_shared_memory *memory);
/* The same memory in the process that got the descriptor, which is closed. NULL: errno says why. */
void *ob__shared_memory_take(int fd, size_t size);

/* A file that nobody can change any more. */
ob_status ob__sealed_file(const char *name, const void *data, size_t size, int *out, ob_err *err);
/* An empty file that all who have it read and write; nobody maps it. */
ob_status ob__memory_file(const char *name, int *out, ob_err *err);

#endif
