/* SPDX-License-Identifier: Apache-2.0
 *
 * The iterator of split embedding tables: order, ids, what the arguments become, several builds
 * and entries, and what is refused.
 */
#include "config_testing.h"

/* A config with the build's rows and the entries of its input list. */
static ob_config *open_tables(const char *rows, const char *entries)
{
    static char text[8192];
    snprintf(
        text, sizeof text,
        "{\"SplitTableBatchedEmbeddingBagsCodegen\": {"
        "\"build_iterator\": \"RangeConfigIterator\", "
        "\"input_iterator\": \"SplitTableBatchedEmbeddingBagsCodegenInputIterator\", "
        "\"build_data_generator\": \"PyTorch:DefaultDataGenerator\", "
        "\"input_data_generator\": \"SplitTableBatchedEmbeddingBagsCodegenInputDataGenerator\", "
        "\"config\": [{\"build\": [{\"args\": [{\"type\": \"int\", \"value\": 1}, "
        "{\"type\": \"int\", %s}, {\"type\": \"int\", \"value\": 8}, "
        "{\"type\": \"int\", \"value\": 0}, {\"type\": \"bool\", \"value\": false}, "
        "{\"type\": \"str\", \"value\": \"fp16\"}]}], \"input\": [%s]}]}}",
        rows, entries);
    return open_config(text);
}

#define PLAIN_ROWS "\"value\": 100"
#define ENTRY(batch, pooling)                                                                      \
    "{\"args\": [{\"type\": \"int\", " batch "}, {\"type\": \"int\", \"name\": \"L\", " pooling    \
    "}]}"

/* "id batch pooling" of every case. */
static const char *steps(ob_config *config)
{
    static char out[4096];
    size_t at = 0;
    ob_cases *cases = NULL;
    const ob_case *c;
    ob_err err;
    out[0] = '\0';
    if (config == NULL)
        return messages;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    while (ob_cases_next(cases, &c, &err) == OB_OK) {
        const ob_json *args = ob_json_get(ob_case_input(c), "args");
        CHECK_INT(ob_json_count(args), 7);
        CHECK_INT(ob_json_count(ob_json_item(args, 3)), 2); /* no macro is left */
        at += (size_t)snprintf(
            out + at, sizeof out - at, "%s %lld %lld %lld; ", ob_case_id(c),
            (long long)ob_json_int(ob_json_get(ob_json_item(args, 1), "value"), -1),
            (long long)ob_json_int(ob_json_get(ob_json_item(args, 3), "value"), -1),
            (long long)ob_json_int(ob_json_get(ob_json_item(args, 4), "value"), -1));
    }
    ob_cases_close(cases);
    ob_config_destroy(config);
    return out;
}

static void one_value_each(void)
{
    CHECK_STR(cases_text(open_tables(PLAIN_ROWS, ENTRY("\"value\": 4", "\"value\": 5"))),
              "0|0_0|0_0 {\"args\": [{\"type\": \"int\", \"value\": 1}, "
              "{\"type\": \"int\", \"value\": 100}, {\"type\": \"int\", \"value\": 8}, "
              "{\"type\": \"int\", \"value\": 4}, "
              "{\"type\": \"int\", \"name\": \"L\", \"value\": 5}, "
              "{\"type\": \"bool\", \"value\": false}, {\"type\": \"str\", \"value\": \"fp16\"}], "
              "\"kwargs\": {}}\n");
    CHECK_STR(messages, "");
}

static void ranges_and_lists(void)
{
    CHECK_STR(
        steps(open_tables(PLAIN_ROWS, ENTRY("\"value\": [2, 6, 2], \"__range__\": [\"value\"]",
                                            "\"value\": [7, 3], \"__list__\": [\"value\"]"))),
        "0|0_0|0_0 100 2 7; 0|0_0|0_1 100 2 3; 0|0_0|0_2 100 4 7; 0|0_0|0_3 100 4 3; "
        "0|0_0|0_4 100 6 7; 0|0_0|0_5 100 6 3; ");
    CHECK_STR(messages, "");
}

/* The entry counts in the id; the rows are those of the build. */
static void entries_and_builds(void)
{
    CHECK_STR(steps(open_tables(
                  "\"value\": [10, 11], \"__range__\": [\"value\"]",
                  ENTRY("\"value\": 2", "\"value\": [3, 4], \"__range__\": true") ", " ENTRY(
                      "\"value\": 5", "\"value\": 6"))),
              "0|0_0|0_0 10 2 3; 0|0_0|0_1 10 2 4; 0|0_0|1_0 10 5 6; "
              "0|0_1|0_0 11 2 3; 0|0_1|0_1 11 2 4; 0|0_1|1_0 11 5 6; ");
    CHECK_STR(messages, "");
}

static void any_case_by_its_index(void)
{
    ob_config *config =
        open_tables(PLAIN_ROWS, ENTRY("\"value\": [1, 1000], \"__range__\": [\"value\"]",
                                      "\"value\": [1, 1000], \"__range__\": [\"value\"]"));
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    ob_err err;
    CHECK(config != NULL);
    if (config == NULL)
        return;
    CHECK_INT(ob_config_case_count(config), 1000000);
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_cases_seek(cases, 123456, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    CHECK_STR(ob_case_id(c), "0|0_0|0_123456");
    const ob_json *args = ob_json_get(ob_case_input(c), "args");
    CHECK_INT(ob_json_int(ob_json_get(ob_json_item(args, 3), "value"), -1), 124);
    CHECK_INT(ob_json_int(ob_json_get(ob_json_item(args, 4), "value"), -1), 457);
    ob_cases_close(cases);
    ob_config_destroy(config);
}

static void refuse(const char *entries, const char *part)
{
    ob_config *config = open_tables(PLAIN_ROWS, entries);
    CHECK(config == NULL);
    CHECK_HAS(messages, part);
    ob_config_destroy(config);
}

static void says_what_is_wrong(void)
{
    refuse("{\"args\": [{\"type\": \"int\", \"value\": 4}]}",
           "two arguments: the batch size and the pooling factor");
    refuse(ENTRY("\"value\": [4], \"__range__\": true", "\"value\": 5"),
           "a range is [lowest, highest] or [lowest, highest, step]");
    refuse(ENTRY("\"value\": [4, 2.5], \"__range__\": true", "\"value\": 5"),
           "a range of whole numbers is needed here");
    refuse(ENTRY("\"value\": [4, 2], \"__range__\": true", "\"value\": 5"),
           "a range needs 0 <= lowest <= highest and a step of at least 1");
    refuse(ENTRY("\"value\": [4, 8, 0], \"__range__\": true", "\"value\": 5"),
           "a range needs 0 <= lowest <= highest and a step of at least 1");
    refuse(ENTRY("\"value\": 4, \"__list__\": true", "\"value\": 5"),
           "__list__ needs a list of alternatives");
    refuse(ENTRY("\"value\": [4], \"__list__\": true, \"__range__\": true", "\"value\": 5"),
           "give __range__ or __list__, not both");
    refuse(ENTRY("\"value\": 4, \"__copy__\": []", "\"value\": 5"),
           "this iterator only knows __range__ and __list__");
    refuse(ENTRY("\"name\": \"B\"", "\"value\": 5"), "this argument needs a \"value\"");
}

int main(void)
{
    RUN(one_value_each);
    RUN(ranges_and_lists);
    RUN(entries_and_builds);
    RUN(any_case_by_its_index);
    RUN(says_what_is_wrong);
    return ob_test_end();
}
