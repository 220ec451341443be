/* SPDX-License-Identifier: Apache-2.0
 *
 * Compare tables: every recorded case in its six styles, byte for byte, and ours where the original fails.
 */
#include "../measure/golden_measurement.h"
#include "opbench/compare.h"

#define STYLE .size = sizeof(ob_compare_style),
static const struct style_row {
    const char *name;
    ob_compare_style style;
} STYLES[] = {
    {"plain", {STYLE.format = OB_TABLE_TEXT}},
    {"trim", {STYLE.trim_significant_figures = true}},
    {"color_columnwise", {STYLE.colorize = OB_COLORIZE_COLUMNWISE}},
    {"color_rowwise", {STYLE.colorize = OB_COLORIZE_ROWWISE}},
    {"highlight_warnings", {STYLE.highlight_warnings = true}},
    {"trim_color_warn",
     {STYLE.trim_significant_figures = true, .colorize = OB_COLORIZE_COLUMNWISE,
      .highlight_warnings = true}},
};
enum { STYLE_COUNT = sizeof STYLES / sizeof *STYLES };

/* Where we differ on purpose; text: the plain style. */
static const struct changed_case {
    const char *name;
    ob_status status;
    const char *text;
} CHANGED[] = {
    {"same_cell_different_stmt", OB_ERR_DUPLICATE, NULL},
    {"same_cell_different_setup_warn", OB_ERR_DUPLICATE, NULL},
    {"env_none_and_str_other_threads", OB_OK,
     "[------------ l -------------]\n"
     "                        |   d \n"
     "1 threads: -------------------\n"
     "  (Unspecified env)  a  |  1.0\n"
     "2 threads: -------------------\n"
     "  (e)                b  |  2.0\n"
     "\n"
     "Times are in microseconds (us).\n"},
};

static const struct changed_case *find_changed(const char *name)
{
    for (size_t i = 0; i < sizeof CHANGED / sizeof *CHANGED; i++)
        if (strcmp(CHANGED[i].name, name) == 0)
            return &CHANGED[i];
    return NULL;
}

static ob_measurements *read_list(const ob_json *measurements)
{
    ob_measurements *list = NULL;
    CHECK_INT(ob_measurements_create(&list, NULL), OB_OK);
    for (size_t i = 0; i < ob_json_count(measurements); i++) {
        ob_measurement m = golden_measurement(ob_json_item(measurements, i));
        CHECK_INT(ob_measurements_add(list, &m, NULL), OB_OK);
        free((void *)m.raw_times);
    }
    return list;
}

static void check_case(const ob_json *one)
{
    const struct changed_case *changed = find_changed(ob_test_name);
    ob_measurements *list = read_list(ob_json_get(one, "measurements"));
    ob_compare *compare = NULL;
    ob_err err = {.message = ""};
    ob_text text = {.data = NULL};
    CHECK_INT(ob_compare_create(list, &compare, &err), changed ? changed->status : OB_OK);
    ob_measurements_destroy(list);
    for (size_t i = 0; compare != NULL && i < STYLE_COUNT; i++) {
        const ob_json *want = ob_json_get(ob_json_get(one, "expect"), STYLES[i].name);
        CHECK_INT(ob_compare_print(compare, &STYLES[i].style, &text, &err), OB_OK);
        if (changed == NULL)
            CHECK_STR(take_text(&text), golden_text(want, "value"));
        else if (i == 0)
            CHECK_STR(take_text(&text), changed->text);
        text.size = 0;
    }
    ob_compare_destroy(compare);
    ob_text_fini(&text);
}

static void goldens(void)
{
    ob_json_doc *doc = open_golden("compare");
    const ob_json *cases = golden_cases(doc);
    CHECK(ob_json_count(cases) > 20);
    for (size_t i = 0; i < ob_json_count(cases); i++) {
        ob_test_name = golden_text(ob_json_item(cases, i), "name");
        check_case(ob_json_item(cases, i));
    }
    ob_json_doc_destroy(doc);
}

int main(void)
{
    RUN(goldens);
    return ob_test_end();
}
