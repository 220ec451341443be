/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether this machine is fit to measure: a table of checks, each with what it found, what that costs, and the command
 * that cures it.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_DOCTOR_H
#define OPBENCH_DOCTOR_H

#include "opbench/json.h"
#include "opbench/machine.h"
#include "opbench/measure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* enum name, word */
#define OB_FINDING_MAP(X)                                                                          \
    X(OK, "ok")                                                                                    \
    X(HIDDEN, "not visible")                                                                       \
    X(WARNING, "warning")                                                                          \
    X(BAD, "bad")

/* From the best to the worst. HIDDEN: the machine does not say, as in most virtual ones. WARNING: worth knowing, or
 * something cannot be had. BAD: it spoils measurements. */
typedef enum ob_finding_level {
#define OB_FINDING_ENUM(id, word) OB_FINDING_##id,
    OB_FINDING_MAP(OB_FINDING_ENUM)
#undef OB_FINDING_ENUM
        OB_FINDING_LEVEL_COUNT
} ob_finding_level;

const char *ob_finding_level_word(ob_finding_level level);

/* Texts are "" where there is nothing to say. */
typedef struct ob_finding {
    size_t size;       /* sizeof(ob_finding) */
    const char *check; /* "governor"; static */
    ob_finding_level level;
    char text[384]; /* what was found */
    char cost[384]; /* what it does to measurements */
    char fix[384];  /* a command to type, or what to do */
} ob_finding;

typedef struct ob_findings ob_findings;

typedef struct ob_doctor_params {
    size_t size;            /* sizeof(ob_doctor_params) */
    const char *root;       /* put before "/proc" and "/sys"; NULL = "" */
    const ob_cpu_set *cpus; /* those that are measured on; NULL = ob_cpu_set_usable */
    double
        seconds; /* to look at load, steal and the like; 0 = only what is there at once, below 5 ms */
} ob_doctor_params;

/* A finding per check that applies. params NULL = zeros. */
ob_status ob_doctor_examine(const ob_doctor_params *params, ob_findings **out, ob_err *err);
/* Adds a finding per library that caps has looked at. */
ob_status ob_findings_add_libraries(ob_findings *findings, const ob_library_caps *caps,
                                    ob_err *err);
/* Adds a copy. */
ob_status ob_findings_add(ob_findings *findings, const ob_finding *finding, ob_err *err);
void ob_findings_destroy(ob_findings *findings); /* NULL is allowed */
size_t ob_findings_count(const ob_findings *findings);
const ob_finding *ob_findings_at(const ob_findings *findings, size_t index);
ob_finding_level ob_findings_worst(const ob_findings *findings);
/* An array with an object per finding of at least this level; NULL: memory is out. */
const ob_json *ob_findings_json(const ob_findings *findings, ob_finding_level least,
                                ob_json_doc *doc);

/* ---- the last self-test of verdicts, kept per machine ---- */

/* An object that knows what it was measured under, to add the results to; NULL: memory is out. */
ob_json *ob_self_test_new(ob_json_doc *doc);
ob_status ob_self_test_write(const ob_json *result, ob_err *err);
/* The root is the object. OB_ERR_NOT_FOUND when there was none, OB_ERR_SYNTAX when the file is not ours. */
ob_status ob_self_test_read(ob_json_doc **out, ob_err *err);
/* How far the same code at another place was off for good on that machine, as a share; 0 = not at all. */
double ob_self_test_floor(const ob_json *result);

#ifdef __cplusplus
}
#endif
#endif
