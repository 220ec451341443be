/* SPDX-License-Identifier: Apache-2.0
 *
 * What supervisor and worker share: what they say to each other (process/wire.h), and memory that says which case is
 * under way and what was measured of it, readable after the worker's death.
 */
#ifndef OB_RUN_WORKER_STATE_H
#define OB_RUN_WORKER_STATE_H

#include "process/wire.h"
#include "run/sample_log.h"

#include <stdatomic.h>

/* Cases [first, first + count) of the config. */
typedef struct ob_lease {
    uint64_t first, count;
} ob_lease;

/* In front of the text that says why a worker cannot be opened. */
typedef struct ob_refusal {
    int32_t status; /* ob_status */
} ob_refusal;

#define OB_NO_CASE UINT64_MAX

/* Shared memory, written by the worker but for `stop` and `has_samples`. */
typedef struct ob_state_page {
    _Atomic uint64_t case_index; /* under way; OB_NO_CASE between cases */
    _Atomic uint64_t started_ns; /* of that case, monotonic */
    _Atomic uint32_t stop;       /* the supervisor asks to end after the present case */
    _Atomic uint32_t
        has_samples;       /* the memory reaches to the next field: not under a small limit of
                                   * file sizes (ulimit -f) */
    ob_sample_log samples; /* of that case */
} ob_state_page;

enum { OB_MOST_OUTPUT = 4096 }; /* bytes of what was printed that a record keeps */

#endif
