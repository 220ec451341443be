/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of results besides the roofline: with characters to the last one, and what SVGs have.
 */
#include "check.h"
#include "opbench/plot.h"
#include "report/pictures.h"

#include <math.h>

static char printed[65536];

typedef struct wanted {
    ob_plot_kind kind;
    ob_plot_form form;
    const char *only;
    size_t most;
    bool ascii;
} wanted;

static ob_status draw(const char *lines, const wanted *w, ob_err *err)
{
    const ob_plot_params params = {
        .size = sizeof params, .kind = w->kind, .only = w->only, .most = w->most};
    const ob_plot_style style = {.size = sizeof style, .ascii = w->ascii};
    ob_record_reader *reader;
    const ob_record *record;
    ob_text text = {0};
    ob_plot *plot;
    CHECK_INT(ob_plot_create(&params, &plot, err), OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, err) == OB_OK)
        CHECK_INT(ob_plot_add(plot, record, err), OB_OK);
    ob_record_reader_close(reader);
    const ob_status status = ob_plot_print(plot, w->form, &style, &text, err);
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
    ob_text_fini(&text);
    ob_plot_destroy(plot);
    return status;
}

#define RESULT(name, backend, threads, median, times)                                              \
    "{\"op_name\": \"" name "\", \"id\": \"0|0\", \"call\": \"" name "(2)\", \"metric\": "         \
    "{\"forward\": {\"measure.time\": [" times "]}}, \"status\": \"ok\", \"backend\": \"" backend  \
    "\", \"threads\": " #threads                                                                   \
    ", \"statistics\": {\"forward\": {\"count\": 3, \"median\": " #median "}}}\n"
#define HEADER "{\"run_options\": {\"device\": \"cpu\"}, \"start_time\": \"t\"}\n"

static void distributions(void)
{
    ob_err err;
    static const char LINES[] = RESULT("mm", "a", 1, 2.0, "1.0, 2.0, 3.0, 3.0")
        RESULT("x\\u001b[1m", "a", 1, 2.0, "2.0, 2.0");
    CHECK_INT(draw(LINES, &(wanted){.kind = OB_PLOT_DISTRIBUTION, .form = OB_PLOT_TEXT}, &err),
              OB_OK);
    CHECK_STR(
        printed,
        "call      backend  pass     median     from  distribution                           to\n"
        "mm(2)     a        forward    2 ms     1 ms  \342\226\204               \342\226\204"
        "              \342\226\210     3 ms\n"
        "x?[1m(2)  a        forward    2 ms  1.98 ms                  \342\226\210"
        "                 2.02 ms\n");
    CHECK_INT(
        draw(LINES,
             &(wanted){
                 .kind = OB_PLOT_DISTRIBUTION, .form = OB_PLOT_TEXT, .only = "mm", .ascii = true},
             &err),
        OB_OK);
    CHECK_STR(printed,
              "call   backend  pass     median  from  distribution                        to\n"
              "mm(2)  a        forward    2 ms  1 ms  =               =              @  3 ms\n");
    CHECK_INT(draw(LINES, &(wanted){.kind = OB_PLOT_DISTRIBUTION, .only = "conv"}, &err),
              OB_ERR_NOT_FOUND);
    CHECK_STR(err.message, "no case that has 'conv' in its name has samples to draw");
    CHECK_INT(draw(LINES, &(wanted){.kind = OB_PLOT_DISTRIBUTION, .most = 1}, &err), OB_OK);
    CHECK_HAS(printed, ">mm(2), forward on a: 2 ms<");
    CHECK(strstr(printed, "x?") == NULL);
}

static void ratios(void)
{
    ob_err err;
    static const char LINES[] =
        RESULT("mm", "a", 1, 2.0, "2.0, 2.0, 2.0") RESULT("mm", "b", 1, 4.0, "4.0, 4.0, 4.0");
    CHECK_INT(
        draw(LINES, &(wanted){.kind = OB_PLOT_RATIO, .form = OB_PLOT_TEXT, .ascii = true}, &err),
        OB_OK);
    CHECK_HAS(printed, "call   pass     side  ratio");
    CHECK_HAS(printed, "mm(2)  forward  b         2");
    CHECK_HAS(printed, "|             o");
    CHECK_INT(draw(LINES, &(wanted){.kind = OB_PLOT_RATIO}, &err), OB_OK);
    CHECK_HAS(printed, "time relative to a: left of 1 is faster, right is slower");
    CHECK_INT(draw(RESULT("mm", "a", 1, 2.0, "2.0"), &(wanted){.kind = OB_PLOT_RATIO}, &err),
              OB_ERR_NOT_FOUND);
    CHECK_STR(err.message, "no case was measured on two backends or sides");
}

