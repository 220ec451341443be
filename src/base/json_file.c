/* SPDX-License-Identifier: Apache-2.0
 *
 * A file, or standard input, as the source of a streaming reader.
 */
#include "base/json_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

ob_status ob__json_file_open(ob_json_file *file, const char *path, ob_err *err)
{
    const bool standard_input = strcmp(path, "-") == 0;
    *file = (ob_json_file){.descriptor = STDIN_FILENO, .name = standard_input ? "<stdin>" : path};
    if (!standard_input)
        file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor >= 0)
        return OB_OK;
    return ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL, "cannot be opened: %s; check the path",
                         strerror(errno));
}

void ob__json_file_close(ob_json_file *file)
{
    if (file->descriptor > STDIN_FILENO)
        close(file->descriptor);
    file->descriptor = -1;
}

ob_status ob__json_file_fill(void *ctx, char *buffer, size_t size, size_t *got, ob_err *err)
{
    const ob_json_file *file = ctx;
    ssize_t count;
    do
        count = read(file->descriptor, buffer, size);
    while (count < 0 && errno == EINTR);
    *got = count > 0 ? (size_t)count : 0;
    if (count >= 0)
        return OB_OK;
    return ob_err_set_at(err, OB_ERR_IO, file->name, 0, 0, NULL, "cannot be read: %s",
                         strerror(errno));
}
