/* SPDX-License-Identifier: Apache-2.0
 *
 * See write_all.h.
 */
#include "base/write_all.h"

#include <errno.h>
#include <unistd.h>

bool ob__write_all(int fd, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        const ssize_t wrote = write(fd, from, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        size -= (size_t)wrote;
    }
    return true;
}
