/* SPDX-License-Identifier: Apache-2.0
 *
 * What the checks of the doctor look at, and how they say what they found.
 */
#ifndef OB_MACHINE_DOCTOR_INT_H
#define OB_MACHINE_DOCTOR_INT_H

#include "measure/proc.h"
#include "opbench/doctor.h"

/* Counters that move while something is wrong. */
typedef struct ob_doctor_reading {
    uint64_t swapped;      /* pages, both ways */
    uint64_t throttled;    /* periods in which the control group was stopped */
    uint64_t slowed;       /* times that a usable CPU slowed down for its heat */
    ob_cpu_ticks siblings; /* of CPUs that share a core with ours and are not ours */
} ob_doctor_reading;

/* A control group's share of the CPUs. */
typedef struct ob_quota {
    double cpus;    /* INFINITY = as many as there are */
    char file[512]; /* that says so */
} ob_quota;

typedef struct ob_doctor_facts {
    const char *root;
    ob_cpu_set cpus, siblings;
    ob_system system;
    ob_quota quota;
    double seconds; /* that were looked at; 0 = none */
    ob_doctor_reading before, after;
    ob_noise noise;
} ob_doctor_facts;

/* What is there at once. */
ob_status ob__doctor_facts_read(const char *root, const ob_cpu_set *cpus, ob_doctor_facts *out,
                                ob_err *err);
/* Looks for so long. */
ob_status ob__doctor_facts_watch(ob_doctor_facts *facts, double seconds, ob_err *err);
/* A number behind a name and a blank or colon in a file of the kernel; false: it is not there. */
bool ob__doctor_named(const ob_doctor_facts *facts, const char *path, const char *name,
                      uint64_t *out);

typedef struct ob_check_row {
    const char *name;
    bool takes_time; /* looks at what happened while the machine was watched */
    /* Fills level and texts; false: it does not apply here. */
    bool (*look)(const ob_doctor_facts *facts, ob_finding *out);
} ob_check_row;

extern const ob_check_row ob__check_rows[];
extern const size_t ob__check_row_count;

#endif
