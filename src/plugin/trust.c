/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a plug-in's file may be run: code in it runs as the user, so nobody but the user and root
 * may be able to put it there or change it.
 *
 * Refused: a file, or the directory that holds it, that every user may write to, that belongs to
 * someone else than root and the effective user, or that a group may write to which neither root
 * chose (by owning it) nor is the user's own; and a directory further up that every user may write
 * to, unless it is sticky (/tmp), where others cannot replace what is not theirs. The walk starts
 * at "/" and opens each part relative to the one before without following links, so that what is
 * judged is what stands on the way to the file.
 */
#include "plugin/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum place { PLACE_ABOVE, PLACE_HOLDER, PLACE_FILE } place;

static const char *place_word(place where)
{
    return where == PLACE_FILE ? "the file" : "the directory";
}

static ob_status judge(const struct stat *st, place where, const char *path, ob_err *err)
{
    if (where == PLACE_FILE && !S_ISREG(st->st_mode))
        return ob_err_set(err, OB_ERR_PLUGIN, "it is not a regular file; name the shared object");
    const bool sticky_above = where == PLACE_ABOVE && (st->st_mode & S_ISVTX) != 0;
    if ((st->st_mode & S_IWOTH) != 0 && !sticky_above)
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "every user of this machine may write to %s %s, and so change what is "
                          "run; take that right away: chmod o-w '%s'",
                          place_word(where), path, path);
    if (where == PLACE_ABOVE)
        return OB_OK;
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "%s %s belongs to user %lu, who is neither you nor root; if you trust "
                          "it, make a copy of your own",
                          place_word(where), path, (unsigned long)st->st_uid);
    if ((st->st_mode & S_IWGRP) != 0 && st->st_uid != 0 && st->st_gid != getegid())
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "all of group %lu may write to %s %s, and it is not your own group; take "
                          "that right away: chmod g-w '%s'",
                          (unsigned long)st->st_gid, place_word(where), path, path);
    return OB_OK;
}

/* Opens the part `name` of the way below *dir_fd, judges it and makes it the new *dir_fd. */
static ob_status step(int *dir_fd, const char *name, place where, const char *path, ob_err *err)
{
    struct stat st;
    const int fd = openat(*dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        const int reason = errno;
        if (fd >= 0)
            close(fd);
        return ob_err_set(err, OB_ERR_PLUGIN, "%s cannot be examined: %s", path, strerror(reason));
    }
    if (*dir_fd >= 0)
        close(*dir_fd);
    *dir_fd = fd;
    return judge(&st, where, path, err);
}

/* From "/" down to the last part, which is judged as `end`. */
static ob_status walk(const char *real_path, place end, ob_err *err)
{
    if (real_path[0] != '/')
        return ob_err_set(err, OB_ERR_INVALID, "'%s' is not an absolute path", real_path);
    char *way = strdup(real_path);
    if (way == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");

    int fd = -1;
    const char *const holder_end = end == PLACE_FILE ? strrchr(real_path, '/') : NULL;
    const bool root_holds = holder_end == real_path || real_path[1] == '\0';
    ob_status status = step(&fd, "/", root_holds ? PLACE_HOLDER : PLACE_ABOVE, "/", err);
    for (size_t start = 1; status == OB_OK && way[start] != '\0';) {
        const size_t stop = start + strcspn(way + start, "/");
        const bool last = way[stop] == '\0';
        place where = PLACE_ABOVE;
        if (last)
            where = end;
        else if (holder_end == real_path + stop)
            where = PLACE_HOLDER;
        way[stop] = '\0'; /* way is now the path up to this part, for the message */
        status = step(&fd, way + start, where, way, err);
        if (!last)
            way[stop] = '/';
        start = last ? stop : stop + 1;
    }
    if (fd >= 0)
        close(fd);
    free(way);
    return status;
}

ob_status ob__check_trusted(const char *real_path, ob_err *err)
{
    return walk(real_path, PLACE_FILE, err);
}

char *ob__trusted_folder(const char *directory)
{
    ob_err why;
    char *folder = realpath(directory, NULL);
    if (folder != NULL && walk(folder, PLACE_HOLDER, &why) == OB_OK)
        return folder;
    free(folder);
    return NULL;
}

ob_status ob__check_trusted_in(const char *folder, const char *real_path, ob_err *err)
{
    const char *slash = strrchr(real_path, '/');
    const size_t length = folder != NULL ? strlen(folder) : 0;
    if (folder == NULL || slash == NULL || length != (size_t)(slash - real_path) ||
        memcmp(folder, real_path, length) != 0)
        return ob__check_trusted(real_path, err);
    int fd = -1;
    const ob_status status = step(&fd, real_path, PLACE_FILE, real_path, err);
    if (fd >= 0)
        close(fd);
    return status;
}

char *ob__real_path_in(const char *folder, const char *directory, const char *name)
{
    struct stat what;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder != NULL ? folder : directory, name) < 0)
        return NULL;
    if (folder != NULL && lstat(path, &what) == 0 && !S_ISLNK(what.st_mode))
        return path;
    char *real_path = realpath(path, NULL);
    free(path);
    return real_path;
}
