/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages over a socket: whole, in pieces, and things that are none.
 */
#include "check.h"

#include "base/text_append.h"
#include "process/wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 16, LARGE = 5 << 20 };

static void open_pair(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        perror("socketpair");
        exit(1);
    }
}

/* The bytes of one message. */
static size_t encode(ob_message type, const char *text, char *out, size_t size)
{
    int pair[2];
    open_pair(pair);
    CHECK_INT(ob__wire_send(pair[0], type, text, strlen(text), NULL), OB_OK);
    close(pair[0]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(pair[1], out + length, size - length)) > 0)
        length += (size_t)got;
    close(pair[1]);
    return length;
}

static void messages_arrive_as_sent(void)
{
    int pair[2];
    ob_text data = {0};
    ob_message type;
    open_pair(pair);
    CHECK_INT(ob__wire_send(pair[0], OB_MESSAGE_RECORD, "abc", 3, NULL), OB_OK);
    CHECK_INT(ob__wire_send(pair[0], OB_MESSAGE_IDLE, "", 0, NULL), OB_OK);
    CHECK_INT(ob__wire_receive(pair[1], &type, &data, NULL), OB_OK);
    CHECK_INT(type, OB_MESSAGE_RECORD);
    CHECK_INT(data.size, 3);
    CHECK_STR(data.data, "abc");
    CHECK_INT(ob__wire_receive(pair[1], &type, &data, NULL), OB_OK);
    CHECK_INT(type, OB_MESSAGE_IDLE);
    CHECK_INT(data.size, 0);
    close(pair[0]);
    CHECK_INT(ob__wire_receive(pair[1], &type, &data, NULL), OB_END);
    close(pair[1]);
    ob_text_fini(&data);
}

