/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two tables: old, new and per cent, and what did not in one line.
 */
#include "count_test.h"

#define TABLE(rows, inclusive) make(rows, sizeof(rows) / sizeof *(rows), inclusive)

static ob_counts *make(const ob_count *rows, size_t count, bool inclusive)
{
    ob_counts *made = NULL;
    CHECK_INT(ob_counts_create(rows, count, inclusive, &made, NULL), OB_OK);
    return made;
}

static char *print(const ob_counts *before, const ob_counts *after, const ob_counts_style *style)
{
    ob_text text = {0};
    CHECK_INT(ob_counts_print_change(before, after, style, &text, NULL), OB_OK);
    char *copy = text_string(&text);
    ob_text_fini(&text);
    return copy;
}

static const ob_count OLD[] = {
    {1000, "a.c:f"}, {500, "a.c:same"}, {400, "a.c:same too"}, {300, "a.c:gone"}, {4, "a.c:grown"},
};
static const ob_count NEW[] = {
    {400, "a.c:same too"}, {500, "a.c:same"}, {700, "a.c:f"},
    {4, "a.c:f"},          {12, "b.c:new"},   {4000, "a.c:grown"},
};

static void rows(void)
{
    ob_counts *before = TABLE(OLD, false), *after = TABLE(NEW, false);
    char *text = print(before, after, NULL);
    CHECK_STR(text, "Functions, exclusive:\n"
                    "   old   new    change  function\n"
                    "     4  4000  +99900 %  a.c:grown\n"
                    "   300     0      gone  a.c:gone\n"
                    "  1000   704   -29.6 %  a.c:f\n"
                    "     0    12       new  b.c:new\n"
                    "  2 did not change: 900\n"
                    "\n"
                    "Total: 5616 instead of 2204, +155 %");
    free(text);
    text = print(before, before, NULL);
    CHECK_STR(text, "Functions, exclusive:\n  5 did not change: 2204\n\nTotal: 2204, as before");
    free(text);
    ob_counts_destroy(before);
    ob_counts_destroy(after);
}

static void inclusive(void)
{
    const ob_count less[] = {{100000, "f"}, {2, "g"}}, more[] = {{100001, "f"}, {2, "g"}};
    ob_counts *before = TABLE(less, true), *after = TABLE(more, true);
    ob_counts *other = TABLE(less, false);
    ob_text text = {0};
    ob_err err;
    char *shown = print(before, after, NULL);
    CHECK_STR(shown, "Functions, inclusive:\n"
                     "     old     new    change  function\n"
                     "  100000  100001  +0.001 %  f\n"
                     "  1 did not change");
    free(shown);
    CHECK_INT(ob_counts_print_change(before, other, NULL, &text, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "Cannot merge inclusive and exclusive counts.");
    ob_text_fini(&text);
    ob_counts_destroy(before);
    ob_counts_destroy(after);
    ob_counts_destroy(other);
}

/* The largest changes stand first, the rest is counted; names that are too long lose their middle. */
static void long_tables(void)
{
    const ob_counts_style all = {.size = sizeof all, .all_rows = true};
    const ob_counts_style narrow = {.size = sizeof narrow, .line_width = 20};
    const ob_count wide[] = {{7, "a_rather_long_file_name.c:and_a_function_with_a_long_name"}};
    ob_count many[20];
    char names[20][8];
    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "f%02d", i);
        many[i] = (ob_count){.count = 1 + i, .function = names[i]};
    }
    ob_counts *none = make(many, 0, false), *before = TABLE(many, false);
    ob_counts *after = TABLE(wide, false);
    char *text = print(none, before, NULL);
    CHECK_HAS(text, "\n    0   20     new  f19\n    0   19     new  f18\n");
    CHECK_HAS(text, "\n    0    3     new  f02\n  2 more changed\n\nTotal: 210 instead of 0");
    free(text);
    text = print(none, before, &all);
    CHECK_HAS(text, "\n    0    1     new  f00\n\nTotal");
    free(text);
    text = print(none, after, &narrow);
    CHECK_HAS(text, "new  a_rather_long_fil ... n_with_a_long_name\n");
    free(text);
    text = print(none, none, NULL);
    CHECK_STR(text, "Functions, exclusive:\n  none\n\nTotal: 0, as before");
    free(text);
    ob_counts_destroy(none);
    ob_counts_destroy(before);
    ob_counts_destroy(after);
}

static void json(void)
{
    const ob_count more[] = {{1001, "a.c:f"}, {500, "a.c:same"}};
    ob_counts *before = make(OLD, 2, false), *after = TABLE(more, false);
    ob_json_doc *doc;
    ob_json *node;
    char *text;
    size_t length;
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    CHECK_INT(ob_counts_change_to_json(before, after, doc, &node, NULL), OB_OK);
    CHECK_INT(ob_json_print(node, &text, &length, NULL), OB_OK);
    CHECK_STR(text, "{\"inclusive\": false, \"data\": [[1, \"a.c:f\"]], \"changes\": "
                    "[{\"function\": \"a.c:f\", \"old\": 1000, \"new\": 1001}], \"unchanged\": 1}");
    free(text);
    ob_json_doc_destroy(doc);
    ob_counts_destroy(before);
    ob_counts_destroy(after);
}

int main(void)
{
    RUN(rows);
    RUN(inclusive);
    RUN(long_tables);
    RUN(json);
    return ob_test_end();
}
