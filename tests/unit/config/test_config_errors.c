/* SPDX-License-Identifier: Apache-2.0
 *
 * What a config is refused for, and what it is only warned of: the message, its place and its path.
 */
#include "config_testing.h"

typedef struct wrong {
    const char *entry; /* of the input list */
    const char *says;
} wrong;

#define TENSOR(more) "{\"type\": \"tensor\", \"dtype\": \"float\", " more "}"

static void arguments_are_checked(void)
{
    static const wrong WRONG[] = {
        {"7", "an entry must be an object"},
        {"{\"args\": {}}", "\"args\" must be a list, not an object"},
        {"{\"args\": [], \"kwargs\": []}", "\"kwargs\" must be an object, not a list"},
        {"{\"args\": [1]}", "an argument must be an object such as"},
        {"{\"args\": [{\"value\": 1}]}", "the argument has no \"type\""},
        {"{\"args\": [{\"type\": 5}]}", "\"type\" must be a string"},
        {"{\"args\": [{\"type\": \"tensr\"}]}",
         "unknown argument type \"tensr\", did you mean \"tensor\"?"},
        {"{\"args\": [{\"type\": \"tensor\", \"shape\": [1]}]}", "needs \"dtype\""},
        {"{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shpae\": [1]}]}",
         "is \"shpae\" meant to be it?"},
        {"{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\"}]}", "needs \"shape\""},
        {"{\"args\": [{\"type\": \"int\"}]}", "needs one of value|value_range"},
        {"{\"args\": [{\"type\": \"bool\"}]}", "needs \"value\""},
        {"{\"args\": [{\"type\": \"bool\", \"value\": 3}]}", "\"value\" must be true or false"},
        {"{\"args\": [{\"type\": \"str\", \"value\": 3}]}", "\"value\" must be a string"},
        {"{\"args\": [{\"type\": \"int\", \"value\": null}]}", "must be a whole number, not null"},
        {"{\"args\": [{\"type\": \"int\", \"value\": 1e30}]}", "is not a 64-bit integer"},
        {"{\"args\": [{\"type\": \"float\", \"value\": 1e999}]}", "too large for a double"},
        {"{\"args\": [{\"type\": \"int\", \"value_range\": [2, 1]}]}", "swap the two ends"},
        {"{\"args\": [{\"type\": \"int\", \"value_range\": [1, 2.5]}]}", "must be whole"},
        {"{\"args\": [{\"type\": \"int\", \"value_range\": [1]}]}", "a list of two numbers"},
        {"{\"args\": [{\"type\": \"device\", \"value\": \"cuda:x\"}]}", "is not a device"},
        {"{\"args\": [{\"type\": \"Layout\", \"value\": \"dense\"}]}",
         "\"value\" is \"dense\"; it must be one of strided|sparse_coo"},
        {"{\"args\": [{\"type\": \"genericlist\", \"value\": 3}]}", "must be a list of arguments"},
        {"{\"args\": [{\"type\": \"tensor\", \"dtype\": \"flot\", \"shape\": [1]}]}",
         "unknown dtype \"flot\", did you mean \"float\"?"},
        {"{\"args\": [" TENSOR("\"shape\": 5") "]}", "\"shape\" must be a list of sizes"},
        {"{\"args\": [" TENSOR("\"shape\": [-1]") "]}", "sizes are 0 or more"},
        {"{\"args\": [" TENSOR("\"shape\": [1.5]") "]}", "must be whole"},
        {"{\"args\": [" TENSOR("\"shape\": [[1, 2]]") "]}", "an element of \"shape\" is a list"},
        {"{\"args\": [" TENSOR("\"shape\": [3037000500, 3037000500]") "]}", "does not fit 64 bits"},
        {"{\"args\": [" TENSOR("\"shape\": [0, 4611686018427387904, 4611686018427387904]") "]}",
         "does not fit 64 bits"},
        {"{\"args\": [" TENSOR("\"shape\": [2305843009213693952]") "]}", "bytes"},
        {"{\"args\": [" TENSOR("\"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]") "]}",
         "at most 16"},
        {"{\"args\": [" TENSOR("\"shape\": [2, 2], \"strides\": [1]") "]}", "must agree"},
        {"{\"args\": [" TENSOR("\"shape\": [2], \"requires_grad\": 1") "]}",
         "must be true or false"},
        {"{\"args\": [" TENSOR("\"shape\": [2], \"memory_format\": \"nhwc\"") "]}",
         "it must be one of contiguous_format|channels_last|channels_last_3d"},
        {"{\"args\": [" TENSOR("\"shape\": [2], \"layout\": \"csr\"") "]}",
         "it must be one of strided|sparse_coo"},
        {"{\"args\": [" TENSOR(
             "\"shape\": [2], \"layout\": \"sparse_coo\", \"density\": true") "]}",
         "\"density\" must be a number"},
    };
    static const char *const ITERATORS[] = {"DefaultConfigIterator", "RangeConfigIterator"};
    char text[2048];
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
            snprintf(text, sizeof text,
                     "{\"torch.add\": {\"input_iterator\": \"%s\", \"input_data_generator\": "
                     "\"PyTorch:DefaultDataGenerator\", \"config\": [{\"input\": [%s]}]}}",
                     ITERATORS[k], WRONG[i].entry);
            ob_config *config = open_config(text);
            if (config != NULL)
                OB_TEST_FAIL("%s accepted %s", ITERATORS[k], WRONG[i].entry);
            ob_config_destroy(config);
            CHECK_HAS(messages, "t.json:1:");
            CHECK_HAS(messages, ": error: .\"torch.add\".config[0].input[0]");
            CHECK_HAS(messages, WRONG[i].says);
        }
    }
}

