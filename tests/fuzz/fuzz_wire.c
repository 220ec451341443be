/* SPDX-License-Identifier: Apache-2.0
 *
 * What a process that means harm may send: in one piece and in two, the messages are the same, and none is larger than
 * what came.
 */
#include "process/wire.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_BYTES = 60 << 10 }; /* as much as a socket takes at once */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many messages, and whether something else came behind them. */
static size_t take_all(ob_wire_inbox *inbox, size_t size, bool *broken)
{
    ob_wire_message message;
    ob_status status;
    size_t count = 0;
    while (!*broken && (status = ob__wire_next(inbox, &message, NULL)) != OB_END) {
        *broken = status != OB_OK;
        if (status == OB_OK && (message.size > size || message.type == OB_MESSAGE_NONE ||
                                message.type >= OB_MESSAGE_COUNT))
            abort();
        count += status == OB_OK;
    }
    return count;
}

static size_t count_in_pieces(const uint8_t *data, size_t size, size_t first, bool *broken)
{
    int pair[2];
    ob_wire_inbox inbox = {.start = 0};
    size_t count = 0;
    *broken = false;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        abort();
    for (size_t at = 0, step = first; at < size; at += step, step = size - at) {
        if (step > 0 && write(pair[0], data + at, step) != (ssize_t)step)
            abort();
        if (ob__wire_fill(&inbox, pair[1], NULL) != OB_OK)
            abort();
        count += take_all(&inbox, size, broken);
        if (step == 0)
            break;
    }
    ob_text_fini(&inbox.bytes);
    close(pair[0]);
    close(pair[1]);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool broken, broken_too;
    if (size < 2 || size > MOST_BYTES)
        return 0;
    const size_t whole = count_in_pieces(data, size, size, &broken);
    if (count_in_pieces(data, size, 1 + data[0] % (size - 1), &broken_too) != whole ||
        broken != broken_too)
        abort();
    return 0;
}
