/* SPDX-License-Identifier: Apache-2.0
 *
 * Backward passes whose times come out below zero: they are judged together with their forward, count as a comparison, and are
 * waited for.
 */
#include "check.h"
#include "opbench/diff.h"
#include "opbench/run.h"

#include <math.h>

enum { PROCESSES = 8, SAMPLES = 3 };

/* A record of several processes whose first backward time is the given one. */
static void append_record(const char *side, double forward, double first, ob_text *text)
{
    bool ok =
        ob_text_printf(text,
                       "{\"op_name\": \"add\", \"id\": \"0\", \"key\": \"k\", \"status\": \"ok\", "
                       "\"side\": \"%s\", \"metric\": {\"forward\": {\"measure.time\": [",
                       side);
    for (int i = 0; ok && i < PROCESSES * SAMPLES; i++)
        ok = ob_text_printf(text, "%s%.17g", i > 0 ? ", " : "",
                            forward * (1 + 0.001 * (i / SAMPLES % (forward > 1 ? 3 : 4))));
    ok = ok && ob_text_append_str(text, "]}, \"backward\": {\"measure.time\": [");
    for (int i = 0; ok && i < PROCESSES * SAMPLES; i++)
        ok = ob_text_printf(text, "%s%.17g", i > 0 ? ", " : "", i % SAMPLES == 0 ? first : 2.0);
    ok = ok && ob_text_append_str(text, "]}}, \"statistics\": {");
    for (int pass = 0; ok && pass < 2; pass++) {
        ok = ob_text_printf(text, "%s: {\"process_samples\": [",
                            pass == 0 ? "\"forward\"" : ", \"backward\"");
        for (int i = 0; ok && i < PROCESSES; i++)
            ok = ob_text_printf(text, "%s%d", i > 0 ? ", " : "", SAMPLES);
        ok = ok && ob_text_append_str(text, "]}");
    }
    CHECK(ok && ob_text_append_str(text, "}}\n"));
}

/* The verdict on the forward pass. */
static ob_verdict forward_with(double first_backward)
{
    ob_text text = {.data = NULL};
    ob_verdict found = {.sure_low = NAN};
    ob_record_reader *reader;
    const ob_record *record;
    ob_diff *diff;
    append_record("a", 1, first_backward, &text);
    append_record("b", 1.01, first_backward, &text);
    CHECK_INT(ob_diff_create(NULL, &diff, NULL), OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", text.data, text.size, NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, NULL) == OB_OK)
        CHECK_INT(ob_diff_add(diff, record, NULL), OB_OK);
    ob_record_reader_close(reader);
    CHECK_INT(ob_diff_judge(diff, NULL), OB_OK);
    CHECK_INT(ob_diff_count(diff), 2);
    for (size_t i = 0; i < ob_diff_count(diff); i++) {
        const ob_diff_row *row = ob_diff_at(diff, i);
        if (strcmp(row->pass, "forward") == 0)
            found = row->time;
        else
            CHECK_INT(strstr(row->time.why, "judged together") != NULL, first_backward <= 0);
    }
    ob_diff_destroy(diff);
    ob_text_fini(&text);
    return found;
}

/* Two passes are judged either way, so they share the error rate. */
static void counts_as_a_comparison(void)
{
    const ob_verdict of_two = forward_with(2), together = forward_with(-0.01);
    CHECK_INT(of_two.baseline_units, PROCESSES);
    CHECK(of_two.sure_low < of_two.low); /* the error rate matters here */
    CHECK_REAL(together.sure_low, of_two.sure_low);
    CHECK_REAL(together.sure_high, of_two.sure_high);
}

/* Of a side: its forward takes so long, and both together 1 plus what is more in every other process. */
static int looks_at(double base_forward, double forward, double whole, double more)
{
    enum { LOOK = 5 };
    double times[2][2][2 * LOOK], each[LOOK];
    ob_record_pass passes[2][2];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2 * LOOK; i++) {
            const double all = (s == 0 ? 1 : whole + (i / 2 % 2 ? more : -more));
            times[s][0][i] = s == 0 ? base_forward : forward;
            times[s][1][i] = all - times[s][0][i];
            each[i / 2] = 2;
        }
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++)
            passes[s][p] = (ob_record_pass){.measure_time_ms = {times[s][p], 2 * LOOK},
                                            .process_samples = {each, LOOK}};
    const ob_side_progress sides[] = {
        {.name = "a", .forward = &passes[0][0], .backward = &passes[0][1]},
        {.name = "b", .forward = &passes[1][0], .backward = &passes[1][1]}};
    const ob_sides_progress progress = {
        .processes = LOOK, .sides = sides, .side_size = sizeof sides[0], .side_count = 2};
    ob_verdict_looks looks = {.size = sizeof looks,
                              .params = {.size = sizeof(ob_verdict_params), .cases = 2},
                              .most = 20};
    return ob_verdict_is_enough(&looks, &progress);
}

static void is_waited_for(void)
{
    CHECK_INT(looks_at(1.1, 2.2, 2, 0.001), 1); /* both are clear */
    CHECK_INT(looks_at(1.1, 2.2, 1, 0.1), 0);   /* together they are not */
}

int main(void)
{
    RUN(counts_as_a_comparison);
    RUN(is_waited_for);
    return ob_test_end();
}
