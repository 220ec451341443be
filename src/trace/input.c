/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacking with libarchive: gzip and zstd around the text or around a tar archive, in which the first
 * member whose name ends in .json is taken. Nothing is written to the disk. How much a packed file may
 * grow is limited, because a few kilobytes can hold terabytes of blanks.
 */
#include "trace/input.h"

#include "opbench/shared_object.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_TEXT ((uint64_t)64 << 30)
#define FREE_TEXT ((uint64_t)64 << 20)
enum { DEFAULT_EXPANSION = 400, BLOCK_BYTES = 128 << 10 };

#define FUNCTIONS(F)                                                                               \
    F(entry_pathname)                                                                              \
    F(error_string)                                                                                \
    F(filter_bytes)                                                                                \
    F(format)                                                                                      \
    F(read_data)                                                                                   \
    F(read_free)                                                                                   \
    F(read_new)                                                                                    \
    F(read_next_header)                                                                            \
    F(read_open_fd)                                                                                \
    F(read_open_filename)                                                                          \
    F(read_open_memory)                                                                            \
    F(read_support_filter_gzip)                                                                    \
    F(read_support_filter_zstd)                                                                    \
    F(read_support_format_empty)                                                                   \
    F(read_support_format_raw)                                                                     \
    F(read_support_format_tar)
#define FIELD(name) __typeof__(archive_##name) *name;
#define NAME(name) "archive_" #name,

static struct {
    FUNCTIONS(FIELD)
} lib;
static const char *const NAMES[] = {FUNCTIONS(NAME)};
static ob_late_library library = {.name = "libarchive.so.13",
                                  .purpose = "to read traces",
                                  .functions = NAMES,
                                  .count = sizeof NAMES / sizeof *NAMES,
                                  .table = &lib};

struct ob_input {
    struct archive *archive;
    const char *name;
    uint64_t bytes;
    uint64_t max_bytes, max_expansion;
    uint64_t size; /* of the file; 0 = not known */
    void (*on_read)(void *ctx, uint64_t bytes, uint64_t of);
    void *ctx;
};

static ob_status failed(const ob_input *input, ob_err *err)
{
    const char *text = lib.error_string(input->archive);
    return ob_err_set_at(err, OB_ERR_IO, input->name, 0, 0, NULL, "cannot be read: %s",
                         text != NULL ? text : strerror(errno));
}

static bool is_json(const char *name)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* To the first member that holds a trace. Raw data has one member, called "data". */
static ob_status find_member(const ob_input *input, ob_err *err)
{
    struct archive_entry *entry;
    for (;;) {
        const int got = lib.read_next_header(input->archive, &entry);
        if (got == ARCHIVE_EOF && lib.format(input->archive) == ARCHIVE_FORMAT_EMPTY)
            return ob_err_set_at(err, OB_ERR_SYNTAX, input->name, 0, 0, NULL, "is empty");
        if (got == ARCHIVE_EOF)
            return ob_err_set_at(
                err, OB_ERR_NOT_FOUND, input->name, 0, 0, NULL,
                "the archive has no member ending in .json; unpack it and name the trace itself");
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return failed(input, err);
        if (lib.format(input->archive) == ARCHIVE_FORMAT_RAW || is_json(lib.entry_pathname(entry)))
            return OB_OK;
    }
}

static ob_status prepare(const ob_input *input, ob_err *err)
{
    struct archive *a = input->archive;
    if (lib.read_support_filter_gzip(a) != ARCHIVE_OK ||
        lib.read_support_filter_zstd(a) < ARCHIVE_WARN ||
        lib.read_support_format_tar(a) != ARCHIVE_OK ||
        lib.read_support_format_empty(a) != ARCHIVE_OK ||
        lib.read_support_format_raw(a) != ARCHIVE_OK)
        return failed(input, err);
    return OB_OK;
}

static ob_status open_source(const ob_input *input, const char *path, const void *data, size_t size,
                             ob_err *err)
{
    int got;
    if (path != NULL && strcmp(path, "-") != 0 && access(path, R_OK) != 0)
        return ob_err_set_at(err, OB_ERR_IO, input->name, 0, 0, NULL,
                             "cannot be opened: %s; check the path", strerror(errno));
    if (path == NULL)
        got = lib.read_open_memory(input->archive, data, size);
    else if (strcmp(path, "-") == 0)
        got = lib.read_open_fd(input->archive, STDIN_FILENO, BLOCK_BYTES);
    else
        got = lib.read_open_filename(input->archive, path, BLOCK_BYTES);
    if (got != ARCHIVE_OK)
        return ob_err_set_at(err, OB_ERR_IO, input->name, 0, 0, NULL, "cannot be opened: %s",
                             lib.error_string(input->archive));
    return find_member(input, err);
}

ob_status ob__input_open(const char *path, const char *name, const void *data, size_t size,
                         const ob_trace_limits *limits, ob_input **out, ob_err *err)
{
    *out = NULL;
    OB_TRY(ob_late_library_open(&library, err));
    ob_input *input = calloc(1, sizeof *input);
    if (input == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for reading a trace");
    input->name = name;
    input->max_bytes = limits->max_text_bytes != 0 ? limits->max_text_bytes : DEFAULT_TEXT;
    input->max_expansion = limits->max_expansion != 0 ? limits->max_expansion : DEFAULT_EXPANSION;
    input->on_read = limits->on_read;
    input->ctx = limits->ctx;
    struct stat file;
    if (path != NULL && stat(path, &file) == 0 && S_ISREG(file.st_mode))
        input->size = (uint64_t)file.st_size;
    input->archive = lib.read_new();
    ob_status status = input->archive != NULL ? prepare(input, err)
                                              : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (status == OB_OK)
        status = open_source(input, path, data, size, err);
    if (status != OB_OK) {
        ob__input_close(input);
        return status;
    }
    *out = input;
    return OB_OK;
}

void ob__input_close(ob_input *input)
{
    if (input == NULL)
        return;
    lib.read_free(input->archive);
    free(input);
}

ob_status ob__input_fill(void *ctx, char *buffer, size_t size, size_t *got, ob_err *err)
{
    ob_input *input = ctx;
    *got = 0;
    const la_ssize_t count = lib.read_data(input->archive, buffer, size);
    if (count < 0)
        return failed(input, err);
    *got = (size_t)count;
    input->bytes += (uint64_t)count;
    if (input->bytes > input->max_bytes)
        return ob_err_set_at(err, OB_ERR_LIMIT, input->name, 0, 0, NULL,
                             "the text is longer than the limit of %llu MiB",
                             (unsigned long long)(input->max_bytes >> 20));
    const la_int64_t packed = lib.filter_bytes(input->archive, -1);
    if (input->on_read != NULL && input->size > 0 && packed >= 0)
        input->on_read(input->ctx, (uint64_t)packed, input->size);
    if (input->bytes > FREE_TEXT && packed > 0 &&
        input->bytes / (uint64_t)packed > input->max_expansion)
        return ob_err_set_at(err, OB_ERR_LIMIT, input->name, 0, 0, NULL,
                             "unpacks to more than %llu times its size, which no real trace does; "
                             "if you trust it, unpack it yourself",
                             (unsigned long long)input->max_expansion);
    return OB_OK;
}

uint64_t ob__input_bytes(const ob_input *input)
{
    return input->bytes;
}