static void the_other_side_may_be_gone(void)
{
    int pair[2];
    ob_err err;
    open_pair(pair);
    close(pair[1]);
    CHECK_INT(ob__wire_send(pair[0], OB_MESSAGE_RECORD, "x", 1, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "the other process cannot be reached");
    close(pair[0]);
}

static void an_end_within_a_message_is_the_end(void)
{
    char bytes[64];
    const size_t length = encode(OB_MESSAGE_RECORD, "abc", bytes, sizeof bytes);
    CHECK_INT(length, HEAD + 3);
    for (size_t cut = 0; cut < length; cut++) {
        int pair[2];
        ob_text data = {0};
        ob_message type;
        ob_wire_inbox inbox = {.start = 0};
        ob_wire_message message;
        open_pair(pair);
        CHECK_INT(write(pair[0], bytes, cut), cut);
        close(pair[0]);
        CHECK_INT(ob__wire_fill(&inbox, pair[1], NULL), OB_OK);
        CHECK_INT(ob__wire_next(&inbox, &message, NULL), OB_END);
        CHECK_INT(ob__wire_fill(&inbox, pair[1], NULL), OB_OK);
        CHECK(inbox.ended);
        CHECK_INT(ob__wire_receive(pair[1], &type, &data, NULL), OB_END);
        close(pair[1]);
        ob_text_fini(&data);
        ob_text_fini(&inbox.bytes);
    }
}

static void an_inbox_takes_pieces_of_any_size(void)
{
    char bytes[256];
    size_t length = encode(OB_MESSAGE_RECORD, "first", bytes, sizeof bytes);
    length += encode(OB_MESSAGE_IDLE, "", bytes + length, sizeof bytes - length);
    length += encode(OB_MESSAGE_REFUSED, "no", bytes + length, sizeof bytes - length);
    for (size_t piece = 1; piece <= length; piece++) {
        int pair[2];
        ob_wire_inbox inbox = {.start = 0};
        ob_wire_message message;
        char seen[64] = "";
        open_pair(pair);
        for (size_t at = 0; at < length; at += piece) {
            const size_t size = piece < length - at ? piece : length - at;
            CHECK_INT(write(pair[0], bytes + at, size), size);
            CHECK_INT(ob__wire_fill(&inbox, pair[1], NULL), OB_OK);
            while (ob__wire_next(&inbox, &message, NULL) == OB_OK) {
                char one[32];
                snprintf(one, sizeof one, "%d:%.*s ", (int)message.type, (int)message.size,
                         message.data);
                strncat(seen, one, sizeof seen - strlen(seen) - 1);
            }
        }
        CHECK_STR(seen, "3:first 4: 2:no ");
        CHECK(!inbox.ended);
        close(pair[0]);
        close(pair[1]);
        ob_text_fini(&inbox.bytes);
    }
}

static void an_empty_socket_does_not_block(void)
{
    int pair[2];
    ob_wire_inbox inbox = {.start = 0};
    ob_wire_message message;
    open_pair(pair);
    CHECK_INT(ob__wire_fill(&inbox, pair[1], NULL), OB_OK);
    CHECK(!inbox.ended);
    CHECK_INT(ob__wire_next(&inbox, &message, NULL), OB_END);
    close(pair[0]);
    close(pair[1]);
    ob_text_fini(&inbox.bytes);
}

static void garbage_is_told_from_messages(void)
{
    char bytes[64];
    const size_t length = encode(OB_MESSAGE_RECORD, "abc", bytes, sizeof bytes);
    for (size_t i = 0; i < HEAD; i++) {
        int pair[2];
        ob_wire_inbox inbox = {.start = 0};
        ob_wire_message message;
        ob_text data = {0};
        ob_message type;
        ob_err err;
        bytes[i] = (char)(bytes[i] ^ 0x40);
        open_pair(pair);
        CHECK_INT(write(pair[0], bytes, length), length);
        CHECK_INT(write(pair[0], bytes, length), length);
        CHECK_INT(ob__wire_fill(&inbox, pair[1], NULL), OB_OK);
        CHECK_INT(ob__wire_next(&inbox, &message, &err), OB_ERR_SYNTAX);
        CHECK_HAS(err.message, "something other than messages");
        CHECK_INT(write(pair[0], bytes, length), length);
        CHECK_INT(ob__wire_receive(pair[1], &type, &data, &err), OB_ERR_SYNTAX);
        bytes[i] = (char)(bytes[i] ^ 0x40);
        ob__wire_inbox_reset(&inbox);
        CHECK_INT(ob__wire_next(&inbox, &message, NULL), OB_END);
        close(pair[0]);
        close(pair[1]);
        ob_text_fini(&data);
        ob_text_fini(&inbox.bytes);
    }
}

static void *send_large(void *argument)
{
    char *data = malloc(LARGE);
    if (data != NULL) {
        memset(data, 'x', LARGE);
        ob__wire_send(*(int *)argument, OB_MESSAGE_RECORD, data, LARGE, NULL);
    }
    free(data);
    close(*(int *)argument);
    return NULL;
}

static void a_large_message_comes_in_parts(void)
{
    int pair[2];
    pthread_t thread;
    ob_wire_inbox inbox = {.start = 0};
    ob_wire_message message = {.size = 0};
    open_pair(pair);
    CHECK_INT(pthread_create(&thread, NULL, send_large, &pair[0]), 0);
    while (ob__wire_next(&inbox, &message, NULL) == OB_END && !inbox.ended)
        CHECK_INT(ob__wire_fill(&inbox, pair[1], NULL), OB_OK);
    CHECK_INT(message.size, LARGE);
    CHECK(message.data != NULL && message.data[LARGE - 1] == 'x');
    pthread_join(thread, NULL);
    close(pair[1]);
    ob_text_fini(&inbox.bytes);
}

static void a_message_has_a_largest_size(void)
{
    ob_err err;
    CHECK_INT(ob__wire_send(-1, OB_MESSAGE_RECORD, "", (256 << 20) + 1, &err), OB_ERR_LIMIT);
    CHECK_STR(err.message, "a message of 268435457 bytes is too long");
    CHECK_INT(ob__wire_send(-1, OB_MESSAGE_IDLE, "x", 1, &err), OB_ERR_LIMIT);
}

/* The bytes of a head that is right but for what it says. */
static void forge(uint16_t version, uint16_t type, uint32_t size, char out[HEAD])
{
    const uint32_t mark = 0x4f424d53;
    const uint32_t check = mark ^ (type * 2654435761u) ^ (size * 40503u);
    memcpy(out, &mark, 4);
    memcpy(out + 4, &version, 2);
    memcpy(out + 6, &type, 2);
    memcpy(out + 8, &size, 4);
    memcpy(out + 12, &check, 4);
}

/* Neither waited for nor made room for. */
static void a_forged_head_is_refused_at_once(void)
{
    static const struct {
        uint16_t version, type;
        uint32_t size;
        ob_status want;
    } HEADS[] = {{OB_WIRE_VERSION, OB_MESSAGE_IDLE, 0, OB_OK},
                 {OB_WIRE_VERSION, OB_MESSAGE_RECORD, 1000, OB_END},
                 {OB_WIRE_VERSION, OB_MESSAGE_RECORD, (256 << 20) + 1, OB_ERR_SYNTAX},
                 {OB_WIRE_VERSION, OB_MESSAGE_READY, 2 << 20, OB_ERR_SYNTAX},
                 {OB_WIRE_VERSION, OB_MESSAGE_IDLE, 1, OB_ERR_SYNTAX},
                 {OB_WIRE_VERSION, OB_MESSAGE_NONE, 0, OB_ERR_SYNTAX},
                 {OB_WIRE_VERSION, OB_MESSAGE_COUNT, 0, OB_ERR_SYNTAX},
                 {OB_WIRE_VERSION + 1, OB_MESSAGE_IDLE, 0, OB_ERR_SYNTAX}};
    for (size_t i = 0; i < sizeof HEADS / sizeof *HEADS; i++) {
        int pair[2];
        char head[HEAD];
        ob_wire_inbox inbox = {.start = 0};
        ob_wire_message message;
        open_pair(pair);
        forge(HEADS[i].version, HEADS[i].type, HEADS[i].size, head);
        CHECK_INT(write(pair[0], head, sizeof head), HEAD);
        CHECK_INT(ob__wire_fill(&inbox, pair[1], NULL), OB_OK);
        CHECK_INT(ob__wire_next(&inbox, &message, NULL), HEADS[i].want);
        CHECK(inbox.bytes.capacity < 1 << 20);
        close(pair[0]);
        close(pair[1]);
        ob_text_fini(&inbox.bytes);
    }
}

int main(void)
{
    RUN(messages_arrive_as_sent);
    RUN(the_other_side_may_be_gone);
    RUN(an_end_within_a_message_is_the_end);
    RUN(an_inbox_takes_pieces_of_any_size);
    RUN(an_empty_socket_does_not_block);
    RUN(garbage_is_told_from_messages);
    RUN(a_large_message_comes_in_parts);
    RUN(a_message_has_a_largest_size);
    RUN(a_forged_head_is_refused_at_once);
    return ob_test_end();
}