/* Attributes of one tensor that do not go together. */
static void layouts_are_checked(void)
{
    static const wrong WRONG[] = {
        {"\"shape\": [2, 2], \"memory_format\": \"channels_last\"",
         "needs a shape of 4 dimensions, not 2"},
        {"\"shape\": [2, 2, 2, 2], \"memory_format\": \"channels_last_3d\"",
         "needs a shape of 5 dimensions, not 4"},
        {"\"shape\": [2], \"strides\": [1], \"memory_format\": \"contiguous_format\"", "not both"},
        {"\"shape\": [2], \"nnz\": 1", "add \"layout\": \"sparse_coo\""},
        {"\"shape\": [2], \"layout\": \"strided\", \"coalesced\": true",
         "\"coalesced\" is only for sparse tensors"},
        {"\"shape\": [2], \"layout\": \"sparse_coo\"", "needs either \"nnz\""},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": 1, \"density\": 0.5",
         "needs either"},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": -1", "0 or more"},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"density\": 1.5", "from 0 to 1"},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": 1, \"sparse_dim\": 2",
         "from 1 to the 1 dimensions"},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": 1, \"strides\": [1]",
         "a sparse tensor has no \"strides\""},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": 1, \"sparse_dim\": 0",
         "from 1 to the 1 dimensions"},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": 1.5", "a whole number"},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"density\": -0.5", "from 0 to 1"},
        {"\"shape\": [2, 2, 2], \"layout\": \"sparse_csr\", \"nnz\": 1",
         "a shape of 2 dimensions, not 3"},
        {"\"shape\": [2, 2], \"layout\": \"sparse_csr\", \"nnz\": 1, \"sparse_dim\": 1",
         "are only for the layout \"sparse_coo\""},
        {"\"shape\": [2, 2], \"layout\": \"sparse_csr\", \"nnz\": 1, \"coalesced\": true",
         "are only for the layout \"sparse_coo\""},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": 1, \"memory_format\": "
         "\"contiguous_format\"",
         "a sparse tensor has no \"memory_format\""},
        {"\"shape\": [2], \"layout\": \"sparse_coo\", \"nnz\": 1, \"value\": [1, 2]",
         "one number for all its entries"},
    };
    char text[2048];
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        snprintf(text, sizeof text,
                 "{\"torch.add\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
                 "\"config\": [{\"input\": [{\"args\": [{\"type\": \"tensor\", \"dtype\": "
                 "\"float\", %s}]}]}]}}",
                 WRONG[i].entry);
        CHECK(open_config(text) == NULL);
        CHECK_HAS(messages, WRONG[i].says);
        CHECK_HAS(messages, ".args[0]");
    }
}