static void scaling(void)
{
    ob_err err;
    static const char LINES[] = RESULT("mm", "a", 1, 8.0, "8.0") RESULT("mm", "a", 4, 2.0, "2.0")
        RESULT("relu", "a", 1, 1.0, "1.0") RESULT("mm", "a", 2, 4.0, "4.0");
    CHECK_INT(
        draw(LINES,
             &(wanted){.kind = OB_PLOT_SCALING, .form = OB_PLOT_TEXT, .only = "mm", .ascii = true},
             &err),
        OB_OK);
    CHECK_STR(
        printed,
        "call   backend  pass     fewest threads  medians by threads  most threads  speed-up\n"
        "mm(2)  a        forward            8 ms  @=.                         2 ms         4\n");
    CHECK_INT(draw(LINES, &(wanted){.kind = OB_PLOT_SCALING}, &err), OB_OK);
    CHECK_HAS(printed, "mm(2), forward on a: 4.00 times faster with 4 threads");
    CHECK(strstr(printed, "relu") == NULL); /* with one number of threads alone */
    CHECK_INT(draw(RESULT("mm", "a", 1, 2.0, "2.0"), &(wanted){.kind = OB_PLOT_SCALING}, &err),
              OB_ERR_NOT_FOUND);
}

static void history(void)
{
    ob_err err;
    static const char LINES[] = HEADER RESULT("mm", "a", 1, 2.0, "2.0")
        HEADER RESULT("mm", "a", 1, 4.0, "4.0") HEADER RESULT("mm", "a", 1, 3.0, "3.0");
    CHECK_INT(
        draw(LINES, &(wanted){.kind = OB_PLOT_HISTORY, .form = OB_PLOT_TEXT, .ascii = true}, &err),
        OB_OK);
    CHECK_STR(printed, "call   backend  pass     first  medians by run  last  last/first\n"
                       "mm(2)  a        forward   2 ms  .@+             3 ms         1.5\n");
    CHECK_INT(draw(LINES, &(wanted){.kind = OB_PLOT_HISTORY}, &err), OB_OK);
    CHECK_HAS(printed, "<title>t: 4 ms</title>");
}

static void step(void)
{
    ob_err err;
    static const char LINES[] = RESULT("mm", "a", 1, 3.0, "3.0") RESULT("relu", "a", 1, 1.0, "1.0");
    CHECK_INT(
        draw(LINES, &(wanted){.kind = OB_PLOT_STEP, .form = OB_PLOT_TEXT, .ascii = true}, &err),
        OB_OK);
    CHECK_STR(printed, "operator  pass     calls   share  of the step\n"
                       "mm        forward      1  75.0 %  ################################\n"
                       "relu      forward      1  25.0 %  ##########\n");
    CHECK_INT(draw(LINES, &(wanted){.kind = OB_PLOT_STEP}, &err), OB_OK);
    CHECK_HAS(printed, "<title>mm forward: 3 ms, 75.0 %</title>");
    CHECK_INT(draw("", &(wanted){.kind = OB_PLOT_STEP}, &err), OB_ERR_NOT_FOUND);
}

static void ticks(void)
{
    double at[5];
    CHECK_INT(ob__nice_ticks(0.9, 5.2, at, 5), 5);
    CHECK(at[0] == 1 && at[4] == 5);
    CHECK_INT(ob__nice_ticks(0, 100, at, 4), 3);
    CHECK(at[1] == 50);
    CHECK_INT(ob__nice_ticks(1, 1, at, 4), 0);
    CHECK_INT(ob__nice_ticks(0, NAN, at, 4), 0);
}

int main(void)
{
    RUN(distributions);
    RUN(ratios);
    RUN(scaling);
    RUN(history);
    RUN(step);
    RUN(ticks);
    return ob_test_end();
}
