/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator of split embedding tables in a config: its types count in a case's key, and it checks
 * each case, before the run or, in a very long list, as it comes.
 */
#include "gen/gen.h"
#define TEST_PARTS &ob__gen_builtin
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

/* How indices are drawn is part of what a case is. */
static void the_distribution_counts_in_the_key(void)
{
    ob_config *config =
        open_tables(PLAIN_ROWS, ENTRY("\"value\": 4", "\"value\": 5") ", " ENTRY(
                                    "\"value\": 4", "\"value\": 5, \"distribution\": 1.5"));
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    ob_err err;
    char first[40] = "";
    CHECK(config != NULL);
    if (config == NULL)
        return;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    snprintf(first, sizeof first, "%s", ob_case_key(c));
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    CHECK(strcmp(first, ob_case_key(c)) != 0);
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

/* What depends on the build is checked before the run too, and shown where the config says it. */
static void the_generator_checks_each_case(void)
{
    refuse(ENTRY("\"value\": 4", "\"value\": 5, \"distribution\": \"zipf\""),
           "args[1].distribution: \"distribution\" must be a number");
    refuse(ENTRY("\"value\": 4", "\"value\": [3, -1], \"__list__\": [\"value\"]"),
           ".config[0].input[0].args[1].value[1]: pooling_factor must be one number of at least 0");
    refuse(ENTRY("\"value\": 4", "\"value\": 5") ", " ENTRY("\"value\": 4", "\"value\": -5"),
           ".config[0].input[1].args[1].value: pooling_factor");
    ob_config *config = open_tables("\"value\": [1, 0, -1], \"__range__\": [\"value\"]",
                                    ENTRY("\"value\": 4", "\"value\": 5"));
    CHECK(config == NULL);
    CHECK_HAS(messages, "t.json:1:");
    CHECK_HAS(messages, ".config[0].build[0].args[1].value: rows must be one number of at least 1");
    ob_config_destroy(config);
}

/* Of a very long list the first items are checked at once and the others as they come. */
static void a_late_error_has_its_place(void)
{
    ob_config *config =
        open_tables(PLAIN_ROWS, ENTRY("\"value\": [0, 65535], \"__range__\": [\"value\"]",
                                      "\"value\": 5") ", " ENTRY("\"value\": 4", "\"value\": -5"));
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    ob_err err;
    CHECK(config != NULL);
    if (config == NULL)
        return;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_cases_seek(cases, 65536, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_ERR_CONFIG);
    CHECK_STR(err.file, "t.json");
    CHECK_STR(err.path, ".SplitTableBatchedEmbeddingBagsCodegen.config[0].input[1].args[1].value");
    ob_cases_close(cases);
    ob_config_destroy(config);
}

int main(void)
{
    RUN(the_distribution_counts_in_the_key);
    RUN(the_generator_checks_each_case);
    RUN(a_late_error_has_its_place);
    return ob_test_end();
}
