/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4), for pages that name their own script by its hash.
 */
#ifndef OB_BASE_SHA256_H
#define OB_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { OB_SHA256_BYTES = 32 };

/* Of `count` pieces behind each other. */
void ob__sha256(const void *const *pieces, const size_t *sizes, size_t count,
                uint8_t out[OB_SHA256_BYTES]);

#endif
