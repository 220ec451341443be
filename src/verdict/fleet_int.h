/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a fleet: a few numbers per node and case, what headers say of nodes, and what comes of both.
 */
#ifndef OB_VERDICT_FLEET_INT_H
#define OB_VERDICT_FLEET_INT_H

#include "base/arena.h"
#include "op/name_index.h"
#include "opbench/dtype.h"
#include "opbench/fleet.h"

#define OB_FLEET_ALONE SIZE_MAX

/* One case on one node. Times are logarithms. */
typedef struct ob_fleet_cell {
    uint64_t count;       /* of records */
    double mean, squares; /* of medians: their mean, and the squares around it */
    double lost;          /* mean time over the median's */
} ob_fleet_cell;

enum { OB_FLEET_BOUNDS = 3 }; /* memory, compute, overhead */

/* One pass of a case, measured in one way. */
typedef struct ob_fleet_case {
    const char *call;
    size_t work;         /* what was run, however it was measured */
    double flops, bytes; /* NaN = not known */
    uint32_t votes[OB_FLEET_BOUNDS];
    ob_dtype dtype;
    size_t group; /* OB_FLEET_ALONE = too few nodes have it */
} ob_fleet_case;

/* What a header says. */
typedef struct ob_fleet_fact {
    const char *name, *value;
    double number;    /* NaN = the text counts */
    bool is_of_class; /* nodes that differ in it are not compared */
} ob_fleet_fact;

typedef struct ob_fleet_failure {
    size_t work;
    const char *call;
} ob_fleet_failure;

/* A node while records come. */
typedef struct ob_fleet_entry {
    ob_fleet_node shown;
    ob_fleet_value *values; /* by group: what is shown of them */
    bool is_scattered;
    ob_fleet_cell *cells; /* by case */
    size_t cell_count, cell_room;
    ob_fleet_fact *facts;
    size_t fact_count, fact_room;
    size_t class_number;
    double foreign, steal, noise_seconds; /* sums by seconds */
    ob_fleet_failure *failures;
    size_t failure_count, failure_room;
    size_t failing; /* of these: cases that run on most nodes of the class */
    const char *failing_call;
} ob_fleet_entry;

typedef struct ob_fleet_group_data {
    const char *name;
    size_t cases;
    double limit;
} ob_fleet_group_data;

struct ob_fleet {
    ob_arena arena;
    ob_fleet_params params;
    ob_fleet_entry *nodes;
    size_t node_count, node_room;
    ob__name_index node_index;
    size_t current; /* node of the records that come; OB_FLEET_ALONE = none */
    bool is_merged; /* the records that come are of a joined file */
    ob_fleet_case *cases;
    size_t case_count, case_room;
    ob__name_index case_index, work_index;
    size_t cell_total;
    double last_level_bytes; /* of the first header that says it */
    size_t class_count;
    ob_fleet_group_data *groups;
    size_t group_count, group_room;
    size_t *order; /* of nodes, as they are shown */
    const char **notes;
    size_t note_count, note_room;
    uint64_t homeless; /* results without a header */
    uint64_t merged;   /* headers of joined files */
    bool judged;
};

static inline ob_status ob__fleet_no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the nodes");
}
/* A copy in the arena. */
ob_status ob__fleet_keep(ob_fleet *fleet, const char *text, const char **out, ob_err *err);
ob_status ob__fleet_note(ob_fleet *fleet, ob_err *err, const char *format, ...) OB_PRINTF(3, 4);

/* ---- fleet_facts.c ---- */

/* Keeps what the first header of a node says. */
ob_status ob__fleet_take_facts(ob_fleet *fleet, ob_fleet_entry *node, const ob_record_header *h,
                               ob_err *err);
/* And what a result says of libraries, which may be known only then. */
ob_status ob__fleet_take_libraries(ob_fleet *fleet, ob_fleet_entry *node, const ob_record_result *r,
                                   ob_err *err);
/* Finds what differs from most nodes, and the class of each. */
ob_status ob__fleet_compare_facts(ob_fleet *fleet, ob_err *err);

/* ---- fleet_groups.c ---- */

/* Puts the cases that several nodes have into groups. */
ob_status ob__fleet_group_cases(ob_fleet *fleet, ob_err *err);

/* ---- fleet_judge.c ---- */

/* The deviations of all nodes, class by class. */
ob_status ob__fleet_compare_times(ob_fleet *fleet, ob_err *err);
/* The cell, or one without anything. */
const ob_fleet_cell *ob__fleet_cell(const ob_fleet_entry *node, size_t number);

#endif
