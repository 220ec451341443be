/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures: places on an axis, what is drawn of which records, and texts that mean harm.
 */
#include "check.h"
#include "opbench/plot.h"
#include "report/log_axis.h"

#include <math.h>
#include <stdlib.h>

static char printed[65536];

static void axes(void)
{
    double ticks[4];
    char label[16];
    const ob_log_axis axis = ob__axis_over(0.3, 20, 100, 400);
    CHECK(axis.low == 0.1 && axis.high == 100);
    CHECK(fabs(ob__axis_place(&axis, 0.1) - 100) < 1e-9);
    CHECK(fabs(ob__axis_place(&axis, 1) - 200) < 1e-9);
    CHECK(fabs(ob__axis_value(&axis, 300) - 10) < 1e-9);
    CHECK_INT(ob__axis_ticks(&axis, ticks, 4), 4);
    CHECK(fabs(ticks[3] - 100) < 1e-9);
    CHECK_INT(ob__axis_ticks(&axis, ticks, 2), 2); /* every second one */
    CHECK(fabs(ticks[1] - 10) < 1e-9);
    const ob_log_axis one = ob__axis_over(10, 10, 0, 1); /* has a length whatever it holds */
    CHECK(one.low == 10 && one.high == 100);
    CHECK_STR(ob__axis_label(0.001, label), "0.001");
    CHECK_STR(ob__axis_label(0.1, label), "0.1");
    CHECK_STR(ob__axis_label(1, label), "1");
    CHECK_STR(ob__axis_label(100, label), "100");
    CHECK_STR(ob__axis_label(1e4, label), "10k");
    CHECK_STR(ob__axis_label(1e12, label), "1T");
}

/* ---- pictures ---- */

#define CEILING(kind, of, set, threads, value)                                                     \
    "{\"kind\": \"" kind "\", \"of\": \"" of "\", \"set\": \"" set "\", \"threads\": " #threads    \
    ", \"value\": " #value ", \"unit\": \"\", \"bytes\": 0}"
#define HEADER(cpu)                                                                                \
    "{\"run_options\": {\"device\": \"cpu\"}, \"start_time\": \"t\", \"sys_info\": "               \
    "{\"cpu_model\": "                                                                             \
    "\"" cpu "\", \"ceilings\": [" CEILING("peak", "f32", "avx2", 1, 1e11) ", " CEILING(           \
        "peak", "f32", "avx2", 2, 2e11) ", " CEILING("load", "memory", "avx2", 1,                  \
                                                     1e10) ", " CEILING("copy", "memory", "avx2",  \
                                                                        2, 2e10) "]}}\n"
#define RESULT(name, backend, threads, flops, more)                                                \
    "{\"op_name\": \"" name "\", \"id\": \"0|1\", \"metric\": {\"forward\": {\"measure.time\": "   \
    "[1.0, 1.0]}}, \"status\": \"ok\", \"backend\": \"" backend "\", \"threads\": " #threads       \
    ", \"statistics\": {\"forward\": {\"count\": 2, \"median\": 1.0, \"flops\": " #flops           \
    ", \"bytes\": 1e6" more "}}}\n"
#define FAR ", \"attainable\": 0.25, \"of_attainable\": 0.25, \"bound_by\": \"nothing\""