static void layouts_are_taken(void)
{
    static const char *const RIGHT[] = {
        "\"shape\": [2, 2], \"layout\": \"sparse_csr\", \"nnz\": 0",
        "\"shape\": [2], \"layout\": \"sparse_coo\", \"density\": 0",
        "\"shape\": [2], \"layout\": \"sparse_coo\", \"density\": 1, \"sparse_dim\": 1",
        ("\"shape\": [2, 2], \"layout\": \"sparse_coo\", \"nnz\": 1, \"sparse_dim\": 2, "
         "\"coalesced\": true, \"value\": 3"),
        "\"shape\": [2, 2, 2, 2], \"memory_format\": \"channels_last\"",
        "\"shape\": [2], \"memory_format\": \"contiguous_format\"",
    };
    char text[2048];
    for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
        snprintf(text, sizeof text,
                 "{\"torch.add\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
                 "\"config\": [{\"input\": [{\"args\": [{\"type\": \"tensor\", \"dtype\": "
                 "\"float\", %s}]}]}]}}",
                 RIGHT[i]);
        ob_config *config = open_config(text);
        CHECK(config != NULL);
        CHECK_STR(messages, "");
        ob_config_destroy(config);
    }
}

static void macros_are_checked(void)
{
    /* The largest of what is copied counts, whichever alternative has it. */
    static const char COPIES_LARGE[] =
        "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", "
        "\"shape\": [[3037000500, 1], [2, 3]], \"__list__\": [\"shape\"]}, "
        "{\"type\": \"tensor\", \"dtype\": \"float\", "
        "\"shape\": [-1, 3037000500], \"__copy__\": [{\"shape\": [0, [0, 0]]}]}]}";
    static const wrong WRONG[] = {
        {"{\"args\": [{\"type\": \"int\", \"value\": [1, 2, 3, 4], \"__range__\": [\"value\"]}]}",
         "this one has 4"},
        {"{\"args\": [{\"type\": \"int\", \"value\": [1, 2.5], \"__range__\": [\"value\"]}]}",
         "must be whole"},
        {"{\"args\": [{\"type\": \"float\", \"value\": [0, 1, 0.0], \"__range__\": [\"value\"]}]}",
         "must not be 0"},
        {"{\"args\": [{\"type\": \"float\", \"value\": [0, 1, 1e-300], \"__range__\": "
         "[\"value\"]}]}",
         "more than 2^53 values"},
        {"{\"args\": [{\"type\": \"int\", \"value\": [1, 2], \"__range__\": 5}]}",
         "\"__range__\" must be a list of attribute names"},
        {"{\"args\": [{\"type\": \"int\", \"value\": [1, 2], \"__range__\": [5]}]}",
         "it must list attribute names"},
        {"{\"args\": [{\"type\": \"int\", \"value\": 5, \"__list__\": [\"value\"]}]}",
         "a list of alternatives"},
        {"{\"args\": [{\"type\": \"int\", \"value\": [1, 2], \"__list__\": [\"value\"], "
         "\"__range__\": "
         "[\"value\"]}]}",
         "in both \"__range__\" and \"__list__\""},
        {"{\"args\": [{\"type\": \"bool\", \"value\": [1, true], \"__range__\": [\"value\"]}]}",
         "must be true or false"},
        {"{\"args\": [{\"type\": \"tensor\", \"dtype\": [\"float\", \"x\"], \"shape\": [1], "
         "\"__range__\": "
         "[\"dtype\"]}]}",
         "unknown dtype \"x\""},
        {"{\"args\": [" TENSOR("\"shape\": [[-2, 3]], \"__range__\": [\"shape\"]") "]}",
         "would hold -2"},
        {"{\"args\": [" TENSOR("\"shape\": [[1, 3037000500, 3037000499], [1, 3037000500, "
                               "3037000499]], \"__range__\": [\"shape\"]") "]}",
         "does not fit 64 bits"},
        {"{\"args\": [" TENSOR("\"shape\": [-1]") "]}", "a placeholder needs a \"__copy__\""},
        {"{\"args\": [" TENSOR("\"shape\": [-1], \"__copy__\": {}") "]}",
         "\"__copy__\" must be a list"},
        {"{\"args\": [" TENSOR("\"shape\": [-1], \"__copy__\": [3]") "]}",
         "must be an object such as"},
        {"{\"args\": [" TENSOR("\"shape\": [-1], \"__copy__\": [{\"shape\": [0, 1]}]") "]}",
         "a copy is written [i, [j, k]]"},
        {"{\"args\": [" TENSOR("\"shape\": [-1], \"__copy__\": [{\"shape\": [1, [0, 0]]}]") "]}",
         "index 1 is outside \"shape\", which has 1 elements"},
        {"{\"args\": [" TENSOR("\"shape\": [-1], \"__copy__\": [{\"shape\": [0, [1, 0]]}]") "]}",
         "there is no argument 1"},
        {"{\"args\": [" TENSOR(
             "\"shape\": [-1], \"__copy__\": [{\"shape\": [0, [\"o\", 0]]}]") "]}",
         "no keyword argument \"o\""},
        {"{\"args\": [" TENSOR(
             "\"shape\": [-1], \"__copy__\": [{\"shape\": [0, [1, 0]]}]") ", {\"type\": "
                                                                          "\"int\", \"value\": "
                                                                          "1}]}",
         "argument 1 has no \"shape\" to copy from"},
        {"{\"args\": [" TENSOR("\"shape\": [1], \"__copy__\": [{\"size\": [0, [0, 0]]}]") "]}",
         "this argument has no \"size\" to copy into"},
        {"{\"args\": [" TENSOR("\"shape\": [1], \"t\": [\"x\"]") ", " TENSOR(
             "\"shape\": [-1], \"t\": [0], \"__copy__\": [{\"shape\": [0, [0, 5]]}]") "]}",
         "index 5 is outside"},
        {COPIES_LARGE, "does not fit 64 bits"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        ob_config *config = open_range(WRONG[i].entry);
        if (config != NULL)
            OB_TEST_FAIL("accepted %s", WRONG[i].entry);
        ob_config_destroy(config);
        CHECK_HAS(messages, ": error: .\"torch.add\".config[0].input[0]");
        CHECK_HAS(messages, WRONG[i].says);
    }
}

/* An iterator that checks nothing and gives the items of its list as they are. */
static ob_status open_any(const ob_iterator_args *args, void **state, ob_err *err)
{
    (void)err;
    *state = (void *)args->entries;
    return OB_OK;
}

static uint64_t count_any(void *state)
{
    return ob_json_count(state);
}

static ob_status at_any(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)err;
    item->entry = ob_json_item(state, index);
    snprintf(item->id, sizeof item->id, "%u", (unsigned)index);
    return OB_OK;
}

