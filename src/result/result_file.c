/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a file of records. Each line is one write() to a descriptor in append mode, so a process that
 * is killed leaves whole lines and at most one torn one at the end. If the system takes only a part of a
 * line (a full disk, a limit), that part is cut off again before the failure is reported. The lock keeps
 * two runs from mixing their lines; it is taken before the file is read, and nothing is cut but what was
 * seen under it.
 */
#include "base/sized.h"
#include "base/text_append.h"
#include "opbench/record.h"
#include "result/append_check.h"
#include "result/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NAMES = 10000 };

struct ob_result_file {
    int descriptor;
    bool regular; /* can be cut */
    char *path;
    char *continue_option; /* NULL = none */
    ob_text line;          /* reused from record to record */
};

static ob_status io_error(const char *path, const char *what, int why, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL, "%s: %s", what, strerror(why));
}

static ob_status unwritable(const char *path, const char *option, int why, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL,
                         "cannot be written: %s; check the folder and its permissions, or give "
                         "another %s",
                         strerror(why), option);
}

static int open_again(const char *path, int flags)
{
    int descriptor;
    do
        descriptor = open(path, flags | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Reading is wanted only to see whether the last line is ended. */
static int open_for(const char *path, ob_result_open_mode mode)
{
    const int create = mode == OB_RESULT_RESUME ? 0 : O_CREAT;
    if (mode == OB_RESULT_CREATE || mode == OB_RESULT_NEW)
        return open_again(path, O_WRONLY | create);
    const int descriptor = open_again(path, O_RDWR | create);
    if (descriptor >= 0 || mode == OB_RESULT_RESUME ||
        (errno != EACCES && errno != EPERM && errno != ENXIO))
        return descriptor;
    return open_again(path, O_WRONLY | create);
}

/* A name that no file has. Later seconds are tried, so the form of the name stays PARAM's. */
static ob_status open_new(const ob_result_file_params *params, ob_result_file *file, ob_err *err)
{
    const int64_t pid = params->pid != 0 ? params->pid : (int64_t)getpid();
    const int64_t now = params->unix_seconds != 0 ? params->unix_seconds : (int64_t)time(NULL);
    for (int64_t i = 0; i < MAX_NAMES; i++) {
        free(file->path);
        if (asprintf(&file->path, "%s_%" PRId64 "_%" PRId64 ".json", params->prefix, pid, now + i) <
            0) {
            file->path = NULL;
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the name of the output file");
        }
        file->descriptor = open_again(file->path, O_WRONLY | O_CREAT | O_EXCL);
        if (file->descriptor >= 0)
            return OB_OK;
        if (errno != EEXIST)
            return unwritable(file->path, "--output-prefix", errno, err);
    }
    return ob_err_set_at(err, OB_ERR_IO, file->path, 0, 0, NULL,
                         "%d names of this form are taken; choose another output prefix",
                         MAX_NAMES);
}

static ob_status write_all(ob_result_file *file, const char *data, size_t size, size_t *written)
{
    for (*written = 0; *written < size;) {
        const ssize_t count = write(file->descriptor, data + *written, size - *written);
        if (count > 0) {
            *written += (size_t)count;
        } else if (count < 0 && errno == EAGAIN) {
            /* A pipe that others set to non-blocking. */
            struct pollfd ready = {.fd = file->descriptor, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (count == 0 || errno != EINTR) {
            if (count == 0)
                errno = EIO;
            return OB_ERR_IO;
        }
    }
    return OB_OK;
}

/* Cuts off the last `written` bytes, if nobody wrote behind them. */
static bool take_back(const ob_result_file *file, size_t written)
{
    struct stat info;
    if (written == 0)
        return true;
    const off_t at = lseek(file->descriptor, 0, SEEK_CUR);
    if (!file->regular || at < (off_t)written || fstat(file->descriptor, &info) != 0 ||
        info.st_size != at)
        return false;
    return ftruncate(file->descriptor, at - (off_t)written) == 0;
}

static ob_status write_line(ob_result_file *file, const char *data, size_t size, ob_err *err)
{
    size_t written;
    if (write_all(file, data, size, &written) == OB_OK)
        return OB_OK;
    const int why = errno;
    const bool whole = take_back(file, written);
    return ob_err_set_at(
        err, OB_ERR_IO, file->path, 0, 0, NULL,
        "a record of %zu bytes cannot be written: %s; the file %s. Free some space "
        "or choose another place%s%s",
        size, strerror(why), whole ? "ends with the record before it" : "may end with a part of it",
        file->continue_option != NULL && file->regular ? ", then " : "",
        file->continue_option != NULL && file->regular ? file->continue_option : "");
}

/* Cuts at a place that was found in the first `size` bytes, if those are still all. */
static ob_status cut(const ob_result_file *file, uint64_t at, uint64_t size, ob_err *err)
{
    struct stat info;
    if (at >= size)
        return OB_OK;
    if (fstat(file->descriptor, &info) != 0)
        return io_error(file->path, "cannot be examined", errno, err);
    if ((uint64_t)info.st_size != size)
        return ob_err_set_at(err, OB_ERR_STATE, file->path, 0, 0, NULL,
                             "had %" PRIu64 " bytes when it was read and has %" PRId64
                             " now, so its torn last line is not cut; another program is writing "
                             "to it: wait for that, or choose another name",
                             size, (int64_t)info.st_size);
    if (ftruncate(file->descriptor, (off_t)at) != 0)
        return io_error(file->path, "its torn last line cannot be cut", errno, err);
    return OB_OK;
}

static ob_status prepare_append(ob_result_file *file, const ob_result_file_params *params,
                                uint64_t size, ob_err *err)
{
    ob_append_point place;
    OB_TRY(
        ob__append_check_find(file->descriptor, file->path, size, params->any_lines, &place, err));
    OB_TRY(cut(file, place.cut_at, size, err));
    return place.needs_newline ? write_line(file, "\n", 1, err) : OB_OK;
}

/* Cuts or completes what is in the locked file, by the mode. */
static ob_status prepare(ob_result_file *file, const ob_result_file_params *params, ob_err *err)
{
    struct stat info;
    if (fstat(file->descriptor, &info) != 0)
        return io_error(file->path, "cannot be examined", errno, err);
    switch (params->mode) {
    case OB_RESULT_APPEND:
        return prepare_append(file, params, (uint64_t)info.st_size, err);
    case OB_RESULT_RESUME: /* what will be cut is the end of a file of ours */
        return ob__append_check_check_resumed(file->descriptor, file->path, (uint64_t)info.st_size,
                                              err);
    case OB_RESULT_NEW:
        return info.st_size == 0
                   ? OB_OK
                   : ob_err_set_at(err, OB_ERR_INVALID, file->path, 0, 0, NULL,
                                   params->named_by != NULL
                                       ? "already exists; --force replaces it"
                                       : "already exists; --resume continues from it, --append "
                                         "adds to it, --force replaces it");
    case OB_RESULT_CREATE:
        break;
    }
    return ftruncate(file->descriptor, 0) == 0 ? OB_OK
                                               : io_error(file->path, "cannot be cut", errno, err);
}

/* Whether the name still leads to the open file: who had the lock may have put another one in its place. */
static bool is_still_there(const ob_result_file *file)
{
    struct stat ours, theirs;
    return fstat(file->descriptor, &ours) == 0 && stat(file->path, &theirs) == 0 &&
           ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

/* Opens and locks the file of that name. */
static ob_status open_named(const ob_result_file_params *params, ob_result_file *file, ob_err *err)
{
    for (int i = 0; i < MAX_NAMES; i++) {
        struct stat info;
        file->descriptor = open_for(file->path, params->mode);
        if (file->descriptor < 0)
            return errno == ENOENT && params->mode == OB_RESULT_RESUME
                       ? ob_err_set_at(err, OB_ERR_IO, file->path, 0, 0, NULL,
                                       "does not exist, so a run cannot continue from it; check "
                                       "the name, or leave out --resume")
                       : unwritable(file->path,
                                    params->named_by != NULL ? params->named_by : "--output", errno,
                                    err);
        if (fstat(file->descriptor, &info) != 0)
            return io_error(file->path, "cannot be examined", errno, err);
        file->regular = S_ISREG(info.st_mode);
        if (!file->regular)
            return params->mode != OB_RESULT_RESUME
                       ? OB_OK
                       : ob_err_set_at(err, OB_ERR_INVALID, file->path, 0, 0, NULL,
                                       "is not a regular file, so a run cannot continue from it");
        OB_TRY(ob__result_lock(file->descriptor, file->path, params, err));
        if (is_still_there(file))
            return OB_OK;
        close(file->descriptor);
        file->descriptor = -1;
    }
    return ob_err_set_at(err, OB_ERR_STATE, file->path, 0, 0, NULL,
                         "keeps being replaced by other programs; choose another name");
}

static ob_status open_file(const ob_result_file_params *params, ob_result_file *file, ob_err *err)
{
    if (params->path == NULL) {
        file->regular = true;
        OB_TRY(open_new(params, file, err));
        return ob__result_lock(file->descriptor, file->path, params, err);
    }
    file->path = strdup(params->path);
    if (file->path == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the output file");
    OB_TRY(open_named(params, file, err));
    return file->regular ? prepare(file, params, err) : OB_OK;
}

ob_status ob_result_file_open(const ob_result_file_params *params, ob_result_file **out,
                              ob_err *err)
{
    ob_result_file_params own;
    *out = NULL;
    OB_TRY(OB__TAKE(ob_result_file_params, &own, params, err));
    params = &own;
    if (params->path == NULL && (params->prefix == NULL || params->mode == OB_RESULT_RESUME))
        return ob_err_set(err, OB_ERR_INVALID,
                          "an output file needs a name or, unless it is resumed, a prefix");
    if (params->path != NULL && strcmp(params->path, "-") == 0)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "records go to a file, not to -; give its path (./- if that is its name)");
    ob_result_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the output file");
    file->descriptor = -1;
    file->continue_option =
        params->continue_option != NULL ? strdup(params->continue_option) : NULL;
    const ob_status status = open_file(params, file, err);
    if (status != OB_OK) {
        ob_result_file_close(file, NULL);
        return status;
    }
    *out = file;
    return OB_OK;
}

ob_status ob_result_file_cut(ob_result_file *file, const ob_done_file *read, ob_err *err)
{
    return cut(file, read->cut_at, read->read_bytes, err);
}

int ob__result_file_descriptor(const ob_result_file *file)
{
    return file->descriptor;
}

ob_status ob_result_file_append(ob_result_file *file, const ob_record *record, ob_err *err)
{
    file->line.size = 0;
    OB_TRY(ob_record_print(record, &file->line, err));
    return write_line(file, file->line.data, file->line.size, err);
}

ob_status ob_result_file_append_line(ob_result_file *file, const char *line, size_t length,
                                     ob_err *err)
{
    if (length > 0 && line[length - 1] == '\n')
        length--;
    if (length == 0 || memchr(line, '\n', length) != NULL)
        return ob_err_set_at(err, OB_ERR_INVALID, file->path, 0, 0, NULL,
                             "a record must be one non-empty line; this text is %s",
                             length == 0 ? "empty" : "several");
    file->line.size = 0;
    if (!ob_text_append(&file->line, line, length) || !ob_text_append(&file->line, "\n", 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the line of a record");
    return write_line(file, file->line.data, file->line.size, err);
}

const char *ob_result_file_path(const ob_result_file *file)
{
    return file->path;
}

ob_status ob_result_file_close(ob_result_file *file, ob_err *err)
{
    ob_status status = OB_OK;
    if (file == NULL)
        return OB_OK;
    if (file->descriptor >= 0 && close(file->descriptor) != 0 && errno != EINTR)
        status = io_error(file->path, "the last records may be lost", errno, err);
    free(file->path);
    free(file->continue_option);
    ob_text_fini(&file->line);
    free(file);
    return status;
}
