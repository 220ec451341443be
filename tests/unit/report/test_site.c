/* SPDX-License-Identifier: Apache-2.0
 *
 * A history as a site: which pages there are, what they say of a step, and names that mean harm.
 */
#include "check.h"
#include "opbench/site.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST = 16 };

typedef struct pages {
    char *names[MOST], *texts[MOST];
    size_t count, refused_at; /* 0 = takes all */
} pages;

static ob_status take(void *ctx, const char *name, const char *bytes, size_t count, ob_err *err)
{
    pages *p = ctx;
    if (p->count + 1 == p->refused_at)
        return ob_err_set(err, OB_ERR_IO, "no room");
    CHECK(p->count < MOST);
    p->names[p->count] = strdup(name);
    p->texts[p->count++] = strndup(bytes, count);
    return OB_OK;
}

static void forget(pages *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->names[i]);
        free(p->texts[i]);
    }
    *p = (pages){.count = 0};
}

static ob_store *open_store(const char *path)
{
    ob_store *store = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob_store_open(&(ob_store_params){.size = sizeof(ob_store_params),
                                               .database = path,
                                               .mode = OB_STORE_CREATE},
                            &store, &err),
              OB_OK);
    CHECK_STR(err.message, "");
    return store;
}

static void add(ob_store *store, const char *lines)
{
    ob_store_writer *writer;
    ob_record_reader *reader;
    const ob_record *record;
    ob_err err = {.message = ""};
    CHECK_INT(ob_store_writer_open(store, false, &writer, &err), OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, &err) == OB_OK)
        CHECK_INT(ob_store_writer_add(writer, record, &err), OB_OK);
    ob_record_reader_close(reader);
    CHECK_INT(ob_store_writer_commit(writer, &err), OB_OK);
    ob_store_writer_close(writer);
}

/* 40 runs of one case, of which the second half is twice as slow and has another kernel; its name means harm. */
static void fill(ob_store *store)
{
    for (int run = 0; run < 40; run++) {
        char lines[2048];
        const double ms = (run < 20 ? 1.0 : 2.0) * (1 + 0.001 * ((run * 7) % 5));
        snprintf(lines, sizeof lines,
                 "{\"run_options\": {\"device\": \"cpu\"}, \"start_time\": "
                 "\"2026-01-%02dT%02d:00:00\", \"sys_info\": {\"hostname\": \"h\", \"cpu_model\": "
                 "\"c\", \"kernel\": \"%s\", \"pid\": %d}, \"config_hash\": \"x%d\"}\n"
                 "{\"op_name\": \"<b>mm\", \"id\": \"0\", \"key\": \"ab../<i>\", \"call\": "
                 "\"<b>mm(2)\", \"backend\": \"native\", \"threads\": 1, \"device\": \"cpu\", "
                 "\"status\": \"ok\", \"metric\": {\"forward\": {\"measure.time\": [%.6f, %.6f, "
                 "%.6f]}}, \"statistics\": {\"forward\": {\"count\": 3, \"median\": %.6f}}}\n",
                 1 + run / 4, 6 * (run % 4), run < 20 ? "6.1" : "6.2", 100 + run, run, ms, ms, ms,
                 ms);
        add(store, lines);
    }
}

static const char *page_of(const pages *p, const char *start)
{
    for (size_t i = 0; i < p->count; i++)
        if (strncmp(p->names[i], start, strlen(start)) == 0)
            return p->texts[i];
    return "";
}

static void a_step(ob_store *store)
{
    pages p = {.count = 0};
    ob_err err = {.message = ""};
    const ob_site_params params = {
        .size = sizeof params, .title = "<Ours>", .write = take, .ctx = &p};
    CHECK_INT(ob_site_write(store, &params, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_INT(p.count, 4);
    CHECK_STR(p.names[p.count - 1], "index.html"); /* last */
    for (size_t i = 0; i < p.count; i++) {
        CHECK(strspn(p.names[i], "abcdefghijklmnopqrstuvwxyz0123456789.-_") == strlen(p.names[i]));
        CHECK(strstr(p.texts[i], "<b>mm") == NULL);
        CHECK(strstr(p.texts[i], "<script") == NULL);
        CHECK_HAS(p.texts[i], "default-src 'none'; base-uri 'none'; form-action 'none'; style-src");
    }
    const char *index = page_of(&p, "index.html");
    CHECK_HAS(index, "<h1>&lt;Ours&gt;</h1>");
    CHECK_HAS(index, "40 runs, 1 series, 1 changes");
    CHECK_HAS(index, "2026-01-06 <span class=\"mark slower\">+");
    CHECK_HAS(index, "1 slower");
    CHECK_HAS(index, "also changed: kernel");
    const char *page = page_of(&p, "case-");
    CHECK_HAS(page, "40 points, 1 step</p>");
    CHECK_HAS(page, ">+100.0 %</text>"); /* where the step is; the kernel's mark gives way to it */
    CHECK(strstr(page, ">kernel</text>") == NULL);
    CHECK_HAS(page_of(&p, "op-"), "<td class=\"n\">40</td>");
    CHECK_HAS(page_of(&p, "machines.html"), "There is none");
    forget(&p);
    p.refused_at = 2;
    CHECK_INT(ob_site_write(store, &params, &err), OB_ERR_IO);
    CHECK_STR(err.message, "no room");
    forget(&p);
}

static void with_a_store(void)
{
    char folder[] = "/tmp/opbench_site_XXXXXX", path[64];
    pages p = {.count = 0};
    ob_err err;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/history.db", folder);
    ob_store *store = open_store(path);
    const ob_site_params params = {.size = sizeof params, .write = take, .ctx = &p};
    if (store != NULL) {
        CHECK_INT(ob_site_write(store, &params, &err), OB_ERR_NOT_FOUND);
        CHECK_HAS(err.message, "has no results to show; add some with `opbench history add FILE`");
        CHECK_INT(p.count, 0);
        fill(store);
        a_step(store);
    }
    ob_store_close(store);
    static const char *const ENDS[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        char file[96];
        snprintf(file, sizeof file, "%s%s", path, ENDS[i]);
        unlink(file);
    }
    CHECK_INT(rmdir(folder), 0);
}

int main(void)
{
    RUN(with_a_store);
    return ob_test_end();
}
