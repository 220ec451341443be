/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks whether this machine is fit for measuring. Each check reports what it found, what that
 * costs, and the command that fixes it.
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

/* From best to worst. HIDDEN: the machine does not reveal it, like most virtual machines. WARNING:
 * worth knowing, or something is not available. BAD: it spoils measurements. */
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
    const ob_cpu_set *cpus; /* CPUs that will be measured on; NULL = ob_cpu_set_usable */
    double seconds;         /* to watch load, steal and the like; 0 = a snapshot, below 5 ms */
} ob_doctor_params;

/* Makes a finding for each check that applies. params NULL = all zeros. */
ob_status ob_doctor_examine(const ob_doctor_params *params, ob_findings **out, ob_err *err);
/* Adds a finding for each library that caps has examined. */
ob_status ob_findings_add_libraries(ob_findings *findings, const ob_library_caps *caps,
                                    ob_err *err);
/* Adds a copy. */
ob_status ob_findings_add(ob_findings *findings, const ob_finding *finding, ob_err *err);
void ob_findings_destroy(ob_findings *findings); /* NULL is allowed */
size_t ob_findings_count(const ob_findings *findings);
const ob_finding *ob_findings_at(const ob_findings *findings, size_t index);
ob_finding_level ob_findings_worst(const ob_findings *findings);
/* An array with an object for each finding of at least this level; NULL: out of memory. */
const ob_json *ob_findings_json(const ob_findings *findings, ob_finding_level least,
                                ob_json_doc *doc);

/* ---- the last self-test of verdicts, kept per machine ---- */

/* An object describing the conditions of the measurement, to which the caller adds the results;
 * NULL: out of memory. */
ob_json *ob_self_test_new(ob_json_doc *doc);
ob_status ob_self_test_write(const ob_json *result, ob_err *err);
/* The document's root is that object. OB_ERR_NOT_FOUND: there was no self-test; OB_ERR_SYNTAX: the
 * file is not one. */
ob_status ob_self_test_read(ob_json_doc **out, ob_err *err);
/* How far identical code at another address was consistently off on that machine, as a fraction; 0
 * = not at all. */
double ob_self_test_floor(const ob_json *result);

#ifdef __cplusplus
}
#endif
#endif
