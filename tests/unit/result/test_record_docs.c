/* SPDX-License-Identifier: Apache-2.0
 *
 * docs/records.md holds the table of fields as the rows make it. With an argument the program prints
 * that part, to be put there.
 */
#include "base/text_append.h"
#include "check.h"
#include "result/line.h"
#include "temp_file.h"

static const char BEGIN[] =
    "<!-- fields: made from the rows, see tests/unit/result/test_record_docs.c -->\n";
static const char END[] = "<!-- end of fields -->\n";

static char *made(void)
{
    ob_text text = {0};
    CHECK_INT(ob__record_print_docs(&text, NULL), OB_OK);
    CHECK(ob_text_append(&text, "", 1));
    return text.data;
}

static void the_page_has_the_rows(void)
{
    char *page = read_file(OB_SOURCE_DIR "/docs/records.md");
    char *want = made();
    CHECK(page != NULL);
    char *begin = page != NULL ? strstr(page, BEGIN) : NULL;
    char *end = begin != NULL ? strstr(begin, END) : NULL;
    CHECK(end != NULL);
    if (end != NULL) {
        *end = '\0';
        CHECK(strcmp(begin + strlen(BEGIN), want) == 0);
        if (strcmp(begin + strlen(BEGIN), want) != 0)
            fprintf(stderr, "docs/records.md is old: put the output of `result_test_record_docs "
                            "print` between its two marks\n");
    }
    free(page);
    free(want);
}

static void the_table_is_whole(void)
{
    char *text = made();
    CHECK_HAS(text, "### result: one case\n\n| field | type | unit | meaning |\n");
    CHECK_HAS(text, "| `id` P | string |  | `<config>\\|<build>\\|<input>` |\n");
    CHECK_HAS(text, "| `metric/forward/measure.time` P | numbers | ms | ");
    CHECK_HAS(text, "| `statistics/backward/iqr` | number | ms | interquartile range");
    CHECK_HAS(text, "| `results/timed_out` | integer | count | ");
    CHECK_HAS(text, "| `crashed` | yes | ");
    CHECK_HAS(text, "| `mistrusted` | no | ");
    free(text);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        char *text = made();
        fputs(text, stdout);
        free(text);
        return 0;
    }
    RUN(the_page_has_the_rows);
    RUN(the_table_is_whole);
    return ob_test_end();
}