static void close_any(void *state)
{
    (void)state;
}

static void items_of_other_iterators_are_checked(void)
{
    static const ob_iterator_desc ANY = {.name = "AnyIterator",
                                         .help = "the items of the list",
                                         .open = open_any,
                                         .count = count_any,
                                         .at = at_any,
                                         .close = close_any};
    ob_err err;
    CHECK_INT(ob_register_iterator(test_context(), &ANY, &err), OB_OK);
#define ANY_CONFIG(items)                                                                          \
    "{\"torch.add\": {\"input_iterator\": \"AnyIterator\", \"input_data_generator\": "             \
    "\"PyTorch:DefaultDataGenerator\", \"config\": [{\"input\": [" items "]}]}}"
    /* The first item when the config is opened, later ones when they come. */
    CHECK(open_config(ANY_CONFIG("3")) == NULL);
    CHECK_HAS(messages,
              "t.json:1:127: error: .\"torch.add\".config[0].input[0]: an entry must be an object");
    CHECK(open_config(ANY_CONFIG("{\"args\": [{\"type\": \"ScalarType\", \"value\": \"dbl\"}]}")) ==
          NULL);
    CHECK_HAS(messages, "unknown dtype \"dbl\"");
    ob_config *config = open_config(ANY_CONFIG("{\"args\": []}, 3"));
    CHECK(config != NULL);
    ob_cases *cases;
    const ob_case *c;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_ERR_CONFIG);
    CHECK_HAS(err.message, "an entry must be an object");
    ob_cases_close(cases);
    ob_config_destroy(config);
}

