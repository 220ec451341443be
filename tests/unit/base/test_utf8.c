/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 from outside: where a sequence is valid, at both ends of every range; repair; code points; blanks and line ends as
 * Python has them.
 */
#include "base/utf8.h"

#include "check.h"

static void finds_where_it_is_valid(void)
{
    static const struct {
        const char *bytes;
        size_t valid;
    } ROWS[] = {
        {"", 0},
        {"abc\x7F", 4},
        {"a\x80", 1},    /* a second byte alone */
        {"\xC1\xBF", 0}, /* overlong */
        {"\xC2\x80", 2}, /* U+0080 */
        {"\xDF\xBF", 2}, /* U+07FF */
        {"\xC2", 0},     /* cut off */
        {"\xC2\x7F", 0}, /* no second byte */
        {"\xC2\xC0", 0},
        {"\xE0\x9F\xBF", 0}, /* overlong */
        {"\xE0\xA0\x80", 3}, /* U+0800 */
        {"\xE1\x80\x80", 3},
        {"\xEC\xBF\xBF", 3},
        {"\xED\x9F\xBF", 3}, /* U+D7FF */
        {"\xED\xA0\x80", 0}, /* half a surrogate pair */
        {"\xEE\x80\x80", 3}, /* U+E000 */
        {"\xEF\xBF\xBF", 3}, /* U+FFFF */
        {"\xEF\xBF", 0},
        {"\xEF\xBF\x41", 0},
        {"\xF0\x8F\xBF\xBF", 0}, /* overlong */
        {"\xF0\x90\x80\x80", 4}, /* U+10000 */
        {"\xF3\xBF\xBF\xBF", 4},
        {"\xF4\x8F\xBF\xBF", 4}, /* U+10FFFF */
        {"\xF4\x90\x80\x80", 0}, /* beyond */
        {"\xF5\x80\x80\x80", 0},
        {"\xFF", 0},
        {"\xC3\xA4z\xE2\x82\xAC\xF0\x9F\x98\x80!\xFE", 11},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        CHECK_INT(ob__utf8_valid(ROWS[i].bytes, strlen(ROWS[i].bytes)), ROWS[i].valid);
}

static void repairs(void)
{
#define BAD "\xEF\xBF\xBD"
    static const struct {
        const char *bytes, *want;
    } ROWS[] = {
        {"", ""},
        {"plain \xC3\xA4", "plain \xC3\xA4"},
        {"\xFFx", BAD "x"},
        {"x\xFF", "x" BAD},
        {"\xE2\x82", BAD BAD}, /* one for each byte */
        {"a\xC3\xC3\xA4"
         "b\x80",
         "a" BAD "\xC3\xA4"
         "b" BAD},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_text text = {0};
        CHECK(ob__utf8_repair(&text, ROWS[i].bytes, strlen(ROWS[i].bytes)));
        CHECK(ob_text_append(&text, "", 1));
        CHECK_STR(text.data, ROWS[i].want);
        ob_text_fini(&text);
    }
}

static void takes_code_points(void)
{
    static const char TEXT[] = "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x82z";
    static const uint32_t CODES[] = {'A', 0xE4, 0x20AC, 0x1F600, 0xFFFD, 0xFFFD, 'z'};
    const char *at = TEXT, *end = TEXT + sizeof TEXT - 1;
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
        CHECK_INT(ob__utf8_next(&at, end), CODES[i]);
    CHECK(at == end);
    CHECK_INT(ob__utf8_count(TEXT), 7);
    CHECK_INT(ob__utf8_count(""), 0);
}

/* Every code point that is one, by Python's tables. */
static void knows_blanks_and_line_ends(void)
{
    static const uint32_t LINE_ENDS[] = {0x0A, 0x0B, 0x0C, 0x0D,   0x1C,
                                         0x1D, 0x1E, 0x85, 0x2028, 0x2029};
    static const uint32_t SPACES[] = {
        0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x1C,   0x1D,   0x1E,   0x1F,   0x20,
        0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
        0x2007, 0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
    size_t ends = 0, spaces = 0;
    for (uint32_t code = 0; code <= 0x3100; code++) {
        const bool end = ends < sizeof LINE_ENDS / sizeof *LINE_ENDS && LINE_ENDS[ends] == code;
        const bool space = spaces < sizeof SPACES / sizeof *SPACES && SPACES[spaces] == code;
        if (ob__utf8_is_line_end(code) != end || ob__utf8_is_space(code) != space)
            OB_TEST_FAIL("U+%04X", code);
        ends += end;
        spaces += space;
    }
    CHECK_INT(ends, sizeof LINE_ENDS / sizeof *LINE_ENDS);
    CHECK_INT(spaces, sizeof SPACES / sizeof *SPACES);
}

/* The bidirectional ones by the Unicode standard's Bidi_Control, the separators, and C0, DEL, C1. */
static void knows_what_is_obeyed(void)
{
    static const uint32_t CONTROLS[] = {0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B,
                                        0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069};
    size_t found = 0;
    for (uint32_t code = 0; code <= 0x3100; code++) {
        const bool high = found < sizeof CONTROLS / sizeof *CONTROLS && CONTROLS[found] == code;
        const bool low = code < 0x20 || (code >= 0x7F && code <= 0x9F);
        if (ob__utf8_is_control(code) != (high || low))
            OB_TEST_FAIL("U+%04X", code);
        found += high;
    }
    CHECK_INT(found, sizeof CONTROLS / sizeof *CONTROLS);
}

static void shows_what_is_visible(void)
{
    static const struct {
        const char *from, *shown, *styled;
    } rows[] = {
        {"a\tb\nc", "a\tb\nc", "a\tb\nc"},
        {"\033[1;31mred\033[0m", "?[1;31mred?[0m", "\033[1;31mred\033[0m"},
        {"\033[2J\033[1", "?[2J?[1", "?[2J?[1"},
        {"\r\x7f\xC2\x9B\xE2\x80\xAE.", "????.", "????."},
        {"\xC3\xA4\x9B\xFF\xE2\x82", "\xC3\xA4\uFFFD\uFFFD\uFFFD\uFFFD",
         "\xC3\xA4\uFFFD\uFFFD\uFFFD\uFFFD"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int styled = 0; styled < 2; styled++) {
            ob_text text = {.data = NULL};
            CHECK(ob_text_append_visible(&text, rows[i].from, strlen(rows[i].from), styled == 1));
            CHECK(ob_text_append(&text, "", 1));
            CHECK_STR(text.data, styled == 1 ? rows[i].styled : rows[i].shown);
            ob_text_fini(&text);
        }
    ob_text text = {.data = NULL};
    CHECK(ob_text_append_visible(&text, "a\0\033c", 4, true)); /* also behind a NUL */
    CHECK(text.size == 4 && memcmp(text.data, "a??c", 4) == 0);
    ob_text_fini(&text);
}

int main(void)
{
    RUN(finds_where_it_is_valid);
    RUN(repairs);
    RUN(takes_code_points);
    RUN(knows_blanks_and_line_ends);
    RUN(knows_what_is_obeyed);
    RUN(shows_what_is_visible);
    return ob_test_end();
}
