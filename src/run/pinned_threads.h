/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a session runs: --pin, the CPUs of its threads, and --membind, the node of its memory.
 */
#ifndef OB_RUN_PINNED_THREADS_H
#define OB_RUN_PINNED_THREADS_H

#include "opbench/run.h"

#include <sys/types.h>

enum { OB_MOST_PINS = 1024 };

/* A thread and the CPU that is its own. */
typedef struct ob_pin {
    size_t cpu;
    pid_t thread; /* 0 = nobody has it yet */
} ob_pin;

typedef struct ob_pins {
    ob_pin items[OB_MOST_PINS];
    size_t count;  /* that are used: the first ones. 0 = not pinned */
    size_t listed; /* all of them */
} ob_pins;

/* What a thread of this process did so far. */
typedef struct ob_thread_look {
    pid_t thread;
    uint64_t ran_ns;
    bool running; /* at the moment */
} ob_thread_look;

typedef struct ob_thread_looks {
    ob_thread_look items[OB_MOST_PINS];
    size_t count;
} ob_thread_looks;

/* CPUs for so many threads from a list like "0,2,4-7". OB_ERR_INVALID for what is no list, or has fewer. */
ob_status ob__pins_read(const char *list, int64_t threads, ob_pins *out, ob_err *err);
/* Keeps this process on them. Before libraries start their threads, which inherit it. */
ob_status ob__pins_take(const ob_pins *pins, ob_err *err);
/* This thread may use all of them again, so that threads which it starts may, too. */
void ob__pins_loosen(const ob_pins *pins);
/* The threads of this process, whose folder of them is dir (NULL = /proc/self/task). */
void ob__pins_look(const char *dir, ob_thread_looks *out);
/* Gives each thread that did something between the two looks a pin of its own, this one the first; those that have one
 * keep it. Those that find none stay on all of them. */
void ob__pins_assign(ob_pins *pins, pid_t own, const ob_thread_looks *before,
                     const ob_thread_looks *after);
/* Binds each thread to its pin; how many are bound. */
int64_t ob__pins_bind(const ob_pins *pins);

/* The nodes of a list like "0-1", each of which must be there. root as in ob_system_read. */
ob_status ob__memory_nodes_read(const char *root, const char *list, ob_cpu_set *out, ob_err *err);
/* All memory from here on comes from them; NULL = from any. */
ob_status ob__memory_nodes_take(const char *list, ob_err *err);

#endif
