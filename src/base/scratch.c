/* SPDX-License-Identifier: Apache-2.0
 *
 * Scratch folders. The parent may be /tmp, where anybody can put anything, and a name proves nothing: only a folder
 * whose lock file says in our words that we made it is removed, through descriptors, and links are never followed.
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

/* What the lock file of a folder holds from the moment on that it is locked. The name and the number tell the folder
 * from copies of it, and from one that was given another name to be kept. */
static const char MARK[] = "opbench made this folder, %.60s (inode %llu), and removes it with "
                           "everything in it once the process that locks this file is gone.\n";
enum { MARK_BYTES = 256 };

/* Where locks are not seen by all (another machine's, on some network file systems), age has to do. */
enum { SURELY_GONE_S = 60, MOST_DEPTH = 16 };

/* ---- marks ---- */

bool ob__mark_write(int file, const char *text)
{
    const size_t size = strlen(text);
    ssize_t count;
    do
        count = pwrite(file, text, size, 0);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)size;
}

bool ob__mark_is(int file, const char *text)
{
    struct stat st;
    char held[MARK_BYTES];
    const size_t size = strlen(text);
    return fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           st.st_size == (off_t)size && size <= sizeof held &&
           pread(file, held, sizeof held, 0) == (ssize_t)size && memcmp(held, text, size) == 0;
}

/* The mark of the open folder of that name. */
static bool name_mark(int dir, const char *name, char mark[MARK_BYTES])
{
    struct stat st;
    return fstat(dir, &st) == 0 &&
           snprintf(mark, MARK_BYTES, MARK, name, (unsigned long long)st.st_ino) < MARK_BYTES;
}

/* ---- removing ---- */

DIR *ob__open_folder(int parent, const char *name)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL && fd >= 0)
        close(fd);
    return dir;
}

/* The mark goes last: whoever is killed on the way leaves what another one can remove. */
static void remove_tree(int parent, const char *name, int depth)
{
    DIR *dir = ob__open_folder(parent, name);
    if (dir == NULL)
        return;
    const int fd = dirfd(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            (depth == 0 && strcmp(entry->d_name, LOCK_NAME) == 0))
            continue;
        if (unlinkat(fd, entry->d_name, 0) != 0 && depth < MOST_DEPTH)
            remove_tree(fd, entry->d_name, depth + 1);
    }
    if (depth == 0)
        unlinkat(fd, LOCK_NAME, 0);
    closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
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

/* The lock of a folder that we made and whose process is gone; -1 = it is not ours, or in use. The process's
 * number may be in use again, or belong to another container that shares the folder. */
static int take_left_over(int dir, const char *name, pid_t maker)
{
    struct stat st;
    char mark[MARK_BYTES];
    if (fstat(dir, &st) != 0 || st.st_uid != geteuid() || maker == getpid())
        return -1;
    const int lock =
        openat(dir, LOCK_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (lock < 0)
        return -1;
    const bool gone =
        (kill(maker, 0) != 0 && errno == ESRCH) || time(NULL) - st.st_mtime > SURELY_GONE_S;
    if (gone && flock(lock, LOCK_EX | LOCK_NB) == 0 && name_mark(dir, name, mark) &&
        ob__mark_is(lock, mark))
        return lock;
    close(lock);
    return -1;
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
        const int lock = take_left_over(fd, entry->d_name, maker);
        close(fd);
        if (lock < 0)
            continue;
        remove_tree(dirfd(dir), entry->d_name, 0);
        close(lock);
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
        return ob_err_set(err, OB_ERR_IO, "cannot make a folder in %s: %s; set TMPDIR to another",
                          parent, strerror(why));
    }
    const int dir = open(scratch->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    scratch->lock =
        dir < 0 ? -1
                : openat(dir, LOCK_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    /* The mark comes last: a folder that has it is locked as long as this process lives. Where there are no locks,
     * or the disk is full, there is no mark, and the folder stays if this process is killed. */
    char mark[MARK_BYTES];
    if (scratch->lock >= 0 && flock(scratch->lock, LOCK_EX | LOCK_NB) == 0 &&
        name_mark(dir, strrchr(scratch->dir, '/') + 1, mark))
        ob__mark_write(scratch->lock, mark);
    if (dir >= 0)
        close(dir);
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
