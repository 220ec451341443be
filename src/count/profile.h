/* SPDX-License-Identifier: Apache-2.0
 *
 * A callgrind profile under way: costs by function, from the events that the line reader finds to the
 * two tables. Knows nothing of the file's syntax.
 */
#ifndef OB_COUNT_PROFILE_H
#define OB_COUNT_PROFILE_H

#include "base/arena.h"
#include "base/text.h"
#include "op/name_index.h"
#include "opbench/count.h"

/* A function in a source file (the one its lines are in, which inlining changes) of an object. */
typedef struct ob_profile_function {
    const char *name; /* "file:function [object]" */
    int64_t self;     /* what it executed itself */
    int64_t calls;    /* what it called executed */
    int64_t entered;  /* what calls of it executed, as its callers say */
    bool is_callee;   /* entered is known and counts instead of self + calls */
} ob_profile_function;

typedef struct ob_profile {
    ob_arena arena; /* names */
    ob_profile_function *functions;
    size_t size, capacity;
    ob__name_index index; /* by name */
    ob_text name;         /* scratch */
} ob_profile;

void ob__profile_init(ob_profile *profile);
void ob__profile_fini(ob_profile *profile);
/* Empty again, for the next part. */
void ob__profile_clear(ob_profile *profile);

typedef struct ob_profile_place {
    const char *file, *function, *object; /* object "" = not known */
} ob_profile_place;

/* The number of the function at a place; it is added when it is new. */
ob_status ob__profile_find(ob_profile *profile, const ob_profile_place *place, uint32_t *number,
                           ob_err *err);
ob_status ob__profile_add_self(ob_profile *profile, uint32_t function, int64_t cost, ob_err *err);
ob_status ob__profile_add_call(ob_profile *profile, uint32_t caller, uint32_t callee, int64_t cost,
                               ob_err *err);

/* Both tables, sorted. total < 0 = not known: the sum of what was executed. Frames that hold the whole
 * total without executing anything themselves stand around the counted region and are left out. */
ob_status ob__profile_tables(const ob_profile *profile, int64_t total, ob_counts **exclusive,
                             ob_counts **inclusive, ob_err *err);

#endif
