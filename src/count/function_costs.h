/* SPDX-License-Identifier: Apache-2.0
 *
 * A callgrind costs under way: costs by function, from the events that the line reader finds to the
 * two tables. Knows nothing of the file's syntax.
 */
#ifndef OB_COUNT_FUNCTION_COSTS_H
#define OB_COUNT_FUNCTION_COSTS_H

#include "base/arena.h"
#include "base/text_append.h"
#include "op/name_index.h"
#include "opbench/count.h"

/* A function in a source file (the one its lines are in, which inlining changes) of an object. */
typedef struct ob_function_costs_function {
    const char *name; /* "file:function [object]" */
    int64_t self;     /* what it executed itself */
    int64_t calls;    /* what it called executed */
    int64_t entered;  /* what calls of it executed, as its callers say */
    bool is_callee;   /* entered is known and counts instead of self + calls */
} ob_function_costs_function;

typedef struct ob_function_costs {
    ob_arena arena; /* names */
    ob_function_costs_function *functions;
    size_t size, capacity;
    ob__name_index index; /* by name */
    ob_text name;         /* scratch */
} ob_function_costs;

void ob__function_costs_init(ob_function_costs *costs);
void ob__function_costs_fini(ob_function_costs *costs);
/* Empty again, for the next part. */
void ob__function_costs_clear(ob_function_costs *costs);

typedef struct ob_function_source {
    const char *file, *function, *object; /* object "" = not known */
} ob_function_source;

/* The number of the function at a place; it is added when it is new. */
ob_status ob__function_costs_find(ob_function_costs *costs, const ob_function_source *place,
                                  uint32_t *number, ob_err *err);
ob_status ob__function_costs_add_self(ob_function_costs *costs, uint32_t function, int64_t cost,
                                      ob_err *err);
ob_status ob__function_costs_add_call(ob_function_costs *costs, uint32_t caller, uint32_t callee,
                                      int64_t cost, ob_err *err);

/* Both tables, sorted. total < 0 = not known: the sum of what was executed. Frames that hold the whole
 * total without executing anything themselves stand around the counted region and are left out. */
ob_status ob__function_costs_tables(const ob_function_costs *costs, int64_t total,
                                    ob_counts **exclusive, ob_counts **inclusive, ob_err *err);

#endif
