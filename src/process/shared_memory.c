/* SPDX-License-Identifier: Apache-2.0
 *
 * Files in memory, sealed against what would harm whoever maps or trusts them.
 */
#include "process/shared_memory.h"

#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static ob_status fail(const char *name, int fd, ob_err *err)
{
    const int why = errno;
    if (fd >= 0)
        close(fd);
    if (why == EFBIG)
        return ob_err_set(err, OB_ERR_IO,
                          "%s exceeds the limit on file sizes, which also applies to files in "
                          "memory; raise it (ulimit -f)",
                          name);
    return ob_err_set(err, OB_ERR_IO, "no memory for %s: %s", name, strerror(why));
}

ob_status ob__memory_file(const char *name, int *out, ob_err *err)
{
    *out = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return *out >= 0 ? OB_OK : fail(name, -1, err);
}

ob_status ob__sealed_file(const char *name, const void *data, size_t size, int *out, ob_err *err)
{
    OB_TRY(ob__memory_file(name, out, err));
    if (ob__write_all(*out, data, size) &&
        fcntl(*out, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return OB_OK;
    const int fd = *out;
    *out = -1;
    return fail(name, fd, err);
}

ob_status ob__shared_memory_make(const char *name, size_t size, ob_shared_memory *out, ob_err *err)
{
    *out = OB_NO_MEMORY;
    int fd;
    OB_TRY(ob__memory_file(name, &fd, err));
    void *at = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return fail(name, fd, err);
    *out = (ob_shared_memory){.at = at, .size = size, .fd = fd};
    return OB_OK;
}

void ob__shared_memory_close(ob_shared_memory *memory)
{
    if (memory->at != NULL)
        munmap(memory->at, memory->size);
    if (memory->fd >= 0)
        close(memory->fd);
    *memory = OB_NO_MEMORY;
}

void *ob__shared_memory_take(int fd, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int why = errno;
    close(fd);
    errno = why;
    return at == MAP_FAILED ? NULL : at;
}
