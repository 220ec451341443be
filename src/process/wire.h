/* SPDX-License-Identifier: Apache-2.0
 *
 * Framed messages between this program and the processes that it starts: workers, snippets, trials. Each has
 * a head with a mark, the version of this format, its type and its size, which has a limit for each type: whoever reads
 * never waits for, or makes room for, more than that.
 */
#ifndef OB_PROCESS_WIRE_H
#define OB_PROCESS_WIRE_H

#include "opbench/status.h"
#include "opbench/text.h"

#include <stdbool.h>
#include <stdint.h>

/* runners/python/snippet.py has these too. */
enum { OB_WIRE_VERSION = 1 };

/* Type, most bytes. */
#define OB_MESSAGE_MAP(X)                                                                          \
    X(READY, 1 << 20)    /* worker: the backend is open; its properties as JSON */                 \
    X(REFUSED, 64 << 10) /* worker: it cannot be opened; ob_refusal, and why as text */            \
    X(RECORD, 256 << 20) /* worker: one record line */                                             \
    X(IDLE, 0)           /* worker: the lease is done */                                           \
    X(LEASE, 64 << 10)   /* supervisor: ob_lease, and ob_lost_part any number of times */          \
    X(ASK, 64 << 20)     /* to a snippet: its task, or a request */                                \
    X(ANSWER, 256)       /* snippet: numbers as text */                                            \
    X(FAILED, 64 << 10)  /* snippet, trial, plug-in: why not, as text */                           \
    X(CANNOT, 64 << 10)  /* snippet, plug-in: why its code can never be run this way */            \
    X(OPENED, 64 << 10)  /* trial: what was opened, as text, and its files */                      \
    X(PARTS, 256 << 20)  /* worker: record lines of a case's parts, before its own */              \
    X(PLUGIN, 16 << 20)  /* trial: what a plug-in registered, as JSON (plugin/plugin_report.h) */  \
    X(SCHEMAS, 16 << 20) /* trial: [schema, why it is not run, or null], any number of times */    \
    X(HELLO, 256)        /* worker: before all else, ob_hello */                                   \
    X(WALK, 256 << 20)   /* to who has a plug-in's code: a question as JSON (plugin/walker.h) */   \
    X(WALKED, 64 << 20)  /* its answer */

typedef enum ob_message {
    OB_MESSAGE_NONE, /* no message has this type */
#define OB_MESSAGE_ENUM(name, most) OB_MESSAGE_##name,
    OB_MESSAGE_MAP(OB_MESSAGE_ENUM)
#undef OB_MESSAGE_ENUM
        OB_MESSAGE_COUNT
} ob_message;

/* That a message of this type may have. */
size_t ob__wire_most_bytes(ob_message type);
/* Blocks until all is written. */
ob_status ob__wire_send(int fd, ob_message type, const void *data, size_t size, ob_err *err);
/* Blocks until a whole message is there; its bytes replace *data. For a process that has nothing to do but what this
 * program says. OB_END when the other side is gone; OB_ERR_SYNTAX when something else than a message came. */
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
