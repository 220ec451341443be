/* SPDX-License-Identifier: Apache-2.0
 *
 * Scratch folders. The parent may be /tmp, where anybody can put anything: only folders of this user are removed,
 * through descriptors, and links are never followed.
 */
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "opbench-"
#define LOCK_NAME "lock"

/* The time between making a folder and locking it is never that long. */
enum { SURELY_LOCKED_S = 60, MOST_DEPTH = 16 };

/* ---- removing ---- */

static void remove_tree(int parent, const char *name, int depth)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, entry->d_name, 0) != 0 && depth < MOST_DEPTH)
            remove_tree(fd, entry->d_name, depth + 1);
    }
    closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void ob__remove_tree(int parent, const char *name)
{
    remove_tree(parent, name, 0);
}

/* ---- what is left over ---- */

/* "opbench-<kind>-<pid>-XXXXXX": the pid, or 0 for any other name. */
static pid_t maker_of(const char *name)
{
    const char *last = strrchr(name, '-');
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || last == NULL || strlen(last) != 7)
        return 0;
    const char *digits = last;
    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    const long pid = strtol(digits, NULL, 10);
    return digits < last && digits > name && digits[-1] == '-' && pid > 1 ? (pid_t)pid : 0;
}

/* Whether the process that made the folder is gone. Its number may be in use again, or belong to another
 * container that shares the folder: then the lock decides. */
static bool is_left_over(int dir, pid_t maker)
{
    struct stat st;
    if (fstat(dir, &st) != 0 || st.st_uid != geteuid() || maker == getpid())
        return false;
    const bool dead = kill(maker, 0) != 0 && errno == ESRCH;
    const bool old = time(NULL) - st.st_mtime > SURELY_LOCKED_S;
    const int lock = openat(dir, LOCK_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0)
        return errno == ENOENT && dead && old;
    const bool taken = flock(lock, LOCK_EX | LOCK_NB) != 0;
    close(lock);
    return !taken && (dead || old);
}

void ob__scratch_sweep(const char *parent)
{
    DIR *dir = opendir(parent);
    if (dir == NULL)
        return;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const pid_t maker = maker_of(entry->d_name);
        const int fd = maker == 0 ? -1
                                  : openat(dirfd(dir), entry->d_name,
                                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        const bool remove = is_left_over(fd, maker);
        close(fd);
        if (remove)
            remove_tree(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
}

/* ---- making ---- */

ob_status ob__scratch_open(ob_scratch *scratch, const char *parent, const char *kind, ob_err *err)
{
    *scratch = (ob_scratch){.lock = -1};
    if (parent == NULL)
        parent = getenv("TMPDIR");
    parent = parent == NULL || parent[0] != '/' ? "/tmp" : parent;
    ob__scratch_sweep(parent);
    const int length = snprintf(scratch->dir, sizeof scratch->dir, "%s/" PREFIX "%s-%ld-XXXXXX",
                                parent, kind, (long)getpid());
    const bool fits = (size_t)length < sizeof scratch->dir;
    errno = ENAMETOOLONG;
    if (!fits || mkdtemp(scratch->dir) == NULL) {
        const int why = errno;
        scratch->dir[0] = '\0';
        return ob_err_set(err, OB_ERR_IO, "no folder can be made in %s: %s; set TMPDIR to another",
                          parent, strerror(why));
    }
    const int dir = open(scratch->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    scratch->lock =
        dir < 0 ? -1
                : openat(dir, LOCK_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (dir >= 0)
        close(dir);
    /* On a file system without locks others wait until the folder is old and its process gone. */
    if (scratch->lock >= 0)
        flock(scratch->lock, LOCK_EX | LOCK_NB);
    return OB_OK;
}

void ob__scratch_close(ob_scratch *scratch)
{
    if (scratch->dir[0] == '\0')
        return;
    remove_tree(AT_FDCWD, scratch->dir, 0);
    if (scratch->lock >= 0)
        close(scratch->lock);
    *scratch = (ob_scratch){.lock = -1};
}
