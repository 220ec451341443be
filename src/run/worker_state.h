/* SPDX-License-Identifier: Apache-2.0
 *
 * What supervisor and worker share: what they say to each other (process/wire.h), and memory that says which case is
 * under way and what was measured of it, readable after the worker's death.
 */
#ifndef OB_RUN_WORKER_STATE_H
#define OB_RUN_WORKER_STATE_H

#include "opbench/run.h"
#include "process/wire.h"
#include "run/sample_log.h"

#include <stdatomic.h>

/* Why a worker is gone. */
typedef struct ob_loss {
    ob_record_status status;
    char reason[384];
    char signal[32]; /* "SIGSEGV", or "" */
    int64_t exit_code;
    bool scribbled; /* what it sent was no message: the case is the one whose record did not come */
} ob_loss;

/* What a worker is told to measure. Behind it in the message stand parts of the first case that took a
 * worker down, and are left out: any number of ob_lost_part. */
typedef ob_case_range ob_lease;

typedef struct ob_lost_part {
    int64_t part; /* as whoever made the case numbers them */
    ob_loss why;
} ob_lost_part;
enum { OB_MOST_LOST_PARTS = 100 };

#define OB_NO_PART INT64_MIN

/* Where a case that has parts is. Written by the worker but for `stop`. */
typedef struct ob_part_state {
    _Atomic int64_t part;        /* under way; OB_NO_PART = none */
    _Atomic uint64_t pass;       /* over the parts, from 0, warm-up included */
    _Atomic uint64_t done, size; /* parts of the pass, and how many it has */
    _Atomic uint32_t stop;       /* the supervisor asks to end the case after the present part */
} ob_part_state;

/* Raised when what supervisor and worker say to each other, or a worker's options, change their meaning. */
enum { OB_WORKER_FORMAT = 2 };

/* The first thing that a worker says. It may be of another build: that fits if all but the version is the same. */
typedef struct ob_hello {
    uint32_t worker_format, record_format;
    uint32_t page_bytes, ring_bytes, loss_bytes; /* of what is shared */
    char version[44];
} ob_hello;
ob_hello ob__hello_own(void);
/* Whether a worker of `program` fits. OB_ERR_INVALID names both versions; data may be no hello at all. */
ob_status ob__hello_check(const char *program, const ob_wire_message *message, ob_err *err);

/* In front of the text that says why a worker cannot be opened. */
typedef struct ob_refusal {
    int32_t status; /* ob_status */
} ob_refusal;

#define OB_NO_CASE UINT64_MAX

/* Shared memory, written by the worker but for both `stop` and `has_samples`. */
typedef struct ob_state_page {
    _Atomic uint64_t case_index; /* under way; OB_NO_CASE between cases */
    _Atomic uint64_t started_ns; /* of that case, monotonic */
    _Atomic uint32_t stop;       /* the supervisor asks to end after the present case */
    ob_part_state parts;         /* of that case */
    _Atomic uint32_t
        has_samples;       /* the memory reaches to the next field: not under a small limit of
                                   * file sizes (ulimit -f) */
    ob_sample_log samples; /* of that case */
} ob_state_page;

enum { OB_MOST_OUTPUT = 4096 }; /* bytes of what was printed that a record keeps */

#endif
