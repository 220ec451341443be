/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing protocol buffers; see proto.h.
 */
#include "proto.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

void ort_bytes_fini(ort_bytes *bytes)
{
    free(bytes->data);
    *bytes = (ort_bytes){.data = NULL};
}

void ort_bytes_append(ort_bytes *bytes, const void *data, size_t size)
{
    if (bytes->failed || size == 0)
        return;
    if (size > SIZE_MAX - bytes->size ||
        !OB_RESERVE(bytes->data, bytes->capacity, bytes->size + size)) {
        bytes->failed = true;
        return;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_varint(ort_bytes *to, uint64_t value)
{
    uint8_t bytes[10];
    size_t count = 0;
    do {
        bytes[count] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
        count++;
    } while (value != 0);
    ort_bytes_append(to, bytes, count);
}

static void put_tag(ort_bytes *to, uint32_t field, uint32_t wire)
{
    put_varint(to, (uint64_t)field << 3 | wire);
}

void ort_put_int(ort_bytes *to, uint32_t field, int64_t value)
{
    put_tag(to, field, WIRE_VARINT);
    put_varint(to, (uint64_t)value);
}

void ort_put_float(ort_bytes *to, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                              (uint8_t)(bits >> 24)};
    put_tag(to, field, WIRE_FIXED32);
    ort_bytes_append(to, bytes, sizeof bytes);
}

void ort_put_bytes(ort_bytes *to, uint32_t field, const void *data, size_t size)
{
    put_tag(to, field, WIRE_BYTES);
    put_varint(to, size);
    ort_bytes_append(to, data, size);
}

void ort_put_string(ort_bytes *to, uint32_t field, const char *text)
{
    ort_put_bytes(to, field, text, strlen(text));
}

void ort_put_message(ort_bytes *to, uint32_t field, ort_bytes *message)
{
    to->failed = to->failed || message->failed;
    ort_put_bytes(to, field, message->data, message->size);
    message->size = 0;
}
