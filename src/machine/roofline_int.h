/* SPDX-License-Identifier: Apache-2.0
 *
 * Measuring one ceiling after the other.
 */
#ifndef OB_MACHINE_ROOFLINE_INT_H
#define OB_MACHINE_ROOFLINE_INT_H

#include "machine/ceiling_loops.h"
#include "machine/thread_team.h"
#include "opbench/roofline.h"

/* A level of the memory, and how much of it is used to measure it. */
typedef struct ob_memory_level {
    const char *name;
    uint64_t bytes; /* of all arrays and threads that share it; of one thread where it is private */
    bool is_private;  /* each thread has its own */
    bool past_caches; /* stores may go past them */
} ob_memory_level;

enum { OB_MEMORY_LEVELS = 4 };

/* Those that this machine has, by what the kernel says of its caches. */
size_t ob__memory_levels(const ob_system *system, uint64_t available_bytes,
                         ob_memory_level out[OB_MEMORY_LEVELS]);

/* Fills value: the best of as many tries as fit into the seconds. */
ob_status ob__measure_peak(ob_team *team, const ob_peak_row *row, double seconds, ob_ceiling *out,
                           ob_err *err);
ob_status ob__measure_stream(ob_team *team, const ob_stream_row *row, const ob_memory_level *level,
                             double seconds, ob_ceiling *out, ob_err *err);

#endif
