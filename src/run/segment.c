/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory under a name, for a worker that a profiler starts.
 */
#include "run/segment.h"

#include "base/text_append.h"
#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 16, MOST_SEGMENT_BYTES = 1 << 30 };

static ob_status fill_segment(int fd, const void *data, size_t size, ob_err *err)
{
    if (!ob__write_all(fd, data, size))
        return ob_err_set(err, OB_ERR_IO, "shared memory cannot be written: %s", strerror(errno));
    return OB_OK;
}

ob_status ob__segment_make(const void *data, size_t size, ob_segment *out, ob_err *err)
{
    char path[sizeof out->name + 1];
    int fd = -1;
    out->name[0] = '\0';
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < MOST_NAMES; i++) {
        uint64_t secret;
        if (getrandom(&secret, sizeof secret, 0) != (ssize_t)sizeof secret)
            break;
        snprintf(path, sizeof path, "/opbench_%ld_%016llx", (long)getpid(),
                 (unsigned long long)secret);
        fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    }
    if (fd < 0)
        return ob_err_set(err, OB_ERR_IO, "no shared memory for the batch: %s", strerror(errno));
    memcpy(out->name, path + 1, strlen(path));
    const ob_status status = fill_segment(fd, data, size, err);
    close(fd);
    if (status != OB_OK)
        ob__segment_remove(out);
    return status;
}

void ob__segment_remove(ob_segment *segment)
{
    char path[sizeof segment->name + 1];
    if (segment->name[0] == '\0')
        return;
    snprintf(path, sizeof path, "/%s", segment->name);
    shm_unlink(path);
    segment->name[0] = '\0';
}

ob_status ob__segment_read(const char *name, ob_text *text, ob_err *err)
{
    char path[256];
    struct stat st = {0};
    while (*name == '/')
        name++;
    snprintf(path, sizeof path, "/%s", name);
    const int fd = shm_open(path, O_RDONLY, 0);
    if (fd < 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no shared memory \"%s\": %s", name,
                          strerror(errno));
    ob_status status = OB_OK;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MOST_SEGMENT_BYTES)
        status =
            ob_err_set(err, OB_ERR_INVALID, "shared memory \"%s\" does not hold a batch", name);
    text->size = 0;
    if (status == OB_OK && !ob_text_reserve(text, (size_t)st.st_size + 1))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the batch");
    while (status == OB_OK && text->size < (size_t)st.st_size) {
        const ssize_t got = read(fd, text->data + text->size, (size_t)st.st_size - text->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            status = ob_err_set(err, OB_ERR_IO, "shared memory \"%s\" cannot be read", name);
        else
            text->size += (size_t)got;
    }
    close(fd);
    return status;
}
