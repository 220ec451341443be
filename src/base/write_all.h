/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing to a descriptor until all is written, which one write() need not do.
 */
#ifndef OB_BASE_WRITE_ALL_H
#define OB_BASE_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>

/* False: errno says why. */
bool ob__write_all(int fd, const void *data, size_t size);

#endif
