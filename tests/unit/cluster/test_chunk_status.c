/* SPDX-License-Identifier: Apache-2.0
 *
 * States, counts and the time that is left, of files whose times are known.
 */
#include "check.h"

#include "opbench/cluster.h"
#include "opbench/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/opbench-chunks-XXXXXX";

/* A file of a shard of four, that was begun at `start` and written to at `written`; end NULL = it has none. */
static void write_file(const char *shard, const char *name, int results, const char *end,
                       int64_t start, int64_t written)
{
    static const char DIVIDED[] = "[{\"ranges\": [[0, 10], [90, 6]], \"backend\": \"null\"}]";
    char path[128];
    ob_text text = {0};
    ob_json_doc *doc;
    ob_record record;
    ob_record_init(&record, OB_RECORD_HEADER_LINE);
    CHECK_INT(ob_json_parse("divided", DIVIDED, sizeof DIVIDED - 1, NULL, &doc, NULL), OB_OK);
    record.header.divided = ob_json_doc_root(doc);
    record.header.shard = shard;
    record.header.cases = 4;
    record.header.start_unix = start;
    record.header.node = "n1";
    CHECK_INT(ob_record_print(&record, &text, NULL), OB_OK);
    for (int i = 0; i < results; i++)
        CHECK(ob_text_printf(&text, "{\"op_name\": \"a\", \"id\": \"%d\", \"status\": \"%s\"}\n", i,
                             end != NULL && i == 3 ? "interrupted" : "ok"));
    if (end != NULL)
        CHECK(ob_text_printf(&text,
                             "{\"finish_time\": \"x\", \"end\": \"%s\", \"seconds\": %d, "
                             "\"results\": {\"ok\": %d}}\n",
                             end, (int)(written - start), results));
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fwrite(text.data, 1, text.size, file) == text.size && fclose(file) == 0);
    const struct timespec times[2] = {{.tv_sec = written}, {.tv_sec = written}};
    CHECK_INT(utimensat(AT_FDCWD, path, times, 0), 0);
    ob_text_fini(&text);
    ob_json_doc_destroy(doc);
}

static void check_chunk(const ob_chunk *c, ob_chunk_state state, uint64_t results, uint64_t files)
{
    CHECK_INT(c->state, state);
    CHECK_INT(c->results, results);
    CHECK_INT(c->expected, 4);
    CHECK_INT(c->files, files);
}

static void files_alone(void)
{
    const int64_t now = (int64_t)time(NULL);
    const ob_chunks_params params = {.size = sizeof params, .folder = folder};
    ob_chunks *chunks;
    ob_err err;
    CHECK_INT(ob_chunks_read(&params, &chunks, &err), OB_ERR_NOT_FOUND);
    write_file("1/4", "one", 4, "finished", now - 1000, now - 960);
    write_file("2/4", "two", 2, NULL, now - 30, now - 10);
    CHECK_INT(ob_chunks_read(&params, &chunks, NULL), OB_OK);
    const ob_chunk_list *list = ob_chunks_list(chunks);
    CHECK_INT(list->count, 4);
    CHECK(!list->is_submitted);
    check_chunk(&list->items[0], OB_CHUNK_DONE, 4, 1);
    check_chunk(&list->items[1], OB_CHUNK_RUNNING, 2, 1);
    check_chunk(&list->items[2], OB_CHUNK_WAITING, 0, 0);
    CHECK_STR(list->items[1].node, "n1");
    CHECK_INT(list->results, 6);
    CHECK_INT(list->expected, 16);
    CHECK_REAL(list->seconds_left, 100); /* 60 s for 6 results, and 10 are left to one node */
    ob_chunks_destroy(chunks);
}

/* Interrupted results count for nothing; what two files have of a chunk is not more than all of it. */
static void several_files(void)
{
    const int64_t now = (int64_t)time(NULL);
    const ob_chunks_params params = {.size = sizeof params, .folder = folder};
    ob_chunks *chunks;
    ob_text failed = {0};
    write_file("3/4", "three", 4, "interrupted", now - 500, now - 400);
    write_file("4/4", "four", 3, NULL, now - 5000, now - 4000);
    write_file("4/4", "four_again", 3, NULL, now - 4000, now - 3900);
    write_file("1/5", "other", 3, "finished", now - 9000, now - 8000);
    CHECK_INT(ob_chunks_read(&params, &chunks, NULL), OB_OK);
    const ob_chunk_list *list = ob_chunks_list(chunks);
    check_chunk(&list->items[2], OB_CHUNK_FAILED, 3, 1);
    CHECK_STR(list->items[2].note, "interrupted");
    check_chunk(&list->items[3], OB_CHUNK_FAILED, 4, 2);
    CHECK_INT(list->other_files, 1);
    CHECK_INT(list->in_state[OB_CHUNK_FAILED], 2);
    CHECK(ob_chunks_append_failed(chunks, &failed) && ob_text_append(&failed, "", 1));
    CHECK_STR(failed.data, "3-4");
    ob_text_fini(&failed);
    ob_chunks_destroy(chunks);
}

/* A header is data: what no run has is not believed. */
static void hostile(void)
{
    const ob_chunks_params params = {.size = sizeof params, .folder = folder};
    const int64_t now = (int64_t)time(NULL);
    ob_chunks *chunks;
    write_file("1/18446744073709551615", "huge", 1, NULL, now, now);
    write_file("x/4", "none", 1, NULL, now, now);
    CHECK_INT(ob_chunks_read(&params, &chunks, NULL), OB_OK);
    CHECK_INT(ob_chunks_list(chunks)->count, 4);
    CHECK_INT(ob_chunks_list(chunks)->other_files, 3);
    ob_chunks_destroy(chunks);
}

int main(void)
{
    char path[64];
    static const char *const NAMES[] = {"one",        "two",   "three", "four",
                                        "four_again", "other", "huge",  "none"};
    CHECK(mkdtemp(folder) != NULL);
    RUN(files_alone);
    RUN(several_files);
    RUN(hostile);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s.json", folder, NAMES[i]);
        CHECK_INT(unlink(path), 0);
    }
    CHECK_INT(rmdir(folder), 0);
    return ob_test_end();
}
