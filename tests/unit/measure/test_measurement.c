/* SPDX-License-Identifier: Apache-2.0
 *
 * Measurements as torch.utils.benchmark makes them: every recorded case, figures and text; and what we do
 * with samples that the original fails on.
 */
#include "golden_measurement.h"

/* Cases where we differ on purpose: times below 1 ns are shown in ns, not as 0.00 s. */
static const struct changed_case {
    const char *name, *unit, *text;
} CHANGED[] = {
    {"just_below_ns", "ns",
     "0.999 ns\n  Median: 1.00 ns\n  IQR:    0.00 ns (1.00 to 1.00)\n"
     "  5 measurements, 1 runs per measurement, 1 thread"},
};

static const struct changed_case *find_changed(const char *name)
{
    for (size_t i = 0; i < sizeof CHANGED / sizeof *CHANGED; i++)
        if (strcmp(CHANGED[i].name, name) == 0)
            return &CHANGED[i];
    return NULL;
}

static const char *below_first_line(const char *text)
{
    const char *newline = strchr(text, '\n');
    return newline != NULL ? newline + 1 : "";
}

static void check_figures(const ob_measurement *m, const ob_measurement_stats *s,
                          const ob_json *expect)
{
    const ob_json *times = ob_json_get(expect, "times");
    CHECK_INT(s->count, ob_json_count(times));
    for (size_t i = 0; i < m->count; i++)
        CHECK_REAL(m->raw_times[i] / (double)m->number_per_run,
                   ob_json_real(ob_json_item(times, i), NAN));
    const double mean = ob_json_real(ob_json_get(expect, "mean"), NAN);
    CHECK_NEAR(s->mean, mean, 1e-12 * mean);
    CHECK_REAL(s->median, ob_json_real(ob_json_get(expect, "median"), NAN));
    CHECK_REAL(s->p25, ob_json_real(ob_json_get(expect, "p25"), NAN));
    CHECK_REAL(s->p75, ob_json_real(ob_json_get(expect, "p75"), NAN));
    CHECK_REAL(s->iqr, ob_json_real(ob_json_get(expect, "iqr"), NAN));
    CHECK_INT(s->significant_figures, ob_json_int(ob_json_get(expect, "significant_figures"), -1));
    CHECK_INT(s->spread != OB_SPREAD_NARROW, ob_json_bool(ob_json_get(expect, "has_warnings"), 2));
    CHECK_INT(ob_measurement_meets_confidence(s, 0.1),
              ob_json_bool(ob_json_get(expect, "meets_confidence_0p1"), 2));
    CHECK_INT(ob_measurement_meets_confidence(s, 0.25),
              ob_json_bool(ob_json_get(expect, "meets_confidence_0p25"), 2));
}

static void check_texts(const ob_measurement *m, const ob_measurement_stats *s, const char *name,
                        const ob_json *expect)
{
    const struct changed_case *changed = find_changed(name);
    ob_text text = {.data = NULL};
    CHECK_STR(ob_time_unit_select(s->median)->symbol,
              changed ? changed->unit : golden_text(expect, "unit"));
    CHECK_STR(ob_task_spec_row_name(&m->task), golden_text(expect, "as_row_name"));
    CHECK_INT(ob_task_spec_print_title(&m->task, &text, NULL), OB_OK);
    CHECK_STR(take_text(&text), golden_text(expect, "title"));
    CHECK_INT(ob_task_spec_print_summary(&m->task, &text, NULL), OB_OK);
    CHECK_STR(take_text(&text), golden_text(expect, "summarize"));
    CHECK_INT(ob_measurement_print_warning(s, &text, NULL), OB_OK);
    const char *warning = ob_json_string(ob_json_item(ob_json_get(expect, "warnings"), 0), NULL);
    CHECK_STR(take_text(&text), warning != NULL ? warning : "");
    CHECK_INT(ob_measurement_print(m, NULL, &text, NULL), OB_OK);
    CHECK_STR(below_first_line(take_text(&text)),
              changed ? changed->text : below_first_line(golden_text(expect, "repr")));
    ob_text_fini(&text);
}

static void goldens(void)
{
    ob_json_doc *doc = open_golden("measurement");
    const ob_json *cases = golden_cases(doc);
    CHECK(ob_json_count(cases) > 50);
    for (size_t i = 0; i < ob_json_count(cases); i++) {
        const ob_json *one = ob_json_item(cases, i);
        const ob_json *expect = ob_json_get(one, "expect");
        ob_measurement m = golden_measurement(one);
        ob_measurement_stats s;
        ob_err err = {.message = ""};
        ob_test_name = golden_text(one, "name");
        CHECK_INT(ob_measurement_compute(&m, &s, &err), OB_OK);
        CHECK_STR(err.message, "");
        check_figures(&m, &s, expect);
        check_texts(&m, &s, golden_text(one, "name"), expect);
        free((void *)m.raw_times);
    }
    ob_json_doc_destroy(doc);
}

int main(void)
{
    RUN(goldens);
    return ob_test_end();
}
