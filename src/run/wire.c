/* SPDX-License-Identifier: Apache-2.0
 *
 * Framed messages. The mark in front of each tells garbage (a library that writes to a descriptor that
 * is not its own) from a message.
 */
#include "run/wire.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct head {
    uint32_t mark, type, size, check;
} head;

static const uint32_t MARK = 0x4f424d53; /* "OBMS" */

static uint32_t check_of(const head *h)
{
    return h->mark ^ (h->type * 2654435761u) ^ (h->size * 40503u);
}

static ob_status send_all(int fd, const char *data, size_t size, ob_err *err)
{
    while (size > 0) {
        const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return ob_err_set(err, OB_ERR_IO, "the other process cannot be reached: %s",
                              strerror(errno));
        data += sent;
        size -= (size_t)sent;
    }
    return OB_OK;
}

ob_status ob__wire_send(int fd, ob_message type, const void *data, size_t size, ob_err *err)
{
    head h = {.mark = MARK, .type = (uint32_t)type, .size = (uint32_t)size};
    if (size > OB_WIRE_MAX_BYTES)
        return ob_err_set(err, OB_ERR_LIMIT, "a message of %zu bytes is too long", size);
    h.check = check_of(&h);
    OB_TRY(send_all(fd, (const char *)&h, sizeof h, err));
    return send_all(fd, data, size, err);
}

static ob_status receive_all(int fd, char *data, size_t size, ob_err *err)
{
    while (size > 0) {
        const ssize_t got = recv(fd, data, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno != ECONNRESET)
            return ob_err_set(err, OB_ERR_IO, "the other process cannot be read: %s",
                              strerror(errno));
        if (got <= 0)
            return OB_END;
        data += got;
        size -= (size_t)got;
    }
    return OB_OK;
}

ob_status ob__wire_receive(int fd, ob_message *type, ob_text *data, ob_err *err)
{
    head h;
    data->size = 0;
    OB_TRY(receive_all(fd, (char *)&h, sizeof h, err));
    if (h.mark != MARK || h.check != check_of(&h) || h.size > OB_WIRE_MAX_BYTES)
        return ob_err_set(err, OB_ERR_SYNTAX,
                          "something else than messages came over the worker's descriptor");
    if (!ob__text_reserve(data, (size_t)h.size + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a message");
    OB_TRY(receive_all(fd, data->data, h.size, err));
    data->size = h.size;
    data->data[h.size] = '\0';
    *type = (ob_message)h.type;
    return OB_OK;
}
