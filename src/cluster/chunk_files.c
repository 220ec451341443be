/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of a folder say of each chunk. Of a file that has its end only the first and the last line are read, so that a
 * look at a thousand finished chunks is quick; of others the results are counted.
 */
#include "cluster/chunk_scan.h"

#include "job/line_scan.h"
#include "opbench/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL_BYTES = 1 << 16, READ_BYTES = 1 << 20, MOST_LINE = 1 << 28 };
#define MOST_CASES ((int64_t)1 << 48) /* a header that names more is not believed */

/* ---- one file ---- */

/* Backends have a result each of a case. */
static uint64_t count_backends(const ob_json *part)
{
    const char *names = ob_json_string(ob_json_get(part, "backend"), NULL);
    uint64_t count = 1;
    for (; names != NULL && *names != '\0'; names++)
        count += *names == ',';
    return count;
}

/* Results of all shards; 0 = the header does not say it. */
static uint64_t count_all(const ob_json *divided)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ob_json_count(divided); i++) {
        const ob_json *part = ob_json_item(divided, i), *ranges = ob_json_get(part, "ranges");
        for (size_t k = 0; k < ob_json_count(ranges); k++) {
            const int64_t cases = ob_json_int(ob_json_item(ob_json_item(ranges, k), 1), 0);
            if (cases > 0 && cases < MOST_CASES && sum < MOST_CASES)
                sum += (uint64_t)cases * count_backends(part);
        }
    }
    return sum;
}

static bool take_header(ob_chunk_file *f, const ob_record_header *h)
{
    ob_shard shard;
    if (h->shard == NULL || h->merged > 0 || ob_shard_parse(h->shard, &shard, NULL) != OB_OK ||
        shard.of > OB_SLURM_MAX_CHUNKS)
        return false;
    f->shard = shard.number;
    f->of = shard.of;
    f->start = h->start_unix;
    if (h->cases > 0 && h->cases < MOST_CASES)
        f->expected = (uint64_t)h->cases * count_backends(ob_json_item(h->divided, 0));
    f->total = count_all(h->divided);
    snprintf(f->node, sizeof f->node, "%.63s", h->node != NULL ? h->node : h->system.hostname);
    return true;
}

static bool read_header(ob_chunk_file *f, const char *path)
{
    ob_record_reader *reader;
    const ob_record *record;
    if (ob_record_reader_open(path, NULL, &reader, NULL) != OB_OK)
        return false;
    const bool ok = ob_record_reader_next(reader, &record, NULL) == OB_OK &&
                    record->kind == OB_RECORD_HEADER_LINE && take_header(f, &record->header);
    ob_record_reader_close(reader);
    return ok;
}

/* False: the line is no end of a run. */
static bool take_end(ob_chunk_file *f, const char *line, size_t length)
{
    ob_record_reader *reader;
    const ob_record *record;
    if (ob_record_reader_open_memory("", line, length, NULL, &reader, NULL) != OB_OK)
        return false;
    const bool ok = ob_record_reader_next(reader, &record, NULL) == OB_OK &&
                    record->kind == OB_RECORD_FINISH_LINE && record->finish.end != NULL;
    if (ok) {
        f->is_done = f->is_done || strcmp(record->finish.end, "interrupted") != 0;
        f->is_open = false;
        f->seconds = record->finish.seconds > 0 ? record->finish.seconds : 0;
        f->results = 0;
        for (size_t i = 0; i < OB_RECORD_STATUS_COUNT; i++)
            if (i != OB_RECORD_INTERRUPTED)
                f->results += record->finish.cases[i];
    }
    ob_record_reader_close(reader);
    return ok;
}

/* Whether the file ends with the end of a whole run. */
static bool read_tail(ob_chunk_file *f, const char *path, off_t size)
{
    const off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    char *tail = malloc(TAIL_BYTES);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = tail != NULL && fd >= 0 ? pread(fd, tail, TAIL_BYTES, from) : -1;
    if (fd >= 0)
        close(fd);
    const char *line = NULL;
    if (got > 1 && tail[got - 1] == '\n')
        line = memrchr(tail, '\n', (size_t)got - 1);
    const bool ok =
        line != NULL && take_end(f, line + 1, (size_t)(tail + got - (line + 1))) && f->is_done;
    free(tail);
    return ok;
}

static void count_line(ob_chunk_file *f, const char *line, size_t length, uint64_t *results)
{
    static const char INTERRUPTED[] = "\"interrupted\"";
    ob_line_scan scan;
    if (!ob__line_scan(line, length, &scan))
        return;
    const ob_scan_value *status = &scan.fields[OB_SCAN_STATUS];
    const bool is_settled =
        status->size != strlen(INTERRUPTED) || memcmp(status->data, INTERRUPTED, status->size) != 0;
    *results += scan.kind == OB_SCAN_RESULT && scan.fields[OB_SCAN_PART_OF].size == 0 && is_settled;
    if (scan.kind == OB_SCAN_HEADER)
        f->is_open = true;
    else if (scan.kind == OB_SCAN_FINISH)
        take_end(f, line, length);
}

