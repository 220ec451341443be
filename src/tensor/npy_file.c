/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading .npy files. The command line names one once and several processes read it, so that each looks whether it is
 * still the same.
 */
#include "tensor/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { PIECE = 1 << 20 };

/* A pipe or a device would be read for ever. */
static ob_status open_file(const char *path, int *fd, uint64_t *size, ob_err *err)
{
    struct stat what;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 || fstat(*fd, &what) != 0) {
        const int reason = errno;
        if (*fd >= 0)
            close(*fd);
        return ob_err_set(err, OB_ERR_IO, "%s cannot be read: %s; check the path", path,
                          strerror(reason));
    }
    if (!S_ISREG(what.st_mode)) {
        close(*fd);
        return ob_err_set(err, OB_ERR_IO, "%s is not a regular file; name a .npy file", path);
    }
    *size = (uint64_t)what.st_size;
    return OB_OK;
}

static ob_status read_all(int fd, const char *path, char *to, size_t size, ob_err *err)
{
    while (size > 0) {
        const ssize_t got = read(fd, to, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return ob_err_set(err, OB_ERR_IO, "%s cannot be read: %s", path,
                              got < 0 ? strerror(errno) : "it became shorter");
        to += got;
        size -= (size_t)got;
    }
    return OB_OK;
}

static ob_status look_at(int fd, const char *path, uint64_t size, char *piece, XXH64_state_t *state,
                         ob_npy *out, ob_err *err)
{
    XXH64_reset(state, 0);
    for (uint64_t at = 0; at < size || at == 0;) {
        const size_t length = size - at < PIECE ? (size_t)(size - at) : PIECE;
        OB_TRY(read_all(fd, path, piece, length, err));
        if (at == 0)
            OB_TRY(ob__npy_read_head(path, piece, length, size, out, err));
        XXH64_update(state, piece, length);
        at += length;
    }
    out->hash = XXH64_digest(state);
    return OB_OK;
}

ob_status ob__npy_look(const char *path, ob_npy *out, ob_err *err)
{
    int fd = -1;
    uint64_t size = 0;
    OB_TRY(open_file(path, &fd, &size, err));
    char *piece = malloc(PIECE);
    XXH64_state_t *state = XXH64_createState();
    const ob_status status = piece != NULL && state != NULL
                                 ? look_at(fd, path, size, piece, state, out, err)
                                 : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    XXH64_freeState(state);
    free(piece);
    close(fd);
    return status;
}

/* ---- data ---- */

static void swap_bytes(char *data, uint64_t size, size_t width)
{
    for (uint64_t at = 0; at + width <= size; at += width)
        for (size_t i = 0; i < width / 2; i++) {
            const char kept = data[at + i];
            data[at + i] = data[at + width - 1 - i];
            data[at + width - 1 - i] = kept;
        }
}

/* In this machine's order; a bool that is neither 0 nor 1 would be undefined behaviour in whoever reads it. */
static void make_native(const ob_npy *npy, char *data)
{
    const size_t size = ob_dtype_size(npy->dtype);
    const bool is_complex = ob_dtype_get_info(npy->dtype)->cls == OB_DTYPE_CLASS_COMPLEX;
    if (npy->is_swapped)
        swap_bytes(data, npy->data_bytes, is_complex ? size / 2 : size);
    for (uint64_t i = 0; npy->dtype == OB_DTYPE_BOOL && i < npy->data_bytes; i++)
        data[i] = data[i] != 0;
}

static ob_status load_from(int fd, const char *path, uint64_t size, const ob_npy *npy, char *data,
                           ob_err *err)
{
    char *head = malloc(npy->data_at + 1);
    XXH64_state_t *state = XXH64_createState();
    bool same = size == npy->data_at + npy->data_bytes;
    ob_status status =
        head != NULL && state != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (status == OB_OK && same)
        status = read_all(fd, path, head, npy->data_at, err);
    if (status == OB_OK && same)
        status = read_all(fd, path, data, npy->data_bytes, err);
    if (status == OB_OK && same) {
        XXH64_reset(state, 0);
        XXH64_update(state, head, npy->data_at);
        XXH64_update(state, data, npy->data_bytes);
        same = XXH64_digest(state) == npy->hash;
    }
    XXH64_freeState(state);
    free(head);
    if (status == OB_OK && !same)
        return ob_err_set(err, OB_ERR_STATE,
                          "%s has changed since the run began; start again, and leave the file "
                          "alone until the run ends",
                          path);
    if (status == OB_OK)
        make_native(npy, data);
    return status;
}

ob_status ob__npy_load(const char *path, const ob_npy *npy, void *data, ob_err *err)
{
    int fd = -1;
    uint64_t size = 0;
    OB_TRY(open_file(path, &fd, &size, err));
    const ob_status status = load_from(fd, path, size, npy, data, err);
    close(fd);
    return status;
}
