/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of compiled snippets. What is in it will be loaded and run, so it must be the user's alone, and
 * each object has a file with the hash of its bytes, which is checked before the object is used: a torn or
 * changed one is made again. What nobody used for a month is removed, but only from a folder that we made, which a
 * mark in it tells, and only files with names of ours: a folder that was there before gets one of ours inside.
 */
#include "base/cache_folder.h"
#include "base/scratch.h"
#include "base/text_append.h"
#include "snippet/lines.h"
#include "snippet/snippet_build.h"
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

/* The mark's name and first line are those by which backups know a cache (the Cache Directory Tagging
 * Specification); the rest is ours, and tells our folders from other caches. */
#define MARK_NAME "CACHEDIR.TAG"
static const char MARK[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# opbench keeps compiled snippets in this folder and removes those not used for a month.\n";
#define INNER "opbench-snippets"

/* ---- opening ---- */

static ob_status cannot_make(const char *path, ob_err *err)
{
    return ob_err_set(err, OB_ERR_IO,
                      "cannot make the folder %s: %s; give another with --cache-dir", path,
                      strerror(errno));
}

static bool is_marked(int dir)
{
    const int mark =
        openat(dir, MARK_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool ours = mark >= 0 && ob__mark_is(mark, MARK);
    if (mark >= 0)
        close(mark);
    return ours;
}

/* Under another name first, so that nobody ever finds it without its mark. */
static bool make_marked(ob_arena *arena, const char *path)
{
    const char *name = ob__join(arena, "", (const char *const[]){path, ".XXXXXX", NULL});
    char *made = name == NULL ? NULL : ob__arena_strdup(arena, name, strlen(name));
    if (made == NULL || mkdtemp(made) == NULL)
        return false;
    const int dir = open(made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int mark =
        dir < 0 ? -1 : openat(dir, MARK_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = mark >= 0 && ob__mark_write(mark, MARK);
    if (mark >= 0)
        ok = close(mark) == 0 && ok;
    ok = ok && rename(made, path) == 0;
    const int why = errno;
    if (!ok && dir >= 0)
        unlinkat(dir, MARK_NAME, 0);
    if (!ok)
        rmdir(made);
    if (dir >= 0)
        close(dir);
    errno = why;
    return ok || why == ENOTEMPTY || why == EEXIST; /* another process was first */
}

static ob_status make_dirs(ob_arena *arena, const char *path, ob_err *err)
{
    struct stat st;
    char *copy = ob__arena_strdup(arena, path, strlen(path));
    if (copy == NULL)
        return ob__snippet_no_memory(err);
    for (size_t end = strlen(copy); end > 1 && copy[end - 1] == '/'; end--)
        copy[end - 1] = '\0';
    if (lstat(copy, &st) == 0)
        return OB_OK;
    if (!ob__make_parents(copy))
        return cannot_make(copy, err);
    return make_marked(arena, copy) ? OB_OK : cannot_make(copy, err);
}

static ob_status check_private(const char *dir, ob_err *err)
{
    struct stat st;
    if (lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
        return ob_err_set(err, OB_ERR_IO, "%s is not a folder; give another with --cache-dir", dir);
    if (st.st_uid != geteuid() || (st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return ob_err_set(err, OB_ERR_IO,
                          "%s holds code to run, but others can write to it; fix that with chmod "
                          "700, or give another folder with --cache-dir",
                          dir);
    return OB_OK;
}

/* A folder of ours: the one that is wanted, or one in it if it was there before and may hold anything. */
static ob_status choose_dir(ob_arena *arena, const char **dir, ob_err *err)
{
    OB_TRY(make_dirs(arena, *dir, err));
    OB_TRY(check_private(*dir, err));
    const int fd = open(*dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const bool ours = fd >= 0 && is_marked(fd);
    if (fd >= 0)
        close(fd);
    if (ours)
        return OB_OK;
    *dir = ob__join(arena, "/", (const char *const[]){*dir, INNER, NULL});
    if (*dir == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(make_dirs(arena, *dir, err));
    return check_private(*dir, err);
}

ob_status ob__snippet_cache_open(ob_arena *arena, const char *wanted, const char **dir, ob_err *err)
{
    char place[PATH_MAX];
    *dir = wanted;
    if (wanted != NULL && wanted[0] == '\0')
        return ob_err_set(err, OB_ERR_INVALID, "the name of the folder is empty; see --cache-dir");
    if (wanted == NULL) {
        if (!ob__cache_folder("snippets", place, sizeof place))
            return ob_err_set(err, OB_ERR_INVALID,
                              "there is no home directory; give a folder with --cache-dir");
        *dir = ob__arena_strdup(arena, place, strlen(place));
        if (*dir == NULL)
            return ob__snippet_no_memory(err);
    }
    OB_TRY(choose_dir(arena, dir, err));
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

/* ---- removing ---- */

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
    char made[2 * NAME_MAX], lock[2 * NAME_MAX]; /* our names are short */
    snprintf(made, sizeof made, "%s" OB_HEADER_MADE, name);
    snprintf(lock, sizeof lock, "%s" OB_HEADER_LOCK, name);
    if (!is_being_made(dir, lock) && faccessat(dir, made, F_OK, 0) != 0)
        unlinkat(dir, name, 0);
}

/* "<words>_<number>.<end>": what suite_expand.c calls them. */
static bool is_model(const char *name)
{
    static const char WORD[] = "0123456789_abcdefghijklmnopqrstuvwxyz";
    const char *dot = name + strspn(name, WORD);
    return dot != name && dot[0] == '.' && dot[1] != '\0' && dot[1 + strspn(dot + 1, WORD)] == '\0';
}

/* Models, and the folder if that was all. */
static void remove_models(int parent, const char *name)
{
    DIR *dir = ob__open_folder(parent, name);
    if (dir == NULL)
        return;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (is_model(entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* The names that we give: a prefix, hexadecimal digits, an ending. Without prefix: the name of a backend and "_". */
typedef struct name_row {
    const char *prefix, *end;
    size_t digits;
    mode_t type;
} name_row;

static const name_row NAMES[] = {
    {NULL, OB_HEADER_END, 32, S_IFREG}, /* the first, see below */
    {NULL, OB_HEADER_END OB_HEADER_MADE, 32, S_IFREG},
    {NULL, OB_HEADER_END OB_HEADER_MADE OB_SUM_END, 32, S_IFREG},
    {NULL, OB_HEADER_END OB_HEADER_LOCK, 32, S_IFREG},
    {"", OB_OBJECT_END, 32, S_IFREG},
    {"", OB_OBJECT_END OB_SUM_END, 32, S_IFREG},
    {OB_MODELS_PREFIX, "", 16, S_IFDIR},
};

/* Of "torch_" in "torch_<digits>.hpp"; 0 = it does not begin so. */
static size_t backend_length(const char *name)
{
    const char *dot = strchr(name, '.'), *between = dot;
    while (between != NULL && between > name && between[-1] != OB_HEADER_BETWEEN[0])
        between--;
    return between == NULL ? 0 : (size_t)(between - name);
}

static const name_row *find_name(const char *name)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        const name_row *row = &NAMES[i];
        const size_t before = row->prefix == NULL ? backend_length(name) : strlen(row->prefix);
        if ((row->prefix == NULL ? before > 0 : strncmp(name, row->prefix, before) == 0) &&
            strspn(name + before, "0123456789abcdef") == row->digits &&
            strcmp(name + before + row->digits, row->end) == 0)
            return row;
    }
    return NULL;
}

void ob__snippet_cache_expire(const char *path)
{
    enum { MONTH_S = 30 * 24 * 3600 };
    const time_t now = time(NULL);
    DIR *dir = opendir(path);
    const bool ours = dir != NULL && is_marked(dirfd(dir));
    for (const struct dirent *entry; ours && (entry = readdir(dir)) != NULL;) {
        struct stat st;
        const name_row *row = find_name(entry->d_name);
        if (row == NULL || fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            (st.st_mode & S_IFMT) != row->type)
            continue;
        if (row == &NAMES[0])
            remove_unfinished(dirfd(dir), entry->d_name);
        if (now - st.st_mtime <= MONTH_S)
            continue;
        if (row->type == S_IFDIR)
            remove_models(dirfd(dir), entry->d_name);
        else
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir != NULL)
        closedir(dir);
}

/* ---- programs and hashes ---- */

ob_status ob__find_program(ob_arena *arena, const char *name, const char *what, const char *option,
                           const char **path, ob_err *err)
{
    *path = name;
    if (strchr(name, '/') != NULL)
        return access(name, X_OK) == 0
                   ? OB_OK
                   : ob_err_set(err, OB_ERR_UNSUPPORTED,
                                "Missing: cannot run %s, %s: %s; name another with %s", name, what,
                                strerror(errno), option);
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
    const char *python = options->python;
    const char *active = getenv("VIRTUAL_ENV");
    if (python == NULL && active != NULL && active[0] != '\0') {
        python = ob__join(arena, "", (const char *const[]){active, "/bin/python3", NULL});
        if (python == NULL)
            return ob__snippet_no_memory(err);
        if (access(python, X_OK) != 0)
            python = NULL; /* it was removed, and PATH has what is left */
    }
    if (python == NULL)
        python = "python3";
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
