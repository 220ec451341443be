/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk: any case by its index, several walks at once, keys, and numbers too large to walk.
 */
#include "config_testing.h"

static const char MIXED[] =
    "{\"torch.empty\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": "
    "[]},"
    "\"torch.nn.Linear\": {\"build_iterator\": \"RangeConfigIterator\","
    " \"input_iterator\": \"RangeConfigIterator\","
    " \"build_data_generator\": \"PyTorch:DefaultDataGenerator\","
    " \"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": ["
    "{\"build\": [{\"args\": [{\"type\": \"int\", \"value\": [1, 3], \"__range__\": [\"value\"]}]},"
    "            {\"args\": [{\"type\": \"int\", \"value\": 9}]}],"
    " \"input\": [{\"args\": [{\"type\": \"int\", \"value\": [1, 5], \"__range__\": [\"value\"]},"
    "                        {\"type\": \"bool\", \"value\": [true, false], \"__range__\": "
    "[\"value\"]}]},"
    "            {\"args\": [{\"type\": \"int\", \"value\": [5, 1], \"__range__\": [\"value\"]}]},"
    "            {\"args\": [{\"type\": \"int\", \"value\": [7, 8], \"__range__\": "
    "[\"value\"]}]}]},"
    "{\"input\": []}, {\"build\": [], \"input\": [{\"args\": []}]}]},"
    "\"torch.add\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\","
    " \"config\": [{\"input\": [{\"args\": []}, {\"kwargs\": {}}]}]}}";

static void print_next(ob_cases *cases, char *out, size_t size)
{
    const ob_case *c;
    ob_err err;
    ob_text text = {0};
    out[0] = '\0';
    if (ob_cases_next(cases, &c, &err) == OB_OK && ob_case_print(c, &text, &err) == OB_OK)
        snprintf(out, size, "%.*s", (int)text.size, text.data);
    ob_text_fini(&text);
}

static void any_case_is_reached_by_its_index(void)
{
    ob_config *config = open_config(MIXED);
    CHECK(config != NULL);
    /* 4 builds x (10 + 0 + 2) inputs, then one and two more. */
    CHECK_INT(ob_config_case_count(config), 4 * 12 + 1 + 2);
    ob_cases *walk, *jump;
    ob_err err;
    char in_order[512], by_index[512];
    CHECK_INT(ob_cases_open(config, NULL, &walk, &err), OB_OK);
    CHECK_INT(ob_cases_open(config, NULL, &jump, &err), OB_OK);
    for (uint64_t i = 0; i < ob_cases_count(walk); i++) {
        print_next(walk, in_order, sizeof in_order);
        CHECK(in_order[0] == '{');
        /* From far away, and then once more from its own place. */
        CHECK_INT(ob_cases_seek(jump, ob_cases_count(walk) - 1 - i, &err), OB_OK);
        print_next(jump, by_index, sizeof by_index);
        CHECK_INT(ob_cases_seek(jump, i, &err), OB_OK);
        print_next(jump, by_index, sizeof by_index);
        CHECK_STR(by_index, in_order);
    }
    const ob_case *c;
    CHECK_INT(ob_cases_next(walk, &c, &err), OB_END);
    CHECK_INT(ob_cases_next(walk, &c, &err), OB_END);
    CHECK_INT(ob_cases_seek(walk, ob_cases_count(walk), &err), OB_OK);
    CHECK_INT(ob_cases_next(walk, &c, &err), OB_END);
    CHECK_INT(ob_cases_seek(walk, ob_cases_count(walk) + 1, &err), OB_ERR_INVALID);
    ob_cases_close(walk);
    ob_cases_close(jump);
    ob_config_destroy(config);
}

static void one_operator_can_be_walked_alone(void)
{
    ob_config *config = open_config(MIXED);
    ob_cases *cases;
    ob_err err;
    const ob_case *c;
    CHECK_INT(ob_cases_open(config, "torch.add", &cases, &err), OB_OK);
    CHECK_INT(ob_cases_count(cases), 2);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    CHECK_STR(ob_case_op_name(c), "torch.add");
    CHECK_STR(ob_case_id(c), "0|0|0");
    CHECK_INT(ob_case_index(c), 0);
    ob_cases_close(cases);
    CHECK_INT(ob_cases_open(config, "torch.empty", &cases, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_END);
    ob_cases_close(cases);
    CHECK_INT(ob_cases_open(config, "torch.sub", &cases, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "t.json has no operator \"torch.sub\"");
    ob_config_destroy(config);
}

static void huge_products_are_counted_and_sought(void)
{
    ob_config *config =
        open_range("{\"args\": [{\"type\": \"int\", \"value\": [1, 2000000000], \"__range__\": "
                   "[\"value\"]}, {\"type\": \"int\", \"value\": [0, 3999999999], \"__range__\": "
                   "[\"value\"]}]}");
    CHECK(config != NULL);
    CHECK(ob_config_case_count(config) == 8000000000000000000ull);
    ob_cases *cases;
    ob_err err;
    const ob_case *c;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_cases_seek(cases, 7999999999999999999ull, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    CHECK_STR(ob_case_id(c), "0|0|0_7999999999999999999");
    const ob_json *args = ob_json_get(ob_case_input(c), "args");
    CHECK_INT(ob_json_int(ob_json_get(ob_json_item(args, 0), "value"), 0), 2000000000);
    CHECK_INT(ob_json_int(ob_json_get(ob_json_item(args, 1), "value"), 0), 3999999999);
    ob_cases_close(cases);
    ob_config_destroy(config);
    CHECK(open_range("{\"args\": [{\"type\": \"int\", \"value\": [1, 9000000000000000000], "
                     "\"__range__\": [\"value\"]}, {\"type\": \"bool\", \"value\": [true, false], "
                     "\"__range__\": [\"value\"]}]}") == NULL);
    CHECK_HAS(messages, "more than 2^63 cases");
    CHECK(open_range("{\"args\": [{\"type\": \"int\", \"value\": [-9223372036854775808, "
                     "9223372036854775807], \"__range__\": [\"value\"]}]}") == NULL);
    CHECK_HAS(messages, "more than 2^63 values");
}

/* The key of the only case. */
static const char *key_of(const char *text)
{
    static char keys[4][33];
    static size_t next;
    char *key = keys[next++ % 4];
    ob_config *config = open_config(text);
    ob_cases *cases;
    ob_err err;
    const ob_case *c;
    strcpy(key, "?");
    if (config != NULL && ob_cases_open(config, NULL, &cases, &err) == OB_OK) {
        if (ob_cases_next(cases, &c, &err) == OB_OK)
            strcpy(key, ob_case_key(c));
        ob_cases_close(cases);
    }
    ob_config_destroy(config);
    return key;
}

#define CONFIG(op, iterator, input)                                                                \
    "{\"" op "\": {" iterator "\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "       \
    "\"config\": [{\"input\": [" input "]}]}}"
#define RANGE "\"input_iterator\": \"RangeConfigIterator\", "

static void keys_survive_reordering_and_renaming(void)
{
    const char plain[] =
        CONFIG("torch.add", "",
               "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": "
               "[2, 3]}, {\"type\": \"float\", \"value\": 1.0}]}");
    char key[33];
    strcpy(key, key_of(plain));
    CHECK_INT(strlen(key), 32);
    /* Aliases, order of attributes, notes, iterator, number form, entries before it. */
    CHECK_STR(key_of(CONFIG("torch.add", RANGE,
                            "{\"args\": [{\"shape\": [[2, 2], 3], \"name\": \"x\", \"dtype\": "
                            "\"float32\", \"type\": \"tensor\", \"__range__\": [\"shape\"]}, "
                            "{\"value\": 1, \"type\": \"float\"}], \"kwargs\": {}}")),
              key);
    CHECK_STR(key_of(CONFIG("aten::add", "",
                            "{\"count\": 9, \"args\": [{\"type\": \"tensor\", \"dtype\": \"f32\", "
                            "\"shape\": [2, 3]}, {\"type\": \"float\", \"value\": 1e0}]}")),
              key);
    CHECK_STR(
        key_of(CONFIG("aten::add.Tensor", "",
                      "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, "
                      "3]}, {\"type\": \"double\", \"value\": 1}]}")),
        key);
    /* Anything that is measured differently has another key. */
    CHECK(strcmp(key, key_of(CONFIG(
                          "torch.add", "",
                          "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", "
                          "\"shape\": [3, 2]}, {\"type\": \"float\", \"value\": 1.0}]}"))) != 0);
    CHECK(strcmp(key, key_of(CONFIG(
                          "torch.add", "",
                          "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"double\", "
                          "\"shape\": [2, 3]}, {\"type\": \"float\", \"value\": 1.0}]}"))) != 0);
    CHECK(strcmp(key, key_of(CONFIG(
                          "torch.add", "",
                          "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": "
                          "[2, 3]}], \"kwargs\": {\"other\": {\"type\": \"float\", "
                          "\"value\": 1.0}}}"))) != 0);
    CHECK(strcmp(key, key_of(CONFIG(
                          "torch.sub", "",
                          "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", "
                          "\"shape\": [2, 3]}, {\"type\": \"float\", \"value\": 1.0}]}"))) != 0);
}

static void keys_are_stable(void)
{
    /* Results on disk are found again by these: a change here loses people's history. */
    CHECK_STR(
        key_of(CONFIG("torch.add", "",
                      "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, "
                      "3]}, {\"type\": \"int\", \"value\": 1}]}")),
        "e5e0dcb81b791ad670d1525b5cfd3ab9");
}

static void equal_templates_and_trees_hash_alike(void)
{
    /* A range config hashes through its template, the same case written out through the tree. */
    CHECK_STR(
        key_of(CONFIG("torch.cat", RANGE,
                      "{\"args\": [{\"type\": \"tuple\", \"value\": [{\"type\": \"tensor\", "
                      "\"dtype\": [\"half\"], \"shape\": [-1, [4, 4]], \"__range__\": [\"shape\", "
                      "\"dtype\"], \"__copy__\": [{\"shape\": [0, [0, 1]]}]}]}, {\"type\": "
                      "\"double\", \"value\": [0.5, 0.5], \"__range__\": [\"value\"]}]}")),
        key_of(CONFIG("torch.cat", "",
                      "{\"args\": [{\"type\": \"tuple\", \"value\": [{\"type\": \"tensor\", "
                      "\"dtype\": \"float16\", \"shape\": [4, 4]}]}, {\"type\": \"double\", "
                      "\"value\": 0.5}]}")));
}

int main(void)
{
    RUN(any_case_is_reached_by_its_index);
    RUN(one_operator_can_be_walked_alone);
    RUN(huge_products_are_counted_and_sought);
    RUN(keys_survive_reordering_and_renaming);
    RUN(keys_are_stable);
    RUN(equal_templates_and_trees_hash_alike);
    return ob_test_end();
}
