/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of values in words: which words they make and in which order, what is left as it stands, and what is refused.
 */
#include "config_testing.h"

#include "opbench/builder.h"

#include "config/word_lists.h"

/* All combinations: words with blanks between, combinations with " | "; or the error. */
static const char *made(const char *const *words, size_t count)
{
    static char out[4096];
    ob_word_lists lists;
    ob_err err;
    ob_text text = {0};
    if (ob__word_lists_read(&lists, words, count, &err) != OB_OK) {
        snprintf(out, sizeof out, "%s", err.message);
        ob__word_lists_fini(&lists);
        return out;
    }
    for (size_t k = 0; k < lists.combinations; k++)
        for (size_t i = 0; i < count; i++) {
            const char *before = i > 0 ? " " : k > 0 ? " | " : "";
            CHECK(ob_text_append_str(&text, before));
            CHECK(ob__word_lists_print(&lists, i, k, &text));
            text.size--; /* its NUL */
        }
    snprintf(out, sizeof out, "%.*s", (int)text.size, text.data != NULL ? text.data : "");
    ob_text_fini(&text);
    ob__word_lists_fini(&lists);
    return out;
}

#define MADE(...)                                                                                  \
    made((const char *const[]){__VA_ARGS__},                                                       \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void lists_of_values(void)
{
    CHECK_STR(MADE("f32[2,3]", "dim=1"), "f32[2,3] dim=1");
    CHECK_STR(MADE("f32[{64,128},8]"), "f32[64,8] | f32[128,8]");
    CHECK_STR(MADE("{f32,bf16}[{1,2}]", "{0,1}"), "f32[1] 0 | f32[1] 1 | f32[2] 0 | f32[2] 1 | "
                                                  "bf16[1] 0 | bf16[1] 1 | bf16[2] 0 | bf16[2] 1");
    CHECK_STR(MADE("f32[{n=2,4},{n}]", "f32[{n}]", "dim={d=0,1}"),
              "f32[2,2] f32[2] dim=0 | f32[2,2] f32[2] dim=1 | "
              "f32[4,4] f32[4] dim=0 | f32[4,4] f32[4] dim=1");
    CHECK_STR(MADE("{-1,true,1.5}"), "-1 | true | 1.5");
}

static void ranges(void)
{
    CHECK_STR(MADE("{1..4}"), "1 | 2 | 3 | 4");
    CHECK_STR(MADE("{64..512:*2}"), "64 | 128 | 256 | 512");
    CHECK_STR(MADE("{64..500:*2}"), "64 | 128 | 256");
    CHECK_STR(MADE("{0..100:25,7}"), "0 | 25 | 50 | 75 | 100 | 7");
    CHECK_STR(MADE("{2..0}"), "2 | 1 | 0");
    CHECK_STR(MADE("{9..1:-4}"), "9 | 5 | 1");
    CHECK_STR(MADE("{-2..-1}"), "-2 | -1");
    CHECK_STR(MADE("{5..5}"), "5");
    CHECK_STR(MADE("{5..5:-3}"), "5");
    /* The next value would not fit 64 bits. */
    CHECK_STR(MADE("{9223372036854775806..9223372036854775807}"),
              "9223372036854775806 | 9223372036854775807");
    CHECK_STR(MADE("{4611686018427387904..9223372036854775807:*2}"), "4611686018427387904");
}

static void left_as_it_stands(void)
{
    CHECK_STR(MADE("{\"type\": \"int\", \"value\": 3}"), "{\"type\": \"int\", \"value\": 3}");
    CHECK_STR(MADE("x={ \"type\": \"none\"}"), "x={ \"type\": \"none\"}");
    CHECK_STR(MADE("\"a{1,2}\"", "'{'"), "\"a{1,2}\" '{'");
    CHECK_STR(MADE("[str:{1,2}"), "[str:{1,2}");
    CHECK_STR(MADE("[\"{\",{1,2}]"), "[\"{\",1] | [\"{\",2]");
    CHECK_STR(MADE("a}b", "/"), "a}b /");
    CHECK_STR(MADE("i64[10]=0..99"), "i64[10]=0..99");
}

static void refused(void)
{
#define AT(word, at, what) CHECK_STR(MADE(word), "argument \"" word "\", character " at ": " what)
    AT("f32[{1,2]", "5", "the list is not closed: \"}\" is missing");
    AT("{1,{2}}", "1", "a list within a list");
    AT("{1,,2}", "4", "the list has an empty value");
    AT("{,1}", "2", "the list has an empty value");
    AT("{=1}", "2", "the name of the list is not valid");
    AT("{n}", "2", "no earlier list has that name; write a named list as {n=64,128}");
    AT("{n=1}{n=2}", "7", "another list already has that name");
    AT("{1..x}", "2", "the ends of a range in a list must be whole numbers, such as 1..8");
    AT("{1..}", "2", "the ends of a range in a list must be whole numbers, such as 1..8");
    AT("{1..9:*}", "6",
       "after the colon, write the step to add, such as :16, or the factor to multiply a positive "
       "number by, such as :*2");
    AT("{1..4:-1}", "2", "the range has no values: its step leads away from its end");
    AT("{0..4:*2}", "6",
       "after the colon, write the step to add, such as :16, or the factor to multiply a positive "
       "number by, such as :*2");
    AT("{1..4:0}", "6",
       "after the colon, write the step to add, such as :16, or the factor to multiply a positive "
       "number by, such as :*2");
    AT("{1..100001}", "2", "the list is too long");
    CHECK_STR(MADE("{1..1000}", "{1..101}"),
              "the lists of the arguments make more than 100000 cases; leave some out");
#undef AT
}

/* Builds and inputs of torch.nn.Linear with lists: each combination is a group, so no build meets another's input. */
static void constructors(void)
{
    static const char *const WORDS[] = {"{n=2,3}", "4", "/", "f32[1,{n}]"};
    ob_builder *b;
    ob_json_doc *doc;
    ob_err err;
    CHECK_INT(ob_builder_create(&b, &err), OB_OK);
    ob_builder_call(b, "torch.nn.Linear", WORDS, 4);
    CHECK_INT(ob_builder_finish(b, &doc, &err), OB_OK);
    const ob_json *groups = ob_json_get(ob_json_item(ob_json_doc_root(doc), 0), "config");
    CHECK_INT(ob_json_count(groups), 2);
    CHECK_INT(ob_json_count(ob_json_get(ob_json_item(groups, 1), "build")), 1);
    CHECK_INT(ob_json_count(ob_json_get(ob_json_item(groups, 1), "input")), 1);
    ob_json_doc_destroy(doc);
    ob_builder_destroy(b);
}

int main(void)
{
    RUN(lists_of_values);
    RUN(ranges);
    RUN(left_as_it_stands);
    RUN(refused);
    RUN(constructors);
    return ob_test_end();
}
