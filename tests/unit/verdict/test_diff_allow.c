/* SPDX-License-Identifier: Apache-2.0
 *
 * What a list of accepted slowdowns accepts, and what it never does.
 */
#include "check.h"
#include "opbench/diff.h"

#include <stdlib.h>
#include <unistd.h>

#define RESULT(time, peak)                                                                         \
    "{\"op_name\": \"add\", \"id\": \"0\", \"key\": \"k\", \"metric\": {\"forward\": "             \
    "{\"measure.time\": [" time ", " time ", " time ", " time ", " time ", " time                  \
    "]}}, \"statistics\": {\"forward\": {\"allocator_peak\": " peak "}}, \"status\": \"ok\"}\n"
#define FAILED(word)                                                                               \
    "{\"op_name\": \"add\", \"id\": \"0\", \"key\": \"k\", \"status\": \"" word                    \
    "\", \"reason\": \"bad luck\", \"metric\": {}}\n"
#define OTHER "{\"op_name\": \"mul\", \"id\": \"0\", \"key\": \"other\", \"metric\": {}}\n"
#define ENTRY(until, more)                                                                         \
    "{\"key\": \"k\", \"reason\": \"known\", \"until\": \"" until "\"" more "}"

static void feed(ob_diff *diff, const char *side, const char *lines)
{
    ob_record_reader *reader;
    const ob_record *record;
    CHECK_INT(ob_diff_add_side(diff, side, NULL), OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, NULL) == OB_OK)
        CHECK_INT(ob_diff_add(diff, record, NULL), OB_OK);
    ob_record_reader_close(reader);
}

static ob_status allow(ob_diff *diff, const char *list, ob_err *err)
{
    char path[] = "/tmp/allow-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, list, strlen(list)) == (ssize_t)strlen(list));
    close(fd);
    const ob_status status = ob_diff_allow_file(diff, path, "2026-11-18", err);
    unlink(path);
    return status;
}

static void what_is_accepted(void)
{
    static const struct {
        const char *next, *list, *allowed, *not_allowed;
        bool worse;
    } ROWS[] = {
        {RESULT("2", "1000000"), ENTRY("2026-11-18", ""), "known", NULL, false},
        {RESULT("2", "1000000"), ENTRY("2026-11-17", ""), NULL, NULL, true},
        {RESULT("1.04", "1000000"), ENTRY("2026-12-31", ", \"at_most\": 0.05"), "known", NULL,
         false},
        {RESULT("1.06", "1000000"), ENTRY("2026-12-31", ", \"at_most\": 0.05"), NULL,
         "more than the accepted +5 %: known", true},
        /* whichever of two accepts it */
        {RESULT("1.06", "1000000"),
         ENTRY("2026-12-31", ", \"at_most\": 0.05") ", " ENTRY("2026-12-31", ", \"at_most\": 1"),
         "known", NULL, false},
        {RESULT("1", "1000000000"), ENTRY("2026-12-31", ", \"at_most\": 0"), "known", NULL, false},
        {FAILED("failed"), ENTRY("2026-12-31", ""), NULL,
         "not covered by --allow, which accepts only more time or memory (known)", true},
        {FAILED("differs"), ENTRY("2026-12-31", ""), NULL,
         "not covered by --allow, which accepts only more time or memory (known)", true},
        {OTHER, ENTRY("2026-12-31", ""), NULL,
         "not covered by --allow, which accepts only more time or memory (known)", true},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char list[512];
        ob_diff *diff;
        ob_diff_summary sum = {.size = sizeof sum};
        CHECK_INT(ob_diff_create(NULL, &diff, NULL), OB_OK);
        feed(diff, "base", RESULT("1", "1000000"));
        feed(diff, "new", ROWS[i].next);
        snprintf(list, sizeof list, "[%s]", ROWS[i].list);
        CHECK_INT(allow(diff, list, NULL), OB_OK);
        CHECK_INT(ob_diff_judge(diff, NULL), OB_OK);
        const ob_diff_row *row = ob_diff_at(diff, 0);
        CHECK(row->worse);
        CHECK_STR(row->allowed, ROWS[i].allowed);
        CHECK_STR(row->not_allowed, ROWS[i].not_allowed);
        CHECK_INT(row->allowed_until != NULL, ROWS[i].allowed != NULL);
        CHECK_INT(ob_diff_summarise(diff, &sum, NULL), OB_OK);
        CHECK_INT(sum.worse, ROWS[i].worse);
        CHECK_INT(sum.allowed, !ROWS[i].worse);
        ob_diff_destroy(diff);
    }
}

static void what_is_no_entry(void)
{
    static const struct {
        const char *list, *why;
        uint32_t column;
    } ROWS[] = {
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2027-02-31\"}]", "is not a date", 39},
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2027-02-29\"}]", "is not a date", 39},
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2100-02-29\"}]", "is not a date", 39},
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2027-04-31\"}]", "is not a date", 39},
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2027-00-01\"}]", "is not a date", 39},
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2027-01-00\"}]", "is not a date", 39},
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2028-02-29\", \"at_most\": -1}]",
         "how much slower", 64},
        {"[{\"key\": \"k\", \"reason\": \"r\", \"until\": \"2000-02-29\", \"at_most\": \"1\"}]",
         "how much slower", 64},
        {"[{\"key\": \"k\", \"until\": \"2028-02-29\"}]", "each entry needs", 2},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_diff *diff;
        ob_err err = {.message = ""};
        CHECK_INT(ob_diff_create(NULL, &diff, NULL), OB_OK);
        CHECK_INT(allow(diff, ROWS[i].list, &err), OB_ERR_CONFIG);
        CHECK_HAS(err.message, ROWS[i].why);
        CHECK_HAS(err.file, "/tmp/allow-");
        CHECK_INT(err.line, 1);
        CHECK_INT(err.column, ROWS[i].column);
        ob_diff_destroy(diff);
    }
}

int main(void)
{
    RUN(what_is_accepted);
    RUN(what_is_no_entry);
    return ob_test_end();
}
