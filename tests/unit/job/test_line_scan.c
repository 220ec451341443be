/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that are looked at without being read.
 */
#include "check.h"

#include "job/line_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ob_line_scan scan;

static bool scan_text(const char *text)
{
    return ob__line_scan(text, strlen(text), &scan);
}

static void check_field(enum ob_scan_field field, const char *want)
{
    char text[64];
    const ob_scan_value *v = &scan.fields[field];
    snprintf(text, sizeof text, "%.*s", (int)v->size, v->size > 0 ? v->data : "");
    CHECK_STR(text, want);
}

static void kinds_and_fields(void)
{
    CHECK(scan_text("{\"op_name\": \"torch.add\", \"id\": \"0|0|1\", \"metric\": {\"id\": \"no\", "
                    "\"a\": [1, {\"b\": \"]}\"}]}, \"index\": 17 ,\"key\":\"ab\",\"side\":null}"));
    CHECK_INT(scan.kind, OB_SCAN_RESULT);
    check_field(OB_SCAN_ID, "\"0|0|1\"");
    check_field(OB_SCAN_KEY, "\"ab\"");
    check_field(OB_SCAN_INDEX, "17");
    check_field(OB_SCAN_SIDE, "");
    check_field(OB_SCAN_BACKEND, "");
    CHECK(scan_text("{\"start_time\": \"x\"}"));
    CHECK_INT(scan.kind, OB_SCAN_HEADER);
    CHECK(scan_text(" {\"finish_time\": null} \r"));
    CHECK_INT(scan.kind, OB_SCAN_FINISH);
    CHECK(scan_text("{\"kernel\": \"x\"}"));
    CHECK_INT(scan.kind, OB_SCAN_OTHER);
    CHECK(scan_text("{\"raw_times\": []}"));
    CHECK_INT(scan.kind, OB_SCAN_RESULT);
}

static void quotes_within_strings(void)
{
    CHECK(scan_text("{\"id\": \"a\\\"},{\", \"key\": \"\\\\\", \"index\": 2}"));
    check_field(OB_SCAN_ID, "\"a\\\"},{\"");
    check_field(OB_SCAN_KEY, "\"\\\\\"");
    check_field(OB_SCAN_INDEX, "2");
}

/* Every beginning of a line is one that was cut off. */
static void beginnings_are_refused(void)
{
    static const char LINE[] =
        "{\"op_name\": \"a\\\\\", \"x\": [1, {\"b\": \"\\\"\"}, true], \"index\": 1}";
    CHECK(scan_text(LINE));
    for (size_t length = 0; length < sizeof LINE - 1; length++) {
        char *copy = strndup(LINE, length); /* so that a sanitizer sees its end */
        CHECK(!ob__line_scan(copy, length, &scan));
        free(copy);
    }
}

static void what_is_no_object(void)
{
    static const char *const WRONG[] = {
        "",      "[]",          "{}",          "{\"a\"}",  "{\"a\":}", "{\"a\":1,}",
        "{a:1}", "{\"a\":1} x", "{\"a\":[}]}", "{\"a\":1", "null",     "{\"a\":1]"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        CHECK(!scan_text(WRONG[i]));
    char deep[512] = "{\"a\":";
    for (int i = 0; i < 100; i++)
        strcat(deep, "[");
    CHECK(!scan_text(deep));
}

static uint64_t number(const char *text)
{
    return ob__scan_number(&(ob_scan_value){text, strlen(text)}, 99);
}

static void numbers(void)
{
    CHECK_INT(number("0"), 0);
    CHECK_INT(number("17"), 17);
    CHECK(number("18446744073709551615") == UINT64_MAX);
    CHECK_INT(number("18446744073709551616"), 99);
    CHECK_INT(number(""), 99);
    CHECK_INT(number("-1"), 99);
    CHECK_INT(number("1.5"), 99);
    CHECK_INT(number("\"1\""), 99);
}

int main(void)
{
    RUN(kinds_and_fields);
    RUN(quotes_within_strings);
    RUN(beginnings_are_refused);
    RUN(what_is_no_object);
    RUN(numbers);
    return ob_test_end();
}
