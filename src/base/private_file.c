/* SPDX-License-Identifier: Apache-2.0
 *
 * Under another name first: nobody reads half of a file.
 */
#include "base/private_file.h"

#include "base/cache_folder.h"
#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ob__file_is_private(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* What somebody else put there stays. */
static bool may_replace(const char *path, const char *ours)
{
    char first[64];
    const size_t length = strlen(ours);
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    const bool is_ours = length <= sizeof first && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                         st.st_uid == geteuid() &&
                         (st.st_size == 0 || (read(fd, first, length) == (ssize_t)length &&
                                              memcmp(first, ours, length) == 0));
    close(fd);
    return is_ours;
}

bool ob__file_replace(const char *path, const char *ours, const void *data, size_t size)
{
    char temporary[PATH_MAX];
    const int n = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (n <= 0 || (size_t)n >= sizeof temporary || !ob__make_parents(temporary) ||
        !may_replace(path, ours))
        return false;
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool whole = ob__write_all(fd, data, size);
    close(fd);
    if (whole && rename(temporary, path) == 0)
        return true;
    unlink(temporary);
    return false;
}
