/* SPDX-License-Identifier: Apache-2.0
 *
 * An expansion: one entry with macros, compiled. It holds a live copy of the entry without its macros, the
 * axes that write into it, and the copies between its elements. Going to case i sets the axes to the
 * digits of i (the last axis is the fastest) and then runs the copies; nothing else is touched, and
 * nothing carries over from one case to another.
 */
#ifndef OB_CONFIG_EXPANSION_H
#define OB_CONFIG_EXPANSION_H

#include "config/axis.h"
#include "config/expansion_text.h"

/* to->items[to_index] = from->items[from_index]; both are attributes of arguments in the live tree. */
typedef struct ob_copy {
    ob_json *to, *from;
    uint32_t to_index, from_index;
    const ob_json *where; /* the macro, for messages */
    uint8_t mark;         /* of the search for cycles */
} ob_copy;

typedef struct ob_expansion {
    ob_arena arena;
    ob_json root; /* {"args": [...], "kwargs": {...}} */
    ob_axis *axes;
    uint64_t *digits; /* current value of each axis */
    size_t axis_count, axis_capacity;
    ob_copy *copies; /* in an order in which every source is final when it is read */
    size_t copy_count, copy_capacity;
    uint64_t count; /* cases: the product of the axes */
    uint64_t at;    /* the case that the tree shows now; UINT64_MAX before the first */
    ob_expansion_text text;
} ob_expansion;

typedef struct ob_expansion_args {
    const ob_generator_desc *generator;
    const ob_log *log; /* warnings; may be NULL */
    const ob_json *entry;
} ob_expansion_args;

ob_status ob__expansion_compile(const ob_expansion_args *args, ob_expansion *expansion,
                                ob_err *err);
void ob__expansion_fini(ob_expansion *expansion);
/* Case i < count; cheap when i is the case after the last one asked for. */
void ob__expansion_go(ob_expansion *expansion, uint64_t i);

#endif
