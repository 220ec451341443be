/* SPDX-License-Identifier: Apache-2.0
 *
 * A check of a history under way: its changes and their groups.
 */
#ifndef OB_STORE_STORE_CHECK_H
#define OB_STORE_STORE_CHECK_H

#include "store/store_int.h"

/* A change and which runs, by their places in the order of time, it may really have been before. */
typedef struct ob_found_change {
    ob_store_change change;
    size_t earliest, latest;
    size_t order; /* of its series */
} ob_found_change;

struct ob_store_check {
    ob_arena arena;
    ob_store_runs *runs;
    ob_store_list *list;
    ob_found_change *changes;
    size_t count, capacity;
    ob_store_group *groups;
    size_t group_count, group_capacity;
    uint64_t series, too_short;
};

/* Sorts the changes and puts together those that belong together. */
ob_status ob__check_group(ob_store_check *check, ob_err *err);
/* What is different between two runs, "kernel, libraries"; NULL = memory is out. */
const char *ob__check_marks(const ob_store_run *before, const ob_store_run *after, ob_arena *arena);
/* Fills in the reasons of changes that were accepted. */
ob_status ob__check_accepted(ob_store *store, const ob_store_points *points, const size_t *places,
                             size_t count, const ob_store_runs *runs, ob_found_change *change,
                             ob_arena *arena, ob_err *err);

#endif
