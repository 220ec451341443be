/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a file whole.
 */
#include "base/read_file.h"

#include "base/text_append.h"

#include <errno.h>
#include <stdio.h>

enum { READ_BYTES = 1 << 16 };

const char *ob__file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static ob_status cannot_read(const char *path, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_IO, ob__file_name(path), 0, 0, NULL, "cannot be read: %s",
                         strerror(errno));
}

static ob_status read_stream(FILE *stream, const char *path, size_t most_bytes, ob_text *out,
                             ob_err *err)
{
    size_t got = READ_BYTES;
    while (got == READ_BYTES) {
        if (!ob_text_reserve(out, READ_BYTES))
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a file");
        got = fread(out->data + out->size, 1, READ_BYTES, stream);
        out->size += got;
        if (out->size > most_bytes)
            return ob_err_set_at(err, OB_ERR_LIMIT, ob__file_name(path), 0, 0, NULL,
                                 "the file has more than %zu bytes", most_bytes);
    }
    return ferror(stream) == 0 ? OB_OK : cannot_read(path, err);
}

ob_status ob__read_file(const char *path, size_t most_bytes, ob_text *out, ob_err *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rbe");
    if (stream == NULL)
        return cannot_read(path, err);
    const ob_status status = read_stream(stream, path, most_bytes, out, err);
    if (!is_stdin)
        fclose(stream);
    return status;
}