static ob_status draw(const char *lines, ob_plot_form form, int64_t threads, ob_err *err)
{
    const ob_plot_params params = {
        .size = sizeof params, .kind = OB_PLOT_ROOFLINE, .threads = threads};
    const ob_plot_style style = {.size = sizeof style, .width = 80, .height = 12, .ascii = true};
    ob_record_reader *reader;
    const ob_record *record;
    ob_text text = {0};
    ob_plot *plot;
    ob_status status = OB_OK;
    CHECK_INT(ob_plot_create(&params, &plot, err), OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (status == OB_OK && ob_record_reader_next(reader, &record, err) == OB_OK)
        status = ob_plot_add(plot, record, err);
    ob_record_reader_close(reader);
    if (status == OB_OK)
        status = ob_plot_print(plot, form, form == OB_PLOT_TEXT ? &style : NULL, &text, err);
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
    ob_text_fini(&text);
    ob_plot_destroy(plot);
    return status;
}

static void as_svg(void)
{
    ob_err err;
    CHECK_INT(draw(HEADER("a <b> \\\"c\\\"") RESULT("t<script>", "na&tive", 1, 1e7, FAR)
                       RESULT("copy_", "native", 1, 0, ""),
                   OB_PLOT_SVG, 0, &err),
              OB_OK);
    CHECK(strncmp(printed, "<svg xmlns=", 11) == 0);
    CHECK_HAS(printed, "a &lt;b&gt; &quot;c&quot;, ceilings for 1 thread as measured");
    CHECK_HAS(printed, "t&lt;script&gt; 0|1 on na&amp;tive: 1 ms, 25 % of what is attainable, "
                       "bound by nothing");
    CHECK_HAS(printed, "1  t&lt;script&gt; 0|1 on na&amp;tive, 25.0 %");
    CHECK(strstr(printed, "<script") == NULL);
    CHECK_HAS(printed, ">f32 100 Gop/s, avx2<");
    CHECK_HAS(printed, ">memory 10 GB/s<");
    CHECK_HAS(printed, "1 result without operations or bytes is not shown");
    /* 10 operations per byte and 10 Gop/s, on axes from 0.1 to 100 and from 1 to 100 G. */
    CHECK_HAS(printed, "<circle class=\"c0\" cx=\"494.7\" cy=\"301.0\" r=\"4.0\">");
}

static void as_text(void)
{
    ob_err err;
    CHECK_INT(draw(HEADER("x") RESULT("add", "native", 2, 1e7, FAR) RESULT(
                       "add", "native", 2, 1e7, FAR) RESULT("add", "torch\\u001b[1m", 2, 1e6, ""),
                   OB_PLOT_TEXT, 0, &err),
              OB_OK);
    CHECK_HAS(printed, "ceilings for 2 threads: f32 200 Gop/s, avx2\nbandwidth: memory 20 GB/s\n");
    CHECK_HAS(printed, "a: native   b: torch?[1m (capitals: several in one place)\n");
    CHECK_HAS(printed,
              "farthest below what is attainable for them:\n  25.0 %  add 0|1 on native\n");
    CHECK_HAS(printed, "A");
    CHECK_HAS(printed, "    1T +");
    CHECK_HAS(printed, "+-----");
    CHECK_HAS(printed, "0.1 ");
}

static void several_machines(void)
{
    ob_err err;
    CHECK_INT(
        draw(HEADER("x") HEADER("y") RESULT("add", "native", 1, 1e7, ""), OB_PLOT_TEXT, 0, &err),
        OB_OK);
    CHECK_HAS(printed,
              "the results are from several machines; the ceilings are those of the first");
}

/* Numbers that no machine has, from a file: nothing is written outside of the picture. */
static void out_of_all_bounds(void)
{
    static const char *const NUMBERS[] = {"1e-320", "1e-300", "1e300", "1e308"};
    ob_err err;
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) {
            char lines[2048];
            snprintf(lines, sizeof lines,
                     "{\"run_options\": {}, \"start_time\": \"t\", \"sys_info\": {\"ceilings\": ["
                     "{\"kind\": \"peak\", \"of\": \"f\\u001b[2J\", \"set\": \"\", \"threads\": 1, "
                     "\"value\": %s, \"bytes\": 0}, {\"kind\": \"load\", \"of\": \"L1\", \"set\": "
                     "\"\", \"threads\": 1, \"value\": %s, \"bytes\": 0}]}}\n"
                     "%s{\"op_name\": \"x\", \"id\": \"0\", \"metric\": {\"forward\": "
                     "{\"measure.time\": [1.0]}}, \"status\": \"ok\", \"backend\": \"b\", "
                     "\"threads\": 1, \"statistics\": {\"forward\": {\"count\": 1, \"median\": %s, "
                     "\"flops\": %s, \"bytes\": %s}}}\n",
                     NUMBERS[i], NUMBERS[k], HEADER("x"), NUMBERS[(i + k) % 4], NUMBERS[k],
                     NUMBERS[i]);
            CHECK_INT(draw(lines, OB_PLOT_TEXT, 0, &err), OB_ERR_NOT_FOUND);
            CHECK_INT(draw(strchr(lines, '\n') + 1, OB_PLOT_TEXT, 0, &err), OB_OK);
            if (i == 1 && k == 3) /* 1e608 operations per byte */
                CHECK_HAS(printed, "1 result without operations or bytes is not shown");
            CHECK_INT(draw(strchr(lines, '\n') + 1, OB_PLOT_SVG, 0, &err), OB_OK);
        }
}

static void nothing_to_draw(void)
{
    ob_err err;
    CHECK_INT(draw(RESULT("add", "native", 1, 1e7, ""), OB_PLOT_SVG, 0, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "opbench roofline -o FILE");
    CHECK_INT(draw(HEADER("x"), OB_PLOT_SVG, 7, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "no ceilings for 7 threads; opbench roofline --num-threads 7");
    CHECK_INT(draw("{\"run_options\": {}, \"start_time\": \"t\", \"sys_info\": {\"ceilings\": "
                   "[{\"kind\": \"no\"}]}}\n",
                   OB_PLOT_SVG, 0, &err),
              OB_ERR_SYNTAX);
    CHECK_STR(err.message, "the header: ceilings[0] is not a ceiling");
}

int main(void)
{
    RUN(axes);
    RUN(as_svg);
    RUN(as_text);
    RUN(several_machines);
    RUN(out_of_all_bounds);
    RUN(nothing_to_draw);
    return ob_test_end();
}