static void the_frame_is_checked(void)
{
    static const wrong WRONG[] = {
        {"[]", "t.json:1:1: error: .: a config must be an object of operators"},
        {"{\"a\": 1}", ": error: .a: an operator's entry must be an object"},
        {"{\"a\": {\"input_data_generator\": 3, \"config\": []}}",
         "must be a name in quotes, not an integer"},
        {"{\"a\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\"}}",
         "\"config\" is missing; add"},
        {"{\"a\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": 1}}",
         "\"config\" must be a list, not an integer"},
        {"{\"a\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": [1]}}",
         "an item of \"config\" must be an object"},
        {"{\"a\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": "
         "[{\"input\": 1}]}}",
         "\"input\" must be a list of inputs"},
        {"{\"a\": {\"input_iterator\": \"RangeConfigIteratr\", \"input_data_generator\": "
         "\"PyTorch:DefaultDataGenerator\", \"config\": []}}",
         "unknown iterator \"RangeConfigIteratr\", did you mean \"RangeConfigIterator\"?"},
        {"{\"a\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": "
         "[{\"build\": [], "
         "\"input\": []}]}}",
         "a build needs \"build_data_generator\""},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        CHECK(open_config(WRONG[i].entry) == NULL);
        CHECK_HAS(messages, WRONG[i].says);
    }
}

static void all_errors_are_shown(void)
{
    CHECK(open_config("{\"a\": {\"config\": []},\n \"b\": {\"config\": 3}}") == NULL);
    CHECK_HAS(messages, "t.json:1:7: error: .a: \"input_data_generator\" is missing");
    CHECK_HAS(messages, "t.json:2:7: error: .b: \"input_data_generator\" is missing");
    CHECK_HAS(messages, "t.json:2:18: error: .b.config: \"config\" must be a list");
}

static void doubtful_things_are_warned_of(void)
{
    ob_config *config = open_config(
        "{\"torch.add\": {\"input_iterater\": \"x\", \"input_data_generator\": "
        "\"PyTorch:DefaultDataGenerator\", \"config\": [{\"inputs\": [], \"input\": [{\"args\": "
        "[{\"type\": \"int\", \"value\": 2.5}]}]},], }}");
    CHECK(config != NULL);
    CHECK_HAS(messages, "warning: .\"torch.add\".input_iterater: unknown key \"input_iterater\" "
                        "has no effect; did you mean \"input_iterator\"?");
    CHECK_HAS(messages, "did you mean \"input\"?");
    CHECK(strstr(messages, "does not know the operator") == NULL);
    CHECK_HAS(
        messages,
        "warning: .\"torch.add\".config[0].input[0].args[0].value: \"value\" of an int is 2.5");
    CHECK_HAS(messages, "a comma before a closing bracket is not JSON (and more of them follow)");
    ob_config_destroy(config);
    config =
        open_config("{\"torch.add\": {\"input_data_generator\": \"PyTorch::DefaultDataGenerator\", "
                    "\"config\": [{\"input\": [{\"args\": []}]}]}}");
    CHECK(config != NULL);
    CHECK_HAS(messages,
              "taking \"PyTorch::DefaultDataGenerator\" as \"PyTorch:DefaultDataGenerator\"");
    ob_config_destroy(config);
    config = open_config("{}");
    CHECK_HAS(messages, "t.json:1:1: warning: .: the config names no operators,");
    ob_config_destroy(config);
    config =
        open_config("{\"torch.ad\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
                    "\"config\": [{\"input\": [{\"args\": [{\"type\": \"tensor\", \"dtype\": "
                    "\"float\", \"shape\": [1], \"requires_gard\": true}]}]}]}}");
    CHECK_HAS(
        messages,
        "t.json:1:2: warning: .\"torch.ad\": opbench does not know the operator \"torch.ad\"");
    CHECK_HAS(messages,
              "\"requires_gard\" has no effect on an argument of type \"tensor\"; did you mean "
              "\"requires_grad\"?");
    ob_config_destroy(config);
}

