/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a session runs: --pin, the CPUs of its threads, and --membind, the node of its memory.
 */
#ifndef OB_RUN_PLACES_H
#define OB_RUN_PLACES_H

#include "opbench/run.h"

#include <sys/types.h>

enum { OB_MOST_PLACES = 1024 };

/* A thread and the CPU that is its own. */
typedef struct ob_place {
    size_t cpu;
    pid_t thread; /* 0 = nobody has it yet */
} ob_place;

typedef struct ob_places {
    ob_place items[OB_MOST_PLACES];
    size_t count;  /* that are used: the first ones. 0 = not pinned */
    size_t listed; /* all of them */
} ob_places;

/* What a thread of this process did so far. */
typedef struct ob_thread_look {
    pid_t thread;
    uint64_t ran_ns;
    bool running; /* at the moment */
} ob_thread_look;

typedef struct ob_thread_looks {
    ob_thread_look items[OB_MOST_PLACES];
    size_t count;
} ob_thread_looks;

/* CPUs for so many threads from a list like "0,2,4-7". OB_ERR_INVALID for what is no list, or has fewer. */
ob_status ob__places_read(const char *list, int64_t threads, ob_places *out, ob_err *err);
/* Keeps this process on them. Before libraries start their threads, which inherit it. */
ob_status ob__places_take(const ob_places *places, ob_err *err);
/* This thread may use all of them again, so that threads which it starts may, too. */
void ob__places_loosen(const ob_places *places);
/* The threads of this process, whose folder of them is dir (NULL = /proc/self/task). */
void ob__places_look(const char *dir, ob_thread_looks *out);
/* Gives each thread that did something between the two looks a place of its own, this one the first; those that have one
 * keep it. Those that find none stay on all of them. */
void ob__places_assign(ob_places *places, pid_t own, const ob_thread_looks *before,
                       const ob_thread_looks *after);
/* Binds each thread to its place; how many are bound. */
int64_t ob__places_bind(const ob_places *places);

/* The nodes of a list like "0-1", each of which must be there. root as in ob_system_read. */
ob_status ob__memory_nodes_read(const char *root, const char *list, ob_cpu_set *out, ob_err *err);
/* All memory from here on comes from them; NULL = from any. */
ob_status ob__memory_nodes_take(const char *list, ob_err *err);

#endif
