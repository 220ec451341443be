/* SPDX-License-Identifier: Apache-2.0
 *
 * Framed messages. The mark in front of each tells garbage (a library that writes to a descriptor that
 * is not its own) from a message.
 */
#include "process/wire.h"

#include "base/text_append.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

typedef struct head {
    uint32_t mark;
    uint16_t version, type;
    uint32_t size, check;
} head;

static const uint32_t MARK = 0x4f424d53; /* "OBMS" */

static const uint32_t MOST_BYTES[OB_MESSAGE_COUNT] = {
#define MOST_OF(name, most) [OB_MESSAGE_##name] = (most),
    OB_MESSAGE_MAP(MOST_OF)
#undef MOST_OF
};

size_t ob__wire_most_bytes(ob_message type)
{
    return MOST_BYTES[type];
}

static uint32_t check_of(const head *h)
{
    return h->mark ^ (h->type * 2654435761u) ^ (h->size * 40503u);
}

static bool is_head(const head *h)
{
    return h->mark == MARK && h->version == OB_WIRE_VERSION && h->check == check_of(h) &&
           h->type > OB_MESSAGE_NONE && h->type < OB_MESSAGE_COUNT &&
           h->size <= MOST_BYTES[h->type];
}

static ob_status not_ours(ob_err *err)
{
    return ob_err_set(err, OB_ERR_SYNTAX,
                      "something other than messages came over the worker's descriptor");
}

ob_status ob__wire_send(int fd, ob_message type, const void *data, size_t size, ob_err *err)
{
    if (type >= OB_MESSAGE_COUNT || size > MOST_BYTES[type])
        return ob_err_set(err, OB_ERR_LIMIT, "a message of %zu bytes is too long", size);
    head h = {
        .mark = MARK, .version = OB_WIRE_VERSION, .type = (uint16_t)type, .size = (uint32_t)size};
    h.check = check_of(&h);
    struct iovec parts[] = {{.iov_base = &h, .iov_len = sizeof h},
                            {.iov_base = (void *)data, .iov_len = size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    for (size_t left = sizeof h + size; left > 0;) {
        const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return ob_err_set(err, OB_ERR_IO, "the other process cannot be reached: %s",
                              strerror(errno));
        left -= (size_t)sent;
        for (size_t i = 0, skip = (size_t)sent; i < 2; i++) {
            const size_t part = skip < parts[i].iov_len ? skip : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            skip -= part;
        }
    }
    return OB_OK;
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
    if (!is_head(&h))
        return not_ours(err);
    if (!ob_text_reserve(data, (size_t)h.size + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a message");
    OB_TRY(receive_all(fd, data->data, h.size, err));
    data->size = h.size;
    data->data[h.size] = '\0';
    *type = (ob_message)h.type;
    return OB_OK;
}

/* ---- without blocking ---- */

void ob__wire_inbox_reset(ob_wire_inbox *inbox)
{
    inbox->bytes.size = inbox->start = 0;
    inbox->ended = false;
}

ob_status ob__wire_fill(ob_wire_inbox *inbox, int fd, ob_err *err)
{
    enum { PIECE = 64 << 10 };
    ob_text *bytes = &inbox->bytes;
    if (inbox->start > 0) {
        memmove(bytes->data, bytes->data + inbox->start, bytes->size - inbox->start);
        bytes->size -= inbox->start;
        inbox->start = 0;
    }
    if (!ob_text_reserve(bytes, PIECE))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a message");
    const ssize_t got = recv(fd, bytes->data + bytes->size, PIECE, MSG_DONTWAIT);
    if (got > 0)
        bytes->size += (size_t)got;
    else if (got == 0 || errno == ECONNRESET)
        inbox->ended = true;
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        return ob_err_set(err, OB_ERR_IO, "the other process cannot be read: %s", strerror(errno));
    return OB_OK;
}

ob_status ob__wire_next(ob_wire_inbox *inbox, ob_wire_message *out, ob_err *err)
{
    const size_t there = inbox->bytes.size - inbox->start;
    head h;
    if (there < sizeof h)
        return OB_END;
    const char *at = inbox->bytes.data + inbox->start;
    memcpy(&h, at, sizeof h);
    if (!is_head(&h))
        return not_ours(err);
    if (there - sizeof h < h.size)
        return OB_END;
    *out = (ob_wire_message){.type = (ob_message)h.type, .data = at + sizeof h, .size = h.size};
    inbox->start += sizeof h + h.size;
    return OB_OK;
}
