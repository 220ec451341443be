/* SPDX-License-Identifier: Apache-2.0
 *
 * What a record warns of: facts around a measurement that make it doubtful.
 */
#ifndef OB_RUN_WARNINGS_H
#define OB_RUN_WARNINGS_H

#include "opbench/record.h"

/* One row per warning that a record can hold; two of them come once per pass. */
enum { OB_MOST_WARNINGS = 12, OB_WARNING_BYTES = 256 };

/* Owns the texts that a record points to. */
typedef struct ob_warnings {
    char texts[OB_MOST_WARNINGS][OB_WARNING_BYTES];
    const char *items[OB_MOST_WARNINGS];
    size_t count;
} ob_warnings;

/* What the record itself does not say. */
typedef struct ob_warning_facts {
    const char *no_backward;       /* why it was left out; NULL = it was not */
    const char *schema_difference; /* "" or NULL = none */
    bool nothing_measured;         /* -i 0 */
    const char *not_checked;       /* why not; NULL = it was, or was not asked for */
    bool own_clock;  /* the backend's time is its own: the machine's noise does not reach it */
    bool own_events; /* samples lie between two events of the device; the clock is not read */
    double clock_overhead_ns; /* 0 = not known */
} ob_warning_facts;

/* Fills warnings anew from the facts and from the record's noise, statistics and floating-point mode,
 * and lets the record point to them; absent if there are none. */
void ob__warnings_fill(ob_warnings *warnings, const ob_warning_facts *facts,
                       ob_record_result *result);

#endif
