/* SPDX-License-Identifier: Apache-2.0
 *
 * A fleet: the same cases measured on many nodes, and which of these are sick. What is wanted of a record is added to a few
 * numbers per node and case, so that files may be of any length. docs/nodes.md explains what is compared, with formulas.
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
#define OB_FLEET_ERROR_RATE 0.01 /* of healthy fleets in which some node is called slow or noisy */
enum { OB_FLEET_MAX_NODES = 100000, OB_FLEET_MAX_CELLS = 1 << 24 };

/* Zeros are the defaults. */
typedef struct ob_fleet_params {
    size_t size; /* sizeof(ob_fleet_params) */
    double threshold, error_rate;
    const char *ignore; /* "kernel,microcode": what may differ from node to node; NULL = nothing */
} ob_fleet_params;

/* What a node is: enum name, word, whether it is sick, meaning. The graver one counts. */
#define OB_FLEET_STATE_MAP(X)                                                                      \
    X(HEALTHY, "healthy", 0, "like the nodes of its class")                                        \
    X(UNDECIDED, "undecided", 0, "too little to compare with, or slower by what may be chance")    \
    X(DIFFERENT, "different", 1, "other hardware or software than most nodes")                     \
    X(NOISY, "noisy", 1, "its times scatter more than those of its class")                         \
    X(SLOW, "slow", 1, "surely slower than its class by more than the threshold")                  \
    X(FAILING, "failing", 1, "cases fail that run on most nodes")

typedef enum ob_fleet_state {
#define OB_FLEET_STATE_ENUM(id, word, sick, help) OB_FLEET_##id,
    OB_FLEET_STATE_MAP(OB_FLEET_STATE_ENUM)
#undef OB_FLEET_STATE_ENUM
        OB_FLEET_STATE_COUNT
} ob_fleet_state;
const char *ob_fleet_state_word(ob_fleet_state state);
bool ob_fleet_state_is_sick(ob_fleet_state state);

/* How a node stands beside its class, as shares of the class's times: 0.03 = 3 % more. NaN: not known. */
typedef struct ob_fleet_value {
    double deviation;
    double low,
        high; /* all intervals of a healthy fleet hold the truth, except for the error rate */
    uint64_t cases;
    bool slow; /* beyond the threshold, and surely */
} ob_fleet_value;

/* A node after ob_fleet_judge. Texts live as long as the fleet. */
typedef struct ob_fleet_node {
    size_t size; /* sizeof(ob_fleet_node): set by the library */
    const char *name;
    ob_fleet_state state;
    const char *why;         /* "" = nothing to say */
    const char *differences; /* "kernel: Linux 6.1, most have Linux 6.5"; "" = none */
    const char *class_text;  /* hardware and libraries that it is compared within */
    uint64_t class_nodes;    /* nodes in it */
    uint64_t results, failed;
    const ob_fleet_value *groups; /* one per group: ob_fleet_group */
    ob_fleet_value lost;          /* time that disturbances cost, beyond the class's */
    double scatter; /* of its times from case to case, in units of the class's; NaN: not known */
    double foreign, steal; /* shares of its CPUs that others had; NaN: not known */
} ob_fleet_node;

ob_status ob_fleet_create(const ob_fleet_params *params, ob_fleet **out,
                          ob_err *err); /* NULL = defaults */
void ob_fleet_destroy(ob_fleet *fleet); /* NULL is allowed */
/* Records of any kind, in the order of their files: results are of the node of the header before them. OB_ERR_LIMIT: more nodes or
 * cases than are taken. */
ob_status ob_fleet_add(ob_fleet *fleet, const ob_record *record, ob_err *err);
/* A file ends here: results after it belong to no node until the next header. */
void ob_fleet_end_file(ob_fleet *fleet);
size_t ob_fleet_node_count(const ob_fleet *fleet);
/* Decides. After the last record, once. OB_ERR_NOT_FOUND: no case was measured on two nodes. */
ob_status ob_fleet_judge(ob_fleet *fleet, ob_err *err);

/* After ob_fleet_judge: the sickest first, then by their names. NULL = no more. */
const ob_fleet_node *ob_fleet_at(const ob_fleet *fleet, size_t index);
size_t ob_fleet_count_state(const ob_fleet *fleet, ob_fleet_state state);
size_t ob_fleet_count_sick(const ob_fleet *fleet);
/* "memory", "cache", "compute f32", "overhead", "other": those that there are. NULL = no more. */
const char *ob_fleet_group(const ob_fleet *fleet, size_t index);
size_t ob_fleet_group_cases(const ob_fleet *fleet, size_t index);
/* The least slowdown that would have been called, in the largest class: a share. NaN: none would. */
double ob_fleet_group_limit(const ob_fleet *fleet, size_t index);
/* What the reader should know. NULL = no more. */
const char *ob_fleet_note(const ob_fleet *fleet, size_t index);

#ifdef __cplusplus
}
#endif
#endif
