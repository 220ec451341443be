/* SPDX-License-Identifier: Apache-2.0
 *
 * Command lines as lists of words: splitting as a shell does, printing so that it reads back.
 */
#include "../check.h"

#include "run/command_line.h"

#include <stdlib.h>

/* The words of the text, with "|" behind each. */
static void check_split(const char *text, const char *want)
{
    ob_command_words words = {0};
    ob_err err;
    char got[256] = "";
    CHECK_INT(ob__command_words_split(&words, text, "the text", &err), OB_OK);
    char **list = ob__command_words_list(&words);
    CHECK(list != NULL);
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        strncat(got, list[i], sizeof got - strlen(got) - 1);
        strncat(got, "|", sizeof got - strlen(got) - 1);
    }
    CHECK_STR(got, want);
    free(list);
    ob__command_words_fini(&words);
}

static void splits_as_a_shell(void)
{
    check_split("", "");
    check_split(" \t\n", "");
    check_split("a", "a|");
    check_split("  a  b\nc ", "a|b|c|");
    check_split("'a b' \"c d\"", "a b|c d|");
    check_split("--x='a b'c", "--x=a bc|");
    check_split("'' \"\"", "||");
    check_split("a\\ b \\'", "a b|'|");
    check_split("\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d|");
    check_split("'a\\'b", "a\\b|");
    check_split("$HOME `x` *", "$HOME|`x`|*|");
    check_split("end\\", "end\\|");
}

static void refuses_open_quotes(void)
{
    static const char *const OPEN[] = {"'a", "a \"b", "\"\\\"", "a'"};
    for (size_t i = 0; i < sizeof OPEN / sizeof *OPEN; i++) {
        ob_command_words words = {0};
        ob_err err;
        CHECK_INT(ob__command_words_split(&words, OPEN[i], "the text", &err), OB_ERR_SYNTAX);
        CHECK_STR(err.message, "the text has an unclosed quote");
        ob__command_words_fini(&words);
    }
}

static void prints_what_reads_back(void)
{
    ob_command_words words = {0}, again = {0};
    ob_text line = {0};
    ob_err err;
    CHECK(ob__command_words_add(&words, "ncu"));
    CHECK(ob__command_words_add(&words, "param|measure/"));
    CHECK(ob__command_words_add(&words, "it's \"so\""));
    CHECK(ob__command_words_add(&words, ""));
    CHECK(ob__command_words_print(&words, &line));
    CHECK_INT(line.size > 0, 1);
    char *text = strndup(line.data, line.size);
    CHECK_INT(ob__command_words_split(&again, text, "the line", &err), OB_OK);
    CHECK_INT(again.count, 4);
    CHECK_INT(again.text.size, words.text.size);
    CHECK(memcmp(again.text.data, words.text.data, words.text.size) == 0);
    free(text);
    ob_text_fini(&line);
    ob__command_words_fini(&words);
    ob__command_words_fini(&again);
}

int main(void)
{
    RUN(splits_as_a_shell);
    RUN(refuses_open_quotes);
    RUN(prints_what_reads_back);
    return ob_test_end();
}
