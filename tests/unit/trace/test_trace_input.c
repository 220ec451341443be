/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces as files: plain, gzip, zstd and tar, what is taken from an archive, limits of what a packed file may become.
 */
#include "trace_test.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <unistd.h>

static const char TRACE[] = TRACE_OF(TRACE_NODE(1, 1, "process", "", ""));

typedef struct member {
    const char *name;
    const char *text;
    size_t size;
} member;

/* An archive in memory, malloc'ed. filter: 0, ARCHIVE_FILTER_GZIP or _ZSTD; without names: the text alone. */
static void *packed(int filter, const member *members, size_t count, size_t *size)
{
    const size_t room = 1 << 20;
    void *data = malloc(room);
    struct archive *a = archive_write_new();
    if (members[0].name == NULL)
        archive_write_set_format_raw(a);
    else
        archive_write_set_format_ustar(a);
    if (filter != 0)
        CHECK_INT(archive_write_add_filter(a, filter), ARCHIVE_OK);
    CHECK_INT(archive_write_open_memory(a, data, room, size), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, members[i].name != NULL ? members[i].name : "data");
        archive_entry_set_size(entry, (la_int64_t)members[i].size);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        CHECK_INT(archive_write_header(a, entry), ARCHIVE_OK);
        CHECK_INT(archive_write_data(a, members[i].text, members[i].size), members[i].size);
        archive_entry_free(entry);
    }
    CHECK_INT(archive_write_free(a), ARCHIVE_OK);
    return data;
}

static ob_status open_packed(int filter, const member *members, size_t count,
                             const ob_trace_limits *limits, ob_trace **trace, ob_err *err)
{
    size_t size = 0;
    void *data = packed(filter, members, count, &size);
    const ob_status status = ob_trace_open_memory("t.gz", data, size, limits, NULL, trace, err);
    free(data);
    return status;
}

static void unpacks(void)
{
    static const int FILTERS[] = {0, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD};
    const member plain = {NULL, TRACE, sizeof TRACE - 1};
    /* The first member whose name ends in .json. */
    const member several[] = {{"json", "no", 2},
                              {".json", "no", 2},
                              {"a.json.txt", "no", 2},
                              {"b.json", TRACE, sizeof TRACE - 1},
                              {"c.json", "no", 2}};
    for (size_t i = 0; i < sizeof FILTERS / sizeof *FILTERS; i++) {
        ob_trace *trace = NULL;
        ob_err err;
        CHECK_INT(open_packed(FILTERS[i], &plain, 1, NULL, &trace, &err), OB_OK);
        CHECK_INT(ob_trace_node_count(trace), 1);
        CHECK_INT(ob_trace_text_bytes(trace), sizeof TRACE - 1);
        ob_trace_close(trace);
        CHECK_INT(open_packed(FILTERS[i], several, 5, NULL, &trace, &err), OB_OK);
        CHECK_INT(ob_trace_node_count(trace), 1);
        CHECK_INT(ob_trace_text_bytes(trace), sizeof TRACE - 1);
        ob_trace_close(trace);
    }
}

