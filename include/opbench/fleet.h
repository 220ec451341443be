/* SPDX-License-Identifier: Apache-2.0
 *
 * A fleet: the same cases measured on many nodes, to find the sick ones. Only a few numbers per
 * node and case are kept, so files may be of any length. docs/nodes.md explains what is compared,
 * with formulas.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_FLEET_H
#define OPBENCH_FLEET_H

#include "opbench/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_fleet ob_fleet;

#define OB_FLEET_THRESHOLD 0.02  /* below this nothing is called slow or noisy */
#define OB_FLEET_ERROR_RATE 0.01 /* share of healthy fleets with a node called slow or noisy */
enum { OB_FLEET_MAX_NODES = 100000, OB_FLEET_MAX_CELLS = 1 << 24 };

/* Zeros are the defaults. */
typedef struct ob_fleet_params {
    size_t size; /* sizeof(ob_fleet_params) */
    double threshold, error_rate;
    const char *ignore; /* "kernel,microcode": what may differ from node to node; NULL = nothing */
} ob_fleet_params;

/* State of a node: enum name, word, whether it is sick, meaning. If several apply, the worst
 * counts. */
#define OB_FLEET_STATE_MAP(X)                                                                      \
    X(HEALTHY, "healthy", 0, "like the nodes of its class")                                        \
    X(UNDECIDED, "undecided", 0, "too little to compare with, or a difference that may be chance") \
    X(DIFFERENT, "different", 1, "other hardware or software than most nodes")                     \
    X(NOISY, "noisy", 1, "its times scatter more than those of its class")                         \
    X(SLOW, "slow", 1, "certainly slower than its class by more than the threshold")               \
    X(FAILING, "failing", 1, "cases fail that run on most nodes")

typedef enum ob_fleet_state {
#define OB_FLEET_STATE_ENUM(id, word, sick, help) OB_FLEET_##id,
    OB_FLEET_STATE_MAP(OB_FLEET_STATE_ENUM)
#undef OB_FLEET_STATE_ENUM
        OB_FLEET_STATE_COUNT
} ob_fleet_state;
const char *ob_fleet_state_word(ob_fleet_state state);
bool ob_fleet_state_is_sick(ob_fleet_state state);

/* How a node compares with its class, as fractions of the class's times: 0.03 = 3 % more. NaN: not
 * known. */
typedef struct ob_fleet_value {
    double deviation;
    double low, high; /* interval; all of a healthy fleet's hold, except for the error rate */
    uint64_t cases;
    bool slow; /* certainly beyond the threshold */
} ob_fleet_value;

/* A node after ob_fleet_judge. Texts live as long as the fleet. */
typedef struct ob_fleet_node {
    size_t size; /* sizeof(ob_fleet_node): set by the library */
    const char *name;
    ob_fleet_state state;
    const char *why;         /* "" = nothing to say */
    const char *differences; /* "kernel: Linux 6.1, most have Linux 6.5"; "" = none */
    const char *class_text;  /* hardware and libraries of the nodes it is compared with */
    uint64_t class_nodes;    /* nodes in its class */
    uint64_t results, failed;
    const ob_fleet_value *groups; /* one per group: ob_fleet_group */
    ob_fleet_value lost;          /* time lost to disturbances, beyond the class's */
    double scatter; /* of its times from case to case, relative to the class's; NaN: not known */
    double foreign, steal; /* fractions of its CPU time that others used; NaN: not known */
} ob_fleet_node;

ob_status ob_fleet_create(const ob_fleet_params *params, ob_fleet **out,
                          ob_err *err); /* NULL = defaults */
void ob_fleet_destroy(ob_fleet *fleet); /* NULL is allowed */
/* Adds a record of any kind, in file order: results belong to the node of the header before them.
 * OB_ERR_LIMIT: too many nodes or cases. */
ob_status ob_fleet_add(ob_fleet *fleet, const ob_record *record, ob_err *err);
/* Marks the end of a file: results after it belong to no node until the next header. */
void ob_fleet_end_file(ob_fleet *fleet);
size_t ob_fleet_node_count(const ob_fleet *fleet);
/* Decides the state of every node. Call it once, after the last record. OB_ERR_NOT_FOUND: no case
 * was measured on two nodes. */
ob_status ob_fleet_judge(ob_fleet *fleet, ob_err *err);

/* The nodes, after ob_fleet_judge: the sickest first, then by name. NULL = no more. */
const ob_fleet_node *ob_fleet_at(const ob_fleet *fleet, size_t index);
size_t ob_fleet_count_state(const ob_fleet *fleet, ob_fleet_state state);
size_t ob_fleet_count_sick(const ob_fleet *fleet);
/* The groups of cases that exist: "memory", "cache", "compute f32", "overhead", "other". NULL = no
 * more. */
const char *ob_fleet_group(const ob_fleet *fleet, size_t index);
size_t ob_fleet_group_cases(const ob_fleet *fleet, size_t index);
/* The smallest slowdown that would have been called slow in the largest class, as a fraction. NaN:
 * none would. */
double ob_fleet_group_limit(const ob_fleet *fleet, size_t index);
/* Notes for the reader. NULL = no more. */
const char *ob_fleet_note(const ob_fleet *fleet, size_t index);

#ifdef __cplusplus
}
#endif
#endif
