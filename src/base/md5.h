/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5, for hashes that other tools wrote down. It protects nothing.
 */
#ifndef OB_BASE_MD5_H
#define OB_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

typedef struct ob_md5 {
    uint32_t state[4];
    uint64_t size_bytes;
    uint8_t block[64];
} ob_md5;

void ob__md5_init(ob_md5 *md5);
void ob__md5_add(ob_md5 *md5, const void *data, size_t size);
/* 32 hexadecimal digits and a NUL. */
void ob__md5_end(ob_md5 *md5, char hex[33]);

#endif
