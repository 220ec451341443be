/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of compiled snippets. What is in it will be loaded and run, so it must be the user's alone, and
 * each object has a file with the hash of its bytes, which is checked before the object is used: a torn or
 * changed one is made again. What nobody used for a month is removed.
 */
#include "base/scratch.h"
#include "base/text.h"
#include "snippet/build.h"
#include "snippet/lines.h"
#include "snippet/suite_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static ob_status make_dirs(ob_arena *arena, const char *path, ob_err *err)
{
    char *copy = ob__arena_strdup(arena, path, strlen(path));
    if (copy == NULL)
        return ob__snippet_no_memory(err);
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            return ob_err_set(err, OB_ERR_IO,
                              "the folder %s cannot be made: %s; give another one "
                              "with --cache-dir",
                              copy, strerror(errno));
        *slash = '/';
    }
    if (mkdir(copy, 0700) != 0 && errno != EEXIST)
        return ob_err_set(err, OB_ERR_IO,
                          "the folder %s cannot be made: %s; give another one with "
                          "--cache-dir",
                          copy, strerror(errno));
    return OB_OK;
}

static ob_status check_private(const char *dir, ob_err *err)
{
    struct stat st;
    if (lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
        return ob_err_set(err, OB_ERR_IO, "%s is no folder", dir);
    if (st.st_uid != geteuid() || (st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return ob_err_set(err, OB_ERR_IO,
                          "%s holds code that is run, but it is not yours alone; make it so with "
                          "chmod 700, or give another folder with --cache-dir",
                          dir);
    return OB_OK;
}

ob_status ob__snippet_cache_open(ob_arena *arena, const char *wanted, const char **dir, ob_err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *dir = wanted;
    if (wanted == NULL) {
        if (cache != NULL && cache[0] == '/')
            *dir = ob__join(arena, "", (const char *const[]){cache, "/opbench/snippets", NULL});
        else if (home != NULL && home[0] == '/')
            *dir =
                ob__join(arena, "", (const char *const[]){home, "/.cache/opbench/snippets", NULL});
        else
            return ob_err_set(err, OB_ERR_INVALID,
                              "there is no home directory; give a folder with --cache-dir");
        if (*dir == NULL)
            return ob__snippet_no_memory(err);
    }
    OB_TRY(make_dirs(arena, *dir, err));
    OB_TRY(check_private(*dir, err));
    /* It must be named from everywhere. */
    char *real = realpath(*dir, NULL);
    *dir = real == NULL ? NULL : ob__arena_strdup(arena, real, strlen(real));
    free(real);
    if (*dir == NULL)
        return ob__snippet_no_memory(err);
    ob__scratch_sweep(*dir);
    return OB_OK;
}

void ob__snippet_cache_used(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

/* Whether a process is making this header now: it has the lock. */
static bool is_being_made(int dir, const char *lock_name)
{
    const int lock = openat(dir, lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0)
        return errno != ENOENT;
    const bool taken = flock(lock, LOCK_EX | LOCK_NB) != 0;
    if (!taken)
        unlinkat(dir, lock_name, 0);
    close(lock);
    return taken;
}

/* A header from which nothing was made, and nothing is: who began it was killed. */
static void remove_unfinished(int dir, const char *name)
{
    char made[NAME_MAX + 1], lock[NAME_MAX + 1];
    const size_t length = strlen(name), end = strlen(OB_HEADER_END);
    if (strncmp(name, OB_HEADER_PREFIX, strlen(OB_HEADER_PREFIX)) != 0 || length < end ||
        strcmp(name + length - end, OB_HEADER_END) != 0 ||
        length + strlen(OB_HEADER_LOCK) > NAME_MAX)
        return;
    snprintf(made, sizeof made, "%s" OB_HEADER_MADE, name);
    snprintf(lock, sizeof lock, "%s" OB_HEADER_LOCK, name);
    if (!is_being_made(dir, lock) && faccessat(dir, made, F_OK, 0) != 0)
        unlinkat(dir, name, 0);
}

void ob__snippet_cache_expire(const char *path)
{
    enum { MONTH_S = 30 * 24 * 3600 };
    const time_t now = time(NULL);
    DIR *dir = opendir(path);
    if (dir == NULL)
        return;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        struct stat st;
        remove_unfinished(dirfd(dir), entry->d_name);
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            now - st.st_mtime <= MONTH_S)
            continue;
        if (S_ISREG(st.st_mode))
            unlinkat(dirfd(dir), entry->d_name, 0);
        else if (S_ISDIR(st.st_mode) &&
                 strncmp(entry->d_name, OB_MODELS_PREFIX, strlen(OB_MODELS_PREFIX)) == 0)
            ob__remove_tree(dirfd(dir), entry->d_name);
    }
    closedir(dir);
}

ob_status ob__find_program(ob_arena *arena, const char *name, const char *what, const char *option,
                           const char **path, ob_err *err)
{
    *path = name;
    if (strchr(name, '/') != NULL)
        return access(name, X_OK) == 0
                   ? OB_OK
                   : ob_err_set(err, OB_ERR_UNSUPPORTED,
                                "Missing: %s, %s, cannot be run: %s; name another with %s", name,
                                what, strerror(errno), option);
    const char *at = getenv("PATH");
    at = at == NULL ? "/usr/bin:/bin" : at;
    while (*at != '\0') {
        const size_t length = strcspn(at, ":");
        char *dir = ob__arena_strdup(arena, at, length);
        *path = dir == NULL ? NULL : ob__join(arena, "/", (const char *const[]){dir, name, NULL});
        if (*path == NULL)
            return ob__snippet_no_memory(err);
        if (length > 0 && access(*path, X_OK) == 0)
            return OB_OK;
        at += length + (at[length] == ':');
    }
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "Missing: %s, %s, is not in PATH; install it, or name another with %s", name,
                      what, option);
}

ob_status ob__find_python(ob_arena *arena, const ob_snippet_options *options, const char **path,
                          ob_err *err)
{
    static const char SYSTEM[] = "/usr/bin/python3";
    const char *python = options->python != NULL     ? options->python
                         : access(SYSTEM, X_OK) == 0 ? SYSTEM
                                                     : "python3";
    return ob__find_program(arena, python, "the interpreter", "--python PROGRAM", path, err);
}

ob_status ob__hash_file(const char *path, char hex[33], ob_err *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    /* Mapped, not read: a precompiled header has hundreds of megabytes. */
    void *data = ok ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    if (data == MAP_FAILED)
        return ob_err_set(err, OB_ERR_IO, "%s cannot be read: %s", path, strerror(why));
    const XXH128_hash_t hash = XXH3_128bits(data, (size_t)st.st_size);
    snprintf(hex, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
    munmap(data, (size_t)st.st_size);
    return OB_OK;
}
