/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting beyond memory: parts are sorted and written one behind the other into a file without a name, then read side by side.
 */
#include "job/entry_sort.h"

#include "opbench/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1 << 20, READ_AT_ONCE = 1024 };

/* Sorted entries that wait in the file, and the next of them. */
typedef struct part {
    uint64_t next, end; /* in the file */
    ob_result_entry *read;
    size_t count, at; /* of those that were read */
} part;

struct ob_entry_sort {
    const char *folder;
    ob_result_entry *entries;
    size_t count, capacity, most;
    size_t given; /* of those in memory, where there are no parts */
    int file;     /* -1 = none */
    uint64_t written;
    part *parts;
    size_t part_count, part_capacity;
    size_t *heap; /* parts by their next entry */
    size_t heap_size;
};

static int order_of(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

int ob__result_entry_compare(const ob_result_entry *a, const ob_result_entry *b)
{
    const struct {
        uint64_t a, b;
    } by[] = {{a->part, b->part}, {a->order, b->order}, {a->way, b->way},      {a->name, b->name},
              {b->rank, a->rank}, {b->file, a->file},   {b->offset, a->offset}};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i].a != by[i].b)
            return order_of(by[i].a, by[i].b);
    return 0;
}

static int compare(const void *a, const void *b)
{
    return ob__result_entry_compare(a, b);
}

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of results");
}

ob_status ob__entry_sort_create(const char *folder, size_t most, ob_entry_sort **out, ob_err *err)
{
    ob_entry_sort *s = calloc(1, sizeof *s);
    *out = s;
    if (s == NULL)
        return out_of_memory(err);
    s->folder = folder;
    s->most = most > 0 ? most : MOST;
    s->file = -1;
    return OB_OK;
}

void ob__entry_sort_destroy(ob_entry_sort *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->part_count; i++)
        free(s->parts[i].read);
    if (s->file >= 0)
        close(s->file);
    free(s->parts);
    free(s->heap);
    free(s->entries);
    free(s);
}

/* ---- parts ---- */

static ob_status cannot(const ob_entry_sort *s, const char *what, ob_err *err)
{
    return ob_err_set(err, OB_ERR_IO, "a list of results in %s cannot be %s: %s", s->folder, what,
                      strerror(errno));
}

static ob_status open_file(ob_entry_sort *s, ob_err *err)
{
    char path[4096];
    s->file = open(s->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (s->file >= 0)
        return OB_OK;
    /* Some file systems have none without a name. */
    if (snprintf(path, sizeof path, "%s/opbench-merge-XXXXXX", s->folder) >= (int)sizeof path ||
        (s->file = mkostemp(path, O_CLOEXEC)) < 0)
        return cannot(s, "made", err);
    unlink(path);
    return OB_OK;
}

static ob_status write_all(ob_entry_sort *s, const char *data, size_t size, ob_err *err)
{
    while (size > 0) {
        const ssize_t done = write(s->file, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return cannot(s, "written", err);
        data += done;
        size -= (size_t)done;
    }
    return OB_OK;
}

static ob_status spill(ob_entry_sort *s, ob_err *err)
{
    if (s->file < 0)
        OB_TRY(open_file(s, err));
    qsort(s->entries, s->count, sizeof *s->entries, compare);
    OB_TRY(write_all(s, (const char *)s->entries, s->count * sizeof *s->entries, err));
    if (!OB_RESERVE(s->parts, s->part_capacity, s->part_count + 1))
        return out_of_memory(err);
    s->parts[s->part_count++] = (part){.next = s->written, .end = s->written + s->count};
    s->written += s->count;
    s->count = 0;
    return OB_OK;
}

ob_status ob__entry_sort_add(ob_entry_sort *s, const ob_result_entry *entry, ob_err *err)
{
    if (s->count == s->most)
        OB_TRY(spill(s, err));
    if (!OB_RESERVE(s->entries, s->capacity, s->count + 1))
        return out_of_memory(err);
    s->entries[s->count++] = *entry;
    return OB_OK;
}

/* ---- side by side ---- */

/* Fills p->read. *has: there is another entry. */
static ob_status refill(ob_entry_sort *s, part *p, bool *has, ob_err *err)
{
    *has = p->at < p->count;
    if (*has || p->next == p->end)
        return OB_OK;
    const uint64_t left = p->end - p->next;
    p->count = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;
    p->at = 0;
    size_t got = 0, wanted = p->count * sizeof *p->read;
    while (got < wanted) {
        const ssize_t n = pread(s->file, (char *)p->read + got, wanted - got,
                                (off_t)(p->next * sizeof *p->read + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return cannot(s, "read", err);
        got += (size_t)n;
    }
    p->next += p->count;
    *has = true;
    return OB_OK;
}

static const ob_result_entry *first_of(const ob_entry_sort *s, size_t i)
{
    const part *p = &s->parts[s->heap[i]];
    return &p->read[p->at];
}

static void sift_down(ob_entry_sort *s, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->heap_size; child++)
            if (ob__result_entry_compare(first_of(s, child), first_of(s, least)) < 0)
                least = child;
        if (least == i)
            return;
        const size_t other = s->heap[i];
        s->heap[i] = s->heap[least];
        s->heap[least] = other;
        i = least;
    }
}

ob_status ob__entry_sort_end(ob_entry_sort *s, ob_err *err)
{
    if (s->part_count == 0) {
        if (s->count > 0)
            qsort(s->entries, s->count, sizeof *s->entries, compare);
        return OB_OK;
    }
    OB_TRY(spill(s, err));
    free(s->entries);
    s->entries = NULL;
    s->heap = calloc(s->part_count, sizeof *s->heap);
    if (s->heap == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < s->part_count; i++) {
        bool has;
        s->parts[i].read = malloc(READ_AT_ONCE * sizeof *s->parts[i].read);
        if (s->parts[i].read == NULL)
            return out_of_memory(err);
        OB_TRY(refill(s, &s->parts[i], &has, err));
        if (has)
            s->heap[s->heap_size++] = i;
    }
    for (size_t i = s->heap_size; i-- > 0;)
        sift_down(s, i);
    return OB_OK;
}

ob_status ob__entry_sort_next(ob_entry_sort *s, ob_result_entry *out, ob_err *err)
{
    bool has;
    if (s->part_count == 0) {
        if (s->given == s->count)
            return OB_END;
        *out = s->entries[s->given++];
        return OB_OK;
    }
    if (s->heap_size == 0)
        return OB_END;
    part *p = &s->parts[s->heap[0]];
    *out = p->read[p->at++];
    OB_TRY(refill(s, p, &has, err));
    if (!has)
        s->heap[0] = s->heap[--s->heap_size];
    if (s->heap_size > 0)
        sift_down(s, 0);
    return OB_OK;
}
