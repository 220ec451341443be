/* SPDX-License-Identifier: Apache-2.0
 *
 * The notes that batch scripts leave: a file for each try, "NODE begun", "NODE failed 139", ..., named by chunk, job, restart and turn.
 * They say on which node a chunk fails.
 */
#include "cluster/chunk_scan.h"

#include "opbench/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_JUDGED = 1000 };

typedef struct try_note {
    uint64_t chunk;
    char node[64], what[32];
    struct timespec when;
} try_note;

typedef struct notes {
    try_note *items;
    size_t count, capacity;
} notes;

/* "7.123.0.1": the chunk; 0 = another name. */
static uint64_t read_chunk(const char *name, uint64_t most)
{
    char *end;
    if (name[0] < '1' || name[0] > '9')
        return 0;
    const unsigned long long number = strtoull(name, &end, 10);
    return *end == '.' && number <= most ? number : 0;
}

static bool read_note(try_note *out, int folder, const char *name)
{
    char line[128];
    struct stat info;
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t got = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    const bool known = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (fd >= 0)
        close(fd);
    if (got <= 0 || !known)
        return false;
    line[got] = '\0';
    line[strcspn(line, "\n")] = '\0';
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' ';)
        line[--end] = '\0';
    const size_t node = strcspn(line, " ");
    if (node == 0 || node >= sizeof out->node || line[node] == '\0')
        return false;
    snprintf(out->node, sizeof out->node, "%.*s", (int)node, line);
    snprintf(out->what, sizeof out->what, "%.31s", line + node + 1);
    out->when = info.st_mtim;
    return true;
}

static ob_status read_notes(notes *out, const char *folder, uint64_t most, ob_err *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" OB_SLURM_FOLDER "/" OB_SLURM_TRIES, folder);
    DIR *dir = opendir(path);
    ob_status status = OB_OK;
    if (dir == NULL)
        return OB_OK;
    for (const struct dirent *entry; status == OB_OK && (entry = readdir(dir)) != NULL;) {
        const uint64_t chunk = read_chunk(entry->d_name, most);
        if (chunk == 0)
            continue;
        if (!OB_RESERVE(out->items, out->capacity, out->count + 1)) {
            status = ob__cluster_no_memory(err);
        } else if (read_note(&out->items[out->count], dirfd(dir), entry->d_name)) {
            out->items[out->count++].chunk = chunk;
        }
    }
    closedir(dir);
    return status;
}

/* By chunk, then by time. */
static int compare(const void *a, const void *b)
{
    const try_note *x = a, *y = b;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    if (x->when.tv_sec != y->when.tv_sec)
        return x->when.tv_sec < y->when.tv_sec ? -1 : 1;
    return (x->when.tv_nsec > y->when.tv_nsec) - (x->when.tv_nsec < y->when.tv_nsec);
}

/* What was begun and has no end failed with its node, but for the last, which may be under way. */
static bool is_failure(const try_note *note, bool is_last)
{
    return strncmp(note->what, "failed", 6) == 0 || (strcmp(note->what, "begun") == 0 && !is_last);
}

static void add_bad_node(ob_chunk_files *c, const char *node)
{
    const size_t used = strlen(c->bad_nodes), room = sizeof c->bad_nodes - used;
    if (snprintf(c->bad_nodes + used, room, "%s%s", used > 0 ? ", " : "", node) >= (int)room)
        c->bad_nodes[used] = '\0';
}

static void describe(const try_note *failure, char *out, size_t size)
{
    if (strcmp(failure->what, "failed time") == 0)
        snprintf(out, size, "measured no case within its time on %.60s", failure->node);
    else if (strncmp(failure->what, "failed", 6) == 0)
        snprintf(out, size, "ended with%.20s on %.60s", failure->what + 6, failure->node);
    else
        snprintf(out, size, "was lost with %.60s", failure->node);
}

/* Of one chunk; of very many tries the last. */
static void judge(ob_chunk_files *c, const try_note *of, size_t count)
{
    c->tries = count;
    if (count > MOST_JUDGED) {
        of += count - MOST_JUDGED;
        count = MOST_JUDGED;
    }
    for (size_t i = 0; i < count; i++) {
        size_t here = 0;
        if (!is_failure(&of[i], i + 1 == count))
            continue;
        c->failures++;
        for (size_t k = 0; k <= i; k++)
            here += is_failure(&of[k], k + 1 == count) && strcmp(of[k].node, of[i].node) == 0;
        if (here == OB_CHUNK_MOST_FAILURES)
            add_bad_node(c, of[i].node);
        describe(&of[i], c->last_failure, sizeof c->last_failure);
    }
    if (count > 0 && strcmp(of[count - 1].what, "begun") == 0)
        snprintf(c->last_begun, sizeof c->last_begun, "%.60s", of[count - 1].node);
}

ob_status ob__chunk_tries_read(ob_chunk_survey *survey, const char *folder, ob_err *err)
{
    notes all = {0};
    const ob_status status = read_notes(&all, folder, survey->count, err);
    if (all.count > 0)
        qsort(all.items, all.count, sizeof *all.items, compare);
    for (size_t first = 0, end; status == OB_OK && first < all.count; first = end) {
        for (end = first + 1; end < all.count && all.items[end].chunk == all.items[first].chunk;)
            end++;
        judge(&survey->chunks[all.items[first].chunk - 1], &all.items[first], end - first);
    }
    free(all.items);
    return status;
}

ob_status ob_chunks_set_aside_tries(const ob_chunks *chunks, const char *folder, ob_err *err)
{
    static const char OLD[] = "old";
    const ob_chunk_list *list = ob_chunks_list(chunks);
    char path[PATH_MAX], name[NAME_MAX + 8];
    snprintf(path, sizeof path, "%s/" OB_SLURM_FOLDER "/" OB_SLURM_TRIES, folder);
    DIR *dir = opendir(path);
    ob_status status = OB_OK;
    if (dir == NULL)
        return OB_OK;
    if (mkdirat(dirfd(dir), OLD, 0777) != 0 && errno != EEXIST)
        status = ob_err_set(err, OB_ERR_IO, "%s/%s cannot be made: %s", path, OLD, strerror(errno));
    for (const struct dirent *entry; status == OB_OK && (entry = readdir(dir)) != NULL;) {
        const uint64_t chunk = read_chunk(entry->d_name, list->count);
        if (chunk == 0 || list->items[chunk - 1].state != OB_CHUNK_FAILED)
            continue;
        snprintf(name, sizeof name, "%s/%s", OLD, entry->d_name);
        if (renameat(dirfd(dir), entry->d_name, dirfd(dir), name) != 0)
            status = ob_err_set(err, OB_ERR_IO, "%s/%s cannot be moved: %s", path, entry->d_name,
                                strerror(errno));
    }
    closedir(dir);
    return status;
}
