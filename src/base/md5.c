/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 as RFC 1321 describes it.
 */
#include "base/md5.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, SIZE_AT = 56 };

/* floor(2^32 * abs(sin(i + 1))) */
static const uint32_t SINES[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
static const uint8_t TURNS[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

void ob__md5_init(ob_md5 *md5)
{
    *md5 = (ob_md5){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
}

static uint32_t turn(uint32_t value, unsigned by)
{
    return value << by | value >> (32 - by);
}

/* The function of a round, and which word of the block it takes. */
static uint32_t mix(unsigned i, uint32_t b, uint32_t c, uint32_t d, unsigned *word)
{
    switch (i / 16) {
    case 0:
        *word = i;
        return (b & c) | (~b & d);
    case 1:
        *word = (5 * i + 1) % 16;
        return (d & b) | (~d & c);
    case 2:
        *word = (3 * i + 5) % 16;
        return b ^ c ^ d;
    default:
        *word = 7 * i % 16;
        return c ^ (b | ~d);
    }
}

static void add_block(ob_md5 *md5)
{
    uint32_t words[16];
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *at = md5->block + 4 * i;
        words[i] = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    uint32_t a = md5->state[0], b = md5->state[1], c = md5->state[2], d = md5->state[3];
    for (unsigned i = 0; i < 64; i++) {
        unsigned word;
        const uint32_t f = mix(i, b, c, d, &word) + a + SINES[i] + words[word];
        a = d;
        d = c;
        c = b;
        b += turn(f, TURNS[i / 16][i % 4]);
    }
    md5->state[0] += a;
    md5->state[1] += b;
    md5->state[2] += c;
    md5->state[3] += d;
}

void ob__md5_add(ob_md5 *md5, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size > 0) {
        const size_t used = md5->size_bytes % BLOCK;
        const size_t part = size < BLOCK - used ? size : BLOCK - used;
        memcpy(md5->block + used, from, part);
        md5->size_bytes += part;
        from += part;
        size -= part;
        if (used + part == BLOCK)
            add_block(md5);
    }
}

void ob__md5_end(ob_md5 *md5, char hex[33])
{
    static const uint8_t PADDING[BLOCK] = {0x80};
    const uint64_t bits = 8 * md5->size_bytes;
    const size_t used = md5->size_bytes % BLOCK;
    uint8_t size[8];
    for (unsigned i = 0; i < 8; i++)
        size[i] = (uint8_t)(bits >> 8 * i);
    ob__md5_add(md5, PADDING, used < SIZE_AT ? SIZE_AT - used : BLOCK + SIZE_AT - used);
    ob__md5_add(md5, size, sizeof size);
    for (unsigned i = 0; i < 16; i++)
        snprintf(hex + (size_t)2 * i, 3, "%02x", md5->state[i / 4] >> 8 * (i % 4) & 0xff);
}
