/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a whole file. A full disk or an interruption leaves what was there before.
 */
#include "output_file.h"

#include "interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t count = write(fd, data, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        data += count;
        size -= (size_t)count;
    }
    return true;
}

/* A device or a pipe is written to as it is. */
static bool is_special(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

static bool write_special(const char *path, const char *data, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool ok = fd >= 0 && write_all(fd, data, size);
    return (fd < 0 || close(fd) == 0) && ok;
}

char *ob__cli_target(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0 || !S_ISLNK(s.st_mode))
        return strdup(path);
    char *real = realpath(path, NULL);
    if (real != NULL || errno != ENOENT)
        return real;
    /* A link to nothing: the file that it asks for is made. */
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    close(fd);
    return realpath(path, NULL);
}

/* Who could not read the old file cannot read the new one. */
static mode_t mode_for(const char *path)
{
    struct stat s;
    const mode_t mask = umask(0);
    umask(mask);
    return stat(path, &s) == 0 ? s.st_mode & 0777 : 0666 & ~mask;
}

static bool write_to(const char *path, const char *data, size_t size)
{
    const size_t length = strlen(path);
    char *beside = malloc(length + sizeof ".XXXXXX");
    if (beside == NULL)
        return false;
    memcpy(beside, path, length);
    memcpy(beside + length, ".XXXXXX", sizeof ".XXXXXX");
    const int fd = mkostemp(beside, O_CLOEXEC);
    bool ok =
        fd >= 0 && write_all(fd, data, size) && fchmod(fd, mode_for(path)) == 0 && fsync(fd) == 0;
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (ok && rename(beside, path) != 0) {
        ok = false;
        reason = errno;
    }
    if (fd >= 0 && !ok)
        unlink(beside);
    free(beside);
    errno = reason;
    return ok;
}

/* Whether another run writes to it now. The lock is not kept: what begins to write afterwards finds the new file. */
static bool is_written_to(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

static bool write_beside(const char *path, const char *data, size_t size)
{
    char *target = ob__cli_target(path);
    const bool busy = target != NULL && is_written_to(target);
    if (busy)
        errno = ETXTBSY;
    const bool ok = target != NULL && !busy && write_to(target, data, size);
    const int reason = errno;
    free(target);
    errno = reason;
    return ok;
}

static int cannot_write(ob_cli *cli, const char *path, int reason)
{
    ob_err err;
    ob_err_set_at(&err, OB_ERR_IO, path, 0, 0, NULL, "cannot be written: %s; choose another place",
                  reason == ETXTBSY  ? "another run writes to it"
                  : reason == EEXIST ? "another program has made it meanwhile"
                                     : strerror(reason));
    return ob__cli_fail(cli, &err);
}

int ob__cli_check_place(ob_cli *cli, const char *path)
{
    struct stat s;
    if (path == NULL || strcmp(path, "-") == 0)
        return OB_EXIT_OK;
    if (stat(path, &s) == 0)
        return S_ISDIR(s.st_mode)        ? cannot_write(cli, path, EISDIR)
               : access(path, W_OK) != 0 ? cannot_write(cli, path, errno)
                                         : OB_EXIT_OK;
    char *folder = strdup(path);
    if (folder == NULL)
        return ob__cli_out_of_memory(cli);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder] = '\0'; /* "/" stays */
    const bool ok = access(slash != NULL ? folder : ".", W_OK | X_OK) == 0;
    const int reason = errno;
    free(folder);
    return ok ? OB_EXIT_OK : cannot_write(cli, path, reason);
}

/* Of a file that need not be there: its folder's. */
static bool stat_folder(const char *path, struct stat *out)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s.", slash != NULL ? (int)(slash - path + 1) : 0, path);
    return stat(folder, out) == 0;
}

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool ob__cli_is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (stat(a, &of_a) == 0 && stat(b, &of_b) == 0)
        return is_same_inode(&of_a, &of_b);
    return strcmp(slash_a != NULL ? slash_a + 1 : a, slash_b != NULL ? slash_b + 1 : b) == 0 &&
           stat_folder(a, &of_a) && stat_folder(b, &of_b) && is_same_inode(&of_a, &of_b);
}

bool ob__cli_is_taken(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0;
}

int ob__cli_check_new(ob_cli *cli, const char *path, bool force)
{
    if (!force && path != NULL && strcmp(path, "-") != 0 && ob__cli_is_taken(path))
        return ob__cli_usage_error(cli, "%s already exists; --force replaces it", path);
    snprintf(cli->new_file, sizeof cli->new_file, "%s", force || path == NULL ? "" : path);
    return ob__cli_check_place(cli, path);
}

int ob__cli_write_file(ob_cli *cli, const char *path, const char *data, size_t size)
{
    if (path == NULL || strcmp(path, "-") == 0)
        return ob__cli_write(cli, data, size) ? OB_EXIT_OK : ob__cli_finish(cli);
    /* Work may have taken hours, in which others write too. */
    const bool is_new = strcmp(path, cli->new_file) == 0;
    if (is_new && ob__cli_is_taken(path))
        return cannot_write(cli, path, EEXIST);
    if (is_new)
        cli->new_file[0] = '\0';
    if (is_special(path) ? write_special(path, data, size) : write_beside(path, data, size))
        return OB_EXIT_OK;
    return cannot_write(cli, path, errno);
}

bool ob__cli_wait_for_file(void *ctx, const char *path, int64_t pid)
{
    ob_cli_waiting *waiting = ctx;
    if (!waiting->told) {
        ob__cli_catch_interrupts(waiting->cli, false);
        if (pid > 0)
            ob__cli_warn(waiting->cli, "waiting for process %" PRId64 ", which writes to %s", pid,
                         path);
        else
            ob__cli_warn(waiting->cli, "waiting for another run, which writes to %s", path);
    }
    waiting->told = true;
    return ob__cli_is_interrupted(NULL) == 0;
}