/* PARAM reads over them; a user who wrote them meant something. */
static void unknown_attributes_are_told_once(void)
{
    ob_config *config = open_config(
        "{\"torch.add\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
        "\"config\": [{\"input\": [{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", "
        "\"shape\": "
        "[1], \"name\": \"x\", \"rnage\": [0, 1]}, {\"type\": \"tensor\", \"dtype\": \"float\", "
        "\"shape\": "
        "[1], \"rnage\": [0, 1]}, {\"type\": \"int\", \"value\": 1, \"range\": [0, 1]}]}]}]}}");
    CHECK(config != NULL);
    const char *first = strstr(messages, "\"rnage\" has no effect");
    CHECK_HAS(messages,
              "t.json:1:168: warning: .\"torch.add\".config[0].input[0].args[0].rnage: "
              "\"rnage\" has no effect on an argument of type \"tensor\", which has dtype, "
              "shape, requires_grad, ");
    CHECK(first != NULL && strstr(first + 1, "\"rnage\" has no effect") == NULL);
    CHECK_HAS(messages, "\"range\" has no effect on an argument of type \"int\", which has value, "
                        "value_range; leave it out");
    CHECK(strstr(messages, "\"name\"") == NULL);
    ob_config_destroy(config);
}

/* What a worker is sent was checked by who sent it; the frame, which its reading needs, is looked at all the same. */
static void lists_are_not_checked_twice(void)
{
    static const char LIST[] =
        "{\"torch.add\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
        "\"config\": [{\"input\": [{\"args\": [{\"type\": \"tensr\"}]}]}]}}";
    static const char FRAME[] = "{\"torch.add\": {\"config\": [{\"input\": 7}]}}";
    const ob_config_options sent = {.size = sizeof sent, .checked = true};
    ob_config *config;
    CHECK(open_config(LIST) == NULL);
    messages[0] = '\0';
    CHECK_INT(ob_config_open_memory(test_context(), "t.json", LIST, sizeof LIST - 1, &sent, &config,
                                    NULL),
              OB_OK);
    CHECK_STR(messages, "");
    CHECK_STR(cases_text(config), "0|0|0 {\"args\": [{\"type\": \"tensr\"}]}\n");
    CHECK(ob_config_open_memory(test_context(), "t.json", FRAME, sizeof FRAME - 1, &sent, &config,
                                NULL) != OB_OK);
}

int main(void)
{
    RUN(lists_are_not_checked_twice);
    RUN(arguments_are_checked);
    RUN(layouts_are_checked);
    RUN(layouts_are_taken);
    RUN(macros_are_checked);
    RUN(items_of_other_iterators_are_checked);
    RUN(unknown_attributes_are_told_once);
    RUN(the_frame_is_checked);
    RUN(all_errors_are_shown);
    RUN(doubtful_things_are_warned_of);
    return ob_test_end();
}