static void refuses(void)
{
    ob_trace *trace = NULL;
    ob_err err;
    const member without = {"a.txt", "no", 2};
    CHECK_INT(open_packed(ARCHIVE_FILTER_GZIP, &without, 1, NULL, &trace, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "the archive has no member ending in .json");
    CHECK_STR(err.file, "t.gz");
    CHECK_INT(ob_trace_open_memory("t.json", "", 0, NULL, NULL, &trace, &err), OB_ERR_SYNTAX);
    CHECK_STR(err.message, "is empty");
    /* A packed file that ends too early. */
    size_t size = 0;
    const member plain = {NULL, TRACE, sizeof TRACE - 1};
    void *data = packed(ARCHIVE_FILTER_GZIP, &plain, 1, &size);
    CHECK_INT(ob_trace_open_memory("t.gz", data, size / 2, NULL, NULL, &trace, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "cannot be opened: truncated gzip input");
    CHECK(trace == NULL);
    free(data);
}

static void opens_files(void)
{
    char path[] = "/tmp/opbench_trace_XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fputs(TRACE, file);
    fclose(file);
    ob_trace *trace = NULL;
    ob_err err;
    CHECK_INT(ob_trace_open(path, NULL, NULL, &trace, &err), OB_OK);
    CHECK_STR(ob_trace_name(trace), path);
    ob_trace_close(trace);
    CHECK(freopen(path, "r", stdin) != NULL);
    CHECK_INT(ob_trace_open("-", NULL, NULL, &trace, &err), OB_OK);
    CHECK_STR(ob_trace_name(trace), "<stdin>");
    CHECK_INT(ob_trace_node_count(trace), 1);
    ob_trace_close(trace);
    remove(path);
    CHECK_INT(ob_trace_open(path, NULL, NULL, &trace, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "cannot be opened: No such file or directory; check the path");
    CHECK(trace == NULL);
}

static void limits_the_text(void)
{
    ob_trace *trace = NULL;
    ob_err err;
    ob_trace_limits limits = {.size = sizeof limits, .max_text_bytes = sizeof TRACE - 1};
    CHECK_INT(ob_trace_open_memory("t", TRACE, sizeof TRACE - 1, &limits, NULL, &trace, &err),
              OB_OK);
    ob_trace_close(trace);
    limits.max_text_bytes--;
    CHECK_INT(ob_trace_open_memory("t", TRACE, sizeof TRACE - 1, &limits, NULL, &trace, &err),
              OB_ERR_LIMIT);
    CHECK_STR(err.message, "the text is longer than the limit of 0 MiB");
}

/* Blanks pack ten thousandfold; up to 64 MiB nobody minds. */
static void limits_the_growth(void)
{
    const size_t size = 65u << 20;
    char *text = malloc(size);
    ob_trace *trace = NULL;
    ob_err err;
    memset(text, ' ', size);
    memcpy(text, TRACE, sizeof TRACE - 1);
    const member long_one = {NULL, text, size};
    CHECK_INT(open_packed(ARCHIVE_FILTER_ZSTD, &long_one, 1, NULL, &trace, &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "unpacks to more than 400 times its size");
    const ob_trace_limits limits = {.size = sizeof limits, .max_expansion = 1000000};
    CHECK_INT(open_packed(ARCHIVE_FILTER_ZSTD, &long_one, 1, &limits, &trace, &err), OB_OK);
    CHECK_INT(ob_trace_text_bytes(trace), size);
    ob_trace_close(trace);
    const member shorter = {NULL, text, 64u << 20};
    CHECK_INT(open_packed(ARCHIVE_FILTER_ZSTD, &shorter, 1, NULL, &trace, &err), OB_OK);
    ob_trace_close(trace);
    free(text);
}

/* ---- how far it is read ---- */

typedef struct read_so_far {
    uint64_t times, bytes, of;
} read_so_far;

static void note_read(void *ctx, uint64_t bytes, uint64_t of)
{
    read_so_far *so_far = ctx;
    CHECK(bytes >= so_far->bytes && bytes <= of);
    *so_far = (read_so_far){.times = so_far->times + 1, .bytes = bytes, .of = of};
}

/* A file of a known size, up to its end; text in memory has no file. */
static void tells_what_is_read(void)
{
    char path[] = "/tmp/opbench_trace_XXXXXX";
    const int fd = mkstemp(path);
    read_so_far so_far = {.times = 0};
    const ob_trace_limits limits = {.size = sizeof limits, .on_read = note_read, .ctx = &so_far};
    ob_trace *trace;
    CHECK_INT(write(fd, TRACE, sizeof TRACE - 1), sizeof TRACE - 1);
    close(fd);
    CHECK_INT(ob_trace_open(path, &limits, NULL, &trace, NULL), OB_OK);
    ob_trace_close(trace);
    unlink(path);
    CHECK(so_far.times > 0);
    CHECK_INT(so_far.bytes, sizeof TRACE - 1);
    CHECK_INT(so_far.of, sizeof TRACE - 1);
    so_far = (read_so_far){.times = 0};
    CHECK_INT(ob_trace_open_memory("t", TRACE, sizeof TRACE - 1, &limits, NULL, &trace, NULL),
              OB_OK);
    ob_trace_close(trace);
    CHECK_INT(so_far.times, 0);
}

int main(void)
{
    RUN(unpacks);
    RUN(refuses);
    RUN(opens_files);
    RUN(limits_the_text);
    RUN(limits_the_growth);
    RUN(tells_what_is_read);
    return ob_test_end();
}
