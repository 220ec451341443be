/* SPDX-License-Identifier: Apache-2.0
 *
 * A history as a site: which pages there are, what they say of a step, and names that mean harm.
 */
#include "check.h"
#include "opbench/plot.h"
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
    CHECK_HAS(index, "40 runs, 1 series, 1 change<");
    CHECK_HAS(index, "2026-01-06 <span class=\"mark slower\">+");
    CHECK_HAS(index, "1 slower");
    CHECK_HAS(index, "also changed: kernel");
    const char *page = page_of(&p, "case-");
    CHECK_HAS(page, "40 points, 1 step</p>");
    CHECK_HAS(page, "<h3>native, forward <span class=\"mark slower\">+100.0 %</span></h3>");
    CHECK_HAS(page, ">+100.0 %</text>"); /* where the step is; the kernel's mark gives way to it */
    CHECK(strstr(page, ">kernel</text>") == NULL);
    CHECK_HAS(page_of(&p, "op-"), "<td class=\"n\">40</td>");
    CHECK_HAS(page_of(&p, "machines.html"), "None: each case");
    forget(&p);
    p.refused_at = 2;
    CHECK_INT(ob_site_write(store, &params, &err), OB_ERR_IO);
    CHECK_STR(err.message, "no room");
    forget(&p);
}

/* A case that has another number on its second backend is one page, and texts of a database that anybody wrote are texts. */
static void two_numbers(ob_store *store)
{
    static const char *const LINES =
        "{\"run_options\": {}, \"start_time\": \"2026-02-01T00:00:00\", \"sys_info\": "
        "{\"hostname\": "
        "\"h\", \"cpu_model\": \"c\", \"pid\": 1}, \"config_hash\": \"y\"}\n"
        "{\"op_name\": \"add\", \"id\": \"0\", \"key\": \"k1\", \"call\": \"add(1)\", \"backend\": "
        "\"one\", \"status\": \"ok\", \"metric\": {\"forward\": {\"measure.time\": [1]}}, "
        "\"statistics\": {\"forward\": {\"count\": 1, \"median\": 1}}}\n"
        "{\"op_name\": \"add\", \"id\": \"5\", \"key\": \"k2\", \"call\": \"add(2)\", \"backend\": "
        "\"one\", \"status\": \"ok\", \"metric\": {\"forward\": {\"measure.time\": [1]}}, "
        "\"statistics\": {\"forward\": {\"count\": 1, \"median\": 1}}}\n"
        "{\"op_name\": \"add\", \"id\": \"9\", \"key\": \"k1\", \"call\": \"add(1)\", \"backend\": "
        "\"two\", \"status\": \"ok\", \"metric\": {\"forward\": {\"measure.time\": [1]}}, "
        "\"statistics\": {\"forward\": {\"count\": 1, \"median\": 1}}}\n";
    pages p = {.count = 0};
    ob_err err = {.message = ""};
    const ob_site_params params = {.size = sizeof params, .write = take, .ctx = &p};
    add(store, LINES);
    CHECK_INT(ob_site_write(store, &params, &err), OB_OK);
    size_t pages_of_it = 0;
    for (size_t i = 0; i < p.count; i++)
        pages_of_it += strncmp(p.names[i], "case-k1-", 8) == 0;
    CHECK_INT(pages_of_it, 1);
    CHECK_HAS(page_of(&p, "case-k1-"), "<h3>one, forward </h3>");
    CHECK_HAS(page_of(&p, "case-k1-"), "<h3>two, forward </h3>");
    forget(&p);
}

static void pictures(ob_store *store)
{
    const ob_plot_params params = {
        .size = sizeof params, .kind = OB_PLOT_HISTORY, .only = "<b>mm(2)"};
    const ob_plot_params other = {.size = sizeof other, .kind = OB_PLOT_STEP};
    const ob_store_filter none = {.size = sizeof none, .branch = "nowhere"};
    ob_plot *plot;
    ob_text text = {.data = NULL};
    ob_err err = {.message = ""};
    CHECK_INT(ob_plot_create(&params, &plot, &err), OB_OK);
    CHECK_INT(ob_plot_add_store(plot, store, NULL, &err), OB_OK);
    CHECK_INT(ob_plot_print(plot, OB_PLOT_SVG, NULL, &text, &err), OB_OK);
    ob_text_append(&text, "", 1);
    CHECK_HAS(text.data, "&lt;b&gt;mm(2), forward on native (device=cpu threads=1");
    CHECK_HAS(text.data, ">+100.0 %</text>");
    CHECK(strstr(text.data, "add(1)") == NULL);
    size_t points = 0;
    for (const char *at = text.data; (at = strstr(at, "<circle")) != NULL; at++)
        points++;
    CHECK_INT(points, 40);
    text.size = 0;
    CHECK_INT(ob_plot_print(plot, OB_PLOT_TEXT, NULL, &text, &err), OB_OK);
    ob_text_append(&text, "", 1);
    CHECK_HAS(text.data, "<b>mm(2)");
    CHECK_HAS(text.data, "last/first");
    CHECK_INT(ob_plot_add_store(plot, store, NULL, &err), OB_ERR_INVALID); /* once */
    ob_plot_destroy(plot);
    CHECK_INT(ob_plot_create(&other, &plot, &err), OB_OK);
    CHECK_INT(ob_plot_add_store(plot, store, NULL, &err), OB_ERR_INVALID);
    ob_plot_destroy(plot);
    CHECK_INT(ob_plot_create(&params, &plot, &err), OB_OK);
    CHECK_INT(ob_plot_add_store(plot, store, &none, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "no run of");
    ob_plot_destroy(plot);
    ob_text_fini(&text);
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
        two_numbers(store);
        pictures(store);
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
