/* SPDX-License-Identifier: Apache-2.0
 *
 * The one message that a trial has to say.
 */
#include "process/answer.h"

#include <poll.h>

bool ob__process_ended_by(ob_process *process, double end_s)
{
    const double left_s = end_s - ob__now_s();
    return ob__process_wait(process, left_s > 0 ? left_s : 0);
}

ob_status ob__process_answer(ob_process *process, ob_wire_inbox *inbox, double end_s,
                             size_t most_bytes, ob_wire_message *out)
{
    ob_status status;
    while ((status = ob__wire_next(inbox, out, NULL)) == OB_END) {
        struct pollfd ready = {.fd = process->socket, .events = POLLIN};
        const double left_ms = (end_s - ob__now_s()) * 1000;
        if (inbox->bytes.size > most_bytes)
            return OB_ERR_LIMIT;
        if (inbox->ended || poll(&ready, 1, left_ms > 0 ? (int)left_ms + 1 : 0) == 0)
            return OB_END;
        if (ob__wire_fill(inbox, process->socket, NULL) != OB_OK)
            return OB_END;
    }
    return status;
}

ob_status ob__process_ask(int (*fn)(void *ctx, int socket), void *ctx, double limit_s,
                          size_t most_bytes, ob_reply *reply, ob_err *err)
{
    const ob_process_params params = {.fn = fn, .ctx = ctx, .talk = true};
    ob_process process;
    *reply = (ob_reply){.said = {.type = OB_MESSAGE_NONE}};
    OB_TRY(ob__process_start(&params, &process, err));
    const double end_s = ob__now_s() + limit_s;
    ob_wire_message said;
    reply->status = ob__process_answer(&process, &reply->inbox, end_s, most_bytes, &said);
    if (reply->status == OB_OK)
        reply->said = said;
    reply->ended = reply->status != OB_END || ob__process_ended_by(&process, end_s);
    reply->end = ob__process_end(&process, 0);
    ob__process_close(&process);
    return OB_OK;
}

void ob__reply_fini(ob_reply *reply)
{
    ob_text_fini(&reply->inbox.bytes);
}