/* Lines that are whole; a last one that was cut off stays in the text. */
static void count_lines(ob_chunk_file *f, ob_text *text, uint64_t *results)
{
    size_t at = 0;
    for (const char *end; text->size > at; at = (size_t)(end - text->data) + 1) {
        end = memchr(text->data + at, '\n', text->size - at);
        if (end == NULL)
            break;
        count_line(f, text->data + at, (size_t)(end - text->data) - at, results);
    }
    if (at > 0)
        memmove(text->data, text->data + at, text->size - at);
    text->size -= at;
}

static void count_results(ob_chunk_file *f, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ob_text text = {0};
    uint64_t results = 0;
    f->is_open = true;
    while (fd >= 0 && text.size < MOST_LINE && ob_text_reserve(&text, READ_BYTES)) {
        const ssize_t got = read(fd, text.data + text.size, READ_BYTES);
        if (got <= 0)
            break;
        text.size += (size_t)got;
        count_lines(f, &text, &results);
    }
    f->results = results;
    ob_text_fini(&text);
    if (fd >= 0)
        close(fd);
}

static bool read_one(ob_chunk_file *f, const char *path)
{
    struct stat info;
    *f = (ob_chunk_file){0};
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || !read_header(f, path))
        return false;
    f->written = (int64_t)info.st_mtime;
    if (!read_tail(f, path, info.st_size))
        count_results(f, path);
    if (f->is_open && f->written > f->start)
        f->seconds = (double)(f->written - f->start);
    return true;
}

/* ---- the folder ---- */

typedef struct files {
    ob_chunk_file *items;
    size_t count, capacity;
    uint64_t others;
} files;

static bool is_wanted(const char *name, const char *begin)
{
    const size_t length = strlen(name), ending = strlen(".json");
    return name[0] != '.' && strncmp(name, begin, strlen(begin)) == 0 && length > ending &&
           strcmp(name + length - ending, ".json") == 0;
}

static ob_status read_files(files *out, const char *folder, const char *begin, ob_err *err)
{
    DIR *dir = opendir(folder);
    ob_status status = OB_OK;
    if (dir == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "%s cannot be read: %s", folder, strerror(errno));
    for (const struct dirent *entry; status == OB_OK && (entry = readdir(dir)) != NULL;) {
        char path[PATH_MAX];
        if (!is_wanted(entry->d_name, begin) ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_MAX)
            continue;
        if (!OB_RESERVE(out->items, out->capacity, out->count + 1))
            status = ob__cluster_no_memory(err);
        else if (read_one(&out->items[out->count], path))
            out->count++;
        else
            out->others++;
    }
    closedir(dir);
    return status;
}

/* Of how many parts the file that was written last is one. */
static uint64_t find_count(const files *all)
{
    const ob_chunk_file *last = NULL;
    for (size_t i = 0; i < all->count; i++)
        if (last == NULL || all->items[i].written > last->written)
            last = &all->items[i];
    return last != NULL ? last->of : 0;
}

static void add_file(ob_chunk_files *c, const ob_chunk_file *f)
{
    c->files++;
    c->results += f->results;
    c->seconds += f->seconds;
    c->expected = f->expected > c->expected ? f->expected : c->expected;
    c->is_done = c->is_done || f->is_done;
    if (f->written < c->written)
        return;
    c->written = f->written;
    c->is_open = f->is_open;
    memcpy(c->node, f->node, sizeof c->node);
}

/* What two writers both have is there once. */
static void settle(ob_chunk_files *c)
{
    if (c->is_done && c->expected > 0)
        c->results = c->expected;
    else if (c->expected > 0 && c->results > c->expected)
        c->results = c->expected;
}

static ob_status spread(ob_chunk_survey *out, const files *all, ob_err *err)
{
    out->other_files = all->others;
    if (out->count == 0)
        out->count = find_count(all);
    if (out->count == 0 || out->count > OB_SLURM_MAX_CHUNKS)
        return OB_OK;
    out->chunks = calloc(out->count, sizeof *out->chunks);
    if (out->chunks == NULL)
        return ob__cluster_no_memory(err);
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].of != out->count) {
            out->other_files++;
            continue;
        }
        add_file(&out->chunks[all->items[i].shard - 1], &all->items[i]);
        out->total = all->items[i].total > out->total ? all->items[i].total : out->total;
    }
    for (uint64_t i = 0; i < out->count; i++)
        settle(&out->chunks[i]);
    return OB_OK;
}

ob_status ob__chunk_survey_read(ob_chunk_survey *out, const char *folder, uint64_t chunks,
                                uint64_t only, ob_err *err)
{
    char begin[64] = "";
    files all = {0};
    *out = (ob_chunk_survey){.count = chunks};
    if (only > 0 && chunks > 0) /* then they are named so */
        snprintf(begin, sizeof begin, "shard-%" PRIu64 "-of-", only);
    ob_status status = read_files(&all, folder, begin, err);
    if (status == OB_OK)
        status = spread(out, &all, err);
    if (status == OB_OK && out->chunks != NULL &&
        only == 0) /* one chunk is only asked whether it is done */
        status = ob__chunk_tries_read(out, folder, err);
    free(all.items);
    return status;
}

void ob__chunk_survey_fini(ob_chunk_survey *survey)
{
    free(survey->chunks);
}
