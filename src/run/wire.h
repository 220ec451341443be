/* SPDX-License-Identifier: Apache-2.0
 *
 * What supervisor and worker share: a socket with framed messages, and memory that says which case is
 * under way and what was measured of it, readable after the worker's death.
 */
#ifndef OB_RUN_WIRE_H
#define OB_RUN_WIRE_H

#include "opbench/status.h"
#include "opbench/text.h"
#include "run/sample_log.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum ob_message {
    OB_MESSAGE_READY = 1, /* worker: the backend is open; its properties as JSON */
    OB_MESSAGE_REFUSED,   /* worker: it cannot be opened; ob_refusal, and why as text */
    OB_MESSAGE_RECORD,    /* worker: one record line */
    OB_MESSAGE_IDLE,      /* worker: the lease is done */
    OB_MESSAGE_LEASE,     /* supervisor: ob_lease */
} ob_message;

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

enum {
    OB_WIRE_MAX_BYTES = 1 << 30,
    OB_MOST_OUTPUT = 4096, /* bytes of what was printed that a record keeps */
};

/* Blocks until all is written. */
ob_status ob__wire_send(int fd, ob_message type, const void *data, size_t size, ob_err *err);
/* Blocks until a whole message is there; its bytes replace *data. OB_END when the other side is gone;
 * OB_ERR_SYNTAX when something else than a message came. */
ob_status ob__wire_receive(int fd, ob_message *type, ob_text *data, ob_err *err);

/* What came and was not looked at yet, for a side that must never block: the other may stop in the
 * middle of a message. Zero is empty. */
typedef struct ob_wire_inbox {
    ob_text bytes;
    size_t start; /* those before it are done with */
    bool ended;   /* the other side is gone */
} ob_wire_inbox;

/* A message inside an inbox, until the next fill. */
typedef struct ob_wire_message {
    ob_message type;
    const char *data;
    size_t size;
} ob_wire_message;

/* Takes some of what is there, without waiting. */
ob_status ob__wire_fill(ob_wire_inbox *inbox, int fd, ob_err *err);
/* OB_END: no whole message yet. OB_ERR_SYNTAX: something else than a message. */
ob_status ob__wire_next(ob_wire_inbox *inbox, ob_wire_message *out, ob_err *err);
/* Empty again, keeps its memory. */
void ob__wire_inbox_reset(ob_wire_inbox *inbox);

#endif
