/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing text, error records and log lines, to the letter.
 */
#include "base/text_append.h"

#include "check.h"
#include "opbench/log.h"

#include <stdlib.h>

static ob_text text;

/* What was appended since the last call. */
static const char *taken(void)
{
    static char out[2048];
    snprintf(out, sizeof out, "%.*s", (int)text.size, text.data != NULL ? text.data : "");
    ob_text_fini(&text);
    return out;
}

static void appends_integers(void)
{
    static const struct {
        int64_t value;
        const char *want;
    } ROWS[] = {{0, "0"},
                {9, "9"},
                {10, "10"},
                {99, "99"},
                {100, "100"},
                {101, "101"},
                {999, "999"},
                {1000, "1000"},
                {12345, "12345"},
                {-1, "-1"},
                {-10, "-10"},
                {-100, "-100"},
                {INT64_MAX, "9223372036854775807"},
                {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        CHECK(ob__text_append_i64(&text, ROWS[i].value));
        CHECK_STR(taken(), ROWS[i].want);
    }
    for (uint64_t i = 0; i < 1000; i++) {
        char want[8];
        snprintf(want, sizeof want, "%d", (int)i);
        CHECK(ob__text_append_u64(&text, i));
        CHECK_STR(taken(), want);
    }
    CHECK(ob__text_append_u64(&text, UINT64_MAX));
    CHECK_STR(taken(), "18446744073709551615");
}

static void appends_reals(void)
{
    static const struct {
        double value;
        size_t width;
        int decimals;
        const char *want;
    } ROWS[] = {{1.5, 0, 1, "1.5"},
                {1.5, 6, 1, "   1.5"},
                {1.5, 3, 1, "1.5"},
                {-1.25, 6, 2, " -1.25"},
                {-1.25, 7, 2, "  -1.25"},
                {2.5, 0, 0, "2"},
                {1e20, 0, 1, "100000000000000000000.0"},
                {(double)INFINITY, 5, 2, "  inf"},
                {-(double)INFINITY, 0, 2, "-inf"},
                {0, 0, 3, "0.000"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        CHECK(ob__text_append_fixed(&text, ROWS[i].value, ROWS[i].width, ROWS[i].decimals));
        CHECK_STR(taken(), ROWS[i].want);
    }
    CHECK(ob__text_append_fixed(&text, 1e308, 0, 99));
    CHECK_INT(text.size, 309 + 1 + 99);
    taken();
    CHECK(ob__text_append_real(&text, 0.1) && ob__text_append_fill(&text, '.', 3) &&
          ob__text_append_real(&text, 2) && ob__text_append_fill(&text, '-', 0));
    CHECK_STR(taken(), "0.1...2.0");
}

static void appends_words(void)
{
    static const char *const COMMAND[] = {"a-b_c./:=,@%+9Z", "", "it's", "a b", "$x", "~"};
    CHECK(ob_text_append_command(&text, COMMAND, 6));
    CHECK_INT(text.data[text.size], '\0');
    CHECK_STR(taken(), "a-b_c./:=,@%+9Z '' 'it'\\''s' 'a b' '$x' '~'");
    CHECK(ob_text_append_command(&text, COMMAND, 0));
    CHECK_STR(taken(), "");
    /* Bytes that are no UTF-8, what a terminal would obey, and lines: a command is one. */
    static const char *const BYTES[] = {"a\3771/\xc3\xa9", "\x1b[1m it's", "\xc2\x9b\\", "x\ny"};
    CHECK(ob_text_append_command(&text, BYTES, 4));
    CHECK_STR(taken(), "$'a\\xff1/\xc3\xa9' $'\\x1b[1m it\\x27s' $'\\xc2\\x9b\\x5c' $'x\\ny'");
}

/* At the ends of the buffer that short lines go through. */
static void prints(void)
{
    char want[600];
    CHECK(ob_text_printf(&text, "%s=%d", "x", 7));
    CHECK_STR(taken(), "x=7");
    for (int length = 254; length <= 258; length++) {
        snprintf(want, sizeof want, "%*d", length, 1);
        CHECK(ob_text_append_str(&text, "<") && ob_text_printf(&text, "%*d", length, 1) &&
              ob_text_append_str(&text, ">"));
        CHECK_INT(text.size, length + 2);
        const char *got = taken();
        CHECK(got[0] == '<' && strncmp(got + 1, want, (size_t)length) == 0);
        CHECK_STR(got + 1 + length, ">");
    }
}

static void grows(void)
{
    CHECK(ob_text_append(&text, "x", 1));
    CHECK(text.capacity >= 256);
    CHECK(!ob_text_grow(&text, SIZE_MAX));
    CHECK_STR(taken(), "x");
    CHECK(text.data == NULL && text.size == 0 && text.capacity == 0);
}

static void names_statuses(void)
{
#define CHECK_STATUS(name, number, text_)                                                          \
    CHECK_STR(ob_status_name(OB_##name), "OB_" #name);                                             \
    CHECK_STR(ob_status_text(OB_##name), text_);                                                   \
    CHECK_INT(OB_##name, number);
    OB_STATUS_MAP(CHECK_STATUS)
    CHECK_STR(ob_status_name((ob_status)77), "OB_?");
    CHECK_STR(ob_status_text((ob_status)77), "unknown status");
}

static const char *formatted(const ob_err *err)
{
    static char out[2048];
    CHECK(ob_err_format(err, "error", out, sizeof out) == out);
    return out;
}

static void formats_errors(void)
{
    ob_err err;
    CHECK_INT(ob_err_set_at(&err, OB_ERR_SYNTAX, "f.json", 3, 5, ".a", "no %s", "x"),
              OB_ERR_SYNTAX);
    CHECK_INT(err.code, OB_ERR_SYNTAX);
    CHECK_STR(formatted(&err), "f.json:3:5: error: .a: no x");
    ob_err_set_at(&err, OB_ERR_SYNTAX, "f.json", 3, 0, NULL, "no");
    CHECK_STR(formatted(&err), "f.json:3: error: no");
    ob_err_set_at(&err, OB_ERR_SYNTAX, "f.json", 0, 4, NULL, "no");
    CHECK_STR(formatted(&err), "f.json: error: no");
    ob_err_set_at(&err, OB_ERR_SYNTAX, NULL, 3, 5, ".a", "no");
    CHECK_STR(formatted(&err), "error: .a: no");
    /* Setting it anew clears the place; an empty message is the status's. */
    CHECK_INT(ob_err_set(&err, OB_ERR_IO, "%s", ""), OB_ERR_IO);
    CHECK_INT(err.line, 0);
    CHECK_INT(err.column, 0);
    char want[128];
    snprintf(want, sizeof want, "error: %s", ob_status_text(OB_ERR_IO));
    CHECK_STR(formatted(&err), want);
    char small[6] = "12345";
    ob_err_set(&err, OB_ERR_IO, "no");
    ob_err_format(&err, "error", small, sizeof small);
    CHECK_STR(small, "error");
    CHECK(ob_err_format(&err, "error", small, 0) == small);
    CHECK_STR(small, "error");
    ob_err_clear(&err);
    CHECK_INT(err.code, OB_OK);
    CHECK_STR(err.message, "");
    /* Nobody wants to know. */
    ob_err_clear(NULL);
    CHECK_INT(ob_err_set(NULL, OB_ERR_IO, "no"), OB_ERR_IO);
    CHECK_INT(ob_err_set_at(NULL, OB_ERR_IO, "f", 1, 1, "p", "no"), OB_ERR_IO);
}

/* Cut before a character, with three dots. */
static void cuts_messages(void)
{
    ob_err err;
    enum { ROOM = sizeof err.message, FILE_ROOM = sizeof err.file };
    char text_in[ROOM + 8], want[ROOM + 8];
    memset(text_in, 'x', sizeof text_in);
    text_in[ROOM - 1] = '\0';
    ob_err_set(&err, OB_ERR_IO, "%s", text_in);
    CHECK_STR(err.message, text_in);
    text_in[ROOM - 1] = 'x';
    text_in[ROOM] = '\0';
    ob_err_set(&err, OB_ERR_IO, "%s", text_in);
    memset(want, 'x', sizeof want);
    strcpy(want + ROOM - 4, "...");
    CHECK_STR(err.message, want);
    memcpy(text_in + ROOM - 6, "\xE2\x82\xAC",
           3); /* its last byte would be the first that is cut */
    ob_err_set(&err, OB_ERR_IO, "%s", text_in);
    strcpy(want + ROOM - 6, "...");
    CHECK_STR(err.message, want);
    text_in[FILE_ROOM] = '\0';
    ob_err_set_at(&err, OB_ERR_IO, text_in, 1, 1, text_in + 1, "no");
    memset(want, 'x', sizeof want);
    strcpy(want + FILE_ROOM - 4, "...");
    CHECK_STR(err.file, want);
    CHECK_STR(err.path, sizeof err.path >= FILE_ROOM ? text_in + 1 : err.path);
}

static ob_log_level heard_level;
static char heard[64];

static void hear(void *ctx, ob_log_level level, const ob_err *what)
{
    ++*(int *)ctx;
    heard_level = level;
    snprintf(heard, sizeof heard, "%.60s", what->message);
}

static void filters_log_lines(void)
{
    int count = 0;
    const ob_log log = {.fn = hear, .ctx = &count, .max_level = OB_LOG_WARNING};
    const ob_log deaf = {.ctx = &count, .max_level = OB_LOG_WARNING};
    ob_err err;
    ob_log_message(&log, OB_LOG_WARNING, "one %d", 1);
    CHECK_STR(heard, "one 1");
    CHECK_INT(heard_level, OB_LOG_WARNING);
    ob_log_message(&log, OB_LOG_WARNING + 1, "two");
    CHECK_STR(heard, "one 1");
    ob_err_set(&err, OB_ERR_IO, "three");
    ob_log_report(&log, OB_LOG_ERROR, &err);
    CHECK_STR(heard, "three");
    ob_log_report(&log, OB_LOG_WARNING + 1, &err);
    ob_log_report(NULL, OB_LOG_ERROR, &err);
    ob_log_report(&deaf, OB_LOG_ERROR, &err);
    ob_log_message(NULL, OB_LOG_ERROR, "four");
    CHECK_INT(count, 2);
}

int main(void)
{
    RUN(appends_integers);
    RUN(appends_reals);
    RUN(appends_words);
    RUN(prints);
    RUN(grows);
    RUN(names_statuses);
    RUN(formats_errors);
    RUN(cuts_messages);
    RUN(filters_log_lines);
    return ob_test_end();
}
