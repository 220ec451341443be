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
 *
 * Root of a container meets folders of the user outside who mounted them: for plug-ins it takes what belongs to another user,
 * with a warning, if nobody but that user may write to the file or to any folder on the way.
 */
#include "plugin/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum place { PLACE_ABOVE, PLACE_HOLDER, PLACE_FILE } place;

/* Who may own a file, and what was seen on the way to it. */
typedef struct way {
    bool takes_strangers; /* root asks, for a plug-in */
    bool has_stranger;    /* the file, or the directory that holds it, is another user's */
    char loose[PATH_MAX]; /* a directory further up that a strange group may write to; "" = none */
} way;

static const char *place_word(place where)
{
    return where == PLACE_FILE ? "the file" : "the directory";
}

static bool has_strange_group(const struct stat *st)
{
    return (st->st_mode & S_IWGRP) != 0 && st->st_uid != 0 && st->st_gid != getegid();
}

static ob_status refuse_group(const char *word, const char *path, gid_t group, ob_err *err)
{
    return ob_err_set(err, OB_ERR_PLUGIN,
                      "group %lu may write to %s %s, and it is not your own group; remove that "
                      "right: chmod g-w '%s'",
                      (unsigned long)group, word, path, path);
}

static ob_status judge(way *w, const struct stat *st, place where, const char *path, ob_err *err)
{
    if (where == PLACE_FILE && !S_ISREG(st->st_mode))
        return ob_err_set(err, OB_ERR_PLUGIN, "it is not a regular file; name the shared object");
    const bool sticky_above = where == PLACE_ABOVE && (st->st_mode & S_ISVTX) != 0;
    if ((st->st_mode & S_IWOTH) != 0 && !sticky_above)
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "every user of this machine may write to %s %s, and so change what runs; "
                          "remove that right: chmod o-w '%s'",
                          place_word(where), path, path);
    if (where == PLACE_ABOVE) {
        if (has_strange_group(st) && !sticky_above)
            snprintf(w->loose, sizeof w->loose, "%s", path);
        return OB_OK;
    }
    const bool is_strangers = st->st_uid != 0 && st->st_uid != geteuid();
    if (is_strangers && !w->takes_strangers)
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "%s %s belongs to user %lu, who is neither you nor root; if you trust "
                          "it, make your own copy",
                          place_word(where), path, (unsigned long)st->st_uid);
    w->has_stranger = w->has_stranger || is_strangers;
    if (has_strange_group(st))
        return refuse_group(place_word(where), path, st->st_gid, err);
    return OB_OK;
}

/* Opens the part `name` of the way below *dir_fd, judges it and makes it the new *dir_fd. */
static ob_status step(way *w, int *dir_fd, const char *name, place where, const char *path,
                      ob_err *err)
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
    return judge(w, &st, where, path, err);
}

/* From "/" down to the last part, which is judged as `end`. */
static ob_status walk(way *w, const char *real_path, place end, ob_err *err)
{
    if (real_path[0] != '/')
        return ob_err_set(err, OB_ERR_INVALID, "'%s' is not an absolute path", real_path);
    char *path = strdup(real_path);
    if (path == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");

    int fd = -1;
    const char *const holder_end = end == PLACE_FILE ? strrchr(real_path, '/') : NULL;
    const bool root_holds = holder_end == real_path || real_path[1] == '\0';
    ob_status status = step(w, &fd, "/", root_holds ? PLACE_HOLDER : PLACE_ABOVE, "/", err);
    for (size_t start = 1; status == OB_OK && path[start] != '\0';) {
        const size_t stop = start + strcspn(path + start, "/");
        const bool last = path[stop] == '\0';
        place where = PLACE_ABOVE;
        if (last)
            where = end;
        else if (holder_end == real_path + stop)
            where = PLACE_HOLDER;
        path[stop] = '\0'; /* it is now the path up to this part, for the message */
        status = step(w, &fd, path + start, where, path, err);
        if (!last)
            path[stop] = '/';
        start = last ? stop : stop + 1;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    if (status == OB_OK && w->has_stranger && w->loose[0] != '\0')
        status = ob_err_set(err, OB_ERR_PLUGIN,
                            "it belongs to another user, and a group may write to the directory "
                            "%s; remove that right: chmod g-w '%s'",
                            w->loose, w->loose);
    return status;
}

ob_status ob__check_trusted(const char *real_path, ob_err *err)
{
    way w = {.takes_strangers = false};
    return walk(&w, real_path, PLACE_FILE, err);
}

/* Of a plug-in, or of its manifest. */
static way way_to_plugin(void)
{
    return (way){.takes_strangers = geteuid() == 0};
}

char *ob__trusted_folder(const char *directory)
{
    ob_err why;
    way w = way_to_plugin();
    char *folder = realpath(directory, NULL);
    if (folder != NULL && walk(&w, folder, PLACE_HOLDER, &why) == OB_OK && w.loose[0] == '\0')
        return folder;
    free(folder);
    return NULL;
}

ob_status ob__check_trusted_in(const char *folder, const char *real_path, ob_err *err)
{
    const char *slash = strrchr(real_path, '/');
    const size_t length = folder != NULL ? strlen(folder) : 0;
    way w = way_to_plugin();
    if (folder == NULL || slash == NULL || length != (size_t)(slash - real_path) ||
        memcmp(folder, real_path, length) != 0)
        return walk(&w, real_path, PLACE_FILE, err);
    int fd = -1;
    const ob_status status = step(&w, &fd, real_path, PLACE_FILE, real_path, err);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Whose it is, if not root's and root runs this. */
static bool is_strangers(const char *path, unsigned long *owner)
{
    struct stat st;
    if (geteuid() != 0 || stat(path, &st) != 0 || st.st_uid == 0)
        return false;
    *owner = st.st_uid;
    return true;
}

void ob__warn_of_stranger(const ob_log *log, const char *real_path)
{
    unsigned long owner;
    char *folder = strdup(real_path);
    if (folder != NULL)
        *strrchr(folder, '/') = '\0';
    if (is_strangers(real_path, &owner) ||
        (folder != NULL && folder[0] != '\0' && is_strangers(folder, &owner))) {
        ob_err warning;
        ob_err_set_at(&warning, OB_ERR_STATE, real_path, 0, 0, NULL,
                      "the plug-in belongs to user %lu, whose code now runs as root; opbench loads "
                      "it because nobody else may write to it. If that is not your mount, leave it "
                      "out; chown it to root to silence this warning",
                      owner);
        ob_log_report(log, OB_LOG_WARNING, &warning);
    }
    free(folder);
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
