/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for what a process has to say, for no longer and no more of it than was thought of.
 */
#ifndef OB_PROCESS_ANSWER_H
#define OB_PROCESS_ANSWER_H

#include "process/process.h"
#include "process/wire.h"

/* What a process said that had one thing to say. */
typedef struct ob_reply {
    ob_status status;     /* OB_OK: it has a message; others as of ob__process_answer */
    ob_wire_message said; /* of type OB_MESSAGE_NONE without one; points into the inbox */
    ob_wire_inbox inbox;
    bool ended; /* of itself, and in time */
    int end;    /* OB_END: how, as waitpid tells it */
} ob_reply;

/* Runs fn, which is given ctx and the socket for its message, in a copy of this process, and ends it. What is returned is
 * whether it could be started; then the reply wants ob__reply_fini. */
ob_status ob__process_ask(int (*fn)(void *ctx, int socket), void *ctx, double limit_s,
                          size_t most_bytes, ob_reply *reply, ob_err *err);
void ob__reply_fini(ob_reply *reply);

/* Its next message, until the monotonic clock shows end_s. OB_END: it said none until then, or until its end.
 * OB_ERR_LIMIT: it goes on beyond so many bytes. OB_ERR_SYNTAX: something else than a message. */
ob_status ob__process_answer(ob_process *process, ob_wire_inbox *inbox, double end_s,
                             size_t most_bytes, ob_wire_message *out);

/* Whether it is over by then, where ob__process_wait would wait for ever once that has passed. */
bool ob__process_ended_by(ob_process *process, double end_s);

#endif
