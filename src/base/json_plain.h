/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of bytes that stand in a JSON string as they are, which is nearly all of them: eight at a time.
 */
#ifndef OB_BASE_JSON_PLAIN_H
#define OB_BASE_JSON_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether one of eight bytes ends the fast run through a string: quote, backslash, control, not ASCII. A byte
 * behind the first such may be taken for one too, which the caller does not see. */
static inline uint64_t ob__json_special_bytes(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    const uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\';
    return (bytes | (bytes - ones * 0x20) | (quote - ones) | (backslash - ones)) & tops;
}

/* The first such byte from p on, before end; end if there is none. */
static inline const char *ob__json_plain_end(const char *p, const char *end)
{
    uint64_t bytes;
    for (; end - p >= (ptrdiff_t)sizeof bytes; p += sizeof bytes) {
        memcpy(&bytes, p, sizeof bytes);
        const uint64_t special = ob__json_special_bytes(bytes);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (special != 0) /* the first byte is the lowest */
            return p + __builtin_ctzll(special) / 8;
#else
        if (special != 0)
            break;
#endif
    }
    while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
           *p != '\\')
        p++;
    return p;
}

#endif
