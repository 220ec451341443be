/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory a process and all that it started hold. A sum of what is resident counts what they share several
 * times; so it only decides whether to look closely, which takes longer. Files in memory count as well: they need not
 * be mapped anywhere.
 */
#include "process/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PROCESSES = 1024, MOST_FILES = 4096 };

/* The start of a small file of the kernel's. */
static bool read_start(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t length = 0;
    ssize_t got;
    while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    close(fd);
    text[length] = '\0';
    return length > 0;
}

static uint64_t resident_bytes(pid_t pid)
{
    char path[64], text[128], *end;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    if (!read_start(path, text, sizeof text))
        return 0;
    strtoull(text, &end, 10); /* the address space */
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t ob__process_resident_bytes(const ob_process *process)
{
    return process->pid > 0 ? resident_bytes(process->pid) : 0;
}

uint64_t ob__oom_kills(void)
{
    static const char NAME[] = "\noom_kill ";
    char text[16384];
    const char *row = read_start("/proc/vmstat", text, sizeof text) ? strstr(text, NAME) : NULL;
    return row != NULL ? strtoull(row + sizeof NAME - 1, NULL, 10) : 0;
}

/* ---- all of them ---- */

typedef struct family {
    pid_t members[MOST_PROCESSES]; /* the guard first, which does not count */
    size_t count;
    struct {
        dev_t device;
        ino_t inode;
    } files[MOST_FILES]; /* that were counted */
    size_t file_count;
    uint64_t resident, in_files;
} family;

static void add_children(family *f, pid_t pid, const char *thread)
{
    char path[64], text[8192];
    snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", (long)pid, thread);
    if (!read_start(path, text, sizeof text))
        return;
    for (char *at = text, *end; f->count < MOST_PROCESSES; at = end) {
        const long child = strtol(at, &end, 10);
        if (end == at)
            return;
        f->members[f->count++] = (pid_t)child;
    }
}

/* Calls fn for each entry of a folder of the process. */
static void for_entries(family *f, pid_t pid, const char *folder,
                        void (*fn)(family *f, pid_t pid, DIR *dir, const char *name))
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, folder);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.')
            fn(f, pid, dir, entry->d_name);
    if (dir != NULL)
        closedir(dir);
}

static void take_thread(family *f, pid_t pid, DIR *dir, const char *name)
{
    (void)dir;
    add_children(f, pid, name);
}

static void take_file(family *f, pid_t pid, DIR *dir, const char *name)
{
    static const char *const IN_MEMORY[] = {"/memfd:", "/dev/shm/"};
    char target[16];
    struct stat st;
    (void)pid;
    const ssize_t length = readlinkat(dirfd(dir), name, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    if (strncmp(target, IN_MEMORY[0], strlen(IN_MEMORY[0])) != 0 &&
        strncmp(target, IN_MEMORY[1], strlen(IN_MEMORY[1])) != 0)
        return;
    if (f->file_count == MOST_FILES || fstatat(dirfd(dir), name, &st, 0) != 0)
        return;
    for (size_t i = 0; i < f->file_count; i++)
        if (f->files[i].inode == st.st_ino && f->files[i].device == st.st_dev)
            return;
    f->files[f->file_count].device = st.st_dev;
    f->files[f->file_count++].inode = st.st_ino;
    f->in_files += (uint64_t)st.st_blocks * 512;
}

/* In bytes; 0 when the kernel does not say. */
static uint64_t rollup_value(const char *text, const char *name)
{
    const char *row = strstr(text, name);
    return row != NULL ? strtoull(row + strlen(name), NULL, 10) * 1024 : 0;
}

/* What is shared is counted in parts; what is mapped of the files counts with the files. */
static uint64_t exact_bytes(const family *f)
{
    uint64_t sum = 0, mapped = 0;
    for (size_t i = 1; i < f->count; i++) {
        char path[64], text[4096];
        snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)f->members[i]);
        if (!read_start(path, text, sizeof text)) {
            sum += resident_bytes(f->members[i]);
            continue;
        }
        sum += rollup_value(text, "\nPss:");
        mapped += rollup_value(text, "\nPss_Shmem:");
    }
    return sum + (f->in_files > mapped ? f->in_files - mapped : 0);
}

uint64_t ob__process_above_limit(const ob_process *process, uint64_t limit)
{
    const uint64_t own = ob__process_resident_bytes(process);
    if (own > limit || process->guard == 0)
        return own > limit ? own : 0;
    family *f = malloc(sizeof *f);
    if (f == NULL)
        return 0;
    f->members[0] = process->guard;
    f->count = 1;
    f->file_count = 0;
    f->resident = f->in_files = 0;
    for (size_t i = 0; i < f->count; i++) {
        for_entries(f, f->members[i], "task", take_thread);
        if (i == 0)
            continue;
        f->resident += resident_bytes(f->members[i]);
        for_entries(f, f->members[i], "fd", take_file);
    }
    uint64_t held = f->resident + f->in_files;
    if (held > limit)
        held = exact_bytes(f);
    free(f);
    return held > limit ? held : 0;
}
